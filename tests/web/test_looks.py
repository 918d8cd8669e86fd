"""On every page: hostile text is text, phones do not scroll sideways, keys and eyes find their way."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.workflows.demonstrating import demo_corpus
from reports.hostile import CONTROLS, HOSTILE, MARK
from web.conftest import Enter
from web.servers import run_folder, served

_DO = "document.documentElement.setAttribute('data-owned',1)"
MORE = tuple(
    text.replace("DO", _DO)
    for text in (
        "<img src=x onerror=DO>",
        "<svg/onload=DO>",
        "<body onload=DO>",
        "<input autofocus onfocus=DO>",
        "<marquee onstart=DO>",
        "<video><source onerror=DO></video>",
        "<a href=javascript:DO>x</a>",
        "<object data=javascript:DO>",
        "<embed src=javascript:DO>",
        "<form action=javascript:DO><button>x",
        "<meta http-equiv=refresh content=0;url=javascript:DO>",
        "<template><script>DO</script></template>",
        "<noscript><p title='</noscript><img src=x onerror=DO>'>",
        "<xmp><script>DO</script>",
        "<textarea><script>DO</script>",
        "</textarea><script>DO</script>",
        "</option></select><script>DO</script>",
        "</bdi></mark><script>DO</script>",
        '" onmouseover="DO" "',
        "' onmouseover='DO' '",
        "{% raw %}{{ 7 * 7 }}{% endraw %}",
        "{{ config }}",
        "${DO}",
        "\\u003cscript\\u003eDO\\u003c/script\\u003e",
        "%3Cscript%3EDO%3C/script%3E",
        "&#60;script&#62;DO&#60;/script&#62;",
        "`-DO-`",
        "__proto__",
        "constructor",
    )
)
TEXTS = (*(text for text in HOSTILE if len(text) < 300), *CONTROLS[:2], *MORE)
PAGES = (
    "/",
    "/disputes",
    "/mentions",
    "/guideline",
    "/annotators",
    "/annotators/0",
    "/agreement",
    "/finish",
    "/again",
    "/export",
    "/history",
)
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fifty hostile texts as token, label, annotator, document, id and file name; two people who differ."""
    builder = CorpusBuilder()
    for number, text in enumerate(TEXTS):
        # A control character is refused in a name, and let through in a token.
        name, before = (one if one.isprintable() else "X" for one in (text, TEXTS[number - 1]))
        tags, others = [f"B-{name}", "O"], [f"B-{before}", "O"]
        said = {"honest": tags, name: others, f"2{name}": others}
        made = Record(
            [text, "and"], id=f"{name}{number}", doc=f"doc {name}", annotations=said, extras={"note": text}
        )
        builder.add(made)
    folder = tmp_path_factory.mktemp("hostile") / "<img src=x onerror=alert(1)>'\"&{{7*7}}"
    return run_folder(builder.build("IOB2"), folder)


@pytest.fixture(scope="module")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_folder(demo_corpus().select(range(60)), tmp_path_factory.mktemp("demo") / "run", "dawid-skene")


def settled(page: Page) -> None:
    """Wait until a page has asked for all that it shows."""
    page.wait_for_load_state("load")
    if page.locator("#desk").count():
        expect(page.locator("#desk")).to_have_attribute("aria-busy", "false")
    if page.locator("#mentions").count():
        expect(page.locator("#mentions")).to_have_attribute("aria-busy", "false")
        expect(page.locator(".contexts")).to_be_visible()


def owned(page: Page) -> Any:
    return page.evaluate(f"document.documentElement.hasAttribute('data-{MARK}')")


def test_there_are_fifty_hostile_texts() -> None:
    assert len(set(TEXTS)) >= 50


def test_hostile_text_is_shown_as_text_everywhere(hostile_run: Path, enter: Enter) -> None:
    with served(hostile_run) as app:
        page = enter(app, "<script>" + _DO[:40])
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        for path in PAGES:
            page.goto(app.base + path)
            settled(page)
            assert not owned(page), path
            assert page.locator("main script, main img, main iframe, main style").count() == 0, path
            assert "49" not in page.locator(".run").inner_text()


