"""An audit of a run: a blind sample in a fixed order, answers in any format, and what they prove."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdseq.cli.audit import command
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import decode
from crowdseq.errors import AnnotationError, FormatError
from crowdseq.evaluation.auditing.figures import Needed
from crowdseq.evaluation.scores import evaluate
from crowdseq.formats import write
from crowdseq.reports.audits import needed_line
from crowdseq.workflows.auditing.audit import Audit
from crowdseq.workflows.auditing.exchange import AuditRequest, audit_run
from crowdseq.workflows.auditing.others import count_labels, judge_annotators
from crowdseq.workflows.demonstrating import demo_corpus
from crowdseq.workflows.learning import learn
from crowdseq.workflows.reading import read
from crowdseq.workflows.runs.verifying import verify_run


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return demo_corpus().select(range(60))


@pytest.fixture(scope="module")
def learned(gold: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit") / "run"
    learn(gold, "majority-vote", tagger=False).save(folder)
    return folder


@pytest.fixture
def run(learned: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(learned, tmp_path / "run"))


def answers(gold: Corpus, sentences: Sequence[int], path: Path, format: str | None = None) -> str:
    """A file in which rae labels these sentences as gold says."""
    builder = CorpusBuilder()
    for number in sentences:
        sentence = gold.sentences[number]
        builder.add(Record(sentence.tokens, sentence.id, None, {"rae": gold.gold[number] or ()}))
    write(builder.build(gold.scheme), path, format=format)
    return str(path)


def read_with_gold(audit: Audit, gold: Corpus, sentences: Sequence[int]) -> None:
    for number in sentences:
        audit.answer(number, decode(gold.scheme, gold.gold[number] or ()), "rae")


def test_the_sample_is_blind_and_in_the_order_drawn(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "sample.jsonl"
    report = audit_run(AuditRequest(run=str(run), out=str(out), n=7))
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert (report.n_written, len(lines)) == (7, 7)
    assert all(line["gold"] is None and line["annotations"] == {} for line in lines)
    with Audit.open(run) as audit:
        ids = audit.consensus.corpus.text.ids
        assert [line["id"] for line in lines] == [ids[number] for number in audit.next_sentences(7)]


def test_the_order_outlives_the_process_and_the_seed(run: Path) -> None:
    with Audit.open(run, seed=1) as audit:
        first, notes = audit.next_sentences(9), audit.notes
    with Audit.open(run, seed=2) as audit:
        assert audit.next_sentences(9) == first
        assert audit.notes == ()
    assert "a new audit begins" in notes[0]
    assert verify_run(run).notes == ()


def test_answers_that_leave_out_a_sentence_wait_for_it(run: Path, gold: Corpus) -> None:
    with Audit.open(run) as audit:
        drawn = audit.next_sentences(6)
        read_with_gold(audit, gold, [drawn[0], drawn[1], drawn[3], drawn[4]])
        bounds = audit.bounds()
        assert (bounds.n_audited, bounds.n_waiting) == (2, 2)
        assert audit.next_sentences(2) == (drawn[2], drawn[5])
        read_with_gold(audit, gold, [drawn[2]])
        assert (audit.bounds().n_audited, audit.bounds().n_waiting) == (5, 0)


def test_bounds_enclose_what_gold_says_of_the_rest_and_end_there(run: Path, gold: Corpus) -> None:
    with Audit.open(run) as audit:
        drawn = audit.next_sentences(60)
        read_with_gold(audit, gold, drawn[:40])
        errors = audit_errors(audit, gold, drawn[40:])
        bounds = audit.bounds()
        assert bounds.precision is not None
        assert bounds.precision.low <= 1 - errors[1] / errors[0] <= bounds.precision.high
        read_with_gold(audit, gold, drawn[40:])
        assert (audit.bounds().n_unread, audit.next_sentences()) == (0, ())


def audit_errors(audit: Audit, gold: Corpus, sentences: Sequence[int]) -> tuple[int, int]:
    given = wrong = 0
    for number in sentences:
        said = set(decode(gold.scheme, audit.consensus.tags[number]))
        given, wrong = given + len(said), wrong + len(said - set(decode(gold.scheme, gold.gold[number])))
    return given, wrong


def test_an_answer_that_is_taken_back_counts_no_more(run: Path, gold: Corpus) -> None:
    with Audit.open(run) as audit:
        drawn = audit.next_sentences(4)
        read_with_gold(audit, gold, drawn)
        assert audit.bounds().n_audited == 4
        audit.store.undo_last(id="u1", reviewer="rae")
        assert (audit.bounds().n_audited, audit.next_sentences()) == (3, (drawn[3],))


def test_another_answer_to_the_same_sentence_takes_its_place(run: Path, gold: Corpus) -> None:
    with Audit.open(run) as audit:
        (first,) = audit.next_sentences()
        audit.answer(first, [(0, 1, gold.scheme.types[0])], "rae")
        audit.bounds()
        read_with_gold(audit, gold, [first])
        assert audit.bounds().n_audited == 1
        assert gold.scheme.names(audit.truth([first])) == gold.gold[first]


def test_changed_labels_begin_a_new_audit_without_what_was_read(run: Path, gold: Corpus) -> None:
    with Audit.open(run) as audit:
        drawn = audit.next_sentences(5)
        read_with_gold(audit, gold, drawn)
    frame = (run / "audit.safetensors").read_bytes()
    learn(gold, "dawid-skene", tagger=False).save(run, force=True)
    (run / "audit.safetensors").write_bytes(frame)
    with Audit.open(run) as audit:
        assert "the labels of this run changed" in audit.notes[0]
        assert set(audit.frame.sentences.tolist()) == set(range(60)) - set(drawn)
        assert audit.bounds().n_audited == 0


@pytest.mark.parametrize(
    "name", ["a.jsonl", "a.conll", "a.json:label-studio", "a.jsonl:prodigy", "a/:doccano"]
)
def test_answers_come_back_from_any_tool(run: Path, gold: Corpus, tmp_path: Path, name: str) -> None:
    path, _, form = name.partition(":")
    with Audit.open(run) as audit:
        drawn = audit.next_sentences(12)
    file = answers(gold, drawn, tmp_path / path, form or None)
    report = audit_run(AuditRequest(run=str(run), answers=file))
    assert (report.n_read, report.bounds.n_audited) == (12, 12)
    with Audit.open(run) as audit:
        audit.sync()
        truth = [tag for number in drawn for tag in gold.gold[number]]
        assert list(gold.scheme.names(audit.truth(drawn))) == truth
    again = audit_run(AuditRequest(run=str(run), answers=file))
    assert (again.n_read, again.bounds.n_audited) == (0, 12)


@pytest.mark.parametrize(
    "name", ["s.conll", "s.json:label-studio", "s.jsonl:prodigy", "s/:doccano", "s/:brat"]
)
def test_a_sample_for_a_tool_holds_all_sentences_and_no_label(run: Path, tmp_path: Path, name: str) -> None:
    path, _, form = name.partition(":")
    audit_run(AuditRequest(run=str(run), out=str(tmp_path / path), target=form or None, n=5))
    back = read(tmp_path / path, format=form or None, tokenizer="whitespace", empty_means="labelled")
    assert len(back) == 5
    assert all(tag in (None, "O") for tag in back.scheme.names(back.annotations.tags))


def test_a_sentence_that_was_not_drawn_is_told(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "x9", "tokens": ["Nobody", "said"], "annotations": {"rae": ["O", "O"]}}\n')
    with pytest.raises(FormatError, match=r"a\.jsonl: x9: is not a sentence of this audit"):
        audit_run(AuditRequest(run=str(run), answers=str(file)))
    with Audit.open(run) as audit:
        assert audit.bounds().n_audited == 0
        with pytest.raises(AnnotationError, match="not in the frame"):
            audit.answer(999, [], "rae")


def test_an_unknown_label_is_told_and_nothing_is_kept(run: Path, gold: Corpus, tmp_path: Path) -> None:
    with Audit.open(run) as audit:
        one, two = audit.next_sentences(2)
    rows = [(one, "O"), (two, "B-DRAGON")]
    file = tmp_path / "a.jsonl"
    file.write_text(
        "".join(
            json.dumps(
                {
                    "id": gold.text.ids[number],
                    "tokens": list(gold.text.tokens[number]),
                    "annotations": {"rae": [tag, *["O"] * (len(gold.text.tokens[number]) - 1)]},
                }
            )
            + "\n"
            for number, tag in rows
        )
    )
    with pytest.raises(FormatError, match="DRAGON"):
        audit_run(AuditRequest(run=str(run), answers=str(file)))
    with Audit.open(run) as audit:
        assert audit.bounds().n_audited == 0


def test_the_same_answers_judge_annotators_and_count_labels(run: Path, gold: Corpus) -> None:
    with Audit.open(run) as audit:
        read_with_gold(audit, gold, audit.next_sentences(60))
        judged = {one.name: one for one in judge_annotators(audit)}
        counts = count_labels(audit)
    for number, name in enumerate(gold.annotators):
        seen = [i for i in range(60) if number in gold.annotations.ballots[i].voters]
        rows = [
            gold.scheme.names(ballot.tags[ballot.voters.tolist().index(number)])
            for ballot in (gold.annotations.ballots[i] for i in seen)
        ]
        true = evaluate([gold.gold[i] for i in seen], rows, scheme=gold.scheme).f1
        assert judged[name].sentences == len(seen)
        assert [judged[name].f1.low, judged[name].f1.high] == pytest.approx([true or 0.0] * 2)
    spans = [span.label for tags in gold.gold for span in decode(gold.scheme, tags or ())]
    assert {name: (one.low, one.high) for name, one in counts.items()} == {
        name: (spans.count(name), spans.count(name)) for name in gold.scheme.types
    }


def test_the_command_prints_the_bound_and_what_it_takes(run: Path, gold: Corpus, tmp_path: Path) -> None:
    with Audit.open(run) as audit:
        drawn = audit.next_sentences(30)
    file = answers(gold, drawn, tmp_path / "a.jsonl")
    told = CliRunner().invoke(command, [str(run), "--answers", file, "--error", "0.9"])
    assert told.exit_code == 0
    assert "precision" in told.output
    assert "F1 of 0.10" in told.output or "F1 0.10" in told.output
    found = json.loads(CliRunner().invoke(command, [str(run), "--json", "-q"]).stdout)
    assert (found["audited"], found["unread"]) == (30, 30)
    assert set(found["f1"]) == {"low", "high", "estimate"}
    assert found["needed"]["error"] == 0.04


def test_a_sample_that_came_back_without_labels_is_told(run: Path, tmp_path: Path) -> None:
    sample = str(tmp_path / "sample.jsonl")
    CliRunner().invoke(command, [str(run), "-o", sample, "-n", "2"])
    told = CliRunner().invoke(command, [str(run), "--answers", sample])
    assert told.exit_code == 0
    assert told.stderr.endswith(f"{sample}: no new answers in it (a sentence without labels is none)\n")
    assert "draw a sample" not in told.stderr


def test_a_figure_is_not_called_impossible_by_a_few_answers() -> None:
    line = needed_line(Needed(None, "about 8.5% seem to be wrong, mend more first"), 0.04, "f1")
    assert line == "F1 of 0.96 is out of reach as it stands: about 8.5% seem to be wrong, mend more first"


def test_an_open_sample_is_written_again_and_it_is_said(run: Path, tmp_path: Path) -> None:
    samples = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for sample in samples:
        told = CliRunner().invoke(command, [str(run), "-o", str(sample), "-n", "2"])
        assert "until they are answered, the same sentences are written again" in told.stderr
    assert samples[0].read_text() == samples[1].read_text()


def test_one_is_told_as_one(run: Path, tmp_path: Path) -> None:
    told = CliRunner().invoke(command, [str(run), "-o", str(tmp_path / "one.jsonl"), "-n", "1"])
    assert "one.jsonl: 1 sentence to label blind" in told.output
