"""The index by bytes finds what templates and a dictionary find."""

import random

import numpy as np
import pytest

from crowdseq.numerics.features.ascii_looks import FLAGS, GREEK
from crowdseq.numerics.features.ascii_words import MOST, NUMBERS
from crowdseq.tagging.features import TEMPLATES
from crowdseq.tagging.inventory import word_pieces
from crowdseq.tagging.piece_index import PairNumbers, PieceIndex
from crowdseq.tagging.scoring import StreamWeights


def some_words() -> list[str]:
    """All single characters, and random words of alphabets that make flags, numerals and shapes likely."""
    rng = random.Random(0)
    everything = [chr(code) for code in range(128)]
    alphabets = [everything, "abcxyzon", "IVXLCDM", "MCD", "Aab1-0", "alphbetgmdionsr-", "09", "ABc", "-."]
    words = ["", *everything, *GREEK, *(name.upper() + "s" for name in GREEK), *(name[:-1] for name in GREEK)]
    for _ in range(6_000):
        alphabet = rng.choice(alphabets)
        words.append("".join(rng.choice(alphabet) for _ in range(rng.choice([1, 2, 3, 4, 5, 6, 8, 12, 60]))))
    return list(dict.fromkeys(words))


@pytest.mark.parametrize("name", [*TEMPLATES, "all"])
def test_every_template_shows_by_bytes_what_it_shows_by_strings(name: str) -> None:
    words, templates = some_words(), tuple(TEMPLATES) if name == "all" else (name,)
    shown = dict.fromkeys(piece for word in words for piece in word_pieces(word, templates))
    known = [piece for place, piece in enumerate(shown) if place % 3]  # some are not known
    known += ["word=naïve", "flag=\ud800"]
    numbers = {piece: number for number, piece in enumerate(known)}
    bounds, found = PieceIndex(known, templates).find(words)
    for place, word in enumerate(words):
        wanted = [numbers[piece] for piece in word_pieces(word, templates) if piece in numbers]
        assert found[bounds[place] : bounds[place + 1]].tolist() == wanted, repr(word)


def test_every_template_and_flag_is_known() -> None:
    assert PieceIndex.knows(TEMPLATES)
    assert not PieceIndex.knows(["word", "colour"])
    assert sorted(NUMBERS.values()) == list(range(len(MOST)))
    shown = {flag for word in some_words() for flag in TEMPLATES["flag"](word)}
    assert shown == set(FLAGS)


def test_roman_numerals_are_those_of_the_template() -> None:
    letters = "IVXLCDM"
    words = [
        a + b + c + d for a in letters for b in ["", *letters] for c in ["", *letters] for d in ["", *letters]
    ]
    bounds, _ = PieceIndex(["flag=roman"], ["flag"]).find(words)
    assert np.diff(bounds).tolist() == ["roman" in TEMPLATES["flag"](word) for word in words]


def test_words_of_any_script_get_the_same_rows_one_by_one_and_all_at_once() -> None:
    rng = np.random.default_rng(0)
    words = [*some_words()[:600], "Ångström", "été", "Ελλάδα", "日本", "\ud800x"]
    rng.shuffle(words)
    templates = ("word", "shape", "suffix", "trigram", "flag")
    pieces = tuple(dict.fromkeys(piece for word in words for piece in word_pieces(word, templates)))
    counts = rng.integers(0, 4, 2 * len(pieces))
    bounds = np.concatenate([[0], np.cumsum(counts)])
    labels = np.concatenate([np.sort(rng.permutation(3)[:count]) for count in counts]).astype(np.int16)
    stream = StreamWeights("words", (0, 1), pieces, bounds, labels, rng.normal(size=len(labels)))
    together = stream.rows_of_words(words, templates, 3)
    alone = [stream.rows_of_words([word], templates, 3) for word in words]
    assert np.array_equal(together, np.concatenate(alone))


@pytest.mark.parametrize("odd", [[], ["a\x1fb\x1fc"]])
def test_pairs_are_found_by_the_numbers_of_their_words(odd: list[str]) -> None:
    pairs = ["new\x1fyork", "york\x1fcity", "\x1fnew", "new\x1f", *odd]
    numbers = PairNumbers(pairs)
    for place, pair in enumerate(pairs):
        first, _, second = pair.partition("\x1f")
        known = numbers.words([first, second, "unknown"])
        codes = known[0] * numbers.n_words + known[1:2]
        assert numbers.find(codes).tolist() == [place]
        assert known[2] == -1
    assert numbers.find(np.array([-1, numbers.n_words**2])).tolist() == [-1, -1]
    assert PairNumbers([]).find(np.array([-1])).tolist() == [-1]
