"""The desk in a real browser: disputes are settled by keyboard, and every decision is on the disk."""

import json
import os
import shutil
import signal
import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from builders import corpus
from crowdseq.workflows.demonstrating import demo_corpus
from web.conftest import Enter
from web.servers import Served, process_of, run_folder, served

SMALL = (
    "Ada/O/B-PER/B-PER/O met/O/O/O/O Bo/O/B-PER/B-PER/B-PER",
    "Paris/O/B-LOC/B-PER/B-LOC is/O/O/O/O large/O/O/O/O",
    "we/O/O/O/O like/O/O/O/O New/O/B-LOC/B-LOC/O York/O/I-LOC/O/B-LOC City/O/I-LOC/O/O now/O/O/O/O",
)


@pytest.fixture(scope="module")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_folder(demo_corpus().select(range(40)), tmp_path_factory.mktemp("demo") / "run")


@pytest.fixture
def demo(demo_run: Path, tmp_path: Path) -> Path:
    """Forty sentences of the demo corpus."""
    return Path(shutil.copytree(demo_run, tmp_path / "run"))


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_folder(corpus(*SMALL, annotators=["a1", "a2", "a3"]), tmp_path_factory.mktemp("small") / "run")


@pytest.fixture
def small(small_run: Path, tmp_path: Path) -> Path:
    """Three disputes: Ada (missed), Paris (type), New York City (boundary)."""
    return Path(shutil.copytree(small_run, tmp_path / "run"))


def decisions(folder: Path) -> list[dict[str, object]]:
    """What the log holds, read from the file itself."""
    with sqlite3.connect(folder / "decisions.sqlite") as made:
        rows = made.execute("SELECT action, reviewer, first, last, marks FROM log ORDER BY seq").fetchall()
    made.close()
    names = ("action", "reviewer", "begin", "end", "marks")
    return [dict(zip(names, (*row[:4], json.loads(row[4])), strict=True)) for row in rows]


def ready(page: Page) -> None:
    """Wait until a dispute is on the screen."""
    expect(page.locator("#desk")).to_have_attribute("aria-busy", "false")


def all_saved(page: Page) -> None:
    expect(page.locator("#saved")).to_have_text("saved ✓")


