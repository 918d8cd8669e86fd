"""Every method on crowds drawn at random, or on crowds by degrees; each figure kept in a cell, and a page.

`python -m crowdseq_research.zoo.drawn_check DATA --first 1000 --count 60 -o results`
`python -m crowdseq_research.zoo.drawn_check DATA --graded -o results`
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from crowdseq.workflows.learning import learn
from crowdseq_research.cells.sources import method_sources
from crowdseq_research.zoo.drawn_crowds import Drawn, draw_crowd
from crowdseq_research.zoo.figures import consensus_figures, crowd_digest
from crowdseq_research.zoo.graded_crowds import GRADES, grade_crowd
from crowdseq_research.zoo.rows import BEFORE, OURS, ROWS, VOTES_OF_THE_SPEAKING

COMPARED = (VOTES_OF_THE_SPEAKING, "dawid-skene", "ibcc", "hmm-crowd", "bsc", BEFORE, OURS)
CLOSE = 0.01
_LOOKED_AT = 5000
_MISLED = 0.35  # where nobody is better than that, most of the crowd is wrong in the same way


@dataclass(frozen=True)
class Series:
    """Crowds by number: `name` of cells and page; make: one of them; told: what the page says of them."""

    name: str
    title: str
    make: Callable[[Path, int], Drawn]
    told: tuple[str, ...]
    option: str = ""


DRAWN = Series(
    "drawn",
    "Crowds drawn at random",
    draw_crowd,
    (
        "crowds that nobody chose: the text (CoNLL-2003, NCBI disease, BC2GM, JNLPBA; 60 to 900 sentences,",
        "some in small letters or merged), 2 to 15 people, how often each errs and in what, who is spoiled",
        "and how, who copies and who saw what are all drawn.",
        f"Crowds below {_LOOKED_AT} were looked at while the method was made; later ones were not.",
    ),
)
GRADED = Series(
    "graded",
    "Crowds by degrees",
    grade_crowd,
    (
        "crowds: four texts, four kinds of people (good, middling, bad, and such as miss half), two, three,",
        "five or nine of them, and 80, 250 or 600 sentences, of which people decide 0, .4 and .2 by the form",
        "of a mention, once for good. Nobody copies, everybody sees everything.",
        "They were looked at while the method was made.",
    ),
    " --graded",
)


def compute(series: Series, data: Path, number: int, commit: str) -> dict[str, Any]:
    """One crowd: what is peculiar about it, and every method's score on it."""
    drawn = series.make(data, number)
    scores, error = {}, None
    for name in COMPARED:
        learned = learn(drawn.corpus, ROWS[name].method, tagger=False, **ROWS[name].settings)
        figures = consensus_figures(learned.consensus)
        scores[name] = figures["score"]
        if name == OURS:
            error = figures["calibration"]
    told = {"number": number, "peculiar": list(drawn.peculiar), "crowd": crowd_digest(drawn.corpus)}
    sources = {name: method_sources(ROWS[name].method) for name in COMPARED}
    return {**told, "scores": scores, "calibration": error, "commit": commit, "sources": sources}


def page(series: Series, cells: Sequence[Mapping[str, Any]]) -> str:
    """The cells as a page in Markdown, the worst crowd first."""
    numbers = [cell["number"] for cell in cells]
    known = [cell for cell in cells if max(cell["scores"].values()) >= _MISLED]
    lines = [
        f"# {series.title}",
        "",
        f"Numbers {min(numbers)} to {max(numbers)}, {len(cells)}",
        *series.told,
        "Settings of the rivals are those of [the zoo](zoo.md). Strict span F1 of the consensus.",
        "",
        f"On {len(cells) - len(known)} of them no method reaches {_MISLED} (most people are wrong in the",
        "same way, or guess); they are listed and not counted.",
        "",
        "| row | mean | first or within 1 F1 | below majority vote by more than 1 F1 | furthest behind |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [_summary(name, known) for name in COMPARED]
    lines += [
        "",
        f"| crowd | {' | '.join(COMPARED)} | calibration error of {OURS} |",
        f"|---|{'---:|' * (len(COMPARED) + 1)}",
    ]
    lines += [_line(cell) for cell in sorted(cells, key=_lead)]
    commits = ", ".join(sorted({cell["commit"] for cell in cells}))
    chosen = f"--first {min(numbers)} --count {len(cells)}"
    recipe = f"python -m crowdseq_research.zoo.drawn_check DATA{series.option} {chosen} -o results"
    return "\n".join([*lines, "", f"Recipe: `{recipe}`; commit {commits}.", ""])


def _lead(cell: Mapping[str, Any]) -> float:
    return float(cell["scores"][OURS] - max(cell["scores"].values()))


def _summary(name: str, cells: Sequence[Mapping[str, Any]]) -> str:
    if not cells:
        return f"| {name} | n/a | n/a | n/a | n/a |"
    behind = [max(cell["scores"].values()) - cell["scores"][name] for cell in cells]
    below = [cell["scores"][VOTES_OF_THE_SPEAKING] - cell["scores"][name] for cell in cells]
    mean = fmean(cell["scores"][name] for cell in cells)
    close, poor = sum(gap <= CLOSE for gap in behind), sum(gap > CLOSE for gap in below)
    return f"| {name} | {mean:.3f} | {close} ({close / len(cells):.0%}) | {poor} | {max(behind):.3f} |"


def _line(cell: Mapping[str, Any]) -> str:
    best = max(cell["scores"].values())
    figures = (cell["scores"][name] for name in COMPARED)
    told = (f"**{figure:.3f}**" if figure == best else f"{figure:.3f}" for figure in figures)
    error = "n/a" if cell["calibration"] is None else f"{cell['calibration']:.3f}"
    return f"| {cell['number']}: {', '.join(cell['peculiar'])} | {' | '.join(told)} | {error} |"


def read_cells(path: Path) -> dict[int, dict[str, Any]]:
    """Cells by their number, the last of each."""
    if not path.is_file():
        return {}
    found = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {cell["number"]: cell for cell in found}


def write_cells(path: Path, cells: Iterable[Mapping[str, Any]]) -> None:
    """One line for each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(cell) + "\n" for cell in cells), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--graded", action="store_true", help="crowds by degrees, not those drawn")
    parser.add_argument("--first", type=int, help="number of the first crowd")
    parser.add_argument("--count", type=int, help="how many")
    parser.add_argument("--again", action="store_true", help="compute stored cells again")
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    git = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    series, first, count = (GRADED, 0, len(GRADES)) if asked.graded else (DRAWN, 1000, 60)
    first, count = (
        (first, count) if asked.first is None else (asked.first, count - asked.first * asked.graded)
    )
    count = asked.count or count
    if asked.graded and not 0 <= first < first + count <= len(GRADES):
        parser.error(f"crowds by degrees have the numbers 0 to {len(GRADES) - 1}")
    path, wanted = asked.output / "cells" / f"{series.name}.jsonl", range(first, first + count)
    cells, renewed = read_cells(path), set(wanted) if asked.again else set()
    for number in wanted:
        if number in renewed or number not in cells:
            cells[number] = compute(series, asked.data, number, commit)
            write_cells(path, [cells[one] for one in sorted(cells)])
            sys.stderr.write(_line(cells[number]) + "\n")
    text = page(series, [cells[number] for number in wanted])
    (asked.output / f"{series.name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
