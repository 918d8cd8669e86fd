"""A short version of `scripts/attack_run_folders.py`: damage, races and kills."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "attack_run_folders.py"


def test_damage_races_and_kills_give_no_traceback_and_no_wrong_run() -> None:
    # In a process of its own: children are forked, which a process with threads may not do.
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--short"], capture_output=True, text=True, check=False, timeout=900
    )
    assert done.stdout.endswith("\n0 failures\n"), done.stdout + done.stderr
    assert done.returncode == 0
