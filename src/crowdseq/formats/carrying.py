"""Carriers: sentences taken out of a file to be tagged, and put back with all that came with them."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from crowdseq.errors import FormatError, Problem, SettingsError
from crowdseq.formats.strict_json import JsonFault, loads
from crowdseq.formats.tokenizing import tokenizer

INPUTS = ("text", "conll", "jsonl")
_JSON_ARRAY = re.compile(r"\s*\[\s*[\[{]")
_DOCUMENT_START = "-DOCSTART-"
_CROWD_START = "# columns:"
_OF_OTHER_LABELS = ("confidence", "sentence_confidence", "agreed")


@dataclass(frozen=True)
class Carried:
    """One sentence: its tokens, its document, and the text that it becomes with tags and their confidence."""

    tokens: tuple[str, ...]
    doc: str | None
    back: Callable[[tuple[str, ...], list[float] | None], str]


def carry(
    kind: str, lines: Iterable[tuple[int, str]], name: str, words: str, tabs: bool = False
) -> Iterator[Carried]:
    """The sentences of numbered lines; kind is one of INPUTS, words names a tokenizer for plain text.

    tabs: columns come back with tabs between them, because tags have spaces.
    """
    if kind == "jsonl":
        return _from_jsonl(lines, name)
    if kind == "conll":
        return _from_columns(_tabbed(lines) if tabs else lines, name)
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
    if filled and (all("\t" in line for line in filled) or filled[0].startswith(_DOCUMENT_START)):
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
        yield Carried(tuple(tokens), record.get("doc"), _into_record(record))


def _into_record(record: dict[str, Any]) -> Callable[[tuple[str, ...], list[float] | None], str]:
    def back(tags: tuple[str, ...], confidence: list[float] | None) -> str:
        kept = {key: value for key, value in record.items() if key not in _OF_OTHER_LABELS}
        found: dict[str, Any] = kept | {"labels": list(tags)}
        if confidence is not None:
            found["confidence"] = confidence
        return json.dumps(found, ensure_ascii=False) + "\n"

    return back


def _from_columns(lines: Iterable[tuple[int, str]], name: str) -> Iterator[Carried]:
    """Lines keep all that they have; the tag becomes their last column. Document marks are passed on."""
    waiting: list[str] = []
    document, blanks = 0, ""
    for number, line in lines:
        if line.startswith(_CROWD_START):
            told = "columns of annotators have no place for a tag, make it JSONL with convert first"
            raise FormatError(Problem(told, name, number))
        if line.strip() and not line.startswith(_DOCUMENT_START):
            if blanks:
                yield Carried((), None, _as_is(blanks))
                blanks = ""
            waiting.append(line)
            continue
        if waiting:
            yield _column_sentence(waiting, f"d{document}")
            waiting = []
        if line.startswith(_DOCUMENT_START):
            document += 1
            separator = "\t" if "\t" in line else " "
            line = f"{line}{separator}O"
        blanks += line.rstrip() + "\n"
    if waiting:
        yield _column_sentence(waiting, f"d{document}")
    if blanks:
        yield Carried((), None, _as_is(blanks))


def _tabbed(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return ((number, line if "\t" in line else "\t".join(line.split())) for number, line in lines)


def _column_sentence(rows: list[str], doc: str) -> Carried:
    separator = "\t" if any("\t" in row for row in rows) else " "
    tokens = tuple((row.split("\t") if separator == "\t" else row.split())[0] for row in rows)
    if all(len(row.split()) == 1 for row in rows):
        separator = "\t"

    def back(tags: tuple[str, ...], confidence: list[float] | None) -> str:
        cells = [tags] if confidence is None else [tuple(f"{value:.4f}" for value in confidence), tags]
        return "".join(
            separator.join([row.rstrip("\t "), *more]) + "\n" for row, *more in zip(rows, *cells, strict=True)
        )

    return Carried(tokens, doc, back)


def _as_is(text: str) -> Callable[[tuple[str, ...], list[float] | None], str]:
    return lambda _tags, _confidence: text


def _from_text(lines: Iterable[tuple[int, str]], words: str) -> Iterator[Carried]:
    """One sentence a line; the answer is two columns, token and tag."""
    cut = tokenizer(words)
    for _, line in lines:
        tokens = [line[start:end] for start, end in cut(line)]
        if tokens:
            sentence = _column_sentence(tokens, "")
            yield Carried(sentence.tokens, None, _with_gap(sentence))


def _with_gap(sentence: Carried) -> Callable[[tuple[str, ...], list[float] | None], str]:
    return lambda tags, confidence: sentence.back(tags, confidence) + "\n"
