"""Words around a place stand on the pages as they stood in the text."""

import pytest

from crowdseq.core.text import Sentence
from crowdseq.web.desk.views import around, told_marks, words_of

TOKENS = ("She", "left", "(", "for", "Oslo", ",", "of", "course", ")", ".")


@pytest.mark.parametrize("extras", [{}, {"text": "She left (for Oslo, of course)."}])
def test_put_together_the_parts_are_the_text(extras: dict[str, str]) -> None:
    sentence = Sentence("a", None, TOKENS, extras=extras)
    whole = "She left (for Oslo, of course)."
    assert around(sentence, 4, 5, 99) == {
        "before": "She left (for ",
        "words": "Oslo",
        "after": ", of course).",
    }
    for begin in range(len(TOKENS)):
        for end in range(begin, len(TOKENS) + 1):
            told = around(sentence, begin, end, 99)
            assert told["before"] + told["words"] + told["after"] == whole
    assert around(sentence, 4, 5, 1) == {"before": "for ", "words": "Oslo", "after": ","}


def test_an_empty_place_at_either_end_has_words_on_one_side() -> None:
    sentence = Sentence("a", None, ("Oslo", "sleeps"))
    assert around(sentence, 0, 0, 9) == {"before": "", "words": "", "after": "Oslo sleeps"}
    assert around(sentence, 2, 2, 9) == {"before": "Oslo sleeps", "words": "", "after": ""}


def test_chinese_has_no_spaces() -> None:
    sentence = Sentence("a", None, tuple("王小明去了北京。"))
    assert words_of(sentence, 0, 3) == "王小明"
    assert told_marks(((5, 7, "LOC"),), (5, 7), sentence) == [("北京", "LOC")]
