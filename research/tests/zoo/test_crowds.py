"""The list of the zoo is as large and as mixed as promised, and its draws are what they say."""

from pathlib import Path

import numpy as np
import pytest

from crowdseq import demo_corpus
from crowdseq_research.zoo.cells import ROWS, consensus_figures, zoo_keys
from crowdseq_research.zoo.crowds import QUICK, ZOO, find_crowd, kinds
from crowdseq_research.zoo.real_crowds import draw_documents, keep_some, rebuilt


def test_the_zoo_has_sixty_crowds_of_twenty_kinds() -> None:
    assert len(ZOO) >= 60
    assert len(kinds()) >= 20
    assert len({crowd.name for crowd in ZOO}) == len(ZOO)
    assert {find_crowd(name).name for name in QUICK} == set(QUICK)


def test_every_row_meets_every_draw() -> None:
    keys = zoo_keys()
    assert len(keys) == len(ROWS) * sum(crowd.draws for crowd in ZOO)


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
