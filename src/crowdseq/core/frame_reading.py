"""corpus_of_frame: a long table of any data frame library to a corpus.

narwhals, which knows these libraries, is imported when the first frame is given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crowdseq.core.building import DUPLICATES, CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import (
    Advice,
    AnnotationError,
    FormatError,
    InputError,
    MissingExtraError,
    Problem,
    SettingsError,
)

if TYPE_CHECKING:
    import narwhals

COLUMNS = ("sentence", "token", "annotator", "label", "position", "doc", "gold")
# What others call these columns: only named in advice, never guessed.
_OTHER_NAMES = {
    "sentence": ("sentence_id", "sent_id", "sent", "task", "id"),
    "token": ("word", "text", "tokens"),
    "annotator": ("worker", "annotator_id", "worker_id", "user", "coder"),
    "label": ("tag", "ner_tag", "labels", "ner"),
}
_MOST_PROBLEMS = 20


def corpus_of_frame(
    frame: Any,
    columns: Mapping[str, str],
    scheme: LabelScheme | str | None = None,
    duplicates: str = "error",
) -> Corpus:
    """What `Corpus.from_frame` gives; every faulty sentence is told in one error."""
    if duplicates not in DUPLICATES:
        raise SettingsError(f"duplicates cannot be '{duplicates}', choose one of {', '.join(DUPLICATES)}")
    table = _Table.of(frame, columns)
    builder, problems = CorpusBuilder(duplicates=duplicates), list[Problem]()
    for name, rows in table.sentences().items():
        try:
            builder.add(_Gathered.of(table, rows, duplicates).record(name))
        except InputError as error:
            problems.append(Problem(error.message, "frame", 0, f"sentence {name}", error.advice))
    if problems:
        more = len(problems) - _MOST_PROBLEMS
        tail = [Problem(f"… and {more:,} more sentences are faulty")] if more > 0 else []
        raise FormatError(*problems[:_MOST_PROBLEMS], *tail)
    return builder.build(scheme)


@dataclass(frozen=True)
class _Table:
    """The columns of a long table as texts, None for what is missing; positions are counted from 0."""

    sentence: Sequence[str | None]
    token: Sequence[str | None]
    annotator: Sequence[str | None]
    label: Sequence[str | None]
    position: Sequence[int]
    doc: Sequence[str | None]
    gold: Sequence[str | None]

    @classmethod
    def of(cls, frame: Any, columns: Mapping[str, str]) -> "_Table":
        held = _opened(frame)
        names = _column_names(list(held.columns), columns)
        size = len(held)
        texts = {
            what: _texts(held[names[what]]) if what in names else [None] * size
            for what in COLUMNS
            if what != "position"
        }
        if "position" in names:
            position = _positions(_values(held[names["position"]]))
        else:
            position = _counted(texts["sentence"], texts["annotator"])
        return cls(position=position, **texts)

    def sentences(self) -> dict[str, list[int]]:
        """The rows of each sentence, in the order of their first appearance."""
        found: dict[str, list[int]] = {}
        for row, name in enumerate(self.sentence):
            if name is None:
                raise FormatError(Problem(f"row {row} does not name its sentence", "frame"))
            found.setdefault(name, []).append(row)
        return found


@dataclass
class _Gathered:
    """What the rows of one sentence say, by the position of the token."""

    doc: str | None = None
    tokens: dict[int, str] = field(default_factory=dict)
    gold: dict[int, str] = field(default_factory=dict)
    votes: dict[str, dict[int, str | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: _Table, rows: Sequence[int], duplicates: str) -> "_Gathered":
        made = cls()
        for row in rows:
            made._take(table, row, duplicates)
        return made

    def _take(self, table: _Table, row: int, duplicates: str) -> None:
        place, token, who = table.position[row], table.token[row], table.annotator[row]
        if token is None:
            raise AnnotationError(f"row {row} has no token")
        _hold(self.tokens, place, token, "token", row)
        gold, doc, label = table.gold[row], table.doc[row], table.label[row]
        if gold is not None:
            _hold(self.gold, place, gold, "gold label", row)
        if doc is not None and (self.doc or doc) != doc:
            advice = Advice("make the names of sentences unique")
            raise AnnotationError(f"row {row} is in the document '{doc}', others in '{self.doc}':", advice)
        self.doc = self.doc or doc
        if who is None:
            if label is not None:
                raise AnnotationError(f"row {row} has the label '{label}' and no annotator")
            return
        votes = self.votes.setdefault(who, {})
        if place in votes and duplicates == "error":
            advice = Advice(
                "remove one row, or say which to keep: {duplicates} (or newest)", duplicates="first"
            )
            raise AnnotationError(f"annotator {who} labels token {place} twice (row {row}):", advice)
        if place not in votes or duplicates == "newest":
            votes[place] = label

    def record(self, name: str) -> Record:
        size = max(self.tokens) + 1
        missing = next((place for place in range(size) if place not in self.tokens), None)
        if missing is not None:
            raise AnnotationError(f"no row has token {missing}, though there is one at {size - 1}")
        tokens = [self.tokens[place] for place in range(size)]
        votes = {who: [given.get(place) for place in range(size)] for who, given in self.votes.items()}
        gold = [self.gold.get(place) for place in range(size)] if self.gold else None
        return Record(tokens, name, self.doc, votes, gold)


def _hold(held: dict[int, str], place: int, value: str, what: str, row: int) -> None:
    if held.setdefault(place, value) != value:
        raise AnnotationError(
            f"{what} {place} is '{value}' in row {row} and '{held[place]}' before;",
            Advice("if the rows of an annotator are not whole sentences in order, add a column position"),
        )


def _opened(frame: Any) -> "narwhals.DataFrame[Any]":
    try:
        import narwhals
    except ImportError:
        raise MissingExtraError("a data frame", "frames") from None
    held = narwhals.from_native(frame, pass_through=True)
    if isinstance(held, narwhals.LazyFrame):
        held = held.collect()
    if not isinstance(held, narwhals.DataFrame):
        raise SettingsError(
            f"a data frame of pandas, polars or pyarrow is expected, not a {type(frame).__name__}"
        )
    return held


def _column_names(held: list[Any], given: Mapping[str, str]) -> dict[str, str]:
    """The column of the frame for each of ours that it has."""
    unknown = [name for name in given if name not in COLUMNS]
    if unknown:
        raise SettingsError(f"columns cannot name '{unknown[0]}', choose from {', '.join(COLUMNS)}")
    for what, name in given.items():
        if name not in held:
            raise SettingsError(f"the frame has no column '{name}' for {what}, it has {_shown(held)}")
    names = {what: given.get(what, what) for what in COLUMNS if given.get(what, what) in held}
    needed = ["sentence", "token"] + ([] if "gold" in names else ["annotator", "label"])
    needed += [what for what in ("annotator", "label") if names.keys() & {"annotator", "label"}]
    for what in needed:
        if what not in names:
            near = next((name for name in _OTHER_NAMES[what] if name in held), "…")
            advice = Advice(f"say which one it is: columns={{{{'{what}': '{{0}}'}}}}", near)
            raise SettingsError(f"the frame has no column '{what}', it has {_shown(held)}:", advice)
    return names


def _shown(names: list[Any]) -> str:
    return ", ".join(map(str, names[:12])) + (", …" if len(names) > 12 else "")


def _values(column: Any) -> list[Any]:
    """The values of a column, None for what is missing in any library's way."""
    pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
    return [None if missing else value for value, missing in pairs]


def _texts(column: Any) -> list[str | None]:
    """The same as texts: a number is told by its digits, and 3.0 by those of 3, since missing values make
    floats of whole numbers in some libraries."""
    return [
        value
        if value is None or isinstance(value, str)
        else str(int(value))
        if isinstance(value, float) and value.is_integer()
        else str(value)
        for value in _values(column)
    ]


def _positions(values: list[Any]) -> list[int]:
    """Positions counted from 0; those of the frame may begin with 1."""
    for row, value in enumerate(values):
        if value is None or value != value or int(value) != value or value < 0:
            raise FormatError(
                Problem(f"row {row} has the position {value}, a whole number is needed", "frame")
            )
    lowest = min(values, default=0)
    if lowest > 1:
        raise FormatError(Problem(f"positions begin with {lowest}, count the tokens from 0 or 1", "frame"))
    return [int(value) - int(lowest) for value in values]


def _counted(sentences: Sequence[str | None], annotators: Sequence[str | None]) -> list[int]:
    """The number of each row among those of its sentence and annotator."""
    seen: dict[tuple[str | None, str | None], int] = {}
    places = []
    for key in zip(sentences, annotators, strict=True):
        places.append(seen.get(key, 0))
        seen[key] = places[-1] + 1
    return places
