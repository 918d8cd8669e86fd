"""What the same word looks like elsewhere in its document."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from crowdseq.arrays import IntArray

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
