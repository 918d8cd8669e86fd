"""What reviewers change while a run stands, and what becomes of it when the run is replaced."""

import shutil
from pathlib import Path

from crowdseq.store.database import copy_database
from crowdseq.workflows.runs import DECISIONS, GUIDELINE


def carry_live_files(old: Path, new: Path) -> None:
    """What reviewers decided in a run stays when it is replaced: it hangs on the text, not on the run."""
    if (old / DECISIONS).exists():
        copy_database(old / DECISIONS, new / DECISIONS)
    if (old / GUIDELINE).is_file():
        shutil.copyfile(old / GUIDELINE, new / GUIDELINE)
