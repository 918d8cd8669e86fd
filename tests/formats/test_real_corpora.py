"""Every real corpus is read, with the counts that are published for it, and survives being written."""

import gzip
import json
import time
from pathlib import Path

import pytest

from crowdseq.formats import read, write

# file: sentences, tokens, annotators, sentences with gold
COUNTS = {
    "conll2003/train.conll.gz": (14041, 203621, 0, 14041),
    "conll2003/dev.conll.gz": (3250, 51362, 0, 3250),
    "conll2003/test.conll.gz": (3453, 46435, 0, 3453),
    "bc2gm/dev.conll.gz": (2519, 71042, 0, 2519),
    "ncbi_disease/dev.conll.gz": (923, None, 0, 923),
    "jnlpba/test.conll.gz": (3856, 101039, 0, 3856),
    "amt_conll2003/crowd.jsonl.gz": (5980, 79768, 47, 5980),
    "amt_conll2003/crowd_rest.jsonl.gz": (76, None, 0, 76),
    "pico_participants/crowd_acl17_test.jsonl.gz": (2059, None, 91, 2059),
    "pos_gimpel/crowd.jsonl.gz": (1000, 14439, 177, 1000),
    "weak_ncbi_disease/crowd_dev.jsonl.gz": (99, None, 17, 99),
}


@pytest.mark.parametrize("name", COUNTS)
def test_a_real_corpus_has_its_published_counts(shared_data: Path, name: str) -> None:
    sentences, tokens, annotators, gold = COUNTS[name]
    found = read(shared_data / name).corpus
    assert (len(found), len(found.annotators), int(found.has_gold.sum())) == (sentences, annotators, gold)
    assert tokens in (None, found.n_tokens)


def test_the_crowd_of_amt_has_its_published_slips_and_extras(shared_data: Path) -> None:
    imported = read(shared_data / "amt_conll2003/crowd.jsonl.gz")
    assert sum(imported.report.slips.values()) == 652
    assert sum(imported.report.slips[f"w0{number}"] for number in range(2, 6)) == 612
    assert imported.corpus.annotations.n_votes == 366091
    assert {s.extras["split"] for s in imported.corpus.sentences} == {"val", "test"}
    assert len({s.doc for s in imported.corpus.sentences}) == 398


def test_columns_and_documents_of_conll_2003_are_kept(shared_data: Path) -> None:
    found = read(shared_data / "conll2003/test.conll.gz").corpus
    assert tuple(found.text.columns) == ("pos", "chunk")
    assert len({s.doc for s in found.sentences}) == 231
    assert found.scheme.types == ("LOC", "MISC", "ORG", "PER")


@pytest.mark.parametrize("name", ["amt_conll2003/crowd.jsonl.gz", "pos_gimpel/crowd.jsonl.gz"])
def test_a_real_crowd_comes_back_from_columns_and_lines(shared_data: Path, tmp_path: Path, name: str) -> None:
    world = read(shared_data / name).corpus
    for file in ("crowd.conll.gz", "crowd.jsonl"):
        write(world, tmp_path / file)
        assert read(tmp_path / file).corpus == world


def test_lines_are_written_as_they_were_read(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "amt_conll2003/crowd.jsonl.gz"
    write(read(source).corpus, tmp_path / "again.jsonl.gz")
    with gzip.open(source, "rt") as before, gzip.open(tmp_path / "again.jsonl.gz", "rt") as after:
        first = json.loads(next(after))
        assert first.pop("crowdseq") == 1
        assert first == json.loads(next(before))
        assert all(json.loads(a) == json.loads(b) for a, b in zip(after, before, strict=True))


def test_the_iob1_chunks_of_conll_2003_are_recognised_and_converted(
    shared_data: Path, tmp_path: Path
) -> None:
    with gzip.open(shared_data / "conll2003/test.conll.gz", "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    chunks = "\n".join("\t".join([row[0], row[2]]) if len(row) > 1 else "" for row in rows)
    (tmp_path / "chunks.conll").write_text(
        chunks.replace("-DOCSTART-\t-X-", "-DOCSTART-\tO"), encoding="utf-8"
    )
    imported = read(tmp_path / "chunks.conll")
    assert imported.report.kind == "IOB1"
    assert imported.report.gold_slips == 0


def test_the_largest_crowd_is_read_in_a_few_seconds(shared_data: Path) -> None:
    """39,521 sentences; the promise is 15 s for the whole check, the reading takes about 3 s of them."""
    start = time.process_time()
    imported = read(shared_data / "pico_participants/crowd_train.jsonl.gz")
    assert len(imported.corpus) == 39521
    assert time.process_time() - start < 12
