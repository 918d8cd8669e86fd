"""Tables IV-VII (rows of α and β, estimated and counted with gold) and table XI (one sentence)."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import Any

from crowdseq.reports.tables import Table
from crowdseq_research.paper.cells.keys import PAPER_PRESET, row_name

KINDS = {"local": "α", "repeat": "β"}
_PAPER_ORDER = ("ORG", "PER", "LOC", "MISC")
_PRESET_NAMES = {"sa-slc": "default preset", PAPER_PRESET: "paper preset"}


def expertise_cells(cells: Iterable[Mapping[str, Any]], data: str) -> dict[str, Mapping[str, Any]]:
    """Preset to cell, of one corpus; cells of quick runs are left out."""
    return {
        _PRESET_NAMES[row_name(cell["key"])]: cell
        for cell in cells
        if cell["key"]["data"] == data and "sentences" not in cell["key"]
    }


def label_order(tags: Sequence[str]) -> list[str]:
    """Labels in the order of the paper's tables: B and I of each type, O at the end."""
    types = list(dict.fromkeys(tag.partition("-")[2] for tag in tags if "-" in tag))
    known = [one for one in _PAPER_ORDER if one in types]
    ordered = known + [one for one in types if one not in known]
    return [f"{prefix}-{one}" for one in ordered for prefix in "BI"] + ["O"]


def vectors(cell: Mapping[str, Any], kind: str, source: str) -> list[list[float] | None]:
    """For each annotator the shares in the order of the paper; source: `estimated` or `true`."""
    places = [cell["tags"].index(tag) for tag in label_order(cell["tags"])]
    rows = [row["shares"] for row in cell[kind][source]]
    return [None if row is None else [row[place] for place in places] for row in rows]


def expertise_table(found: Mapping[str, Mapping[str, Any]], kind: str) -> Table:
    """A row for each annotator and source; what gold says stands once if it is the same for all presets."""
    first = next(iter(found.values()))
    sources = [(preset, cell, "estimated") for preset, cell in found.items()]
    if all(cell[kind]["true"] == first[kind]["true"] for cell in found.values()):
        sources.append(("with gold", first, "true"))
    else:
        sources += [(f"with gold, {preset}", cell, "true") for preset, cell in found.items()]
    rows = tuple(
        (annotator, name, *_row(cell, kind, source, place))
        for place, annotator in enumerate(first["annotators"])
        for name, cell, source in sources
    )
    return Table(("annotator", "source", "votes", *label_order(first["tags"])), rows)


def _row(cell: Mapping[str, Any], kind: str, source: str, place: int) -> list[str]:
    """Votes and shares of one annotator."""
    shares = vectors(cell, kind, source)[place]
    shown = ["" for _ in cell["tags"]] if shares is None else [f"{share:.2f}" for share in shares]
    return [f"{cell[kind][source][place]['votes']:.0f}", *shown]


def mean_error(cell: Mapping[str, Any], kind: str) -> float | None:
    """Mean distance between estimated and true share of the right label, over annotators who have both."""
    place = label_order(cell["tags"]).index(cell[kind]["truth"])
    pairs = zip(vectors(cell, kind, "estimated"), vectors(cell, kind, "true"), strict=True)
    gaps = [abs(one[place] - other[place]) for one, other in pairs if one is not None and other is not None]
    return mean(gaps) if gaps else None


def example_table(cell: Mapping[str, Any], words: Sequence[str] | None = None) -> Table:
    """Tags at the tokens that anybody marked, and what the tables say of each annotator.

    words: for a terminal; a page shows the places alone, since the text is licensed.
    """
    rows_of_tags = [cell["gold"], cell["consensus"], *(one["tags"] for one in cell["annotators"])]
    places = [
        place
        for place in range(len(cell["gold"]))
        if any(tags[place] not in ("O", None) for tags in rows_of_tags)
    ]
    heads = [f"token {place + 1}" if words is None else words[place] for place in places]
    blank = ("", "", "")
    rows: list[tuple[object, ...]] = [("gold", *(cell["gold"][place] for place in places), *blank)]
    told = (f"{cell['consensus'][place]} ({100 * cell['confidence'][place]:.0f} %)" for place in places)
    rows.append(("SA-SLC", *told, *blank))
    for number, one in enumerate(cell["annotators"], start=1):
        chances = (one["local"], one["repeat"]["B-LOC"], one["repeat"]["O"])
        tags = (one["tags"][place] for place in places)
        rows.append((f"annotator {number}", *tags, *(_chance(chance) for chance in chances)))
    return Table(
        ("", *heads, "α(O, B-LOC, B-LOC)", "β(B-LOC, B-LOC, B-LOC)", "β(O, B-LOC, B-LOC)"), tuple(rows)
    )


def _chance(chance: Mapping[str, Any]) -> str:
    return f"{chance['shares']['B-LOC']:.2f} of {chance['votes']:.0f}" if chance["shares"] else "no votes"
