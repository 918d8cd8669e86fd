"""L-BFGS over a flat vector, with OWL-QN for an L1 term and a memory that can be kept between runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.numerics.optimise.vectors import advance, compare, dot, move, norm

# Weights in, value and gradient of the smooth part out; the gradient is the caller's to keep.
Evaluate: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]

_SUFFICIENT_DECREASE = 1e-4
_CURVATURE = 0.9
_LONGEST_SEARCH = 25
_FLAT = 1e-9  # length of a gradient that is as good as zero
_GLANCE = 1_000  # entries of a gradient that are looked at first
_PERIOD = 10  # iterations over which progress is judged: single steps may be short without being the end


@dataclass(frozen=True)
class Memory:
    """The last steps and what they did to the gradient: all that L-BFGS knows of the curvature."""

    size: int = 6
    steps: tuple[FloatArray, ...] = ()
    changes: tuple[FloatArray, ...] = ()
    curvatures: tuple[float, ...] = ()  # product of each step with its change
    scale: float = 1.0  # how long the last step was for its change of the gradient

    def arrays(self) -> dict[str, FloatArray]:
        """All of it by name, to be kept on disk."""
        if not self.steps:
            return {}
        return {
            "memory_steps": np.stack(self.steps),
            "memory_changes": np.stack(self.changes),
            "memory_numbers": np.array([self.size, self.scale, *self.curvatures]),
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, FloatArray]) -> "Memory":
        """What `arrays` gave, among others."""
        if "memory_steps" not in arrays:
            return cls()
        size, scale, *curvatures = arrays["memory_numbers"].tolist()
        steps, changes = (tuple(np.array(arrays[f"memory_{name}"])) for name in ("steps", "changes"))
        return cls(int(size), steps, changes, tuple(curvatures), scale)

    def after(self, there: "_Point", here: "_Point") -> "Memory":
        """This memory and one more step; a step without curvature is not remembered."""
        step, change, curvature, square = compare(there.weights, here.weights, there.gradient, here.gradient)
        if curvature <= 1e-12 * square:
            return self
        return Memory(
            self.size,
            (*self.steps, step)[-self.size :],
            (*self.changes, change)[-self.size :],
            (*self.curvatures, curvature)[-self.size :],
            curvature / square,
        )

    def direction(self, gradient: FloatArray) -> tuple[FloatArray, float]:
        """Minus the approximate inverse Hessian times the gradient, and its product with the gradient.

        The two-loop recursion: each pass over the vectors adds what the pass before found out, and finds out
        what the next one adds.
        """
        result = -gradient
        known = tuple(zip(self.steps, self.changes, self.curvatures, strict=True))
        factors: list[float] = []
        amount, along = 0.0, gradient
        for step, change, curvature in reversed(known):
            factors.append(advance(result, amount, along, 1.0, step) / curvature)
            amount, along = -factors[-1], change
        scale = self.scale
        for (step, change, curvature), factor in zip(known, reversed(factors), strict=True):
            product = advance(result, amount, along, scale, change)
            amount, along, scale = factor - product / curvature, step, 1.0
        return result, advance(result, amount, along, 1.0, gradient)


@dataclass(frozen=True)
class Optimum:
    """Where the minimiser stopped, and what a later run can go on from."""

    weights: FloatArray
    value: float
    memory: Memory
    iterations: int
    evaluations: int
    converged: bool
    history: tuple[float, ...]


@dataclass(frozen=True)
class Minimiser:
    """Settings of the search.

    max_iterations: steps at most. tolerance: stop when ten steps lower the value by less than this share.
    l1: weight of the sum of absolute values, added to the objective. stop_below: a value that is low enough.
    progress: told (iteration, value).
    """

    max_iterations: int = 1_000
    tolerance: float = 1e-5
    l1: float = 0.0
    stop_below: float = -np.inf
    progress: Callable[[int, float], None] | None = None

    def minimise(self, evaluate: Evaluate, start: FloatArray, memory: Memory | None = None) -> Optimum:
        """Follow the objective down from `start`; the value never rises from one step to the next."""
        memory = Memory() if memory is None else memory
        here = _Point.at(evaluate, start.copy(), self.l1)
        history, evaluations, converged = [here.value], 1, False
        for iteration in range(1, self.max_iterations + 1):
            converged = self._is_flat(here, history)
            if converged:
                break
            there, tried = self._step(evaluate, here, memory)
            evaluations += tried
            if there is None and memory.steps:
                # What was remembered of another objective may mislead: forget it and go straight down once.
                memory = Memory(memory.size)
                there, tried = self._step(evaluate, here, memory)
                evaluations += tried
            if there is None:
                converged = True  # no step lowers the value any more: the end of what doubles can tell apart
                break
            memory = memory.after(there, here)
            here = there
            history.append(here.value)
            if self.progress is not None:
                self.progress(iteration, here.value)
        else:
            converged = self._is_flat(here, history)
        return Optimum(
            here.weights, here.value, memory, len(history) - 1, evaluations, converged, tuple(history)
        )

    def _is_flat(self, here: "_Point", history: list[float]) -> bool:
        if here.value <= self.stop_below:
            return True
        # No vector is shorter than a part of it: most gradients show at a glance that they are not flat.
        if norm(here.slope[:_GLANCE]) <= _FLAT and norm(here.slope) <= _FLAT:
            return True
        if len(history) <= _PERIOD:
            return False
        return history[-1 - _PERIOD] - here.value < self.tolerance * abs(here.value)

    def _step(self, evaluate: Evaluate, here: "_Point", memory: Memory) -> "tuple[_Point | None, int]":
        direction, slope = memory.direction(here.slope)
        if self.l1 > 0.0:
            direction[direction * here.slope >= 0.0] = 0.0
            slope = dot(direction, here.slope)
        if not slope < 0.0:
            return None, 0
        # Without any knowledge of scale the first trial step has length one at most.
        length = 1.0 if memory.steps else min(1.0, 1.0 / norm(direction))
        if self.l1 > 0.0:
            return _projected_search(evaluate, here, direction, length, self.l1)
        return _wolfe_search(evaluate, here, direction, slope, length)


@dataclass(frozen=True)
class _Point:
    """A place, the whole objective there, the gradient of its smooth part, and the slope used for descent."""

    weights: FloatArray
    value: float
    gradient: FloatArray
    slope: FloatArray

    @classmethod
    def at(cls, evaluate: Evaluate, weights: FloatArray, l1: float) -> "_Point":
        smooth, gradient = evaluate(weights)
        if l1 == 0.0:
            return cls(weights, smooth, gradient, gradient)
        value = smooth + l1 * float(np.abs(weights).sum())
        return cls(weights, value, gradient, _pseudo_gradient(weights, gradient, l1))


def _pseudo_gradient(weights: FloatArray, gradient: FloatArray, l1: float) -> FloatArray:
    """The gradient of the whole, and at a kink the side that goes down, or zero if none does."""
    slope = gradient + l1 * np.sign(weights)
    kink = weights == 0.0
    slope[kink] = np.sign(gradient[kink]) * np.maximum(np.abs(gradient[kink]) - l1, 0.0)
    return slope


def _wolfe_search(
    evaluate: Evaluate, here: _Point, direction: FloatArray, slope: float, length: float
) -> tuple[_Point | None, int]:
    """Bisection and doubling until the value fell enough and the slope flattened enough."""
    low, high = 0.0, np.inf
    best: _Point | None = None
    for tried in range(1, _LONGEST_SEARCH + 1):
        there = _Point.at(evaluate, move(here.weights, length, direction), 0.0)
        if not there.value <= here.value + _SUFFICIENT_DECREASE * length * slope:
            high = length
        else:
            best = there
            if dot(there.gradient, direction) >= _CURVATURE * slope:
                return there, tried
            low = length
        if best is not None and high < np.inf:
            return best, tried  # low enough: a flatter slope is not worth more evaluations
        length = 2.0 * length if high == np.inf else 0.5 * (low + high)
    return best, _LONGEST_SEARCH


def _projected_search(
    evaluate: Evaluate, here: _Point, direction: FloatArray, length: float, l1: float
) -> tuple[_Point | None, int]:
    """Backtracking in which no weight changes its sign: it stops at zero instead."""
    orthant = np.where(here.weights != 0.0, np.sign(here.weights), -np.sign(here.slope))
    for tried in range(1, _LONGEST_SEARCH + 1):
        weights = move(here.weights, length, direction)
        weights[weights * orthant <= 0.0] = 0.0
        there = _Point.at(evaluate, weights, l1)
        if there.value <= here.value + _SUFFICIENT_DECREASE * dot(here.slope, weights - here.weights):
            return (there, tried) if there.value < here.value else (None, tried)
        length *= 0.5
    return None, _LONGEST_SEARCH
