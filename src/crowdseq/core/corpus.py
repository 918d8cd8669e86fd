"""Corpus: text, scheme, annotations, and gold where it is known."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.annotations import Annotations
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import convert
from crowdseq.core.text import Sentence, SentenceView, Text
from crowdseq.errors import AnnotationError

GoldTags: TypeAlias = tuple[str | None, ...] | None


@dataclass(frozen=True, eq=False)
class Corpus:
    """N sentences with the votes of K annotators under one scheme.

    gold_tags (T,) are the known true tags, -1 where none is known; has_gold (N,) tells a sentence whose gold
    was given from one that has none.
    """

    scheme: LabelScheme
    text: Text
    annotations: Annotations
    gold_tags: IntArray
    has_gold: BoolArray

    def __post_init__(self) -> None:
        if not np.array_equal(self.annotations.lengths, self.text.lengths):
            raise AnnotationError("annotations and text do not have the same sentence lengths")
        if len(self.gold_tags) != self.text.n_tokens or len(self.has_gold) != len(self.text):
            raise AnnotationError("gold needs one tag for each token and one mark for each sentence")
        for tags in (self.annotations.tags, self.gold_tags):
            if len(tags) and (tags.max() >= len(self.scheme) or tags.min() < -1):
                raise AnnotationError("a tag number lies outside the label scheme")
        for array in (self.gold_tags, self.has_gold):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.text)

    @property
    def annotators(self) -> tuple[str, ...]:
        return self.annotations.annotators

    @property
    def offsets(self) -> IntArray:
        """(N + 1,) where each sentence begins in the flat arrays."""
        return self.text.offsets

    @property
    def n_tokens(self) -> int:
        return self.text.n_tokens

    @property
    def sentences(self) -> SentenceView:
        return SentenceView(self.text)

    @property
    def gold(self) -> "GoldView":
        """For every sentence its gold tags, or None."""
        return GoldView(self)

    @property
    def is_gold_complete(self) -> bool:
        """Whether every token of every sentence has a gold tag."""
        return bool(self.has_gold.all() and (self.gold_tags >= 0).all())

    @cached_property
    def n_voters(self) -> IntArray:
        """(N,) annotators who saw each sentence."""
        return np.diff(self.annotations.row_offsets)

    def select(self, chosen: Iterable[int] | IntArray | BoolArray) -> "Corpus":
        """Only these sentences, in this order; or those that a mask (N,) marks."""
        wanted = chosen if isinstance(chosen, np.ndarray) else np.array(list(chosen))
        indices = np.arange(len(self))[wanted if len(wanted) else wanted.astype(np.int64)]
        tokens = gather_ranges(self.text.offsets[indices], self.text.lengths[indices])
        return Corpus(
            self.scheme,
            self.text.select(indices),
            self.annotations.select(indices),
            self.gold_tags[tokens],
            self.has_gold[indices],
        )

    def where(self, keep: Callable[[Sentence], bool]) -> "Corpus":
        """Only the sentences that a test accepts."""
        return self.select([number for number, sentence in enumerate(self.sentences) if keep(sentence)])

    def keep_annotators(self, names: Iterable[str]) -> "Corpus":
        """Only the votes of these annotators; the sentences stay."""
        wanted = sorted(set(names))
        unknown = [name for name in wanted if name not in self.annotators]
        if unknown:
            raise AnnotationError(
                f"annotator '{unknown[0]}' is not in the data, which has {', '.join(self.annotators[:20])}"
            )
        kept = self.annotations.keep_annotators([self.annotators.index(name) for name in wanted])
        return Corpus(self.scheme, self.text, kept, self.gold_tags, self.has_gold)

    def without_gold(self) -> "Corpus":
        """The same corpus with all gold forgotten."""
        unknown = np.full_like(self.gold_tags, -1)
        return Corpus(self.scheme, self.text, self.annotations, unknown, np.zeros_like(self.has_gold))

    def as_scheme(self, kind: str) -> "Corpus":
        """The same spans written in another chunk scheme."""
        target = LabelScheme.of_types(self.scheme.types, kind)
        crowd = self.annotations
        row_ends = np.append(crowd.row_starts, len(crowd.tags))
        tags = convert(crowd.tags, row_ends, self.scheme, target)
        gold = convert(self.gold_tags, self.offsets, self.scheme, target)
        votes = Annotations(crowd.annotators, crowd.voters, crowd.row_offsets, tags, crowd.lengths)
        return Corpus(target, self.text, votes, gold, self.has_gold)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Corpus):
            return NotImplemented
        return (
            self.scheme == other.scheme
            and self.text == other.text
            and self.annotations == other.annotations
            and np.array_equal(self.gold_tags, other.gold_tags)
            and np.array_equal(self.has_gold, other.has_gold)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<Corpus: {len(self)} sentences, {self.n_tokens} tokens, {len(self.annotators)} annotators, "
            f"{len(self.scheme)} tags ({self.scheme.kind})>"
        )


@dataclass(frozen=True, eq=False)
class GoldView(Sequence[GoldTags]):
    """Gold by sentence: its tags, with None for a token that has none, or None for the whole sentence."""

    corpus: Corpus

    def __len__(self) -> int:
        return len(self.corpus)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number, corpus = range(len(self))[index], self.corpus
        if not corpus.has_gold[number]:
            return None
        return corpus.scheme.names(corpus.gold_tags[corpus.offsets[number] : corpus.offsets[number + 1]])
