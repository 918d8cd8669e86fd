"""The first screen: a verdict on the crowd, three things to do, and what the run has to say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.core.names import look_alikes
from crowdseq.evaluation.crowd_agreement import AlphaInterval
from crowdseq.evaluation.disputes import Disputes, LabelPair
from crowdseq.evaluation.verdicts import DROP, GOOD, UNKNOWN, VERDICTS, WATCH
from crowdseq.reports.html.agreement import alpha_in_words
from crowdseq.reports.html.disputes import TO_REVIEW, pair_name
from crowdseq.reports.html.section import (
    IN_DOUBT,
    Content,
    Markup,
    Section,
    element,
    figures,
    listed,
    span_confidence,
    warning,
)
from crowdseq.reports.tables import count, percent

_MOSTLY, _PARTLY, _MUCH = 0.75, 0.4, 0.25  # shares of the labels
_SHOWN_ALIKE = 5
_STEP_THAT_COUNTS = 0.01  # of the whole climb of the objective
_SIGNS = {GOOD: "✓", WATCH: "◐", DROP: "✕", UNKNOWN: "?"}
_CLASSES = {GOOD: "good", WATCH: "watch", DROP: "drop", UNKNOWN: "unknown"}


@dataclass(frozen=True, eq=False)
class Seen:
    """What a page is made of, found out once."""

    consensus: Consensus
    metrics: Mapping[str, Any]
    settings: Mapping[str, Any]
    disputes: Disputes
    pairs: Sequence[LabelPair]  # that are disputed again and again, the most telling first
    alpha: AlphaInterval | None
    n_suggestions: int


def overview_section(seen: Seen) -> Section:
    content: list[Content] = [
        element("p", crowd_verdict(seen.consensus.annotators), class_="verdict"),
        _pills(seen.consensus.annotators),
        element("p", alpha_in_words(seen.alpha)) if len(seen.consensus.annotators) > 1 else None,
        element("ul", _actions(seen), class_="actions"),
        _remarks(seen.metrics),
        [warning(text) for text in _warnings(seen)],
        figures(_key_figures(seen)),
    ]
    return Section("overview", "Can this crowd be trusted, and what is to be done?", "Overview", content)


def crowd_verdict(reports: Sequence[AnnotatorReport]) -> str:
    """One sentence on all of them, by how many of the labels come from good people."""
    if not reports:
        return "Nobody labelled this text."
    labels = {name: sum(one.tokens for one in reports if one.verdict == name) for name in VERDICTS}
    judged = sum(labels.values()) - labels[UNKNOWN]
    if not judged:
        if not _is_anything_marked(reports):
            return "Nobody can be judged: nobody marked anything."
        alone = all(report.skill is None for report in reports)
        return (
            "Nobody can be judged: no text was labelled by two."
            if alone
            else "There is too little evidence to judge this crowd."
        )
    if judged <= labels[UNKNOWN]:
        share = percent(labels[GOOD] / judged)
        return (
            f"Half of the labels or more cannot be judged; of the others {share} come from good annotators."
        )
    good, drop = labels[GOOD] / judged, labels[DROP] / judged
    if drop >= _MUCH:
        return f"A crowd with much bad work: {percent(drop)} of the labels come from annotators to drop."
    if good >= _MOSTLY:
        return f"A good crowd: {percent(good)} of the labels come from good annotators."
    if good >= _PARTLY:
        return f"A mixed crowd: {percent(good)} of the labels come from good annotators."
    share = f"only {percent(good)}" if good else "none"
    return f"A weak crowd: {share} of the labels come from good annotators."


def _is_anything_marked(reports: Sequence[AnnotatorReport]) -> bool:
    """Whether they or the consensus have any span: else there is no F1 of anybody."""
    return any(report.f1 is not None for report in reports)


def verdict_pill(verdict: str | None, number: int | None = None) -> Markup:
    """A verdict as a sign and a word in a box, with how many there are of it."""
    name = verdict if verdict in _SIGNS else None
    shown = "not judged" if name is None else name
    return element(
        "span",
        element("span", _SIGNS.get(name or "", "–"), " ", aria_hidden="true"),
        f"{number:,} " if number is not None else None,
        shown,
        class_=f"pill {_CLASSES.get(name or '', 'unknown')}",
    )


def _pills(reports: Sequence[AnnotatorReport]) -> Content:
    counts = {name: sum(one.verdict == name for one in reports) for name in VERDICTS}
    shown = [(verdict_pill(name, number), " ") for name, number in counts.items() if number]
    return element("p", shown, class_="pills") if shown else None


def _actions(seen: Seen) -> list[Markup]:
    found = [_people(seen), _suggested(seen), _review(seen), _unclear(seen)]
    return [
        element("li", element("a", element("strong", head), element("span", detail), href=f"#{anchor}"))
        for head, detail, anchor in [one for one in found if one is not None][:3]
    ]


_Action = tuple[Content, Content, str] | None


def _people(seen: Seen) -> _Action:
    reports = seen.consensus.annotators
    judged = [report for report in reports if report.verdict not in (None, UNKNOWN)]
    if not judged:
        shared = "have some text labelled by two or more"
        detail = shared if _is_anything_marked(reports) else "nobody marked anything"
        return ("Nobody can be judged", detail, "annotators") if reports else None
    noun = ("source", "sources") if _are_sources(judged) else ("person", "people")
    drop, watch = (sum(one.verdict == name for one in judged) for name in (DROP, WATCH))
    unknown = len(reports) - len(judged)
    rest = f"; of {count(unknown, 'other')} too little is known" if unknown else ""
    if not drop + watch:
        return "Nobody to look at", f"{count(len(judged), 'annotator')} judged, all good{rest}", "annotators"
    parts = [f"{drop:,} to drop"] * bool(drop) + [f"{watch:,} to watch"] * bool(watch)
    return f"{count(drop + watch, *noun)} to look at", ", ".join(parts) + rest, "annotators"


def _are_sources(reports: Sequence[AnnotatorReport]) -> bool:
    """Labelling functions are judged by precision, as they need not find everything."""
    return all(report.evidence.get("measure") == "precision" for report in reports)


def _review(seen: Seen) -> _Action:
    disputes, corpus = seen.disputes, seen.consensus.corpus
    if corpus.n_tokens == 0 or not corpus.annotators:
        return None
    noun = "token" if corpus.scheme.is_plain else "span"
    if not len(disputes) and not len(span_confidence(seen.consensus)):
        return f"No {noun} to review", "neither the annotators nor the consensus have any", "sentences"
    if seen.alpha is None and not len(disputes):
        doubtful = int(np.count_nonzero(span_confidence(seen.consensus) < IN_DOUBT))
        detail = f"less than {percent(IN_DOUBT)} sure; nobody else labelled them"
        return f"{count(doubtful, noun)} in doubt", detail, "sentences"
    if not len(disputes):
        return "Nothing is disputed", "all who labelled the same text agree with the consensus", "sentences"
    unsure = disputes.confidence < TO_REVIEW
    mended = float(disputes.gain[unsure].sum())
    of_all = f"of {count(len(disputes), 'disputed place')}; less than {percent(TO_REVIEW)} sure"
    gain = f", about {mended:,.0f} of them wrong" if mended >= 0.5 else ""
    return f"{count(int(unsure.sum()), noun)} to review", f"{of_all}{gain}", "sentences"


def _unclear(seen: Seen) -> _Action:
    if not seen.pairs:
        return None
    pair = seen.pairs[0]
    head: Content = [pair_name(pair), " is unclear: ", count(len(pair.disputes), "dispute")]
    return head, "what does the guideline say? With examples", "unclear"


def _suggested(seen: Seen) -> _Action:
    if not seen.n_suggestions:
        return None
    head = f"{count(seen.n_suggestions, 'suggestion')} of the text"
    return head, "beside labels that were kept, as nobody else saw the text", "suggestions"


def _remarks(metrics: Mapping[str, Any]) -> Content:
    """What the run says of its crowd and itself, in a box; the word tells a warning, not the colour."""
    told = metrics.get("remarks") or []
    lines = [
        element(
            "li", element("strong", "⚠ Look at this: ") if one["level"] == "warning" else None, one["text"]
        )
        for one in told
    ]
    return (
        element("div", element("h3", "What this run says"), element("ul", lines), class_="remarks")
        if lines
        else None
    )


def _key_figures(seen: Seen) -> list[tuple[str, Content]]:
    consensus, metrics = seen.consensus, seen.metrics
    plain, confidence = consensus.corpus.scheme.is_plain, span_confidence(consensus)
    pairs: list[tuple[str, Content]] = [
        ("tokens labelled" if plain else "spans found", f"{len(confidence):,}"),
        ("mean confidence, all tokens", percent(metrics.get("mean_confidence"), 1)),
    ]
    if len(confidence) and not plain:
        pairs.append(("mean confidence, spans", percent(float(confidence.mean()), 1)))
    scores = metrics.get("consensus")
    if scores and plain:
        pairs.append(("right, by gold", percent(scores["token_accuracy"], 1)))
    elif scores:
        pairs.append(("F1 against gold", percent(scores["f1"], 1)))
    return pairs


def _warnings(seen: Seen) -> list[Content]:
    """What is to be looked at besides what the run itself says of its crowd."""
    consensus, settings, corpus = seen.consensus, seen.settings, seen.consensus.corpus
    remarks: list[Content] = []
    voters = corpus.n_voters[corpus.text.lengths > 0]
    told = {remark["kind"] for remark in seen.metrics.get("remarks") or []}
    for number, words in ((0, "labelled by nobody"), (1, "labelled by one annotator only")):
        times = int(np.count_nonzero(voters == number))
        if times and corpus.annotators and not (number == 0 and "unseen" in told):
            verb = "was" if times == 1 else "were"
            remarks.append(f"{count(times, 'sentence')} {verb} {words}: nothing could be compared there.")
    flagged = sum(bool(report.further_flags) for report in consensus.annotators)
    if flagged:
        link = element("a", "who and why", href="#annotators")
        remarks.append(
            [f"{count(flagged, 'annotator')} {'has' if flagged == 1 else 'have'} flags (", link, ")."]
        )
    alike = look_alikes([*corpus.annotators])[:_SHOWN_ALIKE]
    remarks += [["Names that look alike, perhaps one person: ", listed(list(names)), "."] for names in alike]
    if _hit_the_limit(consensus, settings) and _still_climbs(consensus.history):
        remarks.append(
            f"The method stopped at its limit of {len(consensus.history)} rounds, before it had converged."
        )
    return remarks


def _hit_the_limit(consensus: Consensus, settings: Mapping[str, Any]) -> bool:
    own = settings.get("settings")
    limit = own.get("rounds") if isinstance(own, Mapping) else None
    return isinstance(limit, int) and not isinstance(limit, bool) and 1 < limit <= len(consensus.history)


def _still_climbs(history: Sequence[float]) -> bool:
    """Whether the last round was a part of the climb that counts, and went beyond all before it: a limit may
    be where a method does best, and an objective that goes up and down climbs no more."""
    gained = history[-1] - max(history[:-1])
    return gained > _STEP_THAT_COUNTS * (max(history) - min(history))
