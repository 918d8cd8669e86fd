"""Conversions: of layers into files of their own, and of a run's consensus."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from builders import corpus
from crowdseq.errors import AnnotationError, OutputExistsError, SettingsError
from crowdseq.formats import read, write
from crowdseq.formats.settings import ReadSettings
from crowdseq.workflows.converting import ConvertRequest, Written, convert_files, name_targets
from crowdseq.workflows.demonstrating import demo_corpus
from crowdseq.workflows.learning import learn
from crowdseq.workflows.reading import Part, Reading

NESTED = '{"id": 1, "text": "The bank of Rome", "label": [[4, 16, "ORG"], [12, 16, "LOC"]]}\n'
LAYERS = Reading(ReadSettings(overlaps="layers"))


def convert(source: Path, out: str | Path, **asked: Any) -> list[Written]:
    return convert_files(ConvertRequest(crowd=(str(source),), out=str(out), **asked))


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    (tmp_path / "crowd").mkdir()
    (tmp_path / "crowd/w.jsonl").write_text(NESTED)
    return tmp_path


def test_every_layer_becomes_a_file(nested: Path) -> None:
    made = convert(nested / "crowd", nested / "out.jsonl", reading=LAYERS)
    assert [Path(part.out).name for part in made] == ["out.LOC.jsonl", "out.ORG.jsonl"]
    assert [read(part.out).corpus.scheme.types for part in made] == [("LOC",), ("ORG",)]


def test_of_layers_all_are_written_or_none(nested: Path) -> None:
    (nested / "out.ORG.jsonl").write_text("mine")
    with pytest.raises(OutputExistsError):
        convert(nested / "crowd", nested / "out.jsonl", reading=LAYERS)
    assert not (nested / "out.LOC.jsonl").exists()
    assert (nested / "out.ORG.jsonl").read_text() == "mine"


def test_layers_cannot_share_standard_output(nested: Path) -> None:
    with pytest.raises(SettingsError, match="choose one with types=: LOC or ORG"):
        convert(nested / "crowd", "-", reading=LAYERS)


@pytest.mark.parametrize(
    ("out", "target", "names"),
    [
        ("x/c.jsonl.gz", None, ["x/c.A+B.jsonl.gz", "x/c.C_D.jsonl.gz"]),
        ("c.label-studio.json", None, ["c.A+B.label-studio.json", "c.C_D.label-studio.json"]),
        ("tasks.json", "label-studio", ["tasks.A+B.json", "tasks.C_D.json"]),
        ("folder/", None, ["folder.A+B/", "folder.C_D/"]),
        ("plain", "brat", ["plain.A+B", "plain.C_D"]),
    ],
)
def test_names_of_layers_stand_before_the_ending(out: str, target: str | None, names: list[str]) -> None:
    world = corpus("a/O/O")
    parts = name_targets([Part(("A", "B"), world), Part(("C/D",), world)], out, target)
    assert [part.out for part in parts] == names


def test_names_that_would_clash_are_numbered() -> None:
    world = corpus("a/O/O")
    parts = name_targets([Part(("C/D",), world), Part(("c:d",), world)], "c.jsonl", None)
    assert [part.out for part in parts] == ["c.layer1.jsonl", "c.layer2.jsonl"]


def test_the_consensus_of_a_run_goes_to_a_tool(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/B-PER/B-PER met/O/O/O", annotators=["w1", "w2"])
    learn(world, "majority-vote", tagger=False).save(tmp_path / "run")
    (made,) = convert(tmp_path / "run", tmp_path / "t.json", target="label-studio", consensus=True)
    (task,) = json.loads(Path(made.out).read_text())
    (region,) = task["predictions"][0]["result"]
    assert region["meta"] == {"text": ["marked by w1, w2"]}
    assert 0.5 < region["score"] <= 1


def test_a_consensus_has_a_scheme_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="in its own scheme: leave out as_scheme="):
        convert(tmp_path, "x.json", consensus=True, as_scheme="BIOES")


def test_only_a_run_has_a_consensus(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="that of one run folder"):
        convert(tmp_path, "x.json", consensus=True)


def test_gaps_are_refused_with_their_place_or_written_as_outside(tmp_path: Path) -> None:
    write(corpus("Ada/B-PER/B-PER met/O/?", annotators=["w1"]), tmp_path / "c.jsonl")
    source, out = tmp_path / "c.jsonl", str(tmp_path / "t.json")
    with pytest.raises(
        AnnotationError, match=r"first: sentence s1, annotator w1, token 2\), which label-studio"
    ):
        convert(source, out, target="label-studio")
    (made,) = convert(source, out, target="label-studio", unlabelled="outside")
    assert made.notes == ("1 tokens that were not labelled were written as outside of any entity",)
    assert [row.tolist() for row in read(out).corpus.annotations.ballots[0].tags] == [[1, 0]]


def test_the_demo_corpus_goes_to_every_tool(tmp_path: Path) -> None:
    demo = demo_corpus().select(range(20))
    write(demo, tmp_path / "demo.jsonl")
    forms = ["label-studio", "doccano-zip", "argilla", "prodigy", "brat"]
    for form in forms + (["docbin"] if find_spec("spacy") else []):
        (made,) = convert(tmp_path / "demo.jsonl", tmp_path / form, target=form, unlabelled="outside")
        again = read(made.out, format=form, tokenizer="whitespace", empty_means="labelled").corpus
        assert sorted(again.text.tokens) == sorted(demo.text.tokens)
        assert len(again.annotations.voters) == len(demo.annotations.voters)
