"""The tagger that follows a plain method."""

from typing import TYPE_CHECKING

import numpy as np

from crowdseq.aggregation.contract import (
    RunContext,
)
from crowdseq.aggregation.settling import scheme_scores
from crowdseq.core.consensus import Consensus
from crowdseq.numerics.chains.chain import Lattice, marginals
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.sequence_tagger import SequenceTagger
from crowdseq.tagging.targets import Targets

if TYPE_CHECKING:
    pass


def train_tagger(
    consensus: Consensus, targets: str, trainer: CrfTrainer, context: RunContext = RunContext()
) -> SequenceTagger:
    """The CRF on the settled tags of a consensus, or on its posteriors."""
    corpus = consensus.corpus
    context.progress("training the tagger", 0, 1)
    wanted = consensus.tag_ids if targets == "hard" else soft_targets(consensus)
    tagger = trainer.fit(corpus, wanted, engine=context.engine)
    context.progress("training the tagger", 1, 1)
    return tagger


def soft_targets(consensus: Consensus) -> Targets:
    """Posteriors of single tokens made into those of a chain that keeps the rules of the scheme."""
    corpus = consensus.corpus
    scores = np.log(np.maximum(consensus.probabilities, np.finfo(np.float64).tiny))
    chain = marginals(Lattice(scores, corpus.offsets, *scheme_scores(corpus.scheme)))
    return Targets(chain.unary, chain.pairwise)
