"""A desk shows what is disputed, in a useful order, and logs what a reviewer does with it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.store.decisions import ConflictError
from crowdseq.workflows.reviewing.desk import Desk
from crowdseq.workflows.reviewing.filtering import QueueFilter, tokens_with
from review_worlds import do, saved, washington, words


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk.open(saved(tmp_path / "run")) as opened:
        yield opened


def numbers(desk: Desk, **wishes: object) -> list[int]:
    return sorted(row.dispute for row in desk.queue(QueueFilter(**wishes)).rows)  # type: ignore[arg-type]


def test_the_queue_begins_with_the_least_sure(desk: Desk) -> None:
    page = desk.queue()
    assert page.total == 4
    confidence = [row.confidence for row in page.rows]
    assert confidence == sorted(confidence)
    assert [row.tokens[row.begin - row.first] for row in page.rows].count("Washington") == 3


def test_pages_follow_each_other(desk: Desk) -> None:
    whole = [row.dispute for row in desk.queue().rows]
    assert [row.dispute for row in desk.queue(offset=1, limit=2).rows] == whole[1:3]
    assert desk.queue(offset=9).rows == ()


def test_filters_by_what_people_say(desk: Desk) -> None:
    everything = numbers(desk)
    assert everything == [0, 1, 2, 3]
    assert numbers(desk, label="PER") == [0, 1]
    assert numbers(desk, label="nonsense") == []
    assert numbers(desk, annotator="ann") == []
    assert numbers(desk, annotator="bob") == [0]
    assert numbers(desk, annotator="cy") == [1, 2, 3]
    assert numbers(desk, annotator="nobody") == []
    assert numbers(desk, pair=("LOC", "PER")) == numbers(desk, pair=("PER", "LOC")) == [0, 1]
    assert numbers(desk, pair=("LOC", None)) == [3]
    assert numbers(desk, kind="boundary") == [2]
    assert numbers(desk, kind="missed") == [3]
    assert numbers(desk, least=0.7) == [1]
    assert numbers(desk, most=0.7) == [0, 2, 3]
    assert numbers(desk, search="WASHING") == [0, 1, 3]
    assert numbers(desk, search="new york to") == [2]
    assert numbers(desk, sentence=1) == [1]
    assert numbers(desk, label="PER", search="slept") == [1]


def test_a_wish_that_cannot_be_is_refused() -> None:
    for wrong in ({"state": "done"}, {"kind": "spelling"}):
        with pytest.raises(SettingsError, match="choose one of"):
            QueueFilter(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["IOB2", "plain"])
def test_who_differs_is_what_the_readings_say(tmp_path: Path, kind: str) -> None:
    crowd = random_corpus(5, sentences=40, unlabelled=0.1, kind=kind)
    with Desk.open(saved(tmp_path / "run", crowd)) as desk:
        for name in desk.corpus.annotators:
            who = desk.corpus.annotators.index(name)
            slow = [
                number
                for number, dispute in enumerate(desk.disputes)
                if any(
                    who in reading.annotators and place != dispute.settled
                    for place, reading in enumerate(dispute.readings)
                )
            ]
            fast = np.flatnonzero(desk.progress.mask(QueueFilter(annotator=name)))
            assert fast.tolist() == slow


def test_an_empty_queue_says_where_to_go_on(desk: Desk) -> None:
    wanted = QueueFilter(label="PER", kind="missed")
    assert desk.after(wanted, None) is None
    left = desk.left(wanted)
    assert (left.matching, left.open) == (0, 4)
    assert left.without == {"label": 1, "kind": 2}
    assert left.in_words() == "nothing fits; without 'kind' 2 would, 4 disputes are open in all"
    for number in range(4):
        do(desk, "accept", number)
    assert desk.left(wanted).in_words() == "every dispute is settled"


def test_next_goes_round_and_passes_over_what_is_decided(desk: Desk) -> None:
    queue = [row.dispute for row in desk.queue().rows]
    wanted = QueueFilter()
    assert desk.after(wanted, queue[0]) == queue[1]
    assert desk.after(wanted, queue[0], -1) == queue[-1]
    do(desk, "accept", queue[1])
    assert desk.after(wanted, queue[1]) == queue[2], "the one that took its place"
    assert desk.after(wanted, queue[1], -1) == queue[0]


def test_skipped_ones_come_last(desk: Desk) -> None:
    queue = [row.dispute for row in desk.queue().rows]
    do(desk, "skip", queue[0])
    assert [row.dispute for row in desk.queue().rows] == [*queue[1:], queue[0]]
    assert numbers(desk, state="skipped") == [queue[0]]
    assert desk.after(QueueFilter(), queue[0]) == queue[1]
    do(desk, "accept", queue[0])
    assert numbers(desk, state="skipped") == []


def test_a_view_has_lanes_and_alternatives(desk: Desk) -> None:
    view = desk.view(1)
    assert (view.id, view.tokens, view.begin, view.end) == ("s2", ("Mr", "Washington", "slept"), 1, 2)
    assert view.settled == view.marks == ((1, 2, "PER"),)
    assert {lane.annotator: lane.mark for lane in view.lanes} == {
        "ann": "agrees",
        "bob": "agrees",
        "cy": "differs",
        "dee": "agrees",
    }
    first, second = view.alternatives
    assert (first.marks, first.annotators, first.is_settled) == (
        ((1, 2, "PER"),),
        ("ann", "bob", "dee"),
        True,
    )
    assert second.marks == ((1, 2, "LOC"),)
    assert first.probability > second.probability
    assert view.version == 0
    assert view.as_dict()["lanes"][0]["annotator"] == view.lanes[0].annotator


def test_who_left_the_place_unlabelled_did_not_see_it(tmp_path: Path) -> None:
    crowd = corpus("Ada/B-PER/B-LOC/? met/O/O/O Bo/B-PER/B-PER/O", gold=False)
    with Desk.open(saved(tmp_path / "run", crowd)) as desk:
        lanes = {lane.annotator: lane.mark for lane in desk.view(0).lanes}
        assert lanes["a3"] == "did not see"


def test_blind_shows_nothing_that_suggests_an_answer(desk: Desk) -> None:
    view = desk.view(1, blind=True)
    assert (view.marks, view.settled, view.alternatives, view.lanes) == ((), (), (), ())
    assert view.is_blind


def test_lane_of_the_most_skilled_is_first(desk: Desk) -> None:
    skills = [lane.skill for lane in desk.view(1).lanes if lane.skill is not None]
    assert skills == sorted(skills, reverse=True)


def test_what_holds_after_each_act(desk: Desk) -> None:
    do(desk, "accept", 0)
    assert words(desk, 0) == [("Washington", "LOC")]
    do(desk, "take", 0, annotator="bob")
    assert words(desk, 0) == [("Washington", "PER")]
    do(desk, "nothing", 0)
    assert words(desk, 0) == []
    do(desk, "label", 0, label="PER")
    assert words(desk, 0) == [("Washington", "PER")]
    do(desk, "move", 0, side="end", step=1)
    assert words(desk, 0) == [("Washington is", "PER")]
    do(desk, "split", 0)
    assert words(desk, 0) == [("Washington", "PER"), ("is", "PER")]
    do(desk, "merge", 0)
    assert words(desk, 0) == [("Washington is", "PER")]
    do(desk, "move", 0, side="begin", step=1)
    assert words(desk, 0) == [("is", "PER")]
    do(desk, "marks", 0, marks=((0, 1, "LOC"), (2, 3, "PER")))
    assert words(desk, 0) == [("Washington", "LOC"), ("nice", "PER")]
    assert desk.state(0).version == 9


def test_taking_a_lane_for_the_sentence_takes_all_of_it(desk: Desk) -> None:
    assert words(desk, 3) == [("Washington", "LOC"), ("Bo", "PER")]
    done = do(desk, "take", 3, annotator="cy", whole=True)
    assert words(desk, 3) == [("Bo", "PER")]
    assert (done.entries[0].begin, done.entries[0].end) == (0, 4)
    assert done.states == {3: "decided"}


def test_a_moved_edge_takes_tokens_from_its_neighbour(tmp_path: Path) -> None:
    crowd = corpus("New/B-LOC/B-PER York/B-ORG/B-ORG Times/I-ORG/I-ORG", gold=False)
    with Desk.open(saved(tmp_path / "run", crowd)) as desk:
        do(desk, "move", 0, side="end", step=1)
        assert [text for text, _ in words(desk, 0)] == ["New York", "Times"]
        (decision,) = desk.state(0).decisions
        assert (decision.begin, decision.end) == (0, 3), "what it touches is part of the decision"


@pytest.mark.parametrize(
    ("kind", "more", "message"),
    [
        ("take", {"annotator": "dee"}, "'dee' did not label this sentence"),
        ("label", {"label": "DATE"}, "'DATE' is not one of LOC, PER"),
        ("split", {}, "cannot be split"),
        ("merge", {}, "no next mark"),
        ("merge", {"at": 7}, "no mark to change"),
        ("move", {"at": 3}, "no mark to change"),
        ("move", {"side": "left"}, "no 'left'"),
        ("marks", {"marks": ((0, 9, "LOC"),)}, "outside of the sentence"),
        ("marks", {"marks": ((0, 2, "LOC"), (1, 3, "PER"))}, "overlap"),
        ("destroy", {}, "no act 'destroy'"),
    ],
)
def test_an_act_that_cannot_be_is_refused(
    desk: Desk, kind: str, more: dict[str, object], message: str
) -> None:
    with pytest.raises(AnnotationError, match=message):
        do(desk, kind, 0, **more)
    assert desk.state(0).version == 0


def test_a_dispute_or_sentence_that_is_not_there_is_told(desk: Desk) -> None:
    with pytest.raises(AnnotationError, match="no dispute number 99"):
        desk.view(99)
    with pytest.raises(AnnotationError, match="no sentence number 99"):
        do(desk, "nothing", sentence=99)
    with pytest.raises(AnnotationError, match="no range"):
        do(desk, "nothing", sentence=0, begin=2, end=9)


def test_undo_and_redo_move_the_state(desk: Desk) -> None:
    do(desk, "nothing", 0)
    assert desk.undo("u1", "bea").states == {0: "open"}
    assert words(desk, 0) == [("Washington", "LOC")]
    assert desk.redo("r1", "bea").states == {0: "decided"}
    assert words(desk, 0) == []
    assert desk.undo("u2", "ann", desk.state(0).decisions[0].id).versions == {0: 4}


def test_a_comment_decides_nothing_and_can_be_filtered_by(desk: Desk) -> None:
    do(desk, "comment", 0, comment="which one?")
    do(desk, "gap", 1, comment="say what of titles")
    assert numbers(desk, commented=True) == [0, 1]
    assert [(one.kind, one.text) for one in desk.view(1).comments] == [("gap", "say what of titles")]
    assert desk.counts() == {"open": 4, "skipped": 0, "settled": 0, "decided": 0, "audited": 0}


def test_two_reviewers_on_one_sentence(desk: Desk) -> None:
    version = desk.view(1).version
    do(desk, "accept", 1, base=version, reviewer="ann")
    with pytest.raises(ConflictError) as caught:
        do(desk, "nothing", 1, base=version)
    (conflict,) = caught.value.conflicts
    assert conflict.state.decisions[0].reviewer == "ann"
    assert conflict.asked.marks == ()
    assert words(desk, 1) == [("Washington", "PER")]


def test_audits_and_finishing_are_states_of_their_own(desk: Desk) -> None:
    do(desk, "audit", sentence=1, begin=0, end=3, marks=((1, 2, "PER"),))
    do(desk, "accept", 0, shown={"page": "finish"})
    do(desk, "accept", 2)
    assert [row.dispute for row in desk.queue(QueueFilter(state="audited")).rows] == [1]
    assert [row.dispute for row in desk.queue(QueueFilter(state="settled")).rows] == [0]
    assert desk.queue(QueueFilter(state="any")).total == 4


def test_plain_tags_are_reviewed_too(tmp_path: Path) -> None:
    crowd = corpus("a/DET/DET/DET run/NOUN/VERB/NOUN", "runs/VERB/NOUN/VERB", gold=False, scheme="plain")
    with Desk.open(saved(tmp_path / "run", crowd)) as desk:
        assert desk.queue().total == 2
        do(desk, "label", 0, label="VERB")
        assert words(desk, 0) == [("a", "DET"), ("run", "VERB")]
        do(desk, "take", 1, annotator="a2")
        assert words(desk, 1) == [("runs", "NOUN")]
        with pytest.raises(AnnotationError, match="every token has a tag"):
            do(desk, "nothing", 0)


def test_search_agrees_with_looking_at_every_sentence() -> None:
    crowd = washington()
    for search in ("washington", "o", "new york", "w york", "is ni", "york in", "mr washington slept", "x"):
        slow = [
            number for number, tokens in enumerate(crowd.text.tokens) if search in " ".join(tokens).casefold()
        ]
        found = sorted(set(crowd.text.sentence_of[tokens_with(crowd, search)].tolist()))
        assert found == slow, search


def test_decisions_stay_when_the_run_is_opened_again(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    with Desk.open(run) as desk:
        do(desk, "nothing", 0)
    with Desk.open(run) as desk:
        assert words(desk, 0) == []
        assert desk.counts()["decided"] == 1


def test_decisions_follow_their_text_to_a_new_import(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    with Desk.open(run) as desk:
        do(desk, "label", 0, label="PER", comment="it is he")
        do(desk, "comment", 1, comment="sure?")
        do(desk, "nothing", 3)
    reordered = washington().select([4, 1, 0, 2])
    records = [record | {"id": f"new{n}", "doc": "all"} for n, record in enumerate(reordered.to_records())]
    from crowdseq.core.corpus import Corpus
    from crowdseq.workflows.learning import learn

    learn(Corpus.from_records(records), "majority-vote", tagger=False).save(run, force=True)
    with Desk.open(run) as desk:
        assert words(desk, 2) == [("Washington", "PER")]
        (carried,) = desk.state(2).decisions
        assert (carried.action, carried.reviewer, carried.comment) == ("carry", "bea", "it is he")
        assert [one.comment for one in desk.state(1).comments] == ["sure?"]
        assert [state.key.id for state in desk.homeless] == ["s4"]
    with Desk.open(run) as desk:
        assert desk.state(2).version == 1, "carried once"
        desk.undo("u", "bea", desk.state(2).decisions[0].id)
        assert words(desk, 2) == [("Washington", "LOC")]
    with Desk.open(run) as desk:
        assert words(desk, 2) == [("Washington", "LOC")], "not carried again after it was undone"


def test_of_equal_texts_each_keeps_its_own_decision(tmp_path: Path) -> None:
    crowd = corpus(*["Ada/B-PER/O/B-PER slept/O/O/O"] * 3, gold=False, docs=["d1", "d2", "d3"])
    with Desk.open(saved(tmp_path / "run", crowd)) as desk:
        do(desk, "nothing", 1)
        assert [words(desk, number) for number in range(3)] == [[("Ada", "PER")], [], [("Ada", "PER")]]
    with Desk.open(tmp_path / "run") as desk:
        assert [len(words(desk, number)) for number in range(3)] == [1, 0, 1]
