"""The bytes of a spaCy DocBin to plain documents: words, text, entities and groups of spans."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.settings import Limits
from crowdseq.formats.spans.spacy_library import library

_BEGIN, _INSIDE, _OUTSIDE = 3, 1, 2  # of ENT_IOB; 0 says that nobody looked
_BLOCK = 1 << 20


@dataclass(frozen=True)
class SpacyDocument:
    """One Doc without spaCy; a tag is None where nobody looked, spans are (first, behind last, label)."""

    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    tags: tuple[str | None, ...]
    groups: Mapping[str, Sequence[tuple[int, int, str]]]
    about: Mapping[Any, Any]


def documents(data: bytes, name: str, limits: Limits) -> list[SpacyDocument]:
    """All documents; read from the arrays, so that a damaged file meets as little of spaCy as may be."""
    spacy = library()
    _check_size(data, name, limits)
    try:
        held = spacy.tokens.DocBin().from_bytes(data)
        strings = spacy.strings.StringStore(list(held.strings))
        vocabulary = spacy.vocab.Vocab(strings=strings)
        return [_document(spacy, held, place, strings, vocabulary) for place in range(len(held.tokens))]
    except MemoryError:
        raise
    # Not narrower: on damaged bytes msgpack, numpy and spaCy raise what they like (KeyError, IndexError,
    # TypeError, their own kinds, some without a common root), and a new version may raise another.
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise FormatError(Problem(f"not a DocBin that can be read ({what}), write it again", name)) from None


def _check_size(data: bytes, name: str, limits: Limits) -> None:
    """A bomb is refused before spaCy unpacks it."""
    unpacker, size, rest = zlib.decompressobj(), 0, data
    try:
        while rest and not unpacker.eof:
            size += len(unpacker.decompress(rest, _BLOCK))
            rest = unpacker.unconsumed_tail
            is_bomb = size > limits.ratio_after and size > limits.ratio * len(data)
            if size > limits.unpacked_bytes or is_bomb:
                raise FormatError(Problem(f"unpacks to more than {size - 1:,} bytes, split it", name))
    except zlib.error as error:
        raise FormatError(Problem(f"not a DocBin ({error}), write it again", name)) from None


def _document(spacy: Any, held: Any, place: int, strings: Any, vocabulary: Any) -> SpacyDocument:
    columns = {
        name: held.attrs.index(spacy.attrs.IDS[name])
        for name in ("ORTH", "ENT_IOB", "ENT_TYPE")
        if spacy.attrs.IDS[name] in held.attrs
    }
    rows = held.tokens[place].tolist()
    words = tuple(strings[row[columns["ORTH"]]] for row in rows)
    spaces = tuple(bool(space) for space in held.spaces[place].flatten().tolist())
    if "ENT_IOB" in columns and "ENT_TYPE" in columns:
        pairs = [(row[columns["ENT_IOB"]], strings[row[columns["ENT_TYPE"]]]) for row in rows]
    else:
        pairs = [(0, "")] * len(rows)
    user_data = held.user_data[place] if place < len(held.user_data) else None
    about = spacy.util.srsly.msgpack_loads(user_data, use_list=False) if user_data else {}
    groups = _groups(spacy, held.span_groups[place], words, vocabulary)
    return SpacyDocument(words, spaces, tuple(_tag(*pair) for pair in pairs), groups, about)


def _tag(code: int, kind: str) -> str | None:
    return {_BEGIN: f"B-{kind}", _INSIDE: f"I-{kind}", _OUTSIDE: "O"}.get(code)


def _groups(spacy: Any, packed: bytes, words: tuple[str, ...], vocabulary: Any) -> dict[str, list[Any]]:
    if not packed:
        return {}
    doc = spacy.tokens.Doc(vocabulary, words=list(words))
    doc.spans.from_bytes(packed)
    found = {}
    for name, group in doc.spans.items():
        found[name] = [(span.start, span.end, span.label_) for span in group]
        if any(not 0 <= start <= end <= len(words) for start, end, _ in found[name]):
            raise ValueError(f"a span of group {name} lies outside its document")
    return found
