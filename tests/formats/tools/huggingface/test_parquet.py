"""Parquet, Arrow and folders of datasets: both forms of rows, numbered labels, damage, round trips."""

import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from builders import corpus
from corpus_worlds import crowds, with_labels
from crowdseq.core.corpus import Corpus
from crowdseq.errors import MissingExtraError
from crowdseq.formats import read, write, write_consensus
from crowdseq.formats.settings import Limits
from crowdseq.methods.majority_vote import MajorityVote
from file_fixtures import Faults, Put
from tool_samples import expected_rows, own, rows_of

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: arrow)")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra: arrow)")

NAMES = ["O", "B-PER", "I-PER"]
FEATURES = {
    "ner_tags": {"feature": {"names": NAMES, "_type": "ClassLabel"}, "length": -1, "_type": "Sequence"}
}


def table(rows: list[dict[str, Any]], features: dict[str, Any] | None = FEATURES) -> Any:
    made = pa.Table.from_pylist(rows)
    if features is None:
        return made
    return made.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})


def parquet(rows: list[dict[str, Any]], features: dict[str, Any] | None = FEATURES) -> bytes:
    out = io.BytesIO()
    pq.write_table(table(rows, features), out)
    return out.getvalue()


ROWS: list[dict[str, Any]] = [
    {"id": "d1", "tokens": ["Ada", "slept"], "ner_tags": [1, 0], "annotator": "ann"},
    {"id": "d1", "tokens": ["Ada", "slept"], "ner_tags": [0, -100], "annotator": "bob"},
    {"id": "d1", "tokens": ["Ada", "slept"], "ner_tags": [1, 0], "annotator": None},
]
SAID = [("d1", "0", "Ada", "ann", "B-PER"), ("d1", "0", "Ada", "bob", "O"), ("d1", "1", "slept", "ann", "O")]


def test_a_row_is_a_sentence_by_an_annotator_or_gold(put: Put) -> None:
    imported = read(put("thing", parquet(ROWS)))
    assert imported.report.files[0].format == "parquet"
    assert rows_of(imported.corpus) == SAID
    assert imported.corpus.gold[0] == ("B-PER", "O")


def test_labels_may_be_texts_and_the_annotator_missing(put: Put) -> None:
    data = parquet([{"tokens": ["Ada"], "tags": ["B-PER"], "split": "x"}], None)
    imported = read(put("d.parquet", data))
    assert (imported.corpus.gold[0], imported.corpus.sentences[0].id) == (("B-PER",), "s1")
    assert imported.report.finding("columns-left-out") is not None
    assert read("d.parquet", files_mean="annotator").corpus.annotators == ("d",)


def test_rows_without_ids_find_each_other_by_their_text(put: Put) -> None:
    rows = [{"tokens": ["Ada"], "tags": ["O"], "worker": who} for who in ("a", "b", "a")]
    found = read(put("d.parquet", parquet(rows, None))).corpus
    assert [len(ballot.voters) for ballot in found.annotations.ballots] == [2, 1]


def test_the_long_table_is_told_by_its_columns(put: Put) -> None:
    rows = [
        {"doc_id": doc, "token_index": int(index), "token": token, "annotator": who, "label": tag}
        for doc, index, token, who, tag in expected_rows()
    ]
    assert rows_of(read(put("d.parquet", parquet(rows, None))).corpus) == expected_rows()


def test_what_save_to_disk_leaves_is_read(put: Put) -> None:
    out = io.BytesIO()
    plain = table(ROWS, None)
    with pa.ipc.new_stream(out, plain.schema) as writer:
        writer.write_table(plain)
    put("set/train/data-00000-of-00001.arrow", out.getvalue())
    put("set/train/dataset_info.json", json.dumps({"features": FEATURES}))
    put("set/train/state.json", "{}")
    put("set/dataset_dict.json", '{"splits": ["train"]}')
    imported = read("set")
    assert imported.report.files[0].format == "datasets"
    assert rows_of(imported.corpus) == SAID


def test_an_arrow_file_is_read(put: Put) -> None:
    out = io.BytesIO()
    made = table(ROWS)
    with pa.ipc.new_file(out, made.schema) as writer:
        writer.write_table(made)
    assert rows_of(read(put("d.arrow", out.getvalue())).corpus) == SAID


