"""A report on every annotator, made from the posteriors alone, so that it means the same for every method."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.annotations import Votes, count_slips
from crowdseq.core.consensus import AnnotatorReport
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import SpanTable, find_spans
from crowdseq.evaluation.copying import find_copies
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


def measure_skills(corpus: Corpus, votes: Votes, posteriors: FloatArray) -> Skills:
    """Kappa against the posteriors, sentences as the unit of chance, drawn towards the crowd's mean.

    kappa = (observed - chance) / (1 - chance), chance from the annotator's own label shares and the truth's
    shares on the tokens they saw. Its error is that of a ratio over sentences, and two average sentences are
    added to everybody's evidence, so that one lucky sentence never looks certain.
    """
    n_annotators, n_labels = len(corpus.annotators), len(corpus.scheme)
    totals = np.bincount(votes.annotators, minlength=n_annotators)
    chance = _chance(votes, posteriors, n_annotators, n_labels, totals)
    agreed = posteriors[votes.tokens, votes.labels] - chance[votes.annotators]
    room = 1.0 - chance[votes.annotators]
    ballots = _ballot_of(corpus, votes)
    gains = np.bincount(ballots, agreed, minlength=len(corpus.annotations.voters))
    rooms = np.bincount(ballots, room, minlength=len(corpus.annotations.voters))
    who = corpus.annotations.voters
    gain = np.bincount(who, gains, minlength=n_annotators)
    available: FloatArray = np.bincount(who, rooms, minlength=n_annotators).astype(np.float64)
    known = (available > 1e-9) & (_shared_votes(votes, corpus.n_tokens, n_annotators) > 0)
    raw = np.divide(gain, available, out=np.zeros(n_annotators), where=available > 1e-9)
    residual = np.square(gains - raw[who] * rooms)
    squares = np.bincount(who, residual, minlength=n_annotators) + 2.0 * float(
        residual.mean() if len(residual) else 0
    )
    variance = np.divide(squares, available**2, out=np.ones(n_annotators), where=available > 1e-9)
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


def _chance(
    votes: Votes, posteriors: FloatArray, n_annotators: int, n_labels: int, totals: IntArray
) -> FloatArray:
    """(K,) agreement that an annotator would reach by drawing labels from their own shares."""
    shape = (n_annotators, len(posteriors))
    seen = sparse.csr_matrix((np.ones(len(votes.tokens)), (votes.annotators, votes.tokens)), shape=shape)
    truth = np.asarray(seen @ posteriors)
    cells = votes.annotators.astype(np.int64) * n_labels + votes.labels
    given = np.bincount(cells, minlength=n_annotators * n_labels).reshape(n_annotators, n_labels)
    return np.asarray((truth * given).sum(axis=1) / np.maximum(totals, 1).astype(np.float64) ** 2)


def _shared_votes(votes: Votes, n_tokens: int, n_annotators: int) -> IntArray:
    """(K,) votes on tokens that somebody else labelled too."""
    crowded = np.bincount(votes.tokens, minlength=n_tokens)[votes.tokens] > 1
    return np.bincount(votes.annotators[crowded], minlength=n_annotators)


def _ballot_of(corpus: Corpus, votes: Votes) -> IntArray:
    """(V,) the row of annotations that each vote comes from."""
    crowd = corpus.annotations
    width = max(len(crowd.annotators), 1)
    keys = crowd.row_sentences.astype(np.int64) * width + crowd.voters
    wanted = corpus.text.sentence_of[votes.tokens].astype(np.int64) * width + votes.annotators
    return np.searchsorted(keys, wanted)


_FEW_TOKENS = 300
_MANY_SLIPS = 0.02
_FEW_SPANS = 10  # of which slips say nothing yet
_LIKELY_SPAM = 0.8


def judge_annotators(
    corpus: Corpus, posteriors: FloatArray, tag_ids: IntArray
) -> tuple[AnnotatorReport, ...]:
    """One report for each annotator, in the order of `corpus.annotators`."""
    if not corpus.annotators:
        return ()
    votes = corpus.annotations.votes()
    skills = measure_skills(corpus, votes, posteriors)
    scores = _span_scores(corpus, tag_ids)
    flags = _copy_flags(corpus, tag_ids)
    by_annotator = np.argsort(votes.annotators, kind="stable")
    bounds = np.searchsorted(votes.annotators[by_annotator], np.arange(len(corpus.annotators) + 1))
    sentences = np.bincount(corpus.annotations.voters, minlength=len(corpus.annotators))
    slips = _slip_rates(corpus)
    reports = []
    for number, name in enumerate(corpus.annotators):
        mine = by_annotator[bounds[number] : bounds[number + 1]]
        confusion = _confusion(votes.tokens[mine], votes.labels[mine], posteriors)
        skill, interval = skills.of(number)
        precision, recall, f1 = scores[number]
        spam = _spam(confusion) if skill is not None else None
        notes = [
            *flags[number],
            *_notes(skill, spam, (int(sentences[number]), len(mine)), float(slips[number])),
        ]
        reports.append(
            AnnotatorReport(
                name,
                int(sentences[number]),
                len(mine),
                skill,
                interval,
                precision,
                recall,
                f1,
                spam,
                confusion,
                tuple(notes),
            )
        )
    return tuple(reports)


def _notes(skill: float | None, spam: float | None, work: tuple[int, int], slips: float) -> list[str]:
    """work: sentences and tokens."""
    notes, (sentences, tokens) = [], work
    if skill is None:
        notes.append("cannot be judged: nobody else labelled the same tokens")
    elif skill < 0:
        notes.append("negative skill: worse than chance")
    if spam is not None and spam > _LIKELY_SPAM:
        notes.append("spam: labels do not depend on the text")
    if tokens < _FEW_TOKENS:
        words = (
            f"{n} {word}{'s' if n != 1 else ''}" for n, word in ((sentences, "sentence"), (tokens, "token"))
        )
        notes.append(f"little evidence: {', '.join(words)}")
    if slips > _MANY_SLIPS:
        notes.append(f"breaks the label scheme in {100 * slips:.0f} % of the labelled spans")
    return notes


def _confusion(tokens: IntArray, labels: IntArray, posteriors: FloatArray) -> FloatArray:
    """(M, M) expected counts, truth by given label."""
    n_labels = posteriors.shape[1]
    shape = (n_labels, len(posteriors))
    given = sparse.csr_matrix((np.ones(len(tokens)), (labels, tokens)), shape=shape)
    return np.ascontiguousarray(np.asarray(given @ posteriors).T)


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


def _span_scores(corpus: Corpus, tag_ids: IntArray) -> list[tuple[float | None, float | None, float | None]]:
    """Per annotator: exact-span precision, recall and F1 against the settled tags of the same sentences.

    An annotator's stray pieces count as spans: a slip in spelling is no miss.
    """
    crowd = corpus.annotations
    lengths = corpus.text.lengths[crowd.row_sentences]
    bounds = np.append(crowd.row_starts, len(crowd.tags))
    truth = tag_ids[gather_ranges(corpus.offsets[crowd.row_sentences], lengths)]
    truth = np.where(crowd.tags >= 0, truth, np.int16(-1))
    given = find_spans(crowd.tags, bounds, corpus.scheme, lenient=True)
    wanted = find_spans(truth, bounds, corpus.scheme, lenient=True)
    hits = np.isin(_span_keys(given), _span_keys(wanted))
    who = np.repeat(crowd.voters, lengths)
    size = len(crowd.annotators)
    n_given = np.bincount(who[given.starts], minlength=size)
    n_wanted = np.bincount(who[wanted.starts], minlength=size)
    n_hits = np.bincount(who[given.starts[hits]], minlength=size)
    return [_ratios(int(h), int(g), int(w)) for h, g, w in zip(n_hits, n_given, n_wanted, strict=True)]


def _span_keys(table: SpanTable) -> IntArray:
    """One number for each span; spans of a flat array are told apart by start, length and type."""
    lengths = table.ends - table.starts
    return (table.starts.astype(np.int64) * 100_003 + lengths) * 40_009 + table.types


def _ratios(hits: int, given: int, wanted: int) -> tuple[float | None, float | None, float | None]:
    precision = hits / given if given else None
    recall = hits / wanted if wanted else None
    f1 = 2 * hits / (given + wanted) if given + wanted else None
    return precision, recall, f1


def _slip_rates(corpus: Corpus) -> FloatArray:
    """(K,) how many slips there are for each span of an annotator, at most one; 0 of too few spans."""
    crowd = corpus.annotations
    bounds = np.append(crowd.row_starts, len(crowd.tags))
    who = np.repeat(crowd.voters, corpus.text.lengths[crowd.row_sentences])
    spans = find_spans(crowd.tags, bounds, corpus.scheme, lenient=True)
    n_spans = np.bincount(who[spans.starts], minlength=len(crowd.annotators))
    rates = np.minimum(count_slips(crowd, corpus.scheme) / np.maximum(n_spans, 1), 1.0)
    return np.where(n_spans >= _FEW_SPANS, rates, 0.0)


def _copy_flags(corpus: Corpus, tag_ids: IntArray) -> list[list[str]]:
    flags: list[list[str]] = [[] for _ in corpus.annotators]
    for copy in find_copies(corpus, tag_ids):
        first, second = copy[0], copy[1]
        flags[first].append(f"suspected copy: same errors as {corpus.annotators[second]}")
        flags[second].append(f"suspected copy: same errors as {corpus.annotators[first]}")
    return flags
