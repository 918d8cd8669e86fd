"""Many texts cut at once: the same words at the same places as one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.formats.spans.bulk_to_records import TextBatch
from crowdseq.formats.spans.tokenize import cutter

BASIC = st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])
TEXTS = st.lists(
    st.text(BASIC | st.sampled_from(" \t\n\r\u00a0\u2028ab_1é.,-\u0301漢")), min_size=1, max_size=5
)


@given(TEXTS)
def test_words_and_places_are_those_of_the_tokenizer(texts: list[str]) -> None:
    batch = TextBatch(texts)
    first = batch.first_words.tolist()
    for number, text in enumerate(texts):
        here, base = slice(first[number], first[number + 1]), batch.bases[number]
        words, starts, ends = cutter("words")(text)
        assert batch.words[here] == list(words)
        assert (batch.starts[here] - base).tolist() == list(starts)
        assert (batch.ends[here] - base).tolist() == list(ends)


def test_every_character_of_the_basic_plane_is_cut_as_the_tokenizer_does() -> None:
    text = "".join(f"a{chr(code)}" for code in range(0xFFFF) if not 0xD800 <= code < 0xE000)
    assert TextBatch([text]).words == list(cutter("words")(text).words)


def test_a_word_is_found_only_where_one_starts_or_ends() -> None:
    batch = TextBatch(["Ada ran", "", "a b"])
    numbers, are_starts = batch.words_from(np.array([0, 1, 4, 9, 11, 12]))
    assert numbers[are_starts].tolist() == [0, 1, 2, 3]
    assert are_starts.tolist() == [True, False, True, True, True, False]
    numbers, are_ends = batch.words_until(np.array([0, 3, 7, 10, 12, 99]))
    assert (numbers[are_ends].tolist(), are_ends.tolist()) == (
        [1, 2, 3, 4],
        [False, True, True, True, True, False],
    )
