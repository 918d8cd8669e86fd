"""Do the bounds of an audit hold, and what do they cost: simulated audits, answered with gold."""

import argparse
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.stats import beta, binom, binomtest

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.auditing.counting import ErrorCounts, Foretold, count_errors, foretell_errors
from crowdseq.evaluation.auditing.figures import FIGURES, bound_of
from crowdseq.evaluation.auditing.frame import RISK, Frame, RunningBounds
from crowdseq.evaluation.auditing.totals import PossibleTotals
from crowdseq.workflows.learning import learn
from crowdseq_research.zoo.real_crowds import amt_all
from crowdseq_research.zoo.simulated_crowds import evenly, simulated

CROWDS: dict[str, Callable[[Path, int], Corpus]] = {
    "AMT": amt_all,
    "CoNLL-2003, 5 simulated": simulated("conll2003", 5, 0.6),
    "BC2GM, 5 simulated": evenly("bc2gm"),
}
_ERROR, _BOUND = 0.02, 0.04
_LOWEST, _HIGHEST = 0.001, 0.2
_LOOK_EVERY = 5


@dataclass(frozen=True)
class World:
    """Sentences with all their errors, which the audit finds out one by one."""

    errors: ErrorCounts
    lengths: IntArray
    foretold: Foretold | None

    def frame(self, seed: int) -> Frame:
        return Frame.draw(self.errors.given, self.lengths, is_plain=False, foretold=self.foretold, seed=seed)

    def error(self, figure: str) -> float:
        """The true share of errors."""
        wrong, missed = self.errors.wrong, self.errors.missed
        if figure == "sentences":
            return float(np.mean(wrong + missed > 0))
        totals = np.array([wrong.sum()]), np.array([missed.sum()])
        return 1.0 - float(FIGURES[figure](float(self.errors.given.sum()), *totals)[0])

    def mended(self, figure: str, error: float, rng: np.random.Generator) -> "World":
        """Whole sentences put right, drawn by lot, until no more than this share is wrong."""
        order = rng.permutation(np.flatnonzero(self.errors.wrong + self.errors.missed > 0))
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            if self._without(order[:middle]).error(figure) <= error:
                high = middle
            else:
                low = middle + 1
        return self._without(order[:low])

    def _without(self, sentences: IntArray) -> "World":
        wrong, missed = self.errors.wrong.copy(), self.errors.missed.copy()
        wrong[sentences] = missed[sentences] = 0.0
        return replace(self, errors=ErrorCounts(self.errors.given, wrong, missed))


def made_up_world(rng: np.random.Generator) -> World:
    """A corpus of any error rate, whose model knows where they are, or not, or believes the contrary."""
    size = int(rng.integers(150, 1500))
    lengths = rng.integers(3, 40, size)
    given = np.minimum(rng.poisson(rng.uniform(0.5, 3.0), size), lengths).astype(np.float64)
    error = float(np.exp(rng.uniform(np.log(_LOWEST), np.log(_HIGHEST))))
    hardness = rng.gamma(0.5, 2.0, size) if rng.random() < 0.5 else np.ones(size)
    rates = np.minimum(error * hardness, 0.9)
    share = rng.uniform(0.2, 0.8)
    wrong = rng.binomial(given.astype(np.int64), np.minimum(2 * share * rates, 0.95)).astype(np.float64)
    missed = rng.poisson(2 * (1 - share) * rates * max(given.mean(), 0.5)).astype(np.float64)
    missed = np.minimum(missed + (wrong if rng.random() < 0.5 else 0.0), lengths)
    foretold = {
        0: None,
        1: Foretold(rates * given, rates, np.minimum(rates, 1.0)),
        2: Foretold(rates[::-1] * given, rates[::-1].copy(), np.minimum(1.0, 0.02 / rates)),
    }[int(rng.integers(3))]
    return World(ErrorCounts(given, wrong, missed), lengths, foretold)


def misses(world: World, seed: int, most: int) -> set[str]:
    """The figures whose interval left out the truth at any time of one audit; `any` for the joint three."""
    frame = world.frame(seed)
    running, found = RunningBounds(frame), set()
    wrong, missed = float(world.errors.wrong.sum()), float(world.errors.missed.sum())
    n_bad = float(np.count_nonzero(world.errors.wrong + world.errors.missed))
    for place, unit in enumerate(frame.order[:most].tolist(), start=1):
        running.add(float(world.errors.wrong[unit]), float(world.errors.missed[unit]))
        if place % _LOOK_EVERY and place < most:
            continue
        for name, figure in FIGURES.items():
            if not _holds(running.labels, name, world, figure):
                found |= {name, "any"}
        if not _covers(running.sentences, n_bad, 0.0):
            found.add("sentences")
        if not _covers(running.labels, wrong, missed):
            found.add("pair")
    return found


def _holds(totals: PossibleTotals, name: str, world: World, figure: Callable[..., FloatArray]) -> bool:
    bound, truth = bound_of(totals, figure, of_all=True), 1.0 - world.error(name)
    return bound.low - 1e-9 <= truth <= bound.high + 1e-9


