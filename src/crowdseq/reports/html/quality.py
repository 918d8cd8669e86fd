"""Against gold: scores, and whether the confidence is calibrated."""

from collections.abc import Mapping
from typing import Any

from crowdseq.core.consensus import Consensus
from crowdseq.reports.html.charts import reliability_chart
from crowdseq.reports.html.section import Column, Content, Markup, Section, element, name_of, table, warning
from crowdseq.reports.tables import count, percent

_SHOWN_TYPES = 60
_FEW_TOKENS = 100
_SCORE_COLUMNS = ("precision", "recall", "F1", "in gold", "found", "in both")


def quality_section(
    consensus: Consensus, metrics: Mapping[str, Any], settings: Mapping[str, Any]
) -> Section | None:
    """None where no gold is known."""
    scores = metrics.get("consensus")
    if not scores:
        return None
    content: list[Content] = [
        element("p", _in_words(consensus, scores)),
        warning(_NOT_INDEPENDENT) if _saw_gold(metrics, settings) else None,
        _score_table(scores),
        _calibration(metrics.get("calibration") or {}),
    ]
    return Section("quality", "Against gold", "Gold", content)


_NOT_INDEPENDENT = (
    "the method was shown gold labels while it learned, so these figures do not tell how good it is without."
)


def _saw_gold(metrics: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    own = settings.get("settings")
    return metrics["method"] == "gold" or (isinstance(own, Mapping) and bool(own.get("gold")))


def _in_words(consensus: Consensus, scores: Mapping[str, Any]) -> str:
    known = int(consensus.corpus.has_gold.sum())
    opening = f"Gold labels are known for {count(known, 'sentence')} ({count(scores['tokens'], 'token')})."
    if scores["f1"] is None:
        return f"{opening} There is no F1: {scores['reason'] or 'there is nothing to find'}."
    if scores["unit"] == "token":
        right = percent(scores["token_accuracy"], 1)
        return f"{opening} The consensus has the gold label on {right} of the tokens."
    return (
        f"{opening} The consensus found {percent(scores['recall'], 1)} of the {scores['support']:,} spans in "
        f"gold, and {percent(scores['precision'], 1)} of its own {scores['predicted']:,} spans are in gold. "
        "A span counts only when its type and both bounds are right."
    )


def _score_table(scores: Mapping[str, Any]) -> Markup:
    types = sorted(scores["per_type"].items(), key=lambda pair: -pair[1]["support"])
    rows = [_score_row(name_of(name), one) for name, one in types[:_SHOWN_TYPES]]
    rows.append(_score_row(element("strong", "all"), scores))
    macro = [percent(scores[f"macro_{name}"], 1) for name in ("precision", "recall", "f1")]
    rows.append([element("strong", "mean"), *macro, "", "", ""])
    more = len(types) - _SHOWN_TYPES
    caption = (
        f"Exact {scores['unit']}s, {scores['mode']}{f', without {more} rarer types' if more > 0 else ''}"
    )
    return table(caption, [Column("type", numeric=False), *map(Column, _SCORE_COLUMNS)], rows)


def _score_row(name: Content, one: Mapping[str, Any]) -> list[Content]:
    shares = [percent(one[key], 1) for key in ("precision", "recall", "f1")]
    return [name, *shares, *(f"{one[key]:,}" for key in ("support", "predicted", "correct"))]


def _calibration(calibration: Mapping[str, Any]) -> Content:
    kind = "entity_tokens" if "entity_tokens" in calibration else "all_tokens"
    measured = calibration.get(kind)
    if not measured or not measured["count"]:
        return None
    which = "tokens that are part of a span in gold or consensus" if kind == "entity_tokens" else "all tokens"
    chart = element(
        "figure",
        reliability_chart(measured["bins"]),
        element(
            "figcaption",
            f"Confidence and truth on {which}. On the dashed line: as sure as right; below it: too sure; "
            "above: too modest. Large dots stand for many tokens, hollow ones for fewer than 20.",
        ),
    )
    return [
        element("h3", "Is the confidence calibrated?"),
        element("p", _gap_in_words(measured, which)),
        element("div", chart, _bin_table(measured["bins"]), class_="beside"),
    ]


def _gap_in_words(measured: Mapping[str, Any], which: str) -> str:
    gap = measured["confidence"] - measured["accuracy"]
    verdict = "about as sure as it is right" if abs(gap) < 0.02 else "too sure" if gap > 0 else "too modest"
    if measured["count"] < _FEW_TOKENS:
        verdict = "too few tokens to tell more"
    return (
        f"On the {measured['count']:,} {which}, the method is {percent(measured['confidence'], 1)} sure on "
        f"average and right in {percent(measured['accuracy'], 1)}: {verdict}. The expected calibration "
        f"error, the mean distance between the two, is {percent(measured['error'], 1)}."
    )


def _bin_table(bins: list[Mapping[str, Any]]) -> Markup:
    rows = [
        [
            f"{percent(one['low'])} to {percent(one['high'])}",
            f"{one['count']:,}",
            percent(one["confidence"]),
            percent(one["accuracy"]),
        ]
        for one in reversed(bins)
        if one["count"]
    ]
    columns = [Column("confidence", numeric=False), Column("tokens"), Column("sure"), Column("right")]
    return table("The same in figures", columns, rows)
