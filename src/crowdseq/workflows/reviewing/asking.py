"""next: what to have labelled next and by whom, in the order of the review queue; lists to ask again."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.errors import AnnotationError, UsageError
from crowdseq.evaluation.disputes import Dispute, Disputes, find_disputes
from crowdseq.formats import write_consensus
from crowdseq.formats.registry import find_format
from crowdseq.store.entries import Marks
from crowdseq.store.replaying import SentenceState
from crowdseq.workflows.reviewing.editing import inside
from crowdseq.workflows.reviewing.exporting import select, states_of_run
from crowdseq.workflows.reviewing.filtering import DisputeMasks, QueueFilter
from crowdseq.workflows.reviewing.laying_over import marks_of, painted
from crowdseq.workflows.reviewing.progress import ReviewProgress
from crowdseq.workflows.reviewing.showing import plain
from crowdseq.workflows.run_folder import open_labels

_MOST_ASKED = 3
_DROP = "drop"
_UNSAFE = re.compile(r"[^A-Za-z0-9_+-]+")
_LONGEST_NAME = 60


@dataclass(frozen=True)
class DisputedPlace:
    """A place of a sentence; settled: what the consensus says, as labels; differ: who says otherwise."""

    begin: int
    end: int
    words: str
    settled: tuple[str, ...]
    kinds: tuple[str, ...]
    confidence: float
    differ: tuple[str, ...]


@dataclass(frozen=True)
class NextTask:
    """A sentence to have labelled once more. gain: wrong places that this is expected to mend.

    ask: the most skilled who have not seen it, the first best; empty if everybody has. again: who differs
    from the consensus there.
    """

    sentence: int
    id: str
    doc: str | None
    tokens: tuple[str, ...]
    gain: float
    ask: tuple[str, ...]
    again: tuple[str, ...]
    places: tuple[DisputedPlace, ...]

    def as_dict(self) -> dict[str, Any]:
        made = asdict(self)
        del made["sentence"]
        return made


@dataclass(frozen=True, eq=False)
class NextTasks:
    """The tasks, and how many sentences have open disputes in all. unlabelled: sentences that nobody labelled
    and nobody decided, in which nothing can be disputed."""

    consensus: Consensus
    tasks: tuple[NextTask, ...]
    total: int
    unlabelled: int

    def as_dict(self) -> dict[str, Any]:
        """What `next` prints as JSON."""
        tasks = [task.as_dict() for task in self.tasks]
        return {"format_version": 1, "total": self.total, "unlabelled": self.unlabelled, "tasks": tasks}

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody who is to be asked again."""
        return tuple(sorted({name for task in self.tasks for name in task.again}))


def next_tasks(folder: str | Path, n: int = 20) -> NextTasks:
    """The sentences of a run to have labelled next, those with the least sure dispute first."""
    consensus = open_labels(folder).consensus
    states = states_of_run(folder, consensus)
    disputes = find_disputes(consensus.corpus, consensus)
    queue = _open_queue(disputes, consensus, states)
    sentences = disputes.columns.sentences[queue]
    first = np.sort(np.unique(sentences, return_index=True)[1])
    chosen = sentences[first].tolist()
    by_sentence: dict[int, list[int]] = {number: [] for number in chosen[:n]}
    for dispute, sentence in zip(queue.tolist(), sentences.tolist(), strict=True):
        if sentence in by_sentence:
            by_sentence[sentence].append(dispute)
    ranked = _ranked(consensus.annotators)
    tasks = tuple(
        _task(consensus, number, [disputes[one] for one in sorted(mine)], ranked)
        for number, mine in by_sentence.items()
    )
    return NextTasks(consensus, tasks, len(chosen), _n_unlabelled(consensus, states))


def _n_unlabelled(consensus: Consensus, states: Mapping[int, SentenceState]) -> int:
    corpus = consensus.corpus
    tokens = corpus.annotations.votes().tokens
    is_open = np.bincount(corpus.text.sentence_of[tokens], minlength=len(corpus)) == 0
    is_open &= corpus.text.lengths > 0
    is_open[[number for number, state in states.items() if state.decisions]] = False
    return int(is_open.sum())


def _open_queue(disputes: Disputes, consensus: Consensus, states: Mapping[int, SentenceState]) -> Any:
    progress = ReviewProgress(disputes, DisputeMasks(consensus.corpus, disputes))
    progress.update(states)
    return progress.queue(QueueFilter())


def _ranked(reports: Iterable[AnnotatorReport]) -> list[str]:
    """Whom to ask, the most skilled first; nobody who should be dropped."""
    able = [one for one in reports if one.verdict != _DROP and one.skill is not None]
    return [one.annotator for one in sorted(able, key=lambda one: -(one.skill or 0.0))]


