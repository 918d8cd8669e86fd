"""The report as one HTML file: sections in order, its own style and script inside, nothing from outside."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any

from crowdseq.core.consensus import Consensus
from crowdseq.reports.html.annotators import annotator_section
from crowdseq.reports.html.overview import convergence_section, overview_section, recipe_section, subtitle
from crowdseq.reports.html.quality import quality_section
from crowdseq.reports.html.section import Markup, Section, element, join, trusted
from crowdseq.reports.html.sentences import sentence_section


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
    sections = [
        overview_section(consensus, metrics, settings),
        quality_section(consensus, metrics, settings),
        _suggestions(consensus),
        sentence_section(consensus),
        annotator_section(consensus),
        convergence_section(consensus),
        recipe_section(metrics, settings),
    ]
    shown = [section for section in sections if section is not None]
    header = element(
        "header",
        element("h1", title),
        element("p", subtitle(metrics, settings), class_="lead"),
        element("nav", [(section.link, " ") for section in shown], aria_label="Sections"),
    )
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
    body = element("body", header, main, _footer(), element("script", trusted(script)))
    page = element("html", head, body, lang="en")
    return join([trusted("<!doctype html>\n"), page, trusted("\n")]).source


def _suggestions(consensus: Consensus) -> Section | None:
    if "suggested_tag_ids" not in consensus.parameters:
        return None
    from crowdseq.reports.html.suggestions import suggestion_section

    return suggestion_section(consensus)


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
