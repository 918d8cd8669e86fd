"""A tagger on disk: it comes back as it was, and hostile files are refused."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from builders import corpus
from crowdseq.errors import CrowdseqError, FormatError, OutputExistsError, SettingsError
from crowdseq.formats.models.crf import DIGEST, MODEL, WEIGHTS, description_digest
from crowdseq.formats.models.taggers import load_tagger, save_tagger
from crowdseq.storage.folders import AtomicFolder
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.features import FeatureSettings
from crowdseq.tagging.tagger import Tagger

TEXT = [["Ada", "met", "Zoë", "\ud83d", "a\x1fb"], ["in", "London"]]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    world = corpus(
        "Ada/B-PER Lovelace/I-PER met/O Zoë/B-PER \ud83d/O",
        "Paris/B-LOC is/O in/O London/B-LOC",
    )
    return CrfTrainer(c2=0.05, chunks="borders").fit(world, world.gold_tags)


@pytest.fixture
def saved(tagger: Tagger, tmp_path: Path) -> Path:
    save_tagger(tagger, tmp_path / "tagger")
    return tmp_path / "tagger"


def test_a_tagger_comes_back_as_it_was(tagger: Tagger, saved: Path) -> None:
    again = load_tagger(saved)
    assert again.scheme == tagger.scheme
    assert again.chain == tagger.chain
    assert tagger.chain.kind == "borders"
    assert again.features == tagger.features
    assert again.tag_many(TEXT) == tagger.tag_many(TEXT)
    for one, other in zip(tagger.marginals_many(TEXT), again.marginals_many(TEXT), strict=True):
        np.testing.assert_array_equal(one, other)
    assert sorted(path.name for path in saved.iterdir()) == [MODEL, WEIGHTS]


def test_saving_again_replaces_the_old_tagger(saved: Path) -> None:
    world = corpus("x/B-Q y/O")
    save_tagger(CrfTrainer().fit(world, world.gold_tags), saved)
    assert load_tagger(saved).scheme.types == ("Q",)


def test_a_failing_disk_leaves_the_old_file(
    saved: Path, tagger: Tagger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    before = {path.name: path.read_bytes() for path in saved.iterdir()}
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(CrowdseqError, match="No space"):
        save_tagger(tagger, saved)
    assert {path.name: path.read_bytes() for path in saved.iterdir()} == before


def test_a_disk_that_fails_at_the_second_file_leaves_the_old_tagger_whole(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path.name: path.read_bytes() for path in saved.iterdir()}
    plain, written = AtomicFolder.write, []

    def fail_at_the_second(made: AtomicFolder, name: str, content: bytes) -> None:
        written.append(name)
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        plain(made, name, content)

    monkeypatch.setattr(AtomicFolder, "write", fail_at_the_second)
    world = corpus("x/B-Q y/O")
    with pytest.raises(CrowdseqError, match="No space"):
        save_tagger(CrfTrainer().fit(world, world.gold_tags), saved)
    assert {path.name: path.read_bytes() for path in saved.iterdir()} == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_file_in_the_place_of_a_tagger_is_one_clear_error(tagger: Tagger, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("mine")
    with pytest.raises(OutputExistsError, match="is no folder"):
        save_tagger(tagger, tmp_path / "t")
    assert (tmp_path / "t").read_text() == "mine"


def test_a_folder_with_other_files_is_not_replaced_by_a_tagger(tagger: Tagger, saved: Path) -> None:
    (saved / "notes.txt").write_text("mine")
    with pytest.raises(OutputExistsError, match=r"holds other files too \(notes\.txt\)"):
        save_tagger(tagger, saved)
    assert (saved / "notes.txt").read_text() == "mine"


def test_code_is_not_saved(tmp_path: Path) -> None:
    world = corpus("x/B-Q y/O")
    features = FeatureSettings(function=lambda tokens: [["f"] for _ in tokens])
    tagger = CrfTrainer(features=features).fit(world, world.gold_tags)
    with pytest.raises(SettingsError, match="function cannot be saved"):
        save_tagger(tagger, tmp_path / "t")
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("name", [MODEL, WEIGHTS])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.999])
def test_a_file_cut_short_is_refused(saved: Path, name: str, share: float) -> None:
    data = (saved / name).read_bytes()
    (saved / name).write_bytes(data[: int(len(data) * share)])
    with pytest.raises(FormatError, match=name):
        load_tagger(saved)


@pytest.mark.parametrize("name", [MODEL, WEIGHTS])
def test_a_missing_file_is_named(saved: Path, name: str) -> None:
    (saved / name).unlink()
    with pytest.raises(FormatError, match=f"{name}: cannot be read"):
        load_tagger(saved)


def change_description(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the description and make its check sum fit again, as an attacker would."""
    content = json.loads((folder / MODEL).read_text())
    change(content)
    content[DIGEST] = description_digest(content)
    (folder / MODEL).write_text(json.dumps(content))


