"""One setting for each rival of the zoo, chosen on development crowds.

Development crowds are of the kinds of the zoo and drawn with other seeds, small so that much can be tried.
What counts is the mean over kinds, so that no kind is chosen for by its number of crowds.
`python -m crowdseq_research.zoo.rivals --data DIR` goes on where it was left.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from crowdseq.cli.options import quiet_option
from crowdseq.cli.terminal import one_bar_shown
from crowdseq.core.corpus import Corpus
from crowdseq.methods import list_methods
from crowdseq.reports.tables import Table, as_markdown
from crowdseq.storage.atomic import AtomicFile
from crowdseq.workflows.learning import learn
from crowdseq_research.cells.cell_file import CellFile, Tell, compute_missing
from crowdseq_research.cells.recipes import recipe_of
from crowdseq_research.cells.sources import origin
from crowdseq_research.templates import fill
from crowdseq_research.zoo.crowds import ZOO, Crowd
from crowdseq_research.zoo.figures import consensus_figures
from crowdseq_research.zoo.real_crowds import draw_documents

DRAW = 1000  # far from the draws of the zoo
SENTENCES, SHARE = 300, 0.6  # of a crowd that the zoo takes whole, never more than a share
Settings = dict[str, Any]


def every(**values: Sequence[Any]) -> list[Settings]:
    """Every combination of these values."""
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


_DEPENDENCE: tuple[list[Settings], ...] = ([{"silence": "auto"}], [{"kinship": True}])

# Steps for each rival: in each step the best of its alternatives is kept, then comes the next. A setting
# that the method does not have is left out.
STEPS: dict[str, tuple[list[Settings], ...]] = {
    "majority-vote": (every(unit=("token", "span"), ties=("entity-first", "o-first")), *_DEPENDENCE),
    "dawid-skene": (
        every(smoothing=(0.001, 0.01, 0.1, 1.0, 10.0), diagonal=(0.0, 1.0, 10.0, 100.0)),
        *_DEPENDENCE,
    ),
    "ibcc": (
        every(off_diagonal=(0.1, 1.0, 10.0), diagonal=(0.9, 9.0, 90.0)),
        every(off_diagonal=(0.3, 1.0, 3.0), diagonal=(0.3, 0.9, 3.0)),
        every(share_prior=(0.1, 1.0, 10.0)),
        *_DEPENDENCE,
    ),
    "mace": (
        [
            {"estimate": "vb", "knows": knows, "guesses": guesses, "habit": habit}
            for knows, guesses in ((0.5, 0.5), (2.0, 1.0))
            for habit in (1.0, 10.0, 100.0, 1000.0)
        ]
        + every(estimate=("em",), smoothing=(0.01, 0.1)),
        *_DEPENDENCE,
    ),
    "hmm-crowd": (
        every(annotators=("cv2", "full"), rounds=(1, 5, 20)),
        [*every(words=(True,), word_prior=(0.01, 0.1, 1.0)), {"words": False}],
        every(smoothing=(0.01, 0.1, 1.0, 10.0)),
        every(start_rounds=(0, 5, 20)),
        *_DEPENDENCE,
    ),
    "bsc": (
        every(
            annotators=("acc", "spam", "cv", "cm", "seq"),
            cells=(0.1, 1.0, 4.0),
            diagonal=(1.0, 10.0, 100.0),
        ),
        every(cells=(0.01, 0.03, 0.1, 0.3), diagonal=(0.1, 0.3, 1.0)),
        [*every(words=(True,), word_prior=(0.01, 0.05, 0.15, 1.0)), {"words": False}],
        every(transitions=(1.0, 10.0), slips=(0.01, 1.0)),
        *_DEPENDENCE,
    ),
    "sembler": ([{"candidates": "off"}, {"smoothing": 0.1}, {"smoothing": 1.0}], *_DEPENDENCE),
    "crf-ma": _DEPENDENCE,
}  # fmt: skip


class Tried(NamedTuple):
    """A setting of a method and its mean on each kind of crowd."""

    settings: Settings
    kinds: Mapping[str, float]

    @property
    def mean(self) -> float:
        return float(np.mean(list(self.kinds.values())))

    @property
    def worst(self) -> tuple[float, str]:
        return min((score, kind) for kind, score in self.kinds.items())


def development_crowds(data: Path, zoo: Iterable[Crowd] = ZOO) -> Iterator[tuple[str, Corpus]]:
    """A small crowd beside each of the zoo, with its kind."""
    for crowd in zoo:
        whole = crowd.make(data, DRAW)
        most = SENTENCES if crowd.draws > 1 else min(SENTENCES, int(SHARE * len(whole)))
        yield crowd.kind, draw_documents(whole, most, DRAW)


class Search:
    """Tries settings, each once; what was tried before is read from the file."""

    def __init__(self, file: CellFile, data: Path, tell: Tell) -> None:
        self._file, self._data, self._tell = file, data, tell
        self._crowds: list[tuple[str, Corpus]] = []

    def choose(self, method: str) -> list[Tried]:
        """All that was tried; the last is what was chosen."""
        known = recipe_of(list_methods()[method]()).keys()
        best = self._try(method, [{}])[0]
        tried = {str([]): best}
        for step in STEPS[method]:
            usable = [settings for settings in step if settings.keys() <= known]
            found = self._try(method, [best.settings | settings for settings in usable])
            tried |= {str(sorted(one.settings.items())): one for one in found}
            best = max([best, *found], key=lambda one: one.mean)
        tried.pop(str(sorted(best.settings.items())), None)
        return [*tried.values(), best]

    def _try(self, method: str, choices: Sequence[Settings]) -> list[Tried]:
        keys = [{"name": method, "method": method, "settings": settings} for settings in choices]
        cells = compute_missing(self._file, keys, self._compute, self._tell)
        return [Tried(dict(cell["key"]["settings"]), cell["kinds"]) for cell in cells]

    def _compute(self, key: Mapping[str, Any]) -> dict[str, Any]:
        self._crowds = self._crowds or list(development_crowds(self._data))
        scores: dict[str, list[float]] = defaultdict(list)
        for kind, crowd in self._crowds:
            run = learn(crowd, key["method"], tagger=False, **key["settings"])
            scores[kind].append(consensus_figures(run.consensus)["score"])
        return {
            "kinds": {kind: round(float(np.mean(found)), 6) for kind, found in scores.items()},
            **origin(run.recipe, key["method"]),
        }


def rivals_page(found: Mapping[str, Sequence[Tried]]) -> str:
    """What was chosen, and all that was tried."""
    return (
        fill(
            "crowdseq_research.zoo",
            "rivals",
            draw=DRAW,
            sentences=SENTENCES,
            chosen=as_markdown(_chosen_table(found)),
            tried="\n\n".join(as_markdown(_tried_table(method, tried)) for method, tried in found.items()),
        )
        + "\n"
    )


def _chosen_table(found: Mapping[str, Sequence[Tried]]) -> Table:
    rows = tuple(
        (method, _words(tried[-1].settings), _default(tried).mean, tried[-1].mean, len(tried))
        for method, tried in found.items()
    )
    return Table(("method", "chosen", "mean at defaults", "mean", "tried"), rows, "What was chosen")


def _tried_table(method: str, tried: Sequence[Tried]) -> Table:
    ordered = sorted(tried, key=lambda one: -one.mean)
    rows = tuple((_words(one.settings), one.mean, *one.worst) for one in ordered)
    return Table(("settings", "mean", "lowest kind", "which"), rows, method)


def _default(tried: Sequence[Tried]) -> Tried:
    return next((one for one in tried if not one.settings), tried[0])


def _words(settings: Settings) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items()) or "defaults"


@click.command(help=__doc__)
@click.option("--data", envvar="CROWDSEQ_DATA", type=click.Path(path_type=Path), required=True)
@click.option("-o", "--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True)
@click.option("--only", multiple=True, type=click.Choice(list(STEPS)), help="Only this method.")
@quiet_option
def command(data: Path, out: Path, only: tuple[str, ...], quiet: bool) -> None:
    file = CellFile(out / "cells" / "rivals.jsonl")
    with one_bar_shown(quiet) as tell:
        search = Search(file, data, tell)
        found = {method: search.choose(method) for method in only or STEPS}
    if not only:
        with AtomicFile(out / "rivals.md", force=True) as page:
            page.write(rivals_page(found).encode())
    for method, tried in found.items():
        click.echo(f"{method}: {_words(tried[-1].settings)}: {tried[-1].mean:.4f}")


if __name__ == "__main__":
    command()
