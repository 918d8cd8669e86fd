"""A report on every annotator, made from the posteriors alone, so that it means the same for every method."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crowdseq.aggregation.judged_votes import Ask, JudgedVotes, JudgingPart
from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.consensus import COPIED, SPAM, UNJUDGED, AnnotatorReport
from crowdseq.core.corpus import Corpus
from crowdseq.engines.shards import add_up
from crowdseq.evaluation.copying import ErrorPairs, copies_of
from crowdseq.numerics.crowds.votes import normalise


@dataclass(frozen=True, eq=False)
class Skills:
    """(K,) chance-corrected agreement with the truth, its standard error, and who can be judged."""

    mean: FloatArray
    error: FloatArray
    known: BoolArray

    def of(self, number: int) -> tuple[float | None, tuple[float, float] | None]:
        if not self.known[number]:
            return None, None
        mean, reach = float(self.mean[number]), 1.96 * float(self.error[number])
        return mean, (max(-1.0, mean - reach), min(1.0, mean + reach))


def _why_unknown(counts: JudgedVotes, number: int) -> str:
    """Why nothing can be said of somebody's skill."""
    if not counts.totals[number]:
        return f"{UNJUDGED}: labelled nothing"
    if not counts.shared[number]:
        return f"{UNJUDGED}: nobody else labelled the same tokens"
    return f"{UNJUDGED}: there is one label only, on which all agree by chance"


def measure_skills(ask: Ask, counts: JudgedVotes) -> Skills:
    """Kappa against the posteriors, sentences as the unit of chance, drawn towards the crowd's mean.

    kappa = (observed - chance) / (1 - chance), chance from the annotator's own label shares and the truth's
    shares on the tokens they saw. Its error is that of a ratio over sentences, and two average sentences are
    added to everybody's evidence, so that one lucky sentence never looks certain.
    """
    chance, size = counts.chance, len(counts.totals)
    gain, available = add_up(ask("gains", chance))
    known = (available > 1e-9) & (counts.shared > 0)
    raw = np.divide(gain, available, out=np.zeros(size), where=available > 1e-9)
    residual = add_up(ask("residuals", chance, raw))
    squares = residual[:-2] + 2.0 * float(residual[-2] / residual[-1] if residual[-1] else 0)
    variance = np.divide(squares, available**2, out=np.ones(size), where=available > 1e-9)
    return _shrink(raw, variance + 1e-6, available, known)


def _shrink(raw: FloatArray, variance: FloatArray, weight: FloatArray, known: BoolArray) -> Skills:
    """Each skill and the crowd's mean, averaged by how sure either is."""
    if not known.any():
        return Skills(raw, np.sqrt(variance), known)
    centre = float(np.average(raw[known], weights=weight[known]))
    spread = float(np.average((raw[known] - centre) ** 2, weights=weight[known]))
    spread = max(spread, 0.01)
    pull = variance / (variance + spread)
    return Skills(raw + pull * (centre - raw), np.sqrt(variance * spread / (variance + spread)), known)


_FEW_TOKENS = 300
_MANY_SLIPS = 0.02
_FEW_SPANS = 10  # of which slips say nothing yet
_LIKELY_SPAM = 0.8
_FEW_TELLING = 10.0  # tokens of other labels than the most common one: of fewer nobody is called a spammer
_TELLING = 0.5  # of the chance that marks are right, beyond what marks at random have


def judge_annotators(
    corpus: Corpus, posteriors: FloatArray, tag_ids: IntArray
) -> tuple[AnnotatorReport, ...]:
    """One report for each annotator, in the order of `corpus.annotators`."""
    part = JudgingPart(corpus, posteriors, tag_ids)
    return judge_parts(
        lambda call, *given: [getattr(part, call)(*given)], corpus.annotators, corpus.scheme.outside
    )


