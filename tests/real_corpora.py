"""Where the real corpora are, if they are there."""

import os
from pathlib import Path

import pytest


def real_corpora() -> Path:
    """Their folder; the test that asks is skipped where it is absent."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("CROWDSEQ_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"the real corpora are not at {folder}, set CROWDSEQ_DATA to their folder")
    return folder
