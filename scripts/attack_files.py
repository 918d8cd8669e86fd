"""Whether any damaged or hostile file gives a traceback, a crash, a long wait or a full memory.

    python scripts/attack_files.py                   the hostile files of the tests, then 100 damages a format
    python scripts/attack_files.py --damages 1000 --seed 7 --only parquet

Each file goes through the command line in a process of its own, which is measured: at most 5 s of CPU and
1 GB for a file of at most a megabyte, code 0 or 3, and no traceback. Files that fail are kept. Exit code 1 if
any did.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import hostile_binaries
from attacks.door import Door, Outcome
from hostile_files import HOSTILE, Hostile

MOST_SECONDS, MOST_MEGABYTES = 5.0, 1000.0


def failure(one: Hostile, outcome: Outcome) -> str:
    """What went wrong, or nothing."""
    if outcome.has_traceback:
        return "traceback"
    if outcome.code not in {"refused": (3,), "read": (0,), "either": (0, 3)}[one.outcome]:
        return f"code {outcome.code}"
    if outcome.seconds > MOST_SECONDS:
        return f"{outcome.seconds:.1f} s"
    return f"{outcome.megabytes:.0f} MB" if outcome.megabytes > MOST_MEGABYTES else ""


def cases(given: argparse.Namespace) -> Iterator[tuple[str, Hostile]]:
    if not given.no_list:
        yield from ((title, one) for title, one in HOSTILE.items() if given.only in ("", title))
    for form, (name, make) in hostile_binaries.SEEDS.items():
        for number in range(given.damages if given.only in ("", form) else 0):
            draw = random.Random(f"{given.seed} {form} {number}")
            data = hostile_binaries.damaged(make(), draw)
            words = ("--on-error", "skip") if number % 3 == 0 else ()
            yield f"{form} {number}", Hostile(name, lambda data=data: data, "either", options=words)  # type: ignore[misc]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    options.add_argument("--damages", type=int, default=100, help="how many damaged files of each format")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="one format, or one file of the list by its title")
    options.add_argument("--no-list", action="store_true", help="only damages")
    options.add_argument(
        "--keep", type=Path, default=Path("hostile-failures"), help="where failures are kept"
    )
    given = options.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, Door(Path(folder)) as door:
        for title, one in cases(given):
            path = Path(folder, one.name)
            path.write_bytes(one.content())
            outcome = door.knock(one.command, one.name, *one.options)
            what = failure(one, outcome)
            counts["failed" if what else "read" if outcome.code == 0 else "refused"] += 1
            if what:
                given.keep.mkdir(exist_ok=True)
                path.rename(given.keep / f"{title.replace(' ', '-')}-{one.name}")
                last = (outcome.err.strip().splitlines() or [""])[-1][:200]
                print(f"{title}: {what}: {last}", flush=True)
            for left in Path(folder).iterdir():
                left.unlink()
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
