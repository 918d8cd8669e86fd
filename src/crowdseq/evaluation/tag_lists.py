"""Lists of tags, as people hold them, to flat tag numbers under one scheme."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.assembly import count_bigrams, detect_kind
from crowdseq.core.labels import OUTSIDE, PLAIN, LabelScheme, split_tag
from crowdseq.core.names import NumberedNames, check_label
from crowdseq.core.ragged import offsets_of
from crowdseq.errors import AnnotationError, SchemeError

TagLists: TypeAlias = Sequence[Sequence[str | None] | None]


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
