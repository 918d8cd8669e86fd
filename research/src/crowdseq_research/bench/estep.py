"""The speed of an E-step: votes folded into scores, and the sums over label paths."""

from typing import Any

import numpy as np

from crowdseq.aggregation.settling import scheme_scores
from crowdseq.aggregation.voting import label_shares
from crowdseq.numerics.chains.candidates import candidate_mask, with_paths
from crowdseq.numerics.chains.pruned_chain import CandidateLists, pruned_marginals
from crowdseq.numerics.crowds.votes import VoteTable
from crowdseq_research.bench.methods import made_up_crowd
from crowdseq_research.bench.timing import interleave

MUST, AIM = 3.0, 5.0


def estep_rows(repeats: int = 5) -> list[dict[str, Any]]:
    """Millions of tokens a second on one thread, with all labels as candidates and with those voted for."""
    corpus = made_up_crowd()
    votes, n_labels = corpus.annotations.votes(), len(corpus.scheme)
    kinds = votes.annotators.astype(np.int64) * n_labels + votes.labels
    table = VoteTable.build(votes.tokens, kinds, corpus.n_tokens, len(corpus.annotators) * n_labels)
    rng = np.random.default_rng(0)
    rows = np.log(rng.dirichlet(np.ones(n_labels), table.n_kinds))
    scores = rng.normal(0.0, 1.0, (corpus.n_tokens, n_labels))
    transitions, starts, ends = scheme_scores(corpus.scheme)
    scheme, groups = corpus.scheme, np.zeros(len(corpus), np.int64)
    masks = {
        "all labels": np.ones(scores.shape, np.bool_),
        "labels voted for": candidate_mask(label_shares(corpus), "paper", upper=np.inf, lower=0.0),
    }
    found = []
    for name, mask in masks.items():
        kept = with_paths(mask, corpus.offsets, scheme.allowed, scheme.starts, scheme.ends)
        lists = CandidateLists.of_mask(kept.mask, corpus.offsets)

        def run(lists: CandidateLists = lists) -> None:
            pruned_marginals(lists, scores + table.fold(rows), transitions[None], starts, ends, groups)

        run()
        seconds = interleave([run], repeats)[0].cpu
        found.append(
            {
                "labels": name,
                "per_token": round(kept.per_token, 2),
                "million_tokens_per_second": round(corpus.n_tokens / seconds / 1e6, 2),
                "must": MUST,
                "aim": AIM,
            }
        )
    return found
