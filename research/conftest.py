"""What the tests of the research share with those of the product: the real corpora, and a shell."""

from pathlib import Path

import pytest

from journeys.conftest import door, shell
from real_corpora import real_corpora

__all__ = ["door", "shared_data", "shell"]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora; tests that need it are skipped where it is absent."""
    return real_corpora()
