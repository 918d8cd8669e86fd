"""The marks of one sentence, token by token, against the spans that arrays find."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import find_spans
from crowdseq.workflows.reviewing.laying_over import marks_of

SCHEMES = [
    *(LabelScheme.of_types(["LOC", "PER"], kind) for kind in ("IO", "IOB1", "IOB2", "BIOES", "BILOU")),
    LabelScheme.plain(["ADJ", "NOUN", "VERB"]),
]


@given(st.sampled_from(SCHEMES), st.lists(st.integers(-1, 99), max_size=12))
@settings(max_examples=300, deadline=None)
def test_marks_are_the_lenient_spans_of_a_sentence(scheme: LabelScheme, numbers: list[int]) -> None:
    tags = np.array([number % len(scheme) if number >= 0 else -1 for number in numbers], np.int16)
    table = find_spans(tags, np.array([0, len(tags)]), scheme, lenient=True)
    rows = zip(table.starts.tolist(), table.ends.tolist(), table.types.tolist(), strict=True)
    assert marks_of(tags, scheme) == tuple((start, end, scheme.types[kind]) for start, end, kind in rows)