@pytest.mark.parametrize(
    ("rows", "features", "what"),
    [
        (ROWS, None, "d:1: d1: 'ner_tags' holds numbers without names, say them in order with labels="),
        ([{"tokens": ["a"], "ner_tags": [7]}], FEATURES, "d:1: label number 7 has no name, there are 3"),
        ([{"tokens": ["a"], "ner_tags": [1.5]}], FEATURES, "d:1: label 1.5 is neither a text nor a number"),
        ([{"tokens": "a", "ner_tags": [1]}], FEATURES, "d:1: 'tokens' must be a list of texts"),
        ([{"tokens": ["a"], "ner_tags": "O"}], FEATURES, "d:1: 'ner_tags' must be a list of labels"),
        ([{"tokens": ["a"], "ner_tags": [0, 0]}], FEATURES, "d:1: s1: annotator gold: 2 labels for 1 token"),
        ([{"text": "a"}], None, "d: no column holds tokens, there are text"),
        ([{"tokens": ["a"]}], None, "d: no column holds labels, there are tokens; layer= names one"),
    ],
)
def test_faulty_rows_are_named(faults: Faults, rows: list[dict[str, Any]], features: Any, what: str) -> None:
    (found, *_) = faults("d", parquet(rows, features))
    assert found == what


def test_names_of_labels_can_be_given(put: Put) -> None:
    assert rows_of(read(put("d", parquet(ROWS, None)), labels=tuple(NAMES)).corpus) == SAID


def test_damage_is_one_line(faults: Faults) -> None:
    whole = parquet(ROWS)
    for cut in (5, len(whole) // 2, len(whole) - 3):
        (found,) = faults("d.parquet", whole[:cut])
        assert found.startswith("d.parquet: the Parquet or Arrow data is damaged (")


def test_a_table_that_unpacks_to_too_much_is_refused(put: Put, faults: Faults) -> None:
    rows = [{"tokens": ["a" * 1000] * 100, "tags": ["O"] * 100} for _ in range(50)]
    name = put("d.parquet", parquet(rows, None))
    (found,) = faults(name, limits=Limits(unpacked_bytes=1 << 20))
    assert found == "d.parquet: unpacks to more than 1,048,576 bytes, split it"


@settings(max_examples=40)
@given(crowds())
@pytest.mark.parametrize("form", ["parquet", "long-parquet", "datasets"])
def test_what_is_written_is_read(form: str, world: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c"
        write(world, path, format=form)
        assert read(path, **with_labels(world)).corpus == world  # type: ignore[arg-type]


def test_rows_keep_what_a_long_table_cannot(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/?", "Bo/?/O")
    assert write(world, tmp_path / "c.parquet") == ()
    assert read(tmp_path / "c.parquet").corpus == world


def test_the_names_of_labels_are_where_hugging_face_looks_for_them(tmp_path: Path) -> None:
    write(corpus("Ada/B-PER/B-PER"), tmp_path / "set", format="datasets")
    schema = pq.read_schema(tmp_path / "set" / "data" / "train-00000-of-00001.parquet")
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert features["ner_tags"]["feature"] == {"names": ["O", "B-PER", "I-PER"], "_type": "ClassLabel"}


def test_hugging_face_loads_the_folder(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    write(corpus("Ada/B-PER/B-PER"), tmp_path / "set", format="datasets")
    loaded = datasets.load_dataset(str(tmp_path / "set"))["train"]
    assert loaded.features["ner_tags"].feature.names == ["O", "B-PER", "I-PER"]


def test_the_synthetic_documents_survive_the_way_through_parquet(tmp_path: Path) -> None:
    world = read(own("two-annotators/expected-long.csv")).corpus
    write(world, tmp_path / "c.parquet")
    assert rows_of(read(tmp_path / "c.parquet").corpus) == expected_rows()


def test_a_consensus_says_how_sure_it_is_and_who_agreed(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/B-PER/O met/O/O/O", annotators=["a", "b", "c"], gold=False, docs=["d"])
    consensus = MajorityVote().aggregate(world)
    assert write_consensus(consensus, tmp_path / "c.parquet") == ()
    (row,) = pq.read_table(tmp_path / "c.parquet").to_pylist()
    assert row["agreed"] == [["a", "b"], ["a", "b", "c"]]
    assert row["confidence"] == consensus.token_confidence.tolist()
    assert read(tmp_path / "c.parquet").corpus.gold[0] == ("B-PER", "O")


def test_a_missing_extra_is_one_line(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    name = put("d.parquet", parquet(ROWS))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"needs an extra: pip install 'crowdseq\[arrow\]'"):
        read(name)
    with pytest.raises(MissingExtraError, match=r"needs an extra: pip install 'crowdseq\[arrow\]'"):
        write(corpus("Ada/B-PER"), "out.parquet")
    assert not Path("out.parquet").exists()


def test_files_of_other_kinds_beside_the_shards_are_told(put: Put) -> None:
    put("d/train.parquet", parquet([{"id": "s1", "tokens": ["Ada"], "ner_tags": [1]}]))
    put("d/README.md", "# Read me")
    put("d/more.jsonl", "{}\n")
    found = read("d").report.finding("files-beside-datasets")
    assert found is not None
    assert [str(example) for example in found.examples] == ["d/more.jsonl"]
