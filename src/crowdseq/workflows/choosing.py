"""Selection: which sentences and which annotators of a corpus to work with."""

import csv
from dataclasses import dataclass
from pathlib import Path

from crowdseq.core.corpus import Corpus
from crowdseq.core.text import Sentence
from crowdseq.errors import FormatError, Problem, SettingsError


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


def parse_where(conditions: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """`split=test` to ("split", "test")."""
    pairs = []
    for condition in conditions:
        key, equals, value = condition.partition("=")
        if not equals or not key:
            raise SettingsError(f"--where takes field=value, not '{condition}'")
        pairs.append((key, value))
    return tuple(pairs)


def read_names(path: str) -> dict[str, str]:
    """A CSV file of old name, new name; a first line `old,new` is passed over."""
    names: dict[str, str] = {}
    with Path(path).open(encoding="utf-8-sig", newline="") as lines:
        for number, row in enumerate(csv.reader(lines), start=1):
            if not row or [cell.strip().lower() for cell in row] == ["old", "new"]:
                continue
            if len(row) != 2 or not row[0].strip() or not row[1].strip():
                raise FormatError(Problem("a name map has two columns, old name and new name", path, number))
            names[row[0].strip()] = row[1].strip()
    return names


def _has(sentence: Sentence, key: str, value: str) -> bool:
    if key in ("id", "doc"):
        return str(getattr(sentence, key)) == value
    return key in sentence.extras and str(sentence.extras[key]) == value


def _check_fields(corpus: Corpus, where: tuple[tuple[str, str], ...]) -> None:
    known = {"id", "doc"}.union(*(extras.keys() for extras in corpus.text.extras.values()))
    for key, _ in where:
        if key not in known:
            raise SettingsError(
                f"--where {key}=…: no record has the field '{key}', there is {', '.join(sorted(known))}"
            )
