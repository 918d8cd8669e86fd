"""Random corpora that a format can hold whole, for the round trips of writers."""

from collections.abc import Sequence

from hypothesis import strategies as st

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus

TAGS = {
    "IOB2": ["O", "B-PER", "I-PER", "B-a b", "I-a b"],
    "BIOES": ["O", "B-X", "I-X", "E-X", "S-X"],
    "spans": ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"],  # IOB2 whose labels may stand anywhere
    "plain": ["NOUN", "VERB", "名詞", "a|b"],
}
any_text = st.text(st.characters(codec="utf-8"), max_size=6)
names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8).filter(
    str.strip
)


@st.composite
def crowds(
    draw: st.DrawFn,
    *,
    tokens: st.SearchStrategy[str] = any_text,
    kinds: Sequence[str] = ("IOB2", "BIOES", "plain"),
    gold: bool = True,
    annotators: st.SearchStrategy[str] = names,
    docs: bool = True,
    unlabelled: bool = True,
) -> Corpus:
    """Sentences of one token or more; nobody saw a sentence without labelling anything in it."""
    kind = draw(st.sampled_from(list(kinds)))
    crowd = draw(st.lists(annotators, max_size=3, unique=True))
    builder = CorpusBuilder()
    for number in range(draw(st.integers(0, 4))):
        words = draw(st.lists(tokens, min_size=1, max_size=5))
        choices: list[str | None] = [*TAGS[kind], *([None] if unlabelled else [])]
        tags = st.lists(st.sampled_from(choices), min_size=len(words), max_size=len(words)).filter(any)
        if kind == "spans":
            tags = tags.map(_keeping_rules)
        votes = {name: draw(tags) for name in crowd if draw(st.booleans())}
        truth = draw(st.none() | tags) if gold else None
        doc = draw(st.none() | names) if docs else None
        builder.add(Record(words, f"s{number}", doc, votes, truth))
    return builder.build("IOB2" if kind == "spans" else kind)


def _keeping_rules(tags: list[str | None]) -> list[str | None]:
    """An I- that continues nothing made a B-."""
    made: list[str | None] = []
    for tag in tags:
        before = made[-1] if made else None
        opens = tag is not None and tag[0] == "I" and (before is None or before[1:] != tag[1:])
        made.append(f"B{tag[1:]}" if tag is not None and opens else tag)
    return made


def with_labels(world: Corpus) -> dict[str, object]:
    """The settings that hold a reader to the labels of a corpus, used or not."""
    return {"scheme": world.scheme.kind, **({"labels": world.scheme.tags} if len(world.scheme) else {})}
