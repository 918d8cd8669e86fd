"""Damage to every file of runs, taggers and checkpoints, and what the commands make of it."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from attacks.cases import Case, file_cases, old_checkpoint_cases
from attacks.world import QUICK, Outcome, World, call, facts_of
from crowdseq import load
from crowdseq.errors import CrowdseqError

RUN_FILES = (
    "settings.json", "consensus.jsonl", "crowd.jsonl.gz", "metrics.json", "posteriors.safetensors",
    "parameters.safetensors", "tagger/model.json", "tagger/weights.safetensors", "manifest.json",
    "report.html", "annotators.csv",
)  # fmt: skip
TAGGER_FILES = ("model.json", "weights.safetensors")


def attack_runs(world: World, every: int, *, with_manifest: bool = True) -> Counter[str]:
    """Open, report, convert and tag with damaged runs. Without a manifest, as runs of 0.1.0 are, a value may
    be changed in a way that nothing contradicts; that is counted, but only tracebacks are failures."""
    counts: Counter[str] = Counter()
    before, page = facts_of(load(world.run)), _tagged(world, world.run)
    cases = [*file_cases(world.run, world.other, RUN_FILES), *_whole_cases(world)]
    for name, damage in cases[::every]:
        with world.copy(world.run) as run:
            if not with_manifest:
                (run / "manifest.json").unlink()
                if name.startswith("manifest.json"):
                    continue
            damage(run)
            counts["cases"] += 1
            found = _opened(run)
            outcomes = [
                call("report", str(run), "-o", "-"),
                call("convert", str(run), "--consensus", "-o", "-", "--to", "conll"),
                _tagged(world, run),
            ]
            for outcome in outcomes:
                _count_outcome(counts, name, outcome)
            changed = (found is not None and found != before) or (
                outcomes[2].code == 0 and outcomes[2].out != page.out
            )
            if changed:
                counts["silent change" if with_manifest else "plausible change"] += 1
            if changed and with_manifest:
                print(f"  changed: {name}")
            counts["opened" if found is not None else "refused"] += 1
    return counts


def attack_taggers(world: World, every: int) -> Counter[str]:
    """Tag with damaged tagger folders."""
    counts: Counter[str] = Counter()
    tagger, before = world.run / "tagger", _tagged(world, world.run).out
    for name, damage in list(file_cases(tagger, world.other / "tagger", TAGGER_FILES))[::every]:
        with world.copy(tagger) as copy:
            damage(copy)
            counts["cases"] += 1
            outcome = _tagged(world, copy)
            _count_outcome(counts, name, outcome)
            counts["opened" if outcome.code == 0 else "refused"] += 1
            if outcome.code == 0 and outcome.out != before:
                counts["silent change"] += 1
                print(f"  changed: {name}")
    return counts


def attack_checkpoints(world: World, every: int) -> Counter[str]:
    """Resume from damaged checkpoints, with and without the digest that those of 0.1.0 lack."""
    counts: Counter[str] = Counter()
    before = facts_of(load(world.run))
    name = "checkpoint.safetensors"
    cases = [
        *file_cases(world.checkpoint, world.run, (name,)),
        *old_checkpoint_cases(world.checkpoint / name),
    ]
    for what, damage in cases[::every]:
        with world.copy(world.checkpoint, "resumed.part") as part:
            damage(part)
            counts["cases"] += 1
            run = world.folder / "resumed"
            outcome = call("learn", str(world.crowd), "-o", str(run), "--resume", *QUICK)
            _count_outcome(counts, what, outcome)
            counts["opened" if outcome.code == 0 else "refused"] += 1
            if outcome.code == 0 and facts_of(load(run)) != before:
                is_old = what.startswith("old")
                counts["plausible change" if is_old else "silent change"] += 1
                print(f"  {'plausible' if is_old else 'silent'} change: {what}")
            shutil.rmtree(run, ignore_errors=True)
    return counts


def _tagged(world: World, folder: Path) -> Outcome:
    return call("tag", str(folder), str(world.text), "--confidence")


def _opened(run: Path) -> tuple[object, ...] | None:
    try:
        return facts_of(load(run))
    except CrowdseqError:
        return None


def _count_outcome(counts: Counter[str], name: str, outcome: Outcome) -> None:
    counts["commands"] += 1
    if outcome.code == 99:
        counts["traceback"] += 1
        print(f"  traceback: {name}: {outcome.err.strip().splitlines()[-1]}")
    elif outcome.code not in (0, 2, 3):
        counts["traceback"] += 1
        print(f"  code {outcome.code}: {name}: {outcome.err}")
    elif outcome.code and not outcome.err.startswith(("crowdseq: ", "/")):
        counts["traceback"] += 1
        print(f"  no clear line: {name}: {outcome.err!r}")


def _whole_cases(world: World) -> Iterator[Case]:
    """What concerns more than one file."""

    def take(run: Path, *names: str) -> None:
        for name in names:
            if (world.other / name).is_dir():
                shutil.rmtree(run / name)
                shutil.copytree(world.other / name, run / name)
            else:
                shutil.copy(world.other / name, run / name)

    yield "the tagger of another run", lambda run: take(run, "tagger")

    def instead(path: Path, text: str | None) -> None:
        shutil.rmtree(path)
        if text is None:
            path.mkdir()
        else:
            path.write_text(text)

    yield "no tagger", lambda run: shutil.rmtree(run / "tagger")
    yield "a file as tagger", lambda run: instead(run / "tagger", "x")
    yield "the crowd and labels of another run", lambda run: take(run, "crowd.jsonl.gz", "consensus.jsonl")
    yield (
        "all but the manifest of another run",
        lambda run: take(run, *(path.name for path in world.other.iterdir() if path.name != "manifest.json")),
    )
    three = ("settings.json", "metrics.json", "posteriors.safetensors")
    yield "half of another run", lambda run: take(run, *three)
    yield "an extra file", lambda run: (run / "notes.txt").write_text("mine")
    yield "reviewers' decisions", lambda run: (run / "decisions.sqlite").write_bytes(b"x")
    yield "an empty folder", lambda run: instead(run, None)
    yield "a file instead", lambda run: instead(run, "x")
    yield "nothing", lambda run: shutil.rmtree(run)
