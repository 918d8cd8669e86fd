"""CoNLL-U: ten columns a word; labels in MISC (`NER=B-PER`), in a further column or in one of choice."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crowdseq.core.building import Record
from crowdseq.errors import Advice, AnnotationError, FormatError, MissingExtraError, Problem, SettingsError
from crowdseq.formats.conventions.roles import annotator_of, refuse_second_gold
from crowdseq.formats.files.lines import read_lines
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import BY_NAME, NO, SURE, Format, ReadRecord, Sample

if TYPE_CHECKING:
    from conllu.models import TokenList

FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
EXTRA_FIELD = "ner"
LABEL_KEYS = ("ner", "namedentity")  # in MISC, in any case of letters
_WORDS_COMPARED = 60
_GLOBAL_COLUMNS = "# global.columns ="
_OWN_COMMENTS = frozenset({"sent_id", "newdoc", "newdoc id", "newpar", "newpar id", "global.columns", "text"})


def recognise(sample: Sample) -> int:
    """Ten columns or more, the first a number that begins with 1."""
    rows = [line for line in sample.lines if line and not line.startswith("#")]
    if sample.text.startswith(_GLOBAL_COLUMNS):
        return SURE
    if not rows:
        return BY_NAME if sample.has_extension(FORMAT.extensions) else NO
    cells = rows[0].split("\t")
    return SURE if len(cells) >= len(FIELDS) and cells[0] in ("1", "1-2", "0.1") else NO


def text_of(sample: Sample) -> str | None:
    """How the text begins: its first words."""
    rows = [line.split("\t", 2) for line in sample.lines if line and not line.startswith("#")]
    return "\n".join(row[1] for row in rows[:_WORDS_COMPARED] if len(row) > 1) or None


@dataclass
class _Block:
    """The lines of one sentence, the line they begin at, and what became of them."""

    line: int
    rows: list[str]
    words: "TokenList | None" = None

    @property
    def raw(self) -> str:
        return "\n".join(self.rows)


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """The sentences of one file, which is one annotator's or gold."""
    return _Reader(stream, source, collector).sentences()


