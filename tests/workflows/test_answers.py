"""Which tags of a file are compared."""

from pathlib import Path

import pytest

from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.workflows.answers import answer_of, gold_of
from crowdseq.workflows.reading import read

GOLD = '"gold": ["B-PER", "O"]'


def read_lines(folder: Path, *inside: str) -> Corpus:
    lines = [f'{{"id": "s{n}", "tokens": ["Ada", "met"], {keys}}}\n' for n, keys in enumerate(inside)]
    (folder / "file.jsonl").write_text("".join(lines))
    return read(folder / "file.jsonl")


def test_labels_beside_gold_are_the_answer_and_gold_is_the_gold(tmp_path: Path) -> None:
    corpus = read_lines(tmp_path, f'{GOLD}, "labels": ["O", "O"]')
    assert [list(tags) for tags in answer_of(corpus)] == [["O", "O"]]
    assert [list(tags) for tags in gold_of(corpus)] == [["B-PER", "O"]]


def test_gold_never_fills_in_for_a_sentence_that_the_tagger_left_out(tmp_path: Path) -> None:
    corpus = read_lines(tmp_path, f'{GOLD}, "labels": ["O", "O"]', GOLD)
    with pytest.raises(AnnotationError, match="sentence s1 of the predicted file has no tags"):
        answer_of(corpus)


def test_a_field_that_only_shares_the_name_is_no_answer(tmp_path: Path) -> None:
    corpus = read_lines(tmp_path, f'{GOLD}, "labels": ["sport"]', f'{GOLD}, "labels": []')
    assert [list(tags) for tags in answer_of(corpus)] == [["B-PER", "O"]] * 2


def test_a_single_annotator_gives_the_answer_and_never_the_gold(tmp_path: Path) -> None:
    corpus = read_lines(tmp_path, '"annotations": {"model": ["B-PER", null]}')
    assert answer_of(corpus) == [["B-PER", None]]
    with pytest.raises(AnnotationError, match=r"the votes of model and no gold; .* files_mean='gold' reads"):
        gold_of(corpus)


def test_a_sentence_that_the_single_annotator_did_not_see_is_told(tmp_path: Path) -> None:
    corpus = read_lines(tmp_path, '"annotations": {"model": ["O", "O"]}', '"annotations": {}')
    with pytest.raises(AnnotationError, match=r"s1 .*model did not label it; empty_means='labelled'"):
        answer_of(corpus)


def test_a_crowd_is_no_answer(tmp_path: Path) -> None:
    corpus = read_lines(tmp_path, '"annotations": {"a": ["O", "O"], "b": ["O", "O"]}')
    with pytest.raises(AnnotationError, match="votes of 2 annotators; learn their consensus"):
        answer_of(corpus)


def test_what_was_left_out_of_a_file_without_answer_is_named(tmp_path: Path) -> None:
    corpus = read_lines(tmp_path, '"gold": null')
    with pytest.raises(AnnotationError, match="read them with predictions="):
        answer_of(corpus, left_out=True)
    with pytest.raises(AnnotationError, match="neither labels nor gold nor an annotator"):
        answer_of(corpus)
