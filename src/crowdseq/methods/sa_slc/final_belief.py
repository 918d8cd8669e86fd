"""FinalBelief: what the rounds of SA-SLC end with, and the tagger that is trained on it."""

from dataclasses import dataclass

from crowdseq.arrays import FloatArray
from crowdseq.engines.engine import Placed
from crowdseq.engines.shards import Cut, Version
from crowdseq.methods.sa_slc.shard import SaSlcShard
from crowdseq.tagging.crf import CrfTrainer, check_weights
from crowdseq.tagging.summed_crf import SummedCrf
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.weight_frame import ChainRules


@dataclass(frozen=True, eq=False)
class FinalBelief:
    """A version of the belief that the shards hold, and its label pairs (M, M)."""

    cut: Cut
    placed: Placed[SaSlcShard]
    version: Version
    pairs: FloatArray

    def train(self, trainer: CrfTrainer, max_memory: float | None = None) -> Tagger:
        """A tagger of its own on what is believed; the shards make no more rounds after it."""
        scheme, features = self.cut.facts.scheme, trainer.feature_settings
        rules = ChainRules.of_scheme(scheme)
        self.placed.each("open_tagger", rules, features, self.version.number)
        crf = SummedCrf.build(self.placed, "tagger", len(self.cut.shards), rules, features)
        check_weights(crf, max_memory)
        aims = self.placed.each("aim_tagger")
        return trainer.fit_shards(crf, aims, self.pairs, scheme)
