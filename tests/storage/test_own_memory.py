"""A process knows what it has of the memory."""

import sys

import numpy as np
import pytest

from crowdseq.storage.own_memory import give_back, own_megabytes


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_an_array_is_counted_and_given_back() -> None:
    before = own_megabytes()
    assert before > 1.0
    array = np.ones(20_000_000)
    assert own_megabytes() - before > 150.0
    del array
    give_back()
    assert own_megabytes() - before < 50.0