def _covers(totals: PossibleTotals, wrong: float, missed: float) -> bool:
    low, high, missed_low, missed_high = totals.ranges(of_all=True)
    return bool(((low <= wrong) & (wrong <= high) & (missed_low <= missed) & (missed <= missed_high)).any())


def audits_to_bound(world: World, figure: str, seed: int, most: int) -> int:
    """How many sentences are read until the figure of all is bounded; `most` + 1 if that is not enough."""
    frame = world.frame(seed)
    running = RunningBounds(frame)
    for place, unit in enumerate(frame.order[:most].tolist(), start=1):
        wrong, missed = float(world.errors.wrong[unit]), float(world.errors.missed[unit])
        if figure == "sentences":
            running.sentences.observe(unit, float(wrong + missed > 0), 0.0)
            totals, formula = running.sentences, FIGURES["precision"]
        else:
            running.add(wrong, missed)
            totals, formula = running.labels, FIGURES[figure]
        if place % _LOOK_EVERY == 0 and bound_of(totals, formula, of_all=True).low >= 1.0 - _BOUND:
            return place
    return most + 1


def fixed_sample(world: World, figure: str) -> float:
    """Sentences after which a Clopper-Pearson interval (two-sided, 95 %) of a sample of fixed size has its
    upper end at the bound in half of all samples.

    Of sentences it is exact. Of spans, which come in sentences, their number is divided by the design effect,
    as Korn and Graubard do; F1 is that of the share of errors among all spans given or missed.
    """
    wrong, missed, given = world.errors.wrong, world.errors.missed, world.errors.given
    trials, failures, bound = {
        "sentences": (np.ones_like(given), (wrong + missed > 0).astype(np.float64), _BOUND),
        "precision": (given, wrong, _BOUND),
        "recall": (given - wrong + missed, missed, _BOUND),
        "f1": (given + missed, wrong + missed, 2 * _BOUND / (1 + _BOUND)),
    }[figure]
    rate = failures.sum() / trials.sum()
    effect = 1.0
    if figure != "sentences":
        residuals = failures - rate * trials
        effect = max(float(residuals.var() / (trials.mean() * rate * (1.0 - rate))), 1.0)
    sizes = np.arange(20, 3000)
    most = np.array([_largest_passing(int(size), bound) for size in sizes])
    enough = binom.cdf(most, sizes, rate) >= 0.5
    return float(sizes[int(np.argmax(enough))] * effect / trials.mean())


def _largest_passing(size: int, bound: float) -> int:
    """The most failures with which the upper end is no higher than the bound; -1 if there is none."""
    failures = np.arange(0, max(2, int(size * bound) + 2))
    upper = beta.ppf(1.0 - RISK / 2.0, failures + 1, np.maximum(size - failures, 1e-9))
    return int(np.count_nonzero(upper <= bound)) - 1


def real_worlds(data: Path, kept: Path | None = None) -> Iterator[tuple[str, World]]:
    """Crowds with gold, labelled by the default method, which knew nothing of the gold.

    kept: a folder for their counts, which are then learned only once.
    """
    for name, make in CROWDS.items():
        path = None if kept is None else kept / f"{name.split(',')[0].lower()}.npz"
        if path is not None and path.exists():
            yield name, _load(path)
            continue
        corpus = make(data, 0)
        world = world_of(learn(corpus.without_gold(), tagger=False).consensus, corpus)
        if path is not None:
            _keep(world, path)
        yield name, world


