"""Whose labels a file holds when the file itself does not say it."""

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.files.sources import Source
from crowdseq.formats.findings.collector import Intake

GOLD_STEMS = frozenset({"gold", "curation_user", "curator"})


def annotator_of(source: Source, intake: Intake) -> str | None:
    """The annotator that a file of one person's labels stands for; None for gold."""
    means = intake.settings.files_mean
    is_annotator = source.folder is not None if means == "auto" else means == "annotator"
    return source.stem if is_annotator and source.stem.lower() not in GOLD_STEMS else None


def refuse_second_gold(digest: str, name: str, intake: Intake) -> None:
    """Two files of gold over one text are most likely two annotators, whose votes would be lost."""
    other = intake.same_text(digest, name)
    if other is not None:
        what = (
            f"has the same text as {other}: if each is one annotator, say --files-mean annotator, "
            "else name only one of them"
        )
        raise FormatError(Problem(what, name))
