"""A dev text by which a round is chosen must have gold, and labels of the crowd."""

import pytest

from builders import corpus
from crowdseq.errors import AnnotationError
from crowdseq.workflows.learning import learn

CROWD = corpus("Ada/B-PER/B-PER/O slept/O/O/O", "Bea/B-PER/B-PER/B-PER ran/O/O/O")


@pytest.mark.parametrize(
    ("dev", "told"),
    [
        (corpus("Ada/B-PER ran/O", gold=False), "has no gold tags"),
        (corpus("Ada/NOUN ran/VERB"), "shares no label"),
    ],
)
def test_a_dev_text_that_cannot_choose_is_told(dev: object, told: str) -> None:
    with pytest.raises(AnnotationError, match=told):
        learn(CROWD, "sa-slc", dev=dev, tagger=False)  # type: ignore[arg-type]
