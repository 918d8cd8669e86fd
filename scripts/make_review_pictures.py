"""Pictures of every page of the review app for its page in the docs: wide and on a phone, light and dark.

    python scripts/make_review_pictures.py -o docs/images/review

Makes a run of the demo corpus, decides a few things in it, and looks at all pages with Chromium.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from crowdseq import demo_corpus, learn

PAGES = {
    "home": "/",
    "disputes": "/disputes",
    "mentions": "/mentions",
    "guideline": "/guideline",
    "annotators": "/annotators",
    "annotator": "/annotators/3",
    "agreement": "/agreement",
    "finish": "/finish",
    "again": "/again",
    "export": "/export",
    "history": "/history",
}
SINGLE = ("home", "disputes", "mentions", "guideline", "annotator", "agreement", "finish", "history")
WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
_COLOURS = 128


@contextmanager
def serving(run: Path) -> Iterator[str]:
    """The link of a server of its own process."""
    command = [sys.executable, "-m", "crowdseq", "review", str(run), "--no-browser", "--port", "0", "--quiet"]
    with subprocess.Popen([*command, "--reviewer", "ada"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def looked_at(browser: Browser, link: str, page: Page | None, **options: object) -> Page:
    """Somebody inside, with a window as wished; the second comes by a link of the first."""
    if page is not None:
        ask = "async () => (await (await fetch('/api/invite', {method: 'POST', headers: "
        ask += "{'Content-Type': 'application/json'}, body: '{\"name\": \"ada\"}'})).json()).link"
        link = page.evaluate(ask)
    made = browser.new_context(**options).new_page()  # type: ignore[arg-type]
    made.goto(link)
    made.wait_for_url("**/")
    return made


def at_rest(page: Page, base: str, path: str) -> None:
    page.goto(base + path)
    page.wait_for_load_state("networkidle")
    page.locator("[aria-busy=true]").wait_for(state="detached")
    if path == "/mentions":
        page.keyboard.press("2")
        page.evaluate("scrollTo(0, 0)")


def decide(page: Page, base: str) -> None:
    """What a reviewer may have done by now."""
    at_rest(page, base, "/disputes")
    for key in ("Enter", "1", "n", "Enter", "2"):
        page.keyboard.press(key)
        page.locator("#saved", has_text="✓").wait_for()
    at_rest(page, base, "/guideline")
    page.locator(".pair").first.get_by_role("button", name="Write a rule").click()
    page.locator("#rule textarea").fill("A town that acts (plays, decides, pays) is an organisation.")
    page.get_by_role("button", name="Save the rule").click()
    page.locator(".rule").wait_for()


def picture(page: Page, *, whole: bool = False) -> Image.Image:
    return Image.open(BytesIO(page.screenshot(full_page=whole))).convert("RGB")


def sheet(pictures: list[Image.Image], columns: int, width: int) -> Image.Image:
    """Pictures beside and below each other, made smaller."""
    small = [
        one.resize((width, one.height * width // one.width), Image.Resampling.LANCZOS) for one in pictures
    ]
    height, gap = max(one.height for one in small), 12
    rows = -(-len(small) // columns)
    made = Image.new("RGB", (columns * (width + gap) + gap, rows * (height + gap) + gap), "#808080")
    for place, one in enumerate(small):
        made.paste(one, (gap + place % columns * (width + gap), gap + place // columns * (height + gap)))
    return made


def save(made: Image.Image, path: Path) -> None:
    made.quantize(_COLOURS).save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("docs/images/review"))
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        run = Path(folder) / "demo"
        learn(demo_corpus().without_gold(), "dawid-skene", tagger=False).save(run)
        browser = playwright.chromium.launch(executable_path=asked.chromium, args=["--no-sandbox"])
        with serving(run) as link:
            base, first = link.partition("/start")[0], None
            for scheme in ("light", "dark"):
                for name, window in {"wide": WIDE, "phone": PHONE}.items():
                    page = looked_at(browser, link, first, viewport=window, color_scheme=scheme)
                    if first is None:
                        decide(page, base)
                    first = first or page
                    found = {}
                    for title, path in PAGES.items():
                        at_rest(page, base, path)
                        found[title] = picture(page)
                        if name == "wide" and scheme == "light" and title in SINGLE:
                            save(found[title], asked.out / f"{title}.png")
                    is_wide = name == "wide"
                    made = sheet([*found.values()], 3 if is_wide else 6, 512 if is_wide else 240)
                    save(made, asked.out / f"{'pages' if is_wide else 'phone'}-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    main()