def judge_parts(ask: Ask, names: Sequence[str], outside: int) -> tuple[AnnotatorReport, ...]:
    """The same from the parts of a corpus, each of which knows its votes and what is settled.

    outside: the number of the tag O, -1 where there is none.
    """
    if not names:
        return ()
    counts: JudgedVotes = add_up(ask("count"))
    skills = measure_skills(ask, counts)
    flags = _copy_flags([pair for part in ask("error_pairs", counts.rates) for pair in part], names)
    slips = _slip_rates(counts.spans[3], counts.spans[4])
    reports = []
    for number, name in enumerate(names):
        skill, interval = skills.of(number)
        sentences, tokens = int(counts.sentences[number]), int(counts.totals[number])
        spam = _spam(counts.confusions[number]) if skill is not None else None
        unknown = _why_unknown(counts, number) if skill is None else ""
        is_spam = (
            spam is not None and spam > _LIKELY_SPAM and _is_guessing(counts.confusions[number], outside)
        )
        notes = [*flags[number], *([unknown] if unknown else _faults(skill, is_spam))]
        notes += _notes((sentences, tokens), float(slips[number]))
        reports.append(
            AnnotatorReport(
                name,
                sentences,
                tokens,
                skill,
                interval,
                *_ratios(*counts.spans[:3, number].tolist()),
                spam,
                counts.confusions[number],
                tuple(notes),
            )
        )
    return tuple(reports)


def _faults(skill: float | None, is_spam: bool) -> list[str]:
    notes = ["negative skill: worse than chance"] if skill is not None and skill < 0 else []
    return [*notes, *([f"{SPAM}: labels do not depend on the text"] if is_spam else [])]


def _is_guessing(confusion: FloatArray, outside: int) -> bool:
    """Whether so little dependence on the truth is a fault, and enough was seen to say so.

    Who finds little, as labelling functions do, differs in most votes hardly from somebody who guesses. But
    what they do mark is mostly right, and not by chance.
    """
    masses = confusion.sum(axis=1)
    if masses.sum() - masses.max() < _FEW_TELLING:
        return False
    if outside < 0:
        return True
    marks = confusion.sum(axis=0)
    marks[outside] = 0.0
    n_marks = marks.sum()
    if n_marks <= 0:
        return True
    right = float(np.diagonal(confusion)[marks > 0].sum())
    chance = float(marks @ masses) / float(masses.sum())
    return bool(right - chance < _TELLING * (n_marks - chance))


def _notes(work: tuple[int, int], slips: float) -> list[str]:
    """work: sentences and tokens."""
    notes, (sentences, tokens) = [], work
    if tokens < _FEW_TOKENS:
        words = (
            f"{n} {word}{'s' if n != 1 else ''}" for n, word in ((sentences, "sentence"), (tokens, "token"))
        )
        notes.append(f"little evidence: {', '.join(words)}")
    if slips > _MANY_SLIPS:
        notes.append(f"breaks the label scheme in {100 * slips:.0f} % of the labelled spans")
    return notes


def _spam(confusion: FloatArray) -> float:
    """1 when the given labels do not depend on the truth, 0 when truths are always told apart.

    One minus the expected total variation distance between two rows of the confusion matrix, the rows drawn
    by how often their truths occur; half a count of the average row smooths each row.
    """
    masses = confusion.sum(axis=1)
    total = masses.sum()
    if total <= 0:
        return 0.0
    shares = masses / total
    average = confusion.sum(axis=0) / total
    rows = normalise(confusion + 0.5 * average)
    kept = np.flatnonzero(shares > 1e-6)
    distance = sum(
        float(shares[a] * (shares[kept] * 0.5 * np.abs(rows[a] - rows[kept]).sum(axis=1)).sum()) for a in kept
    )
    room = 1.0 - float(np.square(shares[kept]).sum())
    return float(np.clip(1.0 - distance / room, 0.0, 1.0)) if room > 1e-9 else 0.0


def _ratios(hits: int, given: int, wanted: int) -> tuple[float | None, float | None, float | None]:
    precision = hits / given if given else None
    recall = hits / wanted if wanted else None
    f1 = 2 * hits / (given + wanted) if given + wanted else None
    return precision, recall, f1


def _slip_rates(slips: IntArray, n_spans: IntArray) -> FloatArray:
    """(K,) how many slips there are for each span of an annotator, at most one; 0 of too few spans."""
    rates = np.minimum(slips / np.maximum(n_spans, 1), 1.0)
    return np.where(n_spans >= _FEW_SPANS, rates, 0.0)


def _copy_flags(pairs: ErrorPairs, names: Sequence[str]) -> list[list[str]]:
    flags: list[list[str]] = [[] for _ in names]
    for copy in copies_of(pairs, len(names)):
        first, second = copy[0], copy[1]
        flags[first].append(f"{COPIED}: same errors as {names[second]}")
        flags[second].append(f"{COPIED}: same errors as {names[first]}")
    return flags
