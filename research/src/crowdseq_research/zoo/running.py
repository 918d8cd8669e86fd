"""The zoo run: cells that are missing are computed, and all of them shown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crowdseq.errors import SettingsError
from crowdseq.reports.tables import Table
from crowdseq_research.cells.again import again_table
from crowdseq_research.cells.cell_file import CellFile, Tell, key_of
from crowdseq_research.cells.parallel import Workers, compute_all
from crowdseq_research.cells.recipes import is_outdated
from crowdseq_research.cells.sources import is_old
from crowdseq_research.zoo.cells import Key, compute_zoo, zoo_keys
from crowdseq_research.zoo.crowds import ZOO
from crowdseq_research.zoo.page import Cells, Shown

_COMPARED = ("score", "calibration", "settled_tokens", "like_votes", "crowd")


@dataclass(frozen=True)
class Choice:
    """Which cells are computed: of these crowds or kinds, of these methods (all if none is named).

    quick: a part, in a file of its own. final: the crowd that judges. renew: also what is old.
    """

    only: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    quick: bool = False
    final: bool = False
    renew: bool = False

    def chosen(self) -> list[Key]:
        """Checked: a name that chooses nothing is told."""
        _require({crowd.name for crowd in ZOO} | {crowd.kind for crowd in ZOO}, self.only, "crowd or kind")
        every = zoo_keys(quick=self.quick, final=self.final)
        _require({key["method"] for key in every}, self.methods, "method")
        keys = [
            key
            for key in every
            if (not self.only or self.final or key["data"] in self.only or key["kind"] in self.only)
            and (not self.methods or key["method"] in self.methods)
        ]
        if not keys:
            raise SettingsError(f"--only {', '.join(self.only)}: the quick zoo has no such crowd")
        return keys


def cell_file(out: Path, *, quick: bool = False) -> CellFile:
    """Where cells are kept; those of quick runs never mix with them."""
    return CellFile(out / "cells" / f"{'quick-' if quick else ''}zoo.jsonl")


def run_zoo(out: Path, workers: Workers, choice: Choice) -> Shown:
    """Computes what is chosen and missing; shows all that is stored."""
    file = cell_file(out, quick=choice.quick)
    judged = replace(workers, is_outdated=is_old if choice.renew else is_outdated)
    compute_all(file, choice.chosen(), compute_zoo, judged)
    return stored(out, quick=choice.quick)


def stored(out: Path, *, quick: bool = False) -> Shown:
    """The cells of today's list as far as they are there; a cell of a row that is gone is left out."""
    found = cell_file(out, quick=quick).load()

    def of(keys: Sequence[Key]) -> Cells:
        return [found[name] for key in keys if (name := key_of(key)) in found]

    return Shown(of(zoo_keys(quick=quick)), of(zoo_keys(final=True)), quick)


def zoo_again(out: Path, data: Path, draw: tuple[int, int], tell: Tell, choice: Choice) -> Table:
    """Stored cells computed again; draw: how many, and the seed that says which."""
    wanted = {key_of(key) for key in choice.chosen()}
    found = cell_file(out, quick=choice.quick).load()
    cells = [cell for name, cell in sorted(found.items()) if name in wanted]
    if not cells:
        raise SettingsError(f"there are no cells of the zoo under {out} to compute again")
    return again_table(cells, lambda key: compute_zoo(key, data), _COMPARED, draw, tell)


def _require(known: set[str], names: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            raise SettingsError(f"--only {name}: there is no such {what} in the zoo")
