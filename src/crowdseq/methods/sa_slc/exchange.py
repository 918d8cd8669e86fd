"""What goes between the driver of SA-SLC's rounds and its shards."""

from dataclasses import dataclass

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.methods.sa_slc.coupling import WordSums


@dataclass(frozen=True, eq=False)
class Opened:
    """What a shard brings: kinds of votes (C, …), its words, and how many candidates its tokens have."""

    kinds: IntArray
    words: IntArray
    n_candidates: int
    widened: int


@dataclass(frozen=True, eq=False)
class RoundSums:
    """What a round needs to know of a shard.

    counts (C, M): expected counts of the kinds of votes. apart_kinds, apart_counts: the same by how plausible
    an entity is. spans: believed, expected from the text, and both. words: see WordSums.
    """

    counts: FloatArray
    apart_kinds: IntArray | None
    apart_counts: FloatArray | None
    spans: IntArray
    words: WordSums | None


@dataclass(frozen=True, eq=False)
class RoundTables:
    """What a shard is told: (C, M) log probabilities of its kinds of votes, and of its words everywhere."""

    alike: FloatArray
    apart: FloatArray | None = None
    words: WordSums | None = None


@dataclass(frozen=True, eq=False)
class Believed:
    """What a shard tells of a new belief: label pairs (F, M, M), the summed log-partitions over the candidate
    paths and without the votes, and whether every number is finite."""

    pairs: FloatArray
    clamped: float
    free: float
    is_sound: bool
