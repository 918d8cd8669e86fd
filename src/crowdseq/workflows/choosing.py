"""Selection and Reading: how files are read, and which sentences and annotators of them to work with."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from crowdseq.core.corpus import Corpus
from crowdseq.core.text import Sentence
from crowdseq.errors import Advice, FormatError, Problem, SettingsError
from crowdseq.formats.settings import ReadSettings, reading_options

_REJECTS = "rejected.jsonl"


@dataclass(frozen=True)
class Selection:
    """where: field and value that a sentence must have, all of them; annotators, without: whom to keep or to
    leave out."""

    where: tuple[tuple[str, str], ...] = ()
    annotators: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def apply(self, corpus: Corpus) -> Corpus:
        """The part of the corpus that was asked for."""
        if self.where:
            _check_fields(corpus, self.where)
            corpus = corpus.where(lambda sentence: all(_has(sentence, *pair) for pair in self.where))
            if len(corpus) == 0:
                wanted = ", ".join("=".join(pair) for pair in self.where)
                raise SettingsError(f"no record has {wanted}, nothing is left")
            present = {corpus.annotators[number] for number in set(corpus.annotations.voters.tolist())}
            corpus = corpus.keep_annotators(present)
        kept = self.annotators or corpus.annotators
        if self.annotators or self.without:
            corpus.keep_annotators(self.without)  # names who is not there
            corpus = corpus.keep_annotators(set(kept) - set(self.without))
        return corpus


class Reading(NamedTuple):
    """How files are read, and which part of them is kept."""

    settings: ReadSettings = ReadSettings()
    selection: Selection = Selection()


READ_ALL = Reading()


def typed_reading(
    typed: Mapping[str, Any],
    *,
    where: Sequence[str] = (),
    annotators: str | None = None,
    without: str | None = None,
    names: str | None = None,
) -> Reading:
    """What a person typed: settings by name, in which a list is one text with commas, and what to keep.

    names: a name map, as `read_names` reads it. Records that are skipped go to a file, since nobody at a
    terminal could look at them otherwise.
    """
    options = reading_options()
    settings: dict[str, Any] = {
        name: (_listed(value) or None) if options[name].is_list else value for name, value in typed.items()
    }
    if settings.get("on_error") == "skip" and settings.get("rejects") is None:
        settings["rejects"] = _REJECTS
    selection = Selection(parse_where(tuple(where)), _listed(annotators), _listed(without))
    if names is not None:
        settings["names"], settings["documents"] = read_names(names)
    return Reading(ReadSettings(**settings), selection)


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else ()


def parse_where(conditions: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """`split=test` to ("split", "test")."""
    pairs = []
    for condition in conditions:
        key, equals, value = condition.partition("=")
        if not equals or not key:
            advice = Advice("say {where}", where="field=value")
            raise SettingsError(f"'{condition}' is no condition:", advice)
        pairs.append((key, value))
    return tuple(pairs)


class Names(NamedTuple):
    """Old names to new ones, of annotators and of documents."""

    annotators: dict[str, str]
    documents: dict[str, str]


def read_names(path: str) -> Names:
    """A CSV file of old name, new name, and `document` where it is not an annotator that is renamed.

    A first line `old,new` is passed over.
    """
    names = Names({}, {})
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as lines:
            for number, row in enumerate(csv.reader(lines), start=1):
                cells = [cell.strip() for cell in row]
                if any(cells) and [cell.lower() for cell in cells[:2]] != ["old", "new"]:
                    _take_name(cells, names, Problem("", path, number))
    except OSError as error:
        raise FormatError(Problem(f"cannot be opened ({error.strerror})", path)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(Problem(f"is no CSV file in UTF-8 ({error})", path)) from None
    return names


def _take_name(cells: list[str], names: Names, at: Problem) -> None:
    old, new, kind = (*cells, "annotator") if len(cells) == 2 else (*cells, "", "", "")[:3]
    kinds = {"annotator": names.annotators, "document": names.documents}
    if len(cells) not in (2, 3) or not old or not new or kind not in kinds:
        what = "a name map has two columns, old name and new name, and a third one only to say 'document'"
        raise FormatError(replace(at, what=what))
    if kinds[kind].setdefault(old, new) != new:
        what = f"{old} has two new names, {kinds[kind][old]} and {new}: remove one"
        raise FormatError(replace(at, what=what))


def _has(sentence: Sentence, key: str, value: str) -> bool:
    if key in ("id", "doc"):
        return str(getattr(sentence, key)) == value
    return key in sentence.extras and str(sentence.extras[key]) == value


def _check_fields(corpus: Corpus, where: tuple[tuple[str, str], ...]) -> None:
    known = {"id", "doc"}.union(*(extras.keys() for extras in corpus.text.extras.values()))
    for key, _ in where:
        if key not in known:
            raise SettingsError(f"no record has the field '{key}', there is {', '.join(sorted(known))}")