class _Reader:
    """One pass to parse, then, when it is known where labels stand, one to make records."""

    def __init__(self, stream: Stream, source: Source, collector: Collector) -> None:
        self.stream, self.collector, self.name = stream, collector, stream.name
        self.annotator = annotator_of(source, collector)
        self.prefix = "" if self.annotator and source.folder is None else source.prefix
        self.document = source.document
        if self.document is not None:
            self.prefix = f"{self.prefix}{self.document}-"
        self.fields: tuple[str, ...] = FIELDS
        self.is_first = True
        self.doc: str | None = self.prefix.removesuffix("-") if self.document is not None else None
        self.n_documents = 0

    def sentences(self) -> Iterator[ReadRecord]:
        blocks = list(self._parsed(_blocks(read_lines(self.stream, self.collector))))
        kept = [block.words for block in blocks if block.words is not None]
        source, otherwise = self._label_source(kept)
        digest = hashlib.sha256()
        for number, block in enumerate(blocks, 1):
            if block.words is None:
                continue
            record = self._record(block, block.words, number, source, otherwise)
            digest.update("\n".join([*record.tokens, "", ""]).encode("utf-8", "replace"))
            yield ReadRecord(record, block.line, block.raw)
        if kept and self.annotator is None and self.document is None:
            refuse_second_gold(digest.hexdigest(), self.name, self.collector)

    def _parsed(self, blocks: Iterable[_Block]) -> Iterator[_Block]:
        try:
            import conllu
            from conllu.exceptions import ParseException
        except ImportError:
            raise MissingExtraError("reading CoNLL-U", "formats") from None
        for block in blocks:
            try:
                self._check_rows(block)
                (block.words,) = conllu.parse(block.raw + "\n", fields=self.fields)
            except (ParseException, ValueError) as error:
                what = f"not CoNLL-U ({str(error).rstrip('.')}), correct the sentence"
                self.collector.reject(Problem(what, self.name, block.line), block.raw)
            except AnnotationError as error:
                self.collector.reject(problem_of(error, self.name, block.line), block.raw)
            yield block

    def _check_rows(self, block: _Block) -> None:
        """The parser is lenient with the number of columns, which would lose labels in silence."""
        for row in block.rows:
            if row.startswith(_GLOBAL_COLUMNS) and self.is_first:
                names = row.removeprefix(_GLOBAL_COLUMNS).split()
                self.fields = tuple(name.lower() for name in names)
                if not {"id", "form"} <= set(self.fields):
                    what = "names no column ID and FORM, which every row needs"
                    raise FormatError(Problem(f"the line '{_GLOBAL_COLUMNS}' {what}", self.name, block.line))
        rows = [row for row in block.rows if not row.startswith("#")]
        if not rows:
            raise AnnotationError("comments without a sentence, remove them")
        for row in rows:
            size = len(row.split("\t"))
            first = row.split("\t")[0][:20]
            if self.is_first and self.fields == FIELDS and size == len(FIELDS) + 1:
                self.fields = (*FIELDS, EXTRA_FIELD)
            self.is_first = False
            if "  " in row:
                raise AnnotationError(f"row '{first}' holds two spaces in a row, correct it")
            if size != len(self.fields):
                raise AnnotationError(
                    f"row '{first}' has {size} columns where {len(self.fields)} are expected"
                )

    def _label_source(self, sentences: "Sequence[TokenList]") -> tuple[str, str | None]:
        """The field, or `misc:KEY`, that holds the labels, and what a word without one is."""
        chosen = self.collector.settings.columns
        if chosen is not None:
            if len(chosen) != 1 or not (chosen[0] in self.fields or chosen[0].startswith("misc:")):
                known = ", ".join(self.fields[2:])
                raise SettingsError(
                    f"columns '{','.join(chosen)}': name the one that holds the labels ({known} or misc:KEY)"
                )
            return chosen[0], None
        extra = [name for name in self.fields if name not in FIELDS]
        if extra:
            named = [name for name in extra if "ner" in name.split(":")] or extra
            return named[0], None
        for sentence in sentences:
            for key in (key for word in sentence for key in (word.get("misc") or ())):
                if key.lower() in LABEL_KEYS:
                    return f"misc:{key}", None if self._writes_outside(sentences, key) else "O"
        if not sentences:
            return "misc:NER", None
        what = "holds no labels: no NER= in MISC and no column behind it"
        advice = Advice("say which column has them: {columns} (or xpos, …, misc:KEY)", columns="upos")
        raise FormatError(Problem(what, self.name, advice=advice))

    def _writes_outside(self, sentences: "Sequence[TokenList]", key: str) -> bool:
        """Where `NER=O` is written for some words, those without it were not labelled."""
        return any((word.get("misc") or {}).get(key) == "O" for sentence in sentences for word in sentence)

    def _record(
        self, block: _Block, sentence: "TokenList", number: int, source: str, otherwise: str | None
    ) -> Record:
        about: dict[str, Any] = dict(sentence.metadata)
        self._open_document(about)
        words = [word for word in sentence if isinstance(word.get("id"), int)]
        if len(words) < len(sentence):
            what = "rows of multiword tokens (1-2) and of empty nodes (1.1) were left out, words are kept"
            place = Problem("", self.name, block.line, about.get("sent_id") or "")
            self.collector.warn("rows-left-out", what, place, len(sentence) - len(words))
        tags = [_label(word, source) or otherwise for word in words]
        extras = {key: value for key, value in about.items() if key not in _OWN_COMMENTS}
        if about.get("text"):
            extras["text"] = about["text"]
        return Record(
            [word["form"] for word in words],
            about.get("sent_id") or f"{self.prefix}s{number}",
            self.doc,
            {} if self.annotator is None else {self.annotator: tags},
            tags if self.annotator is None else None,
            self._columns(words, source) if self.annotator is None else {},
            extras,
            f"{self.name}:{block.line}",
        )

    def _open_document(self, about: dict[str, Any]) -> None:
        if "newdoc id" in about or "newdoc" in about:
            self.n_documents += 1
            self.doc = about.get("newdoc id") or f"{self.prefix}d{self.n_documents}"

    def _columns(self, words: Sequence[Any], source: str) -> dict[str, list[str]]:
        """Further fields of a gold file; those of annotators may differ, and they are not what is asked."""
        held = [name for name in ("lemma", "upos", "xpos") if name in self.fields and name != source]
        return {name: [str(word.get(name) or "_") for word in words] for name in held}


def _blocks(lines: Iterable[tuple[int, str]]) -> Iterator[_Block]:
    block: _Block | None = None
    for number, line in lines:
        if not line.strip():
            if block is not None:
                yield block
            block = None
        elif block is None:
            block = _Block(number, [line])
        else:
            block.rows.append(line)
    if block is not None:
        yield block


def _label(word: Any, source: str) -> str | None:
    field, _, key = source.partition(":")
    value = (word.get("misc") or {}).get(key) if field == "misc" and key else word.get(source)
    return None if value in (None, "", "_", "*") else str(value)


FORMAT = Format(
    name="conll-u",
    summary="CoNLL-U: labels as NER= in MISC, in a further column, or in one named (extra: formats)",
    extensions=("conllu", "conllup"),
    settings=("columns", "files_mean"),
    recognise=recognise,
    read=read,
    text_of=text_of,
)
