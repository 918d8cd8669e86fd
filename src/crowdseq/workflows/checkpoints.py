"""Checkpoint: the last round of a long run on disk, whole or not at all, and only for the same run again."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crowdseq.aggregation.contract import Aggregator, describe_settings
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.shards import SHARD_TOKENS
from crowdseq.errors import Advice, SettingsError
from crowdseq.storage.atomic import AtomicFile, cannot_write
from crowdseq.storage.tensors import TensorFile, encode_tensors, read_tensors

if TYPE_CHECKING:
    from crowdseq.engines.shard_files import StoredCorpus

CHECKPOINT_FILE = "checkpoint.safetensors"
_DIGEST = "sha256"
# Python callers name the folder of rounds themselves, and `learn` removes nothing for them.
START_ANEW = Advice("start anew with {force}", force="").or_in_python(
    "remove it to start anew, or name another folder as checkpoints="
)


@dataclass(frozen=True)
class Checkpoint:
    """A file in the folder where a run is prepared; `run` tells runs with other data or settings apart."""

    folder: Path
    run: str

    @property
    def path(self) -> Path:
        return self.folder / CHECKPOINT_FILE

    def load(self) -> Mapping[str, FloatArray] | None:
        """What was kept last, or None; a file that is not as it was kept gives a FormatError."""
        if not self.path.exists():
            return None
        file = read_tensors(self.path, START_ANEW)
        if "run" not in file.texts:
            raise file.fault("is no checkpoint of crowdseq")
        if file.texts["run"] != self.run:
            raise SettingsError(f"{self.path} was kept by a run with other data or settings", START_ANEW)
        if _DIGEST in file.texts:
            if file.texts[_DIGEST] != _digest(file.arrays):
                raise file.fault("was changed or damaged after it was kept")
        else:
            _check_old(file)
        return file.arrays

    def keep(self, arrays: Mapping[str, FloatArray]) -> None:
        """Replace what was kept before."""
        content = encode_tensors(arrays, {"run": self.run, _DIGEST: _digest(arrays)})
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(str(self.folder), error) from None
        with AtomicFile(self.path, force=True) as file:
            file.write(content)


def _digest(arrays: Mapping[str, FloatArray]) -> str:
    """Of every name, kind, shape and number."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(repr((name, array.dtype.str, array.shape)).encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _check_old(file: TensorFile) -> None:
    """Checkpoints of crowdseq 0.1.0 have no digest; only sa-slc kept any, and these are their arrays."""
    prefixes = ("", "best_") if any(name.startswith("best_") for name in file.arrays) else ("",)
    for prefix in prefixes:
        beliefs = file.take(f"{prefix}unary", "f8", (None, None))
        n_labels = beliefs.shape[1]
        file.take(f"{prefix}said", "f8", beliefs.shape)
        folds = len(file.take(f"{prefix}pairwise", "f8", (None, n_labels, n_labels)))
        file.take(f"{prefix}weights", "f8", (folds, None))
        file.take(f"{prefix}history", "f8", (None,))
    if "best_" in prefixes:
        file.take("best_score", "f8", (1,))
    for name, array in file.arrays.items():
        # Only what the votes say of a label may be impossible.
        lowest = -np.inf if name.endswith("said") else np.finfo(np.float64).min
        if not ((array >= lowest) & (array < np.inf)).all():
            raise file.fault(f"tensor '{name}' holds what is no number")


def fingerprint(
    corpus: Corpus, recipe: Aggregator, max_memory: float | None = None, knowledge: object = None
) -> str:
    """A digest of the recipe, the words and the votes; threads change no number, so they do not count."""
    digest = _of_recipe(recipe, corpus.n_tokens, max_memory, knowledge)
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


def stored_fingerprint(
    stored: "StoredCorpus", recipe: Aggregator, max_memory: float | None = None, knowledge: object = None
) -> str:
    """The same of a corpus on disk."""
    digest = _of_recipe(recipe, stored.facts.n_tokens, max_memory, knowledge)
    digest.update(stored.fingerprint.encode())
    return digest.hexdigest()


def _of_recipe(
    recipe: Aggregator, n_tokens: int, max_memory: float | None, knowledge: object
) -> "hashlib.blake2b":
    settings = describe_settings(recipe)
    # What fits into one shard is worked on as in 0.1.0; a cut changes the order of the weights.
    if settings.get("shard_tokens") == SHARD_TOKENS and n_tokens <= SHARD_TOKENS:
        del settings["shard_tokens"]
    if settings.get("preset") == "0.1":  # which was the default then
        settings["preset"] = "default"
    for name, value in recipe.later_settings.items():
        if settings[name] == value:
            del settings[name]
    if recipe.name == "sa-slc":  # as 0.1.0 wrote it, a setting before the seed: so its checkpoints are known
        seed = settings.pop("seed")
        settings |= {"max_memory": max_memory, "seed": seed}
    digest = hashlib.blake2b(repr((recipe.name, settings)).encode(), digest_size=16)
    if knowledge is not None:
        digest.update(repr(knowledge).encode("utf-8", "surrogatepass"))
    return digest
