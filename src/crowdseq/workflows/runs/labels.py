"""The labels of a run folder, put on the sentences that they were given to."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.text import Sentence
from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.storage.json_file import is_number

_ROUNDING = 1e-6  # confidence is written with six digits


def read_labels(path: Path, corpus: Corpus, probabilities: FloatArray, advice: Advice) -> IntArray:
    """(T,) tag numbers; ids, tokens and confidence of every line must be those of its sentence."""
    lines = _Lines(path, advice)
    content = lines.read()
    if len(content) != len(corpus):
        raise lines.fault(f"has {len(content)} lines, the crowd has {len(corpus)} sentences")
    tags: list[int] = []
    confidence: list[Any] = []
    index = corpus.scheme.index
    for number, (raw, sentence) in enumerate(zip(content, corpus.sentences, strict=True), start=1):
        found = lines.parse(raw, number)
        lines.check(found, sentence, number)
        for label in found["labels"]:
            if not isinstance(label, str) or label not in index:
                raise lines.fault(f"label {label!r:.40} is not one of the scheme", number)
            tags.append(index[label])
        confidence += found["confidence"]
    lines.check_confidence(confidence, tags, probabilities)
    return np.array(tags, dtype=np.int16)


class _Lines:
    def __init__(self, path: Path, advice: Advice) -> None:
        self.path, self.advice = path, advice

    def fault(self, what: str, line: int = 0) -> FormatError:
        return FormatError(Problem(what, str(self.path), line, advice=self.advice))

    def read(self) -> list[bytes]:
        if not self.path.is_file():
            raise self.fault("is no file" if self.path.exists() else "is missing")
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise self.fault(f"cannot be read ({error.strerror})") from None
        return content.removesuffix(b"\n").split(b"\n") if content else []

    def parse(self, raw: bytes, line: int) -> dict[str, Any]:
        try:
            found = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise self.fault(f"is not JSON ({error})", line) from None
        if not isinstance(found, dict):
            raise self.fault("holds no JSON object", line)
        return found

    def check(self, found: dict[str, Any], sentence: Sentence, line: int) -> None:
        """Whether a line tells of this sentence."""
        if found.get("id") != sentence.id:
            raise self.fault(
                f"tells of sentence {found.get('id')!r:.60}, the crowd has '{sentence.id}' at this place",
                line,
            )
        if found.get("tokens") != list(sentence.tokens) or found.get("doc") != sentence.doc:
            raise self.fault(f"tells of another text than sentence '{sentence.id}' of the crowd", line)
        for key in ("labels", "confidence"):
            values = found.get(key)
            if not isinstance(values, list) or len(values) != len(sentence.tokens):
                raise self.fault(f"'{key}' is no list with one entry for each token", line)

    def check_confidence(self, confidence: list[Any], tags: list[int], probabilities: FloatArray) -> None:
        """Whether the confidence is the posterior of the label."""
        if not all(map(is_number, confidence)):
            raise self.fault("'confidence' holds what is no number")
        told, chosen = np.array(confidence, np.float64), probabilities[np.arange(len(tags)), tags]
        if not np.allclose(told, chosen, rtol=0, atol=_ROUNDING):
            raise self.fault("has labels with another confidence than posteriors.safetensors says")
