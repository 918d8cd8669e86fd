"""A CRF tagger on disk: model.json and weights.safetensors; opening them runs no code."""

import hashlib
import json
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_safetensors

from crowdseq.arrays import FloatArray
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import offsets_of
from crowdseq.errors import CrowdseqError, FormatError, Problem, SettingsError
from crowdseq.tagging.chunks import BORDERS, Chain
from crowdseq.tagging.features import FeatureSettings
from crowdseq.tagging.scoring import StreamWeights
from crowdseq.tagging.tagger import Tagger

MODEL, WEIGHTS = "model.json", "weights.safetensors"
FORMAT, VERSION = "crowdseq-tagger", 1
DIGEST, KNOWLEDGE = "description_sha256", "knowledge"
_LARGEST_WEIGHTS_FILE = 16 * 2**30
# Words may hold half a surrogate pair; they must come back as they were.
_ENCODING = ("utf-8", "surrogatepass")


def holds(tagger: object) -> bool:
    """Whether this format has room for such a tagger; a kind with more to it has a format of its own."""
    return type(tagger) is Tagger


def tagger_files(tagger: Tagger) -> dict[str, bytes]:
    """The two files by name."""
    if tagger.features.function is not None:
        raise SettingsError(
            "a tagger with its own feature function cannot be saved: code does not go into files"
        )
    tensors, sources = _tensors(tagger), tagger.features.knowledge
    blob = to_safetensors(tensors | _knowledge().tensors(sources) if sources else tensors)
    content = _description(tagger, hashlib.sha256(blob).hexdigest())
    content |= {KNOWLEDGE: _knowledge().describe(sources)} if sources else {}
    content[DIGEST] = description_digest(content)
    return {WEIGHTS: blob, MODEL: json.dumps(content, indent=1, ensure_ascii=True).encode()}


def load(folder: Path, content: dict[str, Any]) -> Tagger:
    """The tagger of a folder, given what its model.json holds; anything wrong gives a FormatError."""
    description = _Description.of(content, folder / MODEL)
    weights = folder / WEIGHTS
    _check_weights_file(weights, description.digest)
    try:
        with safe_open(str(weights), framework="numpy") as tensors:
            found = _Tensors(tensors, weights)
            return _assemble(_with_knowledge(description, content.get(KNOWLEDGE), found), found)
    except SafetensorError as error:
        raise _fault(weights, f"not a whole safetensors file ({error}), save the tagger again") from None


def description_digest(content: dict[str, Any]) -> str:
    """The SHA-256 of a description, whatever its spacing, itself aside."""
    rest = {key: value for key, value in content.items() if key != DIGEST}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _description(tagger: Tagger, digest: str) -> dict[str, Any]:
    features = tagger.features
    return {
        "format": FORMAT,
        "version": VERSION,
        "scheme": {"kind": tagger.scheme.kind, "tags": list(tagger.scheme.tags)},
        "chain": {"kind": tagger.chain.kind, "tags": list(tagger.chain.tags)},
        "features": {
            "windows": {name: list(offsets) for name, offsets in features.windows.items()},
            "pairs": {name: list(offsets) for name, offsets in features.pairs.items()},
            "edges": list(features.edges),
            "columns": list(features.columns),
            "column_offsets": list(features.column_offsets),
            "document": features.document,
            "min_count": features.min_count,
            "pair_min_count": features.pair_min_count,
        },
        "streams": [
            {
                "name": stream.name,
                "offsets": list(stream.offsets),
                "pieces": len(stream.pieces),
                "pairs": len(stream.pair_labels),
            }
            for stream in tagger.streams
        ],
        "weights_sha256": digest,
    }


def _tensors(tagger: Tagger) -> dict[str, NDArray[Any]]:
    tensors: dict[str, NDArray[Any]] = {"transitions": np.array(tagger.transitions)}
    for number, stream in enumerate(tagger.streams):
        encoded = [piece.encode(*_ENCODING) for piece in stream.pieces]
        tensors[f"{number}.text"] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        tensors[f"{number}.lengths"] = np.array([len(piece) for piece in encoded], dtype=np.int32)
        tensors[f"{number}.counts"] = np.diff(stream.pair_bounds).astype(np.int32)
        tensors[f"{number}.labels"] = np.ascontiguousarray(stream.pair_labels, dtype=np.int16)
        tensors[f"{number}.weights"] = np.ascontiguousarray(stream.pair_weights)
    return tensors


