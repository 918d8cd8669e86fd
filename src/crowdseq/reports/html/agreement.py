"""How far the annotators agree: alpha with its interval, who agrees with whom, which labels are mixed up."""

from collections.abc import Sequence

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray
from crowdseq.core.consensus import Consensus
from crowdseq.evaluation.crowd_agreement import AlphaInterval, PairSquare, pair_square
from crowdseq.reports.html.heatmaps import heatmap, label_choice
from crowdseq.reports.html.section import (
    Attribute,
    Content,
    Markup,
    Section,
    clip,
    element,
    name_of,
    scrolling,
)
from crowdseq.reports.tables import PERCENT, count, decimal, percent

RELIABLE, TENTATIVE = 0.8, 0.667  # Krippendorff's own customs
MOST_PEOPLE = 40
_LEAST_SHARED = 30  # tokens: kappa of fewer is mostly chance
_WITH_FIGURES = 12  # people up to whom the cells have room for a figure
_SHOWN_PAIRS = 5
_SHOWN_CONFUSIONS = 3
NOTHING_HERE = "nothing"
_LEAST_CONFUSED = 0.05
_LONGEST_NAME = 14


def agreement_section(
    consensus: Consensus, ranked: Sequence[int], alpha: AlphaInterval | None
) -> Section | None:
    """None where there are no two annotators."""
    if len(consensus.annotators) < 2:
        return None
    content: list[Content] = [
        element("p", alpha_in_words(alpha), _what_alpha_is(alpha)),
        _picture(consensus, ranked) if alpha is not None else None,
        _confusion(consensus),
    ]
    return Section("agreement", "How far they agree", "Agreement", content)


def alpha_in_words(alpha: AlphaInterval | None) -> str:
    """One sentence with the figure, its interval and what is customarily thought of it."""
    if alpha is None:
        return "Agreement cannot be told: no token was labelled by two people, or all of them alike. "
    custom = "high" if alpha.alpha >= RELIABLE else "fair" if alpha.alpha >= TENTATIVE else "low"
    reach = f"{decimal(alpha.low)} to {decimal(alpha.high)}"
    return f"Krippendorff’s α is {decimal(alpha.alpha)} ({reach}), which is {custom}. "


def _what_alpha_is(alpha: AlphaInterval | None) -> str:
    if alpha is None:
        return ""
    return (
        "It compares the labels of single tokens: 1 is perfect, 0 is chance; by custom 0.8 and more is "
        f"relied upon, below 0.67 is not. Based on {count(alpha.tokens, 'token')} that two or more labelled; "
        f"the 95{PERCENT} interval comes from drawing the {alpha.unit}s again and again. A consensus can be "
        "good where agreement is low: it heeds who is right more often."
    )


def _picture(consensus: Consensus, ranked: Sequence[int]) -> list[Content]:
    reports = consensus.annotators
    busiest = set(sorted(ranked, key=lambda number: -reports[number].tokens)[:MOST_PEOPLE])
    chosen = [number for number in ranked if number in busiest]
    square = pair_square(consensus.corpus, chosen)
    names = [reports[number].annotator for number in chosen]
    which = (
        f"The {len(chosen)} of {len(reports):,} annotators with the most labels, the most skilled first. "
        if len(chosen) < len(reports)
        else "The most skilled first. "
    )
    n_known, n_pairs = _known(square).sum() // 2, len(chosen) * (len(chosen) - 1) // 2
    few = f", as most have: {n_known:,} of {n_pairs:,} pairs can be told" if n_known < n_pairs / 2 else ""
    return [
        element("h3", "Who agrees with whom"),
        element(
            "p",
            f"{which}Blue: the same label more often than chance would have it (Cohen’s κ), the darker the "
            f"more; orange: less often than chance; empty: fewer than {_LEAST_SHARED} tokens in common{few}.",
        ),
        scrolling(_square(names, square)),
        _least_agreed(names, square),
    ]


