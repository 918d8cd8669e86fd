"""Every experiment by name: its cells, how one is computed, and what the paper calls its outcome."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crowdseq.errors import SettingsError
from crowdseq_research.cells.cell_file import CellFile
from crowdseq_research.cells.parallel import CellOf, Workers, compute_all
from crowdseq_research.cells.recipes import is_outdated
from crowdseq_research.paper.cells.crowd_cells import compute_cell
from crowdseq_research.paper.cells.datasets import compute_dataset, dataset_keys
from crowdseq_research.paper.cells.example import compute_example, example_keys
from crowdseq_research.paper.cells.expertise import compute_expertise, expertise_keys
from crowdseq_research.paper.cells.folds import fold_keys
from crowdseq_research.paper.cells.grid import grid_keys, quick_grid_keys
from crowdseq_research.paper.cells.splits import DATASETS, DEMO
from crowdseq_research.paper.cells.turk import compute_turk, turk_keys

Keys = list[dict[str, Any]]
_NAMES = tuple(dataset.name for dataset in DATASETS)


@dataclass(frozen=True)
class Choice:
    """Which cells: of these corpora (all if none is named), so many repeats; quick: a small part instead."""

    only: tuple[str, ...] = ()
    repeats: int = 1
    quick: bool = False
    has_data: bool = True

    def quick_corpus(self, real: str = "ncbi_disease") -> str | None:
        """The corpus of a quick run: the demo where there are no others."""
        if not self.quick:
            return None
        if not self.has_data:
            return DEMO
        if len(self.only) > 1:
            raise SettingsError("--quick is about one corpus, say --only once")
        if self.only and self.only[0] not in _NAMES:
            raise SettingsError(
                f"--only {self.only[0]}: there is no such corpus, choose of {', '.join(_NAMES)}"
            )
        return self.only[0] if self.only else real


@dataclass(frozen=True)
class Experiment:
    """keys: its cells for a choice; compute: one of them, in a process of its own."""

    name: str
    keys: Callable[[Choice], Keys]
    compute: CellOf
    needs_data: bool = False


def _grid_keys(choice: Choice) -> Keys:
    corpus = choice.quick_corpus()
    return quick_grid_keys(corpus) if corpus else grid_keys(choice.repeats)


EXPERIMENTS = {
    one.name: one
    for one in (
        Experiment("datasets", lambda choice: dataset_keys(quick=choice.quick_corpus()), compute_dataset),
        Experiment("folds", lambda choice: fold_keys(quick=choice.quick_corpus()), compute_cell),
        Experiment(
            "grid",
            _grid_keys,
            compute_cell,
        ),
        Experiment(
            "expertise",
            lambda choice: expertise_keys(quick=choice.quick_corpus("conll2003")),
            compute_expertise,
        ),
        Experiment("table-x", lambda choice: turk_keys(quick=choice.quick), compute_turk, needs_data=True),
        Experiment("example", lambda _: example_keys(), compute_example, needs_data=True),
    )
}

# What the paper calls a table or figure: our experiment, and the corpora it is about.
TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "table1": ("datasets", ()),
    "table2": ("folds", ("conll2003", "bc2gm")),
    "table3": ("folds", ("ncbi_disease", "jnlpba")),
    **{f"table{number}": ("expertise", ("conll2003",)) for number in (4, 5)},
    **{f"table{number}": ("expertise", ("bc2gm",)) for number in (6, 7)},
    "table8": ("grid", ("conll2003", "bc2gm")),
    "table9": ("grid", ("ncbi_disease", "jnlpba")),
    "table10": ("table-x", ()),
    "table11": ("example", ()),
    "figure7": ("grid", ("conll2003",)),
    "figure8": ("grid", ("bc2gm",)),
    "figure9": ("grid", ("ncbi_disease",)),
    "figure10": ("grid", ("jnlpba",)),
    **{f"figure{number}": ("expertise", ("conll2003",)) for number in (11, 12)},
    **{f"figure{number}": ("expertise", ("bc2gm",)) for number in (13, 14)},
}


def find_experiment(what: str, choice: Choice) -> tuple[str, Choice]:
    """The experiment behind an experiment's or a table's name; a table chooses its corpora if nobody does.

    A quick run is about one corpus: the first of the table, or the demo.
    """
    name, corpora = TABLES.get(what, (what, ()))
    if choice.quick:
        corpora = corpora[:1] if choice.has_data else ()
    return name, replace(choice, only=choice.only or corpora)


def cell_file(out: Path, name: str, *, quick: bool = False) -> CellFile:
    """Where the cells of an experiment are kept; those of quick runs never mix with them."""
    scored = ("tagger", "consensus") if EXPERIMENTS[name].compute is compute_cell else ()
    return CellFile(out / "cells" / f"{'quick-' if quick else ''}{name}.jsonl", scored)


def run_experiment(name: str, choice: Choice, out: Path, workers: Workers) -> list[dict[str, Any]]:
    """The cells of an experiment; those missing or outdated are computed."""
    experiment = EXPERIMENTS[name]
    if experiment.needs_data and not choice.has_data:
        raise SettingsError(f"{name} needs the crowd of Mechanical Turk, say --data FOLDER")
    keys = chosen_keys(experiment.keys(choice), choice.only)
    file = cell_file(out, name, quick=choice.quick)
    return compute_all(file, keys, experiment.compute, replace(workers, is_outdated=is_outdated))


def runnable(choice: Choice) -> list[str]:
    """The experiments that can be run with the data there is and are about one of the chosen corpora."""
    found = [
        name
        for name, experiment in EXPERIMENTS.items()
        if (choice.has_data or not experiment.needs_data)
        and (not choice.only or _corpora(experiment, choice) & set(choice.only))
    ]
    if not found:
        raise SettingsError(f"--only {', '.join(choice.only)}: no experiment is about that corpus")
    return found


def _corpora(experiment: Experiment, choice: Choice) -> set[str]:
    return {key["data"] for key in experiment.keys(choice)}


def chosen_keys(keys: Sequence[Mapping[str, Any]], only: Sequence[str]) -> Keys:
    """The keys of some corpora; all of them when none is named."""
    known = {key["data"] for key in keys}
    for name in only:
        if name not in known:
            raise SettingsError(
                f"--only {name}: there is no such corpus here, choose of {', '.join(sorted(known))}"
            )
    return [dict(key) for key in keys if not only or key["data"] in only]
