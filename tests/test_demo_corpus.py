"""The demo corpus is what its script makes, holds what it promises, and is described as it is."""

import gzip
import subprocess
import sys
import zlib
from collections import Counter
from pathlib import Path

import pytest

from demo_corpus.figures import Record, annotator_table, content_table, spans_of
from demo_counting import broken_places, by_document, names_in, shape, shipped_records, skeleton
from make_demo_corpus import SHIPPED, make_records, read_all, to_jsonl

REPOSITORY = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return shipped_records()


# --- the file


def test_the_shipped_content_is_exactly_what_the_script_makes() -> None:
    assert gzip.decompress(SHIPPED.read_bytes()) == to_jsonl(make_records(read_all()))


@pytest.mark.skipif(
    "ng" in zlib.ZLIB_RUNTIME_VERSION, reason="zlib-ng packs the same content into other bytes"
)
def test_the_shipped_bytes_come_from_the_script_with_the_standard_library_alone(tmp_path: Path) -> None:
    made = tmp_path / "new" / "demo.jsonl.gz"
    script = REPOSITORY / "scripts" / "make_demo_corpus.py"
    subprocess.run(
        [sys.executable, "-S", "-E", str(script), "-o", str(made)], check=True
    )  # -S: no site-packages
    assert made.read_bytes() == SHIPPED.read_bytes()


def test_the_file_is_small_and_carries_neither_time_nor_name() -> None:
    packed = SHIPPED.read_bytes()
    assert len(packed) < 150_000
    assert packed[:3] == b"\x1f\x8b\x08"
    assert packed[3] == 0  # no flags: no name, no comment
    assert packed[4:8] == bytes(4)  # modification time


def test_another_seed_keeps_text_and_gold_but_gives_another_crowd(records: list[Record]) -> None:
    others = make_records(read_all(), seed=1)
    assert [(r["tokens"], r["gold"]) for r in others] == [(r["tokens"], r["gold"]) for r in records]
    assert [r["annotations"] for r in others] != [r["annotations"] for r in records]


# --- the text


def test_there_are_enough_documents_and_sentences_of_every_topic(records: list[Record]) -> None:
    sizes = Counter(record["doc"] for record in records)
    assert len(records) >= 420
    assert len(sizes) >= 60
    assert all(5 <= size <= 10 for size in sizes.values())
    documents_of = Counter(document.rsplit("-", 1)[0] for document in sizes)
    assert documents_of.keys() == {"news", "science", "sport"}
    assert min(documents_of.values()) >= 20


def test_ids_name_the_document_and_count_its_sentences_in_order(records: list[Record]) -> None:
    blocks = by_document(records)
    assert len(blocks) == len({doc for doc, _ in blocks})  # the lines of a document stand together
    for doc, block in blocks:
        assert [record["id"] for record in block] == [f"{doc}-s{n}" for n in range(1, len(block) + 1)]
        assert {record["topic"] for record in block} == {doc.rsplit("-", 1)[0]}


def test_gold_is_valid_iob2_of_four_types_with_many_mentions_each(records: list[Record]) -> None:
    assert all(len(record["gold"]) == len(record["tokens"]) for record in records)
    assert not any(broken_places(record["gold"]) for record in records)
    types = Counter(type for record in records for _, _, type in spans_of(record["gold"]))
    assert types.keys() == {"PER", "ORG", "LOC", "MISC"}
    assert min(types.values()) >= 80


def test_names_repeat_inside_documents_in_full_and_in_short(records: list[Record]) -> None:
    in_full = in_short = 0
    for _, block in by_document(records):
        earlier: set[tuple[str, ...]] = set()
        for name in (name for record in block for name in names_in(record)):
            in_full += name in earlier
            in_short += name not in earlier and any(set(name) < set(other) for other in earlier)
            earlier.add(name)
    assert in_full >= 100
    assert in_short >= 80


def test_some_names_are_a_place_here_and_a_club_or_a_firm_there(records: list[Record]) -> None:
    types: dict[tuple[str, ...], set[str]] = {}
    for record in records:
        for start, end, type in spans_of(record["gold"]):
            types.setdefault(tuple(record["tokens"][start:end]), set()).add(type)
    assert sum(found >= {"LOC", "ORG"} for found in types.values()) >= 10


def test_no_sentence_stands_twice(records: list[Record]) -> None:
    assert len({tuple(token.casefold() for token in record["tokens"]) for record in records}) == len(records)


def test_no_two_sentences_differ_only_in_names_and_numbers(records: list[Record]) -> None:
    skeletons = Counter(skeleton(record) for record in records if len(record["tokens"]) > 8)
    assert max(skeletons.values()) == 1


def test_sentences_are_varied_in_shape_opening_and_length(records: list[Record]) -> None:
    shapes = Counter(shape(record) for record in records)
    assert len(shapes) >= 250
    assert max(shapes.values()) <= 0.06 * len(records)
    openings = Counter(tuple(record["tokens"][:2]) for record in records)
    assert len(openings) >= 0.85 * len(records)
    assert max(openings.values()) <= 10
    lengths = [len(record["tokens"]) for record in records]
    assert min(lengths) <= 5
    assert max(lengths) >= 25
    assert len({token.casefold() for record in records for token in record["tokens"]}) >= 2000


# --- the documentation and the figures in it


def test_the_tables_in_the_documentation_are_current(records: list[Record]) -> None:
    page = (REPOSITORY / "docs" / "demo-corpus.md").read_text(encoding="utf-8")
    assert content_table(records) in page
    assert annotator_table(records) in page
