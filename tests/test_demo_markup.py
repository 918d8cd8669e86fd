"""The marked texts of the demo corpus become tokens and mentions."""

from pathlib import Path

import pytest

from demo_corpus.markup import Mention, parse_sentence, read_documents, tokenise


def test_marks_become_mentions_and_stay_out_of_the_tokens() -> None:
    sentence = parse_sentence("[PER Ada Morrow]'s bus left [LOC Hask].")
    assert sentence.tokens == ("Ada", "Morrow", "'s", "bus", "left", "Hask", ".")
    assert sentence.mentions == (Mention(0, 2, "PER"), Mention(5, 6, "LOC"))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It didn't rain at 4.20 a.m., said Dr. Vik.", "It didn't rain at 4.20 a.m. , said Dr. Vik ."),
        ("St. Bride's won 3-1 (2:07:41)", "St. Bride 's won 3-1 ( 2:07:41 )"),
        (
            "a 19-year-old, 14,000 drivers; the Farmers' League",
            "a 19-year-old , 14,000 drivers ; the Farmers ' League",
        ),
        ('"Cows," Jean-Luc wrote', '" Cows , " Jean-Luc wrote'),
    ],
)
def test_tokens_are_words_numbers_and_marks(text: str, tokens: str) -> None:
    assert tokenise(text) == tokens.split()


@pytest.mark.parametrize(
    ("line", "fault"), [("[PER Ada slept.", "bracket"), ("[DOG Biscuit] slept.", "unknown type 'DOG'")]
)
def test_a_broken_mark_is_refused_with_its_place(tmp_path: Path, line: str, fault: str) -> None:
    text = tmp_path / "news.txt"
    text.write_text(f"All is well.\n\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"^news\.txt:3: .*{fault}"):
        read_documents(text)