def test_hostile_text_survives_the_desk_as_it_is(hostile_run: Path, enter: Enter, tmp_path: Path) -> None:
    """Every token, label, annotator and comment on the screen, then decided, commented, searched for."""
    with served(Path(shutil.copytree(hostile_run, tmp_path / "run"))) as app:
        page = enter(app, "eve", "/disputes?order=text")
        settled(page)
        left = int(page.locator("#left").inner_text().split()[0])
        assert left > 45
        for number in range(left - 1):  # at the end there is nothing left to count
            if number % 10 == 0:
                page.keyboard.press("c")
                page.locator("#remark textarea").fill(TEXTS[number])
                page.locator("#remark button.main").click()
                expect(page.locator("#said")).to_contain_text("eve: ")
            page.keyboard.press("Enter")
            expect(page.locator("#left")).not_to_have_text(f"{left - number} left")
        expect(page.locator("#saved")).to_have_text("saved ✓")
        page.goto(f"{app.base}/disputes?state=any&words=%3Cscript")
        settled(page)
        expect(page.locator("#place")).to_contain_text("<script>")
        page.goto(f"{app.base}/mentions?state=any")
        settled(page)
        for path in ("/history", "/guideline", "/annotators/1"):
            page.goto(app.base + path)
            settled(page)
            assert not owned(page), path
        assert page.locator("main script, main img").count() == 0


@pytest.mark.parametrize("world", ["demo", "hostile"])
def test_a_phone_never_scrolls_sideways(world: str, demo_run: Path, hostile_run: Path, enter: Enter) -> None:
    with served(demo_run if world == "demo" else hostile_run) as app:
        page = enter(app, "ada", "/", **PHONE)
        for path in PAGES:
            page.goto(app.base + path)
            settled(page)
            wide = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert wide <= 0, f"{path} is {wide} pixels too wide"


def test_a_dispute_is_settled_on_a_phone(demo_run: Path, enter: Enter) -> None:
    with served(demo_run) as app:
        page = enter(app, "ada", "/disputes", **PHONE)
        settled(page)
        left = page.locator("#left").inner_text()
        page.get_by_role("button", name="accept").last.tap()
        expect(page.locator("#left")).not_to_have_text(left)
        expect(page.locator("#saved")).to_have_text("saved ✓")


