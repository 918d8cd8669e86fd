"""The page in a real browser: hostile text does nothing, and a phone never scrolls sideways."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from crowdseq.workflows.demonstrating import demo_corpus
from lone_worlds import all_to_be_added
from reports.hostile import HOSTILE, MARK, hostile_corpus
from reports.pages import page_of_consensus, page_on

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
    "--virtual-time-budget=3000",
]
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')


def dom_of(page: str, folder: Path) -> str:
    """What the browser makes of a page, its scripts run."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    command = [str(CHROMIUM), *_FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", path.as_uri()]
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode()


def owned(dom: str) -> bool:
    return re.search(rf"<html[^>]*data-{MARK}", dom) is not None


def test_our_mark_is_seen_where_a_script_runs(tmp_path: Path) -> None:
    assert owned(dom_of(f"<!doctype html><html><body>{HOSTILE[0]}</body></html>", tmp_path))
    assert owned(dom_of(f'<!doctype html><html><body><p title="{HOSTILE[6]}"></body></html>', tmp_path))


@pytest.mark.parametrize("kind", ["IOB2", "plain"])
def test_hostile_text_runs_nothing_even_without_the_policy(kind: str, tmp_path: Path) -> None:
    page = page_on(hostile_corpus(kind))
    assert _POLICY.search(page)
    dom = dom_of(_POLICY.sub("", page), tmp_path)
    assert not owned(dom)
    assert dom.count("<script") == 1
    assert "onerror=" not in re.sub(r">[^<]*<", "><", dom)


def test_the_policy_alone_stops_a_script_and_lets_ours_run(tmp_path: Path) -> None:
    page = page_on(demo_corpus().select(range(40)))
    dom = dom_of(page.replace("<main>", f"<main>{HOSTILE[0]}{HOSTILE[6]}"), tmp_path)
    assert not owned(dom)
    assert 'type="search"' in dom, "our own script adds the filter"
    assert '<button type="button">skill</button>' in dom


def test_sentences_are_filtered_and_the_ranking_is_sorted(tmp_path: Path) -> None:
    page = _POLICY.sub("", page_on(demo_corpus().select(range(60))))
    act = """
        const input = document.querySelector("input");
        input.value = " News-01-S2 ";
        input.dispatchEvent(new Event("input"));
        const seen = [...document.querySelectorAll(".sentences article:not([hidden]) h3 > bdi")];
        document.documentElement.dataset.seen = seen.map((one) => one.textContent).join();
        [...document.querySelectorAll("th button")].find((one) => one.textContent === "sentences").click();
        const rows = [...document.querySelectorAll(".ranking tbody tr")];
        document.documentElement.dataset.counts = rows.map((row) => row.cells[7].textContent).join();
        input.value = "no such word";
        input.dispatchEvent(new Event("input"));
        document.documentElement.dataset.none = document.querySelector(".chips ~ .note").textContent;
        input.value = "";
        const press = (words) => [...document.querySelectorAll(".chips button")]
            .find((one) => one.textContent.startsWith(words)).click();
        press("other bounds");
        const kept = [...document.querySelectorAll(".sentences article:not([hidden])")];
        document.documentElement.dataset.kinds = kept.map((one) => one.dataset.kinds).join("|");
        press("drop");
        const dropped = [...document.querySelectorAll(".ranking tbody tr:not([hidden])")];
        document.documentElement.dataset.dropped = dropped.map((one) => one.dataset.verdict).join();
    """
    dom = dom_of(page.replace("</body>", f"<script>{act}</script></body>"), tmp_path)
    seen = re.search(r'data-seen="([^"]*)"', dom)
    counts = re.search(r'data-counts="([^"]*)"', dom)
    assert seen
    assert seen[1] == "news-01-s2"
    assert counts
    numbers = [int(number) for number in counts[1].split(",")]
    assert len(numbers) > 3
    assert numbers == sorted(numbers, reverse=True)
    told = {name: re.search(rf'data-{name}="([^"]*)"', dom) for name in ("none", "kinds", "dropped")}
    assert all(told.values())
    assert "Nothing found among the 60 hardest sentences" in dom
    kinds = re.findall(r"[^|]+", str(told["kinds"][1] if told["kinds"] else ""))
    assert 0 < len(kinds) < 60
    assert all("other bounds" in one for one in kinds)
    assert told["dropped"]
    assert set(told["dropped"][1].split(",")) == {"drop"}


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("world", ["demo", "hostile", "suggestions"])
def test_a_page_never_scrolls_sideways(width: int, world: str, tmp_path: Path) -> None:
    page = (
        page_of_consensus(all_to_be_added(hostile_corpus()))
        if world == "suggestions"
        else page_on(demo_corpus().select(range(60)) if world == "demo" else hostile_corpus())
    )
    page = page.replace("<details>", '<details open="">')
    (tmp_path / "inner.html").write_text(_POLICY.sub("", page), encoding="utf-8")
    # A window has a least width that is wider than a phone; a frame has none.
    script = (
        "onload = () => { const inner = document.querySelector('iframe').contentDocument.documentElement;"
        "document.documentElement.dataset.width = inner.scrollWidth + ' of ' + inner.clientWidth; }"
    )
    frame = f'<iframe src="inner.html" width="{width}" height="900" frameborder="0"></iframe>'
    outer = f"<!doctype html><html><body>{frame}<script>{script}</script></body></html>"
    dom = dom_of(outer, tmp_path)
    found = re.search(r'data-width="(\d+) of (\d+)"', dom)
    assert found, dom[:500]
    assert int(found[1]) <= int(found[2]) <= width
