"""Data to stdout: one JSON object, or text."""

import json
from typing import Any

import click

from crowdseq.reports.tables import Table, as_text


def print_json(value: Any) -> None:
    """One object; what is not a number in mathematics is null in JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))


def print_table(table: Table) -> None:
    """A table and an empty line after it."""
    click.echo(as_text(table))
    click.echo()
