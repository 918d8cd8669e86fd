"""answers.txt of crowd studies: a token and all answers in a line."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_worlds import crowds
from crowdseq.core.corpus import Corpus
from crowdseq.formats import read
from file_fixtures import Faults, Put

TEXT = "EU ? B-ORG O\nrejects ? O O\n\n-DOCSTART- ? ? ?\n\nAda B-PER ? I-PER\n"


def test_a_question_mark_is_no_answer(put: Put) -> None:
    imported = read(put("answers.txt", TEXT))
    found = imported.corpus
    assert imported.report.files[0].format == "answers"
    assert [(s.id, s.doc, s.tokens) for s in found.sentences] == [
        ("s1", None, ("EU", "rejects")),
        ("s2", "d1", ("Ada",)),
    ]
    assert found.annotators == ("w1", "w2", "w3")
    assert [len(ballot.voters) for ballot in found.annotations.ballots] == [2, 2]


def test_a_file_that_begins_with_a_document_is_recognised(put: Put) -> None:
    text = "-DOCSTART- ? ?\n\nEU ? B-ORG\n"
    assert read(put("a", text)).report.files[0].format == "answers"


def test_a_line_with_too_few_answers_is_named(faults: Faults) -> None:
    found = faults("a.txt", "EU ? B-ORG O\nrejects ? O\n\nAda O O\n\nBo O O O\n", format="answers")
    assert found == [
        "a.txt:2: 2 answers where the first token has 3, write ? for no answer",
        "a.txt:4: 2 answers where the first token has 3, write ? for no answer",
    ]


def test_a_token_alone_has_no_answers(faults: Faults) -> None:
    (found, *_) = faults("a.txt", "EU\n", format="answers")
    assert found == "a.txt:1: 0 answers where the first token has 0, write ? for no answer"


def as_answers(world: Corpus, names: tuple[str, ...]) -> str:
    """A corpus in this form, written down the simple way."""
    blocks = []
    for place, sentence in enumerate(world.sentences):
        ballot = world.annotations.ballots[place]
        said = {
            world.annotators[who]: world.scheme.names(row)
            for who, row in zip(ballot.voters.tolist(), ballot.tags, strict=True)
        }
        rows = [
            " ".join([token, *((said[name][i] or "?") if name in said else "?" for name in names)])
            for i, token in enumerate(sentence.tokens)
        ]
        blocks.append("\n".join(rows))
    return "\n\n".join(blocks) + "\n"


words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=5)
crowd_names = st.sampled_from([f"w{number:02}" for number in range(1, 13)])


@given(crowds(tokens=words, kinds=["BIOES"], gold=False, annotators=crowd_names, docs=False))
def test_what_was_written_by_hand_is_read(world: Corpus) -> None:
    if not len(world):
        return
    text = as_answers(world, tuple(f"w{number:02}" for number in range(1, 13)))
    found = read(
        text.encode(), format="answers", scheme="BIOES", labels=("B-X", "I-X", "E-X", "S-X", "O")
    ).corpus
    assert [s.tokens for s in found.sentences] == [s.tokens for s in world.sentences]
    assert as_answers(found, found.annotators) == as_answers(world, found.annotators)


def test_the_amt_crowd_in_this_form_is_the_amt_crowd(shared_data: Path) -> None:
    with gzip.open(shared_data / "amt_conll2003" / "crowd.jsonl.gz", "rt", encoding="utf-8") as lines:
        objects = [json.loads(line) for line, _ in zip(lines, range(300), strict=False)]
    text = "\n".join(json.dumps({**item, "doc": None}) for item in objects)
    world = read(text.encode(), format="jsonl").corpus.without_gold()
    names = tuple(f"w{number:02}" for number in range(1, 48))
    imported = read(as_answers(world, names).encode())
    assert imported.report.files[0].format == "answers"
    assert as_answers(imported.corpus, names) == as_answers(world, names)


@pytest.mark.parametrize("text", ["EU O B-ORG\n", "EU NNP ?\n", "EU ?\n", "# columns: token a b\nEU ? O\n"])
def test_other_columns_are_not_taken_for_answers(put: Put, text: str) -> None:
    assert read(put("a.conll", text)).report.files[0].format == "conll"
