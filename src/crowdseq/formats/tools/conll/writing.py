"""Corpora and consensus as CoNLL columns, separated by tabs."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import split_tag
from crowdseq.core.text import Sentence
from crowdseq.errors import AnnotationError
from crowdseq.formats.conventions.names import agreements
from crowdseq.formats.conventions.roles import file_names
from crowdseq.formats.format import Format
from crowdseq.formats.table_io.missing import UNLABELLED
from crowdseq.formats.tools.conll.columns import (
    CONSENSUS,
    DOCUMENT_START,
    HEADER,
    SENTENCE,
    is_customary,
)

_NO_VALUE = "_"
_BREAKS = frozenset("\t\n\r")
_MARKS = (DOCUMENT_START, HEADER, SENTENCE, "\ufeff")


def write(corpus: Corpus, out: BinaryIO) -> list[str]:
    """Plain columns for a corpus of gold alone; with annotators one column each, named in the first line."""
    if corpus.annotators:
        return write_crowd(corpus, out, corpus.annotators)
    others = tuple(corpus.text.columns)
    check_writable(corpus, others)
    writer = _Rows(out, corpus, others)
    if any(_holds_types(corpus, name) for name in others):
        # Without names a reader could not tell these columns from the label.
        fields = [f"{HEADER} token", *(f"column:{name}" for name in others), "gold"]
        writer.line("\t".join(fields))
    for sentence_number, sentence in enumerate(corpus.sentences):
        writer.open_document(sentence_number)
        writer.rows(sentence, [corpus.gold[sentence_number]])
    return [*writer.notes(), *_plain_losses(corpus)]


def _holds_types(corpus: Corpus, name: str) -> bool:
    """Whether a column has tags of the same types as the labels."""
    types = set() if corpus.scheme.is_plain else set(corpus.scheme.types)
    return any(
        split_tag(value)[0] and split_tag(value)[1] in types for value in corpus.text.columns[name].table
    )


def write_crowd(corpus: Corpus, out: BinaryIO, annotators: Sequence[str], *, gold: bool = True) -> list[str]:
    """Annotators and gold in named columns; ids and extra keys stand in a line above each sentence."""
    others = tuple(corpus.text.columns)
    check_writable(corpus, others)
    has_gold = gold and bool(corpus.has_gold.any())
    fields = ["token", *(f"column:{name}" for name in others), *(f"annotator:{name}" for name in annotators)]
    writer = _Rows(out, corpus, others)
    writer.line("\t".join([f"{HEADER} {fields[0]}", *fields[1:], *(["gold"] if has_gold else [])]))
    numbers = [corpus.annotators.index(name) for name in annotators]
    for sentence_number, sentence in enumerate(corpus.sentences):
        writer.line(f"{SENTENCE} {_about(sentence)}")
        ballot = corpus.annotations.ballots[sentence_number]
        rows = dict(zip(ballot.voters.tolist(), ballot.tags, strict=True))
        votes = [corpus.scheme.names(rows[number]) if number in rows else None for number in numbers]
        writer.rows(sentence, [*votes, *([corpus.gold[sentence_number]] if has_gold else [])])
    return [*writer.notes(), *_crowd_losses(corpus)]


def write_consensus(consensus: Consensus, out: BinaryIO, details: bool = False) -> list[str]:
    """Token and settled label; details: between them its confidence and the names of who gave it."""
    corpus = consensus.corpus
    check_writable(corpus, ())
    if not details:
        return _write_settled(consensus, _Rows(out, corpus, ()))
    writer = _Rows(out, corpus, CONSENSUS)
    bounds = corpus.offsets.tolist()
    shown = [f"{value:.6f}" for value in np.round(consensus.token_confidence, 6).tolist()]
    for sentence_number, (sentence, named) in enumerate(
        zip(corpus.sentences, agreements(consensus), strict=True)
    ):
        writer.open_document(sentence_number)
        values = (shown[bounds[sentence_number] : bounds[sentence_number + 1]], map(_names, named))
        columns = {name: tuple(cells) for name, cells in zip(CONSENSUS, values, strict=True)}
        writer.rows(
            Sentence(sentence.id, sentence.doc, sentence.tokens, columns), [consensus.tags[sentence_number]]
        )
    return [*writer.notes(), *_plain_losses(corpus)]


def _write_settled(consensus: Consensus, writer: "_Rows") -> list[str]:
    for sentence_number, sentence in enumerate(consensus.corpus.sentences):
        writer.open_document(sentence_number)
        writer.rows(sentence, [consensus.tags[sentence_number]])
    return list(_plain_losses(consensus.corpus, with_columns=False))


def _names(names: list[str]) -> str:
    """Without spaces of its own, for tools that cut lines at them."""
    return json.dumps(names, ensure_ascii=False, separators=(",", ":"))


@dataclass
class _Rows:
    """Writes lines, and counts what had to be left open."""

    out: BinaryIO
    corpus: Corpus
    others: tuple[str, ...]
    n_missing_values: int = 0

    def line(self, text: str) -> None:
        try:
            self.out.write(text.encode("utf-8") + b"\n")
        except UnicodeEncodeError:
            raise AnnotationError(
                f"{ascii(text)[:80]} holds half a character (a lone surrogate), correct it"
            ) from None

    def open_document(self, sentence_number: int) -> None:
        """A start line where a document begins; single sentences that belong to none get none."""
        document_of, documents = self.corpus.text.document_of, self.corpus.text.documents
        is_new = sentence_number == 0 or document_of[sentence_number] != document_of[sentence_number - 1]
        if is_new and any(name is not None for name in documents):
            self.line("\t".join([DOCUMENT_START, *["-X-"] * len(self.others), "O"]))
            self.line("")

    def rows(self, sentence: Sentence, labels: Sequence[Sequence[str | None] | None]) -> None:
        size = len(sentence.tokens)
        values = [sentence.columns.get(name) for name in self.others]
        self.n_missing_values += sum(size for column in values if column is None)
        columns: list[Iterable[str]] = [sentence.tokens]
        columns += [column if column is not None else [_NO_VALUE] * size for column in values]
        columns += [_cells(tags, size) for tags in labels]
        for cells in zip(*columns, strict=True):
            self.line("\t".join(cells))
        self.line("")

    def notes(self) -> Iterator[str]:
        if self.n_missing_values:
            yield f"{self.n_missing_values} tokens lack a value in some column, written as {_NO_VALUE}"


def _cells(tags: Sequence[str | None] | None, size: int) -> list[str]:
    return [UNLABELLED] * size if tags is None else [UNLABELLED if tag is None else tag for tag in tags]


def _about(sentence: Sentence) -> str:
    about: dict[str, Any] = {"id": sentence.id}
    if sentence.doc is not None:
        about["doc"] = sentence.doc
    try:
        return json.dumps(about | dict(sentence.extras), ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError) as error:
        raise AnnotationError(f"sentence {sentence.id!r} cannot be written: {error}") from None


def check_writable(corpus: Corpus, others: Sequence[str]) -> None:
    """Whether every token, label and value can stand in a column and be read back."""
    used = np.unique(corpus.text.token_ids).tolist()
    for word in (corpus.text.words[number] for number in used):
        if not word or _BREAKS & set(word) or word.startswith(_MARKS):
            raise _cannot_hold("the token", word, corpus, lambda s, word=word: word in s.tokens)
    for tag in corpus.scheme.tags:
        if tag == UNLABELLED or _BREAKS & set(tag):
            raise AnnotationError(f"CoNLL cannot hold the label {tag!r}, rename it or write JSONL")
    for name in others:
        for value in (name, *corpus.text.columns[name].table):
            if _BREAKS & set(value) or not name.strip():
                raise AnnotationError(f"CoNLL cannot hold {value!r} in column {name!r}, write JSONL instead")


def _cannot_hold(what: str, word: str, corpus: Corpus, is_it: Any) -> AnnotationError:
    where = next((sentence.id for sentence in corpus.sentences if is_it(sentence)), "")
    return AnnotationError(f"CoNLL cannot hold {what} {word[:60]!r} (sentence {where}), write JSONL instead")


def _plain_losses(corpus: Corpus, *, with_columns: bool = True) -> Iterator[str]:
    yield "sentence ids and names of documents have no place in plain CoNLL, a reader will number them"
    keys = sorted({key for extras in corpus.text.extras.values() for key in extras})
    if keys:
        yield f"extra keys have no place in plain CoNLL and were left out: {', '.join(keys)}"
    if corpus.text.columns and not with_columns:
        yield f"columns were left out: {', '.join(corpus.text.columns)}"
    elif not is_customary(tuple(corpus.text.columns)):
        yield f"the names of the columns are not written: {', '.join(corpus.text.columns)}"
    empty = int(np.count_nonzero(corpus.text.lengths == 0))
    if empty:
        yield f"{empty} sentences without tokens were left out"


def _crowd_losses(corpus: Corpus) -> Iterator[str]:
    crowd = corpus.annotations
    lengths = crowd.lengths[crowd.row_sentences]
    labelled = (
        np.add.reduceat(np.append(crowd.tags >= 0, False), crowd.row_starts) if len(lengths) else lengths
    )
    silent = int(np.count_nonzero((lengths == 0) | (labelled == 0)))
    if silent:
        yield f"{silent} times an annotator labelled nothing in a sentence, which CoNLL reads as not seen"


def write_folder(corpus: Corpus, folder: Path) -> list[str]:
    """One file each; what an annotator did not see is `?`, so that all files have the same sentences."""
    notes: dict[str, None] = {}
    for name, file in file_names(corpus.annotators).items():
        with (folder / f"{file}.conll").open("xb") as out:
            notes.update(dict.fromkeys(write_crowd(corpus, out, [name], gold=False)))
    if corpus.has_gold.any():
        with (folder / "gold.conll").open("xb") as out:
            write_crowd(corpus, out, [])
    if not corpus.annotators and not corpus.has_gold.any():
        raise AnnotationError(
            "nobody labelled anything, a folder with one file for each annotator would be empty"
        )
    return list(notes)


FOLDER_FORMAT = Format(
    name="conll-folder",
    summary="a folder of CoNLL files, one for each annotator, and gold.conll (read as conll)",
    write_folder=write_folder,
)
