"""What the same word looks like elsewhere in its document."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from crowdseq.arrays import IntArray


def document_pieces(
    words: Sequence[str], token_ids: IntArray, offsets: IntArray, document_of: IntArray
) -> list[tuple[str, ...]]:
    """For every token the pieces that its document gives it.

    cased: how the word is written inside sentences of the document (never mind how it is written here).
    after, before: the neighbours of its other capitalised mentions, which tell "Clinton" from "Bill Clinton".
    """
    lengths = np.diff(offsets)
    documents = np.repeat(document_of, lengths).tolist()
    first = np.zeros(len(token_ids), dtype=bool)
    first[offsets[:-1][lengths > 0]] = True
    firsts, ids = first.tolist(), token_ids.tolist()
    folded = [word.lower() for word in words]
    styles = [_style(word) for word in words]
    seen: dict[tuple[int, str], set[str]] = defaultdict(set)
    for position, word_id in enumerate(ids):
        if not firsts[position]:
            seen[documents[position], folded[word_id]].add(styles[word_id])
    return [
        _pieces(seen.get((documents[position], folded[word_id]), frozenset()), styles[word_id])
        for position, word_id in enumerate(ids)
    ]


def _style(word: str) -> str:
    if word.isupper():
        return "capitals" if len(word) > 1 else "title"
    if word[:1].isupper():
        return "title"
    return "lower" if word.islower() else "other"


def _pieces(styles: "set[str] | frozenset[str]", own: str) -> tuple[str, ...]:
    if own == "other":
        return ()
    return tuple(f"{own}+{style}" for style in sorted(styles)) or (f"{own}+none",)
