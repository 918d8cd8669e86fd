"""What all tests share: the folder of real corpora, where there is one."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora; tests that need it are skipped where it is absent."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("CROWDSEQ_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"the real corpora are not at {folder}, set CROWDSEQ_DATA to their folder")
    return folder
