"""NumberedNames: strings to numbers in the order of their first appearance, checked on the way in."""

import unicodedata
from collections.abc import Callable, Hashable

from crowdseq.errors import AnnotationError, SchemeError


class NumberedNames(dict[Hashable, int]):
    """A dictionary that numbers what it has not seen; its C look-up is what makes reading fast."""

    def __init__(self, check: Callable[[str], None] | None = None, none_is: int | None = None) -> None:
        super().__init__()
        self.names: list[str] = []
        self._check = check
        if none_is is not None:
            self[None] = none_is

    def __missing__(self, name: Hashable) -> int:
        if not isinstance(name, str):
            raise TypeError(name)
        if self._check is not None:
            self._check(name)
        number = len(self.names)
        self.names.append(name)
        self[name] = number
        return number


def check_label(label: str) -> None:
    """A label is a visible text with something behind its prefix."""
    if not label.strip():
        raise SchemeError("a label is empty, use null for a token without a label")
    if _has_control(label):
        raise SchemeError(f"label {label!r} holds a control character, remove it")
    if label[1:2] == "-" and label[0] in "BIESLU" and not label[2:].strip():
        raise SchemeError(f"label '{label}' names no entity type, write e.g. '{label.strip()}PER'")


def check_name(what: str) -> Callable[[str], None]:
    """A check that a name is a visible text."""

    def check(name: str) -> None:
        if not name.strip():
            raise AnnotationError(f"the name of an {what} is empty, give one")
        if _has_control(name):
            raise AnnotationError(f"{what} {name!r} holds a control character, remove it")

    return check


def _has_control(text: str) -> bool:
    return any(unicodedata.category(character) == "Cc" for character in text)


def look_alikes(names: list[str]) -> list[tuple[str, ...]]:
    """Groups of names that differ only in case, Unicode form or outer space."""
    groups: dict[str, list[str]] = {}
    for name in names:
        key = unicodedata.normalize("NFKC", name).casefold().strip()
        groups.setdefault(key, []).append(name)
    return [tuple(sorted(group)) for group in groups.values() if len(group) > 1]


def counted(count: int, noun: str) -> str:
    """`1 label`, `2 labels`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
