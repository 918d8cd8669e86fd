"""TargetShard: a shard on disk that a tagger is trained on."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import asks_only
from crowdseq.tagging.chunks import Chain
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.summed_crf import Aim, CrfPart
from crowdseq.tagging.targets import Targets, checked_tags
from crowdseq.tagging.weight_frame import ChainRules

if TYPE_CHECKING:
    from crowdseq.engines.shard_files import StoredShard

WantedOf: TypeAlias = "Callable[[StoredShard], tuple[Corpus, IntArray | Targets]]"


class TargetShard:
    """A shard on disk with nothing but a CRF, and what it is trained towards."""

    crf: CrfPart

    def __init__(self, trainer: CrfTrainer, wanted: WantedOf, shard: "StoredShard") -> None:
        self._trainer = trainer
        self._corpus, self._targets = wanted(shard)

    @asks_only
    def kind(self) -> str:
        """Of the targets: `soft`, or hard and `valid` or not."""
        if isinstance(self._targets, Targets):
            return "soft"
        tags = checked_tags(self._targets, self._corpus)
        return "valid" if self._corpus.scheme.is_valid(tags, self._corpus.offsets) else "broken"

    def open(self, chain: Chain) -> FloatArray:
        """In the labels of a chain; (M, M) wanted label pairs."""
        wanted, self._weights = self._trainer.wanted(self._corpus, self._targets, None, chain)
        self._unary = wanted.unary
        rules = ChainRules(chain.allowed, chain.starts, chain.ends)
        self.crf = CrfPart(self._corpus.text, rules, self._trainer.feature_settings, wanted.unary)
        return wanted.edges(self._weights)

    def aim(self) -> Aim:
        """Towards them."""
        return self.crf.aim(self._unary, self._weights)
