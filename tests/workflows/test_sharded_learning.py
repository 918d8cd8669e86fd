"""learn over shards: from files, from a folder of shards, and from pieces that were settled apart."""

import errno
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import crowdseq
from crowdseq.errors import CrowdseqError, FormatError, SettingsError
from crowdseq.workflows.learning.from_files import LearnRequest, learn_files
from crowdseq.workflows.reading import typed_reading
from crowdseq.workflows.runs.saving import RunTarget
from crowdseq.workflows.sharded.cutting import ShardRequest, shard_files
from crowdseq.workflows.sharded.pieces import MergeRequest, learn_piece, merge_pieces

_DEMO = str(Path(crowdseq.__file__).parent / "data" / "demo.jsonl.gz")


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("shards") / "shards"
    shard_files(ShardRequest(crowd=(_DEMO,), out=folder, shard_tokens=1_500))
    return str(folder)


def _request(crowd: str, out: Path, **more: Any) -> LearnRequest:
    asked: dict[str, Any] = {"method": "majority-vote", "tagger": False, "threads": 1} | more
    return LearnRequest(crowd=(crowd,), out=out, **asked)


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _files_of_run(folder: Path) -> dict[str, bytes]:
    """What was learned; times and names of folders aside."""
    names = ("consensus.jsonl", "crowd.jsonl.gz", "posteriors.safetensors", "annotators.csv")
    return {name: (folder / name).read_bytes() for name in names}


def test_a_folder_of_shards_is_learned_from_as_it_lies(shards: str, tmp_path: Path) -> None:
    saved = learn_files(_request(shards, tmp_path / "run"))
    whole = crowdseq.learn(crowdseq.demo_corpus(), "majority-vote", tagger=False)
    assert crowdseq.load(tmp_path / "run").consensus.tags == whole.consensus.tags
    assert _files(tmp_path / "run" / "crowd") == _files(Path(shards))
    assert saved.as_dict()["shards"] == 6
    assert not (tmp_path / "run.part").exists()


def test_what_does_not_fit_into_memory_is_learned_from_the_disk(tmp_path: Path) -> None:
    more: dict[str, Any] = {"method": "dawid-skene", "settings": ("shard_tokens=1500", "rounds=3")}
    learn_files(_request(_DEMO, tmp_path / "disk", max_memory=5.0, **more))
    whole = crowdseq.learn(crowdseq.demo_corpus(), "dawid-skene", tagger=False, shard_tokens=1500, rounds=3)
    opened = crowdseq.load(tmp_path / "disk")
    assert (tmp_path / "disk" / "crowd").is_dir()
    assert opened.consensus.tags == whole.consensus.tags
    assert (opened.consensus.probabilities == whole.consensus.probabilities).all()


def test_what_fits_into_the_bound_is_a_run_like_any_other(tmp_path: Path) -> None:
    more = {"method": "dawid-skene", "settings": ("shard_tokens=1500", "rounds=3")}
    learn_files(_request(_DEMO, tmp_path / "bound", max_memory=10_000.0, **more))
    learn_files(_request(_DEMO, tmp_path / "free", **more))
    bound, free = (_files_of_run(tmp_path / name) for name in ("bound", "free"))
    assert bound == free
    assert not (tmp_path / "bound.part").exists()


def test_records_set_aside_are_written_once_whatever_the_way(tmp_path: Path) -> None:
    bad = '{"tokens": ["a"], "annotations": {"x": ["O", "O"]}}\n'
    good = '{"tokens": ["a", "b"], "annotations": {"x": ["B-X", "O"], "y": ["B-X", "O"]}}\n'
    (tmp_path / "crowd.jsonl").write_text(good + bad)
    rejects = str(tmp_path / "rejected.jsonl")
    reading = typed_reading({"on_error": "skip", "rejects": rejects})
    saved = learn_files(
        _request(str(tmp_path / "crowd.jsonl"), tmp_path / "run", max_memory=1_000.0, reading=reading)
    )
    assert saved.report is not None
    assert saved.report.n_rejected == 1
    assert Path(rejects).read_text().count("\n") == 1


