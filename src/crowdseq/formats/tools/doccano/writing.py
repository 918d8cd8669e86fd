"""doccano JSONL: a file for each annotator in a folder or a ZIP, or a consensus to import."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.formats.conventions.roles import file_names
from crowdseq.formats.json_io import write_lines
from crowdseq.formats.spans.align import Mark
from crowdseq.formats.spans.capacity import check_holdable
from crowdseq.formats.spans.from_corpus import CARRIED, Crowd, Restored, crowds, settled

SHARED = "all"  # the name of the file in which doccano shares the labels of all members
_GOLD = "gold.jsonl"


def write_folder(corpus: Corpus, folder: Path) -> list[str]:
    """One file for each annotator, and one for gold."""
    notes = _check(corpus)
    for name, file in _files(corpus).items():
        with (folder / file).open("xb") as out:
            write_lines(out, _objects(corpus, name, file))
    return notes


def write_zip(corpus: Corpus, out: BinaryIO) -> list[str]:
    """The same files in a ZIP, as doccano's own export has them."""
    notes = _check(corpus)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in _files(corpus).items():
            lines = io.BytesIO()
            write_lines(lines, _objects(corpus, name, file))
            # A fixed time instead of now, so that the same corpus gives the same bytes.
            entry = zipfile.ZipInfo(file)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, lines.getvalue())
    return notes


def write_consensus(consensus: Consensus, out: BinaryIO) -> list[str]:
    """Lines to import into a project; confidence and names travel in a field that doccano keeps as it is."""
    notes = check_holdable(consensus.corpus.keep_annotators([]).without_gold(), "doccano")
    write_lines(out, _settled(consensus))
    return notes


def _check(corpus: Corpus) -> list[str]:
    notes = check_holdable(corpus, "doccano")
    unseen = int(((corpus.n_voters == 0) & ~corpus.has_gold).sum())
    if unseen:
        notes.append(f"{unseen:,} sentences that nobody labelled are in no file")
    return notes


def _files(corpus: Corpus) -> dict[str | None, str]:
    """The file of each annotator, and of gold under None."""
    names = file_names((SHARED, *corpus.annotators))
    files: dict[str | None, str] = {name: f"{names[name]}.jsonl" for name in corpus.annotators}
    return files | ({None: _GOLD} if corpus.has_gold.any() else {})


def _objects(corpus: Corpus, name: str | None, file: str) -> Iterator[dict[str, Any]]:
    for number, crowd in enumerate(crowds(corpus), 1):
        marks = _marks(crowd, name)
        if marks is not None:
            carried = crowd.restored.carried()
            if name is not None and f"{name}.jsonl" != file:
                carried["annotator"] = name
            yield _object(number, crowd.restored, marks, carried)


def _marks(crowd: Crowd, name: str | None) -> list[Mark] | None:
    return crowd.gold if name is None else crowd.votes.get(name)


def _object(number: int, restored: Restored, marks: list[Mark], carried: dict[str, Any]) -> dict[str, Any]:
    triples = [[mark.start, mark.end, mark.label] for mark in marks]
    return {**restored.meta, "id": number, "text": restored.text, "label": triples, CARRIED: carried}


def _settled(consensus: Consensus) -> Iterator[dict[str, Any]]:
    for number, (restored, marks) in enumerate(settled(consensus), 1):
        about = {
            "confidence": [scored.confidence for scored in marks],
            "agreed": [scored.agreed for scored in marks],
        }
        carried = restored.carried() | about
        yield _object(number, restored, [scored.mark for scored in marks], carried)
