"""Long documents cut into sentences, never inside a span of anybody, and put together again for exports."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.text import Sentence
from crowdseq.errors import Advice, AnnotationError
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.settings import GOLD_SPANS, OFFSETS, ORIGINAL, PART, SPACY, SPANS, TEXT
from crowdseq.formats.spans.from_corpus import token_places
from crowdseq.formats.spans.kept_text import Normalised, locate
from crowdseq.formats.spans.sentence_rules import sentence_starts
from crowdseq.formats.spans.tokenize import sentence_starts_of_spacy

# Which a sentence, and one annotator's row of it, take as much memory and time as.
_CELLS_OF_A_SENTENCE, _CELLS_OF_A_ROW = 200, 40
LONG_DOCUMENT = 120  # tokens; a shorter text is one sentence, or a few that may as well stay together

Starts = Callable[[str], list[int]]


class _Piece(NamedTuple):
    """Characters start to end of a document, and its tokens first to last."""

    start: int
    end: int
    first: int
    last: int


def splitter(name: str) -> Starts:
    """From a text to the characters at which its sentences begin: by our rules, or by those of spaCy."""
    return sentence_starts_of_spacy(name.removeprefix(SPACY)) if name.startswith(SPACY) else sentence_starts


def in_sentences(corpus: Corpus, documents: Collection[int], collector: Collector) -> Corpus:
    """The corpus with documents of running text cut into sentences, as the settings ask for."""
    how = collector.settings.sentences
    fewest = LONG_DOCUMENT if how == "auto" else 0
    chosen = [number for number in sorted(documents) if corpus.text.lengths[number] > fewest]
    cut = cut_documents(corpus, chosen, splitter(how), collector.has_room) if chosen else corpus
    if len(cut) > len(corpus) and fewest:
        what = f"documents of more than {LONG_DOCUMENT} tokens were cut into sentences, {len(cut):,} in all;"
        advice = Advice("{sentences} keeps them whole", sentences="document")
        collector.warn("documents-cut", what, count=len(chosen), advice=advice)
    return cut


def cut_documents(
    corpus: Corpus,
    chosen: Collection[int],
    starts: Starts,
    has_room: Callable[[int, int], bool] | None = None,
) -> Corpus:
    """The corpus with those sentences that are documents, by their numbers, cut into sentences.

    has_room: whether so many cells more may be made, as `Collector.has_room`; a document stays whole else.
    """
    pieces = {number: _pieces(corpus.sentences[number], starts) for number in chosen}
    if has_room is not None:
        n_rows = corpus.n_voters
        pieces = {
            number: found
            for number, found in pieces.items()
            if has_room(len(found) * (_CELLS_OF_A_SENTENCE + _CELLS_OF_A_ROW * int(n_rows[number])), 0)
        }
    if all(len(found) < 2 for found in pieces.values()):
        return corpus
    builder = CorpusBuilder()
    for number, record in enumerate(_records(corpus)):
        found = pieces.get(number, [])
        if len(found) < 2:
            builder.add(record)
            continue
        for part in _parts(record, found):
            builder.add(part)
    return builder.build(corpus.scheme)


def join_documents(corpus: Corpus) -> Corpus:
    """The corpus with documents that were cut as they were; one of which a part is missing stays cut."""
    if not any(PART in extras for extras in corpus.text.extras.values()):
        return corpus
    builder, waiting = CorpusBuilder(), list[Record]()
    for record in _records(corpus):
        if waiting and not _follows(record, waiting[-1]):
            _add_all(builder, waiting)
            waiting = []
        waiting.append(record)
        if _is_last(record):
            _add_all(builder, waiting)
            waiting = []
    _add_all(builder, waiting)
    return builder.build(corpus.scheme)


def _records(corpus: Corpus) -> Iterator[Record]:
    for number, sentence in enumerate(corpus.sentences):
        ballot = corpus.annotations.ballots[number]
        votes = {
            corpus.annotators[who]: corpus.scheme.names(row)
            for who, row in zip(ballot.voters.tolist(), ballot.tags, strict=True)
        }
        columns = {name: list(values) for name, values in sentence.columns.items()}
        gold = corpus.gold[number]
        yield Record(sentence.tokens, sentence.id, sentence.doc, votes, gold, columns, dict(sentence.extras))


def _pieces(sentence: Sentence, starts: Starts) -> list[_Piece]:
    """Where to cut: where a sentence begins, no token is cut, and nobody marked what goes on."""
    text, places = sentence.extras.get(TEXT), token_places(sentence)
    if not isinstance(text, str) or places is None:
        return []
    inside = bytearray(len(text) + 1)
    for start, end, _ in _all_marks(sentence.extras):
        inside[start + 1 : end] = b"\1" * max(0, end - start - 1)
    for start, end in places:
        inside[start + 1 : end] = b"\1" * max(0, end - start - 1)
    edges = [0, *(place for place in starts(text)[1:] if not inside[place]), len(text)]
    made: list[_Piece] = []
    first = 0
    for end in edges[1:]:
        last = first
        while last < len(places) and places[last][0] < end:
            last += 1
        if last > first:
            made.append(_Piece(made[-1].end if made else 0, end, first, last))
        elif made:
            made[-1] = made[-1]._replace(end=end)
        first = last
    return made if _keeps_original(sentence, made) else []


def _keeps_original(sentence: Sentence, pieces: Sequence[_Piece]) -> bool:
    """Whether the original of a normalised text can be cut at the same places."""
    original = sentence.extras.get(ORIGINAL)
    if not isinstance(original, str):
        return True
    return "".join(_originals(original, pieces)) == original


def _originals(original: str, pieces: Sequence[_Piece]) -> list[str]:
    bounds = Normalised(original).bounds_to_original([(piece.start, piece.end) for piece in pieces])
    return [original[start:end] for start, end in bounds]


def _all_marks(extras: Mapping[str, Any]) -> Iterator[list[Any]]:
    spans = extras.get(SPANS)
    for marks in (*(spans.values() if isinstance(spans, Mapping) else ()), extras.get(GOLD_SPANS) or ()):
        yield from marks


def _parts(record: Record, pieces: Sequence[_Piece]) -> Iterator[Record]:
    name, doc, extras = record.id or "", record.doc, record.extras
    places = token_places(Sentence(name, doc, tuple(record.tokens), {}, extras)) or []
    original = extras.get(ORIGINAL)
    originals = _originals(original, pieces) if isinstance(original, str) else None
    spans = extras.get(SPANS)
    marks = {who: _moved(held, pieces) for who, held in spans.items()} if isinstance(spans, Mapping) else None
    gold = _moved(extras[GOLD_SPANS], pieces) if GOLD_SPANS in extras else None
    for number, (start, end, first, last) in enumerate(pieces):
        here = {**extras, TEXT: extras[TEXT][start:end]}
        here[PART] = {"id": name, "doc": doc, "number": number + 1, "of": len(pieces)}
        if marks is not None:
            here[SPANS] = {who: held[number] for who, held in marks.items()}
        if gold is not None:
            here[GOLD_SPANS] = gold[number]
        if originals is not None:
            here[ORIGINAL] = originals[number]
        _keep_offsets(
            here, record.tokens[first:last], [(one - start, two - start) for one, two in places[first:last]]
        )
        yield Record(
            record.tokens[first:last],
            f"{name}-{number + 1}",
            doc if doc is not None else name,
            {who: tags[first:last] for who, tags in record.annotations.items()},
            None if record.gold is None else record.gold[first:last],
            {key: values[first:last] for key, values in record.columns.items()},
            here,
        )


def _moved(marks: Sequence[Sequence[Any]], pieces: Sequence[_Piece]) -> list[list[list[Any]]]:
    """Marks by the piece in which they begin, counted from its beginning; nothing at all, marked behind the
    last character, belongs to the last piece."""
    starts = [piece.start for piece in pieces]
    made: list[list[list[Any]]] = [[] for _ in pieces]
    for one, two, label in marks:
        number = bisect_right(starts, one) - 1
        made[number].append([one - starts[number], two - starts[number], label])
    return made


def _keep_offsets(extras: dict[str, Any], tokens: Sequence[str], places: list[tuple[int, int]]) -> None:
    extras.pop(OFFSETS, None)
    if locate(extras[TEXT], tokens) != places:
        extras[OFFSETS] = [list(pair) for pair in places]


def _follows(record: Record, before: Record) -> bool:
    here, there = record.extras.get(PART), before.extras.get(PART)
    if not isinstance(here, dict) or not isinstance(there, dict):
        return False
    return here == there | {"number": here.get("number")} and here.get("number") == there.get("number", 0) + 1


def _is_last(record: Record) -> bool:
    part = record.extras.get(PART)
    return not isinstance(part, dict) or part.get("number") == part.get("of")


def _add_all(builder: CorpusBuilder, parts: Sequence[Record]) -> None:
    try:
        records = [_joined(parts)] if _is_whole(parts) else parts
    except (AnnotationError, TypeError, KeyError):  # an extra key may hold anything
        records = parts
    for record in records:
        builder.add(record)


def _is_whole(parts: Sequence[Record]) -> bool:
    if not parts or not isinstance(parts[0].extras.get(PART), dict):
        return False
    people = {tuple(part.annotations) for part in parts}
    golds = {part.gold is None for part in parts}
    is_complete = parts[0].extras[PART].get("number") == 1 and len(parts) == parts[0].extras[PART].get("of")
    return is_complete and len(people) == 1 and len(golds) == 1


def _joined(parts: Sequence[Record]) -> Record:
    first, part = parts[0], parts[0].extras[PART]
    extras = {key: value for key, value in first.extras.items() if key not in (PART, OFFSETS)}
    bases = [0]
    for one in parts:
        bases.append(bases[-1] + len(one.extras[TEXT]))
    extras[TEXT] = "".join(one.extras[TEXT] for one in parts)
    if ORIGINAL in extras:
        extras[ORIGINAL] = "".join(one.extras[ORIGINAL] for one in parts)
    if isinstance(extras.get(SPANS), Mapping):
        extras[SPANS] = {
            who: _gathered([one.extras[SPANS][who] for one in parts], bases) for who in extras[SPANS]
        }
    if GOLD_SPANS in extras:
        extras[GOLD_SPANS] = _gathered([one.extras[GOLD_SPANS] for one in parts], bases)
    tokens = [token for one in parts for token in one.tokens]
    places = [
        (start + base, end + base)
        for base, one in zip(bases, parts, strict=False)
        for start, end in token_places(Sentence("", None, tuple(one.tokens), {}, one.extras)) or []
    ]
    _keep_offsets(extras, tokens, places)
    columns = {key: [value for one in parts for value in one.columns[key]] for key in first.columns}
    return replace(
        first,
        tokens=tokens,
        id=part["id"],
        doc=part["doc"],
        annotations={
            who: [tag for one in parts for tag in one.annotations[who]] for who in first.annotations
        },
        gold=None if first.gold is None else [tag for one in parts for tag in one.gold or ()],
        columns=columns,
        extras=extras,
    )


def _gathered(groups: Sequence[Sequence[Sequence[Any]]], bases: Sequence[int]) -> list[list[Any]]:
    return [
        [start + base, end + base, label]
        for base, marks in zip(bases, groups, strict=False)
        for start, end, label in marks
    ]
