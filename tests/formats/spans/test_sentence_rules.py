"""Running text is cut where sentences end, and nowhere else."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.formats.spans.sentence_rules import sentence_starts

# Sentences with a bar where one ends.
TEXTS = {
    "plain": "Ada met Bo. |They left Paris! |Was it raining? |Yes.",
    "titles": "Dr. Smith met Mrs. Jones at St. Mary's. |They spoke.",
    "initials": "J. R. R. Tolkien wrote it. |George W. Bush read it.",
    "latin abbreviations": "Some fruit, e.g. Apples, i.e. Malus, cf. Fig. 3 and No. 7. |That is all.",
    "firms": "Apple Inc. Chairman Cook spoke. |He left Acme Corp. |The deal was off.",
    "countries": "The U.S. Army left. |It came to the U.S. |They stayed.",
    "numbers": "It costs 3.50 euros in version 2.1 of 1990. |Later it was 4.",
    "times": "At 5 p.m. Eastern time it closed. |At 6 p.m. |They left.",
    "ellipsis": "Well... maybe. |He waited... |Nobody came.",
    "quotes": 'He said "It is over." |She left. |"Why?" he asked.',
    "brackets": "It rained. |(Nobody minded.) |They stayed.",
    "addresses": "See www.example.org/a.b or mail a.b@c.de today. |Then call.",
    "paragraphs": "A heading without a stop\n\n|The text begins here and goes on.\n\n|And ends.",
    "broken lines": "Text was broken to fit the width of\nthe page, and Mr.\nSmith did not mind.\n|He left.",
    "german": "Am 3. Oktober 1990 kam z.B. Herr Dr. Kohl, d.h. der Kanzler. |Er sprach bzw. las.",
    "german ordinals": "Sie wurde am 12. Spieltag verletzt. |Danach fehlte sie.",
    "french": "M. Dupont est venu. |Il a vu Mme. Curie. |«\u00a0Bonjour\u00a0!\u00a0» |Elle part.",
    "spanish": "El Sr. García llegó. |¿Quién era? |¡Nadie lo sabía! |Se fue.",
    "russian": "Проф. Иванов приехал в Москву. |Он жил на ул. Ленина. |Потом уехал.",
    "greek": "Πού είσαι\u037e |Εδώ είμαι. |Έλα.",
    "chinese": "我去北京。|他没有来！|你呢？|我也不去。",
    "chinese quotes": "他说：“我去北京。”|她没有说话。",
    "japanese": "東京へ行った。|雨だった。|「行こう。」|と言った。",
    "hindi": "वह दिल्ली गया। |फिर लौट आया। |कब?",
    "arabic": "ذهب إلى باريس. |هل عاد؟ |لا.",
    "urdu": "وہ لاہور گیا۔ |پھر واپس آیا۔",
    "amharic": "ወደ ጎንደር ሄደ። |ተመለሰ።",
    "armenian": "Նա գնաց Երևան։ |Հետո վերադարձավ։",
    "thai without signs": "เขาไปกรุงเทพแล้วกลับบ้าน",
}


@pytest.mark.parametrize("name", TEXTS)
def test_sentences_end_where_a_reader_would_say_so(name: str) -> None:
    parts = TEXTS[name].split("|")
    text = "".join(parts)
    starts = [*sentence_starts(text), len(text)]
    assert [text[start:end] for start, end in pairwise(starts)] == parts


@given(st.text(alphabet="aB .!?\n\"'1。।(", max_size=60))
def test_pieces_are_the_text_and_none_is_blank(text: str) -> None:
    starts = [*sentence_starts(text), len(text)]
    pieces = [text[start:end] for start, end in pairwise(starts)]
    assert "".join(pieces) == text
    assert all(piece.strip() for piece in pieces) or len(pieces) == 1
