"""Crowds of which something is to be said, and close ones of which it is not."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from builders import corpus
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import Span, encode
from kinship_oracles import drawn_cast

HEALTHY = {"a": 0.9, "b": 0.8, "c": 0.75, "d": 0.85, "e": 0.7}


def without(corpus: Corpus, drop: float, seed: int = 0, who: int | None = None) -> Corpus:
    """The crowd in which annotators (or one) leave out this share of their sentences' marks."""
    crowd, random = corpus.annotations, np.random.default_rng(seed)
    rows = np.repeat(random.random(len(crowd.voters)) < drop, crowd.lengths[crowd.row_sentences])
    if who is not None:
        rows &= np.repeat(crowd.voters == who, crowd.lengths[crowd.row_sentences])
    tags = np.where(rows & (crowd.tags >= 0), np.int16(corpus.scheme.outside), crowd.tags)
    return replace(corpus, annotations=replace(crowd, tags=tags))


def sources(count: int = 8, known: float = 0.05) -> Corpus:
    """Functions of which each knows a share of a hundred names, and marks these wherever they stand."""
    rng, builder, scheme = np.random.default_rng(3), CorpusBuilder(), LabelScheme.of_types(["PER"])
    knows = rng.random((count, 100)) < known
    for number in range(200):
        names = [None, *rng.integers(100, size=2).tolist(), None, int(rng.integers(100))]
        tokens = ["x" if name is None else f"Name{name}" for name in names]
        votes = {
            f"f{one}": ["B-PER" if name is not None and knows[one, name] else "O" for name in names]
            for one in range(count)
        }
        builder.add(Record(tokens, f"s{number}", None, votes, ["O" if n is None else "B-PER" for n in names]))
    return builder.build(scheme)


def joined(first: Corpus, second: Corpus) -> Corpus:
    """The sentences of both, each with its own annotators."""
    builder = CorpusBuilder()
    for part in (first, second):
        for place, sentence in enumerate(part.sentences):
            ballot = part.annotations.ballots[place]
            votes = {
                part.annotators[k]: part.scheme.names(row)
                for k, row in zip(ballot.voters.tolist(), ballot.tags, strict=True)
            }
            builder.add(Record(list(sentence.tokens), None, None, votes, part.gold[place]))
    return builder.build(first.scheme)


class Told(NamedTuple):
    """What is said of one crowd, and not of another that is close to it.

    method: the one after which it is said. before: whether it can be said before anything is learned.
    """

    shown: Corpus
    close: Corpus
    method: str = "majority-vote"
    before: bool = True


def told_of(kind: str) -> Told:
    """The two crowds of a kind of remark."""
    return _MAKERS[kind]()


def _unmarked() -> Told:
    silent = "She/O/O/O slept/O/O/O"
    return Told(
        corpus(*[silent] * 60, gold=False, scheme="IOB2"), corpus(*[silent] * 59, "Ada/O/O/B-PER", gold=False)
    )


def _silence() -> Told:
    """Functions mark a word wherever it stands; people who find as little do so by chance."""
    return Told(sources(), without(drawn_cast(dict.fromkeys("abcdefgh", 0.8), sentences=200), 0.95))


def _kin() -> Told:
    people = {"c1": 0.6, "g1": 0.85, "g2": 0.85, "g3": 0.8}
    copies, others = (dict.fromkeys(("c2", "c3"), ("c1", changes)) for changes in (0.0, 0.9))
    return Told(drawn_cast(people, copies), drawn_cast(people, others))


def _kinship_unknown() -> Told:
    three = {"a": 0.8, "b": 0.8, "c": 0.7}
    return Told(drawn_cast(three), drawn_cast({**three, "d": 0.8}))


def _twins() -> Told:
    two = {"a": 0.8, "b": 0.8}
    return Told(drawn_cast(two, {"twin": ("a", 0.0)}), drawn_cast(two, {"twin": ("a", 0.02)}))


