"""The page of the speed of the review app, from what was measured."""

from typing import Any

from crowdseq.reports.tables import Table, as_markdown
from crowdseq_research.templates import fill

Row = tuple[str, str, str, str, str]


def speed_page(found: dict[str, Any]) -> str:
    """Markdown: goals with figures by the clock and in processor time, and whether they are reached."""
    recipe = found["recipe"]
    return fill(
        "crowdseq_research.bench",
        "review_speed",
        sentences=f"{recipe['sentences']:,}",
        commit=recipe["commit"],
        machine=f"{recipe['cores']} cores, Python {recipe['python']}",
        nice=recipe["nice"],
        busy=f"{recipe['busy_before']:.1f} before and {recipe['busy_after']:.1f} after",
        opening=as_markdown(_table(_opening(found["opening"]))),
        asked=as_markdown(_asked(found["asked"])),
        load="Not measured." if found["load"] is None else as_markdown(_table(_load(found["load"]))),
        mix="" if found["load"] is None else _mix(found["load"]),
        browser=as_markdown(_table(_browser(found))) if "desk" in found else "Not measured.",
    )


def _table(rows: list[Row]) -> Table:
    return Table(("what", "by the clock", "server CPU", "goal", "reached by the clock"), tuple(rows))


def _reached(value: float, most: float) -> str:
    return "yes" if value < most else "no"


def _opening(found: dict[str, float]) -> list[Row]:
    seconds, size, mentions = found["seconds"], found["megabytes"], found["mentions_at_once"]
    cpu = found["mentions_at_once_cpu"]
    return [
        (
            "from the command to the link",
            f"{seconds:.1f} s",
            f"{found['cpu']:.1f} s",
            "5 s",
            _reached(seconds, 5),
        ),
        ("memory (PSS) then", f"{size:,.0f} MB", "", "1,500 MB", _reached(size, 1500)),
        ("Mentions, asked for at once, while they are made", f"{mentions:.1f} s", f"{cpu:.1f} s", "", ""),
    ]


def _asked(rows: list[dict[str, Any]]) -> Table:
    names = ("first", "first_cpu", "later", "later_cpu")
    cells = [
        (row["name"], *(f"{row[name]:.0f}" for name in names), _reached(max(row["first"], row["later"]), 300))
        for row in rows
    ]
    heads = ("milliseconds", "first", "server CPU", "later, median", "server CPU", "< 300 by the clock")
    return Table(heads, tuple(cells))


def _load(found: dict[str, Any]) -> list[Row]:
    bad = sum(times for status, times in found["statuses"].items() if status.startswith("5"))
    wrong = bad + len(found["lost"])
    cpu = f"{found['cpu_per_request']:.1f} ms each"
    rows = [
        (
            f"{name}, median / p95",
            "{:.0f} / {:.0f} ms".format(*found[key]),
            cpu if key.startswith("all") else "",
        )
        for name, key in (
            ("all requests", "all_p50_p95"),
            ("decisions", "decisions_p50_p95"),
            ("reads", "reads_p50_p95"),
        )
    ]
    first, low, high = found["megabytes"]
    change = found["memory_change"]
    return [
        *((*row, "p95 150 ms", _reached(found[key][1], 150)) for row, key in zip(rows, _KEYS, strict=True)),
        ("answers 5xx or lost", str(wrong), "", "0", "yes" if wrong == 0 else "no"),
        (
            f"memory after the first {found['settled_after']:.0f} s",
            f"{first:,.0f} MB, then {low:,.0f} to {high:,.0f} ({change:.1%})",
            "",
            "± 5 %",
            _reached(change, 0.05),
        ),
    ]


_KEYS = ("all_p50_p95", "decisions_p50_p95", "reads_p50_p95")


def _mix(found: dict[str, Any]) -> str:
    statuses = ", ".join(f"{status}: {times:,}" for status, times in found["statuses"].items())
    return (
        f"{found['reviewers']} reviewers for {found['seconds']:.0f} s: {found['requests']:,} requests, among"
        f" them {found['decisions']:,} decisions ({found['rate']:.1f} per second, {found['asked_rate']:g}"
        f" were asked for; p95 of how late one began: {found['late_p95'] / 1000:.1f} s). Answers by status:"
        f" {statuses}. The server had {found['cpu_share']:.0%} of one core."
    )


def _browser(found: dict[str, Any]) -> list[Row]:
    desk, long = found["desk"], found["long"]
    return [
        (
            f"next dispute on screen, median / p95 of {desk['keys']} keys",
            "{:.0f} / {:.0f} ms".format(*desk["next_p50_p95"]),
            f"{desk['server_cpu'] / max(desk['keys'], 1):.0f} ms a key",
            "p95 100 ms",
            _reached(desk["next_p50_p95"][1], 100),
        ),
        ("first dispute of the large run", f"{desk['first_dispute']:.0f} ms", "", "", ""),
        _one("5,000 tokens, 20 lanes: first paint", long["first_paint"], 1000),
        _one("5,000 tokens, 20 lanes: dispute on screen", long["first_dispute"], 1000),
        _one("5,000 tokens, 20 lanes: longest task", long["longest_task"], 200),
        _one(
            f"5,000 tokens, 20 lanes: next dispute, p95 of {long['keys']} keys", long["next_p50_p95"][1], 100
        ),
    ]


def _one(name: str, value: float, most: float) -> Row:
    return (name, f"{value:.0f} ms", "", f"{most:,} ms", _reached(value, most))