def test_twenty_disputes_are_settled_by_keyboard_only(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/disputes")
        ready(page)
        left = int(page.locator("#left").inner_text().split()[0].replace(",", ""))
        for number in range(20):
            page.keyboard.press(("Enter", "1", "n", "2")[number % 4])
            expect(page.locator("#left")).to_have_text(f"{left - number - 1:,} left")
        all_saved(page)
    logged = decisions(demo)
    assert [one["action"] for one in logged] == ["decide"] * 20
    assert {one["reviewer"] for one in logged} == {"ada"}


def at(page: Page, word: str) -> None:
    """Go to the dispute over a word."""
    ready(page)
    for _ in range(5):
        if word in page.locator("#place").inner_text():
            return
        page.keyboard.press("j")
    raise AssertionError(f"no dispute over {word}")


def last_marks(folder: Path) -> object:
    return decisions(folder)[-1]["marks"]


def decided(page: Page) -> None:
    """The only dispute of the queue is decided, and comes again."""
    expect(page.locator("#notice")).to_contain_text("the first again")
    page.locator("#notice button").click()
    all_saved(page)


def test_edges_labels_split_and_merge_have_their_keys(small: Path, enter: Enter) -> None:
    with served(small) as app:
        page = enter(app, "ada", "/disputes?words=York&state=any")
        ready(page)
        page.keyboard.press("n")
        decided(page)
        assert last_marks(small) == []
        page.keyboard.press("Alt+1")
        assert page.locator("#place mark").all_inner_texts() == ["New York CityLOC"]
        page.keyboard.press("x")
        assert page.locator("#place mark").count() == 2
        page.keyboard.press("Enter")
        decided(page)
        assert last_marks(small) == [[2, 3, "LOC"], [3, 5, "LOC"]]
        page.locator("#place mark").first.click()
        for key in ("m", "]", "{", "Enter"):
            page.keyboard.press(key)
        decided(page)
        assert last_marks(small) == [[3, 4, "LOC"]]
        for key in ("[", "[", "}", "}", "Alt+2", "Enter"):
            page.keyboard.press(key)
        decided(page)
    assert last_marks(small) == [[1, 6, "PER"]]


def test_a_lane_is_taken_for_the_place_or_for_the_whole_sentence(small: Path, enter: Enter) -> None:
    with served(small) as app:
        page = enter(app, "ada", "/disputes?words=Ada")
        ready(page)
        page.keyboard.press("Shift+Digit1")
        all_saved(page)
        whole = decisions(small)[-1]
        assert (whole["begin"], whole["end"]) == (0, 3)
        assert [2, 3, "PER"] in whole["marks"]  # type: ignore[operator]
        expect(page.locator("#text")).to_contain_text("No dispute fits")
        page.locator("#text button").click()
        at(page, "Paris")
        page.locator("#lanes tbody tr", has_text="a2").locator("button.lane").click()
        all_saved(page)
    assert last_marks(small) == [[0, 1, "PER"]]


def test_undo_and_redo_bring_the_place_back(small: Path, enter: Enter) -> None:
    with served(small) as app:
        page = enter(app, "ada", "/disputes")
        at(page, "Paris")
        page.keyboard.press("n")
        all_saved(page)
        page.keyboard.press("u")
        expect(page.locator("#place")).to_contain_text("Paris")
        expect(page.locator("#left")).to_have_text("3 left")
        expect(page.locator("#place mark")).to_have_text("ParisLOC")
        page.keyboard.press("Shift+U")
        expect(page.locator("#place mark")).to_have_count(0)
        expect(page.locator("#lanes .settled")).to_contain_text("decided by ada")
    assert [one["action"] for one in decisions(small)] == ["decide", "undo", "redo"]


def test_comments_gaps_and_skips_are_kept_and_found_again(small: Path, enter: Enter) -> None:
    with served(small) as app:
        page = enter(app, "ada", "/disputes")
        at(page, "Paris")
        page.keyboard.press("c")
        page.keyboard.type("Is it the town, or a name? <b>ask</b>")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#said")).to_contain_text("ada: Is it the town, or a name? <b>ask</b>")
        page.keyboard.press("g")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.keyboard.press("z")  # at once: it must not overtake the remark
        expect(page.locator("#left")).to_have_text("2 left")
        page.get_by_label("has a comment").check()
        expect(page.locator("#text")).to_contain_text("No dispute fits these wishes")
        page.get_by_label("State").select_option("skipped")
        expect(page.locator("#place")).to_contain_text("Paris")
        assert "comment=1" in page.url
        page.reload()
        expect(page.locator("#place")).to_contain_text("Paris")
        page.goto(f"{app.base}/guideline")
        expect(page.locator("main")).to_contain_text("Gaps that reviewers met")
    assert [one["action"] for one in decisions(small)] == ["comment", "gap", "skip"]


@pytest.mark.parametrize(
    ("wish", "word"),
    [
        ("words=paris", "Paris"),
        ("kind=boundary", "York"),
        ("kind=type", "Paris"),
        ("first=LOC&second=PER", "Paris"),
        ("annotator=a2&words=Paris", "Paris"),
        ("below=70&words=Ada", "Ada"),
        ("label=PER&words=Ada", "Ada"),
        ("order=text", "Ada"),
    ],
)
def test_disputes_are_chosen_by_wishes(small: Path, enter: Enter, wish: str, word: str) -> None:
    with served(small) as app:
        page = enter(app, "ada", f"/disputes?{wish}")
        expect(page.locator("#place")).to_contain_text(word)


def test_two_reviewers_on_one_sentence_see_both_versions(small: Path, enter: Enter) -> None:
    with served(small) as app:
        ada, bob = (enter(app, name, "/disputes?words=Paris") for name in ("ada", "bob"))
        ready(ada)
        ready(bob)
        ada.keyboard.press("Alt+1")
        ada.keyboard.press("Enter")
        all_saved(ada)
        bob.keyboard.press("Alt+2")
        bob.keyboard.press("Enter")
        box = bob.locator("#conflict")
        expect(box).to_be_visible()
        expect(box.locator("#mine mark")).to_have_text("ParisPER")
        expect(box.locator("#theirs mark")).to_have_text("ParisLOC")
        expect(box.locator("#theirs-title")).to_have_text("ada")
        box.get_by_role("button", name="Save mine").click()
        all_saved(bob)
    logged = decisions(small)
    assert [(one["action"], one["reviewer"]) for one in logged] == [
        ("decide", "ada"),
        ("refused", "bob"),
        ("decide", "bob"),
    ]
    assert logged[-1]["marks"] == [[0, 1, "PER"]]


def test_a_kill_between_save_and_answer_loses_nothing(small: Path, enter: Enter) -> None:
    """The server dies after the commit and before its answer; who comes back finds the decision."""
    with process_of(small) as (server, link):
        app = Served(link.partition("/start")[0], lambda _: link)
        page = enter(app, "ada")

        # The answer is held back on its way, so that the page never hears of the commit.
        def lose(route: Route) -> None:
            if server.poll() is None:
                route.fetch()
                os.kill(server.pid, signal.SIGKILL)
                server.wait(timeout=20)
            route.abort()

        # Before the page is opened: an open page's first request may pass a browser that only begins to
        # hold requests back.
        page.route("**/api/save", lose)
        page.goto(f"{app.base}/disputes?words=Paris")
        ready(page)
        page.keyboard.press("n")
        expect(page.locator("#saved")).to_have_text("not saved")
    assert [one["action"] for one in decisions(small)] == ["decide"]
    with process_of(small) as (_, link):
        app = Served(link.partition("/start")[0], lambda _: link)
        page = enter(app, "ada", "/disputes?words=Paris&state=any")
        ready(page)
        expect(page.locator("#place mark")).to_have_count(0)
        expect(page.locator("#where")).to_contain_text("left")


def test_blind_mode_shows_no_suggestion_before_the_decision(small: Path, enter: Enter) -> None:
    with served(small, blind=True) as app:
        page = enter(app, "ada")
        with page.expect_response("**/api/queue*") as answer:
            page.goto(f"{app.base}/disputes?words=Paris")
        heard = answer.value.text()
        ready(page)
        assert '"tokens"' in heard
        assert '"settled"' not in heard
        assert '"confidence"' not in heard
        expect(page.locator("#place mark")).to_have_count(0)
        expect(page.locator("#lanes")).not_to_contain_text("✓")
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text("decide first")
        page.keyboard.press("2")
        expect(page.locator("#notice")).to_contain_text("The suggestion was: LOC")
    assert last_marks(small) == [[0, 1, "PER"]]


def test_plain_tags_are_settled_token_by_token(tmp_path: Path, enter: Enter) -> None:
    words = corpus(
        "run/NOUN/VERB/NOUN fast/ADV/ADJ/ADV",
        "the/DET/DET/DET run/NOUN/VERB/VERB",
        gold=False,
        scheme="plain",
    )
    folder = run_folder(words, tmp_path / "run")
    with served(folder) as app:
        page = enter(app, "ada", "/disputes")
        ready(page)
        before = page.locator("#left").inner_text()
        page.keyboard.press("n")  # means nothing here: every token has a tag
        page.keyboard.press("[")
        assert page.locator("#left").inner_text() == before
        page.keyboard.press("Alt+1")
        page.keyboard.press("Enter")
        all_saved(page)
        (one,) = decisions(folder)
        assert one["marks"] == [[one["begin"], one["end"], "ADJ"]]
        page.keyboard.press("1")
        all_saved(page)
        page.goto(f"{app.base}/mentions")
        expect(page.locator("#mentions")).to_contain_text("run")
