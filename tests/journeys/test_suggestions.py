"""One annotator only: the labels stay, and what the text says of them is told beside."""

import json
from pathlib import Path

import numpy as np

import crowdseq
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import decode
from crowdseq.formats import write
from crowdseq.storage.manifest import MANIFEST
from crowdseq.workflows.runs.verifying import verify_run
from journeys.conftest import Shell
from lone_worlds import lone_corpus

KINDS = ("add", "doubt", "instead")


def own_tags(corpus: Corpus) -> np.ndarray:
    """(T,) the labels of the only annotator."""
    votes = corpus.annotations.votes()
    tags = np.full(corpus.n_tokens, -1)
    tags[votes.tokens] = votes.labels
    return tags


def test_a_lone_annotator_keeps_the_labels_and_is_told_what_the_text_suggests(
    shell: Shell, tmp_path: Path
) -> None:
    corpus = lone_corpus()
    write(corpus, tmp_path / "crowd.jsonl")
    answer = shell("learn", "crowd.jsonl", "--no-tagger", "-o", "run")
    assert answer.code == 0, answer.err
    run = crowdseq.load(tmp_path / "run")
    np.testing.assert_array_equal(run.consensus.tag_ids, own_tags(corpus))
    path = tmp_path / "run" / "suggestions.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert {line["kind"] for line in lines} == {*KINDS}
    # What is listed is what the run counts, and what Python and a run that is opened give.
    (remark,) = (one for one in run.remarks if one.kind == "alone")
    assert remark.evidence["suggested"] == sum(len(line["suggested"]) for line in lines)
    assert remark.evidence["doubted"] == sum(len(line["kept"]) for line in lines)
    assert [one.as_dict() for one in run.suggestions] == lines
    assert crowdseq.learn(tmp_path / "crowd.jsonl", tagger=False).suggestions == run.suggestions
    # It is told where they are, and they stand in the manifest and the report.
    kinds = [line["kind"] for line in lines]
    counts = f"{kinds.count('add')} to add, {kinds.count('doubt')} in doubt, {kinds.count('instead')} other"
    assert f"suggestions of the text ({counts} than kept): run/suggestions.jsonl" in answer.out
    assert "suggestions.jsonl" in json.loads((tmp_path / "run" / MANIFEST).read_text())["files"]
    assert 'id="suggestions"' in (tmp_path / "run" / "report.html").read_text("utf-8")
    # The list is made for people: a run is opened from its arrays.
    path.unlink()
    assert crowdseq.load(tmp_path / "run").suggestions == run.suggestions
    (note,) = verify_run(tmp_path / "run").notes
    assert note.startswith("suggestions.jsonl ")


def test_most_of_what_is_suggested_is_what_the_annotator_got_wrong() -> None:
    corpus, demo = lone_corpus(300), crowdseq.demo_corpus()
    true = {
        (demo.text.ids[number], span.start, span.end)
        for number in range(len(corpus))
        for span in decode(demo.scheme, demo.gold[number] or ())
    }
    found = crowdseq.learn(corpus, tagger=False).suggestions
    places = {
        kind: [(one.sentence, one.start, one.end) for one in found if one.kind == kind] for kind in KINDS
    }
    assert np.mean([place in true for place in places["add"]]) > 0.7
    assert np.mean([place not in true for place in places["doubt"]]) > 0.7


def test_a_usual_crowd_gets_no_list(shell: Shell, small_crowd: Path) -> None:
    answer = shell("learn", str(small_crowd), "--no-tagger", "-o", "run")
    assert answer.code == 0, answer.err
    assert "suggestions" not in answer.out
    run = small_crowd.parent / "run"
    assert not (run / "suggestions.jsonl").exists()
    assert crowdseq.load(run).suggestions == ()
