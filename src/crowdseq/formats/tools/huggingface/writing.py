"""Corpora as Parquet: rows of a dataset as Hugging Face reads them, or a long table."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.formats.conventions.names import AGREED, agreements
from crowdseq.formats.table_io.arrow import FEATURES_KEY, library
from crowdseq.formats.table_io.long_rows import losses, rows_of
from crowdseq.formats.tools.huggingface.rows import ANNOTATOR, TAGS, TOKENS

DATA_FILE = "data/train-00000-of-00001.parquet"
_ROWS_AT_A_TIME = 4096


def write_dataset(corpus: Corpus, out: BinaryIO) -> list[str]:
    """A row for each sentence and annotator; a row without annotator is gold, or only text."""
    arrow = library()
    text, numbers = arrow.string(), arrow.list_(arrow.int64())
    fields = {"id": text, "doc": text, TOKENS: arrow.list_(text), TAGS: numbers, ANNOTATOR: text}
    schema = arrow.schema(
        list(fields.items()), metadata={FEATURES_KEY: _features(corpus.scheme.tags, fields)}
    )
    _write(arrow, schema, _dataset_rows(corpus), out)
    return _dataset_losses(corpus)


def _dataset_rows(corpus: Corpus) -> Iterator[dict[str, Any]]:
    for number, sentence in enumerate(corpus.sentences):
        row = {"id": sentence.id, "doc": sentence.doc, TOKENS: list(sentence.tokens), ANNOTATOR: None}
        ballot = corpus.annotations.ballots[number]
        if corpus.has_gold[number] or not len(ballot.voters):
            gold = corpus.gold_tags[corpus.offsets[number] : corpus.offsets[number + 1]].tolist()
            yield row | {TAGS: _numbers(gold) if corpus.has_gold[number] else None}
        for who, tags in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True):
            yield row | {TAGS: _numbers(tags), ANNOTATOR: corpus.annotators[who]}


def _numbers(tags: list[int]) -> list[int | None]:
    return [None if tag < 0 else tag for tag in tags]


def _features(tags: tuple[str, ...], columns: Iterable[str]) -> bytes:
    """The note by which Hugging Face's library knows the names of numbered labels."""
    value: dict[str, Any] = {"dtype": "string", "_type": "Value"}
    words = {"feature": value, "_type": "Sequence"}
    known = {
        TOKENS: words,
        TAGS: {"feature": {"names": list(tags), "_type": "ClassLabel"}, "_type": "Sequence"},
        "confidence": {"feature": {"dtype": "float64", "_type": "Value"}, "_type": "Sequence"},
        "agreed": {"feature": words, "_type": "Sequence"},
    }
    features = {column: known.get(column, value) for column in columns}
    return json.dumps({"info": {"features": features}}).encode()


def _dataset_losses(corpus: Corpus) -> list[str]:
    keys = sorted({key for extras in corpus.text.extras.values() for key in extras})
    made = []
    for what, names in (("extra keys", keys), ("columns", list(corpus.text.columns))):
        if names:
            made.append(f"{what} have no place in these rows and were left out: {', '.join(names)}")
    return made


def write_consensus(consensus: Consensus, out: BinaryIO) -> list[str]:
    """A row for each sentence: settled tags, the confidence of each, and who gave the token the same tag."""
    arrow, corpus = library(), consensus.corpus
    text = arrow.string()
    fields = {
        "id": text,
        "doc": text,
        TOKENS: arrow.list_(text),
        TAGS: arrow.list_(arrow.int64()),
        "confidence": arrow.list_(arrow.float64()),
        AGREED: arrow.list_(arrow.list_(text)),
    }
    schema = arrow.schema(
        list(fields.items()), metadata={FEATURES_KEY: _features(corpus.scheme.tags, fields)}
    )
    _write(arrow, schema, _consensus_rows(consensus), out)
    return _dataset_losses(corpus)


def _consensus_rows(consensus: Consensus) -> Iterator[dict[str, Any]]:
    corpus = consensus.corpus
    named = agreements(consensus)
    for number, sentence in enumerate(corpus.sentences):
        part = slice(*corpus.offsets[number : number + 2].tolist())
        yield {
            "id": sentence.id,
            "doc": sentence.doc,
            TOKENS: list(sentence.tokens),
            TAGS: consensus.tag_ids[part].tolist(),
            "confidence": consensus.token_confidence[part].tolist(),
            AGREED: next(named),
        }


def write_long(corpus: Corpus, out: BinaryIO) -> list[str]:
    """task, worker, label, token, doc, gold; who and what are null for a token that nobody labelled."""
    arrow = library()
    names = ("task", "worker", "label", "token", "doc", "gold")
    rows = (
        dict(
            zip(
                names,
                (f"{r.sentence}:{r.token_number}", r.annotator, r.label, r.token, r.doc, r.gold),
                strict=True,
            )
        )
        for r in rows_of(corpus)
    )
    _write(arrow, arrow.schema([(name, arrow.string()) for name in names]), rows, out)
    return losses(corpus)


def write_dataset_folder(corpus: Corpus, folder: Path) -> list[str]:
    """A folder that `load_dataset` takes by its name."""
    path = folder / DATA_FILE
    path.parent.mkdir()
    with path.open("xb") as out:
        return write_dataset(corpus, out)


def write_consensus_folder(consensus: Consensus, folder: Path) -> list[str]:
    """The same for a consensus."""
    path = folder / DATA_FILE
    path.parent.mkdir()
    with path.open("xb") as out:
        return write_consensus(consensus, out)


def _write(arrow: Any, schema: Any, rows: Iterator[dict[str, Any]], out: BinaryIO) -> None:
    with arrow.parquet.ParquetWriter(out, schema) as writer:
        held: list[dict[str, Any]] = []
        for row in rows:
            held.append(row)
            if len(held) == _ROWS_AT_A_TIME:
                _flush(arrow, schema, held, writer)
        _flush(arrow, schema, held, writer)


def _flush(arrow: Any, schema: Any, held: list[dict[str, Any]], writer: Any) -> None:
    try:
        writer.write_table(arrow.Table.from_pylist(held, schema))
    except UnicodeEncodeError:
        raise AnnotationError("a text holds half a character (a lone surrogate), correct it") from None
    held.clear()