def _square(names: Sequence[str], square: PairSquare) -> Markup:
    size = len(names)
    figures = size <= _WITH_FIGURES
    cell, top = (34 if figures else 15), 22
    left = 38 + 7 * min(max(map(len, names)), _LONGEST_NAME)
    known = _known(square)
    levels = np.where(known, np.clip(np.ceil(10 * np.nan_to_num(square.kappa)), -1, 10), -2).astype(int)
    paths = [
        element(
            "path", d=_cells(levels == level, cell, left, top), class_="against" if level < 0 else f"l{level}"
        )
        for level in range(-1, 11)
        if (levels == level).any()
    ]
    texts = [
        element(
            "text",
            decimal(float(square.kappa[row, column])).replace("0.", "."),
            x=left + column * cell + cell // 2,
            y=top + row * cell + cell // 2 + 4,
            text_anchor="middle",
            class_="figure",
        )
        for row, column in (np.argwhere(known).tolist() if figures else [])
    ]
    step = 1 if figures else 5
    heads = [
        element("text", n + 1, x=left + n * cell + cell // 2, y=top - 6, text_anchor="middle")
        for n in range(size)
        if n == 0 or (n + 1) % step == 0
    ]
    sides = [
        element(
            "text",
            element("tspan", f"{n + 1} ", class_="rank"),
            clip(name, _LONGEST_NAME),
            x=left - 8,
            y=top + n * cell + cell // 2 + 4,
            text_anchor="end",
        )
        for n, name in enumerate(names)
    ]
    width, height = left + size * cell + 2, top + size * cell + 2
    attributes: dict[str, Attribute] = {
        "viewBox": f"0 0 {width} {height}",
        "width": width,
        "height": height,
        "role": "img",
        "aria_label": "Agreement of every two annotators; the least agreed are told below",
        "class_": "square",
    }
    frame = element("rect", x=left, y=top, width=size * cell, height=size * cell, class_="frame")
    return element("svg", frame, paths, texts, heads, sides, **attributes)


def _known(square: PairSquare) -> BoolArray:
    """Which two have enough in common."""
    known: BoolArray = ~np.isnan(square.kappa) & (square.shared >= _LEAST_SHARED)
    return known & ~np.eye(len(known), dtype=np.bool_)


def _cells(where: BoolArray, cell: int, left: int, top: int) -> str:
    """One path for all cells of a colour: small, however many there are."""
    side = cell - 1
    return "".join(
        f"M{left + column * cell} {top + row * cell}h{side}v{side}h-{side}z"
        for row, column in np.argwhere(where).tolist()
    )


def _least_agreed(names: Sequence[str], square: PairSquare) -> Content:
    known = _known(square)
    pairs = [
        (float(square.kappa[one, other]), int(square.shared[one, other]), one, other)
        for one in range(len(names))
        for other in range(one + 1, len(names))
        if known[one, other]
    ]
    if len(pairs) < 2:
        return None
    told: list[Content] = [
        (
            "; " if place else "",
            name_of(names[one]),
            " and ",
            name_of(names[other]),
            f" ({decimal(kappa)} on {shared:,} tokens)",
        )
        for place, (kappa, shared, one, other) in enumerate(sorted(pairs)[:_SHOWN_PAIRS])
    ]
    return element("p", "Least agreed: ", told, ".")


def _confusion(consensus: Consensus) -> list[Content]:
    counts, names = crowd_confusion(consensus)
    if not counts.sum():
        return []
    kept = label_choice(counts)
    return [
        element("h3", "Which labels are mixed up"),
        element(
            "p",
            "All annotators together, by token. Rows: the label that the consensus holds for true, with the "
            "number of votes; columns: the label given, in percent of the row.",
        ),
        element(
            "div",
            scrolling(heatmap("what was given where", counts, kept, names)),
            element("ul", _in_words(counts, names), class_="habits"),
            class_="beside",
        ),
    ]


def crowd_confusion(consensus: Consensus) -> tuple[FloatArray, list[str]]:
    """Expected votes of all annotators, truth by given, of types whatever the part of the span; and names."""
    scheme = consensus.corpus.scheme
    tags = sum((report.confusion for report in consensus.annotators), np.zeros((len(scheme), len(scheme))))
    size = len(scheme.types) + 1
    counts = np.zeros((size, size))
    np.add.at(counts, (scheme.type_ids[:, None], scheme.type_ids[None, :]), tags)
    names = [*scheme.types, NOTHING_HERE]
    return (counts[:-1, :-1], names[:-1]) if scheme.is_plain else (counts, names)


def _in_words(counts: FloatArray, names: Sequence[str]) -> list[Markup]:
    """The largest shares of a row that went elsewhere: to other labels, and to nothing."""
    rows = counts.sum(axis=1)
    shares = counts / np.maximum(rows, 1e-9)[:, None]
    np.fill_diagonal(shares, 0.0)
    shares[rows < _LEAST_SHARED] = 0.0
    nothing = len(names) - 1 if names[-1] == NOTHING_HERE else len(names)
    order = [divmod(int(place), len(names)) for place in np.argsort(-shares, axis=None, kind="stable")]
    told = [(truth, given) for truth, given in order if shares[truth, given] >= _LEAST_CONFUSED]
    mixed = [pair for pair in told if nothing not in pair][:_SHOWN_CONFUSIONS]
    missed = [pair for pair in told if nothing in pair][:_SHOWN_CONFUSIONS]
    return [
        element(
            "li",
            [name_of(names[truth]), " was left out"]
            if given == nothing
            else [name_of(names[truth]), " was called ", name_of(names[given])],
            f" in {percent(float(shares[truth, given]))} of {rows[truth]:,.0f} votes",
        )
        for truth, given in (*mixed, *missed)
    ]
