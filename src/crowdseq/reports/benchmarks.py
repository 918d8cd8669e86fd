"""Speed of the E-step and of the consensus methods as tables."""

from collections.abc import Mapping
from typing import Any

from crowdseq.reports.tables import Table


def method_tables(result: Mapping[str, Any]) -> list[Table]:
    """From the content of bench.json."""
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
