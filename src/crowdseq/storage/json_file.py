"""JsonFile: a JSON object on disk of which every value that is asked for is checked for its type."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.storage.manifest import read_small_file

_LARGEST = 256 * 2**20


@dataclass(frozen=True)
class JsonFile:
    """The object, where it stands, and what to do about a fault in it."""

    path: Path
    content: dict[str, Any]
    advice: Advice

    @classmethod
    def read(cls, path: Path, advice: Advice) -> "JsonFile":
        """A file that holds one JSON object; anything else is a FormatError with this advice."""
        empty = cls(path, {}, advice)
        raw = read_small_file(path, _LARGEST, empty.fault)
        if raw is None:
            raise empty.fault("is missing")
        try:
            content = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise empty.fault(f"is not JSON ({error})") from None
        if not isinstance(content, dict):
            raise empty.fault("holds no JSON object")
        return cls(path, content, advice)

    def whole(self, key: str) -> int:
        return int(self._take(key, "a whole number of 0 or more", lambda value: _is_whole(value)))

    def number(self, key: str) -> float:
        return float(self._take(key, "a number", is_number))

    def numbers(self, key: str) -> tuple[float, ...]:
        found = self._take(
            key, "a list of numbers", lambda value: isinstance(value, list) and all(map(is_number, value))
        )
        return tuple(found)

    def text(self, key: str) -> str:
        return str(self._take(key, "a text", lambda value: isinstance(value, str)))

    def texts(self, key: str) -> tuple[str, ...]:
        found = self._take(
            key,
            "a list of texts",
            lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
        )
        return tuple(found)

    def object(self, key: str) -> dict[str, Any]:
        found: dict[str, Any] = self._take(key, "an object", lambda value: isinstance(value, dict))
        return found

    def _take(self, key: str, wanted: str, fits: Callable[[Any], bool]) -> Any:
        if key not in self.content:
            raise self.fault(f"'{key}' is missing")
        value = self.content[key]
        if not fits(value):
            raise self.fault(f"'{key}' is {_shown(value)}, expected {wanted}")
        return value

    def fault(self, what: str) -> FormatError:
        return FormatError(Problem(what, str(self.path), advice=self.advice))


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def is_number(value: Any) -> bool:
    """Whether a JSON value is a finite number that fits into a float; `true` and huge integers are not."""
    return (type(value) is int and abs(value) < 2**63) or (isinstance(value, float) and isfinite(value))


def _shown(value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= 40 else shown[:39] + "…"
