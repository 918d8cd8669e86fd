"""Whose labels a file or a folder holds when it does not say so itself: one rule for every format."""

import re
from collections.abc import Sequence

from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.formats.files.sources import Source
from crowdseq.formats.findings.collector import Collector

# Names, in any case of letters, of files and folders that hold what was agreed on and nobody's own labels.
GOLD_STEMS = frozenset({"gold", "curator", "curation_user", "consensus", "ground_truth"})
AS_ANNOTATOR = Advice("{predictions} reads them as one more annotator", predictions="")
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}")


def is_gold(stem: str) -> bool:
    """Whether a file or folder of this name holds gold."""
    return stem.lower() in GOLD_STEMS


def annotator_of(source: Source, collector: Collector) -> str | None:
    """The annotator that a file of one person's labels stands for; None for gold."""
    if source.owner is not None:
        return source.owner or None
    means = collector.settings.files_mean
    is_annotator = source.folder is not None if means == "auto" else means == "annotator"
    return source.stem if is_annotator and not is_gold(source.stem) else None


def annotator_asked_for(stem: str, collector: Collector) -> str | None:
    """The same where files are gold unless the settings say that each is one annotator's."""
    return stem if collector.settings.files_mean == "annotator" and not is_gold(stem) else None


def refuse_second_gold(digest: str, name: str, collector: Collector) -> None:
    """Two files of gold over one text are most likely two annotators, whose votes would be lost."""
    other = collector.same_text(digest, name)
    if other is not None:
        advice = Advice(
            "if each is one annotator, say {files_mean}, else name only one of them", files_mean="annotator"
        )
        raise FormatError(Problem(f"has the same text as {other}:", name, advice=advice))


def file_names(annotators: Sequence[str]) -> dict[str, str]:
    """A file name without ending for each annotator, never one of gold.

    A name that is not plainly safe is numbered; it has to be written inside the file.
    """
    taken, names = set(GOLD_STEMS), {}
    for number, name in enumerate(annotators, 1):
        stem = name if _SAFE.fullmatch(name) and name.lower() not in taken else f"annotator-{number:04}"
        while stem.lower() in taken:
            stem += "x"
        taken.add(stem.lower())
        names[name] = stem
    return names
