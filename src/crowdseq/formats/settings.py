"""ReadSettings and Limits: how files are to be read, checked before the first byte.

A reading option is declared here and nowhere else: the metadata of a field is its option on the command line,
its help, its check and its entry in the reference.
"""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from types import MappingProxyType
from typing import Any

from crowdseq.errors import Advice, SettingsError

OFFSET_UNITS = ("auto", "characters", "utf-16", "graphemes")
TOKENIZERS, REGEX, SPACY = ("words", "whitespace"), "regex:", "spacy:"
SENTENCES = ("auto", "document", "newline", "rules")
_OTHER_NAMES = {"BIO": "IOB2", "IOB": "IOB1", "IOBES": "BIOES"}
_NOT_FOR_FILES = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})
_OPTION = "option"


@dataclass(frozen=True)
class Option:
    """How people are told of a setting and what they may choose.

    choices: all values there are. flag: the name on the command line where it is not that of the field.
    metavar: what stands for the value in the help. is_closed: whether the command line offers the choices as
    they are; otherwise other spellings of them are known too. is_list: whether a person types several values
    with commas between them.
    """

    help: str
    choices: tuple[str, ...] = ()
    flag: str = ""
    metavar: str | None = None
    is_closed: bool = True
    is_list: bool = False


def _setting(default: Any, help: str, **more: Any) -> Any:
    """A field that is also an option."""
    return field(default=default, metadata={_OPTION: Option(help, **more)})


