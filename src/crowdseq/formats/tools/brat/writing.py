"""A corpus as brat folders: one for each annotator, in it a text and its spans for each sentence."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.formats.conventions.roles import GOLD_STEMS
from crowdseq.formats.spans.align import Mark
from crowdseq.formats.spans.capacity import check_holdable
from crowdseq.formats.spans.from_corpus import Restored, Scored, crowds, restore, settled

_SAFE_PART = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,78}[A-Za-z0-9_-])?")
_GOLD = "gold"


def write_folder(corpus: Corpus, folder: Path) -> list[str]:
    """What an annotator did not see has no file in their folder."""
    _check_types(corpus)
    notes = check_holdable(corpus, "brat")
    documents = _file_names([sentence.id for sentence in corpus.sentences], "sentence")
    people = _file_names(corpus.annotators, "annotator", taken=GOLD_STEMS)
    for crowd in crowds(corpus):
        name = documents[crowd.restored.sentence.id]
        for who, marks in crowd.votes.items():
            _write_pair(folder / people[who] / name, crowd.restored, marks)
        if crowd.gold is not None:
            _write_pair(folder / _GOLD / name, crowd.restored, crowd.gold)
    seen = (corpus.n_voters > 0) | corpus.has_gold
    unseen = int((~seen).sum())
    if unseen:
        notes.append(f"{unseen} sentences that nobody labelled were left out")
    return [*notes, *_losses(corpus, documents, people)]


def write_consensus_folder(consensus: Consensus, folder: Path) -> list[str]:
    """A collection to be opened in brat: confidence and who agreed stand in a note on each span."""
    corpus = consensus.corpus.keep_annotators([]).without_gold()
    _check_types(corpus)
    notes = check_holdable(corpus, "brat")
    documents = _file_names([sentence.id for sentence in corpus.sentences], "sentence")
    for restored, scored in settled(consensus):
        marks = [found.mark for found in scored]
        notes_on = note_lines(scored, is_crowd=bool(consensus.corpus.annotators))
        _write_pair(folder / documents[restored.sentence.id], restored, marks, notes_on)
    return [*notes, *_losses(corpus, documents, {})]


def _check_types(corpus: Corpus) -> None:
    for kind in corpus.scheme.types:
        if re.search(r"\s", kind):
            raise AnnotationError(f"brat cannot hold the label {kind!r}, its names have no spaces: rename it")


def _write_pair(path: Path, restored: Restored, marks: Sequence[Mark], more: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    for ending, content in ((".txt", restored.text), (".ann", ann_lines(marks, restored.text) + more)):
        try:
            data = content.encode("utf-8")
        except UnicodeEncodeError:
            name = restored.sentence.id
            raise AnnotationError(f"sentence {name!r} holds half a character, correct it") from None
        with path.with_name(path.name + ending).open("xb") as out:
            out.write(data)


def _file_names(names: Iterable[str], kind: str, taken: Iterable[str] = ()) -> dict[str, str]:
    """A file name for each name; one that is not plainly safe is numbered."""
    used = {name.lower() for name in taken}
    made = {}
    for number, name in enumerate(names, 1):
        *above, last = name.split("/")
        is_safe = all(_SAFE_PART.fullmatch(part) for part in (*above, last)) and "." not in "".join(above)
        is_safe = is_safe and (kind == "sentence" or not above)
        stem = name if is_safe and name.lower() not in used else f"{kind}-{number:05}"
        while stem.lower() in used:
            stem += "x"
        used.add(stem.lower())
        made[name] = stem
    return made


def _losses(corpus: Corpus, documents: dict[str, str], people: dict[str, str]) -> list[str]:
    made = []
    for what, names in (("sentences", documents), ("annotators", people)):
        renamed = sum(name != file for name, file in names.items())
        if renamed:
            made.append(f"of {what}, {renamed} had a name that cannot be one of a file: numbered instead")
    if any(name is not None for name in corpus.text.documents):
        made.append("brat has no documents of several sentences: each sentence is a file")
    if corpus.scheme.kind != "IOB2" and len(corpus.scheme):
        made.append(f"brat holds spans, not tags: {corpus.scheme.kind} will be read as IOB2")
    if any(restore(s).text != s.extras.get("text") for s in corpus.sentences if s.tokens):
        made.append("brat has no tokens, they are parted by spaces: read them with the tokenizer whitespace")
    if corpus.text.columns:
        made.append(f"columns have no place in brat and were left out: {', '.join(corpus.text.columns)}")
    return made


def note_lines(scored: Iterable[Scored], *, is_crowd: bool) -> str:
    """A note on every span: how sure it is, and who marked exactly it; brat shows it over the span.

    is_crowd: whether there are annotators, who could have marked it too; a tagger has none.
    """
    lines = []
    for number, (_, confidence, agreed) in enumerate(scored, 1):
        who = ", ".join(" ".join(name.split()) for name in agreed) or "nobody"
        told = f"confidence {confidence:.6f}{f', marked by {who}' if is_crowd else ''}"
        lines.append(f"#{number}\tAnnotatorNotes T{number}\t{told}\n")
    return "".join(lines)


def ann_lines(marks: Iterable[Mark], text: str) -> str:
    """The content of an .ann file; line breaks in the covered text become spaces, as brat writes them."""
    lines = []
    for number, mark in enumerate(marks, 1):
        covered = text[mark.start : mark.end].replace("\n", " ").replace("\r", " ")
        lines.append(f"T{number}\t{mark.label} {mark.start} {mark.end}\t{covered}\n")
    return "".join(lines)
