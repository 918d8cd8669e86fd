"""crowdseq shard: a folder of shards that any command reads, whole or not at all."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import crowdseq
from crowdseq.cli.shard import command
from crowdseq.engines.ordering import store_corpus
from crowdseq.errors import AnnotationError, OutputExistsError, SettingsError
from crowdseq.workflows.reading import Selection, typed_reading
from crowdseq.workflows.sharded.cutting import ShardRequest, choice_of, shard_files

_DEMO = str(Path(crowdseq.__file__).parent / "data" / "demo.jsonl.gz")


def _request(out: Path, **more: object) -> ShardRequest:
    return ShardRequest(crowd=(_DEMO,), out=out, shard_tokens=1_000, **more)  # type: ignore[arg-type]


def test_shards_are_read_as_the_corpus_that_was_cut(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        command, [_DEMO, "-o", str(tmp_path / "s"), "--shard-tokens", "900", "--json"]
    )
    told = json.loads(result.stdout)
    assert (told["tokens"], told["shards"]) == (7367, 9)
    assert told["largest_shard"] <= 900
    assert crowdseq.read(tmp_path / "s") == crowdseq.demo_corpus()


@pytest.mark.parametrize(
    "selection",
    [
        Selection(where=(("doc", "news-01"),)),
        Selection(annotators=("ana", "ben")),
        Selection(without=("hal",)),
    ],
)
def test_a_chosen_part_is_the_one_that_is_chosen_in_memory(tmp_path: Path, selection: Selection) -> None:
    reading = typed_reading({})._replace(selection=selection)
    shard_files(_request(tmp_path / "s", reading=reading))
    store_corpus(selection.apply(crowdseq.demo_corpus()), tmp_path / "m", 1_000)
    files, memory = (
        {path.name: path.read_bytes() for path in folder.iterdir()}
        for folder in (tmp_path / "s", tmp_path / "m")
    )
    assert files == memory


def test_what_is_not_in_the_data_cannot_be_chosen(tmp_path: Path) -> None:
    for selection, fault in (
        (Selection(annotators=("zoe",)), AnnotationError),
        (Selection(where=(("split", "x"),)), SettingsError),
        (Selection(where=(("doc", "x"),)), SettingsError),
    ):
        reading = typed_reading({})._replace(selection=selection)
        with pytest.raises(fault):
            shard_files(_request(tmp_path / "s", reading=reading))
        assert list(tmp_path.iterdir()) == []
    assert choice_of(Selection()).kept({"a"}, set()) == {"a"}


def test_only_shards_are_replaced_and_only_when_asked(tmp_path: Path) -> None:
    shard_files(_request(tmp_path / "s"))
    with pytest.raises(OutputExistsError, match="exists already"):
        shard_files(_request(tmp_path / "s"))
    assert len(shard_files(_request(tmp_path / "s", force=True)).corpus) == 501
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("")
    with pytest.raises(OutputExistsError, match="no folder of shards"):
        shard_files(_request(tmp_path / "mine", force=True))


@pytest.mark.parametrize(
    ("content", "told"), [("", "there are no sentences"), ('{"tokens": 1}\n', "all 1 records are")]
)
def test_files_without_a_sentence_are_refused(tmp_path: Path, content: str, told: str) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text("")
    (tmp_path / "c.jsonl").write_text(content)
    reading = typed_reading({"on_error": "skip", "rejects": str(tmp_path / "rejects")})
    crowd = (str(tmp_path / "?.jsonl"),)
    with pytest.raises(AnnotationError, match=told):
        shard_files(ShardRequest(crowd=crowd, out=tmp_path / "s", reading=reading))
    assert not (tmp_path / "s").exists()
