"""Hostile text is text: in tokens, labels, annotators, documents, ids, settings and titles."""

import re

import pytest

from crowdseq.reports.html import report_html
from crowdseq.reports.html.section import clip
from crowdseq.workflows.run import run_metrics
from reports.hostile import CONTROLS, HOSTILE, hostile_corpus
from reports.pages import PageReader, page_on, run_on


@pytest.fixture(scope="module", params=["IOB2", "plain"])
def page(request: pytest.FixtureRequest) -> str:
    return page_on(hostile_corpus(request.param))


def test_nothing_but_our_own_elements_is_on_the_page(page: str) -> None:
    read = PageReader(page)  # asserts it for each element and attribute
    assert read.elements.count("script") == 1
    assert read.elements.count("style") == 1


def test_hostile_text_is_shown_as_text(page: str) -> None:
    text = PageReader(page).text
    for hostile in HOSTILE:
        if hostile.isprintable():
            assert clip(hostile, 60) in text


def test_controls_and_bidi_marks_are_spelt_out(page: str) -> None:
    for character in "\x00\x07\x1b\x9b\x7f\u202e\u2066\ufeff\u2028\ud800":
        assert character not in page
    text = PageReader(page).text
    assert r"\x1b[31mred\x1b[0m" in text
    assert r"\x202egnp.exe\x2066" in text
    page.encode("utf-8")


def test_the_policy_allows_our_style_and_script_alone(page: str) -> None:
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src &#x27;none&#x27;; ")
    assert "unsafe" not in policy
    assert len(re.findall("sha256-", policy)) == 2


def test_settings_and_title_are_escaped_too() -> None:
    run = run_on(hostile_corpus())
    texts = [*HOSTILE, *CONTROLS]
    settings = {
        "created": texts[0],
        "scheme": texts[1],
        "settings": dict(zip(texts, reversed(texts), strict=True)),
        "versions": dict.fromkeys(texts, texts[3]),
        "inputs": [{"name": text, "sha256": text, "records": text} for text in texts],
    }
    page = report_html(run.consensus, run_metrics(run), settings, title=texts[2])
    assert PageReader(page).elements.count("script") == 1


def test_settings_of_the_wrong_shape_do_no_harm() -> None:
    run = run_on(hostile_corpus())
    settings = {"settings": 3, "versions": [], "inputs": {"a": 1}, "created": None, "scheme": ["x"]}
    PageReader(report_html(run.consensus, run_metrics(run), settings))