def _undecided() -> Told:
    often, seldom = (drawn_cast({"a": skill, "b": skill}) for skill in (0.6, 0.9))
    return Told(often, seldom)


def _start() -> Told:
    timid, bolder = (without(drawn_cast(dict.fromkeys("abcdefghij", 0.9)), drop) for drop in (0.8, 0.3))
    return Told(timid, bolder, "sa-slc", before=False)


def _alone() -> Told:
    world = drawn_cast({**HEALTHY, "f": 0.9})
    others, f = world.keep_annotators(list("abcde")), world.keep_annotators(["f"])
    apart = joined(others.select(np.arange(200)), f.select(np.arange(200, 300)))
    return Told(apart, joined(apart, world.select(np.arange(20))))


def _overlap() -> Told:
    world = drawn_cast(HEALTHY)
    a = world.keep_annotators(["a"])
    little, more = (
        joined(world.select(np.arange(shared)), a.select(np.arange(shared, 300))) for shared in (50, 70)
    )
    return Told(little, more)


def _unseen() -> Told:
    line = "Ada/B-PER/B-PER/B-PER slept/O/O/O"
    return Told(corpus(*[line] * 60, "Bo/?/?/? left/?/?/?"), corpus(*[line] * 60, "Bo/?/O/? left/?/O/?"))


def _bounds() -> Told:
    return Told(_drawn_narrow("cde"), _drawn_narrow(""))


def _drawn_narrow(narrow: str) -> Corpus:
    """Names of one to three words; some people leave out the last word, all miss a name now and then."""
    rng, builder, scheme = np.random.default_rng(5), CorpusBuilder(), LabelScheme.of_types(["PER"])
    for number in range(150):
        lengths = rng.integers(1, 4, size=3).tolist()
        truth = [Span(4 * place, 4 * place + length, "PER") for place, length in enumerate(lengths)]
        votes = {
            name: encode(
                scheme,
                [
                    replace(one, end=max(one.start + 1, one.end - 1)) if name in narrow else one
                    for one in truth
                    if rng.random() >= 0.1
                ],
                12,
            )
            for name in "abcde"
        }
        tokens = [f"w{word}" for word in rng.integers(2000, size=12)]
        builder.add(Record(tokens, f"s{number}", None, votes, encode(scheme, truth, 12)))
    return builder.build(scheme)


def _blank() -> Told:
    world = drawn_cast(HEALTHY)
    return Told(without(world, 1.0, who=4), without(world, 0.95, who=4))


def _lone_type() -> Told:
    line = "Ada/?/B-PER/B-PER/B-PER met/?/O/O/O Bo/?/B-PER/B-PER/B-HERO"
    return Told(corpus(*[line] * 40), corpus(*[line] * 9))


def _empty() -> Told:
    """Most leave out most, so that the majority of those who read has nearly nothing."""
    timid, bolder = (without(drawn_cast(dict.fromkeys("abcdefghij", 0.9)), drop) for drop in (0.9, 0.3))
    return Told(timid, bolder, before=False)


def _dropped() -> Told:
    """Four who skip outvote the one who reads."""
    skipping, reading = drawn_cast(HEALTHY), drawn_cast(HEALTHY)
    for who in range(4):
        skipping, reading = (without(one, drop, who, who) for one, drop in ((skipping, 0.7), (reading, 0.2)))
    return Told(skipping, reading, before=False)


def _confidence() -> Told:
    return Told(drawn_cast(HEALTHY, sentences=15), drawn_cast(HEALTHY, sentences=40))


_MAKERS = {
    "unmarked": _unmarked,
    "silence": _silence,
    "kin": _kin,
    "kinship-unknown": _kinship_unknown,
    "twins": _twins,
    "undecided": _undecided,
    "start": _start,
    "alone": _alone,
    "overlap": _overlap,
    "unseen": _unseen,
    "bounds": _bounds,
    "blank": _blank,
    "lone-type": _lone_type,
    "empty": _empty,
    "dropped": _dropped,
    "confidence": _confidence,
}
KINDS = tuple(_MAKERS)
