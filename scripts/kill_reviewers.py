"""Kill a process that saves decisions, many times at random moments, and look for what is lost.

    python scripts/kill_reviewers.py --kills 500

A child process saves decisions from several threads, takes some back, and prints the id of each once the
store has answered. After every `kill -9` whatever was answered must be in the log, and the file sound.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

CHILD = """
import sys, threading, uuid
from crowdseq.store.decisions import DecisionStore
from crowdseq.store.entries import NewDecision, SentenceKey

store = DecisionStore.open(sys.argv[1])
told = threading.Lock()

def work(number):
    turn = 0
    while True:
        turn += 1
        name = uuid.uuid4().hex
        key = SentenceKey.of(["sentence", str(turn % 50)], None, str(number))
        asked = [
            NewDecision(id=f"{name}-{part}", action="decide", key=key, reviewer=f"r{number}", run="run",
                        begin=part, end=part + 1, marks=((part, part + 1, "PER"),), batch=name)
            for part in range(1 + turn % 3)
        ]
        store.submit(asked)
        ids = [one.id for one in asked]
        if turn % 5 == 0:
            ids += [one.id for one in store.undo(name, id=f"{name}-undo", reviewer=f"r{number}")]
        with told:
            sys.stdout.write("\\n".join(ids) + "\\n")
            sys.stdout.flush()

for number in range(4):
    threading.Thread(target=work, args=(number,)).start()
"""


@dataclass
class Tally:
    """How many kills and answers there were; lost: answered, not there; faults: files that are not sound."""

    kills: int = 0
    answered: int = 0
    lost: int = 0
    faults: int = 0


def kill_once(folder: Path, chance: random.Random) -> list[str]:
    """Start a child, kill it a random while after its first answer; gives the ids that it told."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(folder)], stdout=out)
        begun = time.monotonic()
        while not out.seek(0, 2) and child.poll() is None and time.monotonic() < begun + 60:
            time.sleep(0.002)
        time.sleep(chance.random() * 0.1)
        child.kill()
        child.wait()
        out.seek(0)
        content = out.read().decode()
    # A line that was cut in the middle was told to nobody.
    return content.split("\n")[:-1]


def kill_often(folder: Path, kills: int, seed: int) -> Tally:
    """Kill so often, and look after every time."""
    from crowdseq.store.checking import verify
    from crowdseq.store.decisions import read_decisions

    chance, tally, answered = random.Random(seed), Tally(), set[str]()
    for _ in range(kills):
        answered |= set(kill_once(folder, chance))
        replay = read_decisions(folder)
        tally.kills += 1
        tally.lost += len(answered - replay.by_id.keys())
        tally.faults += not verify(folder).is_sound
    tally.answered = len(answered)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fresh", type=int, default=25, help="kills before a new database is begun")
    options = parser.parse_args()
    total = Tally()
    while total.kills < options.kills:
        with tempfile.TemporaryDirectory() as folder:
            some = kill_often(Path(folder), min(options.fresh, options.kills - total.kills), total.kills)
        for name in vars(total):
            setattr(total, name, getattr(total, name) + getattr(some, name))
        print(f"{total.kills} kills, {total.answered} answers, {total.lost} lost, {total.faults} faults")
    sys.exit(bool(total.lost or total.faults))


if __name__ == "__main__":
    main()
