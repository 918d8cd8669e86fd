"""An audit by files: the blind sample for the reviewer's own tool, and the answers that come back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import Span, decode
from crowdseq.errors import Advice, AnnotationError, FormatError, Problem, SchemeError
from crowdseq.evaluation.auditing.figures import Bound, Needed
from crowdseq.formats import write
from crowdseq.formats.registry import format_for_writing
from crowdseq.workflows.auditing.audit import Audit, AuditBounds
from crowdseq.workflows.auditing.others import Labeller, count_labels, judge_annotators, judge_tagger
from crowdseq.workflows.reading import READ_ALL, SILENT, Listener, Reading, read_parts
from crowdseq.workflows.run_folder import load_run

_REVIEWER = "audit"
# These have no room for a sentence that nobody labelled: there it comes as one without entities.
_NEED_SOMEBODY = frozenset({"doccano", "doccano-zip", "brat", "conll-folder"})


@dataclass(frozen=True, kw_only=True)
class AuditRequest:
    """A run folder; answers to read, a sample to write, or both.

    n: sentences in the sample. target: the format of `out`, told by its name if None. error: the share that
    may be wrong, for which is told how many more to read. reviewer: who answered, if the file does not say.
    with_others: judge annotators and the tagger by the same answers, and count labels.
    """

    run: str
    answers: str | None = None
    reading: Reading = READ_ALL
    reviewer: str | None = None
    with_others: bool = False
    out: str | None = None
    target: str | None = None
    n: int = 50
    error: float = 0.04
    seed: int = 0
    force: bool = False
    listener: Listener = SILENT


@dataclass(frozen=True)
class AuditReport:
    """What an audit says now. n_read: new answers; n_written: sentences in the sample."""

    bounds: AuditBounds
    error: float
    needed: Needed
    n_read: int
    n_written: int
    notes: tuple[str, ...]
    labellers: tuple[Labeller, ...] = ()
    counts: Mapping[str, Bound] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        needed = {"error": self.error, "more": self.needed.more, "reason": self.needed.reason}
        found: dict[str, object] = {**self.bounds.as_dict(), "figure": self.bounds.main, "needed": needed}
        if self.labellers:
            found["labellers"] = [asdict(one) for one in self.labellers]
            found["counts"] = {name: bound.as_dict() for name, bound in self.counts.items()}
        return found


def audit_run(request: AuditRequest) -> AuditReport:
    """Take over answers, write the next sentences, and say how good the rest is."""
    with Audit.open(request.run, seed=request.seed) as audit:
        notes = list(audit.notes)
        audit.sync()
        n_read = 0 if request.answers is None else _take_answers(audit, request)
        n_written = 0
        if request.out is not None:
            chosen = audit.next_sentences(request.n)
            notes += write_sample(audit, chosen, request)
            n_written = len(chosen)
        bounds = audit.bounds()
        needed = bounds.needed(request.error)
        report = AuditReport(bounds, request.error, needed, n_read, n_written, tuple(notes))
        return _with_others(report, audit) if request.with_others and bounds.n_audited else report


def _with_others(report: AuditReport, audit: Audit) -> AuditReport:
    tagger = load_run(audit.folder).tagger
    labellers = [] if tagger is None else [judge_tagger(audit, tagger)]
    labellers += judge_annotators(audit)
    return replace(report, labellers=tuple(labellers), counts=count_labels(audit))


def write_sample(audit: Audit, sentences: Sequence[int], request: AuditRequest) -> tuple[str, ...]:
    """The text of sentences without any label, in the order drawn; gives a line for what was left out."""
    assert request.out is not None
    corpus = audit.consensus.corpus
    form = format_for_writing(request.target or "", request.out)
    is_empty_answer = form.name in _NEED_SOMEBODY and not corpus.scheme.is_plain
    builder = CorpusBuilder()
    for number in sentences:
        sentence = corpus.sentences[number]
        votes = {_REVIEWER: ["O"] * len(sentence.tokens)} if is_empty_answer else {}
        builder.add(Record(sentence.tokens, sentence.id, None, votes))
    if not sentences:
        raise AnnotationError("every sentence of the frame was read, there is nothing to draw")
    notes = write(builder.build(corpus.scheme), request.out, format=request.target, force=request.force)
    if is_empty_answer:
        told = "an empty sentence counts as one without entities: give back only those that were read"
        return (*notes, told)
    return notes


def _take_answers(audit: Audit, request: AuditRequest) -> int:
    """How many answers of a file are new; they are all taken, or none."""
    assert request.answers is not None
    corpus = audit.consensus.corpus
    settings, selection = request.reading
    if corpus.scheme.is_plain and settings.scheme is None:
        settings = replace(settings, scheme="plain")
    (part, *more), report = read_parts((request.answers,), Reading(settings, selection))
    if more:
        raise AnnotationError("the answers have spans that overlap,", Advice("choose with {types}", types=""))
    request.listener.imported(report, is_gold=True)
    found, problems = _Answers(audit, request.answers).of(part.corpus)
    if problems:
        raise FormatError(*problems)
    fresh = [(number, spans) for number, spans in found if not audit.is_known(number, spans)]
    names = part.corpus.annotators
    audit.answer_all(fresh, request.reviewer or (names[0] if len(names) == 1 else _REVIEWER))
    return len(fresh)


class _Answers:
    """Finds out which sentence of the run each answer is about, by id or by text."""

    def __init__(self, audit: Audit, file: str) -> None:
        self._audit, self._file = audit, file
        text = audit.consensus.corpus.text
        drawn = audit.frame.drawn.tolist()
        self._by_id: dict[str, int] = {text.ids[number]: number for number in drawn}
        self._by_text: dict[tuple[str, ...], list[int]] = {}
        for number in reversed(drawn):
            self._by_text.setdefault(tuple(text.tokens[number]), []).append(number)
        self._tokens = text.tokens

    def of(self, given: Corpus) -> tuple[list[tuple[int, list[Span]]], list[Problem]]:
        """Sentence numbers with their spans, without those that nobody labelled; and what is wrong."""
        found: dict[int, list[Span]] = {}
        problems = []
        for index, sentence in enumerate(given.sentences):
            try:
                tags = _tags(given, index)
                if tags is None:
                    continue
                number = self._number(sentence.id, tuple(sentence.tokens))
                spans = _spans(given, tags)
                self._audit.is_known(number, spans)  # says what is wrong with them
                if number in found:
                    raise AnnotationError("was answered twice in this file")
                found[number] = spans
            except (AnnotationError, SchemeError) as error:
                problems.append(Problem(error.message, self._file, record=sentence.id, advice=error.advice))
        return list(found.items()), problems

    def _number(self, id: str, tokens: tuple[str, ...]) -> int:
        number = self._by_id.get(id)
        if number is not None and tuple(self._tokens[number]) == tokens:
            return number
        alike = self._by_text.get(tokens)
        if not alike:
            raise AnnotationError(
                "is not a sentence of this audit, or its words were changed",
                Advice("give back the sentences as they were drawn"),
            )
        return alike.pop() if len(alike) > 1 else alike[0]


def _tags(given: Corpus, index: int) -> list[str] | None:
    """The tags that a person gave to a sentence; None if nobody did."""
    ballot = given.annotations.ballots[index]
    rows = [given.scheme.names(np.asarray(row)) for row in ballot.tags]
    gold = given.gold[index]
    if gold is not None and any(tag is not None for tag in gold):
        rows = [gold]
    rows = [row for row in rows if any(tag is not None for tag in row)]
    if not rows:
        return None
    if len(rows) > 1:
        raise AnnotationError(
            "has answers of several people,", Advice("choose one with {annotators}", annotators="")
        )
    tags = [tag for tag in rows[0] if tag is not None]
    if len(tags) < len(rows[0]):
        raise AnnotationError("has tokens without a label, label all of them or none")
    return tags


def _spans(given: Corpus, tags: list[str]) -> list[Span]:
    if set(tags) == {"O"}:
        return []
    return list(decode(given.scheme, tags, lenient=True))
