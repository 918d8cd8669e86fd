"""The desk in a real browser: how soon the next dispute is on the screen, and how a long sentence fares."""

import shutil
from typing import Any

import numpy as np

from crowdseq_research.bench.review_speed.server import Server

_FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
# Counts from the key to the second frame after it: by then the first has been painted.
_WATCH = """
window.tasks = []; window.waits = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((one) => one.duration)))
  .observe({ type: "longtask", buffered: true });
addEventListener("keydown", (event) => {
  const painted = () => window.waits.push(performance.now() - event.timeStamp);
  requestAnimationFrame(() => requestAnimationFrame(painted));
}, true);
"""
_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
_SHOWN = "() => document.querySelector('#desk')?.getAttribute('aria-busy') === 'false'"


def chromium() -> str | None:
    """The browser of this machine."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def looked_at(server: Server, keys: int) -> dict[str, Any]:
    """Opens the page of disputes and accepts as many as there are keys.

    Milliseconds: first paint, the first dispute on screen, waits after each key, the longest task.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=_FLAGS)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(120_000)
            page.add_init_script(_WATCH)
            page.goto(server.link)
            page.wait_for_url(f"{server.base}/")
            page.goto(f"{server.base}/disputes")
            page.wait_for_function(_SHOWN)
            opened = page.evaluate("() => performance.now()")
            paint, first = page.evaluate(_PAINT), page.evaluate("() => window.tasks.slice()")
            for key in range(keys):
                page.keyboard.press("Enter")
                page.wait_for_function("(count) => window.waits.length > count", arg=key)
            waits, tasks = page.evaluate("() => [window.waits, window.tasks]")
        finally:
            browser.close()
    return {
        "first_paint": paint,
        "first_dispute": opened,
        "longest_task_opening": max(first, default=0.0),
        "longest_task": max(tasks, default=0.0),
        "tasks_over_200": sum(one > 200 for one in tasks),
        "keys": keys,
        "next_p50_p95": np.percentile(waits or [0.0], [50, 95]).tolist(),
    }
