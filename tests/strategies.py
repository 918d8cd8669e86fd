"""Hypothesis strategies: schemes, tag sequences, spans and whole corpora."""

from hypothesis import strategies as st

from builders import random_corpus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import CHUNK_KINDS, KINDS, LabelScheme
from crowdseq.core.spans import Span

type_names = st.lists(st.sampled_from(["LOC", "ORG", "PER", "a-b"]), min_size=1, max_size=3, unique=True)
chunk_kinds = st.sampled_from(CHUNK_KINDS)


@st.composite
def chunk_schemes(draw: st.DrawFn, kinds: tuple[str, ...] = CHUNK_KINDS) -> LabelScheme:
    """A scheme with spans."""
    return LabelScheme.of_types(draw(type_names), draw(st.sampled_from(kinds)))


@st.composite
def schemes(draw: st.DrawFn) -> LabelScheme:
    """Any scheme, plain ones too."""
    kind = draw(st.sampled_from(KINDS))
    names = draw(type_names)
    return LabelScheme.plain([*names, "O"]) if kind == "plain" else LabelScheme.of_types(names, kind)


@st.composite
def tag_sequences(
    draw: st.DrawFn, scheme: LabelScheme, max_size: int = 8, unlabelled: bool = False
) -> list[str | None]:
    """Tags in any order, whether the scheme allows it or not."""
    tags: list[str | None] = [*scheme.tags, *([None] if unlabelled else [])]
    return draw(st.lists(st.sampled_from(tags), max_size=max_size))


@st.composite
def span_lists(draw: st.DrawFn, scheme: LabelScheme, length: int) -> list[Span]:
    """Spans that do not overlap; under IO, which cannot part them, none of one type touch."""
    spans: list[Span] = []
    place = 0
    while place < length:
        end = draw(st.integers(place, length))
        if end == place:
            place += 1
            continue
        label = draw(st.sampled_from(scheme.types))
        joined = scheme.kind == "IO" and spans and spans[-1].end == place and spans[-1].label == label
        if not joined:
            spans.append(Span(place, end, label))
        place = end
    return spans


@st.composite
def corpora(draw: st.DrawFn, unlabelled: bool = True, kinds: tuple[str, ...] = KINDS) -> Corpus:
    """Small corpora with gold, slips, annotators who differ by sentence, and tokens nobody labelled."""
    return random_corpus(
        draw(st.integers(0, 2**32 - 1)),
        sentences=draw(st.integers(0, 6)),
        length=draw(st.integers(1, 5)),
        annotators=draw(st.integers(1, 4)),
        voters=draw(st.integers(1, 4)),
        types=draw(type_names),
        kind=draw(st.sampled_from(kinds)),
        accuracy=draw(st.sampled_from([0.0, 0.5, 1.0])),
        unlabelled=draw(st.sampled_from([0.0, 0.3])) if unlabelled else 0.0,
        documents=draw(st.sampled_from([None, 1, 2])),
    )
