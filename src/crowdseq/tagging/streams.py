"""Streams: for every token one value (its word, its word pair ...), as a table and numbers into it."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.core.text import Column, Text
from crowdseq.errors import Advice, AnnotationError, SettingsError
from crowdseq.tagging.features import COLUMN, CUSTOM, DOCUMENT, TEMPLATES, FeatureFunction, FeatureSettings

_MOST_MENTIONS = 12  # a word that fills a document tells no more by its fiftieth neighbour


def document_pieces(
    words: Sequence[str], token_ids: IntArray, offsets: IntArray, document_of: IntArray
) -> list[tuple[str, ...]]:
    """For every token the pieces that the other mentions of its word in the document give it.

    own+other: how the word is written here and how inside other sentences, which tells a name at the start of
    a sentence. before=, after=: the neighbours of other mentions of a capitalised word, which tell "Clinton"
    here from "President Clinton said" there. own+loud: the whole sentence has no word in lower case, as in
    headlines and tables, so that a capital letter means little.
    """
    mentions = _Mentions(words, token_ids, offsets)
    documents = np.repeat(document_of, np.diff(offsets)).tolist()
    seen: dict[tuple[int, str], list[int]] = defaultdict(list)
    for position, document in enumerate(documents):
        places = seen[document, mentions.folded(position)]
        if len(places) < _MOST_MENTIONS:
            places.append(position)
    return [
        tuple(sorted(set(mentions.pieces(position, seen[document, mentions.folded(position)]))))
        for position, document in enumerate(documents)
    ]


class _Mentions:
    """Words by position, with what can be told from one mention about another."""

    def __init__(self, words: Sequence[str], token_ids: IntArray, offsets: IntArray) -> None:
        self._ids: list[int] = token_ids.tolist()
        self._folded = [word.lower() for word in words]
        self._styles = [_style(word) for word in words]
        first = np.zeros(len(self._ids) + 1, dtype=np.bool_)
        first[offsets] = True
        self._first = first.tolist()
        lowercase = np.array([style == "lower" for style in self._styles], dtype=np.int64)
        counts = np.concatenate([[0], np.cumsum(lowercase[token_ids])])
        quiet = counts[offsets[1:]] == counts[offsets[:-1]]
        self._loud: list[bool] = np.repeat(quiet, np.diff(offsets)).tolist()

    def folded(self, position: int) -> str:
        return self._folded[self._ids[position]]

    def style(self, position: int) -> str:
        return self._styles[self._ids[position]]

    def pieces(self, position: int, mentions: Sequence[int]) -> Iterator[str]:
        own = self.style(position)
        if not own:
            return
        if self._loud[position]:
            yield f"{own}+loud"
        for other in mentions:
            if other == position:
                continue
            inside, style = not self._first[other], self.style(other)
            if inside:
                yield f"{own}+{style}"
            if "lower" in (own, style):
                continue
            if inside:
                yield f"before={self.folded(other - 1)}"
            if not self._first[other + 1]:
                yield f"after={self.folded(other + 1)}"


def _style(word: str) -> str:
    """How a word is written; empty if it has no letter."""
    if word.islower():
        return "lower"
    if word.isupper():
        return "capitals" if len(word) > 1 else "title"
    return "title" if word[:1].isupper() else "mixed" if any(map(str.isalpha, word)) else ""


PAIR_BREAK = "\x1f"  # between the two words of a pair; no tokeniser leaves this control character in a word


@dataclass(frozen=True, eq=False)
class Passage:
    """Sentences of T tokens in all, laid end to end: (T,) numbers into a word table, (N + 1,) offsets.

    document_of: (N,), sentences with the same number stand in one document.
    """

    words: Sequence[str]
    token_ids: IntArray
    offsets: IntArray
    document_of: IntArray
    columns: Mapping[str, Column] = field(default_factory=dict)

    @classmethod
    def of_text(cls, text: Text) -> "Passage":
        return cls(text.words, text.token_ids, text.offsets, text.document_of, text.columns)

    @classmethod
    def of_sentences(
        cls,
        sentences: Sequence[Sequence[str]],
        documents: Sequence[Hashable] | None = None,
        columns: Mapping[str, Sequence[Sequence[str]]] | None = None,
    ) -> "Passage":
        """From lists of tokens; without documents every sentence is one of its own."""
        offsets = offsets_of(np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences)))
        words = intern([token for sentence in sentences for token in sentence])
        if documents is not None and len(documents) != len(sentences):
            raise AnnotationError(f"{len(documents)} documents are named for {len(sentences)} sentences")
        alone = np.arange(len(sentences), dtype=np.int32)
        document_of = alone if documents is None else intern(list(documents)).ids
        found = {
            name: intern([entry for row in rows for entry in row]) for name, rows in (columns or {}).items()
        }
        for name, column in found.items():
            if len(column.ids) != offsets[-1]:
                raise AnnotationError(
                    f"column '{name}' has {len(column.ids)} entries for {offsets[-1]} tokens"
                )
        return cls(
            [str(entry) for entry in words.table],
            words.ids,
            offsets,
            document_of,
            {name: Column(tuple(map(str, column.table)), column.ids) for name, column in found.items()},
        )

    @property
    def n_tokens(self) -> int:
        return len(self.token_ids)

    def tokens(self, sentence: int) -> list[str]:
        ids = self.token_ids[self.offsets[sentence] : self.offsets[sentence + 1]]
        return [self.words[i] for i in ids.tolist()]


@dataclass(frozen=True, eq=False)
class Stream:
    """A table of values and (T,) numbers into it; -1 where a token has none."""

    table: Sequence[Hashable]
    ids: IntArray


class KnowledgeSource(Protocol):
    """What is known of words beyond the text that is learned from: one more stream, seen from `offsets`."""

    @property
    def name(self) -> str:
        """Of its stream."""

    @property
    def offsets(self) -> tuple[int, ...]: ...

    @property
    def in_rounds(self) -> "KnowledgeSource | None":
        """As much of it as the rounds of a method see; None if it is for the tagger alone."""

    def stream(self, passage: Passage) -> Stream:
        """What it tells of every token; values are tuples of pieces."""


def intern(values: Sequence[Hashable]) -> Stream:
    """Equal values get one number, in the order in which they are met."""
    index: dict[Hashable, int] = {}
    ids = np.fromiter(
        [index.setdefault(value, len(index)) for value in values], dtype=np.int32, count=len(values)
    )
    return Stream(tuple(index), ids)


def pair_codes(word_ids: IntArray, offsets: IntArray, n_words: int) -> IntArray:
    """(T,) one number for each pair (previous word, this word); -1 where either is missing."""
    codes = np.full(len(word_ids), -1, dtype=np.int64)
    codes[1:] = word_ids[:-1].astype(np.int64) * n_words + word_ids[1:]
    if len(word_ids):
        codes[1:][(word_ids[:-1] < 0) | (word_ids[1:] < 0)] = -1
        codes[offsets[:-1][offsets[:-1] < len(word_ids)]] = -1
    return codes


def pair_stream(passage: Passage, template: str) -> Stream:
    """The pair (previous, this) of every token but the first of a sentence, each as the template shows it."""
    shown = intern([TEMPLATES[template](word)[0] for word in passage.words])
    words, n_words = shown.table, max(len(shown.table), 1)
    ids = shown.ids[passage.token_ids]
    codes = pair_codes(ids, passage.offsets, n_words)
    unique, first, ids = np.unique(codes, return_index=True, return_inverse=True)
    # In the order of the text: rare pairs then lie where the walk through the text comes by anyway.
    first[unique < 0] = -1
    order = np.argsort(first)
    number = np.empty(len(unique), dtype=np.int32)
    number[order] = np.arange(len(unique))
    missing = int((unique < 0).sum())
    table = [
        f"{words[code // n_words]}{PAIR_BREAK}{words[code % n_words]}"
        for code in unique[order[missing:]].tolist()
    ]
    return Stream(table, number[ids] - np.int32(missing))


def further_streams(passage: Passage, settings: FeatureSettings) -> dict[str, Stream]:
    """The streams beside words and pairs that the settings ask for; their values are tuples of pieces."""
    streams: dict[str, Stream] = {}
    for name in settings.columns:
        column = passage.columns.get(name)
        if column is None:
            raise SettingsError(
                f"the text has no column '{name}', leave it out of the features or add it:",
                Advice("say {columns}", columns=f"token,column:{name}"),
            )
        streams[COLUMN + name] = Stream([(entry,) for entry in column.table], column.ids)
    if settings.document:
        streams[DOCUMENT] = intern(
            document_pieces(passage.words, passage.token_ids, passage.offsets, passage.document_of)
        )
    if settings.function is not None:
        streams[CUSTOM] = intern(_custom_pieces(passage, settings.function))
    streams |= {source.name: source.stream(passage) for source in settings.knowledge}
    return streams


def _custom_pieces(passage: Passage, function: FeatureFunction) -> list[tuple[str, ...]]:
    pieces: list[tuple[str, ...]] = []
    for sentence in range(len(passage.offsets) - 1):
        tokens = passage.tokens(sentence)
        described = function(tokens)
        if len(described) != len(tokens):
            raise SettingsError(
                f"the feature function gave {len(described)} descriptions for {len(tokens)} tokens"
            )
        if any(isinstance(token, str) for token in described):
            raise SettingsError("the feature function gave one text for a token, a list of texts is needed")
        pieces.extend(tuple(dict.fromkeys(map(str, token))) for token in described)
    return pieces