def _task(consensus: Consensus, number: int, mine: list[Dispute], ranked: list[str]) -> NextTask:
    corpus, sentence = consensus.corpus, consensus.corpus.text.sentence(number)
    seen = {corpus.annotators[voter] for voter in corpus.annotations.ballots[number].voters.tolist()}
    places = tuple(_place(one, sentence.tokens, corpus.annotators) for one in mine)
    return NextTask(
        number,
        sentence.id,
        sentence.doc,
        sentence.tokens,
        float(sum(one.gain for one in mine)),
        tuple(name for name in ranked if name not in seen)[:_MOST_ASKED],
        tuple(sorted({name for place in places for name in place.differ})),
        places,
    )


def _place(dispute: Dispute, tokens: tuple[str, ...], names: tuple[str, ...]) -> DisputedPlace:
    others = [one for place, one in enumerate(dispute.readings) if place != dispute.settled]
    return DisputedPlace(
        dispute.begin,
        dispute.end,
        " ".join(tokens[dispute.begin : dispute.end]),
        tuple(label for _, _, label in plain(dispute.readings[dispute.settled].marks)),
        tuple(sorted(dispute.kinds)),
        dispute.confidence,
        tuple(sorted(names[who] for one in others for who in one.annotators)),
    )


@dataclass(frozen=True)
class AskAgain:
    """A file for one annotator, and how many sentences are in it."""

    annotator: str
    out: str
    sentences: int


def write_asks(found: NextTasks, folder: str | Path, target: str | None = None) -> list[AskAgain]:
    """A file for each annotator who differs: the sentences to look at again, disputed spans marked in them.

    target: the format, crowd JSONL's consensus if None. What somebody marked at a disputed place is marked;
    where they marked nothing, what the consensus says.
    """
    place = Path(folder)
    form = find_format(target or "consensus")
    if form.write_consensus is None and form.write_consensus_folder is None:
        raise UsageError(f"{form.name} has no room for labels to start from, choose another format")
    if not found.people:
        raise AnnotationError(
            "nobody differs from the consensus in these sentences, there is nobody to ask again"
        )
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"{place} exists already, name a new folder for the files")
    place.mkdir(parents=True, exist_ok=True)
    written = []
    for name, stem in _file_names(found.people).items():
        tasks = [task for task in found.tasks if name in task.again]
        marked = _marked(found.consensus, name, tasks)
        ending = (
            "" if form.write_consensus is None else f".{form.extensions[0] if form.extensions else 'txt'}"
        )
        out = str(place / f"{stem}{ending}")
        write_consensus(marked, out, format=form.name)
        written.append(AskAgain(name, out, len(tasks)))
    return written


def ask_next(
    folder: str | Path, n: int = 20, *, out: str | Path | None = None, target: str | None = None
) -> tuple[NextTasks, list[AskAgain]]:
    """What to have labelled next, and where `out` is a folder the files written there, one for each annotator
    to ask again."""
    found = next_tasks(folder, n)
    return found, [] if out is None else write_asks(found, out, target)


def _file_names(people: tuple[str, ...]) -> dict[str, str]:
    """Names of files for annotators, whatever these are called."""
    made: dict[str, str] = {}
    for name in people:
        stem = _UNSAFE.sub("_", name).strip("_")[:_LONGEST_NAME] or "annotator"
        number, unique = 1, stem
        while unique.lower() in {other.lower() for other in made.values()}:
            number += 1
            unique = f"{stem}-{number}"
        made[name] = unique
    return made


def _marked(consensus: Consensus, annotator: str, tasks: list[NextTask]) -> Consensus:
    """The sentences with marks at the disputed places only; of plain tags all stay."""
    corpus, scheme = consensus.corpus, consensus.corpus.scheme
    chosen = select(consensus, [task.sentence for task in tasks])
    tags = chosen.tag_ids.copy()
    for place, task in enumerate(tasks):
        part = slice(int(chosen.corpus.offsets[place]), int(chosen.corpus.offsets[place + 1]))
        own = _own_marks(corpus, task.sentence, annotator)
        settled = marks_of(chosen.tag_ids[part], scheme)
        marks: list[tuple[int, int, str]] = []
        for one in task.places:
            here = inside(own, one.begin, one.end) if annotator in one.differ else ()
            marks += here or inside(settled, one.begin, one.end)
        base = tags[part] if scheme.is_plain else np.full_like(tags[part], scheme.outside)
        tags[part] = painted(tuple(sorted(set(marks))), base, scheme)
    certain = np.zeros_like(chosen.probabilities)
    certain[np.arange(len(tags)), tags] = 1.0
    return Consensus(
        chosen.corpus.keep_annotators([annotator]), tags, certain, (consensus.report(annotator),)
    )


def _own_marks(corpus: Any, sentence: int, annotator: str) -> Marks:
    ballot = corpus.annotations.ballots[sentence]
    row = ballot.voters.tolist().index(corpus.annotators.index(annotator))
    return marks_of(ballot.tags[row], corpus.scheme)
