"""What goes between the driver of SA-SLC's rounds and its shards."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.evaluation.kinship import Kin
from crowdseq.methods.sa_slc.calibration import Softening
from crowdseq.methods.sa_slc.coupling import WordSums


@dataclass(frozen=True, eq=False)
class CrowdFacts:
    """What the votes of all shards tell of the crowd before the first round.

    kin: annotators whose votes count once between them. heard (K,): how much of what others mark each one
    marks too, which is how much their O says. recall: the same of all together, silence being a vote.
    n_marked: tokens that somebody put inside something. plausible: how far tables by plausibility count.
    abstains: whether silence is no vote here. by_rule: whether who marks a word mostly marks it everywhere.
    habits: whether some draw spans wider than others as a rule.
    """

    kin: tuple[Kin, ...]
    heard: FloatArray
    recall: float
    n_marked: int
    plausible: float
    abstains: bool
    by_rule: bool
    habits: bool


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


class Plausible(NamedTuple):
    """How far votes are read by how plausible the text makes an entity, where the truth is taken to be
    outside (marks that are invented), and where it is taken to be inside something (what is missed)."""

    outside: float = 0.0
    inside: float = 0.0


@dataclass(frozen=True)
class Regard:
    """How much the votes count beside the text, how far plausibility counts in them, and how far annotators
    err together."""

    votes: float
    plausible: Plausible
    correlation: float


@dataclass(frozen=True, eq=False)
class Telling:
    """How a belief is told to people: softened, with a charge for spans that nobody drew, and with the labels
    of annotators who are alone (K,) as they stand."""

    softening: Softening
    charge: float | None
    alone: BoolArray


def rows_path(folder: Path, name: int, number: int) -> Path:
    """The file of a belief of one shard."""
    return folder / f"rows-{name:016x}-{number:05d}.safetensors"


@dataclass(frozen=True, eq=False)
class Believed:
    """What a shard tells of a new belief: label pairs (F, M, M), the summed log-partitions over the candidate
    paths and without the votes, and whether every number is finite. foretold: log probability of the votes
    from the text alone, and how many they are; marked: tokens believed to be inside something."""

    pairs: FloatArray
    clamped: float
    free: float
    is_sound: bool
    marked: float
    foretold: tuple[float, float] = (0.0, 0.0)
