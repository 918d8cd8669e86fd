"""The canonical order of documents that lie in portions, as `engines.ordering` has it in memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.ordering import digest_of, row_digests, sentence_digests
from crowdseq.formats.parts.portions import Portion

_SIZE = 16  # bytes of a digest


def digest_arrays(corpus: Corpus, codes: NDArray[np.uint64]) -> dict[str, NDArray[Any]]:
    """Digests of sentences and rows of a portion, and its rows by annotator."""
    voters = corpus.annotations.voters
    counts = np.bincount(voters, minlength=len(corpus.annotators))
    return {
        "text_digests": _packed(sentence_digests(codes[corpus.text.token_ids], corpus.offsets)),
        "row_digests": _packed(row_digests(corpus)),
        "rows_by_voter": np.argsort(voters, kind="stable"),
        "voter_bounds": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    }


def _packed(digests: Sequence[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(digests), np.uint8).reshape(-1, _SIZE)


def annotator_digests(portions: Sequence[Portion], n_annotators: int) -> list[bytes]:
    """One for each annotator, from all that they said."""
    found = []
    for who in range(n_annotators):
        every = np.ascontiguousarray(np.concatenate([_said_by(who, portion) for portion in portions]))
        found.append(digest_of(every[_in_order(every)].tobytes()))
    return found


def _said_by(who: int, portion: Portion) -> NDArray[np.uint8]:
    """(R, 32) digests of the sentences that somebody labelled, and of the labels."""
    file = portion.file().arrays  # opened when asked for: a process may not hold thousands
    rows = file["rows_by_voter"][file["voter_bounds"][who] : file["voter_bounds"][who + 1]]
    sentences = _row_sentences(file["row_offsets"])[rows]
    return np.hstack([file["text_digests"][sentences], file["row_digests"][rows]])


def _row_sentences(row_offsets: IntArray) -> IntArray:
    return np.repeat(np.arange(len(row_offsets) - 1, dtype=np.int32), np.diff(row_offsets))


def _in_order(digests: NDArray[np.uint8]) -> IntArray:
    """The order of rows of bytes; those that are equal as they stand."""
    words = digests.reshape(len(digests), -1).view(">u8")
    return np.lexsort(words.T[::-1])


@dataclass(frozen=True, eq=False)
class Documents:
    """D documents as they stand in the input.

    digests (D, 16), tokens (D,), portions (D,): the portion of each. sentences: for each portion its
    sentences by document, of which those from starts (D,) to ends (D,) are of a document.
    """

    digests: NDArray[np.uint8]
    tokens: IntArray
    portions: IntArray
    starts: IntArray
    ends: IntArray
    sentences: tuple[IntArray, ...]

    @classmethod
    def of(cls, portions: Sequence[Portion], annotators: Sequence[bytes]) -> "Documents":
        found = [_documents(portion, annotators) for portion in portions]
        return cls(
            np.concatenate([digests for digests, _, _, _ in found]),
            np.concatenate([tokens for _, tokens, _, _ in found]),
            np.repeat(np.arange(len(found)), [len(tokens) for _, tokens, _, _ in found]),
            np.concatenate([cuts[:-1] for _, _, cuts, _ in found]),
            np.concatenate([cuts[1:] for _, _, cuts, _ in found]),
            tuple(order for _, _, _, order in found),
        )

    def in_order(self) -> IntArray:
        """(D,) the documents in canonical order."""
        return _in_order(self.digests)

    def sentences_of(self, document: int) -> IntArray:
        """The numbers of its sentences in its portion."""
        held = self.sentences[self.portions[document]]
        return np.asarray(held[self.starts[document] : self.ends[document]])


def _documents(
    portion: Portion, annotators: Sequence[bytes]
) -> tuple[NDArray[np.uint8], IntArray, IntArray, IntArray]:
    """Digest and tokens of each document, where it begins among the sentences by document, and these."""
    file = portion.file().arrays
    document_of, lengths = file["document_of"], np.diff(file["offsets"])
    order = np.argsort(document_of, kind="stable")
    count = int(document_of.max(initial=-1)) + 1
    cuts = np.searchsorted(document_of[order], np.arange(count + 1))
    labelled = list(_labelled(file, annotators))
    digests = [
        digest_of(b"".join(labelled[place] for place in order[first:last].tolist()))
        for first, last in pairwise(cuts.tolist())
    ]
    tokens = np.bincount(document_of, lengths, minlength=count).astype(np.int64)
    return _packed(digests), tokens, cuts.astype(np.int64), order.astype(np.int32)


def _labelled(file: Mapping[str, NDArray[Any]], annotators: Sequence[bytes]) -> Iterator[bytes]:
    """A digest for each sentence with all that was said of it."""
    voters, row_offsets = file["voters"].tolist(), file["row_offsets"].tolist()
    texts, rows = (_unpacked(file[name]) for name in ("text_digests", "row_digests"))
    for text, (first, last) in zip(texts, pairwise(row_offsets), strict=True):
        said = sorted(annotators[voters[row]] + rows[row] for row in range(first, last))
        yield text + digest_of(b"".join(said))


def _unpacked(digests: NDArray[np.uint8]) -> list[bytes]:
    content = digests.tobytes()
    return [content[place : place + _SIZE] for place in range(0, len(content), _SIZE)]
