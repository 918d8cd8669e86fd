"""Two `learn` on one folder at once, and `learn` killed at a random moment."""

import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from attacks.world import QUICK, Outcome, World, call, facts_of
from crowdseq import load
from crowdseq.workflows.runs.verifying import verify_run


def attack_by_races(world: World, n_races: int) -> Counter[str]:
    """Two processes with other settings want the same folder; exactly the winners' runs may stand there."""
    counts: Counter[str] = Counter()
    methods = ("majority-vote", "dawid-skene")
    whole = {method: _facts_of_method(world, method) for method in methods}
    for number in range(n_races):
        out = world.folder / "race" / "run"
        # Half of the races replace a run, half of them begin with nothing there.
        flags = ("--force",) if number % 2 else ()
        if flags:
            shutil.copytree(world.run, out)
        start, delay = time.monotonic() + 0.02, random.Random(number).uniform(0.0, 0.1)
        words = ("learn", str(world.crowd), "-o", str(out), "--no-tagger", "-q", *flags)
        children = [
            _begin(world, (*words, "-m", method), start + delay * place)
            for place, method in enumerate(methods)
        ]
        outcomes = [_end(child) for child in children]
        counts["races"] += 1
        winners = [method for method, outcome in zip(methods, outcomes, strict=True) if outcome.code == 0]
        counts[f"{len(winners)} finished"] += 1
        _judge_race(counts, out, [whole[method] for method in winners], outcomes)
        shutil.rmtree(out.parent)
    return counts


def _judge_race(
    counts: Counter[str], out: Path, whole: list[tuple[object, ...]], outcomes: list[Outcome]
) -> None:
    for outcome in outcomes:
        if "Traceback" in outcome.err or outcome.code not in (0, 2):
            counts["traceback"] += 1
            print(f"  traceback: {outcome.code} {outcome.err}")
        elif outcome.code and not outcome.is_one_line:
            counts["loser not told in one line"] += 1
            print(f"  not one line: {outcome.err!r}")
        elif outcome.code:
            counts[
                "told who is writing" if "is being written by process" in outcome.err else "told it exists"
            ] += 1
    verified = verify_run(out)
    if verified.problems or verified.notes or facts_of(load(out)) not in whole:
        counts["mixed"] += 1
        print(f"  mixed: {verified}")
    _count_leftovers(counts, out)


def attack_by_kills(world: World, n_kills: int) -> Counter[str]:
    """Kill at a random moment, mostly while the run is saved; then --resume gives the run as it would be."""
    counts: Counter[str] = Counter()
    expected = facts_of(load(world.run))
    out = world.folder / "killed" / "run"
    words = ("learn", str(world.crowd), "-o", str(out), *QUICK)
    began = time.monotonic()
    _end(_begin(world, words, 0.0))
    seconds = time.monotonic() - began
    shutil.rmtree(out.parent)
    chance = random.Random(0)
    for number in range(n_kills):
        flags: tuple[str, ...] = ()
        if number % 2:
            shutil.copytree(world.other, out)
            flags = ("--force",)
        child = _begin(world, (*words, *flags), 0.0)
        _kill_sometime(child, out, chance, seconds)
        _end(child)
        counts["kills"] += 1
        if flags and not (out / "manifest.json").exists():
            counts["lost"] += 1
        if out.exists() and verify_run(out).problems:
            counts["mixed"] += 1
        _resume(counts, (*words, "--resume"), out, flags)
        if facts_of(load(out)) != expected:
            counts["silent change"] += 1
        _count_leftovers(counts, out)
        shutil.rmtree(out.parent)
    return counts


def _kill_sometime(child: tuple[int, Path], out: Path, chance: random.Random, seconds: float) -> None:
    """At any moment in one case of three, else soon after saving has begun."""
    pid, _ = child
    if chance.random() < 1 / 3:
        time.sleep(chance.uniform(0.0, seconds))
    else:
        limit = time.monotonic() + 60
        while time.monotonic() < limit and not list(out.parent.glob(f".{out.name}.*.part")):
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return
            time.sleep(0.0005)
        time.sleep(chance.uniform(0.0, 0.15))
    os.kill(pid, signal.SIGKILL)


def _resume(counts: Counter[str], words: tuple[str, ...], out: Path, flags: tuple[str, ...]) -> None:
    done = call(*words, *flags)
    if done.code == 2 and "is finished" in done.err:
        counts["killed after the end"] += 1
    elif done.code:
        counts["traceback"] += 1
        print(f"  not resumed: {done.err} {sorted(path.name for path in out.parent.iterdir())}")
    else:
        counts["resumed"] += 1


def _count_leftovers(counts: Counter[str], out: Path) -> None:
    names = sorted(path.name for path in out.parent.iterdir())
    hidden = [str(path) for path in out.rglob(".*")]
    if names != [out.name] or hidden:
        counts["leftover"] += 1
        print(f"  leftover: {names} {hidden}")


def _facts_of_method(world: World, method: str) -> tuple[object, ...]:
    out = world.folder / f"whole-{method}"
    done = call("learn", str(world.crowd), "-m", method, "-o", str(out), "--no-tagger", "-q")
    if done.code:
        raise RuntimeError(done.err)
    return facts_of(load(out))


def _begin(world: World, words: tuple[str, ...], at: float) -> tuple[int, Path]:
    """A child of this process, so that nothing is loaded or compiled anew: its number and its answer."""
    answer = world.folder / f"answer-{time.monotonic_ns()}"
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid, answer
    code = 99
    try:
        time.sleep(max(0.0, at - time.monotonic()))
        outcome = call(*words)
        answer.write_text(outcome.err, encoding="utf-8")
        code = outcome.code
    finally:
        os._exit(code)


def _end(child: tuple[int, Path]) -> Outcome:
    pid, answer = child
    _, status = os.waitpid(pid, 0)
    err = answer.read_text("utf-8") if answer.exists() else ""
    answer.unlink(missing_ok=True)
    return Outcome(os.waitstatus_to_exitcode(status), "", err)
