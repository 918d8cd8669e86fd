"""Reports of small worlds, and a reader that knows what a page may hold."""

from html.parser import HTMLParser
from typing import Any

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.reports.html import report_html
from crowdseq.workflows.learning import learn
from crowdseq.workflows.run import Run, run_metrics
from crowdseq.workflows.runs.saving import run_settings

_OUR_ELEMENTS = """
html head meta title style body header footer main nav section article script h1 h2 h3 h4 p a span small
strong b bdi mark ul li dl dt dd div table caption thead tbody tr th td details summary figure figcaption
svg rect line circle polyline path text tspan pre code
"""
_OUR_ATTRIBUTES = """
aria-hidden aria-label charset class content cx cy d data-kinds data-label data-left data-value data-verdict
dir height href http-equiv id lang name points r role scope text-anchor viewbox width x x1 x2 y y1 y2
"""
ELEMENTS = frozenset(_OUR_ELEMENTS.split())
ATTRIBUTES = frozenset(_OUR_ATTRIBUTES.split())
_VOID = frozenset({"meta", "br", "hr"})


class PageReader(HTMLParser):
    """Reads a page strictly: every element is closed in turn, all elements and attributes are our own."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == [], f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ELEMENTS, f"<{tag}> is not ours"
        for name, value in attrs:
            assert name in ATTRIBUTES, f"<{tag} {name}={value!r}> is not ours"
        found = dict(attrs)
        self.elements.append(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]
        if found.get("id"):
            assert found["id"] not in self.places, f"two places are called {found['id']}"
            self.places.add(str(found["id"]))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.text += data.replace("\u00a0", " ")


def run_on(corpus: Corpus, method: str = "dawid-skene", **settings: Any) -> Run:
    """A run without a tagger."""
    return learn(corpus, method, tagger=False, **settings)


def page_of(run: Run, **options: Any) -> str:
    """The report of a run."""
    return report_html(run.consensus, run_metrics(run), run_settings(run), **options)


def page_on(corpus: Corpus, method: str = "dawid-skene", **settings: Any) -> str:
    """The report of a run without a tagger."""
    return page_of(run_on(corpus, method, **settings))


def page_of_consensus(consensus: Consensus) -> str:
    """The report of a consensus that no method made."""
    run = run_on(consensus.corpus, "majority-vote")
    return report_html(consensus, run_metrics(run), {})


def section_of(page: str, anchor: str) -> str:
    """The source of one section of a page."""
    return page.split(f'<section id="{anchor}">')[1].split("</section>")[0]
