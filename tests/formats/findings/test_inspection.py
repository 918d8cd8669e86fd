"""What is told about a corpus after it was read."""

from itertools import pairwise

import pytest
from hypothesis import given

from builders import corpus
from crowdseq.core import annotations
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.description import describe
from crowdseq.formats import read
from crowdseq.formats.findings.inspection import slips_by_name
from file_fixtures import Put
from strategies import corpora


def slow_slips(world: Corpus) -> tuple[dict[str, int], int]:
    """Tag by tag: is it allowed behind the one before, or at the edge?"""
    scheme = world.scheme

    def of(ids: list[int]) -> int:
        bad = 0
        for place, tag in enumerate(ids):
            before = ids[place - 1] if place else None
            is_bad = tag >= 0 and (
                (before is None and not scheme.starts[tag])
                or (before is not None and before >= 0 and not scheme.allowed[before, tag])
                or (place == len(ids) - 1 and not scheme.ends[tag])
            )
            bad += bool(is_bad)
        return bad

    found: dict[str, int] = {}
    for ballot in world.annotations.ballots:
        for who, tags in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True):
            if of(tags):
                found[world.annotators[who]] = found.get(world.annotators[who], 0) + of(tags)
    bounds = world.offsets.tolist()
    gold = sum(of(world.gold_tags[a:b].tolist()) for a, b in pairwise(bounds))
    return found, gold


@given(corpora())
def test_slips_are_those_of_a_slow_count(world: Corpus) -> None:
    assert slips_by_name(world) == slow_slips(world)


@given(corpora())
def test_note_and_table_count_the_same_slips(world: Corpus) -> None:
    table = {share.annotator: share.slips for share in describe(world).annotators if share.slips}
    assert table == slips_by_name(world)[0]


def test_slips_are_counted_alike_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    world = corpus("a/O/I-X/B-X b/I-X/O/I-X", "c/O/I-X/O", "d/I-X/O/I-X", scheme="IOB2")
    monkeypatch.setattr(annotations, "_ROWS_AT_A_TIME", 1)
    assert slips_by_name(world) == slow_slips(world) == ({"a1": 2, "a2": 1}, 2)


def test_a_document_in_pieces_is_told(put: Put) -> None:
    line = '{{"id": "{}", "doc": "{}", "tokens": ["a"], "gold": ["O"]}}\n'
    put("f.jsonl", line.format(1, "x") + line.format(2, "y") + line.format(3, "x"))
    found = read("f.jsonl").report.finding("scattered-documents")
    assert found is not None
    assert found.count == 1


def test_a_corpus_without_annotators_is_described_not_refused(put: Put) -> None:
    report = read(put("f.jsonl", '{"tokens": ["a"], "gold": ["O"], "annotations": {}}\n')).report
    assert report.lines() == ["no sentence was labelled by an annotator"]


def test_gold_that_breaks_the_scheme_is_counted_apart(put: Put) -> None:
    report = read(put("f.conll", "a O\nb I-X\nc B-X\nd I-X\n"), scheme="IOB2").report
    assert (dict(report.slips), report.gold_slips) == ({}, 1)
    assert report.lines()[0].endswith(": gold 1")


def test_texts_under_other_ids_for_other_people_are_told(put: Put) -> None:
    first = put("a.jsonl", '{"id": "1", "tokens": ["Ada"], "annotations": {"ana": ["B-PER"]}}\n')
    second = put("b.jsonl", '{"id": "7", "tokens": ["Ada"], "annotations": {"bob": ["O"]}}\n')
    told = read([first, second]).report.finding("texts-equal")
    assert told is not None
    assert "match='text' joins them" in str(told)
    assert len(read([first, second], match="text").corpus) == 1


def test_tags_without_prefix_that_outnumber_others_are_never_silently_plain() -> None:
    line = b'{"tokens": ["a", "b", "c"], "annotations": {"ana": ["B-PER", "None", "None"]}}\n'
    told = read(line).report.finding("plain-beside-chunks")
    assert told is not None
    assert "because of None: if these stand for no label, say missing='None'" in str(told)
    assert read(line, missing=("None",)).corpus.scheme.kind == "IOB2"
    assert read(line, scheme="plain").report.finding("plain-beside-chunks") is None
