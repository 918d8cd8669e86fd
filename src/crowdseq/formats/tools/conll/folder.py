"""A folder of CoNLL files, one for each annotator and one for gold."""

import re
from pathlib import Path

from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.formats.format import Format
from crowdseq.formats.tools.conll.writing import write_crowd

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}")


def write_folder(corpus: Corpus, folder: Path) -> list[str]:
    """One file each; what an annotator did not see is `?`, so that all files have the same sentences."""
    notes: dict[str, None] = {}
    for name, file in file_names(corpus.annotators).items():
        with (folder / file).open("xb") as out:
            notes.update(dict.fromkeys(write_crowd(corpus, out, [name], gold=False)))
    if corpus.has_gold.any():
        with (folder / "gold.conll").open("xb") as out:
            write_crowd(corpus, out, [])
    if not corpus.annotators and not corpus.has_gold.any():
        raise AnnotationError(
            "nobody labelled anything, a folder with one file for each annotator would be empty"
        )
    return list(notes)


def file_names(annotators: tuple[str, ...]) -> dict[str, str]:
    """A file name for each annotator; a name that is not plainly safe is only written inside the file."""
    taken, names = {"gold"}, {}
    for number, name in enumerate(annotators, 1):
        stem = name if _SAFE.fullmatch(name) and name.lower() not in taken else f"annotator-{number:04}"
        while stem.lower() in taken:
            stem += "x"
        taken.add(stem.lower())
        names[name] = f"{stem}.conll"
    return names


FORMAT = Format(
    name="conll-folder",
    summary="a folder of CoNLL files, one for each annotator, and gold.conll (read as conll)",
    write_folder=write_folder,
)
