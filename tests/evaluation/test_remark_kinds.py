"""Each kind of remark where it is due, and not on a crowd that is close to it."""

import pytest

from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.remarks import remarks_before
from crowdseq.workflows.learning import learn
from remark_worlds import KINDS, told_of


def kinds_before(world: Corpus) -> set[str]:
    return {remark.kind for remark in remarks_before(world)}


def kinds_after(world: Corpus, method: str) -> set[str]:
    return {remark.kind for remark in learn(world, method, tagger=False).remarks}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_due_is_said_before_and_after_learning(kind: str) -> None:
    told = told_of(kind)
    assert (kind in kinds_before(told.shown)) == told.before
    assert kind in kinds_after(told.shown, told.method)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_said_of_a_crowd_that_is_only_close(kind: str) -> None:
    told = told_of(kind)
    assert kind not in kinds_before(told.close)
    assert kind not in kinds_after(told.close, told.method)
