"""Exports: the labels of a review as one file in the format of somebody's tool."""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from crowdseq.errors import SettingsError
from crowdseq.formats import list_formats
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.workflows.reviewing.exporting import BOTH, CONSENSUS, reviewed, write_reviewed
from crowdseq.workflows.reviewing.filtering import DECIDED

LABELS = {
    BOTH: "all sentences, with decisions laid over the consensus",
    DECIDED: "only sentences in which a person decided something",
    CONSENSUS: "the consensus alone, as it was learned",
}


class ExportedFile(NamedTuple):
    """A file by a name of our own, and a line for all that the format has no room for."""

    name: str
    content: bytes
    notes: tuple[str, ...]


def export_formats() -> list[dict[str, Any]]:
    """The formats that hold labels in one file."""
    return [
        {"name": form.name, "summary": form.summary}
        for form in list_formats()
        if form.write_consensus is not None and form.extensions
    ]


def export(desk: ReviewDesk, form: str, which: str = BOTH) -> ExportedFile:
    """The labels in a format; only names that are listed reach the file system."""
    chosen = next((one for one in list_formats() if one.name == form), None)
    if chosen is None or chosen.write_consensus is None or not chosen.extensions:
        raise SettingsError(f"'{form:.40}' is no format for labels in one file")
    name = f"labels.{chosen.extensions[0]}"
    with tempfile.TemporaryDirectory(prefix="crowdseq-export-") as folder:
        path = Path(folder) / name
        done = write_reviewed(reviewed(desk.consensus, desk.states(), which), path, target=form)
        return ExportedFile(name, path.read_bytes(), done.notes)
