"""What words look like."""

import pytest

from crowdseq.tagging.features import TEMPLATES


@pytest.mark.parametrize(
    ("template", "word", "pieces"),
    [
        ("word", "Ada", ("Ada",)),
        ("lower", "ADA", ("ada",)),
        ("digits", "A-1842", ("a-0000",)),
        ("digits", "Ada", ()),
        ("shape", "Ada-42é", ("Xxx-ddx",)),
        ("short", "Ada-42", ("Xx-d",)),
        ("prefix", "abcde", ("a", "ab", "abc", "abcd")),
        ("suffix", "abc", ("c", "bc")),
        ("suffix", "a", ()),
        ("prefix5", "Abcdef", ("Abcde",)),
        ("prefix5", "Abcde", ()),
        ("suffix5", "abcdeF", ("bcdeF",)),
        ("suffix5", "abcde", ()),
        ("trigram", "Ab", ("^ab", "ab$")),
        ("fourgram", "Abc", ("^abc", "abc$")),
        ("fourgram", "A", ()),
        ("flag", "Ada", ("title",)),
        ("flag", "IBM", ("capitals",)),
        ("flag", "XIV", ("capitals", "roman")),
        ("flag", "IL-2", ("capitals", "alphanumeric", "hyphen")),
        ("flag", "McAdam", ("mixed",)),
        ("flag", "1,842", ("number",)),
        ("flag", "--", ("hyphen", "punctuation")),
        ("flag", "€", ("symbol",)),
        ("flag", "TNF-alpha", ("mixed", "hyphen", "greek")),
        ("flag", "β2", ("lower", "alphanumeric", "greek")),
    ],
)
def test_a_template_gives_these_pieces(template: str, word: str, pieces: tuple[str, ...]) -> None:
    assert TEMPLATES[template](word) == pieces


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("word", ["", " ", "\n", "\ud83d", "é", "ﬁ", "a" * 5_000, "١٢", "ǅ"])
def test_no_word_is_too_odd_for_a_template(template: str, word: str) -> None:
    assert all(isinstance(piece, str) for piece in TEMPLATES[template](word))
