"""Small runs to attack, and `crowdseq` called in this process with its outcome told."""

import contextlib
import io
import shutil
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import crowdseq
from crowdseq.workflows.run import Run

QUICK = ("--set", "rounds=4", "--set", "tolerance=0", "--threads", "1", "-q")


@dataclass(frozen=True)
class Outcome:
    """How a command ended: its code, 99 for a traceback, and what it said."""

    code: int
    out: str
    err: str

    @property
    def is_one_line(self) -> bool:
        return self.err.startswith("crowdseq: ") and self.err.count("\n") == 1


def call(*words: str) -> Outcome:
    """`crowdseq WORDS` in this process."""
    from crowdseq.cli.main import main

    before, sys.argv = sys.argv, ["crowdseq", *words]
    out, err, code = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO(), 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0
    except Exception:
        code = 99
        err.write(traceback.format_exc())
    finally:
        sys.argv = before
    out.flush()
    return Outcome(code, out.buffer.getvalue().decode("utf-8", "replace"), err.getvalue())


@dataclass(frozen=True)
class World:
    """A folder with two crowds and what was learned from them."""

    folder: Path

    @property
    def crowd(self) -> Path:
        return self.folder / "crowd.jsonl"

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def other(self) -> Path:
        """A run of the same method on other sentences with the same labels."""
        return self.folder / "other"

    @property
    def checkpoint(self) -> Path:
        """A folder of rounds, as an interrupted run leaves it."""
        return self.folder / "rounds.part"

    @property
    def text(self) -> Path:
        return self.folder / "new.txt"

    @classmethod
    def make(cls, folder: Path) -> "World":
        """Learn everything; a few seconds."""
        world = cls(folder)
        corpus = crowdseq.demo_corpus()
        crowdseq.write(corpus.select(range(25)), world.crowd)
        crowdseq.write(corpus.select(range(25, 45)), folder / "other.jsonl")
        world.text.write_text("Mira Castellan met Port Ellery in March .\n", encoding="utf-8")
        for name, out in (("crowd.jsonl", world.run), ("other.jsonl", world.other)):
            done = call("learn", str(folder / name), "-o", str(out), *QUICK)
            if done.code:
                raise RuntimeError(done.err)
        crowdseq.learn(
            crowdseq.read(world.crowd), "sa-slc", rounds=4, tolerance=0.0, threads=1, seed=0,
            checkpoints=world.checkpoint,
        )  # fmt: skip
        return world

    @contextlib.contextmanager
    def copy(self, source: Path, name: str = "copy") -> Iterator[Path]:
        """A copy to be damaged."""
        target = self.folder / name
        shutil.copytree(source, target)
        try:
            yield target
        finally:
            shutil.rmtree(target, ignore_errors=True)
            target.unlink(missing_ok=True)


def facts_of(run: Run) -> tuple[object, ...]:
    """All of a run that nobody may change silently."""
    consensus = run.consensus
    tagger = (
        None if run.tagger is None else run.tagger.tag_many([["Mira", "Castellan", "met", "Port", "Ellery"]])
    )
    return (
        tuple(consensus.corpus.text.ids),
        tuple(map(tuple, consensus.corpus.text.tokens)),
        tuple(map(tuple, consensus.tags)),
        consensus.probabilities.tobytes(),
        np.asarray(consensus.token_confidence).tobytes(),
        consensus.history,
        tuple((report.annotator, report.skill, report.f1) for report in consensus.annotators),
        repr(run.recipe),
        repr(tagger),
    )
