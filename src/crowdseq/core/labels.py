"""LabelScheme: the tags, and which tag may follow which. The only module that knows BIO."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.errors import SchemeError

OUTSIDE = "O"
PLAIN = "plain"
UNLABELLED = -1

# For every kind and tag prefix: the prefixes that may stand before it in an entity of the same type,
# and those that may stand before it otherwise; "^" is the start of a sentence, the row "$" its end.
_RULES: dict[str, dict[str, tuple[str, str]]] = {
    "IO": {"O": ("", "OI^"), "I": ("I", "OI^"), "$": ("", "OI^")},
    "IOB1": {"O": ("", "OBI^"), "I": ("BI", "OBI^"), "B": ("BI", ""), "$": ("", "OBI^")},
    "IOB2": {"O": ("", "OBI^"), "B": ("BI", "OBI^"), "I": ("BI", ""), "$": ("", "OBI^")},
    "BIOES": {
        "O": ("", "OES^"),
        "B": ("ES", "OES^"),
        "I": ("BI", ""),
        "E": ("BI", ""),
        "S": ("ES", "OES^"),
        "$": ("", "OES^"),
    },
}
_RULES["BILOU"] = {
    prefix.translate(str.maketrans("ES", "LU")): (
        same.translate(str.maketrans("ES", "LU")),
        other.translate(str.maketrans("ES", "LU")),
    )
    for prefix, (same, other) in _RULES["BIOES"].items()
}
CHUNK_KINDS = tuple(_RULES)
KINDS = (*CHUNK_KINDS, PLAIN)

# A prefix that a kind does not have, read as the nearest one it has.
_NEAREST: dict[str, dict[str, str]] = {
    "IO": {"B": "I", "E": "I", "L": "I", "S": "I", "U": "I"},
    "IOB1": {"E": "I", "L": "I", "S": "I", "U": "I"},
    "IOB2": {"E": "I", "L": "I", "S": "B", "U": "B"},
    "BIOES": {"L": "E", "U": "S"},
    "BILOU": {"E": "L", "S": "U"},
}
_PREFIXES = frozenset("BIESLU")
_PREFIXED = re.compile(r"(?P<prefix>[BIESLUMbieslum])[-_](?P<type>.+)", re.DOTALL)
_SUFFIXED = re.compile(r"(?P<type>.+)[-_](?P<prefix>[BIESLUM])", re.DOTALL)


def split_tag(tag: str) -> tuple[str, str]:
    """`B-PER` to ("B", "PER"); `O` to ("O", ""); a tag without a known prefix to ("", tag)."""
    if tag == OUTSIDE:
        return OUTSIDE, ""
    if len(tag) > 1 and tag[1] == "-" and tag[0] in _PREFIXES:
        return tag[0], tag[2:]
    return "", tag


def usual_tags(tags: Iterable[str]) -> dict[str, str]:
    """Tags in our spelling, where all of them are in another that leaves no doubt; else nothing.

    Known are `B_PER`, `b-per`, `PER-B`, and BMES, in which M is inside. There must be an outside tag and one
    that begins an entity, since plain labels may look like one or two of these by chance.
    """
    outside = {tag for tag in tags if tag in (OUTSIDE, OUTSIDE.lower())}
    others = [tag for tag in tags if tag not in outside]
    if not outside or all(split_tag(tag)[0] for tag in others):
        return {}
    for pattern in (_PREFIXED, _SUFFIXED):
        found = {tag: match for tag in others if (match := pattern.fullmatch(tag)) is not None}
        prefixes = {match["prefix"].upper() for match in found.values()}
        if len(found) < len(others) or "B" not in prefixes or (pattern is _SUFFIXED and "I" not in prefixes):
            continue
        if "M" in prefixes and "I" in prefixes:
            return {}
        made = {
            tag: f"{match['prefix'].upper().replace('M', 'I')}-{match['type']}"
            for tag, match in found.items()
        }
        return made | dict.fromkeys(outside, OUTSIDE)
    return {}


@dataclass(frozen=True)
class LabelScheme:
    """M tags in a fixed order, and the transitions that a valid sequence may make.

    Build one with `of_types` or `plain`; `tags` are then O first, types in order, or the plain labels.

    >>> import crowdseq
    >>> scheme = crowdseq.LabelScheme.of_types(["PER", "LOC"])
    >>> scheme.tags
    ('O', 'B-LOC', 'I-LOC', 'B-PER', 'I-PER')
    >>> scheme.is_valid(scheme.ids(["O", "I-PER"]))
    False
    """

    tags: tuple[str, ...]
    kind: str = "IOB2"
    types: tuple[str, ...] = field(init=False, compare=False)
    allowed: BoolArray = field(init=False, compare=False, repr=False)
    starts: BoolArray = field(init=False, compare=False, repr=False)
    ends: BoolArray = field(init=False, compare=False, repr=False)
    prefix_codes: IntArray = field(init=False, compare=False, repr=False)
    type_ids: IntArray = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SchemeError(f"label scheme '{self.kind}' is unknown, choose one of {', '.join(KINDS)}")
        if len(set(self.tags)) != len(self.tags):
            raise SchemeError("a label scheme lists a tag twice")
        if len(self.tags) > np.iinfo(np.int16).max:
            raise SchemeError(f"{len(self.tags)} tags are more than the {np.iinfo(np.int16).max} we can hold")
        parts = [(OUTSIDE, tag) if self.kind == PLAIN else split_tag(tag) for tag in self.tags]
        rules = _RULES.get(self.kind, {})
        for tag, (prefix, name) in zip(self.tags, parts, strict=True):
            if self.kind != PLAIN and (prefix not in rules or (prefix != OUTSIDE and not name)):
                raise SchemeError(f"tag '{tag}' does not belong to the scheme {self.kind}")
        types = sorted({kind for _, kind in parts if kind})
        self._freeze("types", tuple(types))
        self._freeze_array("prefix_codes", [ord(prefix) for prefix, _ in parts], np.int16)
        numbers = {kind: number for number, kind in enumerate(types)}
        self._freeze_array("type_ids", [numbers.get(kind, -1) for _, kind in parts], np.int16)
        allowed, starts, ends = _transitions(rules, parts)
        self._freeze_array("allowed", allowed, np.bool_)
        self._freeze_array("starts", starts, np.bool_)
        self._freeze_array("ends", ends, np.bool_)

    def _freeze(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _freeze_array(self, name: str, values: object, dtype: type) -> None:
        array: NDArray[Any] = np.array(values, dtype=dtype)
        array.setflags(write=False)
        self._freeze(name, array)

    @classmethod
    def of_types(cls, types: Iterable[str], kind: str = "IOB2") -> "LabelScheme":
        """The full tag set of a chunk scheme over some entity types."""
        if kind not in _RULES:
            raise SchemeError(f"'{kind}' is no chunk scheme, choose one of {', '.join(CHUNK_KINDS)}")
        prefixes = [p for p in "BIELSU" if p in _RULES[kind]]
        names = sorted(set(types))
        if any(not name for name in names):
            raise SchemeError("an entity type has an empty name (a tag such as 'B-'), name it")
        return cls((OUTSIDE, *(f"{p}-{name}" for name in names for p in prefixes)), kind)

    @classmethod
    def plain(cls, labels: Iterable[str]) -> "LabelScheme":
        """Tags without spans, such as parts of speech: everything may follow everything."""
        return cls(tuple(sorted(set(labels))), PLAIN)

    def __len__(self) -> int:
        return len(self.tags)

    @property
    def is_plain(self) -> bool:
        """Whether the tags are labels of single tokens, without spans."""
        return self.kind == PLAIN

    @cached_property
    def index(self) -> dict[str, int]:
        """Tag to its number."""
        return {tag: number for number, tag in enumerate(self.tags)}

    @cached_property
    def outside(self) -> int:
        """The number of the tag `O`, or -1 in a plain scheme."""
        return UNLABELLED if self.is_plain else self.index.get(OUTSIDE, UNLABELLED)

    def ids(self, tags: Iterable[str | None]) -> IntArray:
        """Tags to (T,) numbers; None becomes -1."""
        try:
            return np.array([UNLABELLED if tag is None else self.index[tag] for tag in tags], dtype=np.int16)
        except KeyError as error:
            raise SchemeError(f"tag {error.args[0]!r} is not one of {', '.join(self.tags)}") from None

    def names(self, ids: IntArray) -> tuple[str | None, ...]:
        """(T,) numbers to tags; -1 becomes None."""
        tags = self.tags
        return tuple(tags[number] if number >= 0 else None for number in ids.tolist())

    def is_valid(self, ids: IntArray, offsets: IntArray | None = None) -> bool:
        """Whether numbers keep the rules; unlabelled tokens break none. One sequence, or those at offsets."""
        bounds = np.array([0, len(ids)]) if offsets is None else offsets
        filled = np.flatnonzero(np.diff(bounds))
        heads, tails = ids[bounds[filled]], ids[bounds[filled + 1] - 1]
        joined = (ids[:-1] >= 0) & (ids[1:] >= 0)
        joined[bounds[filled[1:]] - 1] = False
        return bool(
            self.starts[heads[heads >= 0]].all()
            and self.ends[tails[tails >= 0]].all()
            and self.allowed[ids[:-1][joined], ids[1:][joined]].all()
        )

    def kind_of(self, tag: str) -> str:
        """The tag as this kind writes it: a prefix that it lacks becomes the nearest one it has."""
        prefix, name = split_tag(tag)
        nearest = _NEAREST.get(self.kind, {}).get(prefix)
        return tag if nearest is None else f"{nearest}-{name}"


def _transitions(
    rules: dict[str, tuple[str, str]], parts: Sequence[tuple[str, str]]
) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Rules spelt out for every pair of tags: allowed (M, M), starts (M,), ends (M,)."""
    size = len(parts)
    if not rules:
        return np.ones((size, size), np.bool_), np.ones(size, np.bool_), np.ones(size, np.bool_)
    numbers: dict[str, int] = {}
    names = np.array([numbers.setdefault(name, len(numbers)) if name else -1 for _, name in parts], np.int64)
    prefixes = np.array([prefix for prefix, _ in parts])
    allowed = np.zeros((size, size), np.bool_)
    for prefix, (same, other) in rules.items():
        after = np.flatnonzero(prefixes == prefix)
        is_same = (names[:, None] == names[None, after]) & (names[None, after] >= 0)
        fits = [np.isin(prefixes, list(before))[:, None] for before in (same, other)]
        allowed[:, after] = np.where(is_same, *fits)
    starts = np.array(["^" in rules[prefix][1] for prefix, _ in parts], np.bool_)
    ends = np.array([prefix in rules["$"][1] for prefix, _ in parts], np.bool_)
    return allowed, starts, ends
