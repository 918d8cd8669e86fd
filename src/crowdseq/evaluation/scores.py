"""Exact-span precision, recall and F1: micro, macro and for every type."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.assembly import count_bigrams, detect_kind
from crowdseq.core.labels import OUTSIDE, PLAIN, LabelScheme, split_tag
from crowdseq.core.names import NumberedNames, check_label
from crowdseq.core.ragged import offsets_of
from crowdseq.core.spans import SpanTable, find_spans
from crowdseq.errors import AnnotationError, SchemeError, SettingsError

MODES = ("strict", "lenient")
TagLists: TypeAlias = Sequence[Sequence[str | None] | None]


@dataclass(frozen=True)
class TypeScore:
    """Figures of one type, or of all; precision, recall and F1 are None where neither side has a span.

    support: spans in gold. predicted: spans given. correct: those that are in both.
    """

    precision: float | None
    recall: float | None
    f1: float | None
    support: int
    predicted: int
    correct: int

    @classmethod
    def of_counts(cls, support: int, predicted: int, correct: int) -> "TypeScore":
        """Nothing found of something is 0, as seqeval and conlleval have it; nothing of nothing is None."""
        if support + predicted == 0:
            return cls(None, None, None, 0, 0, 0)
        precision, recall = correct / max(predicted, 1), correct / max(support, 1)
        return cls(precision, recall, 2 * correct / (support + predicted), support, predicted, correct)


@dataclass(frozen=True)
class Scores:
    """How far predictions meet gold; fractions, None for what cannot be said, with the `reason`.

    mode: `strict`, where a broken span counts for nothing, or `lenient`, where it is read as conlleval would.
    scheme: the kind of the tags; in a plain scheme the units are tokens, else spans.
    macro figures: the mean over the types that occur on either side.
    token_accuracy: the share of the `tokens` with gold that have the gold tag.
    """

    mode: str
    scheme: str
    precision: float | None
    recall: float | None
    f1: float | None
    macro_precision: float | None
    macro_recall: float | None
    macro_f1: float | None
    support: int
    predicted: int
    correct: int
    token_accuracy: float | None
    tokens: int
    per_type: Mapping[str, TypeScore]
    reason: str | None

    @property
    def unit(self) -> str:
        """What is counted: `span` or `token`."""
        return "token" if self.scheme == "plain" else "span"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "unit": self.unit}


def evaluate(
    gold: TagLists, predicted: TagLists, *, scheme: LabelScheme | str | None = None, mode: str = "strict"
) -> Scores:
    """Scores of predicted tags against gold, both lists of tag lists.

    A gold tag None, or None for a whole sentence, is left out: a predicted span counts only where all its
    tokens have gold. The scheme of the gold tags holds for both sides; None tells it from the tags.
    """
    flat = flatten(gold, predicted, scheme)
    return score_tags(flat.gold, flat.predicted, flat.offsets, flat.scheme, mode)


def score_tags(
    gold: IntArray, predicted: IntArray, offsets: IntArray, scheme: LabelScheme, mode: str = "strict"
) -> Scores:
    """The same on (T,) tag numbers of sentences at offsets (N + 1,); -1 is no tag."""
    return ScoreCounts.of(gold, predicted, offsets, scheme, mode).scores(scheme, mode)


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """What scores are made of; those of parts of a text can be added up.

    spans (3, types): in gold, given, and in both. right: tokens that have the gold tag, of those with gold.
    """

    spans: IntArray
    right: int
    tokens: int

    @classmethod
    def of(
        cls, gold: IntArray, predicted: IntArray, offsets: IntArray, scheme: LabelScheme, mode: str
    ) -> "ScoreCounts":
        """As `score_tags`."""
        if mode not in MODES:
            raise SettingsError(f"scores cannot be '{mode}', choose one of {', '.join(MODES)}")
        if not len(gold) == len(predicted) == offsets[-1]:
            raise AnnotationError(
                f"{len(gold)} gold tags and {len(predicted)} predicted for {offsets[-1]} tokens"
            )
        known = gold >= 0
        spans = _span_counts(gold, predicted, offsets, scheme, lenient=mode == "lenient")
        right = int(np.count_nonzero(gold[known] == predicted[known]))
        return cls(spans, right, int(np.count_nonzero(known)))

    def __add__(self, other: "ScoreCounts") -> "ScoreCounts":
        return ScoreCounts(self.spans + other.spans, self.right + other.right, self.tokens + other.tokens)

    def scores(self, scheme: LabelScheme, mode: str) -> Scores:
        per_type = {
            name: TypeScore.of_counts(*row)
            for name, row in zip(scheme.types, self.spans.T.tolist(), strict=True)
        }
        total = TypeScore.of_counts(*self.spans.sum(axis=1).tolist())
        return Scores(
            mode=mode,
            scheme=scheme.kind,
            **asdict(total),
            macro_precision=_mean([score.precision for score in per_type.values()]),
            macro_recall=_mean([score.recall for score in per_type.values()]),
            macro_f1=_mean([score.f1 for score in per_type.values()]),
            token_accuracy=self.right / self.tokens if self.tokens else None,
            tokens=self.tokens,
            per_type=per_type,
            reason=_reason(self.tokens, total),
        )


def _span_counts(
    gold: IntArray, predicted: IntArray, offsets: IntArray, scheme: LabelScheme, *, lenient: bool
) -> IntArray:
    """(3, types) spans in gold, spans given, and spans in both."""
    wanted = find_spans(gold, offsets, scheme, lenient=lenient)
    given = find_spans(predicted, offsets, scheme, lenient=lenient)
    given = pick(given, within(given, gold >= 0))
    hits = match(wanted, given, len(gold))
    size = len(scheme.types)
    return np.array(
        [np.bincount(types, minlength=size) for types in (wanted.types, given.types, given.types[hits])]
    )


def _mean(values: list[float | None]) -> float | None:
    said = [value for value in values if value is not None]
    return sum(said) / len(said) if said else None


def _reason(n_known: int, total: TypeScore) -> str | None:
    """Why there is no F1."""
    if total.f1 is not None:
        return None
    if not n_known:
        return "no token has a gold tag"
    return "neither gold nor the predictions have a span, so there is nothing to find or to miss"


def match(wanted: SpanTable, given: SpanTable, length: int) -> BoolArray:
    """(S,) for every given span whether it is wanted; both lie in the same `length` tokens."""
    ends = np.zeros(length, np.int64)  # no span ends at 0, so 0 says that none begins here
    types = np.zeros(length, np.int64)
    ends[wanted.starts], types[wanted.starts] = wanted.ends, wanted.types
    hits: BoolArray = (ends[given.starts] == given.ends) & (types[given.starts] == given.types)
    return hits


def within(table: SpanTable, known: BoolArray) -> BoolArray:
    """(S,) whether all tokens of a span are known; known is (T,)."""
    unknown_before = np.concatenate([[0], np.cumsum(~known)])
    whole: BoolArray = unknown_before[table.ends] == unknown_before[table.starts]
    return whole


def pick(table: SpanTable, chosen: BoolArray | IntArray) -> SpanTable:
    """Only these spans."""
    return SpanTable(table.starts[chosen], table.ends[chosen], table.types[chosen])


@dataclass(frozen=True, eq=False)
class FlatTags:
    """Two taggings of the same N sentences: (T,) tag numbers each, -1 where there is no tag."""

    gold: IntArray
    predicted: IntArray
    offsets: IntArray
    scheme: LabelScheme


def flatten(gold: TagLists, predicted: TagLists, scheme: LabelScheme | str | None = None) -> FlatTags:
    """Both sides as flat arrays; a sentence whose gold is None has no gold tag at all.

    scheme: a scheme, the name of its kind, or None to tell it from the tags.
    """
    lengths = _common_lengths(gold, predicted)
    labels = NumberedNames(check_label, none_is=-1)
    wanted = _numbers(labels, [tags or () for tags in gold], lengths, "gold")
    given = _numbers(labels, [tags or () for tags in predicted], lengths, "predicted")
    offsets = offsets_of(lengths)
    if not isinstance(scheme, LabelScheme):
        kind = scheme or _kind_of_tags(labels.names, wanted, given, offsets)
        scheme = _full_scheme(labels.names, kind)
    table = np.append(_scheme_numbers(labels.names, scheme), np.int16(-1))
    return FlatTags(table[wanted], table[given], offsets, scheme)


def _common_lengths(gold: TagLists, predicted: TagLists) -> IntArray:
    """(N,) the length of every sentence, on which both sides must agree."""
    if len(gold) != len(predicted):
        raise AnnotationError(f"{len(gold)} gold sentences, but {len(predicted)} predicted ones")
    for number, (wanted, given) in enumerate(zip(gold, predicted, strict=True), start=1):
        if given is None:
            raise AnnotationError(f"sentence {number}: there are no predicted tags")
        if wanted is not None and len(wanted) != len(given):
            raise AnnotationError(
                f"sentence {number}: {len(wanted)} gold tags, but {len(given)} predicted ones"
            )
    return np.array([len(given) for given in predicted if given is not None], np.int64)


def _numbers(
    labels: NumberedNames, sentences: Sequence[Sequence[str | None]], lengths: IntArray, side: str
) -> IntArray:
    flat: list[int] = []
    for number, (tags, length) in enumerate(zip(sentences, lengths.tolist(), strict=True), start=1):
        try:
            flat.extend(map(labels.__getitem__, tags) if tags else [-1] * length)
        except TypeError:
            raise AnnotationError(f"sentence {number}: a {side} tag must be a text or null") from None
        except SchemeError as error:
            raise SchemeError(f"sentence {number}: {side}: {error}") from None
    return np.array(flat, np.int64)


def _kind_of_tags(labels: list[str], gold: IntArray, predicted: IntArray, offsets: IntArray) -> str:
    """The kind of the gold tags; where they show too little (only O, or only I-), of both sides together."""
    prefixes = {split_tag(labels[number])[0] for number in np.unique(gold[gold >= 0]).tolist()}
    sides = [gold, predicted] if prefixes <= {OUTSIDE, "I"} else [gold]
    bigrams = sum((count_bigrams(side, offsets, len(labels)) for side in sides), start=np.int64(0))
    counts = sum((np.bincount(side[side >= 0], minlength=len(labels)) for side in sides), start=np.int64(0))
    return detect_kind(labels, np.asarray(bigrams), np.asarray(counts))


def _full_scheme(labels: list[str], kind: str) -> LabelScheme:
    """All tags of a kind; unlike a corpus, which reads IOB1 as IOB2, scores judge tags as they stand."""
    if kind == PLAIN:
        return LabelScheme.plain(labels)
    return LabelScheme.of_types({split_tag(label)[1] for label in labels if label != OUTSIDE}, kind)


def _scheme_numbers(labels: list[str], scheme: LabelScheme) -> IntArray:
    unknown = [label for label in labels if scheme.kind_of(label) not in scheme.index]
    if unknown:
        raise SchemeError(f"tag '{unknown[0]}' does not belong to the scheme {scheme.kind} of the gold tags")
    return np.array([scheme.index[scheme.kind_of(label)] for label in labels], np.int16)
