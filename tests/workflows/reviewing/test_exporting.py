"""Decisions over the consensus, in every format, equal when they are read again."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdseq.cli.main import crowdseq
from crowdseq.core.consensus import Consensus
from crowdseq.errors import SettingsError
from crowdseq.formats import ReadSettings, read
from crowdseq.formats.registry import FORMATS
from crowdseq.workflows.reviewing.desk import Desk
from crowdseq.workflows.reviewing.exporting import reviewed, reviewed_run, write_reviewed
from crowdseq.workflows.reviewing.laying_over import marks_of
from review_worlds import do, saved

WRITERS = sorted(
    name
    for name, form in FORMATS.items()
    if form.write_consensus is not None or form.write_consensus_folder is not None
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = saved(tmp_path_factory.mktemp("reviewed") / "run")
    with Desk.open(folder) as desk:
        do(desk, "label", 0, label="PER")
        do(desk, "move", 2, side="end", step=1)
        do(desk, "audit", sentence=4, begin=0, end=2, marks=((1, 2, "LOC"),))
        do(desk, "accept", 3, shown={"page": "finish"})
    return folder


def spans(consensus: Consensus) -> list[tuple[tuple[int, int, str], ...]]:
    corpus = consensus.corpus
    return [
        marks_of(consensus.tag_ids[corpus.offsets[n] : corpus.offsets[n + 1]], corpus.scheme)
        for n in range(len(corpus))
    ]


def test_decisions_are_laid_over_and_are_certain(run: Path) -> None:
    made = reviewed_run(run)
    assert spans(made) == [
        ((0, 1, "PER"),),
        ((1, 2, "PER"),),
        ((1, 4, "LOC"),),
        ((1, 2, "LOC"), (3, 4, "PER")),
        ((1, 2, "LOC"),),
    ]
    assert made.confidence[0][0] == 1.0
    assert made.parameters["sentence_states"] == ["decided", "settled", "decided", "settled", "audited"]


def test_only_what_was_decided_or_only_the_consensus(run: Path) -> None:
    assert spans(reviewed_run(run, "decided")) == [((0, 1, "PER"),), ((1, 4, "LOC"),), ((1, 2, "LOC"),)]
    assert spans(reviewed_run(run, "consensus"))[0] == ((0, 1, "LOC"),)
    with pytest.raises(SettingsError, match="choose one of consensus, decided, both"):
        reviewed_run(run, "mine")


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_back_the_labels_that_were_written(run: Path, tmp_path: Path, name: str) -> None:
    form = FORMATS[name]
    ending = "" if form.write_consensus is None else f".{form.extensions[0] if form.extensions else 'txt'}"
    made = reviewed_run(run)
    done = write_reviewed(made, tmp_path / f"out{ending}", target=name)
    assert done.counts == {"settled": 2, "decided": 2, "audited": 1}
    if form.read is None and form.read_folder is None:
        pytest.skip(f"{name} is not read")
    # In these tools a consensus is something to start from.
    is_start = name in ("argilla", "label-studio", "prodigy")
    back = read(done.out, ReadSettings(format=name, predictions=is_start)).corpus
    assert found_spans(back) == wanted_spans(made)


def wanted_spans(made: Consensus) -> list[tuple[str, str]]:
    tokens = made.corpus.text.tokens
    return sorted(
        (" ".join(tokens[n][begin:end]), label)
        for n, marks in enumerate(spans(made))
        for begin, end, label in marks
    )


def found_spans(corpus: object) -> list[tuple[str, str]]:
    """What a file that was read says: its gold, or what its one annotator says."""
    found = []
    for sentence in corpus:  # type: ignore[attr-defined]
        tags = sentence.gold or next(iter(sentence.annotations.values()), None)
        if tags is not None:
            scheme = corpus.scheme  # type: ignore[attr-defined]
            for begin, end, label in marks_of(scheme.ids(tags), scheme):
                found.append((" ".join(sentence.tokens[begin:end]), label))
    return sorted(found)


def test_consensus_jsonl_tells_the_state_of_every_sentence(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = CliRunner().invoke(crowdseq, ["convert", str(run), "-o", str(out), "--labels-of", "both"])
    assert done.stderr.endswith(", consensus with what reviewers decided\n")
    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["state"] for line in lines] == ["decided", "settled", "decided", "settled", "audited"]
    assert lines[0]["labels"] == ["B-PER", "O", "O"]
    assert read(str(out)).corpus.gold[0] == ("B-PER", "O", "O")


def test_convert_writes_the_consensus_as_before(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.conll"
    CliRunner().invoke(crowdseq, ["convert", str(run), "-o", str(out), "--consensus"])
    assert out.read_text().startswith("-DOCSTART-\tO\n\nWashington\tB-LOC\n")


def test_the_desk_exports_what_it_shows(run: Path) -> None:
    with Desk.open(run) as desk:
        made = reviewed(desk.consensus, desk.states())
        assert spans(made) == [desk.marks(number) for number in range(len(desk.corpus))]
