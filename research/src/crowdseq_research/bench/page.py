"""The page of the bench: its rows, the growth of cost, the E-step and the methods as tables."""

from collections.abc import Mapping
from typing import Any

from crowdseq.reports.tables import Table, as_markdown
from crowdseq_research.templates import fill, paragraphs


def bench_page(result: Mapping[str, Any]) -> str:
    """From the content of bench.json."""
    page = fill(
        "crowdseq_research.bench",
        "benchmarks",
        cores=result["machine"]["cores"],
        python=result["machine"]["python"],
        free=f"{result['spin_test_cores']:.2f}",
        rows="\n".join([_ROW_HEAD, *map(_row_line, result["rows"])]),
        growth="\n".join([_GROWTH_HEAD, *map(_growth_line, _growth_rows(result["growth"]))]),
        methods=paragraphs(*map(as_markdown, method_tables(result))),
    )
    return page + "\n"


_ROW_HEAD = """\
| what | unit | crowdseq | rival | ratio | must / aim | reached |
|---|---|---|---|---|---|---|"""


def _row_line(row: Mapping[str, Any]) -> str:
    goal = "" if row["must"] is None else f"{row['must']:.3g} / {row['aim']:.3g}"
    figures = f"{row['ours']:.4g} | {row['rival']:.4g} | {row['ratio']:.3g}"
    return f"| {row['what']} | {row['unit']} | {figures} | {goal} | {row['verdict']} |"


_GROWTH_HEAD = """\
| tokens | labels | ns / token |
|---|---|---|"""


def _growth_rows(growth: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*growth["tokens"], *growth["labels"]]


def _growth_line(row: Mapping[str, Any]) -> str:
    return f"| {row['tokens']} | {row['labels']} | {row['ns_per_token']} |"


def method_tables(result: Mapping[str, Any]) -> list[Table]:
    """The E-step, and the methods beside their rivals."""
    estep = tuple(
        (
            row["labels"],
            row["per_token"],
            row["million_tokens_per_second"],
            f"{row['must']:g} / {row['aim']:g}",
        )
        for row in result["estep"]
    )
    methods = tuple(
        (
            row["method"],
            row["settings"],
            row["seconds"],
            row["most_seconds"],
            row["round_seconds"],
            row["rival"] or None,
            row["rival_round_seconds"],
            row["ratio"],
            row["least_ratio"],
            row["verdict"],
        )
        for row in result["methods"]
    )
    return [
        Table(
            ("candidates", "labels per token", "million tokens / s", "must / aim"),
            estep,
            "E-step on one thread, 5 annotators, 9 labels",
        ),
        Table(
            (
                "method",
                "settings",
                "CPU s",
                "at most",
                "CPU s / round",
                "rival",
                "rival's s / round",
                "ratio",
                "at least",
                "reached",
            ),
            methods,
            "Consensus methods on 100,000 tokens, 5 annotators, 9 labels",
        ),
    ]
