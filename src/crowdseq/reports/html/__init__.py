"""The report as one HTML file: sections in order, its own style and script inside, nothing from outside."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from crowdseq.core.consensus import Consensus
from crowdseq.evaluation.crowd_agreement import alpha_with_interval
from crowdseq.evaluation.disputes import find_disputes
from crowdseq.reports.html.agreement import agreement_section
from crowdseq.reports.html.annotators import annotator_section, ranked_annotators
from crowdseq.reports.html.background import consensus_section, convergence_section, recipe_section, subtitle
from crowdseq.reports.html.desk import Seen, overview_section
from crowdseq.reports.html.disputes import Unclear, unclear_section
from crowdseq.reports.html.quality import quality_section
from crowdseq.reports.html.section import Markup, Section, element, join, trusted
from crowdseq.reports.html.sentences import sentence_section

if TYPE_CHECKING:
    from crowdseq.evaluation.suggestions import Suggestion


def report_html(
    consensus: Consensus,
    metrics: Mapping[str, Any],
    settings: Mapping[str, Any],
    *,
    title: str = "Consensus report",
) -> str:
    """The whole page.

    metrics: as in `metrics.json`. settings: as in `settings.json`; what it lacks is left out.
    """
    disputes = find_disputes(consensus.corpus, consensus)
    unclear = Unclear.of(consensus)
    alpha = alpha_with_interval(consensus.corpus)
    suggested = _suggested(consensus)
    seen = Seen(consensus, metrics, settings, disputes, unclear.pairs, alpha, len(suggested))
    sections = [
        overview_section(seen),
        annotator_section(consensus, disputes),
        agreement_section(consensus, ranked_annotators(consensus.annotators), alpha),
        unclear_section(unclear),
        _suggestions(consensus, suggested),
        sentence_section(consensus, disputes),
        consensus_section(consensus, metrics),
        quality_section(consensus, metrics, settings),
        convergence_section(consensus),
        recipe_section(metrics, settings),
    ]
    shown = [section for section in sections if section is not None]
    header = element("header", element("h1", title), element("p", subtitle(metrics, settings), class_="lead"))
    navigation = element("nav", [(section.link, " ") for section in shown], aria_label="Sections")
    style, script = _own("report.css"), _own("report.js")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("title", title),
        element("style", trusted(style)),
    )
    main = element("main", [section.markup for section in shown])
    body = element("body", header, navigation, main, _footer(), element("script", trusted(script)))
    page = element("html", head, body, lang="en")
    return join([trusted("<!doctype html>\n"), page, trusted("\n")]).source


def _suggested(consensus: Consensus) -> "tuple[Suggestion, ...]":
    if "suggested_tag_ids" not in consensus.parameters:
        return ()
    from crowdseq.evaluation.suggestions import suggestions_of

    return suggestions_of(consensus)


def _suggestions(consensus: Consensus, suggested: "tuple[Suggestion, ...]") -> Section | None:
    if not suggested:
        return None
    from crowdseq.reports.html.suggestions import suggestion_section

    return suggestion_section(consensus, suggested)


def _own(name: str) -> str:
    return (files("crowdseq.reports.html") / name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing but these two may style or run: a second wall, should a text ever get past the first."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _footer() -> Markup:
    return element(
        "footer",
        "This file holds text of the corpus and names of annotators: hand it on as carefully as the data. "
        "It asks nothing of the network.",
    )
