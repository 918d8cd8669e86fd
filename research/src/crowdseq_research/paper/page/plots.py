"""Figures 7-14 as SVG: plain, readable in black and white, and the same bytes for the same cells."""

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from crowdseq_research.paper.cells.keys import Crowd
from crowdseq_research.paper.tables.expertise_tables import KINDS, label_order, vectors
from crowdseq_research.paper.tables.grid_scores import GridScores
from crowdseq_research.paper.tables.published import ANNOTATORS, METHODS, PRECISIONS, TITLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Line style and marker tell methods apart without colour; ours is the heavy black line.
_STYLES: dict[str, dict[str, Any]] = {
    "majority-vote": {"color": "#777777", "linestyle": ":", "marker": "o"},
    "dawid-skene": {"color": "#777777", "linestyle": "--", "marker": "s"},
    "mace": {"color": "#777777", "linestyle": "-.", "marker": "^"},
    "sembler": {"color": "#2b6ca3", "linestyle": "--", "marker": "D"},
    "hmm-crowd": {"color": "#2b6ca3", "linestyle": "-", "marker": "v"},
    "sa-slc": {"color": "black", "linestyle": "-", "marker": "o", "linewidth": 2.0},
}
_BARS: tuple[dict[str, Any], ...] = (
    {"color": "black"},
    {"color": "white", "hatch": "/////"},
    {"color": "#bbbbbb"},
)
_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "crowdseq",
    "svg.fonttype": "none",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.1,
    "lines.markersize": 4.0,
    "hatch.linewidth": 0.5,
}


def grid_figure(scores: GridScores, data: str) -> bytes:
    """F1 against p for each K: the six methods, and the ceiling as a thin line."""
    with _drawing(8.4, 3.1) as figure:
        panels = figure.subplots(1, len(ANNOTATORS), sharey=True)
        for axes, annotators in zip(panels, ANNOTATORS, strict=True):
            _draw_crowds(axes, scores, data, annotators)
        panels[0].set_ylabel("F1 on the test part, %")
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=7, frameon=False)
        figure.suptitle(TITLES[data], fontsize=10)
        return _as_svg(figure)


def _draw_crowds(axes: "Axes", scores: GridScores, data: str, annotators: int) -> None:
    for method, title in METHODS.items():
        values = [scores.mean(Crowd(data, annotators, precision), method) for precision in PRECISIONS]
        heights = [float("nan") if value is None else value for value in values]
        axes.plot(PRECISIONS, heights, label=title, **_STYLES[method])
    ceiling = scores.ceiling(data)
    if ceiling is not None:
        axes.axhline(ceiling, color="black", linewidth=0.6, label="gold labels")
    axes.set_title(f"K = {annotators}", fontsize=9)
    axes.set_xticks(PRECISIONS)
    axes.set_xlim(0.05, 0.95)
    axes.set_xlabel("mean precision p of the annotators")


def expertise_figure(found: Mapping[str, Mapping[str, Any]], data: str, kind: str) -> bytes:
    """One row of α or β for each annotator: estimated by each preset, and counted with gold."""
    first = next(iter(found.values()))
    labels = label_order(first["tags"])
    bars = [(name, vectors(cell, kind, "estimated")) for name, cell in found.items()]
    bars.append(("counted with gold", vectors(first, kind, "true")))
    with _drawing(8.4, 2.6 if len(labels) < 6 else 3.0) as figure:
        panels = figure.subplots(1, len(first["annotators"]), sharey=True)
        for place, axes in enumerate(panels):
            _draw_bars(axes, [(name, rows[place]) for name, rows in bars], labels)
            axes.set_title(f"annotator {place + 1}", fontsize=9)
        panels[0].set_ylabel("share of votes")
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False)
        row = f"{KINDS[kind]}: truth {first[kind]['truth']}, {_CONTEXTS[kind]} {first[kind]['context']}"
        figure.suptitle(f"{TITLES.get(data, data)}, {row}", fontsize=10)
        return _as_svg(figure)


_CONTEXTS = {"local": "own label before", "repeat": "own label on the same mention"}


def _draw_bars(axes: "Axes", bars: Sequence[tuple[str, list[float] | None]], labels: Sequence[str]) -> None:
    width = 0.8 / len(bars)
    for place, (name, shares) in enumerate(bars):
        at = [number + (place - (len(bars) - 1) / 2) * width for number in range(len(labels))]
        heights = [0.0] * len(labels) if shares is None else shares
        axes.bar(at, heights, width, label=name, edgecolor="black", linewidth=0.4, **_BARS[place])
    axes.set_xticks(range(len(labels)), labels, rotation=90, fontsize=7)
    axes.set_ylim(0.0, 1.0)


@contextmanager
def _drawing(width: float, height: float) -> Iterator["Figure"]:
    """A figure under our settings, whatever the user's own are."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield Figure(figsize=(width, height), layout="constrained")


def _as_svg(figure: "Figure") -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    # Trailing spaces are matplotlib's habit and a nuisance in diffs.
    return b"\n".join(line.rstrip() for line in out.getvalue().splitlines()) + b"\n"
