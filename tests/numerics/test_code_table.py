"""The table finds every code where it stands, and no other."""

import numpy as np
import pytest

from crowdseq.numerics.features.ascii_words import code_table, find_codes


@pytest.mark.parametrize("size", [0, 1, 2, 7, 1_000])
def test_codes_are_found_at_their_places(size: int) -> None:
    rng = np.random.default_rng(size)
    codes = rng.permutation(10_000)[:size].astype(np.int64) * 7_919
    wanted = np.concatenate([codes, codes + 1, [-1, 0, 2**60]])
    places = {int(code): place for place, code in enumerate(codes)}
    found = find_codes(code_table(codes), codes, wanted)
    assert found.tolist() == [places.get(int(code), -1) for code in wanted]


def test_codes_that_differ_in_high_bits_only_stay_apart() -> None:
    codes = np.arange(300, dtype=np.int64) << 40
    assert find_codes(code_table(codes), codes, codes).tolist() == list(range(300))
