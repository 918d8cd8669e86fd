"""ModelFolder: a language model that lies on this machine, looked at before anything of it is loaded."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from crowdseq.errors import Advice, FormatError, Missing, MissingFileError, Problem
from crowdseq.storage.manifest import read_small_file

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt")
_LARGEST_CONFIG = 16 * 2**20
# What the files of a tokenizer are called, by their beginning.
_TOKENIZER = (
    "tokenizer",
    "vocab",
    "merges",
    "spiece",
    "sentencepiece",
    "special_tokens_map",
    "added_tokens",
)


@dataclass(frozen=True)
class ModelFolder:
    """The folder of a model in the layout of Hugging Face; its weights are safetensors."""

    path: Path

    @classmethod
    def of(cls, given: str | PathLike[str]) -> "ModelFolder":
        """A folder that was looked at; what is no model gives a FormatError of one line."""
        path = Path(fspath(given))
        wanted = "the folder of a model with config.json and model.safetensors"
        if not path.exists():
            raise MissingFileError(Missing(f"there is no such folder, give {wanted}", str(path)))
        if not path.is_dir():
            pickled = path.suffix in _PICKLES
            what = "is a pickle, which may run code when it is opened" if pickled else "is a file"
            raise _fault(path, what, f"give {wanted}")
        if not (path / CONFIG).is_file():
            raise _fault(path, f"is no model folder ({CONFIG} is missing)", f"give {wanted}")
        found = cls(path)
        found._check_config()
        found._check_weights()
        if not found.tokenizer_files:
            raise _fault(path, "has no tokenizer (tokenizer.json is missing)", _AGAIN)
        return found

    @cached_property
    def config(self) -> dict[str, Any]:
        """What config.json holds."""
        file = self.path / CONFIG
        raw = read_small_file(file, _LARGEST_CONFIG, lambda what: _fault(file, what, _AGAIN))
        try:
            content = json.loads(raw or b"")
        except (ValueError, RecursionError) as error:
            raise _fault(file, f"not JSON ({error})", _AGAIN) from None
        if not isinstance(content, dict):
            raise _fault(file, "this is not the description of a model", _AGAIN)
        return content

    @property
    def weight_files(self) -> tuple[Path, ...]:
        """The safetensors files, in the order of their names."""
        return tuple(sorted(self.path.glob("model*.safetensors")))

    @property
    def tokenizer_files(self) -> tuple[Path, ...]:
        """What tells how words are cut, in the order of the names."""
        files = (path for path in self.path.iterdir() if path.name.startswith(_TOKENIZER))
        return tuple(sorted(path for path in files if path.is_file()))

    @cached_property
    def digest(self) -> str:
        """A SHA-256 of its description, its tokenizer and its weights, by which a model is known again."""
        digest = hashlib.sha256(json.dumps(self.config, sort_keys=True).encode())
        for path in (*self.tokenizer_files, *self.weight_files):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()

    def _check_config(self) -> None:
        if not isinstance(self.config.get("model_type"), str):
            raise _fault(self.path / CONFIG, "names no model_type", _AGAIN)

    def _check_weights(self) -> None:
        if (self.path / WEIGHTS).is_file() or (self.path / INDEX).is_file():
            for path in self.weight_files:
                _check_whole(path)
            return
        pickles = sorted(path.name for path in self.path.iterdir() if path.suffix in _PICKLES)
        if pickles:
            raise _fault(
                self.path / pickles[0],
                "is a pickle, which may run code when it is opened",
                "give a model whose weights are in model.safetensors",
            )
        raise _fault(self.path, f"is no model folder ({WEIGHTS} is missing)", _AGAIN)


_AGAIN = "give the folder of a whole model"


def _check_whole(path: Path) -> None:
    """What a download that broke off left is found out before anything is learned."""
    try:
        with safe_open(str(path), framework="numpy"):
            pass
    except (SafetensorError, OSError) as error:
        raise _fault(path, f"is no whole safetensors file ({error})", _AGAIN) from None


def _fault(path: Path, what: str, advice: str) -> FormatError:
    return FormatError(Problem(what, str(path), advice=Advice(advice)))
