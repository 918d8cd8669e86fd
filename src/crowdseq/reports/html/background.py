"""What was done and how sure we are, in plain words; and how it was made, to repeat it."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.spans import find_spans
from crowdseq.reports.html.charts import band_legend, confidence_bar, history_chart
from crowdseq.reports.html.section import (
    IN_DOUBT,
    Column,
    Content,
    Markup,
    Section,
    element,
    facts,
    listed,
    name_of,
    span_confidence,
    table,
)
from crowdseq.reports.tables import count, percent

_SHOWN_TYPES = 40


def subtitle(metrics: Mapping[str, Any], settings: Mapping[str, Any]) -> Content:
    """Method, size and date in one line."""
    made = str(settings.get("created", "")).replace("T", " ").replace("+00:00", " UTC")
    parts: list[Content] = [
        element("strong", str(metrics["method"])),
        count(metrics["sentences"], "sentence"),
        count(metrics["annotators"], "annotator"),
        *([made] if made else []),
    ]
    return [(" · " if index else "", part) for index, part in enumerate(parts)]


def consensus_section(consensus: Consensus, metrics: Mapping[str, Any]) -> Section:
    confidence = span_confidence(consensus)
    content: list[Content] = [
        element("p", _data_in_words(consensus)),
        element("p", _method_in_words(consensus, metrics)),
        element("p", _trust(consensus)),
        _found(consensus, confidence) if len(confidence) else None,
    ]
    return Section("consensus", "What was done, and how sure we are", "Consensus", content)


def _data_in_words(consensus: Consensus) -> Content:
    corpus = consensus.corpus
    documents = count(len(corpus.text.documents), "document")
    size = f"{count(len(corpus), 'sentence')} ({count(corpus.n_tokens, 'token')}, {documents})"
    names = list(corpus.scheme.types)
    kinds = (
        count(len(names), "label")
        if corpus.scheme.is_plain
        else count(len(names), "type", "types") + " of span"
    )
    labels: Content = [f"{kinds}: ", listed(names)] if names else "no label but O"
    if not corpus.annotators:
        return [f"{size}, not labelled by any annotator; there is gold with ", labels, "."]
    seen = float(corpus.n_voters.mean()) if len(corpus) else 0.0
    verb = "annotators labelled" if len(corpus.annotators) != 1 else "annotator labelled"
    return [
        f"{len(corpus.annotators):,} {verb} {size}. They had the choice of ",
        labels,
        f". A sentence was labelled by {seen:.1f} of them on average.",
    ]


def _method_in_words(consensus: Consensus, metrics: Mapping[str, Any]) -> list[Content]:
    rounds = len(consensus.history)
    time = f" in {count(rounds, 'round')}" if rounds else ""
    return [
        "The method ",
        element("strong", str(metrics["method"])),
        f" weighed what they said and settled one label for every token{time}",
        f" ({metrics['seconds']:,.1f} s)." if metrics.get("seconds") else ".",
        " Every label has a confidence: the probability, as the method sees it, that the label is right.",
    ]


def _trust(consensus: Consensus) -> str:
    least = "" if consensus.corpus.scheme.is_plain else " A span is as sure as its least sure token."
    if consensus.corpus.has_gold.any():
        return f"How far the confidence can be trusted is measured against gold below.{least}"
    return (
        "There are no gold labels here, so the confidence cannot be checked in this report: take it as an "
        f"order of what to look at first.{least}"
    )


def _found(consensus: Consensus, confidence: FloatArray) -> Markup:
    """A row for every type, the most frequent first."""
    corpus = consensus.corpus
    types = find_spans(consensus.tag_ids, corpus.offsets, corpus.scheme).types
    unit = "tokens" if corpus.scheme.is_plain else "spans"
    frequent = np.argsort(-np.bincount(types, minlength=len(corpus.scheme.types)), kind="stable")
    rows = [
        _type_row(corpus.scheme.types[kind], confidence[types == kind])
        for kind in frequent[:_SHOWN_TYPES].tolist()
    ]
    more = len(frequent) - len(rows)
    caption = f"What the consensus holds{f', without {more} rarer labels' if more > 0 else ''}"
    columns = [
        Column("label" if corpus.scheme.is_plain else "type", numeric=False),
        Column(unit),
        Column("confidence"),
        Column(f"below {percent(IN_DOUBT)}"),
        Column("how sure", numeric=False),
    ]
    return element("div", table(caption, columns, rows), band_legend())


def _type_row(name: str, confidence: FloatArray) -> list[Content]:
    size = len(confidence)
    return [
        name_of(name),
        f"{size:,}",
        percent(float(confidence.mean()), 1) if size else "–",
        f"{np.count_nonzero(confidence < IN_DOUBT):,}",
        confidence_bar(confidence) if size else "",
    ]


# How the run was made: its rounds, and all that is needed to repeat it.

_MOST_INPUTS = 20


def recipe_section(metrics: Mapping[str, Any], settings: Mapping[str, Any]) -> Section:
    own, versions, inputs = (settings.get(key) for key in ("settings", "versions", "inputs"))
    content: list[Content] = [_group("Method", [("method", metrics["method"]), *_top(settings)])]
    if isinstance(own, Mapping) and own:
        content.append(_group("Its settings", [(key, _plain(own[key])) for key in own]))
    if isinstance(inputs, list) and inputs:
        shown = [_input(one) for one in inputs[:_MOST_INPUTS] if isinstance(one, Mapping)]
        content.append(_group("Input", shown))
    if isinstance(versions, Mapping) and versions:
        content.append(_group("Versions", [(key, str(versions[key])) for key in versions]))
    return Section(
        "recipe",
        "How to repeat this",
        "Recipe",
        [_command(metrics, settings), element("div", content, class_="recipe")],
    )


def _command(metrics: Mapping[str, Any], settings: Mapping[str, Any]) -> Content:
    """The command as it was typed, or the call in Python; both without folders, as paths tell of people."""
    typed, own = settings.get("command"), settings.get("settings")
    if isinstance(typed, str) and typed:
        return [element("p", "The command, run beside the input:"), element("pre", element("code", typed))]
    if not isinstance(own, Mapping):
        return None
    plain = {key: own[key] for key in own if isinstance(own[key], str | int | float | bool | None)}
    given = "".join(f", {key}={value!r}" for key, value in plain.items())
    call = f"crowdseq.learn(corpus, {str(metrics['method'])!r}{given})"
    return [element("p", "In Python, with all settings spelt out:"), element("pre", element("code", call))]


def _group(heading: str, pairs: list[tuple[str, object]]) -> Markup:
    return element("div", element("h3", heading), facts(pairs))


def _top(settings: Mapping[str, Any]) -> list[tuple[str, object]]:
    return [(key, str(settings[key])) for key in ("scheme", "created") if settings.get(key)]


def _plain(value: object) -> object:
    """A float as it was set: the usual three digits would hide a small tolerance."""
    return repr(value) if isinstance(value, float) else "none" if value is None else value


def _input(one: Mapping[str, Any]) -> tuple[str, object]:
    """The file's own name and not where it lay: a path tells of people and machines."""
    name = re.split(r"[/\\]", str(one.get("name", "")))[-1] or "input"
    records = one.get("records")
    size = f"{count(records, 'record')}, " if isinstance(records, int) else ""
    return name, f"{size}sha256 {str(one.get('sha256', 'unknown'))[:16]}…"


_MOST_ROUNDS = 2000


def convergence_section(consensus: Consensus) -> Section | None:
    """None for a method that does not go in rounds."""
    history = [value for value in consensus.history if value - value == 0][-_MOST_ROUNDS:]
    if len(history) < 2:
        return None
    chart = element("figure", history_chart(history), element("figcaption", "The objective, round by round."))
    content = [element("p", _in_words(history)), chart]
    return Section("convergence", "How the rounds went", "Rounds", content)


def _in_words(history: list[float]) -> str:
    change = history[-1] - history[-2]
    relative = abs(change) / max(abs(history[-2]), 1e-12)
    direction = "rose" if history[-1] >= history[0] else "fell"
    return (
        f"The objective {direction} from {_number(history[0])} to {_number(history[-1])} in "
        f"{count(len(history), 'round')}; the last round moved it by {_number(abs(change))} "
        f"({percent(relative, 2)})."
    )


def _number(value: float) -> str:
    return f"{value:,.2f}".replace("-", "−")