def _keep(world: World, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    errors, foretold = world.errors, world.foretold
    assert foretold is not None
    columns = [errors.given, errors.wrong, errors.missed, world.lengths]
    np.savez(path, counts=np.array([*columns, foretold.wrong, foretold.missed, foretold.doubt]))


def _load(path: Path) -> World:
    with np.load(path) as file:
        given, wrong, missed, lengths, *foretold = np.ascontiguousarray(file["counts"])
    return World(ErrorCounts(given, wrong, missed), lengths.astype(np.int64), Foretold(*foretold))


def world_of(consensus: Consensus, corpus: Corpus) -> World:
    known = corpus.gold_tags, consensus.tag_ids, corpus.offsets, corpus.scheme
    foretold = foretell_errors(consensus.probabilities, *known[1:])
    return World(count_errors(*known), np.diff(corpus.offsets), foretold)


def count_missed(worlds: Sequence[tuple[str, World]], audits: int, seed: int) -> dict[str, Counter[str]]:
    """For made-up worlds and for each real one, at error rates of all sizes: audits, and those missed."""
    rng = np.random.default_rng(seed)
    counts: dict[str, Counter[str]] = {}
    names = ["made up", "made up", *(name for name, _ in worlds)]
    known = dict(worlds)
    for number in range(audits):
        name = names[number % len(names)]
        if name == "made up":
            world = made_up_world(rng)
        else:
            error = float(np.exp(rng.uniform(np.log(_LOWEST), np.log(_HIGHEST))))
            world = known[name].mended("f1", error, rng)
            world = world if rng.random() < 0.7 else replace(world, foretold=None)
        found = misses(world, int(rng.integers(2**31)), int(rng.integers(20, 300)))
        counts.setdefault(name, Counter()).update(found | {"audits"})
    return counts


def coverage_rows(counts: Mapping[str, Counter[str]]) -> list[str]:
    """A row of the page for each, and one for all."""
    total = sum(counts.values(), Counter())
    return [_row(name, count) for name, count in {**counts, "all": total}.items()]


def _row(name: str, count: Counter[str]) -> str:
    audits = count["audits"]
    tests = [
        binomtest(count[one], audits, RISK, alternative="greater").pvalue for one in ("any", "sentences")
    ]
    shown = [f"{count[one]} ({count[one] / audits:.1%})" for one in ("any", "sentences")]
    return f"| {name} | {audits:,} | {shown[0]} | {tests[0]:.2f} | {shown[1]} | {tests[1]:.2f} |"


def cost_rows(
    worlds: Sequence[tuple[str, World]],
    audits: int,
    seed: int,
    figures: Sequence[str] = ("sentences", *FIGURES),
) -> list[str]:
    """A row for each crowd and figure: the median number of sentences read, without and with the model."""
    rows = []
    for name, world in worlds:
        for figure in figures:
            rng = np.random.default_rng(seed)
            mended = world.mended(figure, _ERROR, rng)
            most = min(1500, len(world.lengths))
            repeats = audits * 5 if figure == "sentences" else audits
            fixed = fixed_sample(mended, figure)
            cells = [name, figure, f"{fixed:.0f}"]
            for one in (replace(mended, foretold=None), mended):
                median = float(
                    np.median([audits_to_bound(one, figure, 1000 + s, most) for s in range(repeats)])
                )
                cells += [f"{median:.0f}", f"{median / fixed:.2f}"]
            rows.append("| " + " | ".join(cells) + " |")
    return rows


def page(coverage: Sequence[str], costs: Sequence[str], recipe: str) -> str:
    """Both tables as a page in Markdown."""
    return "\n".join(
        [
            "# Audits: do the bounds hold, and what do they cost",
            "",
            "A simulated reviewer answers with gold. An audit is missed if an interval leaves out the truth",
            "at any time of it, however long it goes on (20 to 300 sentences): whoever stops when they like",
            "the figure can do no worse. Error rates (1 - F1) are drawn from 0.1 % to 20 %: of made-up",
            "corpora, whose model knows where the errors are, knows nothing, or believes the contrary, and",
            "of real and simulated crowds, in which sentences are put right by lot down to that rate.",
            "`p`: of so many misses or more, if each audit were missed with a chance of 5 %.",
            "",
            "| corpora | audits | precision, recall or F1 missed | p | sentences missed | p |",
            "|---|---:|---:|---:|---:|---:|",
            *coverage,
            "",
            "## Sentences read until a bound of 4 % at an error of 2 %",
            "",
            "The error of a figure is what it lacks to 1; `sentences` is the share of sentences with any",
            "error. An audit is one sentence read. `fixed`: the size of a sample, chosen beforehand, in",
            "which the upper end of the two-sided Clopper-Pearson interval (95 %) is 4 % or less in half of",
            "all samples. For sentences, right or wrong, it is exact. Spans come in sentences and are wrong",
            "together, so for them the number of spans is divided by the design effect (Korn and Graubard).",
            "The intervals of the audit hold at any time, and those of precision, recall and F1 all three",
            "together, which no fixed sample promises. The model helps where the spread of errors decides,",
            "as with sentences. Bets on spans are limited by the most that one sentence can lack, and",
            "drawing by doubt makes that worse for the sentences that it passes over.",
            "",
            "How far this carries: stakes and weights were set on these crowds, the first stakes for an",
            "error of about 2 %; errors that are left after a review in order of gain are harder to",
            "foresee than those left here by lot. A one-sided Clopper-Pearson bound needs 227 sentences",
            "instead of 323, and one that takes spans for independent needs about half as many as `fixed`",
            "says: against those the ratios are larger.",
            "",
            "| crowd | figure | fixed | without the model | ratio | with the model | ratio |",
            "|---|---|---:|---:|---:|---:|---:|",
            *costs,
            "",
            recipe,
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--audits", type=int, default=1000, help="for each seed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=11, help="five times as many for sentences")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="a folder for what is learned, to go on from another time")
    asked = parser.parse_args()
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True
    ).stdout.strip()
    worlds = list(real_worlds(asked.data, asked.keep))
    costs = cost_rows(worlds, asked.repeats, 0)
    counts: dict[str, Counter[str]] = {}
    for seed in asked.seeds:
        for name, found in count_missed(worlds, asked.audits, seed).items():
            counts.setdefault(name, Counter()).update(found)
    coverage = coverage_rows(counts)
    seeds = " ".join(map(str, asked.seeds))
    options = f"--audits {asked.audits} --seeds {seeds} --repeats {asked.repeats}"
    recipe = f"python -m crowdseq_research.zoo.audit_check DATA {options} -o results/audit.md"
    text = page(coverage, costs, f"Recipe: `{recipe}`, commit {commit}.")
    asked.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
