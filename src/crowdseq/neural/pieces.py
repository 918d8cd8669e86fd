"""Words to the pieces that a language model reads, and long sentences to windows of them."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

from crowdseq.neural.packing import packed

_LETTERS, _LONGEST_WORD = 100, 32  # letters and pieces; what comes after tells nothing new of a word


@dataclass(frozen=True)
class Window:
    """Some neighbouring words of a text as one input of the model.

    begin: the number of its first word in the text. first, last: the words that it answers for; those around
    them are context. words: the pieces of each of its words.
    """

    begin: int
    first: int
    last: int
    words: tuple[tuple[int, ...], ...]

    @property
    def n_pieces(self) -> int:
        return sum(map(len, self.words))


@dataclass
class Pieces:
    """How a tokenizer cuts words, remembered by word; every word has a piece.

    Words are cut one by one, each after a space: so any tokenizer keeps to the words that are given, one of
    characters too.
    """

    tokenizer: Any
    known: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def of_word(self, word: str) -> tuple[int, ...]:
        found = self.known.get(word)
        if found is None:
            written = " " + word[:_LETTERS]
            ids = self.tokenizer(written, add_special_tokens=False)["input_ids"][:_LONGEST_WORD]
            found = self.known[word] = tuple(ids) or (self._unknown,)
        return found

    @property
    def _unknown(self) -> int:
        unknown = self.tokenizer.unk_token_id
        return int(unknown if unknown is not None else self.tokenizer.pad_token_id or 0)

    @property
    def frame(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What stands before and after every input."""
        bare = list(self.tokenizer("a", add_special_tokens=False)["input_ids"])
        whole = list(self.tokenizer("a")["input_ids"])
        for at in range(len(whole) - len(bare) + 1):
            if whole[at : at + len(bare)] == bare:
                return tuple(whole[:at]), tuple(whole[at + len(bare) :])
        return (), ()

    def windows(
        self, sentences: Sequence[Sequence[str]], documents: Sequence[Hashable] | None, size: int
    ) -> list[Window]:
        """All words in windows of at most `size` pieces.

        Neighbouring sentences of a document share a window as far as they fit in whole; without documents
        each has its own. A sentence that is longer has several, which overlap by a quarter.
        """
        cut = [[_shortened(self.of_word(_printable(word)), size) for word in words] for words in sentences]
        lengths = [sum(map(len, words)) for words in cut]
        found: list[Window] = []
        begin = 0
        for stretch in packed(lengths, documents, size):
            words = [word for number in stretch for word in cut[number]]
            found.extend(_windows(begin, words, size))
            begin += len(words)
        return found


def _printable(word: str) -> str:
    """Without halves of surrogate pairs, which no tokenizer takes."""
    return word.encode("utf-8", "replace").decode("utf-8")


def _shortened(pieces: tuple[int, ...], size: int) -> tuple[int, ...]:
    return pieces[: max(size // 4, 1)]


def _windows(start: int, words: list[tuple[int, ...]], size: int) -> list[Window]:
    """A window holds at most `size` pieces; where two overlap, each answers for its half of the overlap."""
    if not words:
        return []
    ends = [0, *accumulate(map(len, words))]
    bounds: list[tuple[int, int]] = []
    begin = 0
    while begin < len(words):
        end = begin + 1
        while end < len(words) and ends[end + 1] - ends[begin] <= size:
            end += 1
        bounds.append((begin, end))
        if end == len(words):
            break
        after = begin + 1
        while after < end and ends[end] - ends[after] > size // 4:
            after += 1
        begin = after
    middles = [(here[1] + there[0]) // 2 for here, there in pairwise(bounds)]
    firsts, lasts = [0, *middles], [*middles, len(words)]
    return [
        Window(start + begin, start + first, start + last, tuple(words[begin:end]))
        for (begin, end), first, last in zip(bounds, firsts, lasts, strict=True)
    ]
