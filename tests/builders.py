"""Tiny worlds in one line, and random ones of any size."""

from collections.abc import Iterable, Sequence

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.names import Tags
from crowdseq.core.spans import Span, encode

UNLABELLED = "?"


def corpus(
    *sentences: str,
    annotators: Sequence[str] | None = None,
    docs: Sequence[str | None] | None = None,
    gold: bool = True,
    scheme: LabelScheme | str | None = None,
) -> Corpus:
    """Sentences such as "Ada/B-PER/B-PER/O slept/O/O/O": token/gold/first annotator/second annotator …

    `?` is a token without a label; an annotator with nothing but `?` did not see the sentence, and gold of
    nothing but `?` is no gold. With gold=False the first column after the token is already an annotator.
    Annotators are called a1, a2, … unless named.
    """
    builder = CorpusBuilder()
    for place, sentence in enumerate(sentences):
        builder.add(record(sentence, annotators, docs[place] if docs else None, gold))
    return builder.build(scheme)


def record(
    sentence: str, annotators: Sequence[str] | None = None, doc: str | None = None, gold: bool = True
) -> Record:
    """One sentence in the writing of `corpus`."""
    rows = [token.split("/") for token in sentence.split()]
    columns = [list(column) for column in zip(*rows, strict=True)]
    tokens, votes = columns[0] if columns else [], columns[1:]
    truth = votes.pop(0) if gold and votes else []
    names = annotators or [f"a{number}" for number in range(1, len(votes) + 1)]
    pairs = zip(names, map(_labels, votes), strict=bool(votes))
    return Record(
        tokens, doc=doc, gold=_labels(truth), annotations={name: tags for name, tags in pairs if tags}
    )


def _labels(column: list[str]) -> Tags | None:
    tags = [None if tag == UNLABELLED else tag for tag in column]
    return tags if any(tag is not None for tag in tags) else None


def random_corpus(
    seed: int,
    *,
    sentences: int = 20,
    length: int = 8,
    annotators: int = 5,
    voters: int = 3,
    types: Iterable[str] = ("LOC", "PER"),
    kind: str = "IOB2",
    accuracy: float = 0.8,
    unlabelled: float = 0.0,
    documents: int | None = None,
) -> Corpus:
    """A corpus with gold, labelled by annotators who give the gold tag with some accuracy and guess else.

    Their guesses ignore the rules of the scheme, so slips occur; every sentence is seen by `voters` of them.
    """
    rng = np.random.default_rng(seed)
    scheme = LabelScheme.plain(types) if kind == "plain" else LabelScheme.of_types(types, kind)
    builder = CorpusBuilder()
    for number in range(sentences):
        size = int(rng.integers(1, 2 * length))
        truth = random_tags(rng, scheme, size)
        chosen = rng.choice(annotators, min(voters, annotators), replace=False)
        votes = {f"w{k:03}": _noisy(rng, scheme, truth, accuracy, unlabelled) for k in chosen.tolist()}
        doc = None if documents is None else f"d{number * documents // sentences}"
        tokens = [f"t{word}" for word in rng.integers(0, 50, size).tolist()]
        builder.add(Record(tokens, doc=doc, gold=scheme.names(truth), annotations=votes))
    return builder.build(scheme)


def random_tags(rng: np.random.Generator, scheme: LabelScheme, size: int) -> IntArray:
    """(size,) tags that are valid under the scheme."""
    if scheme.is_plain:
        return rng.integers(0, len(scheme), size).astype(np.int16)
    spans, place = [], int(rng.integers(0, 3))
    while place < size:
        end = min(size, place + int(rng.integers(1, 4)))
        spans.append(Span(place, end, scheme.types[int(rng.integers(len(scheme.types)))]))
        place = end + int(rng.integers(0, 4))
    return scheme.ids(encode(scheme, spans, size))


def _noisy(
    rng: np.random.Generator, scheme: LabelScheme, truth: IntArray, accuracy: float, unlabelled: float
) -> Tags:
    guesses = rng.integers(0, len(scheme), len(truth))
    tags = np.where(rng.random(len(truth)) < accuracy, truth, guesses)
    tags[rng.random(len(truth)) < unlabelled] = -1
    return scheme.names(tags)
