"""StoredConsensus: what was settled of a corpus on disk, a file for each shard, written by who holds it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.aggregation.judged_votes import JudgingPart
from crowdseq.aggregation.judging import judge_parts
from crowdseq.aggregation.settling import sharpened
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.engines.engine import Engine
from crowdseq.engines.shard_files import StoredCorpus, StoredShard
from crowdseq.errors import Advice, AnnotationError
from crowdseq.storage.atomic import AtomicFile
from crowdseq.storage.mapped import map_tensors
from crowdseq.storage.tensors import TensorFile, encode_tensors
from crowdseq.tagging.sequence_tagger import SequenceTagger

_AGAIN = Advice("learn it again")
_TAGS, _PROBABILITIES = "tag_ids", "probabilities"


def consensus_path(folder: Path, number: int) -> Path:
    """The file of one shard."""
    return folder / f"consensus-{number:05d}.safetensors"


def write_settled(
    folder: Path, number: int, tag_ids: IntArray, posteriors: FloatArray, **further: NDArray[Any]
) -> None:
    """What is settled of one shard: (T,) tags, (T, M) posteriors, and what else has a row for each token."""
    if not np.isfinite(posteriors).all():
        raise AnnotationError("a method gave posteriors that are not finite numbers")
    content = encode_tensors({_TAGS: tag_ids.astype(np.int16), _PROBABILITIES: posteriors, **further})
    folder.mkdir(parents=True, exist_ok=True)
    with AtomicFile(consensus_path(folder, number), force=True) as file:
        file.write(content)


def read_settled(folder: Path, shard: StoredShard) -> TensorFile:
    """The arrays of one shard, mapped; FormatError names a file that is lost."""
    file = map_tensors(consensus_path(folder, shard.number), _AGAIN)
    file.take(_TAGS, "i2", (shard.tokens,))
    return file


@dataclass(frozen=True, eq=False)
class StoredConsensus:
    """The settled tags of a corpus on disk, with a report on every annotator.

    folder: of the files. parameters: what the method knows of the whole, by name.
    """

    corpus: StoredCorpus
    folder: Path
    annotators: tuple[AnnotatorReport, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    history: tuple[float, ...] = ()

    def __len__(self) -> int:
        return len(self.corpus.shards)

    def part(self, number: int) -> Consensus:
        """One shard as a consensus of its own; reports and parameters are those of the whole."""
        file = read_settled(self.folder, self.corpus.shards[number])
        further = {name: rows for name, rows in file.arrays.items() if name not in (_TAGS, _PROBABILITIES)}
        return Consensus(
            self.corpus.open_shard(number),
            file.arrays[_TAGS],
            file.arrays[_PROBABILITIES],
            self.annotators,
            {**self.parameters, **further},
            self.history,
        )

    def parts(self) -> Iterator[Consensus]:
        """All shards, one after the other."""
        return (self.part(number) for number in range(len(self)))


@dataclass(frozen=True, eq=False)
class StoredLearned:
    """What learning from a corpus on disk gives back."""

    consensus: StoredConsensus
    tagger: SequenceTagger | None


class JudgeShard:
    """The votes of a shard and what is settled of them; temperature: by which that was softened."""

    def __init__(self, folder: Path, temperature: float, shard: StoredShard) -> None:
        self._folder, self._temperature, self._shard = folder, temperature, shard

    @property
    def part(self) -> JudgingPart:
        """Opened when it is asked, so that nothing of it need be kept."""
        file = read_settled(self._folder, self._shard)
        tag_ids = file.arrays[_TAGS]
        posteriors = sharpened(file.arrays[_PROBABILITIES], self._temperature, tag_ids)
        return JudgingPart(self._shard.corpus, posteriors, tag_ids)


def judge_stored(
    stored: StoredCorpus,
    folder: Path,
    engine: Engine,
    *,
    history: tuple[float, ...] = (),
    temperature: float = 1.0,
    **parameters: Any,
) -> StoredConsensus:
    """A report on every annotator, once the files of all shards are written."""
    placed = engine.place(partial(JudgeShard, folder, temperature), stored.shards)
    reports = judge_parts(
        lambda call, *given: placed.each(f"part.{call}", *given),
        stored.facts.annotators,
        stored.facts.scheme.outside,
    )
    told = parameters if temperature == 1.0 else {**parameters, "temperature": temperature}
    return StoredConsensus(stored, folder, reports, told, tuple(history))


def store_consensus(consensus: Consensus, stored: StoredCorpus, folder: Path) -> StoredConsensus:
    """What was settled in memory of a corpus that is one shard."""
    size = consensus.corpus.n_tokens
    further = {
        name: value
        for name, value in consensus.parameters.items()
        if name.endswith("tag_ids") and isinstance(value, np.ndarray) and len(value) == size
    }
    write_settled(folder, 0, consensus.tag_ids, consensus.probabilities, **further)
    told = {name: value for name, value in consensus.parameters.items() if name not in further}
    return StoredConsensus(stored, folder, consensus.annotators, told, consensus.history)
