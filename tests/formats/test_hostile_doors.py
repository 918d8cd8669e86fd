"""Hostile files at the door that users take: one clear line and the right code, in bounded time and memory.

Every file is read by the real command in a process of its own. The files that take long to make or to refuse
are left to `scripts/attack_files.py`; `CROWDSEQ_SEARCH=deep` has them here too.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import hostile_binaries
from attacks.door import Door
from hostile_files import HOSTILE, Hostile

pytest.importorskip("pyarrow")
pytest.importorskip("spacy")
pytest.importorskip("openpyxl")
pytest.importorskip("cassis")

MOST_SECONDS, MOST_MEGABYTES = 5.0, 1000.0
IS_DEEP = os.environ.get("CROWDSEQ_SEARCH") == "deep"
# Of those that are slow by design one of each kind is enough here.
SLOW = frozenset(
    """many_keys_all_twice many_keys_in_an_array annotators_by_the_ten_thousand annotators_on_few_sentences
    annotators_in_pairs labels_in_many_documents look_alike_annotators one_long_id_many_annotators
    nested_spans_in_layers many_sentences_in_a_document quotes_behind_a_stop texts_cut_and_normalised
    a_pattern_that_is_quadratic a_pattern_with_references columns_by_the_hundred_thousand sentences_of_one_token
    sentences_of_one_chunk annotators_in_answers annotators_in_answers_of_many_sentences annotators_in_a_table
    mace_columns text_of_lines brat_annotators cas_types_in_a_chain zip_of_columns zip_of_documents
    many_annotators_of_a_long_text docbin_of_documents gzip_of_many_tiny_sentences gzip_of_tiny_columns
    gzip_of_rows gzip_of_long_sentences gzip_of_arrays tiny_sentences no_sentence_ends a_column_of_one_token
    full_stops stops_and_quotes many_lines_in_a_document sentences_in_a_table repeated_rows_kept""".split()
)
KINDS = (
    "number_",
    "offset_",
    "deep_",
    "utf",
    "cp",
    "shift_jis",
    "iso2022",
    "gb18030",
    "hz",
    "mark_",
    "nuls_",
    "ff_",
    "latin_",
)


def _chosen() -> dict[str, Hostile]:
    """All that are quick; of long series every third."""
    chosen = {}
    for place, (title, one) in enumerate({**HOSTILE, **dict(hostile_binaries.damages(2))}.items()):
        is_one_of_many = title.startswith((*KINDS, "empty_", "white_", "sqlite_", "elf_")) and place % 3
        if IS_DEEP or (title not in SLOW and not is_one_of_many):
            chosen[title] = one
    return chosen


CHOSEN = _chosen()


@pytest.fixture(scope="module")
def door() -> Iterator[tuple[Door, Path]]:
    with tempfile.TemporaryDirectory() as folder, Door(Path(folder)) as opened:
        yield opened, Path(folder)


def test_there_are_more_than_two_hundred_of_them_in_every_format() -> None:
    assert len(CHOSEN) > 200
    names = {one.name for one in CHOSEN.values()}
    assert {name for name, _ in hostile_binaries.SEEDS.values()} <= names


@pytest.mark.parametrize("title", CHOSEN)
def test_a_hostile_file_is_read_or_refused_in_words(door: tuple[Door, Path], title: str) -> None:
    opened, folder = door
    one = CHOSEN[title]
    (folder / one.name).write_bytes(one.content())
    outcome = opened.knock(one.command, one.name, *one.options)
    (folder / one.name).unlink()
    told = outcome.err[-2000:]
    assert not outcome.has_traceback, told
    assert outcome.code in {"refused": (3,), "read": (0,), "either": (0, 3)}[one.outcome], told
    assert one.says in outcome.err, told
    assert outcome.seconds <= MOST_SECONDS
    assert outcome.megabytes <= MOST_MEGABYTES
    if outcome.code == 3:
        assert one.name in outcome.err or "crowdseq:" in outcome.err, told
        assert max(map(len, outcome.err.splitlines())) < 1500


@pytest.mark.parametrize(
    ("title", "command"),
    [
        ("not_a_number_beside_depth", ["learn", "FILE", "-o", "run"]),
        ("labels_by_the_ten_thousand", ["learn", "FILE", "-o", "run"]),
        ("gzip_of_tiny_sentences", ["convert", "FILE", "-o", "out.conll"]),
        ("arrow_offsets_that_lie", ["convert", "FILE", "-o", "out.jsonl"]),
        ("parquet_of_long_texts", ["evaluate", "FILE", "FILE"]),
        ("columns_that_vary", ["evaluate", "FILE", "FILE"]),
        ("docbin_of_rubbish", ["agree", "FILE"]),
        ("zip_that_leaves", ["compare", "FILE"]),
        ("arrow_stream_of_rubbish", ["simulate", "FILE", "-o", "out.jsonl"]),
    ],
)
def test_every_command_refuses_what_check_refuses_and_writes_nothing(
    door: tuple[Door, Path], title: str, command: list[str]
) -> None:
    opened, folder = door
    one = HOSTILE[title]
    (folder / one.name).write_bytes(one.content())
    words = [one.name if word == "FILE" else word for word in command]
    outcome = opened.knock(*words)
    assert (outcome.code, outcome.has_traceback) == (3, False), outcome.err[-2000:]
    assert outcome.seconds <= MOST_SECONDS
    assert [path.name for path in folder.iterdir() if not path.name.startswith(".")] == [one.name]
    (folder / one.name).unlink()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--limits", "labels=0"], "limit labels is 0, give a number above 0"),
        (["--limits", "labels=many"], "limit labels is 'many', give a number above 0"),
        (["--limits", "lables=5"], "limit 'lables' is unknown, choose one of"),
        (["--limits", "pattern_seconds=nan"], "give a number above 0"),
        (["--encoding", "hex"], "encoding 'hex' is unknown"),
        (["--tokenizer", "regex:("], "the pattern of tokenizer 'regex:(' is wrong"),
        (["--tokenizer", "regex:" + "(" * 5000 + ")" * 5000], "is wrong"),
        (["--types", "\0"], ""),
    ],
)
def test_a_wrong_value_is_told_in_one_line(door: tuple[Door, Path], options: list[str], says: str) -> None:
    opened, folder = door
    (folder / "a.jsonl").write_bytes(b'{"tokens":["x"],"annotations":{"v":["O"],"w":["O"]}}\n')
    outcome = opened.knock("check", "a.jsonl", *options)
    assert not outcome.has_traceback, outcome.err[-2000:]
    assert says in outcome.err
    assert outcome.code == (2 if says else 0)
    (folder / "a.jsonl").unlink()
