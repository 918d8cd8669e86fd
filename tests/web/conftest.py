"""One browser for all tests of the app, and a fresh profile for every reviewer."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from web.servers import CHROMIUM, FLAGS, Served

Enter = Callable[..., Page]
# Milliseconds: a machine that is busy with other tests is slow, and that is no fault of a page.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium of this machine."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def enter(browser: Browser) -> Iterator[Enter]:
    """`enter(app, "ada", "/disputes")`: a reviewer with a browser of their own, inside and on a page.

    Whatever goes wrong in a page fails the test: errors of scripts, and anything that the policy refused.
    """
    contexts, wrong = [], []

    def come_in(app: Served, name: str = "ada", path: str = "/", **options: object) -> Page:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if _is_fault(message.text) else None)
        page.goto(app.invite(name))
        page.wait_for_url(f"{app.base}/")
        if path != "/":
            page.goto(app.base + path)
        return page

    yield come_in
    for context in contexts:
        context.close()
    assert wrong == []


def _is_fault(text: str) -> bool:
    return "Content Security Policy" in text or "TrustedHTML" in text or "Uncaught" in text
