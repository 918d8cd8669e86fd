"""What to have labelled next, by whom, and the lists of what to ask again."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from builders import corpus
from crowdseq.cli.main import crowdseq
from crowdseq.cli.next import task_lines
from crowdseq.core.corpus import Corpus
from crowdseq.errors import UsageError
from crowdseq.formats import ReadSettings, read
from crowdseq.workflows.reviewing.acting import Act
from crowdseq.workflows.reviewing.asking import next_tasks, write_asks
from crowdseq.workflows.reviewing.desk import Desk
from review_worlds import do, saved, washington


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return saved(tmp_path / "run")


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(crowdseq, ["next", *arguments])


def test_the_order_is_that_of_the_queue(run: Path) -> None:
    with Desk.open(run) as desk:
        queue = [row.sentence for row in desk.queue().rows]
    found = next_tasks(run)
    assert [task.sentence for task in found.tasks] == queue
    assert found.total == 4
    assert [task.sentence for task in next_tasks(run, 2).tasks] == queue[:2]


def test_it_says_who_has_not_seen_it_and_who_differs(run: Path) -> None:
    by_id = {task.id: task for task in next_tasks(run).tasks}
    assert by_id["s1"].ask == ("dee",)
    assert by_id["s1"].again == ("bob",)
    assert by_id["s2"].ask == (), "everybody has seen it"
    assert by_id["s3"].places[0].words == "New York"
    assert by_id["s3"].places[0].settled == ("LOC",)


def test_what_is_decided_needs_no_more_labels(run: Path) -> None:
    with Desk.open(run) as desk:
        for number in (0, 1, 2):
            do(desk, "accept", number)
    assert [task.id for task in next_tasks(run).tasks] == ["s4"]
    with Desk.open(run) as desk:
        do(desk, "accept", 3)
    assert ask(str(run)).output == "every dispute is settled, nothing needs another label\n"


def test_sentences_that_nobody_labelled_are_counted_until_somebody_decides_them(tmp_path: Path) -> None:
    """Nothing is disputed in them, so that they are in no queue."""
    line, unseen = "Ada/B-PER/B-PER slept/O/O", ["Bo/?/? left/?/?", "Cy/?/? ran/?/?"]
    run = saved(tmp_path / "run", corpus(line, line, *unseen, gold=False))
    told = "2 sentences were labelled by nobody: have them labelled, or leave them out"
    assert told in ask(str(run)).output.splitlines()
    assert "nothing needs another label" not in ask(str(run)).output
    assert json.loads(ask(str(run), "--json", "-q").stdout)["unlabelled"] == 2
    with Desk.open(run) as desk:
        desk.act(
            Act(kind="marks", id="one", reviewer="bea", sentence=2, begin=0, end=1, marks=((0, 1, "PER"),))
        )
    assert next_tasks(run).unlabelled == 1


@pytest.mark.parametrize("target", [None, "label-studio", "conll", "doccano", "brat"])
def test_a_list_for_each_annotator_with_disputed_spans_marked(
    run: Path, tmp_path: Path, target: str | None
) -> None:
    written = {one.annotator: one for one in write_asks(next_tasks(run), tmp_path / "asks", target)}
    assert sorted(written) == ["bob", "cy"]
    assert written["cy"].sentences == 3
    settings = ReadSettings(format=target, predictions=target == "label-studio")
    back = read(written["cy"].out, settings if target else ReadSettings()).corpus
    assert labelled(back) == [("New", "LOC"), ("Washington", "LOC"), ("Washington", "LOC")]


def labelled(corpus: Corpus) -> list[tuple[str, str]]:
    """Words and labels of one-word spans; "Bo" is marked by all and so is nothing to ask about."""
    found = []
    for sentence in corpus:
        tags = sentence.gold or next(iter(sentence.annotations.values()), ())
        found += [
            (word, tag[2:]) for word, tag in zip(sentence.tokens, tags, strict=False) if tag and tag != "O"
        ]
    return sorted(found)


def test_hostile_names_are_no_paths(tmp_path: Path) -> None:
    records = washington().to_records()
    names = {"bob": "../../evil", "cy": "..\\EVIL", "ann": "ann", "dee": "dee"}
    for record in records:
        record["annotations"] = {names[name]: tags for name, tags in record["annotations"].items()}
    run = saved(tmp_path / "run", Corpus.from_records(records))
    written = write_asks(next_tasks(run), tmp_path / "asks")
    names_made = sorted(path.name for path in (tmp_path / "asks").iterdir())
    assert names_made == ["EVIL-2.consensus.jsonl", "evil.consensus.jsonl"]
    assert all(Path(one.out).parent == tmp_path / "asks" for one in written)


def test_a_folder_with_something_in_it_is_left_alone(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="exists already"):
        write_asks(next_tasks(run), tmp_path)
    with pytest.raises(UsageError, match="no room for labels"):
        write_asks(next_tasks(run), tmp_path / "asks", "mturk")


def test_the_command_prints_for_people_and_for_programs(run: Path, tmp_path: Path) -> None:
    done = ask(str(run), "-n", "2")
    assert done.exit_code == 0
    assert done.output.startswith("2 of 4 sentences with open disputes, the least sure first:\n1. d")
    told = json.loads(ask(str(run), "--json", "-o", str(tmp_path / "asks")).output)
    assert told["total"] == 4
    assert {"id", "doc", "tokens", "gain", "ask", "again", "places"} == set(told["tasks"][0])
    assert [one["annotator"] for one in told["written"]] == ["bob", "cy"]
    assert ask(str(run), "--to", "conll").exit_code == 2


def test_one_sentence_is_not_called_sentences() -> None:
    task = SimpleNamespace(doc=None, id="s1", places=(), ask=(), again=())
    found = SimpleNamespace(tasks=[task], total=1, unlabelled=0)
    assert task_lines(found)[0] == "1 of 1 sentence with open disputes, the least sure first:"