@dataclass(frozen=True)
class _StreamEntry:
    name: str
    offsets: tuple[int, ...]
    n_pieces: int
    n_pairs: int


@dataclass(frozen=True)
class _Description:
    """model.json, checked."""

    path: Path
    scheme: LabelScheme
    chain: Chain
    features: FeatureSettings
    streams: tuple[_StreamEntry, ...]
    digest: str

    @classmethod
    def of(cls, content: dict[str, Any], path: Path) -> "_Description":
        version = content.get("version")
        if version != VERSION:
            raise _fault(
                path, f"version {version!r} of the tagger format; this crowdseq reads version {VERSION}"
            )
        # Files of crowdseq 0.1.0 have no digest of their description.
        if content.get(DIGEST, description_digest(content)) != description_digest(content):
            raise _fault(path, "was changed after it was written, save the tagger again")
        try:
            scheme, chain = _scheme(content["scheme"]), _chain(content.get("chain", content["scheme"]))
            features = _features(content["features"])
            streams = tuple(_stream_entry(entry) for entry in content["streams"])
            return cls(path, scheme, chain, features, streams, str(content["weights_sha256"]))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise _fault(
                path, f"a part of the description is missing or of the wrong kind ({error!r})"
            ) from None
        except CrowdseqError as error:
            raise _fault(path, str(error)) from None


def _scheme(content: dict[str, Any]) -> LabelScheme:
    return LabelScheme(_texts(content["tags"]), str(content["kind"]))


def _chain(content: dict[str, Any]) -> Chain:
    if content["kind"] != BORDERS:
        return Chain(_scheme(content))
    tags = _texts(content["tags"])
    chain = Chain(LabelScheme(tags[:-2], "BIOES"), borders=True)
    if chain.tags != tags:
        raise ValueError(f"labels {', '.join(tags)} for a chain of the kind {BORDERS}")
    return chain


def _features(content: dict[str, Any]) -> FeatureSettings:
    return FeatureSettings(
        windows={str(name): _numbers(offsets) for name, offsets in content["windows"].items()},
        pairs={str(name): _numbers(offsets) for name, offsets in content["pairs"].items()},
        edges=_numbers(content["edges"]),
        columns=_texts(content["columns"]),
        column_offsets=_numbers(content["column_offsets"]),
        document=bool(content["document"]),
        min_count=int(content["min_count"]),
        pair_min_count=int(content["pair_min_count"]),
    )


def _stream_entry(entry: dict[str, Any]) -> _StreamEntry:
    offsets = _numbers(entry["offsets"])
    n_pieces, n_pairs = _numbers([entry["pieces"], entry["pairs"]])
    if min(n_pieces, n_pairs) < 0 or not offsets or max(map(abs, offsets)) > 100:
        raise ValueError(f"a stream of {n_pieces} pieces and {n_pairs} pairs at {offsets}")
    return _StreamEntry(str(entry["name"]), offsets, n_pieces, n_pairs)


def _numbers(values: Any) -> tuple[int, ...]:
    if not isinstance(values, list) or not all(type(value) is int for value in values):
        raise TypeError(f"expected whole numbers, found {values!r:.60}")
    return tuple(values)


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"expected texts, found {values!r:.60}")
    return tuple(values)


def _check_weights_file(path: Path, digest: str) -> None:
    try:
        _check_regular(path)
        if path.stat().st_size > _LARGEST_WEIGHTS_FILE:
            raise _fault(path, f"larger than {_LARGEST_WEIGHTS_FILE} bytes")
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _fault(path, f"cannot be read ({error.strerror}), save the tagger again") from None
    if found != digest:
        raise _fault(path, f"does not belong to {MODEL} (cut short or changed), save the tagger again")


