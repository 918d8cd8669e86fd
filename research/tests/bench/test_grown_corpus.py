"""Corpora that grow: words, documents and people follow from the seed, and new words keep coming."""

import json
from pathlib import Path

import numpy as np
from click.testing import CliRunner

import crowdseq
from crowdseq_research.bench.grown_corpus.__main__ import RECIPE, main
from crowdseq_research.bench.grown_corpus.people import People
from crowdseq_research.bench.grown_corpus.text import GrownText
from crowdseq_research.bench.grown_corpus.words import TAIL, Ranks, spelt


def test_every_rank_has_a_word_of_its_own() -> None:
    words = [spelt(rank) for rank in [*range(12_000), 10**9, 2**60]]
    assert len(set(words)) == len(words)


def test_new_words_keep_coming_as_the_tail_says() -> None:
    ranks = Ranks().draw(np.random.default_rng(0), 2_000_000)
    early, late = (len(np.unique(ranks[:count])) for count in (500_000, 2_000_000))
    exponent = np.log(late / early) / np.log(4)
    assert abs(exponent - 1 / TAIL) < 0.08


def test_a_document_follows_from_the_seed_and_its_number() -> None:
    text, people = GrownText(3), People(10, 4, 3)
    document = text.document(7)
    assert document == GrownText(3).document(7)
    assert people.marks(document) == People(10, 4, 3).marks(document)
    assert document != GrownText(4).document(7)


def test_a_careful_annotator_finds_more_than_a_guesser() -> None:
    text, people = GrownText(0), People(20, 20, 0)
    found = dict.fromkeys(people.names, 0)
    for number in range(20):
        document = text.document(number)
        for who, names in people.marks(document).items():
            found[who] += len(set(names) & set(document.names))
    kinds = dict(zip(people.names, people.characters, strict=True))
    worst = min(found[name] for name in found if kinds[name].kind == "careful")
    assert worst > 3 * max(found[name] for name in found if kinds[name].kind == "guesser")


def test_parts_hold_whole_documents_and_are_read_as_one_corpus(tmp_path: Path) -> None:
    options = ["--tokens", "4000", "--annotators", "8", "--parts", "3", "-o", str(tmp_path / "made")]
    assert CliRunner().invoke(main, options).exit_code == 0
    parts = sorted((tmp_path / "made").glob("part-*.jsonl.gz"))
    documents = [{one.doc for one in crowdseq.read(part).sentences} for part in parts]
    made = json.loads((tmp_path / "made" / RECIPE).read_bytes())
    whole = crowdseq.read(parts)
    assert sum(map(len, documents)) == len(set().union(*documents)) == made["documents"]
    assert whole.n_tokens == made["tokens"] == made["vocabulary"][-1][0]
    assert len(set(whole.text.words)) == made["vocabulary"][-1][1]
