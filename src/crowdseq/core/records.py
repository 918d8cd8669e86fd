"""corpus_of_records: Python objects in the form of crowd JSONL to a corpus."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.text import LabelledSentence
from crowdseq.errors import Advice, AnnotationError, FormatError, InputError, Problem, SettingsError

# What the first line of a file may say of all: the version of its form, and the kind of its tags.
_VERSION, _SCHEME = "crowdseq", "crowdseq_scheme"
_OWN_KEYS = frozenset({"id", "doc", "tokens", "gold", "annotations", "columns", _VERSION, _SCHEME})


def corpus_of_records(
    records: Iterable[Mapping[str, Any] | LabelledSentence],
    scheme: LabelScheme | str | None = None,
    duplicates: str = "error",
) -> Corpus:
    """What `Corpus.from_records` gives; every faulty record is told in one error."""
    if isinstance(records, str | bytes | Mapping) or not isinstance(records, Iterable):
        raise SettingsError(_no_records(records))
    builder, problems = CorpusBuilder(duplicates=duplicates), []
    for number, value in enumerate(records):
        plain = value.as_record() if isinstance(value, LabelledSentence) else value
        try:
            builder.add(_record(plain, f"records[{number}]"))
            scheme = plain.get(_SCHEME) if scheme is None else scheme
        except InputError as error:
            name = str(plain.get("id") or "") if isinstance(plain, Mapping) else ""
            problems.append(Problem(error.message, f"records[{number}]", 0, name, error.advice))
    if problems:
        raise FormatError(*problems)
    return builder.build(scheme)


def _no_records(given: object) -> str:
    if isinstance(given, Mapping):
        return "one record was given where a list of records is expected, put it in a list"
    if isinstance(given, str | bytes):
        return (
            f"records are dictionaries, not the text {given[:40]!r}; to read a file use crowdseq.read(path)"
        )
    return f"records are a list of dictionaries, not a {type(given).__name__}"


def _record(value: object, place: str) -> Record:
    if not isinstance(value, Mapping):
        raise AnnotationError(f"a record is a dictionary, this is a {type(value).__name__}")
    if value.get("tokens") is None:
        keys = ", ".join(map(str, list(value)[:6]))
        is_row = "token" in value
        advice = (
            Advice("a table with a row for each token is for crowdseq.Corpus.from_frame") if is_row else None
        )
        raise AnnotationError(f"'tokens' is missing{', there is ' + keys if keys else ''}", advice)
    gold = value.get("gold")
    return Record(
        _listed(value["tokens"], "'tokens' must be a list of texts"),
        _name(value, "id"),
        _name(value, "doc"),
        _lists(value, "annotations", "annotator"),
        None if gold is None else _listed(gold, "'gold' must be a list of labels, or None"),
        _lists(value, "columns", "column"),
        {key: item for key, item in value.items() if key not in _OWN_KEYS},
        place,
    )


def _listed(value: object, fault: str) -> list[Any]:
    """Any sequence as a list; arrays count, texts do not."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise AnnotationError(fault)
    return list(value)


def _name(value: Mapping[str, Any], key: str) -> str | None:
    """A name as text; whole numbers are common and read as their digits."""
    name = value.get(key)
    if name is None or isinstance(name, str):
        return name
    if isinstance(name, Integral) and not isinstance(name, bool):
        return str(int(name))
    raise AnnotationError(f"'{key}' must be a text, not {name!r:.40}")


def _lists(value: Mapping[str, Any], key: str, what: str) -> dict[str, list[Any]]:
    """Lists by name; None in place of a list says the same as leaving it out."""
    found = value.get(key)
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise AnnotationError(f"'{key}' must be a dictionary with a list for each {what}")
    return {
        _name({what: name}, what) or "": _listed(
            items, f"{what} {name}: a list is expected, one entry a token"
        )
        for name, items in found.items()
        if items is not None
    }
