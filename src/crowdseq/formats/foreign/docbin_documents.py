"""spaCy's DocBin: words, spaces, entities, groups of spans and user data of every document."""

from collections.abc import Iterator
from typing import Any

from crowdseq.formats.foreign.child import Fault


def prepare() -> None:
    """Import what parses."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import spacy
        import spacy.tokens  # noqa: F401


def parse(parts: list[bytes], keys: list[str]) -> Iterator[Any]:
    """{words, spaces, codes, types, groups, about}; read from the arrays, so that a damaged file meets as
    little of spaCy as may be. keys: of the user data that are wanted."""
    import spacy

    held = spacy.tokens.DocBin().from_bytes(parts[0])
    strings = spacy.strings.StringStore(list(held.strings))
    vocabulary = spacy.vocab.Vocab(strings=strings)
    for place in range(len(held.tokens)):
        yield _document(spacy, held, place, strings, vocabulary, keys)


def _document(
    spacy: Any, held: Any, place: int, strings: Any, vocabulary: Any, keys: list[str]
) -> dict[str, Any]:
    columns = {
        name: held.attrs.index(spacy.attrs.IDS[name])
        for name in ("ORTH", "ENT_IOB", "ENT_TYPE")
        if spacy.attrs.IDS[name] in held.attrs
    }
    rows = held.tokens[place].tolist()
    words = [strings[row[columns["ORTH"]]] for row in rows]
    spaces = [bool(space) for space in held.spaces[place].flatten().tolist()]
    if len(spaces) != len(words):
        raise Fault(f"{len(words)} words have {len(spaces)} spaces")
    is_marked = "ENT_IOB" in columns and "ENT_TYPE" in columns
    user_data = held.user_data[place] if place < len(held.user_data) else None
    about = spacy.util.srsly.msgpack_loads(user_data, use_list=False) if user_data else {}
    return {
        "words": words,
        "spaces": spaces,
        "codes": [row[columns["ENT_IOB"]] for row in rows] if is_marked else [0] * len(rows),
        "types": [strings[row[columns["ENT_TYPE"]]] for row in rows] if is_marked else [""] * len(rows),
        "groups": _groups(spacy, held.span_groups[place], words, vocabulary),
        "about": {key: _plain(about[key]) for key in keys if key in about},
    }


def _plain(value: Any) -> Any:
    return [str(item) for item in value] if isinstance(value, list | tuple) else value


def _groups(spacy: Any, packed: bytes, words: list[str], vocabulary: Any) -> dict[str, list[Any]]:
    if not packed:
        return {}
    doc = spacy.tokens.Doc(vocabulary, words=words)
    doc.spans.from_bytes(packed)
    found = {}
    for name, group in doc.spans.items():
        found[name] = [(span.start, span.end, span.label_) for span in group]
        if any(not 0 <= start <= end <= len(words) for start, end, _ in found[name]):
            raise Fault(f"a span of group {name} lies outside its document")
    return found
