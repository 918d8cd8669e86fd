"""Which columns of a table make it a long one, under the names that people give them, and its rows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from crowdseq.errors import AnnotationError, Problem, SettingsError
from crowdseq.formats.table_io.long_rows import LongRow, split_task, token_index

TASK, WORKER, LABEL, INDEX = "task", "worker", "label", "token_index"
SENTENCE, TOKEN, DOCUMENT, GOLD = "sentence", "token", "doc", "gold"
NEEDED = (SENTENCE, TOKEN, WORKER, LABEL)
# All names are known in any case of letters, spaces being like underscores.
_NAMES = {
    TASK: ("task",),
    SENTENCE: (
        *("sentence_id", "sentence", "sent_id", "sent", "sentence_#", "sentence_number", "text_id"),
        *("sentence_no", "sentence_nr", "sentence_idx", "sentence_index", "sent_idx", "sent_no"),
    ),
    INDEX: (
        *("token_index", "token_id", "token_number", "tok_id", "word_id", "word_index", "position"),
        *("token_no", "token_nr", "token_idx", "tok_idx", "word_idx", "word_no", "token_position"),
    ),
    TOKEN: ("token", "word", "tok", "form"),
    WORKER: (
        *(
            "worker",
            "annotator",
            "worker_id",
            "annotator_id",
            "annotator_name",
            "user",
            "user_id",
            "username",
        ),
        *("rater", "coder", "labeler", "labeller", "performer", "rater_id", "coder_id", "labeler_id"),
        *("user_name", "worker_name", "annotator_email", "user_email", "worker_email", "email"),
    ),
    LABEL: (
        *("label", "tag", "ner_tag", "ner", "bio", "iob", "annotation", "entity", "class"),
        *("ner_label", "bio_tag", "iob_tag", "entity_tag", "entity_label"),
    ),
    GOLD: ("gold", "gold_label", "true_label"),
    DOCUMENT: ("doc_id", "doc", "document", "document_id"),
}
_STARTS = frozenset({"start", "begin", "start_offset", "start_char", "startoffset", "char_start"})
_ENDS = frozenset({"end", "stop", "end_offset", "end_char", "endoffset", "char_end"})
_OTHER_ROLES = {
    "annotator": WORKER,
    "index": INDEX,
    "document": DOCUMENT,
    "sentence_id": SENTENCE,
    "word": TOKEN,
}


@dataclass
class LongColumns:
    """Where each role stands in a row; makes rows of cells, in their order, to rows of a long table.

    Without a number of the token, rows of one annotator in one sentence follow each other; an empty cell of
    the sentence repeats the one above.
    """

    places: dict[str, int]
    _last: str = ""
    _seen: Counter[tuple[str, str | None]] = field(default_factory=Counter)

    @property
    def has_workers(self) -> bool:
        """Whether a column says whose a label is; otherwise all labels are of one, or gold."""
        return WORKER in self.places

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens are counted here because no column numbers them."""
        return TASK not in self.places and INDEX not in self.places

    def row(self, line: int, cells: Sequence[str | None]) -> LongRow:
        """What the cells of one row mean."""

        def cell(role: str) -> str | None:
            return cells[self.places[role]] if role in self.places else None

        who, label = cell(WORKER) or None, cell(LABEL) or None
        doc = cell(DOCUMENT) or None
        if TASK in self.places:
            sentence, number = split_task(cell(TASK) or "")
        else:
            sentence, doc = self._sentence(cell(SENTENCE), doc)
            number = token_index(cell(INDEX) or "") if INDEX in self.places else self._next(sentence, who)
        token = cell(TOKEN)
        if self.counts_tokens and not token:
            raise AnnotationError("the token is empty, correct the row")
        is_blank = label is None and bool(token) and (who is not None or not self.has_workers)
        if not self.has_workers:
            return LongRow(line, sentence, number, None, None, token, doc, label, is_blank)
        return LongRow(line, sentence, number, who, label, token, doc, cell(GOLD) or None, is_blank)

    def _sentence(self, name: str | None, doc: str | None) -> tuple[str, str | None]:
        if SENTENCE not in self.places:
            return doc or "", None
        self._last = name or self._last
        if doc is not None and not self._last.startswith(doc):
            return f"{doc}-{self._last}", doc
        return self._last, doc

    def _next(self, sentence: str, who: str | None) -> int:
        self._seen[sentence, who] += 1
        return self._seen[sentence, who] - 1


def long_columns(header: Sequence[str], asked: Sequence[str] | None = None) -> LongColumns | None:
    """The columns of a long table: a label, whose it is, and its token by task, number or order; None if the
    names do not make one. asked: `role=name` for names that nobody could know."""
    places = places_of(header, asked)
    has_sentence = SENTENCE in places or DOCUMENT in places
    has_place = TASK in places or (has_sentence and (INDEX in places or TOKEN in places))
    return LongColumns(places) if LABEL in places and has_place else None


def places_of(header: Sequence[str], asked: Sequence[str] | None = None) -> dict[str, int]:
    """Where each role stands that a column is known to have by its name."""
    names = ["_".join(name.strip().lower().split()) for name in header]
    places = _asked_for(header, names, asked or ())
    for role, known in _NAMES.items():
        found = (names.index(name) for name in known if name in names)
        place = next((place for place in found if place not in places.values()), None)
        if role not in places and place is not None:
            places[role] = place
    return places


def _asked_for(header: Sequence[str], names: Sequence[str], asked: Sequence[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    for entry in asked:
        role, _, name = entry.partition("=") if "=" in entry else entry.partition(":")
        role = _OTHER_ROLES.get(role, role)
        if role not in _NAMES or not name:
            known = ", ".join(f"{one}=" for one in _NAMES)
            raise SettingsError(f"column '{entry}' has no meaning in a table, say {known} and a name")
        wanted = "_".join(name.strip().lower().split())
        if wanted not in names:
            raise SettingsError(f"there is no column '{name}', but {', '.join(header[:40])}")
        places[role] = names.index(wanted)
    return places


def is_long(header: Sequence[str]) -> bool:
    """Whether these columns make a long table that says whose its labels are."""
    found = long_columns(header)
    return found is not None and found.has_workers


def are_offsets(header: Sequence[str]) -> bool:
    """Whether columns tell where spans of characters begin and end."""
    names = {name.strip().lower() for name in header}
    return bool(names & _STARTS) and bool(names & _ENDS)


def spans_refused(header: Sequence[str], file: str) -> Problem:
    """Spans in a table lack the text that they stand in, or repeat it in every row."""
    what = (
        f"is a table of spans ({', '.join(header[:10])}), and only tables with a row for each token are read"
    )
    other = (
        'give it as JSONL, a line for each text and annotator: {"text": …, "label": [[start, end, "PER"], …]}'
    )
    return Problem(f"{what}: {other}", file, 1)