# What is without a name, or too faint to read, as the page finds out by itself.
_LOOK = (Path(__file__).parent / "looking.js").read_text("utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_has_a_name_and_can_be_read(scheme: str, demo_run: Path, enter: Enter) -> None:
    with served(demo_run) as app:
        page = enter(app, "ada", "/", color_scheme=scheme)
        for path in PAGES:
            page.goto(app.base + path)
            settled(page)
            assert page.evaluate(f"{_LOOK} nameless()") == [], path
            assert page.evaluate(f"{_LOOK} faint()") == [], path


def test_every_control_is_reached_by_tab_and_shows_that_it_is(demo_run: Path, enter: Enter) -> None:
    with served(demo_run) as app:
        page = enter(app, "ada", "/disputes")
        settled(page)
        controls = page.locator(
            "header a, header button, main button:enabled, main input, main select"
        ).count()
        seen = set()
        page.locator("body").evaluate("document.activeElement.blur()")
        for _ in range(controls + 8):
            page.keyboard.press("Tab")
            seen.add(
                page.evaluate(
                    "(() => { const one = document.activeElement; if (one === document.body) return '';"
                    "const ring = getComputedStyle(one).outlineStyle !== 'none';"
                    "return [one.tagName, one.id, one.textContent.slice(0, 30), ring].join('|'); })()"
                )
            )
        focused = {one for one in seen if one}
        assert all(one.endswith("|true") for one in focused if not one.startswith("DETAILS")), sorted(focused)
        for wanted in (
            "accept",
            "nothing",
            "begin ◂",
            "split",
            "skip",
            "comment",
            "undo",
            "next",
            "keys",
            "blind",
        ):
            assert any(wanted in one for one in focused), wanted


_CONTROLS = "button:enabled, input:enabled, select:enabled, textarea:enabled"


def test_no_control_can_be_used_before_its_script_listens(
    demo_run: Path, enter: Enter, tmp_path: Path
) -> None:
    """Scripts that never come: nothing is there to be clicked in vain; the download needs no script."""
    folder = Path(shutil.copytree(demo_run, tmp_path / "run"))
    with served(folder, password="long enough") as app:
        page = enter(app, "ada", "/disputes")
        settled(page)
        page.keyboard.press("Enter")  # so that there is something to undo and to learn from
        expect(page.locator("#saved")).to_have_text("saved ✓")
        page.route("**/static/*.js", lambda route: route.abort())
        for path in (*PAGES, "/start"):
            page.goto(app.base + path)
            usable = page.locator(_CONTROLS).locator("visible=true").and_(page.locator(":not(#export *)"))
            assert usable.evaluate_all("all => all.map((one) => one.outerHTML)") == [], path


def test_every_control_can_be_used_once_its_script_listens(demo_run: Path, enter: Enter) -> None:
    with served(demo_run, password="long enough") as app:
        page = enter(app, "ada")
        for path in (*PAGES, "/start"):
            page.goto(app.base + path)
            expect(page.locator("[data-waits], main[aria-busy=true]")).to_have_count(0)


def test_the_list_of_keys_opens_and_closes_by_keyboard(demo_run: Path, enter: Enter) -> None:
    with served(demo_run) as app:
        page = enter(app, "ada", "/disputes")
        settled(page)
        left = page.locator("#left").inner_text()
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press("n")  # while the list is open, keys decide nothing
        page.keyboard.press("Escape")
        expect(page.locator("#keys")).not_to_be_visible()
        assert page.locator("#left").inner_text() == left


def test_nothing_is_asked_of_the_network(demo_run: Path, enter: Enter) -> None:
    with served(demo_run) as app:
        page = enter(app, "ada")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for path in PAGES:
            page.goto(app.base + path)
            settled(page)
        assert asked
        assert [url for url in asked if not url.startswith(app.base)] == []


def test_on_a_phone_the_name_of_the_open_page_is_in_sight(demo_run: Path, enter: Enter) -> None:
    """The names of all pages are wider than the screen: the last ones were hidden, the open one with them."""
    with served(demo_run) as app:
        page = enter(app, "ada", "/history", **PHONE)
        expect(page.locator(".top nav [aria-current]")).to_be_in_viewport(ratio=1)
        page.goto(f"{app.base}/")
        expect(page.locator(".top nav [aria-current]")).to_be_in_viewport(ratio=1)


def test_verdicts_and_warnings_of_the_run_stand_on_its_pages(demo_run: Path, enter: Enter) -> None:
    """The same as in the report, where they had been missing."""
    with served(demo_run) as app:
        page = enter(app, "ada", "/annotators")
        row = page.locator(".people tbody tr", has_text="gus")
        expect(row.locator(".pill")).to_have_text("✕ drop")
        expect(row).to_contain_text("marks nothing, where the others have")
        row.get_by_role("link").click()
        expect(page.locator(".lead .pill")).to_have_text("✕ drop")
        expect(page.locator(".lead")).to_contain_text("marks nothing, where the others have")
        page.goto(f"{app.base}/")
        told = page.locator("li", has_text="gus marked nothing")
        expect(told).to_contain_text("⚠ Look at this: gus marked nothing")


def test_on_a_phone_the_reason_of_a_verdict_is_in_sight(demo_run: Path, enter: Enter) -> None:
    """In a table it stood beyond the edge, and made the rows tall for nothing that was seen."""
    with served(demo_run) as app:
        page = enter(app, "ada", "/annotators", **PHONE)
        box = page.locator(".people tr", has_text="gus").locator(".flags").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        caption = page.locator(".people caption").bounding_box()
        assert caption is not None
        assert caption["height"] < 60, "a line or two"
