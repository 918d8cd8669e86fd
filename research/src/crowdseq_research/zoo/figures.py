"""What is measured of a consensus, and what tells a crowd from another."""

import hashlib
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.calibration import entity_tokens, measure_calibration
from crowdseq.evaluation.scores import score_tags


def consensus_figures(consensus: Consensus) -> dict[str, Any]:
    """score: strict span F1, or accuracy of tags without spans; numbers of tokens settled, drawn and gold."""
    corpus = consensus.corpus
    known = corpus.gold_tags >= 0
    right = consensus.tag_ids == corpus.gold_tags
    if _is_plain(corpus):
        error = measure_calibration(consensus.token_confidence[known], right[known]).error
        return {"score": float(right[known].mean()), "calibration": error}
    scores = score_tags(corpus.gold_tags, consensus.tag_ids, corpus.offsets, corpus.scheme)
    counted = known & entity_tokens(corpus.gold_tags, consensus.tag_ids, corpus.scheme)
    error = (
        measure_calibration(consensus.token_confidence[counted], right[counted]).error
        if counted.any()
        else None
    )
    return {
        "score": scores.f1 or 0.0,
        "precision": scores.precision,
        "recall": scores.recall,
        "calibration": error,
        "settled_tokens": int(_marked(consensus.tag_ids, corpus).sum()),
        "drawn_tokens": int(_marked(corpus.annotations.tags, corpus).sum()),
        "gold_tokens": int(_marked(corpus.gold_tags, corpus).sum()),
    }


def part_scores(consensus: Consensus) -> dict[str, Any]:
    """The same score on the parts of a crowd that has several, by their names."""
    corpus = consensus.corpus
    parts = [sentence.extras.get("split") for sentence in corpus.sentences]
    names = sorted({str(part) for part in parts if part is not None})
    if len(names) < 2:
        return {}
    found = {}
    for name in names:
        kept = np.repeat(np.array([part == name for part in parts]), corpus.text.lengths)
        gold = np.where(kept, corpus.gold_tags, np.int16(-1))
        found[name] = score_tags(gold, consensus.tag_ids, corpus.offsets, corpus.scheme).f1 or 0.0
    return {"parts": found}


def likeness(consensus: Consensus, other: Consensus) -> float:
    """Span F1 of one consensus against another of the same crowd; of plain tags the share of equal ones."""
    corpus = consensus.corpus
    if _is_plain(corpus):
        return float((consensus.tag_ids == other.tag_ids).mean())
    scores = score_tags(other.tag_ids, consensus.tag_ids, corpus.offsets, corpus.scheme)
    return 1.0 if scores.f1 is None else scores.f1


def crowd_digest(crowd: Corpus) -> str:
    """16 hexadecimal digits of text, labels and gold: other data give other digits."""
    digest = hashlib.sha256("\n".join("\t".join(tokens) for tokens in crowd.text.tokens).encode())
    digest.update("\n".join((*crowd.scheme.tags, *crowd.annotators)).encode())
    for array in (crowd.annotations.voters, crowd.annotations.tags, crowd.gold_tags):
        digest.update(np.ascontiguousarray(array, np.int64).tobytes())
    return digest.hexdigest()[:16]


def _is_plain(corpus: Corpus) -> bool:
    return corpus.scheme.outside < 0 or corpus.scheme.is_plain


def _marked(tags: IntArray, corpus: Corpus) -> BoolArray:
    return np.isin(tags, np.flatnonzero(corpus.scheme.type_ids >= 0))
