"""What Python people try first: any crowd into learn, plain errors, short answers, a tagger to keep."""

import pickle
from pathlib import Path
from typing import Any

import pytest

import crowdseq
from builders import random_corpus
from crowdseq.errors import AnnotationError, SettingsError

RECORDS = [
    {"id": "a", "tokens": ["Ada", "slept"], "annotations": {"ann": ["B-PER", "O"], "bob": ["B-PER", "O"]}},
    {"id": "b", "tokens": ["Bo"], "annotations": {"ann": ["B-PER"], "bob": ["O"], "cy": ["B-PER"]}},
]


def _learned(crowd: Any, **settings: Any) -> crowdseq.Run:
    return crowdseq.learn(crowd, "majority-vote", tagger=False, **settings)


@pytest.fixture
def crowd_file(tmp_path: Path) -> Path:
    path = tmp_path / "crowd.jsonl"
    crowdseq.write(crowdseq.Corpus.from_records(RECORDS), path)
    return path


def test_learn_takes_whatever_holds_a_crowd(crowd_file: Path) -> None:
    corpus = crowdseq.Corpus.from_records(RECORDS)
    sources: list[Any] = [
        corpus,
        RECORDS,
        iter(RECORDS),
        list(corpus),
        crowd_file,
        str(crowd_file),
        [crowd_file],
        corpus.to_frame("pyarrow"),
    ]
    for source in sources:
        run = _learned(source)
        assert list(run.consensus.tags) == [("B-PER", "O"), ("B-PER",)]
        assert [report.annotator for report in run.annotators] == ["ann", "bob", "cy"]


@pytest.mark.parametrize("source", [None, 7, b"x", {"tokens": []}])
def test_learn_says_what_it_takes(source: Any) -> None:
    with pytest.raises(
        SettingsError, match="a corpus, a path, a list of records or a data frame is expected"
    ):
        crowdseq.learn(source)


def test_read_takes_lists_of_paths_and_names_the_door_for_the_rest(crowd_file: Path) -> None:
    assert crowdseq.read([crowd_file]) == crowdseq.read(crowd_file) == crowdseq.read(str(crowd_file))
    with pytest.raises(SettingsError, match=r"read takes files; .* crowdseq\.Corpus\.from_records"):
        crowdseq.read(RECORDS)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=r"read takes files; .* crowdseq\.Corpus\.from_frame"):
        crowdseq.read(crowdseq.read(crowd_file).to_frame("pyarrow"))
    with pytest.raises(SettingsError, match="read takes names of files and folders, not a int"):
        crowdseq.read(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wish",
    [
        lambda: crowdseq.read("gone.jsonl"),
        lambda: crowdseq.learn("gone.jsonl"),
        lambda: crowdseq.load("gone"),
        lambda: crowdseq.Tagger.load("gone"),
        lambda: crowdseq.evaluate("gone.conll", "gone.jsonl"),
    ],
)
def test_a_file_that_is_not_there_is_a_file_not_found_error(wish: Any) -> None:
    with pytest.raises(FileNotFoundError, match=r"^gone.*: there is no such (file|folder)") as told:
        wish()
    assert isinstance(told.value, crowdseq.CrowdseqError)
    assert str(told.value.filename).startswith("gone")
    again = pickle.loads(pickle.dumps(told.value))
    assert str(again) == str(told.value)


def test_a_missing_file_beside_a_faulty_one_is_no_mere_missing_file(tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.jsonl"
    faulty.write_text('{"tokens": 3}\n')
    with pytest.raises(crowdseq.CrowdseqError, match="no such file") as told:
        crowdseq.read("gone.jsonl", faulty)
    assert not isinstance(told.value, FileNotFoundError)


def test_evaluate_takes_nouns_on_both_sides(tmp_path: Path) -> None:
    corpus = random_corpus(5, sentences=30)
    run = crowdseq.learn(corpus, "majority-vote")
    wanted = crowdseq.evaluate(list(corpus.gold), list(run.consensus.tags))
    assert crowdseq.evaluate(corpus, run) == wanted
    assert crowdseq.evaluate(corpus, run.consensus) == wanted
    assert crowdseq.evaluate(corpus, list(run.consensus.tags)) == wanted
    assert run.tagger is not None
    tagged = run.tagger.tag_many(list(corpus.text.tokens))
    assert crowdseq.evaluate(corpus, run.tagger) == crowdseq.evaluate(list(corpus.gold), tagged)
    assert (
        crowdseq.evaluate(run.consensus, run.tagger).f1
        == crowdseq.evaluate(list(run.consensus.tags), tagged).f1
    )
    crowdseq.write(corpus.keep_annotators([]), tmp_path / "gold.jsonl")
    assert crowdseq.evaluate(tmp_path / "gold.jsonl", run) == wanted


def test_sentences_are_matched_by_their_ids() -> None:
    corpus = random_corpus(5, sentences=30)
    run = _learned(corpus)
    order = list(range(len(corpus)))[::-1]
    assert crowdseq.evaluate(corpus.select(order), run).f1 == crowdseq.evaluate(corpus, run).f1
    other = random_corpus(6, sentences=30)
    with pytest.raises(AnnotationError, match="other tokens"):
        crowdseq.evaluate(other, run)


def test_the_wrong_order_is_told_and_not_guessed() -> None:
    corpus = random_corpus(5)
    run = _learned(corpus)
    with pytest.raises(SettingsError, match=r"gold comes first: evaluate\(corpus, consensus\)"):
        crowdseq.evaluate(run.consensus, corpus)
    with pytest.raises(SettingsError, match="a tagger needs text"):
        crowdseq.evaluate([["O"]], crowdseq.learn(corpus, "majority-vote").tagger)


def test_a_tagger_is_saved_and_loaded(tmp_path: Path) -> None:
    corpus = random_corpus(5, sentences=30)
    run = crowdseq.learn(corpus, "majority-vote")
    assert isinstance(run.tagger, crowdseq.Tagger)
    run.tagger.save(tmp_path / "tagger")
    run.save(tmp_path / "run")
    words = list(corpus.text.tokens)
    for folder in (tmp_path / "tagger", tmp_path / "run", str(tmp_path / "run" / "tagger")):
        assert crowdseq.Tagger.load(folder).tag_many(words) == run.tagger.tag_many(words)


def test_answers_at_the_prompt_are_short() -> None:
    corpus = random_corpus(5, sentences=300)
    run = crowdseq.learn(corpus, "majority-vote")
    nouns = (corpus, run, run.consensus, run.tagger, run.annotators)
    for noun in nouns:
        assert len(repr(noun)) < 300
        assert "array" not in repr(noun)
        assert "\n" not in repr(noun)
    assert "<table>" in run._repr_html_()
