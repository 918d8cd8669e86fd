"""Lines of a CoNLL file to blocks, one for each sentence, and the marks between them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from crowdseq.errors import AnnotationError, FormatError, Problem
from crowdseq.formats.files.lines import head_text, read_lines
from crowdseq.formats.files.sources import HEAD_BYTES, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.tools.conll.columns import DOCUMENT_START, HEADER, SENTENCE, Columns, header_columns
from crowdseq.formats.tools.conll.look import comment_of

_IDS = ("sent_id", "sentence_id", "id")
_DOCUMENTS = ("newdoc id", "doc", "doc_id", "document", "document_id", "hipe2022:document_id")
_NOTHING_TO_KEEP = ("doc", "newpar", "newpar id", "global.columns")
SENTENCE_END = "EndOfSentence"  # a flag of HIPE, which has no blank lines between sentences
_SPACES = re.compile(r"[ \t]+")  # not str.split(): a no-break space belongs to its token


def sample_of_lines(stream: Stream, collector: Collector) -> list[str]:
    """The complete lines at the beginning of a file."""
    text = head_text(stream, collector.settings.encoding)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if len(stream.head) < HEAD_BYTES else lines[:-1]


@dataclass
class Block:
    """The lines of one sentence: where they begin, what is said above them, what is wrong with them.

    numbers: the line of each row. doc: the document that a comment named last.
    """

    line: int = 0
    rows: list[str] = field(default_factory=list)
    header: str = ""
    about: dict[str, Any] = field(default_factory=dict)
    document: int = 0
    doc: str | None = None
    fault: Problem | None = None
    numbers: list[int] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.rows or self.header or self.fault)

    def take(self, line: str, number: int) -> None:
        """One more row."""
        self.line = self.line or number
        self.rows.append(line)
        self.numbers.append(number)

    @property
    def raw(self) -> str:
        return "\n".join([self.header, *self.rows] if self.header else self.rows)

    def line_of(self, row: int) -> int:
        """The line of the file in which a row stands."""
        return self.numbers[row]


def cut_at_spaces(line: str) -> list[str]:
    """The cells of a line, however many spaces and tabs stand between them."""
    return _SPACES.split(line.strip(" \t"))


class BlockReader:
    """Gives the blocks of a stream; `columns` is what its first line says about them, if it does.

    Comments `# key = value` say something about the sentence below them, or about all that follow.
    """

    def __init__(self, stream: Stream, collector: Collector) -> None:
        self._stream, self._collector = stream, collector
        self._document = 0
        self._doc: str | None = None
        self.columns: Columns | None = None

    def blocks(self) -> Iterator[Block]:
        """Every sentence, the faulty ones too, so that those behind them keep their number."""
        block, expected = Block(), 1
        for number, line in read_lines(self._stream, self._collector):
            if number != expected:  # a line between could not be decoded: its sentence is not whole
                what = "a line of this sentence cannot be read"
                block.fault = Problem(what, self._stream.name, number - 1)
            expected = number + 1
            if not line.strip(" \t"):
                if line:
                    what = "a blank line holds spaces, read as blank"
                    self._collector.warn("blank-with-spaces", what, Problem("", self._stream.name, number))
                yield from self._closed(block)
                block = Block()
            elif line[0] in "#-" and self._is_mark(line, number):
                yield from self._closed(block)
                block = self._after_mark(line, number)
            elif line[0] == "#" and (comment := comment_of(line)) is not None:
                if block.rows and comment[0].lower() in (*_IDS, *_DOCUMENTS):
                    yield from self._closed(block)
                    block = Block()
                self._take_comment(block, *comment)
            else:
                block.take(line, number)
                if line.endswith(SENTENCE_END) or f"{SENTENCE_END}|" in line:
                    yield from self._closed(block)
                    block = Block()
        yield from self._closed(block)

    def _take_comment(self, block: Block, key: str, value: str) -> None:
        lower = key.lower()
        if lower in _DOCUMENTS and value:
            self._doc = value
        elif lower == "newdoc":
            self._document += 1
        elif lower in _IDS and value:
            block.about.setdefault("id", value)
        elif lower not in _NOTHING_TO_KEEP:
            block.about.setdefault(key, value)

    def _closed(self, block: Block) -> Iterator[Block]:
        if not block.is_empty:
            block.document, block.doc = self._document, self._doc
            yield block

    def _is_mark(self, line: str, number: int) -> bool:
        """Whether a line is no token: the header, the line above a sentence, or the start of a document."""
        if line.startswith(DOCUMENT_START):
            return cut_at_spaces(line)[0] == DOCUMENT_START
        if line.startswith(HEADER):
            return number == 1
        return self.columns is not None and line.startswith(SENTENCE) and "\t" not in line

    def _after_mark(self, line: str, number: int) -> Block:
        if line.startswith(DOCUMENT_START):
            self._document += 1
        elif line.startswith(HEADER):
            try:
                self.columns = header_columns(line)
            except AnnotationError as error:
                raise FormatError(problem_of(error, self._stream.name, number)) from None
        else:
            return self._block_about(line, number)
        return Block()

    def _block_about(self, line: str, number: int) -> Block:
        block = Block(number, header=line)
        try:
            about = loads(line.removeprefix(SENTENCE), depth=self._collector.settings.limits.depth)
            if not isinstance(about, dict):
                raise AnnotationError("a JSON object is expected")
            block.about = about
        except (JsonFault, AnnotationError) as error:
            what = f"the line '{SENTENCE}' is wrong ({error}), correct it"
            block.fault = Problem(what, self._stream.name, number)
        return block