def test_bad_input_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"tokens": ["a"], "annotations": {"x": ["O", "O"]}}\n')
    with pytest.raises(FormatError, match=":1:"):
        learn_files(_request(str(tmp_path / "bad.jsonl"), tmp_path / "run", max_memory=1.0))
    assert [path.name for path in tmp_path.iterdir()] == ["bad.jsonl"]


@pytest.mark.parametrize(
    "asked", [{"engine": "ray"}, {"max_memory": 5.0, "settings": ("shard_tokens=1500",)}]
)
def test_vectors_are_refused_where_the_text_is_not_in_memory_and_nothing_stays(
    tmp_path: Path, asked: dict[str, Any]
) -> None:
    (tmp_path / "v.txt").write_text("a 1 2\nb 2 3\n")
    request = _request(
        _DEMO, tmp_path / "run", method="sa-slc", tagger=True, vectors=str(tmp_path / "v.txt"), **asked
    )
    with pytest.raises(SettingsError, match="word vectors need the corpus in memory"):
        learn_files(request)
    assert [path.name for path in tmp_path.iterdir()] == ["v.txt"]


def test_shards_of_an_interrupted_run_are_used_again(tmp_path: Path) -> None:
    from crowdseq.workflows.sharded import learning

    request = _request(_DEMO, tmp_path / "run", max_memory=1.0, settings=())
    target = RunTarget(tmp_path / "run")
    made = learning._cut(request, target, 1_500)
    assert learning._cut(request, target, 1_500).corpus.fingerprint == made.corpus.fingerprint
    with pytest.raises(SettingsError, match="other files or settings"):
        learning._cut(request, target, 2_000)


def test_shards_of_files_that_changed_are_not_used_again(tmp_path: Path) -> None:
    from crowdseq.workflows.sharded import learning

    crowdseq.write(crowdseq.demo_corpus(), tmp_path / "part-0.jsonl")
    request = _request(str(tmp_path / "part-*.jsonl"), tmp_path / "run", max_memory=1.0, settings=())
    target = RunTarget(tmp_path / "run")
    learning._cut(request, target, 1_500)
    crowdseq.write(crowdseq.demo_corpus()[:400], tmp_path / "part-0.jsonl", force=True)
    with pytest.raises(SettingsError, match="other files or settings"):
        learning._cut(request, target, 1_500)


def test_shards_of_an_interrupted_run_are_checked(tmp_path: Path) -> None:
    from crowdseq.workflows.sharded import learning

    request = _request(_DEMO, tmp_path / "run", max_memory=1.0, settings=())
    target = RunTarget(tmp_path / "run")
    made = learning._cut(request, target, 1_500).corpus
    content = made.shards[2].path.read_bytes()
    made.shards[2].path.write_bytes(content[:-1] + b"?")
    with pytest.raises(FormatError, match=r"shard-00002\.safetensors: is missing or damaged"):
        learning._cut(request, target, 1_500)
    made.shards[2].path.write_bytes(content)
    (target.checkpoints / "input.json").write_text("{")
    with pytest.raises(FormatError, match=r"input\.json: is not JSON"):
        learning._cut(request, target, 1_500)


def test_a_run_that_could_not_begin_leaves_nothing_to_resume(shards: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="more than max_memory allows"):
        learn_files(_request(shards, tmp_path / "run", method="sa-slc", max_memory=0.1))
    assert not list(tmp_path.iterdir())


def test_shards_of_another_size_are_refused(shards: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="1,500"):
        learn_files(_request(shards, tmp_path / "run", method="dawid-skene", settings=("shard_tokens=900",)))


