"""Markup that cannot be broken out of."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.reports.html.section import clip, element, join, trusted
from crowdseq.reports.tables import visible


class _Reader(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_text_is_escaped() -> None:
    assert element("p", "a < b & \"c\" 'd'").source == "<p>a &lt; b &amp; &quot;c&quot; &#x27;d&#x27;</p>"


def test_markup_inside_markup_is_kept() -> None:
    assert element("p", ["a", element("b", 1), None]).source == "<p>a<b>1</b></p>"


def test_attributes_are_quoted_and_escaped() -> None:
    made = element("p", class_='x" onclick="alert(1)', aria_label="<b>", hidden=True, id=None, lang=False)
    assert made.source == ('<p class="x&quot; onclick=&quot;alert(1)" aria-label="&lt;b&gt;" hidden=""></p>')


@pytest.mark.parametrize("name", ["onclick", "ONERROR", "style", "on_load"])
def test_handlers_and_inline_styles_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not used here"):
        element("p", **{name: "alert(1)"})


@pytest.mark.parametrize("target", ["javascript:alert(1)", "//example.org", "data:text/html,x", "x.html"])
def test_links_lead_nowhere_but_into_the_page(target: str) -> None:
    with pytest.raises(ValueError, match="leaves the page"):
        element("a", "x", href=target)
    assert element("a", "x", href="#a1").source == '<a href="#a1">x</a>'


@pytest.mark.parametrize("name", ["p onclick=x", "p><script", "", "1p"])
def test_a_name_of_an_element_is_a_name(name: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        element(name)


def test_controls_and_changes_of_direction_are_spelt_out() -> None:
    assert element("p", "a\x1b[31m\u202eb\n\ud800").source == r"<p>a\x1b[31m\x202eb\x0a\xd800</p>"


def test_joined_letters_stay_joined() -> None:
    persian, family = "می\u200cخواهم", "👩\u200d🔬"
    assert element("p", persian, family).source == f"<p>{persian}{family}</p>"


def test_pieces_are_joined_with_an_escaped_text_between() -> None:
    assert join(["a", element("b", "c")], " & ").source == "a &amp; <b>c</b>"


def test_trusted_text_passes_as_it_is() -> None:
    assert element("style", trusted("a > b {}")).source == "<style>a > b {}</style>"


def test_long_texts_are_cut_before_they_are_escaped() -> None:
    assert clip("abcdef", 4) == "abc…"
    assert clip("abcd", 4) == "abcd"
    assert len(element("p", "&" * 1_000_000).source) < 25_000


@given(st.text(max_size=50))
def test_any_text_comes_back_as_text(text: str) -> None:
    read = _Reader(element("p", text, title=text).source)
    spelt = {"\u200c": "\u200c", "\u200d": "\u200d", "\u2028": r"\x2028", "\u2029": r"\x2029"}
    shown = "".join(spelt.get(one) or visible(one) for one in text)
    assert read.tags == ["p"]
    assert [name for name, _ in read.attributes] == ["title"]
    assert read.attributes[0][1] == shown
    assert read.text == shown
