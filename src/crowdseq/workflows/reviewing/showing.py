"""What a page shows of a run under review: rows of the queue, and one dispute with lanes and alternatives."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from crowdseq.evaluation.disputes import Mark
from crowdseq.store.entries import Marks
from crowdseq.workflows.reviewing.editing import inside
from crowdseq.workflows.reviewing.laying_over import marks_of
from crowdseq.workflows.reviewing.under_review import UnderReview
from crowdseq.workflows.reviewing.views import (
    AGREES,
    DIFFERS,
    UNSEEN,
    Alternative,
    Comment,
    DisputeView,
    Lane,
    QueueRow,
    context,
)

_BLIND: dict[str, Any] = {"marks": (), "settled": (), "alternatives": (), "lanes": (), "is_blind": True}


def row(review: UnderReview, dispute: int) -> QueueRow:
    """A dispute for a list."""
    review.check_dispute(dispute)
    found = review.disputes[dispute]
    sentence = review.corpus.text.sentence(found.sentence)
    first, last = context(found.begin, found.end, len(sentence.tokens))
    return QueueRow(
        dispute=dispute,
        sentence=found.sentence,
        id=sentence.id,
        doc=sentence.doc,
        first=first,
        tokens=sentence.tokens[first:last],
        begin=found.begin,
        end=found.end,
        settled=plain(found.readings[found.settled].marks),
        now=inside(review.marks(found.sentence), found.begin, found.end),
        kinds=tuple(sorted(found.kinds)),
        confidence=found.confidence,
        gain=found.gain,
        state=review.dispute_state(dispute),
        version=review.state(found.sentence).version,
        commented=bool(review.progress.commented[dispute]),
    )


def view(review: UnderReview, dispute: int, *, blind: bool = False) -> DisputeView:
    """A dispute with lanes, alternatives and comments. blind: without all that suggests an answer."""
    review.check_dispute(dispute)
    review.sync()
    found = review.disputes[dispute]
    sentence, state = review.corpus.text.sentence(found.sentence), review.state(found.sentence)
    columns, names = review.disputes.columns, review.corpus.annotators
    marks = review.marks(found.sentence)
    made = DisputeView(
        dispute=dispute,
        sentence=found.sentence,
        id=sentence.id,
        doc=sentence.doc,
        tokens=sentence.tokens,
        begin=found.begin,
        end=found.end,
        kinds=tuple(sorted(found.kinds)),
        confidence=found.confidence,
        gain=found.gain,
        state=review.dispute_state(dispute),
        version=state.version,
        marks=marks,
        settled=plain(found.readings[found.settled].marks),
        alternatives=tuple(
            Alternative(
                plain(one.marks),
                one.probability,
                tuple(names[who] for who in one.annotators),
                place == found.settled,
            )
            for place, one in enumerate(found.readings)
        ),
        lanes=lanes(review, found.sentence, found.begin, found.end),
        comments=tuple(map(Comment.of, state.comments)),
        others=tuple(
            (one, int(columns.begins[one]), int(columns.ends[one]), review.dispute_state(one))
            for one in review.progress.of_sentence(found.sentence)
        ),
        extras=sentence.extras,
    )
    return replace(made, **_BLIND) if blind else made


def lanes(review: UnderReview, sentence: int, begin: int, end: int) -> tuple[Lane, ...]:
    """What everybody who saw a sentence says of it, the most skilled first."""
    ballot, scheme = review.corpus.annotations.ballots[sentence], review.corpus.scheme
    here = inside(review.marks(sentence), begin, end)
    made = []
    for voter, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True):
        marks, report = marks_of(tags, scheme), review.consensus.annotators[voter]
        mine = inside(marks, begin, end)
        is_unseen = not mine and bool((tags[begin:end] < 0).any())
        mark = UNSEEN if is_unseen else AGREES if mine == here else DIFFERS
        made.append(Lane(report.annotator, report.skill, report.verdict, mark, marks))
    return tuple(sorted(made, key=lambda lane: -(lane.skill if lane.skill is not None else -2.0)))


def plain(marks: Sequence[Mark]) -> Marks:
    return tuple((mark.begin, mark.end, mark.label) for mark in marks)