def _choice(help: str, *choices: str) -> Any:
    """A field with a few values, the first of which is the default."""
    return _setting(choices[0], help, choices=choices)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Ceilings that keep a hostile or mistaken file from filling the memory.

    unpacked_bytes: of one packed file. ratio: unpacked by packed, looked at beyond ratio_after bytes.
    line_bytes: one line, or one value of a JSON array. depth: nesting of JSON. members: files in one archive.
    faults: bad records after which reading stops. records_per_byte: sentences of a file, for each byte that
    it has, beyond records_after. labels: different ones. columns: of a table. cells_per_byte: tokens times
    annotators of all documents, for each byte of the file, beyond cells_after. pattern_seconds: for a
    tokenizer's pattern on a text. parser_seconds, parser_bytes, parser_bytes_per_byte: time for each
    megabyte, and memory, of the process that parses binary files.
    """

    unpacked_bytes: int = 2 << 30
    ratio: int = 50
    ratio_after: int = 8 << 20
    records_per_byte: float = 0.1
    records_after: int = 30_000
    labels: int = 1000
    columns: int = 10_000
    cells_per_byte: int = 20
    cells_after: int = 20_000_000
    pattern_seconds: float = 2.0
    parser_seconds: float = 2.0
    parser_bytes: int = 400 << 20
    parser_bytes_per_byte: int = 24
    line_bytes: int = 64 << 20
    depth: int = 200
    members: int = 100_000
    faults: int = 10_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise SettingsError(f"limit {name} is {value}, give a number above 0")

    @classmethod
    def of(cls, given: Any) -> "Limits":
        """From limits, none, or words such as `labels=5000`, as messages name them."""
        if isinstance(given, cls):
            return given
        chosen: dict[str, Any] = {}
        for word in given.split(",") if isinstance(given, str) else given or ():
            name, _, value = str(word).strip().partition("=")
            known = {one.name: one.default for one in fields(cls)}
            if name not in known:
                raise SettingsError(f"limit '{name}' is unknown, choose one of {', '.join(known)}")
            try:
                chosen[name] = float(value) if isinstance(known[name], float) else int(value)
            except ValueError:
                raise SettingsError(f"limit {name} is '{value}', give a number above 0") from None
        return cls(**chosen)


@dataclass(frozen=True, kw_only=True)
class ReadSettings:
    """Everything a reader may be told; the defaults suit a clean file in our own forms.

    format: name of a format, None to recognise it. encoding: None is UTF-8. scheme: a kind such as IOB2,
    None to detect it. labels: the known tags or entity types, None to take those of the data.
    on_error: `stop` refuses the input with every fault found, `skip` sets faulty records aside in `rejects`.
    duplicates: same sentence twice from one annotator: `error`, keep the `first` or the `newest`.
    match: sentences of several files are the same if their `id` is, or with `text` if their words are.
    columns: what the columns of a CoNLL file hold (`token`, `gold`, `column:pos`, `annotator:w1`, `-`), or
    which column of a table is what (`worker=rater`). missing: what stands in place of a label where there is
    none; None takes the usual marks where they stand beside B- and I- tags. last_column: the label of a CoNLL
    file is in its last column, whatever the others hold.
    files_mean: whether a file with one column of labels is `gold` or one `annotator`, or a `document` of the
    annotator that its folder is named after; `auto` takes files in a folder as annotators, and as documents
    where several folders hold the same ones; a `part` holds whole documents of one corpus. names,
    documents: annotators and documents to rename.
    tokenizer: for text without tokens.
    offset_unit, overlaps, cut_tokens, empty_means, several_labels, discontinuous: for formats that mark
    characters instead of tokens; `ask` refuses input in which nobody can tell an empty document from one that
    was never opened. overlaps: of spans of one annotator the `longest` stays, it is an `error`, or types are
    taken apart into `layers`, of which `types` chooses one. sentences: a `document` is one sequence, or one
    is made of each line (`newline`) or of each sentence, found by `rules` or by `spacy:en`; `auto` cuts long
    documents by rules. normalise: `nfc` joins texts that differ only in Unicode form or line
    ends. layer: the control, question or layer to read where a file has several. text_field: the field that
    holds the text where a file has several. types: only spans of these types. predictions: read those of a
    model as one more annotator.
    force: overwrite a rejects file that exists. limits: ceilings for hostile files, see `Limits`.
    """

    format: str | None = _setting(
        None, "Read as this format instead of guessing (crowdseq formats).", flag="from", metavar="FORMAT"
    )
    encoding: str | None = _setting(None, "Text encoding of the files (default: UTF-8).")
    scheme: str | None = _setting(
        None,
        "Label scheme instead of guessing: IO, IOB1, IOB2, BIOES, BILOU or plain.",
        choices=("IO", "IOB1", "IOB2", "BIOES", "BILOU", "plain"),
        is_closed=False,
    )
    on_error: str = _choice(
        "With skip, bad records are set aside in a rejects file, with the reason, and the rest is used.",
        *("stop", "skip"),
    )
    rejects: str | None = _setting(
        None, "Where skipped records go (default: rejected.jsonl).", metavar="FILE"
    )
    duplicates: str = _choice("When an annotator labelled a sentence twice.", "error", "first", "newest")
    labels: tuple[str, ...] | None = _setting(
        None, "The tags or entity types there are; any other is an error.", is_list=True
    )
    match: str = _choice(
        "What makes sentences of several files the same: their id or their text.", "id", "text"
    )
    columns: tuple[str, ...] | None = _setting(
        None,
        "What the columns of CoNLL files hold: token, gold, column:NAME, an annotator, - for nothing; or, by "
        "name or number, which column is what: token=WORD,gold=3; in tables also sentence=, worker=, label=.",
        is_list=True,
    )
    missing: tuple[str, ...] | None = _setting(
        None,
        "What stands in place of a label where there is none (default: ? in columns; beside B- and I- tags "
        "also None, -, _, NA and the like).",
        is_list=True,
    )
    last_column: bool = False
    files_mean: str = _choice(
        "What one label column is; auto: an annotator in the files of a folder, else gold. document: each "
        "file is a document, its folder the annotator. part: files are parts of one corpus, whole documents "
        "in each, as those of a quoted pattern ('part-*.jsonl.gz') are.",
        *("auto", "gold", "annotator", "document", "part"),
    )
    names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    documents: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    empty_means: str = _choice("What a document without spans means.", "ask", "labelled", "missing")
    offset_unit: str = _choice("What character offsets count.", *OFFSET_UNITS)
    overlaps: str = _choice("When spans of one annotator overlap.", "longest", "error", "layers")
    cut_tokens: str = _choice("When a span cuts a token.", "expand", "contract", "drop", "error")
    several_labels: str = _choice("When one span has several labels.", "error", "first", "joined")
    discontinuous: str = _choice("When a span has a gap.", "error", "drop", "split")
    sentences: str = _setting(
        "auto",
        "What one sequence is, in text without sentences: a document, each line (newline), each sentence by "
        "rules or by spacy:LANGUAGE; auto: a document, or by rules if it is long.",
    )
    normalise: str = _choice("Make texts equal that differ in Unicode form or line ends.", "none", "nfc")
    tokenizer: str = _setting(
        "words", "For text without tokens: words, whitespace, regex:PATTERN or spacy:LANGUAGE."
    )
    layer: str | None = _setting(None, "The control, question or layer to read where a file has several.")
    text_field: str | None = _setting(None, "The field that holds the text where a file has several.")
    types: tuple[str, ...] | None = _setting(None, "Only spans of these types.", is_list=True)
    predictions: bool = _setting(False, "Read a model's predictions as one more annotator.")
    force: bool = False
    limits: Limits = _setting(  # noqa: RUF009
        Limits(),
        "Higher ceilings for large files that you trust: labels=5000; a message names the one it met.",
        metavar="NAME=NUMBER,…",
        is_list=True,
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits", Limits.of(self.limits))
        object.__setattr__(self, "scheme", _OTHER_NAMES.get(self.scheme or "", self.scheme))
        for name, option in reading_options().items():
            value = getattr(self, name)
            if option.choices and value is not None and value not in option.choices:
                known = ", ".join(option.choices)
                raise SettingsError(f"{name} '{value}' is unknown, choose one of {known}")
        _check_encoding(self.encoding)
        check_tokenizer(self.tokenizer)
        if self.sentences not in SENTENCES and not self.sentences.startswith(SPACY):
            known = f"{', '.join(SENTENCES)} or {SPACY}LANGUAGE"
            raise SettingsError(f"sentences '{self.sentences}' is unknown, choose one of {known}")
        if self.labels is not None and not self.labels:
            raise SettingsError("the list of labels is empty, name at least one or leave it out")
        if self.rejects is not None and self.on_error != "skip":
            advice = Advice("say {on_error}", on_error="skip")
            raise SettingsError("a rejects file is only written when faulty records are skipped:", advice)

    @property
    def in_layers(self) -> bool:
        """Whether overlapping spans are to be taken apart; whoever names types has done so already."""
        return self.overlaps == "layers" and self.types is None

    @property
    def renames(self) -> bool:
        """Whether records get other names, or lose marks that stand for no label."""
        return bool(self.names or self.documents) or self.missing is not None


@cache
def reading_options() -> dict[str, Option]:
    """The settings that are options on the command line too, by name, in the order of the help."""
    return {one.name: one.metadata[_OPTION] for one in fields(ReadSettings) if _OPTION in one.metadata}


def check_tokenizer(name: str) -> None:
    """Raise if there is no such tokeniser; those of spaCy load slowly and are left for first use."""
    if name in TOKENIZERS or name.startswith(SPACY):
        return
    pattern = name.removeprefix(REGEX) if name.startswith(REGEX) else ""
    if not pattern:
        known = "words, whitespace, regex:PATTERN or spacy:LANGUAGE"
        raise SettingsError(f"tokenizer '{name}' is unknown, choose {known}")
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        shown = name if len(name) <= 80 else f"{name[:79]}…"
        raise SettingsError(f"the pattern of tokenizer '{shown}' is wrong: {error}") from None


def _check_encoding(name: str | None) -> None:
    if name is None:
        return
    try:
        "".encode(name)  # refuses codecs that are no text encodings, such as hex, which look-up alone finds
        known = codecs.lookup(name).name
    except (LookupError, UnicodeError, ValueError):
        known = ""
    if not known or known.replace("_", "-") in _NOT_FOR_FILES:
        raise SettingsError(f"encoding '{name}' is unknown, try utf-8, utf-16, latin-1 or cp1252")


# Extra keys of a sentence that was cut from a text; with them an export gives back the characters marked.
TEXT, SPANS, GOLD_SPANS, OFFSETS = "text", "spans", "gold_spans", "offsets"
ORIGINAL = "original_text"  # where the text was normalised
PART = "part_of"  # of which document a sentence was cut, and which of its parts it is