@dataclass(frozen=True)
class _Tensors:
    """Tensors by name, each checked for type and size before memory is set aside for it."""

    file: Any
    path: Path

    def take(self, name: str, kind: str, shape: tuple[int, ...] | None) -> NDArray[Any]:
        if name not in self.file.keys():  # noqa: SIM118  the reader is no mapping
            raise _fault(self.path, f"tensor '{name}' is missing, save the tagger again")
        part = self.file.get_slice(name)
        if part.get_dtype() != kind or (shape is not None and tuple(part.get_shape()) != shape):
            raise _fault(
                self.path,
                f"tensor '{name}' is {part.get_dtype()} {part.get_shape()}, expected {kind} {shape}",
            )
        found: NDArray[Any] = self.file.get_tensor(name)
        return found


def _with_knowledge(description: _Description, content: Any, tensors: _Tensors) -> _Description:
    if not content:
        return description
    try:
        sources = _knowledge().read(content, lambda name: tensors.take(name, "U8", None))
        return replace(description, features=replace(description.features, knowledge=sources))
    except (KeyError, TypeError, ValueError, SettingsError) as error:
        raise _fault(description.path, f"what it knows of words cannot be read ({error})") from None


def _assemble(description: _Description, tensors: _Tensors) -> Tagger:
    n_labels = len(description.chain)
    transitions = tensors.take("transitions", "F64", (n_labels, n_labels))
    allowed = description.chain.allowed
    if not (np.isfinite(transitions[allowed]).all() and np.isneginf(transitions[~allowed]).all()):
        raise _fault(
            tensors.path, "transition weights are not finite where the scheme allows, -inf elsewhere"
        )
    streams = tuple(
        _stream(entry, number, n_labels, tensors) for number, entry in enumerate(description.streams)
    )
    try:
        return Tagger(description.scheme, description.features, streams, transitions, description.chain)
    except CrowdseqError as error:
        raise _fault(description.path, str(error)) from None


def _stream(entry: _StreamEntry, number: int, n_labels: int, tensors: _Tensors) -> StreamWeights:
    counts = tensors.take(f"{number}.counts", "I32", (entry.n_pieces * len(entry.offsets),))
    labels = tensors.take(f"{number}.labels", "I16", (entry.n_pairs,))
    weights: FloatArray = tensors.take(f"{number}.weights", "F64", (entry.n_pairs,))
    lengths = tensors.take(f"{number}.lengths", "I32", (entry.n_pieces,))
    text = tensors.take(f"{number}.text", "U8", None)
    bounds = offsets_of(counts)
    ends = offsets_of(lengths)
    if (counts < 0).any() or (lengths < 0).any() or bounds[-1] != entry.n_pairs or ends[-1] != len(text):
        raise _fault(tensors.path, f"the sizes of stream '{entry.name}' do not add up, save the tagger again")
    if len(labels) and (labels.min() < 0 or labels.max() >= n_labels):
        raise _fault(tensors.path, f"stream '{entry.name}' has a label outside the scheme")
    if not np.isfinite(weights).all():
        raise _fault(tensors.path, f"stream '{entry.name}' has a weight that is no number")
    return StreamWeights(
        entry.name,
        entry.offsets,
        _pieces(text.tobytes(), ends.tolist(), tensors.path),
        bounds,
        labels,
        weights,
    )


def _pieces(text: bytes, ends: list[int], path: Path) -> tuple[str, ...]:
    try:
        return tuple([text[a:b].decode(*_ENCODING) for a, b in pairwise(ends)])
    except UnicodeDecodeError as error:
        raise _fault(path, f"a feature name is not UTF-8 ({error.reason})") from None


def _knowledge() -> ModuleType:
    """Loaded for the few taggers that have any."""
    return import_module("crowdseq.formats.models.knowledge")


def _check_regular(path: Path) -> None:
    """A pipe or a device has no size that could be checked, and may never end."""
    if path.exists() and not path.is_file():
        raise _fault(path, "is no file, give the folder of a saved tagger")


def _fault(path: Path, what: str) -> FormatError:
    return FormatError(Problem(what, file=str(path)))
