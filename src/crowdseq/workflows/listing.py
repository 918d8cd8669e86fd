"""What can be chosen from: formats, and what can be done with each."""

from collections.abc import Iterator
from typing import NamedTuple

from crowdseq.formats import Format, list_formats


class FormatRow(NamedTuple):
    """One format: its name, what can be done with it, and what it is."""

    name: str
    able: tuple[str, ...]
    summary: str


def format_rows() -> Iterator[FormatRow]:
    """Every format."""
    return (FormatRow(form.name, abilities(form), form.summary) for form in list_formats())


def abilities(form: Format) -> tuple[str, ...]:
    """`read`, `write`, and `write consensus` where the tags of a consensus fit in."""
    able = []
    if form.read is not None or form.read_folder is not None:
        able.append("read")
    if form.write is not None or form.write_folder is not None:
        able.append("write")
    if form.write_consensus is not None or form.write_consensus_folder is not None:
        able.append("write consensus")
    return tuple(able)
