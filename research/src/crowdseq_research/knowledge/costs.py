"""What vectors cost: commands in processes of their own, one after the other; and taggers in turn."""

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from crowdseq.tagging.sequence_tagger import Context
from crowdseq.tagging.tagger import Tagger
from crowdseq_research.knowledge.texts import NEWS, OWN_TEXT, gold_text

COSTS = "costs"
_CROWD = "amt_conll2003/crowd.jsonl.gz"
_TURNS = 21


def compute_costs(data: Path) -> dict[str, Any]:
    """By row the processor seconds, the peak memory in MB and the tagger's tokens a second."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        own = ["--unlabelled", str(data / OWN_TEXT)]
        wanted: dict[str, list[str]] = {"plain": [], "vectors": ["--vectors", "auto"], "unlabelled": own}
        _measured(data, folder / "warm", [])  # kernels are compiled
        found = {row: _measured(data, folder / row, options) for row, options in wanted.items()}
        speeds = _speeds({row: Tagger.load(folder / row / "tagger") for row in wanted}, data)
    return {"rows": {row: cost | speeds[row] for row, cost in found.items()}}


def _measured(data: Path, out: Path, options: list[str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "crowdseq", "learn", str(data / _CROWD), "-o", str(out), "--quiet"]
    process = subprocess.Popen([*command, "--threads", "1", "--json", *options], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"learning {out.name} ended with {status}")
    size = sum(file.stat().st_size for file in (out / "tagger").iterdir())
    settings = json.loads((out / "settings.json").read_text())
    return {
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mb": round(usage.ru_maxrss / 1024),
        "model_mb": round(size / 1e6, 1),
        "used": {name: settings[name]["used"] for name in ("vectors", "unlabelled") if name in settings},
    }


def _speeds(taggers: Mapping[str, Tagger], data: Path) -> dict[str, dict[str, float]]:
    """The median of many turns, each of all taggers and begun by another.

    Garbage is looked for among what a turn makes, and not in all that the taggers are: else single turns take
    three times as long, and not always those of the same tagger.
    """
    text = gold_text(data, NEWS, "dev")
    sentences, context = list(text.text.tokens), Context.of_text(text.text)
    found: dict[str, list[float]] = {row: [] for row in taggers}
    names = list(taggers)
    for tagger in taggers.values():
        tagger.tag_many(sentences, context)  # what is made once
    gc.collect()
    gc.freeze()
    for turn in range(_TURNS):
        first = turn % len(names)
        for row in names[first:] + names[:first]:
            begun = time.process_time()
            taggers[row].tag_many(sentences, context)
            found[row].append(time.process_time() - begun)
    gc.unfreeze()
    return {
        row: {"tokens_per_second": round(text.n_tokens / median(seconds))} for row, seconds in found.items()
    }
