"""Cells of language models: python -m crowdseq_research.neural --help."""

import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np

import crowdseq
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.calibration import entity_tokens, measure_calibration
from crowdseq.evaluation.scores import score_tags
from crowdseq.tagging.sequence_tagger import Context, SequenceTagger
from crowdseq_research.cells.cell_file import CellFile, key_of
from crowdseq_research.neural.page import page
from crowdseq_research.zoo.crowds import find_crowd

CELLS = Path("cells/neural.jsonl")
CACHE_FILE = "states.safetensors"
PAGE = "neural.md"
AMT = "amt-all"
# What a row gives to learn beside the crowd; those without a model draw no random numbers that matter.
ROWS: dict[str, dict[str, Any]] = {
    "crf": {},
    "vectors": {"vectors": "auto"},
    "network": {"text_model": "network"},
    "vectors + network": {"vectors": "auto", "text_model": "network"},
    "transformer": {"text_model": "transformer"},
    "vectors + transformer": {"vectors": "auto", "text_model": "transformer"},
}


@click.command(
    help="Learn from the whole AMT crowd, score its val part and CoNLL dev, keep the cells; or another crowd."
)
@click.option("--data", required=True, type=click.Path(path_type=Path), help="Folder with the corpora.")
@click.option("--model", type=click.Path(path_type=Path), help="Folder of a language model.")
@click.option("-o", "--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True)
@click.option("--row", "rows", multiple=True, type=click.Choice(list(ROWS)), help="Only these rows.")
@click.option("--crowd", "crowds", multiple=True, default=(AMT,), show_default=True, help="Of the zoo.")
@click.option("--seed", "seeds", multiple=True, type=int, default=(0,), show_default=True)
@click.option("--final", is_flag=True, help="The test parts too, when nothing is chosen any more.")
@click.option("--no-tagger", is_flag=True, help="The consensus alone.")
@click.option("--states", type=click.Path(path_type=Path), help="Where states are kept for the next row.")
@click.option("--one", hidden=True, help="Compute one cell in this process and print it.")
def main(**options: Any) -> None:
    """Every missing cell in a process of its own, so that its memory is its own."""
    if options["one"]:
        click.echo(json.dumps(compute(json.loads(options["one"]), options)))
        return
    cells = CellFile(options["out"] / CELLS)
    for key in _keys(options):
        if key_of(key) not in cells.load():
            command = [sys.executable, "-m", "crowdseq_research.neural", *_forwarded(options)]
            found = subprocess.run(
                [*command, "--one", json.dumps(key)], check=True, stdout=subprocess.PIPE
            ).stdout
            cell = {"key": key, **json.loads(found), "commit": _commit()}
            cells.append(cell)
            click.echo(json.dumps(cell))
    (options["out"] / PAGE).write_text(page(list(cells.load().values())), encoding="utf-8")


def _keys(options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """By crowd, row and seed; a crowd that is not AMT gives a consensus alone, and the seed is its draw."""
    for crowd, name, seed in product(options["crowds"], options["rows"] or ROWS, options["seeds"]):
        model = options["model"].name if "text_model" in ROWS[name] else None
        key = {"row": name, "seed": seed, "model": model}
        if crowd == AMT:
            yield {**key, "tagger": not options["no_tagger"], "final": options["final"]}
        else:
            yield {**key, "crowd": crowd, "tagger": False, "final": False}


def _forwarded(options: Mapping[str, Any]) -> list[str]:
    given = {name: options[name] for name in ("data", "model", "out", "states") if options[name]}
    return [text for name, value in given.items() for text in (f"--{name}", str(value))]


def _commit() -> str:
    told = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return told.stdout.strip()


def compute(key: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Scores, processor seconds and megabytes of one row and seed."""
    corpus = find_crowd(key.get("crowd", AMT)).make(options["data"], key["seed"])
    given = dict(ROWS[key["row"]])
    with _kept_states(options["states"]) as folder:
        if "text_model" in given:
            given |= {"model": options["model"], "checkpoints": folder}
        begun = time.process_time()
        run = crowdseq.learn(corpus, seed=key["seed"], tagger=key["tagger"], **given)
        seconds = round(time.process_time() - begun)
    found: dict[str, Any] = {"seconds": seconds, "told": _told(run.consensus)}
    for part, name in (("val", "dev"), ("test", "test"))[: 2 if key["final"] else 1]:
        found[f"consensus {part}"] = _consensus(run.consensus, part)
        if run.tagger is not None:
            text = crowdseq.read(options["data"] / "conll2003" / f"{name}.conll.gz")
            found[f"tagger {name}"] = _tagger(run.tagger, text)
    found["megabytes"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return found


def _told(consensus: Consensus) -> dict[str, Any]:
    """What the text alone found, without and with a model, and whether it counts."""
    names = ("text_agreement", "agreement_without_model", "model_in_rounds")
    return {name: consensus.parameters[name] for name in names if name in consensus.parameters}


@contextmanager
def _kept_states(folder: Path | None) -> Iterator[Path]:
    """A folder for one run, where the states of an earlier one lie if there are any."""
    with TemporaryDirectory() as name:
        made = Path(name) / CACHE_FILE
        if folder is not None and (folder / CACHE_FILE).exists():
            shutil.copy(folder / CACHE_FILE, made)
        yield Path(name)
        if folder is not None and made.exists():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(made, folder / CACHE_FILE)


def _consensus(consensus: Consensus, part: str) -> dict[str, Any]:
    corpus = consensus.corpus
    chosen = np.array([sentence.extras.get("split", part) == part for sentence in corpus.sentences])
    tokens = np.repeat(chosen, corpus.text.lengths)
    gold, tags = corpus.gold_tags[tokens], consensus.tag_ids[tokens]
    offsets = corpus.select(np.flatnonzero(chosen)).offsets
    scores = score_tags(gold, tags, offsets, corpus.scheme).as_dict()
    inside = entity_tokens(gold, tags, corpus.scheme)
    sure = measure_calibration(consensus.token_confidence[tokens][inside], (gold == tags)[inside])
    return {name: scores[name] for name in ("precision", "recall", "f1")} | {"calibration": sure.error}


def _tagger(tagger: SequenceTagger, text: Corpus) -> dict[str, Any]:
    gold = [list(tags or ()) for tags in text.gold]
    begun = time.process_time()
    tags = tagger.tag_many(list(text.text.tokens), Context.of_text(text.text))
    seconds = time.process_time() - begun
    found = crowdseq.evaluate(gold, tags)
    return {"precision": found.precision, "recall": found.recall, "f1": found.f1, "seconds": round(seconds)}


if __name__ == "__main__":
    main()
