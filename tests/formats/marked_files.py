"""What the tests of tools that mark characters share: votes of a corpus by name, and worlds to write."""

from hypothesis import strategies as st

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus

TAGS = ("O", "B-PER", "I-PER", "B-a b", "I-a b")
# Any characters but spaces and controls: a token that holds them cannot be found again in every tool.
words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=4
).filter(lambda word: not any(character.isspace() for character in word))
names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=5).filter(
    str.strip
)


def votes(found: Corpus, place: int = 0) -> dict[str, list[str]]:
    """The tags of every annotator of one sentence."""
    ballot = found.annotations.ballots[place]
    return {
        found.annotators[voter]: [found.scheme.tags[tag] for tag in row]
        for voter, row in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True)
    }


@st.composite
def valid_tags(draw: st.DrawFn, length: int) -> list[str]:
    """Tags that keep the rules of IOB2."""
    tags: list[str] = []
    for _ in range(length):
        kind = tags[-1][2:] if tags and tags[-1] != "O" else None
        choices = [tag for tag in TAGS if not tag.startswith("I-") or tag[2:] == kind]
        tags.append(draw(st.sampled_from(choices)))
    return tags


@st.composite
def span_worlds(draw: st.DrawFn, *, with_gold: bool = True, seen: bool = False) -> Corpus:
    """Corpora that tools for spans can hold; seen: somebody labelled every sentence."""
    people = draw(st.lists(names, min_size=int(seen), max_size=3, unique=True))
    builder = CorpusBuilder()
    for number in range(draw(st.integers(0, 3))):
        tokens = draw(st.lists(words, max_size=4))
        voters = [name for place, name in enumerate(people) if (seen and place == 0) or draw(st.booleans())]
        gold = draw(valid_tags(len(tokens))) if with_gold and draw(st.booleans()) else None
        builder.add(
            Record(
                tokens,
                f"{draw(names)}{number}",
                draw(st.none() | names),
                {name: draw(valid_tags(len(tokens))) for name in voters},
                gold,
                {"pos": draw(st.lists(words, min_size=len(tokens), max_size=len(tokens)))},
                {"split": draw(names), "meta": {"source": draw(names)}} if draw(st.booleans()) else {},
            )
        )
    return builder.build("IOB2")


def plain(corpus: Corpus) -> dict[str, object]:
    """All that a world holds by sentence, without the text and the spans that reading a tool's file adds."""
    added = ("text", "spans", "gold_spans", "offsets")
    return {
        sentence.id: (
            sentence.doc,
            sentence.tokens,
            dict(sentence.columns),
            {key: value for key, value in sentence.extras.items() if key not in added},
            votes(corpus, place),
            corpus.gold[place],
        )
        for place, sentence in enumerate(corpus.sentences)
    }
