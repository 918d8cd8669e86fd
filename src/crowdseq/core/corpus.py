"""Corpus: text, scheme, annotations, and gold where it is known."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, overload

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.annotations import Annotations
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import convert
from crowdseq.core.text import GoldTags, LabelledSentence, Sentence, SentenceView, Text
from crowdseq.errors import AnnotationError


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """N sentences with the votes of K annotators under one scheme.

    Made by `read`, `Corpus.from_records` or `Corpus.from_frame`. `corpus[i]` is a sentence with its labels,
    `corpus[10:20]` a smaller corpus; a loop goes over the sentences.
    gold_tags (T,) are the known true tags as numbers, all sentences in one row, -1 where none is known
    (`gold` gives them by sentence and by name); has_gold (N,) tells a sentence whose gold was given from one
    that has none.

    >>> import crowdseq
    >>> corpus = crowdseq.demo_corpus()
    >>> corpus[:20]
    <Corpus: 20 sentences, 331 tokens, 8 annotators, 9 tags (IOB2)>
    >>> corpus[0].tokens[:4]
    ('Bridge', 'over', 'the', 'Aske')
    >>> max(corpus, key=lambda sentence: len(sentence.tokens)).id
    'sport-05-s1'
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

    @classmethod
    def from_records(
        cls,
        records: Iterable[Mapping[str, Any] | LabelledSentence],
        *,
        scheme: LabelScheme | str | None = None,
        duplicates: str = "error",
    ) -> "Corpus":
        """A corpus of Python objects in the form of crowd JSONL.

        records: each a sentence with `tokens` and `annotations` (name to one tag for each token, None for no
        label); `id`, `doc`, `gold` and `columns` where there are any; other keys are kept as extras. Several
        records of one id are one sentence. scheme: the kind of the tags if it shall not be recognised.
        duplicates: `error`, or which to keep if somebody labels a sentence twice, `first` or `newest`.

        >>> import crowdseq
        >>> crowdseq.Corpus.from_records([
        ...     {"tokens": ["Ada", "met", "Bo"], "annotations": {"ann": ["B-PER", "O", "B-PER"]}},
        ...     {"tokens": ["Bo", "slept"], "annotations": {"ann": ["B-PER", "O"], "cy": ["O", "O"]}},
        ... ])
        <Corpus: 2 sentences, 5 tokens, 2 annotators, 3 tags (IOB2)>
        """
        from crowdseq.core.records import corpus_of_records

        return corpus_of_records(records, scheme, duplicates)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        columns: Mapping[str, str] | None = None,
        *,
        scheme: LabelScheme | str | None = None,
        duplicates: str = "error",
    ) -> "Corpus":
        """A corpus of a long table, one row for each label that somebody gave to a token.

        frame: of pandas, polars, pyarrow or anything else that narwhals knows. Its columns are `sentence`,
        `token`, `annotator`, `label`, and where there are any `position` (of the token in its sentence),
        `doc` and `gold`. columns: what they are called in this frame, by these names. Without positions the
        rows of one annotator and sentence are its tokens in their order. Missing labels are null; a row
        without an annotator gives text and gold only. scheme, duplicates: as in `from_records`.

        >>> import crowdseq, pyarrow
        >>> table = pyarrow.table({
        ...     "sentence": [1, 1, 1, 1],
        ...     "token": ["Ada", "slept", "Ada", "slept"],
        ...     "worker": ["ann", "ann", "bob", "bob"],
        ...     "label": ["B-PER", "O", "O", None],
        ... })
        >>> crowdseq.Corpus.from_frame(table, {"annotator": "worker"})[0].annotations
        {'ann': ('B-PER', 'O'), 'bob': ('O', None)}
        """
        from crowdseq.core.frame_reading import corpus_of_frame

        return corpus_of_frame(frame, columns or {}, scheme, duplicates)

    def to_records(self) -> list[dict[str, Any]]:
        """Every sentence as a plain record, as `from_records` takes it.

        >>> import crowdseq
        >>> corpus = crowdseq.demo_corpus()
        >>> crowdseq.Corpus.from_records(corpus.to_records()) == corpus
        True
        """
        return [sentence.as_record() for sentence in self]

    def to_frame(self, backend: str | None = None) -> Any:
        """The long table that `from_frame` takes: a row for each annotator and token.

        Columns: sentence, doc (if there are documents), position, token, annotator, label, gold (if there is
        any). A sentence that nobody saw has rows without an annotator; extras and further columns are left
        out. backend: `pandas`, `polars` or `pyarrow`; None takes the first of them that is installed.

        >>> import crowdseq
        >>> record = {"tokens": ["Ada", "slept"], "annotations": {"ann": ["B-PER", "O"]}}
        >>> table = crowdseq.Corpus.from_records([record]).to_frame("pyarrow")
        >>> table["label"].to_pylist()
        ['B-PER', 'O']
        """
        from crowdseq.core.frame_writing import frame_of_corpus

        return frame_of_corpus(self, backend)

    def __len__(self) -> int:
        return len(self.text)

    @overload
    def __getitem__(self, index: int) -> LabelledSentence: ...
    @overload
    def __getitem__(self, index: slice) -> "Corpus": ...
    def __getitem__(self, index: int | slice) -> "LabelledSentence | Corpus":
        if isinstance(index, slice):
            return self.select(range(*index.indices(len(self))))
        number, sentence, names = range(len(self))[index], self.text.sentence(index), self.annotators
        ballot = self.annotations.ballots[number]
        said = zip(ballot.voters.tolist(), ballot.tags, strict=True)
        return LabelledSentence(
            sentence.id,
            sentence.doc,
            sentence.tokens,
            sentence.columns,
            sentence.extras,
            {names[voter]: self.scheme.names(tags) for voter, tags in said},
            self.gold[number],
        )

    def __iter__(self) -> Iterator[LabelledSentence]:
        return (self[number] for number in range(len(self)))

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of all annotators, sorted."""
        return self.annotations.annotators

    @property
    def offsets(self) -> IntArray:
        """(N + 1,) where each sentence begins in the flat arrays."""
        return self.text.offsets

    @property
    def n_tokens(self) -> int:
        """How many tokens all sentences have together."""
        return self.text.n_tokens

    @property
    def sentences(self) -> SentenceView:
        """The sentences without labels, made when asked for."""
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

    def _repr_html_(self) -> str:
        """A glance at the corpus in a notebook."""
        # Pages are made in a room above this one, which is loaded by name when a notebook asks.
        page: str = import_module("crowdseq.reports.notebook").corpus_html(self)
        return page

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
