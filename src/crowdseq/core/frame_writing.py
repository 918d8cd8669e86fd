"""Corpus, consensus and annotators to data frames of the library that the caller uses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.errors import MissingExtraError, SettingsError

_BACKENDS = ("pandas", "polars", "pyarrow")


def frame_of_corpus(corpus: Corpus, backend: str | None) -> Any:
    """What `Corpus.to_frame` gives."""
    crowd, lengths = corpus.annotations, corpus.text.lengths
    silent = np.flatnonzero(corpus.n_voters == 0)
    sentences = np.append(crowd.row_sentences, silent).astype(np.int64)
    voters = np.append(crowd.voters, np.full(len(silent), -1))
    labels = np.append(crowd.tags, np.full(int(lengths[silent].sum()), -1))
    tokens = gather_ranges(corpus.offsets[sentences], lengths[sentences])
    voters = np.repeat(voters, lengths[sentences])
    order = np.argsort(corpus.text.sentence_of[tokens], kind="stable")
    tokens = tokens[order]
    said = {
        "annotator": _named(corpus.annotators, voters[order]),
        "label": _named(corpus.scheme.tags, labels[order]),
    }
    gold = {"gold": _named(corpus.scheme.tags, corpus.gold_tags[tokens])}
    return _frame(_token_columns(corpus, tokens) | said | (gold if corpus.has_gold.any() else {}), backend)


def frame_of_consensus(consensus: Consensus, rows: str, backend: str | None) -> Any:
    """What `Consensus.to_frame` gives."""
    corpus = consensus.corpus
    if rows == "tokens":
        settled = {
            "label": _named(corpus.scheme.tags, consensus.tag_ids),
            "confidence": consensus.token_confidence.tolist(),
        }
        return _frame(_token_columns(corpus, np.arange(corpus.n_tokens)) | settled, backend)
    if rows != "spans":
        raise SettingsError(f"rows cannot be '{rows}', choose tokens or spans")
    found = [*_span_rows(consensus)]
    names = ("sentence", "doc", "start", "end", "label", "text", "confidence")
    columns = {name: [row[place] for row in found] for place, name in enumerate(names)}
    if not _has_documents(corpus):
        del columns["doc"]
    return _frame(columns, backend)


def _span_rows(consensus: Consensus) -> Iterator[tuple[Any, ...]]:
    for sentence, spans in zip(consensus.corpus.sentences, consensus.spans, strict=True):
        for one in spans:
            text = " ".join(sentence.tokens[one.start : one.end])
            yield sentence.id, sentence.doc, one.start, one.end, one.label, text, one.confidence


def frame_of_annotators(reports: Sequence[AnnotatorReport], backend: str | None) -> Any:
    """What `AnnotatorReports.to_frame` gives."""
    columns: dict[str, list[Any]] = {}
    for one in fields(AnnotatorReport):
        values = [getattr(report, one.name) for report in reports]
        if one.name == "interval":
            columns["skill_low"] = [None if value is None else value[0] for value in values]
            columns["skill_high"] = [None if value is None else value[1] for value in values]
        elif one.name not in ("confusion", "evidence"):
            columns[one.name] = [", ".join(value) if isinstance(value, tuple) else value for value in values]
    return _frame(columns, backend)


def _token_columns(corpus: Corpus, tokens: IntArray) -> dict[str, list[Any]]:
    """Sentence, document, position and text of some tokens."""
    text = corpus.text
    sentences = text.sentence_of[tokens]
    columns = {"sentence": _named(text.ids, sentences)}
    if _has_documents(corpus):
        columns["doc"] = _named(text.documents, text.document_of[sentences])
    columns["position"] = (tokens - corpus.offsets[sentences]).tolist()
    columns["token"] = _named(text.words, text.token_ids[tokens])
    return columns


def _has_documents(corpus: Corpus) -> bool:
    return any(name is not None for name in corpus.text.documents)


def _named(names: Sequence[str | None], numbers: IntArray) -> list[Any]:
    """The names of some numbers; -1 has none."""
    table: NDArray[Any] = np.array([*names, None], dtype=object)
    named: list[Any] = table[numbers].tolist()
    return named


def _frame(columns: Mapping[str, list[Any]], backend: str | None) -> Any:
    """Columns as a frame of the library asked for, or of the first that is installed."""
    if backend is not None and backend not in _BACKENDS:
        raise SettingsError(f"backend cannot be '{backend}', choose one of {', '.join(_BACKENDS)}")
    wanted = [backend] if backend else list(_BACKENDS)
    installed = next((name for name in wanted if find_spec(name) is not None), None)
    if installed is None:
        raise SettingsError(f"a data frame needs {' or '.join(wanted)}: pip install {wanted[0]}")
    try:
        import narwhals
    except ImportError:
        raise MissingExtraError("a data frame", "frames") from None
    return narwhals.from_dict(columns, backend=installed).to_native()  # type: ignore[arg-type]
