"""Overlapping spans taken apart into layers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError
from crowdseq.formats import read, read_layers
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.settings import ReadSettings
from crowdseq.formats.spans.overlaps import Layer, split_layers
from file_fixtures import Put
from formats.marked_files import votes

NESTED = '{"id": 1, "text": "The bank of Rome", "label": [[4, 16, "ORG"], [12, 16, "LOC"], [0, 3, "DET"]]}\n'


def layers_of(put: Put, line: str = NESTED, **settings: Any) -> tuple[Layer, ...]:
    return read_layers(put("crowd/w.jsonl", line).split("/")[0], overlaps="layers", **settings).layers


def test_types_that_overlap_go_to_different_layers(put: Put) -> None:
    first, second = layers_of(put)
    assert (first.types, second.types) == (("DET", "LOC"), ("ORG",))
    assert votes(first.corpus) == {"w": ["B-DET", "O", "O", "B-LOC"]}
    assert votes(second.corpus) == {"w": ["O", "B-ORG", "I-ORG", "I-ORG"]}
    assert first.corpus.sentences[0].extras["spans"] == {"w": [[12, 16, "LOC"], [0, 3, "DET"]]}


def test_the_report_lists_the_layers(put: Put) -> None:
    layers_of(put)
    told = read_layers("crowd", overlaps="layers").report.lines()
    assert told == ["overlapping spans make 2 layers of types: DET,LOC (2 spans); ORG (1 spans)"]


def test_one_corpus_cannot_hold_two_layers(put: Put) -> None:
    layers_of(put)
    with pytest.raises(FormatError) as caught:
        read("crowd", overlaps="layers")
    assert str(caught.value) == (
        "crowd/w.jsonl: overlapping spans make 2 layers, say which one with types=: "
        "DET,LOC (2 spans) or ORG (1 spans)"
    )


@pytest.mark.parametrize("number", [0, 1])
def test_the_types_of_a_layer_read_that_layer(put: Put, number: int) -> None:
    layer = layers_of(put)[number]
    chosen = read("crowd", overlaps="layers", types=layer.types)
    assert votes(chosen.corpus) == votes(layer.corpus)
    assert chosen.report.finding("spans-overlap") is None


def test_spans_that_do_not_overlap_make_one_layer(put: Put) -> None:
    line = '{"id": 1, "text": "Ada in Rome", "label": [[0, 3, "PER"], [7, 11, "LOC"]]}\n'
    assert len(layers_of(put, line)) == 1
    imported = read("crowd", overlaps="layers")
    assert votes(imported.corpus) == {"w": ["B-PER", "O", "B-LOC"]}


def test_several_labels_of_one_span_go_to_several_layers(put: Put) -> None:
    line = '{"id": 1, "text": "Rome won", "label": [[0, 4, "LOC"], [0, 4, "TEAM"]]}\n'
    assert [votes(layer.corpus) for layer in layers_of(put, line)] == [
        {"w": ["B-LOC", "O"]},
        {"w": ["B-TEAM", "O"]},
    ]


def test_of_one_type_inside_itself_the_longest_stays_and_that_is_told(put: Put) -> None:
    line = '{"id": 1, "text": "Bank of Rome", "label": [[0, 12, "ORG"], [8, 12, "ORG"]]}\n'
    (layer,) = layers_of(put, line)
    assert votes(layer.corpus) == {"w": ["B-ORG", "I-ORG", "I-ORG"]}
    told = read_layers("crowd", overlaps="layers").report.finding("spans-overlap")
    assert told is not None
    assert told.count == 1


def test_files_of_tokens_are_one_layer(put: Put) -> None:
    put("c/a.conll", "Ada B-PER\nran O\n")
    assert votes(read("c", overlaps="layers").corpus) == {"a": ["B-PER", "O"]}
    put("p/a.conll", "Ada NNP\nran VBD\n")
    assert votes(read("p", overlaps="layers").corpus) == {"a": ["NNP", "VBD"]}


def test_gold_has_layers_too(put: Put) -> None:
    put("g/gold.jsonl", NESTED)
    first, second = read_layers("g", overlaps="layers", files_mean="gold").layers
    assert first.corpus.gold[0] == ("B-DET", "O", "O", "B-LOC")
    assert second.corpus.gold[0] == ("O", "B-ORG", "I-ORG", "I-ORG")


spans = st.tuples(st.integers(0, 5), st.integers(1, 3), st.sampled_from("ABCD"))


@given(st.lists(st.lists(spans, max_size=6, unique=True), min_size=1, max_size=3))
def test_every_span_is_in_exactly_one_layer_unless_its_type_overlaps_itself(
    rows: list[list[tuple[int, int, str]]],
) -> None:
    layers, told = layers_of_marks(rows)
    types = [kind for layer in layers for kind in layer.types]
    assert len(types) == len(set(types))
    painted = sum(
        tag.startswith("B-")
        for layer in layers
        for place in range(len(layer.corpus))
        for row in votes(layer.corpus, place).values()
        for tag in row
    )
    assert painted + told == sum(map(len, rows))


def layers_of_marks(rows: list[list[tuple[int, int, str]]]) -> tuple[tuple[Layer, ...], int]:
    """Rows of marks over ten one-letter tokens, each by another annotator; and how many were dropped."""
    world = corpus_of_marks(rows)
    with Collector(ReadSettings(overlaps="layers")) as collector:
        layers = split_layers(world, collector)
        return layers, sum(finding.count for finding in collector.findings())


def corpus_of_marks(rows: list[list[tuple[int, int, str]]]) -> Corpus:
    builder = CorpusBuilder()
    text = "a b c d e f g h i j"
    marks = {
        f"w{number}": [[2 * start, 2 * (start + length) - 1, kind] for start, length, kind in row]
        for number, row in enumerate(rows)
    }
    tags = {who: [f"B-{kind}" for kind in "ABCD"] + ["O"] * 6 for who in marks}
    builder.add(Record(text.split(), "s", None, tags, extras={"text": text, "spans": marks}))
    return builder.build("IOB2")
