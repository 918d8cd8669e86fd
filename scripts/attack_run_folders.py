"""Whether a damaged run folder, a race of two writers or a kill ever gives a traceback or a wrong run.

    python scripts/attack_run_folders.py                 everything: a few minutes
    python scripts/attack_run_folders.py --short         some of each, as the tests do

Damage: every file of a run folder, of a tagger and of a checkpoint is removed, emptied, cut, overwritten,
reordered, exchanged with that of another run or given values of the wrong type; then the run is opened,
reported, converted, its tagger used, the checkpoint resumed. Races: two `learn` on one folder at once. Kills:
`learn` is killed at a random moment and resumed. Prints counts; exit code 1 if anything failed.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from attacks.damage import attack_checkpoints, attack_runs, attack_taggers
from attacks.races import attack_by_kills, attack_by_races
from attacks.world import World


def attacks(world: World, given: argparse.Namespace) -> dict[str, Callable[[], Counter[str]]]:
    every = 60 if given.short else given.every
    races, kills = (4, 2) if given.short else (given.races, given.kills)
    return {
        "damaged runs": lambda: attack_runs(world, every),
        "damaged runs without a manifest": lambda: attack_runs(world, every, with_manifest=False),
        "damaged taggers": lambda: attack_taggers(world, every),
        "damaged checkpoints": lambda: attack_checkpoints(world, every),
        "races": lambda: attack_by_races(world, races),
        "kills": lambda: attack_by_kills(world, kills),
    }


FAILURES = ("traceback", "silent change", "mixed", "loser not told in one line", "leftover", "lost")


def main(words: list[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    options.add_argument("--short", action="store_true", help="some of each")
    options.add_argument("--every", type=int, default=4, help="take every n-th of some 6,000 cases of damage")
    options.add_argument("--races", type=int, default=200)
    options.add_argument("--kills", type=int, default=100)
    options.add_argument("--only", help="one kind of attack")
    given = options.parse_args(words)
    n_failures = 0
    with tempfile.TemporaryDirectory() as folder:
        world = World.make(Path(folder))
        for name, attack in attacks(world, given).items():
            if given.only in (None, name):
                counts = attack()
                n_failures += sum(counts[kind] for kind in FAILURES)
                print(f"{name}: {json.dumps(dict(counts))}", flush=True)
    print(f"{n_failures} failures")
    return 1 if n_failures else 0


if __name__ == "__main__":
    sys.exit(main())
