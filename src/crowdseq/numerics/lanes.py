"""Four doubles at a time inside kernels: a compiler left to itself seldom finds that the hot loops allow it.

A value of the type lives in registers only. A processor without vectors of four runs the same code slower.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

N_LANES = 4
_DOUBLE, _WORD, _INT32 = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
_VECTOR, _WORDS = ir.VectorType(_DOUBLE, N_LANES), ir.VectorType(_WORD, N_LANES)


class Lanes(types.Type):
    """The type of four doubles, as the compiler knows it."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


_LANES = Lanes()
Four: TypeAlias = Any  # a value of that type: only kernels can have one


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, of_type: Any) -> None:
        super().__init__(manager, of_type, _VECTOR)  # type: ignore[no-untyped-call]


def _of_one(build: Callable[[Any, Any], Any], result: Any = _LANES, given: Any = _LANES) -> Any:
    """An operation on one value, from what builds its instructions."""

    def operation(_: Any, a: Any) -> Any:  # noqa: ARG001  the compiler goes by the number of arguments
        return result(given), lambda _context, builder, _signature, values: build(builder, *values)

    return intrinsic(operation)


def _of_two(build: Callable[[Any, Any, Any], Any], result: Any = _LANES, second: Any = _LANES) -> Any:
    def operation(_: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
        return result(_LANES, second), lambda _context, builder, _signature, values: build(builder, *values)

    return intrinsic(operation)


def _place(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Where the number lies; unlike plain indexing it never counts from the end, at no cost."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


def _load(_: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place = _place(context, builder, signature.args[0], *given)
        return builder.load(builder.bitcast(place, _VECTOR.as_pointer()), align=8)

    return _LANES(array, types.intp), build


def _store(_: Any, array: Any, index: Any, value: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place = _place(context, builder, signature.args[0], *given[:2])
        builder.store(given[2], builder.bitcast(place, _VECTOR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, _LANES), build


def _spread_at(_: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return _spread(builder, builder.load(_place(context, builder, signature.args[0], *given)))

    return _LANES(array, types.intp), build


def _times_add(_: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    def build(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        return _fused(builder, *given)

    return _LANES(_LANES, _LANES, _LANES), build


def _fused(builder: Any, a: Any, b: Any, c: Any) -> Any:
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
    insert: Any = cgutils.get_or_insert_function
    return builder.call(insert(builder.module, kind, f"llvm.fmuladd.v{N_LANES}f64"), [a, b, c])


def _where_above(_: Any, a: Any, b: Any, yes: Any, no: Any) -> Any:  # noqa: ARG001
    def build(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", given[0], given[1]), given[2], given[3])

    return _LANES(_LANES, _LANES, _LANES, _LANES), build


def _spread(builder: Any, value: Any) -> Any:
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_INT32, 0))
    everywhere = ir.Constant(ir.VectorType(_INT32, N_LANES), [0] * N_LANES)
    return builder.shuffle_vector(first, nothing, everywhere)


def _higher(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _lower(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered("<", a, b), a, b)


def _sum(builder: Any, a: Any, b: Any) -> Any:
    return builder.fadd(a, b)


def _folded(fold: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """One number out of four: two pairs, then their results."""

    def build(builder: Any, value: Any) -> Any:
        a, b, c, d = [builder.extract_element(value, ir.Constant(_INT32, n)) for n in range(N_LANES)]
        return fold(builder, fold(builder, a, c), fold(builder, b, d))

    return build


def _power_of_two(builder: Any, value: Any) -> Any:
    bits = builder.bitcast(value, _WORDS)
    moved = builder.shl(bits, ir.Constant(_WORDS, [ir.Constant(_WORD, 52)] * N_LANES))
    return builder.bitcast(moved, _VECTOR)


_LOG2_E = 1.4426950408889634
# ln 2 in two parts: the first has trailing zero bits, so k times it is exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_LOWEST = -700.0  # below this the result is taken as zero; minus infinity included
# Added to a number below 2^51 it leaves the nearest whole number, plus 1023, in the lowest bits.
_ROUNDER = 6755399441055744.0 + 1023.0
_TAYLOR = (
    1.6059043836821613e-10,
    2.08767569878681e-09,
    2.505210838544172e-08,
    2.755731922398589e-07,
    2.7557319223985893e-06,
    2.48015873015873e-05,
    0.0001984126984126984,
    0.001388888888888889,
    0.008333333333333333,
    0.041666666666666664,
    0.16666666666666666,
    0.5,
    1.0,
    1.0,
)


def _exponential(builder: Any, x: Any) -> Any:
    """exp(x) = 2^k exp(r) with |r| <= ln 2 / 2 and exp(r) as its Taylor sum: within two units in the last
    place.

    Spelt out here, since the compiler takes longer over the same in operations of kernels.
    """
    kept = _higher(builder, x, _constant(_LOWEST))
    rounded = _fused(builder, kept, _constant(_LOG2_E), _constant(_ROUNDER))
    k = builder.fsub(rounded, _constant(_ROUNDER))
    r = _fused(builder, k, _constant(-_LN2_HIGH), kept)
    r = _fused(builder, k, _constant(-_LN2_LOW), r)
    p = _constant(_TAYLOR[0])
    for coefficient in _TAYLOR[1:]:
        p = _fused(builder, p, r, _constant(coefficient))
    found = builder.fmul(p, _power_of_two(builder, rounded))
    return builder.select(builder.fcmp_ordered(">", x, _constant(_LOWEST)), found, _constant(0.0))


def _constant(value: float) -> Any:
    return ir.Constant(_VECTOR, [ir.Constant(_DOUBLE, value)] * N_LANES)


load: Any = intrinsic(_load)  # (array, index): four numbers of a flat array
store: Any = intrinsic(_store)  # (array, index, value)
spread: Any = _of_one(_spread, given=types.float64)  # one number in all lanes
spread_at: Any = intrinsic(_spread_at)  # (array, index): one number of a flat array in all lanes
lane: Any = _of_two(lambda builder, a, n: builder.extract_element(a, n), types.float64, types.int32)
add: Any = _of_two(_sum)
subtract: Any = _of_two(lambda builder, a, b: builder.fsub(a, b))
times: Any = _of_two(lambda builder, a, b: builder.fmul(a, b))
times_add: Any = intrinsic(_times_add)  # a * b + c, in one step where the processor has one
higher: Any = _of_two(_higher)  # where they cannot be compared, the second
lower: Any = _of_two(_lower)
where_above: Any = intrinsic(_where_above)  # (a, b, yes, no): yes where a > b, no elsewhere
sum_of_lanes: Any = _of_one(_folded(_sum), types.float64)
highest_lane: Any = _of_one(_folded(_higher), types.float64)
lowest_lane: Any = _of_one(_folded(_lower), types.float64)
# 2^k from k + 1023 in the lowest bits of each double: those bits become its exponent.
power_of_two: Any = _of_one(_power_of_two)
exponential: Any = _of_one(_exponential)  # of four numbers, all <= 0
