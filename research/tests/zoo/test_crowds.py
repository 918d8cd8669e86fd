"""The list of the zoo is as large and as mixed as promised, and its draws are what they say."""

from pathlib import Path

import numpy as np
import pytest

from crowdseq import demo_corpus
from crowdseq_research.zoo.cells import zoo_keys
from crowdseq_research.zoo.crowds import FINAL, QUICK, ZOO, find_crowd, kinds
from crowdseq_research.zoo.figures import consensus_figures, crowd_digest, likeness, part_scores
from crowdseq_research.zoo.real_crowds import draw_documents, keep_some, rebuilt
from crowdseq_research.zoo.rows import PAPER, ROWS, Row, known_rows


def test_the_zoo_has_sixty_crowds_of_twenty_kinds() -> None:
    assert len(ZOO) >= 60
    assert len(kinds()) >= 20
    assert len({crowd.name for crowd in ZOO}) == len(ZOO)
    assert {find_crowd(name).name for name in QUICK} == set(QUICK)


def test_every_row_meets_every_draw() -> None:
    keys = [key for key in zoo_keys() if key["row"] != PAPER]
    rows = [row for row in known_rows() if row != PAPER]
    assert len(keys) == len(rows) * sum(crowd.draws for crowd in ZOO)
    assert {key["data"] for key in zoo_keys() if key["row"] == PAPER} == set(QUICK)


def test_a_setting_that_no_method_has_yet_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    known_rows.cache_clear()
    monkeypatch.setitem(ROWS, "later", Row("mace", {"something": 1}))
    monkeypatch.setitem(ROWS, "other preset", Row("sa-slc", {"preset": "other"}))
    assert not {"later", "other preset"} & set(known_rows())
    assert {"majority-vote", "sa-slc"} <= set(known_rows())
    known_rows.cache_clear()


def test_the_test_part_of_amt_is_in_the_final_crowd_alone(shared_data: Path) -> None:
    assert not {crowd.name for crowd in FINAL} & {key["data"] for key in zoo_keys()}
    (crowd,) = (crowd.make(shared_data, 0) for crowd in FINAL)
    assert {sentence.extras.get("split") for sentence in crowd.sentences} == {"val", "test"}
    val = find_crowd("amt-val").make(shared_data, 0)
    assert {sentence.extras.get("split") for sentence in val.sentences} == {"val"}


def test_small_crowds_are_drawn_five_times() -> None:
    draws = {crowd.name: crowd.draws for crowd in ZOO}
    assert draws["amt-100"] == draws["amt-500"] == 20
    assert all(draws[name] >= 5 for name in ("amt-50", "amt-200", "pico-40-abstracts", "oei-200", "pos-200"))


def test_documents_are_drawn_whole() -> None:
    crowd = demo_corpus()
    drawn = draw_documents(crowd, 60, 0)
    assert 60 <= len(drawn) < 90
    sizes = {name: sum(sentence.doc == name for sentence in crowd.sentences) for name in crowd.text.documents}
    kept = [sentence.doc for sentence in drawn.sentences]
    assert all(kept.count(name) == sizes[name] for name in set(kept))
    assert [s.id for s in draw_documents(crowd, 60, 1).sentences] != [s.id for s in drawn.sentences]


def test_so_many_annotators_are_kept_for_each_sentence() -> None:
    crowd = keep_some(demo_corpus(), 2, 0)
    assert int(crowd.n_voters.max()) == 2
    assert rebuilt(demo_corpus(), document="all").text.documents == ("all",)


def test_real_crowds_are_there(shared_data: Path) -> None:
    crowd = find_crowd("amt-50").make(shared_data, 0)
    assert {sentence.extras.get("split") for sentence in crowd.sentences} <= {"val", None}
    assert 50 <= len(crowd) < 150
    tags = find_crowd("tags-3").make(shared_data, 0)
    assert tags.scheme.is_plain
    assert len(tags.annotators) == 3


def test_a_crowd_with_gold_scores_itself() -> None:
    from crowdseq import learn

    figures = consensus_figures(learn(demo_corpus(), "gold", tagger=False).consensus)
    assert figures["score"] == pytest.approx(1.0)
    assert figures["settled_tokens"] == int(np.sum(demo_corpus().gold_tags != demo_corpus().scheme.outside))


def test_parts_are_scored_apart_and_a_consensus_is_like_itself() -> None:
    from crowdseq import learn

    votes = learn(demo_corpus(), "majority-vote", tagger=False).consensus
    gold = learn(demo_corpus(), "gold", tagger=False).consensus
    assert part_scores(votes) == {}
    assert likeness(votes, votes) == 1.0
    assert likeness(votes, gold) == pytest.approx(consensus_figures(votes)["score"])


def test_other_labels_are_another_crowd() -> None:
    crowd = demo_corpus()
    assert crowd_digest(crowd) == crowd_digest(demo_corpus())
    assert crowd_digest(crowd) != crowd_digest(keep_some(crowd, 2, 0))
