"""Carriers: sentences taken out of a file to be tagged, and put back with all that came with them."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from crowdseq.errors import FormatError, Problem, SettingsError
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.spans.tokenize import tokenizer
from crowdseq.formats.tools.conll.carrying import Back, Carried, from_columns, with_tags
from crowdseq.formats.tools.conll.columns import DOCUMENT_START, Columns

INPUTS = ("text", "conll", "jsonl")
_JSON_ARRAY = re.compile(r"\s*\[\s*[\[{]")
_OF_OTHER_LABELS = ("confidence", "sentence_confidence", "agreed")


def carry(
    kind: str,
    lines: Iterable[tuple[int, str]],
    name: str,
    words: str,
    tabs: bool = False,
    columns: Columns | None = None,
) -> Iterator[Carried]:
    """The sentences of numbered lines; kind is one of INPUTS, words names a tokenizer for plain text.

    tabs: columns come back with tabs between them, because tags have spaces. columns: what they hold, if not
    the token in the first.
    """
    if kind == "jsonl":
        return _from_jsonl(lines, name)
    if kind == "conll":
        return from_columns(lines, name, tabs, columns)
    if kind == "text":
        return _from_text(lines, words)
    raise SettingsError(f"input is '{kind}', choose one of {', '.join(INPUTS)}")


def guess_input(name: str, lines: list[str]) -> str:
    """What kind of file these first lines are."""
    filled = [line for line in lines if line.strip()]
    if filled and filled[0].lstrip().startswith("{"):
        return "jsonl"
    if filled and _JSON_ARRAY.match("".join(filled)):
        what = "is a JSON array, of which sentences cannot be told: make it JSONL with convert first"
        raise FormatError(Problem(f"{what}, or say --from text to tag it as it stands", name))
    if name.lower().removesuffix(".gz").endswith((".conll", ".bio", ".iob", ".iob2", ".tsv", ".col")):
        return "conll"
    if filled and (all("\t" in line for line in filled) or filled[0].startswith(DOCUMENT_START)):
        return "conll"
    return "text"


def _from_jsonl(lines: Iterable[tuple[int, str]], name: str) -> Iterator[Carried]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            record = loads(line)
        except JsonFault as fault:
            raise FormatError(Problem(f"not JSON ({fault}), mend the line", name, number)) from None
        tokens = record.get("tokens") if isinstance(record, dict) else None
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            raise FormatError(Problem('no "tokens", a list of texts is needed', name, number))
        doc = record.get("doc")
        if doc is not None and not isinstance(doc, str | int):
            raise FormatError(Problem('"doc" is no text, give the name of a document', name, number))
        yield Carried(tuple(tokens), doc, _into_record(record), _record_columns(record, len(tokens)))


def _record_columns(record: dict[str, Any], length: int) -> dict[str, tuple[str, ...]]:
    """Those columns that have one text for each token; whoever needs another will miss it."""
    found = record.get("columns")
    return {
        name: tuple(entries)
        for name, entries in (found.items() if isinstance(found, dict) else ())
        if isinstance(entries, list) and len(entries) == length and all(isinstance(x, str) for x in entries)
    }


def _into_record(record: dict[str, Any]) -> Back:
    def back(tags: tuple[str, ...], confidence: list[float] | None) -> str:
        kept = {key: value for key, value in record.items() if key not in _OF_OTHER_LABELS}
        found: dict[str, Any] = kept | {"labels": list(tags)}
        if confidence is not None:
            found["confidence"] = confidence
        return json.dumps(found, ensure_ascii=False) + "\n"

    return back


def _from_text(lines: Iterable[tuple[int, str]], words: str) -> Iterator[Carried]:
    """One sentence a line; the answer is two columns, token and tag."""
    cut = tokenizer(words)
    for _, line in lines:
        tokens = tuple(token for start, end in cut(line) if (token := line[start:end]).strip())
        if tokens:
            yield Carried(tokens, None, _with_gap(tokens))


def _with_gap(tokens: tuple[str, ...]) -> Back:
    shown = [token.replace("\t", " ") for token in tokens]  # a tab separates columns
    return lambda tags, confidence: with_tags(shown, "\t", tags, confidence) + "\n"
