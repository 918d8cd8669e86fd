"""ReadSettings and Limits: how files are to be read, checked before the first byte."""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from crowdseq.core.building import DUPLICATES
from crowdseq.core.labels import KINDS
from crowdseq.errors import SettingsError

ON_ERROR = ("stop", "skip")
FILES_MEAN = ("auto", "gold", "annotator")
OFFSET_UNITS = ("auto", "characters", "utf-16", "graphemes")
OVERLAPS = ("longest", "error", "layers")
CUT_TOKENS = ("expand", "contract", "drop", "error")
EMPTY_MEANS = ("ask", "labelled", "missing")
SEVERAL_LABELS = ("error", "first", "joined")
DISCONTINUOUS = ("error", "drop", "split")
SENTENCES = ("document", "newline")
NORMALISE = ("none", "nfc")
TOKENIZERS, REGEX, SPACY = ("words", "whitespace"), "regex:", "spacy:"
_OTHER_NAMES = {"BIO": "IOB2", "IOB": "IOB1", "IOBES": "BIOES"}
_NOT_FOR_FILES = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Ceilings that keep a hostile or mistaken file from filling the memory.

    unpacked_bytes: of one packed file. ratio: unpacked by packed, looked at beyond ratio_after bytes.
    line_bytes: one line, or one value of a JSON array. depth: nesting of JSON. members: files in one archive.
    faults: bad records after which reading stops.
    """

    unpacked_bytes: int = 2 << 30
    ratio: int = 200
    ratio_after: int = 50 << 20
    line_bytes: int = 64 << 20
    depth: int = 200
    members: int = 100_000
    faults: int = 10_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1:
                raise SettingsError(f"limit {name} is {value}, give a number above 0")


@dataclass(frozen=True, kw_only=True)
class ReadSettings:
    """Everything a reader may be told; the defaults suit a clean file in our own forms.

    format: name of a format, None to recognise it. encoding: None is UTF-8. scheme: a kind such as IOB2,
    None to detect it. labels: the known tags or entity types, None to take those of the data.
    on_error: `stop` refuses the input with every fault found, `skip` sets faulty records aside in `rejects`.
    duplicates: same sentence twice from one annotator: `error`, keep the `first` or the `newest`.
    columns: what the columns of a CoNLL file hold (`token`, `gold`, `column:pos`, `annotator:w1`, `-`).
    files_mean: whether a file with one column of labels is `gold` or one `annotator`; `auto` takes files in a
    folder as annotators. names, documents: annotators and documents to rename. tokenizer: for text without
    tokens.
    offset_unit, overlaps, cut_tokens, empty_means, several_labels, discontinuous: for formats that mark
    characters instead of tokens; `ask` refuses input in which nobody can tell an empty document from one that
    was never opened. overlaps: of spans of one annotator the `longest` stays, it is an `error`, or types are
    taken apart into `layers`, of which `types` chooses one. sentences: a `document` is one sequence, or one
    is made of each line (`newline`). normalise: `nfc` joins texts that differ only in Unicode form or line
    ends. layer: the control, question or layer to read where a file has several. text_field: the field that
    holds the text where a file has several. types: only spans of these types. predictions: read those of a
    model as one more annotator.
    force: overwrite a rejects file that exists.
    """

    format: str | None = None
    encoding: str | None = None
    scheme: str | None = None
    labels: tuple[str, ...] | None = None
    on_error: str = "stop"
    rejects: str | None = None
    duplicates: str = "error"
    columns: tuple[str, ...] | None = None
    files_mean: str = "auto"
    names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    documents: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    tokenizer: str = "words"
    offset_unit: str = "auto"
    overlaps: str = "longest"
    cut_tokens: str = "expand"
    empty_means: str = "ask"
    several_labels: str = "error"
    discontinuous: str = "error"
    sentences: str = "document"
    normalise: str = "none"
    layer: str | None = None
    text_field: str | None = None
    types: tuple[str, ...] | None = None
    predictions: bool = False
    force: bool = False
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scheme", _OTHER_NAMES.get(self.scheme or "", self.scheme))
        _choose("scheme", self.scheme, (None, *KINDS))
        _choose("on_error", self.on_error, ON_ERROR)
        _choose("duplicates", self.duplicates, DUPLICATES)
        _choose("files_mean", self.files_mean, FILES_MEAN)
        _choose("offset_unit", self.offset_unit, OFFSET_UNITS)
        _choose("overlaps", self.overlaps, OVERLAPS)
        _choose("cut_tokens", self.cut_tokens, CUT_TOKENS)
        _choose("empty_means", self.empty_means, EMPTY_MEANS)
        _choose("several_labels", self.several_labels, SEVERAL_LABELS)
        _choose("discontinuous", self.discontinuous, DISCONTINUOUS)
        _choose("sentences", self.sentences, SENTENCES)
        _choose("normalise", self.normalise, NORMALISE)
        _check_encoding(self.encoding)
        check_tokenizer(self.tokenizer)
        if self.labels is not None and not self.labels:
            raise SettingsError("the list of labels is empty, name at least one or leave it out")
        if self.rejects is not None and self.on_error != "skip":
            raise SettingsError(
                "a rejects file is only written when faulty records are skipped (on_error=skip)"
            )

    @property
    def in_layers(self) -> bool:
        """Whether overlapping spans are to be taken apart; whoever names types has done so already."""
        return self.overlaps == "layers" and self.types is None


def _choose(name: str, value: str | None, choices: tuple[str | None, ...]) -> None:
    if value not in choices:
        known = ", ".join(choice for choice in choices if choice is not None)
        raise SettingsError(f"{name} '{value}' is unknown, choose one of {known}")


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
    except re.error as error:
        raise SettingsError(f"the pattern of tokenizer '{name}' is wrong: {error}") from None


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