def test_a_damaged_shard_is_named_before_anything_is_learned(tmp_path: Path) -> None:
    shard_files(ShardRequest(crowd=(_DEMO,), out=tmp_path / "s", shard_tokens=1_500))
    (tmp_path / "s" / "shard-00002.safetensors").unlink()
    with pytest.raises(FormatError, match=r"shard-00002\.safetensors"):
        learn_files(_request(str(tmp_path / "s"), tmp_path / "run"))


@pytest.mark.parametrize("method", ["majority-vote", "gold"])
def test_pieces_make_the_run_of_the_whole_to_the_bit(shards: str, tmp_path: Path, method: str) -> None:
    more = {"tagger": method == "gold", "settings": ("max_iterations=3",) if method == "gold" else ()}
    pieces = tuple(tmp_path / f"piece-{number}" for number in (1, 2))
    for number, piece in enumerate(pieces, 1):
        learn_piece(_request(shards, piece, method=method, **more), f"{number}/2")
    merge_pieces(
        MergeRequest(shards=Path(shards), pieces=pieces, out=tmp_path / "merged", tagger=method == "gold")
    )
    learn_files(_request(shards, tmp_path / "whole", method=method, **more))
    for part in ("consensus", "tagger") if method == "gold" else ("consensus",):
        assert _files(tmp_path / "merged" / part) == _files(tmp_path / "whole" / part)
    told, whole = (
        json.loads((tmp_path / name / "metrics.json").read_bytes()) for name in ("merged", "whole")
    )
    assert told["consensus"] == whole["consensus"]


def test_pieces_must_be_whole_and_of_one_kind(shards: str, tmp_path: Path) -> None:
    for number in (1, 2):
        learn_piece(_request(shards, tmp_path / f"p{number}"), f"{number}/2")
    ask: dict[str, Any] = {"shards": Path(shards), "out": tmp_path / "run", "tagger": False}
    with pytest.raises(FormatError, match=r"3 of 6 shards are in no piece \(1, 3, 5\)"):
        merge_pieces(MergeRequest(pieces=(tmp_path / "p1",), **ask))
    with pytest.raises(FormatError, match=r"which .*p1 holds too"):
        merge_pieces(MergeRequest(pieces=(tmp_path / "p1", tmp_path / "p1"), **ask))
    (tmp_path / "p2" / "consensus-00003.safetensors").unlink()
    with pytest.raises(FormatError, match="consensus-00003"):
        merge_pieces(MergeRequest(pieces=(tmp_path / "p1", tmp_path / "p2"), **ask))
    assert not (tmp_path / "run").exists()


def test_a_piece_is_settled_here_and_from_whole_shards(tmp_path: Path) -> None:
    shard_files(ShardRequest(crowd=(_DEMO,), out=tmp_path / "s", shard_tokens=1_500))
    request = _request(str(tmp_path / "s"), tmp_path / "p")
    with pytest.raises(SettingsError, match="settled by this process"):
        learn_piece(replace(request, engine="ray"), "1/2")
    damaged = tmp_path / "s" / "shard-00001.safetensors"
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    with pytest.raises(FormatError, match=r"shard-00001\.safetensors: is missing or damaged"):
        learn_piece(request, "2/2")
    assert learn_piece(request, "1/2") == (0, 2, 4)


def test_what_learns_from_all_shards_has_no_pieces(shards: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="from all shards together"):
        learn_piece(_request(shards, tmp_path / "p", method="dawid-skene"), "1/2")
    with pytest.raises(SettingsError, match="3/20"):
        learn_piece(_request(shards, tmp_path / "p"), "4/3")
    with pytest.raises(SettingsError, match="folder of shards"):
        learn_piece(_request(_DEMO, tmp_path / "p"), "1/2")


def test_a_full_disk_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from crowdseq.workflows.sharded import learning

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(learning, "store_crowd", fail)
    with pytest.raises(CrowdseqError, match=r"run\.part cannot be written \(No space left on device\)"):
        learn_files(_request(_DEMO, tmp_path / "run", max_memory=1.0))
    assert not list(tmp_path.iterdir())
