"""How the cost of one evaluation grows with tokens and with labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.tagging.problem import CrfProblem, Objective
from crowdseq.tagging.streams import Passage
from crowdseq.tagging.targets import Targets
from crowdseq.tagging.weight_frame import ChainRules
from crowdseq_research.bench.rivals import BENCH_FEATURES
from crowdseq_research.bench.timing import interleave

_SHARES = (0.25, 0.5, 1.0)
_TYPE_COUNTS = (1, 4, 10, 20)  # 3, 9, 21 and 41 labels


def token_growth(corpus: Corpus, repeats: int) -> list[dict[str, Any]]:
    """Nanoseconds a token of one evaluation on a quarter, a half and the whole of the text."""
    parts = [corpus.select(np.arange(int(len(corpus) * share))) for share in _SHARES]
    objectives = [_objective(part, part.gold_tags, part.scheme) for part in parts]
    return _measure(objectives, [part.n_tokens for part in parts], repeats)


def label_growth(corpus: Corpus, repeats: int) -> list[dict[str, Any]]:
    """The same on a quarter of the text for 3, 9, 21 and 41 labels."""
    part = corpus.select(np.arange(len(corpus) // 4))
    objectives = []
    for count in _TYPE_COUNTS:
        scheme = LabelScheme.of_types([f"T{number:02}" for number in range(count)])
        objectives.append(_objective(part, _retyped(part, scheme), scheme))
    return _measure(objectives, [part.n_tokens] * len(objectives), repeats)


def _objective(corpus: Corpus, tags: IntArray, scheme: LabelScheme) -> Objective:
    targets = Targets.of_tags(tags, corpus.offsets, len(scheme))
    rules = ChainRules(scheme.allowed, scheme.starts, scheme.ends)
    problem = CrfProblem.build(Passage.of_text(corpus.text), rules, BENCH_FEATURES, targets.unary)
    return problem.objective(targets)


def _measure(objectives: Sequence[Objective], tokens: Sequence[int], repeats: int) -> list[dict[str, Any]]:
    weights: list[FloatArray] = [np.zeros(objective.frame.n_weights) for objective in objectives]
    jobs = [
        lambda objective=objective, start=start: objective(start)
        for objective, start in zip(objectives, weights, strict=True)
    ]
    interleave(jobs, 1)
    timings = interleave(jobs, max(repeats, 3))
    return [
        {
            "tokens": count,
            "labels": objective.frame.n_labels,
            "ns_per_token": round(1e9 * timing.cpu / count),
        }
        for objective, timing, count in zip(objectives, timings, tokens, strict=True)
    ]


def _retyped(corpus: Corpus, scheme: LabelScheme) -> IntArray:
    """The same spans with other types: an entity's type follows from the number of its first word."""
    n_types = (len(scheme) - 1) // 2
    begins = np.isin(
        corpus.gold_tags, [i for i, tag in enumerate(corpus.scheme.tags) if tag.startswith("B-")]
    )
    inside = corpus.gold_tags != corpus.scheme.outside
    entity = np.maximum.accumulate(np.where(begins, np.arange(corpus.n_tokens), 0))
    kind = corpus.text.token_ids[entity] % n_types
    names = [scheme.index[f"B-T{number:02}"] for number in range(n_types)]
    inner = [scheme.index[f"I-T{number:02}"] for number in range(n_types)]
    tags = np.where(begins, np.array(names)[kind], np.where(inside, np.array(inner)[kind], scheme.outside))
    return tags.astype(np.int16)
