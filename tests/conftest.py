"""What all tests share: the folder of real corpora, where there is one, and how far property tests search."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from real_corpora import real_corpora

# No deadline: the first call of a kernel compiles it. The same examples every time, so that a red run is
# red again; `CROWDSEQ_SEARCH=deep` looks at many more, and at others each time.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("deep", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("CROWDSEQ_SEARCH", "repeatable"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora; tests that need it are skipped where it is absent."""
    return real_corpora()
