"""The other pages in a real browser: mentions, guideline, export, history, learning again."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from builders import corpus
from crowdseq.formats import read
from crowdseq.formats.settings import ReadSettings
from crowdseq.store.decisions import read_decisions
from crowdseq.workflows.demonstrating import demo_corpus
from crowdseq.workflows.reviewing.exporting import reviewed_run
from crowdseq.workflows.run_folder import load_run
from web.conftest import Enter
from web.servers import run_folder, served


@pytest.fixture(scope="module")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    corpus = demo_corpus().select(range(60))
    return run_folder(corpus, tmp_path_factory.mktemp("demo") / "run", "dawid-skene")


@pytest.fixture
def demo(demo_run: Path, tmp_path: Path) -> Path:
    """Sixty sentences of the demo corpus."""
    return Path(shutil.copytree(demo_run, tmp_path / "run"))


def actions(folder: Path) -> list[str]:
    return [entry.action for entry in read_decisions(folder).by_id.values()]


def screen(page: Page) -> int:
    """Wait for the next screen of mentions; gives how many places it has."""
    expect(page.locator("#mentions")).to_have_attribute("aria-busy", "false")
    expect(page.locator(".contexts li").first).to_be_visible()
    return page.locator(".contexts li").count()


def test_a_screen_of_mentions_is_settled_with_exceptions_and_undone_as_one(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/mentions")
        times = screen(page)
        assert times >= 5
        first = page.locator(".contexts").inner_text()
        for key in ("2", "Shift+Digit3"):  # the second is turned to its next reading, the third left open
            page.keyboard.press(key)
        expect(page.locator(".contexts li").nth(1)).to_contain_text("was")
        expect(page.locator(".preview")).to_contain_text("1 change, the rest as shown; 1 place left open")
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text(f"{times - 1} places settled")
        assert actions(demo) == ["decide"] * (times - 1)
        assert len({entry.batch for entry in read_decisions(demo).by_id.values()}) == 1
        screen(page)
        assert page.locator(".contexts").inner_text() != first  # the next one opened by itself
        page.keyboard.press("u")
        expect(page.locator("#notice")).to_contain_text(f"{times - 1} decisions taken back")
        assert screen(page) == times
    assert actions(demo) == ["decide"] * (times - 1) + ["undo"] * (times - 1)
    assert not any(state.decisions for state in read_decisions(demo).states())


def test_a_label_for_all_places_of_a_screen_and_another_for_one(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/mentions")
        times = screen(page)
        page.keyboard.press("Alt+Digit2")
        expect(page.locator(".contexts .now > b:first-child", has_text="MISC")).to_have_count(times)
        page.keyboard.press("1")  # back to what was suggested, and in hand
        page.keyboard.press("Alt+Digit1")
        expect(page.locator(".contexts li").first.locator(".now > b").first).to_have_text("LOC")
        page.keyboard.press("n")
        expect(page.locator(".contexts li").first.locator(".now")).to_contain_text("nothing")
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text(f"{times} places settled")
    marks = [entry.marks for entry in read_decisions(demo).by_id.values()]
    assert marks[0] == ()
    assert {label for some in marks[1:] for _, _, label in some} == {"MISC"}


def test_a_mention_is_settled_by_mouse(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/mentions")
        times = screen(page)
        page.locator(".turn").nth(1).click()
        expect(page.locator(".preview")).to_contain_text("1 change")
        page.locator(".contexts input").first.uncheck()
        page.get_by_role("button", name="settle").click()
        expect(page.locator("#notice")).to_contain_text(f"{times - 1} places settled")
    assert actions(demo) == ["decide"] * (times - 1)


def test_blind_nothing_is_settled_that_was_not_chosen(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/mentions")
        screen(page)
        with page.expect_response("**/api/mention?*"):
            page.locator("#blind").click()
        screen(page)
        expect(page.locator(".contexts li.ticked")).to_have_count(0)
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text("Nothing is ticked")
        page.keyboard.press("2")
        expect(page.locator(".contexts li.ticked")).to_have_count(1)
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text("1 place settled")
    assert actions(demo) == ["decide"]


def test_what_is_decided_is_asked_for_where_nobody_differed(tmp_path: Path, enter: Enter) -> None:
    crowd = corpus(
        *["see/O/O/O/O Exeter/O/B-PER/B-PER/B-LOC"] * 2,
        *["in/O/O/O/O Exeter/O/B-PER/B-PER/B-PER now/O/O/O/O"] * 3,
        annotators=["ann", "bob", "cy"],
    )
    run = run_folder(crowd, tmp_path / "run")
    with served(run) as app:
        page = enter(app, "ada", "/mentions")
        assert screen(page) == 2
        page.keyboard.press("Alt+Digit1")
        page.keyboard.press("Enter")
        expect(page.locator("#mentions")).to_contain_text("The same words elsewhere")
        assert screen(page) == 3
        expect(page.locator(".contexts .changed")).to_have_count(3)
        page.keyboard.press("3")  # as it is
        page.keyboard.press("Enter")
        expect(page.locator("#total")).to_have_text("Every place is decided.")
    found = [state.decisions[-1].marks[0][2] for state in read_decisions(run).states()]
    assert found == ["LOC"] * 4 + ["PER"]


def test_a_rule_settles_what_it_is_about_after_a_preview(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/guideline")
        page.locator(".pair").first.get_by_role("button", name="Write a rule").click()
        page.locator("#rule select").select_option("ORG")
        page.get_by_role("button", name="Save and settle").click()
        times = screen(page)
        expect(page.locator(".contexts .now > b:first-child", has_text="ORG")).to_have_count(times)
        page.keyboard.press("1")  # an exception
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text(f"{times} places settled")
        page.keyboard.press("u")
        expect(page.locator("#notice")).to_contain_text(f"{times} decisions taken back")
    assert actions(demo) == ["entry", *["decide"] * times, *["undo"] * times]


def test_a_rule_goes_to_the_guideline_file_and_can_be_taken_back(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/guideline")
        page.locator(".pair").first.get_by_role("button", name="Write a rule").click()
        page.locator("#rule select").select_option("ORG")
        page.locator("#rule textarea").fill("Firms are *organisations*.")
        page.get_by_role("button", name="Save the rule").click()
        expect(page.locator(".rule")).to_contain_text("Mark as ORG. Firms are *organisations*.")
        text = (demo / "guideline.md").read_text("utf-8")
        assert "**Mark as ORG.**" in text
        assert r"Firms are \*organisations\*." in text
        with page.expect_download() as download:
            page.get_by_role("link", name="Download it").click()
        assert Path(download.value.path()).read_text("utf-8") == text
        page.get_by_role("button", name="take back").click()
        expect(page.locator(".rule")).to_have_count(0)
    assert "ORG" not in (demo / "guideline.md").read_text("utf-8")


def test_an_export_read_again_has_the_same_labels(demo: Path, enter: Enter, tmp_path: Path) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/disputes")
        expect(page.locator("#desk")).to_have_attribute("aria-busy", "false")
        for _ in range(6):
            page.keyboard.press("n")
        expect(page.locator("#saved")).to_have_text("saved ✓")
        page.goto(f"{app.base}/export")
        page.get_by_label("Format").select_option("consensus")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        got = tmp_path / download.value.suggested_filename
        download.value.save_as(got)
    written = read(str(got), ReadSettings(format="consensus")).corpus
    expected = reviewed_run(demo)
    assert [list(tags or ()) for tags in written.gold] == [list(tags) for tags in expected.tags]
    assert [one.tokens for one in written.sentences] == [one.tokens for one in expected.corpus.sentences]


def test_any_entry_of_the_history_can_be_undone(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/disputes")
        expect(page.locator("#desk")).to_have_attribute("aria-busy", "false")
        page.keyboard.press("Enter")
        page.keyboard.press("n")
        expect(page.locator("#saved")).to_have_text("saved ✓")
        other = enter(app, "bob", "/history")
        expect(other.locator("tbody tr")).to_have_count(2)
        other.locator("tbody tr").last.get_by_role("button", name="undo").click()
        expect(other.locator("tbody tr")).to_have_count(3)
        expect(other.locator("tr.undone")).to_have_count(1)
        other.get_by_role("button", name="bring back").click()
        expect(other.locator("tr.undone")).to_have_count(0)
    assert actions(demo) == ["decide", "decide", "undo", "redo"]


def test_learning_again_makes_a_run_beside_this_one_and_goes_on_with_it(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/again")
        expect(page.locator("#start")).to_be_disabled()
        page.goto(f"{app.base}/disputes")
        expect(page.locator("#desk")).to_have_attribute("aria-busy", "false")
        for _ in range(3):
            page.keyboard.press("Enter")
        expect(page.locator("#saved")).to_have_text("saved ✓")
        page.goto(f"{app.base}/again")
        page.locator("#start").click()
        expect(page.locator("#outcome")).to_be_visible()
        other = enter(app, "bob", "/disputes")  # decides in the old run before the new one is opened
        expect(other.locator("#desk")).to_have_attribute("aria-busy", "false")
        other.keyboard.press("n")
        expect(other.locator("#saved")).to_have_text("saved ✓")
        page.get_by_role("button", name="Go on with the new run").click()
        expect(page.locator(".run")).to_have_text("run-2")
    assert actions(demo) == ["decide"] * 4
    assert actions(demo.with_name("run-2")) == ["decide"] * 4


def test_an_annotator_has_a_page_and_a_sheet(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/annotators")
        name = page.locator("tbody th a").first.inner_text()
        page.get_by_role("button", name="sentences").click()
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.locator("h1")).to_have_text(name)
        expect(page.locator(".heat").first).to_be_visible()
        with page.expect_download() as download:
            page.get_by_role("link", name="Sheet for them").click()
        assert f"# Notes for {name}" in Path(download.value.path()).read_text("utf-8")
        page.get_by_role("link", name="Their sentences").click()
        expect(page.locator("#lanes")).to_contain_text(name)


def test_somebody_else_comes_in_by_a_link(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada")
        page.locator("#who").click()
        page.get_by_label("A link for somebody else").fill("bob")
        page.get_by_role("button", name="Make a link").click()
        expect(page.locator("#link code")).to_contain_text("/start#")
        link = page.locator("#link code").inner_text()
        page.get_by_label("Your name").fill("Ada L.")
        page.get_by_role("button", name="Change my name").click()
        expect(page.locator("#who")).to_have_text("Ada L.")
        assert page.context.browser is not None
        other = page.context.browser.new_page()
        other.goto(link)
        expect(other.locator("#who")).to_have_text("bob")
        other.goto("about:blank")
        other.goto(link)  # once more, in vain, but the session is still there
        expect(other.locator("#told")).to_contain_text("used already")
        other.close()


def test_an_audit_gives_a_bound_and_can_be_undone(demo: Path, enter: Enter) -> None:
    """A reviewer who finds nothing wrong: the bound falls with every sentence that was read."""
    truth = load_run(demo).consensus
    numbers = {sentence.id: number for number, sentence in enumerate(truth.corpus.sentences)}
    with served(demo) as app:
        page = enter(app, "ada", "/finish")
        page.get_by_role("button", name="Begin the audit").click()
        for read_before in range(3):
            expect(page.locator("#read")).to_contain_text(f"{read_before} read")
            number = numbers[page.locator("#where bdi").last.inner_text()]
            assert page.locator("#tokens mark").count() == 0, "nothing is suggested"
            for span in truth.spans[number]:
                page.locator(f"#tokens [data-at='{span.start}']").click()
                for _ in range(span.end - span.start - 1):
                    page.keyboard.press("Shift+ArrowRight")
                page.keyboard.press(str(truth.corpus.scheme.types.index(span.label) + 1))
            page.keyboard.press("Enter")
        expect(page.locator("#read")).to_contain_text("3 read")
        expect(page.locator("#bound")).to_contain_text("Too few sentences")
        assert app.app is not None
        audit = app.app.state.room.audit
        for number in audit.begin().next_sentences(40):
            marks = [(span.start, span.end, span.label) for span in truth.spans[number]]
            audit.answer(number, marks, id=f"others-{number}", reviewer="bob")
        page.reload()
        expect(page.locator("#read")).to_contain_text("43 read")
        said = page.locator("#bound").inner_text()
        assert float(said.split("at most ")[1].split("%")[0]) < 40, said
        expect(page.locator("#figures")).to_contain_text("recall")
        page.keyboard.press("u")
        expect(page.locator("#read")).to_contain_text("2 read")
        other = enter(app, "bob", "/finish")
        expect(other.locator("#read")).to_contain_text("2 read")
        assert other.locator("#where bdi").last.inner_text() != page.locator("#where bdi").last.inner_text()
    assert actions(demo) == ["audit"] * 43 + ["undo"]


def test_what_is_sure_is_accepted_unread_in_one_step(demo: Path, enter: Enter) -> None:
    with served(demo) as app:
        page = enter(app, "ada", "/finish")
        page.get_by_role("button", name="Accept them unread").click()
        expect(page.locator("#notice")).to_contain_text("accepted unread")
        accepted = len(actions(demo))
        assert accepted > 10
        page.goto(f"{app.base}/history")
        expect(page.locator("tbody tr")).to_have_count(1)
        page.get_by_role("button", name="undo all").click()
        expect(page.locator("tr.undone")).to_have_count(1)
    assert actions(demo) == ["decide"] * accepted + ["undo"] * accepted
