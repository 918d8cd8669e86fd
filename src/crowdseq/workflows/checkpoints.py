"""Checkpoint: the last round of a long run on disk, whole or not at all, and only for the same run again."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from crowdseq.aggregation.contract import Aggregator, describe_settings
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.shards import SHARD_TOKENS
from crowdseq.errors import FormatError, Problem, SettingsError

CHECKPOINT_FILE = "checkpoint.safetensors"


@dataclass(frozen=True)
class Checkpoint:
    """A file in the folder where a run is prepared; `run` tells runs with other data or settings apart."""

    folder: Path
    run: str

    @property
    def path(self) -> Path:
        return self.folder / CHECKPOINT_FILE

    def load(self) -> Mapping[str, FloatArray] | None:
        """What was kept last, or None."""
        if not self.path.exists():
            return None
        try:
            with safe_open(self.path, framework="np") as file:
                if (file.metadata() or {}).get("run") != self.run:
                    raise SettingsError(
                        f"{self.path} was kept by a run with other data or settings, start anew with --force"
                    )
                return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except SafetensorError as error:
            raise FormatError(
                Problem(f"is no checkpoint ({error}), start anew with --force", str(self.path))
            ) from None

    def keep(self, arrays: Mapping[str, FloatArray]) -> None:
        """Write beside the file, then put it in its place."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        with part.open("wb") as file:
            file.write(
                save({name: np.ascontiguousarray(value) for name, value in arrays.items()}, {"run": self.run})
            )
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.path)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def fingerprint(corpus: Corpus, recipe: Aggregator, max_memory: float | None = None) -> str:
    """A digest of the recipe, the words and the votes; threads change no number, so they do not count."""
    settings = describe_settings(recipe)
    if settings.get("shard_tokens") == SHARD_TOKENS:  # what fits into one shard is worked on as in 0.1.0
        del settings["shard_tokens"]
    if recipe.can_bound_memory:  # as 0.1.0 wrote it, a setting before the seed: so its checkpoints are known
        seed = settings.pop("seed")
        settings |= {"max_memory": max_memory, "seed": seed}
    digest = hashlib.blake2b(repr((recipe.name, settings)).encode(), digest_size=16)
    crowd = corpus.annotations
    for array in (
        corpus.text.token_ids,
        corpus.offsets,
        corpus.text.document_of,
        corpus.gold_tags,
        crowd.voters,
    ):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(np.ascontiguousarray(crowd.tags).tobytes())
    digest.update("\n".join([*corpus.text.words, *corpus.scheme.tags]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
