"""A CRF joined by a fine-tuned language model on disk, all in one folder; opening it runs no code.

The CRF is as in its own format. The language model lies beside it in the layout of Hugging Face, as
safetensors, and is loaded when it is first asked: a run can be looked at without the extra that it needs.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crowdseq.arrays import FloatArray
from crowdseq.errors import Advice, FormatError, MissingExtraError, Problem, SettingsError
from crowdseq.formats.models import crf
from crowdseq.tagging.joined_tagger import JoinedTagger, Reader
from crowdseq.tagging.sequence_tagger import Context

FORMAT, VERSION = "crowdseq-neural-tagger", 1
_KINDS = (".json", ".safetensors", ".txt", ".model")  # of tokenizers the last two; never a pickle, never code
_AGAIN = Advice("save the tagger again")


def holds(tagger: object) -> bool:
    """Whether this format has room for such a tagger."""
    return isinstance(tagger, JoinedTagger)


def tagger_files(tagger: JoinedTagger) -> dict[str, bytes]:
    """All files by name."""
    files = crf.tagger_files(tagger)
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "weight": tagger.weight,
        "crf": json.loads(files.pop(crf.MODEL)),
    }
    reader = {name: data for name, data in tagger.reader.files().items() if name.endswith(_KINDS)}
    content["files"] = {name: hashlib.sha256(data).hexdigest() for name, data in reader.items()}
    content[crf.DIGEST] = crf.description_digest(content)
    return {**files, **reader, crf.MODEL: json.dumps(content, indent=1, ensure_ascii=True).encode()}


def load(folder: Path, content: dict[str, Any]) -> JoinedTagger:
    """The tagger of a folder, given what its model.json holds; anything wrong gives a FormatError."""
    path = folder / crf.MODEL
    if content.get("version") != VERSION:
        what = (
            f"version {content.get('version')!r} of the tagger format; this crowdseq reads version {VERSION}"
        )
        raise FormatError(Problem(what, str(path)))
    if content.get(crf.DIGEST) != crf.description_digest(content):
        raise FormatError(Problem("was changed after it was written", str(path), advice=_AGAIN))
    try:
        reader = StoredReader(folder, _listed(content["files"]))
        reader.check()
        return JoinedTagger.join(crf.load(folder, dict(content["crf"])), reader, float(content["weight"]))
    except (KeyError, TypeError, ValueError, SettingsError) as error:
        what = f"a part of the description is missing or of the wrong kind ({error!r})"
        raise FormatError(Problem(what, str(path), advice=_AGAIN)) from None


def _listed(files: Any) -> dict[str, str]:
    """File names and digests; names that lead elsewhere, and files that could hold code, are refused."""
    found = {str(name): str(digest) for name, digest in dict(files).items()}
    for name in found:
        if name != Path(name).name or not name.endswith(_KINDS):
            raise ValueError(f"a file {name!r:.60}, which no tagger of ours has")
    return found


@dataclass(frozen=True, eq=False)
class StoredReader:
    """A `Reader` that lies in a folder; digests: SHA-256 of its files by name."""

    folder: Path
    digests: Mapping[str, str]

    def check(self) -> None:
        """Whether all files are there as they were written."""
        for name, digest in self.digests.items():
            path = self.folder / name
            try:
                if path.exists() and not path.is_file():
                    raise FormatError(Problem("is no file", str(path), advice=_AGAIN))
                with path.open("rb") as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:
                what = f"cannot be read ({error.strerror})"
                raise FormatError(Problem(what, str(path), advice=_AGAIN)) from None
            if found != digest:
                what = f"does not belong to {crf.MODEL} (cut short or changed)"
                raise FormatError(Problem(what, str(path), advice=_AGAIN))

    @cached_property
    def _reader(self) -> Reader:
        self.check()  # the folder may have been replaced since it was opened
        try:
            from crowdseq.neural.reader import TransformerReader
        except ImportError:
            raise MissingExtraError("a tagger with a language model", "neural") from None
        return TransformerReader.load(self.folder)

    def log_probabilities(
        self, sentences: Sequence[Sequence[str]], context: Context | None = None
    ) -> FloatArray:
        return self._reader.log_probabilities(sentences, context)

    def files(self) -> Mapping[str, bytes]:
        self.check()
        return {name: (self.folder / name).read_bytes() for name in self.digests}