def test_a_tagger_without_labels_of_its_own_inside_is_read(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER Lovelace/I-PER met/O")
    plain = CrfTrainer(chunks="own").fit(world, world.gold_tags)
    save_tagger(plain, tmp_path)
    change_description(tmp_path, lambda content: content.pop("chain"))
    assert load_tagger(tmp_path).tag_many(TEXT) == plain.tag_many(TEXT)


def test_a_tagger_that_marks_only_the_ends_of_spans_is_read(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER Lovelace/I-PER met/O")
    fine = CrfTrainer(chunks="BIOES").fit(world, world.gold_tags)
    save_tagger(fine, tmp_path)
    assert load_tagger(tmp_path).chain == fine.chain
    assert load_tagger(tmp_path).tag_many(TEXT) == fine.tag_many(TEXT)


@pytest.mark.parametrize(
    "tags", [[], ["O"], ["O", "O-before", "O-after"], ["B-X", "E-X", "O-after", "O-before"]]
)
def test_labels_of_borders_that_are_not_those_are_refused(saved: Path, tags: list[str]) -> None:
    change_description(saved, lambda content: content["chain"].update(tags=tags))
    with pytest.raises(FormatError, match=MODEL):
        load_tagger(saved)


def test_labels_inside_that_do_not_stand_for_the_tags_are_refused(saved: Path) -> None:
    def rename(content: dict[str, Any]) -> None:
        content["chain"]["tags"] = [tag.replace("PER", "DOG") for tag in content["chain"]["tags"]]

    change_description(saved, rename)
    with pytest.raises(FormatError, match=f"{MODEL}.*do not stand for"):
        load_tagger(saved)


def change_tensors(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the tensors and make the check sum fit again, as an attacker would."""
    tensors = load_file(folder / WEIGHTS)
    change(tensors)
    save_file(tensors, folder / WEIGHTS)
    seal(folder)


def seal(folder: Path) -> None:
    digest = hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()
    change_description(folder, lambda content: content.update(weights_sha256=digest))


def test_a_newer_version_is_refused(saved: Path) -> None:
    change_description(saved, lambda content: content.update(version=2))
    with pytest.raises(FormatError, match="version 2 of the tagger format; this crowdseq reads version 1"):
        load_tagger(saved)


@pytest.mark.parametrize(
    "text", ["[]", "3", "{}", "no json", '{"format": "crowdseq-tagger", "version": 1}', "[" * 100_000, "\xff"]
)
def test_a_description_of_something_else_is_refused(saved: Path, text: str) -> None:
    (saved / MODEL).write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError, match=MODEL):
        load_tagger(saved)


HOSTILE_DESCRIPTIONS: dict[str, Callable[[dict[str, Any]], object]] = {
    "a billion pieces": lambda c: c["streams"][0].update(pieces=10**9),
    "negative pieces": lambda c: c["streams"][0].update(pieces=-1),
    "pieces as text": lambda c: c["streams"][0].update(pieces="7"),
    "more pairs than there are": lambda c: c["streams"][0].update(pairs=10**12),
    "a true count": lambda c: c["streams"][0].update(pairs=True),
    "a stream less": lambda c: c["streams"].pop(),
    "a stream twice": lambda c: c["streams"].append(c["streams"][0]),
    "no offsets": lambda c: c["streams"][0].update(offsets=[]),
    "other offsets": lambda c: c["streams"][0].update(offsets=[0, 1]),
    "unknown template": lambda c: c["features"]["windows"].update(evil=[0]),
    "far offsets": lambda c: c["features"].update(pairs={"word": [10**9]}),
    "windows of the wrong kind": lambda c: c["features"].update(windows=[1]),
    "another label set": lambda c: c["scheme"].update(tags=["O"]),
    "a tag twice": lambda c: c["scheme"]["tags"].append("O"),
    "tags of the wrong kind": lambda c: c["scheme"].update(tags=[1, 2]),
    "unknown scheme": lambda c: c["scheme"].update(kind="XYZ"),
    "an infinite count": lambda c: c["features"].update(min_count=float("inf")),
    "no check sum": lambda c: c.pop("weights_sha256"),
}


@pytest.mark.parametrize("attack", HOSTILE_DESCRIPTIONS)
def test_a_hostile_description_is_refused(saved: Path, attack: str) -> None:
    change_description(saved, HOSTILE_DESCRIPTIONS[attack])
    with pytest.raises(FormatError):
        load_tagger(saved)


HOSTILE_TENSORS: dict[str, Callable[[dict[str, Any]], object]] = {
    "label outside": lambda t: t.update({"0.labels": np.full_like(t["0.labels"], 99)}),
    "negative label": lambda t: t.update({"0.labels": np.full_like(t["0.labels"], -1)}),
    "weight is no number": lambda t: t.update({"0.weights": np.full_like(t["0.weights"], np.nan)}),
    "other type": lambda t: t.update({"0.weights": t["0.weights"].astype(np.float32)}),
    "other shape": lambda t: t.update({"transitions": t["transitions"][:-1].copy()}),
    "forbidden step allowed": lambda t: t.update({"transitions": np.zeros_like(t["transitions"])}),
    "endless step": lambda t: t.update({"transitions": np.full_like(t["transitions"], np.inf)}),
    "negative counts": lambda t: t.update({"0.counts": -t["0.counts"]}),
    "counts that do not add up": lambda t: t.update({"0.counts": t["0.counts"] + 1}),
    "lengths beyond the text": lambda t: t.update({"0.lengths": t["0.lengths"] * 1000}),
    "text is no UTF-8": lambda t: t.update({"0.text": np.full_like(t["0.text"], 255)}),
    "missing": lambda t: t.pop("0.text"),
}


@pytest.mark.parametrize("attack", HOSTILE_TENSORS)
def test_hostile_weights_are_refused(saved: Path, attack: str) -> None:
    change_tensors(saved, HOSTILE_TENSORS[attack])
    with pytest.raises(FormatError, match=f"{WEIGHTS}|{MODEL}"):
        load_tagger(saved)


def test_a_header_that_claims_terabytes_is_refused(saved: Path) -> None:
    claim = {"dtype": "F64", "shape": [10**6, 10**6], "data_offsets": [0, 8 * 10**12]}
    header = json.dumps({"transitions": claim}).encode()
    (saved / WEIGHTS).write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 64)
    seal(saved)
    with pytest.raises(FormatError, match="safetensors"):
        load_tagger(saved)


def test_random_damage_never_gives_anything_but_a_format_error(saved: Path) -> None:
    rng = np.random.default_rng(0)
    original = (saved / WEIGHTS).read_bytes()
    for _ in range(150):
        data = bytearray(original)
        for place in rng.integers(0, len(data), size=int(rng.integers(1, 4))).tolist():
            data[place] ^= int(rng.integers(1, 256))
        (saved / WEIGHTS).write_bytes(bytes(data))
        seal(saved)
        try:
            load_tagger(saved).tag_many(TEXT)
        except FormatError:
            continue


@pytest.mark.parametrize("name", [MODEL, WEIGHTS])
def test_what_is_no_file_is_refused_at_once(saved: Path, name: str) -> None:
    (saved / name).unlink()
    os.mkfifo(saved / name)
    with pytest.raises(FormatError, match=f"{name}: is no file"):
        load_tagger(saved)


def test_a_description_changed_by_chance_is_refused(saved: Path) -> None:
    text = (saved / MODEL).read_text()
    (saved / MODEL).write_text(text.replace("PER", "DOG"))
    with pytest.raises(
        FormatError, match=f"{MODEL}: was changed after it was written, save the tagger again"
    ):
        load_tagger(saved)


def test_a_description_without_a_check_sum_of_its_own_is_read(saved: Path, tagger: Tagger) -> None:
    content = json.loads((saved / MODEL).read_text())
    del content[DIGEST]  # as crowdseq 0.1.0 wrote it
    (saved / MODEL).write_text(json.dumps(content))
    assert load_tagger(saved).tag_many(TEXT) == tagger.tag_many(TEXT)


def test_a_tagger_of_an_unknown_format_is_told_in_one_line(saved: Path) -> None:
    (saved / MODEL).write_text('{"format": "somebody-elses", "version": 1}')
    with pytest.raises(FormatError) as told:
        load_tagger(saved)
    assert str(told.value) == (
        f"{saved / MODEL}: holds a tagger of the format 'somebody-elses', this crowdseq knows "
        "crowdseq-tagger, crowdseq-neural-tagger, update crowdseq to open it"
    )
