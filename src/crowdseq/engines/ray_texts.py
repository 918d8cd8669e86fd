"""Texts on the wire: long lists as one piece, and each text once in the process that gets them."""

from dataclasses import fields, is_dataclass, replace
from itertools import accumulate
from sys import intern
from typing import Any

_MANY = 256


class PackedTexts(tuple[str, ...]):
    """What an answer holds in place of a long tuple of texts; arrives as a plain one."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _texts, (list(map(len, self)), "".join(self))


def _texts(lengths: list[int], joined: str) -> tuple[str, ...]:
    ends = accumulate(lengths)
    return tuple(intern(joined[end - length : end]) for end, length in zip(ends, lengths, strict=True))


def packed(thing: Any) -> Any:
    """An answer with its long tuples of texts as `PackedTexts`: shards have most of their texts in common."""
    if type(thing) is tuple and len(thing) >= _MANY:
        return PackedTexts(thing) if all(type(one) is str for one in thing) else thing
    if type(thing) in (list, tuple) and len(thing) < _MANY:
        told = [packed(one) for one in thing]
        is_same = all(one is other for one, other in zip(told, thing, strict=True))
        return thing if is_same else type(thing)(told)
    if is_dataclass(thing) and not isinstance(thing, type):
        changed = {
            one.name: told
            for one in fields(thing)
            if one.init and (told := packed(value := getattr(thing, one.name))) is not value
        }
        return replace(thing, **changed) if changed else thing
    return thing
