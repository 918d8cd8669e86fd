"""Long documents are cut into sentences, and exports give them back as they were."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.core.building import CorpusBuilder
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.formats import read, write, write_consensus
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.settings import PART, SPANS, TEXT, ReadSettings
from crowdseq.formats.spans.documents import cut_documents, join_documents
from crowdseq.formats.spans.kept_text import Document
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.sentence_rules import sentence_starts
from crowdseq.formats.spans.to_records import Marker
from file_fixtures import Put

FILLER = "Then nothing at all happened for a while, and nobody minded. " * 12
TEXT_OF_ALL = f"  Ada Byron met Bo.  They left Paris. The rest is long.\n{FILLER}\nDr. Who came back!  "


def marked(text: str, *words: str) -> list[list[Any]]:
    return [[text.index(word), text.index(word) + len(word), "PER"] for word in words]


def documents(put: Put, text: str = TEXT_OF_ALL) -> str:
    """Two members of a doccano project; bob marks something that goes over the end of a sentence."""
    ana, bob = marked(text, "Ada Byron", "Bo", "Dr. Who"), marked(text, "Paris. The rest")
    for name, label in (("ana", ana), ("bob", bob)):
        lines = [
            {"id": 1, "text": text, "label": label},
            {"id": 2, "text": "Short. Text.", "label": [[0, 5, "LOC"]]},
        ]
        put(f"crowd/{name}.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    return "crowd"


def test_a_long_document_is_cut_the_same_for_all_and_a_short_one_is_not(put: Put) -> None:
    imported = read(documents(put))
    found = imported.corpus
    assert [s.id for s in found.sentences][:3] == ["1-1", "1-2", "1-3"]
    assert found.sentences[0].tokens == ("Ada", "Byron", "met", "Bo", ".")
    assert {s.doc for s in found.sentences} == {"1", None}
    assert found.sentences[len(found) - 1].tokens == ("Short", ".", "Text", ".")
    assert (found.n_voters == 2).all()
    assert "sentences='document' keeps them whole" in str(imported.report.finding("documents-cut"))


def test_no_cut_falls_into_a_span_of_anybody(put: Put) -> None:
    found = read(documents(put)).corpus
    (whole,) = [s for s in found.sentences if "Paris" in s.tokens]
    assert whole.tokens == ("They", "left", "Paris", ".", "The", "rest", "is", "long", ".")
    assert whole.extras[SPANS]["bob"] == [[10, 25, "PER"]]


def test_the_pieces_are_the_text(put: Put) -> None:
    found = read(documents(put)).corpus
    parts = [s.extras[TEXT] for s in found.sentences if PART in s.extras]
    assert "".join(parts) == TEXT_OF_ALL


def test_a_document_is_kept_whole_on_request(put: Put) -> None:
    imported = read(documents(put), sentences="document")
    assert [s.id for s in imported.corpus.sentences] == ["1", "2"]
    assert imported.report.finding("documents-cut") is None


def test_short_ones_are_cut_when_rules_are_asked_for(put: Put) -> None:
    found = read(documents(put), sentences="rules").corpus
    assert [s.tokens for s in found.sentences][-2:] == [("Short", "."), ("Text", ".")]


@pytest.mark.parametrize("form", ["label-studio", "doccano", "argilla", "prodigy", "brat", "jsonl"])
def test_an_export_gives_back_documents_and_offsets(form: str, put: Put) -> None:
    name = documents(put)
    cut, whole = read(name).corpus, read(name, sentences="document").corpus
    write(cut, "cut.out", format=form)
    again = read("cut.out", format=None if Path("cut.out").is_dir() else form, sentences="document").corpus
    again = join_documents(again) if form == "jsonl" else again
    assert spans(again) == spans(whole)


def spans(corpus: Corpus) -> dict[str, Any]:
    return {
        s.extras[TEXT]: {who: sorted(marks) for who, marks in s.extras[SPANS].items()}
        for s in corpus.sentences
    }


def test_a_consensus_is_written_on_the_documents(put: Put) -> None:
    found = read(documents(put)).corpus
    tags = found.annotations.ballots
    chosen = np.concatenate([ballot.tags[0] for ballot in tags]).astype(np.int16)
    write_consensus(
        Consensus(found, chosen, np.eye(len(found.scheme))[chosen], ()), "c.json", format="label-studio"
    )
    (first, second) = json.loads(Path("c.json").read_text())
    assert (first["data"]["text"], second["data"]["text"]) == (TEXT_OF_ALL, "Short. Text.")
    values = [region["value"] for region in first["predictions"][0]["result"]]
    assert [value["text"] for value in values] == ["Ada Byron", "Bo", "Dr. Who"]
    assert all(TEXT_OF_ALL[value["start"] : value["end"]] == value["text"] for value in values)


def test_documents_of_which_a_part_is_missing_stay_cut(put: Put) -> None:
    found = read(documents(put)).corpus
    less = found.select(range(1, len(found)))
    assert len(join_documents(less)) == len(less)


def test_what_was_normalised_comes_back_as_it_was(put: Put) -> None:
    text = TEXT_OF_ALL.replace("\n", "\r\n").replace("Bo.", "Zoe\u0308.").replace("Bo", "Zoe\u0308")
    line = {"id": 1, "text": text, "label": [[text.index("Zoe"), text.index("Zoe") + 4, "PER"]]}
    put("crowd/ana.jsonl", json.dumps(line) + "\n")
    found = read("crowd", normalise="nfc").corpus
    assert len(found) > 3
    write(found, "again.json", format="label-studio")
    (task,) = json.loads(Path("again.json").read_text())
    assert task["data"]["text"] == text
    assert task["annotations"][0]["result"][0]["value"]["text"] == "Zoe\u0308"


def test_spacy_cuts_by_choice(put: Put) -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed (extra: spacy)")
    found = read(documents(put), sentences="spacy:en").corpus
    assert found.sentences[0].tokens == ("Ada", "Byron", "met", "Bo", ".")


@given(
    st.text(alphabet="aB .!?\n1。", min_size=1, max_size=40),
    st.lists(st.tuples(st.integers(0, 39), st.integers(0, 39), st.sampled_from("ab")), max_size=4),
)
def test_what_was_cut_is_put_together_again(text: str, marks: list[tuple[int, int, str]]) -> None:
    regions = [(a, b, who) for a, b, who in marks if a < b <= len(text) and text[a:b].strip()]
    votes = {who: [Region(a, b, ["X"]) for a, b, name in regions if name == who] for who in "ab"}
    builder = CorpusBuilder()
    with Collector(ReadSettings(sentences="document")) as collector:
        for record in Marker(collector, "f").records(Document(text, "d"), votes):
            builder.add(record)
    world = builder.build("IOB2")
    cut = cut_documents(world, [0], sentence_starts)
    assert join_documents(cut) == world
    assert "".join(s.extras[TEXT] for s in cut.sentences) == text
    held = [mark for s in cut.sentences for found in s.extras[SPANS].values() for mark in found]
    assert len(held) == sum(map(len, world.sentences[0].extras[SPANS].values()))
