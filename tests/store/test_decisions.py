"""What is submitted is logged once, answered after it is on disk, and told apart by version."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from crowdseq.errors import AnnotationError, FormatError, OutputBusyError, UsageError
from crowdseq.storage.presence import unused
from crowdseq.store.database import DATABASE, MIGRATIONS, connect, connect_to_read, copy_database
from crowdseq.store.decisions import ConflictError, DecisionStore, read_decisions
from crowdseq.store.entries import SentenceKey
from store_worlds import decision, key


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DecisionStore]:
    with DecisionStore.open(tmp_path) as opened:
        yield opened


def test_a_decision_is_there_when_the_store_is_opened_again(tmp_path: Path) -> None:
    asked = decision(shown={"blind": True}, comment="sure")
    with DecisionStore.open(tmp_path) as store:
        (saved,) = store.submit([asked])
    assert (saved.version, saved.marks, saved.shown) == (1, ((0, 1, "PER"),), {"blind": True})
    with DecisionStore.open(tmp_path) as store:
        assert store.state(key()).entries == (saved,)
    assert read_decisions(tmp_path).state(key()).decisions == (saved,)


def test_nothing_was_decided_where_there_is_no_database(tmp_path: Path) -> None:
    assert list(read_decisions(tmp_path).states()) == []
    assert not (tmp_path / DATABASE).exists()


def test_the_same_id_is_logged_once_and_answered_twice(store: DecisionStore) -> None:
    asked = decision(base=0)
    assert store.submit([asked]) == store.submit([asked])
    assert store.state(key()).version == 1
    assert len(store.history()) == 1


def test_an_id_cannot_be_used_for_something_else(store: DecisionStore) -> None:
    store.submit([decision(id="same")])
    with pytest.raises(UsageError, match="was used for another decision"):
        store.submit([decision(id="same", marks=())])
    with pytest.raises(UsageError, match="the same id"):
        store.submit([decision(id="twice"), decision(id="twice", begin=1, end=1, marks=())])


def test_a_stale_version_is_a_conflict_that_tells_both(store: DecisionStore) -> None:
    (theirs,) = store.submit([decision(reviewer="ann", base=0)])
    mine = decision(marks=(), base=0)
    with pytest.raises(ConflictError, match="changed by somebody else") as caught:
        store.submit([mine, decision(key=key("Bo met", "s2"), base=0)])
    (conflict,) = caught.value.conflicts
    assert conflict.asked == mine
    assert conflict.state.entries == (theirs,)
    assert store.state(key("Bo met", "s2")).version == 0, "all of a submission or nothing"
    assert [item.entry.action for item in store.history()] == ["refused", "decide"], "both are in the log"
    with pytest.raises(ConflictError):
        store.submit([mine])
    assert len(store.history()) == 2, "asked again, the answer is the same"
    store.submit([decision(marks=(), base=1)])
    assert store.state(key()).version == 2


def test_several_decisions_on_one_sentence_share_their_base(store: DecisionStore) -> None:
    store.submit([decision(base=0), decision(begin=1, end=2, marks=(), base=0)])
    assert store.state(key()).version == 2


def test_a_batch_is_undone_and_redone_as_one(store: DecisionStore) -> None:
    keys = [key(f"sentence {number}", f"s{number}") for number in range(5)]
    store.submit([decision(key=one, batch="washington") for one in keys])
    store.submit([decision(key=keys[0], begin=1, end=2, marks=())])
    undone = store.undo("washington", id="u1", reviewer="bea")
    assert len(undone) == 5
    assert [len(store.state(one).decisions) for one in keys] == [1, 0, 0, 0, 0]
    assert store.undo("washington", id="u1", reviewer="bea") == undone, "asked again"
    with pytest.raises(UsageError, match="undone before"):
        store.undo("washington", id="u2", reviewer="bea")
    store.redo("washington", id="r1", reviewer="bea")
    assert [len(store.state(one).decisions) for one in keys] == [2, 1, 1, 1, 1]
    assert [one.seq for one in store.state(keys[0]).decisions] == [1, 6], "in the order of the log"


def test_undo_takes_back_what_this_reviewer_did_last(store: DecisionStore) -> None:
    store.submit([decision(id="first")])
    store.submit([decision(id="second", begin=1, end=2, marks=())])
    store.submit([decision(id="other", reviewer="ann", key=key("Bo met", "s2"))])
    assert store.undo_last(id="u1", reviewer="bea")[0].target == "second"
    assert store.undo_last(id="u2", reviewer="bea")[0].target == "first"
    with pytest.raises(UsageError, match="nothing to undo"):
        store.undo_last(id="u3", reviewer="bea")
    assert store.redo_last(id="r1", reviewer="bea")[0].target == "first"
    store.submit([decision(id="third")])
    with pytest.raises(UsageError, match="nothing to redo"):
        store.redo_last(id="r2", reviewer="bea")
    assert store.undo_last(id="u4", reviewer="bea")[0].target == "third"
    assert store.undo_last(id="u5", reviewer="bea")[0].target == "first"


def test_history_is_paged_from_the_newest_and_tells_what_holds(store: DecisionStore) -> None:
    for number in range(5):
        store.submit([decision(id=f"n{number}", begin=number, end=number, marks=())])
    store.undo("n3", id="u", reviewer="bea")
    newest = store.history(limit=3)
    assert [(item.entry.id, item.is_undone) for item in newest] == [
        ("u:0", False),
        ("n4", False),
        ("n3", True),
    ]
    assert [item.entry.id for item in store.history(10, before=newest[-1].entry.seq)] == ["n2", "n1", "n0"]


def test_comments_skips_and_gaps_are_told_apart_from_decisions(store: DecisionStore) -> None:
    store.submit([decision(action=action, comment="hm") for action in ("comment", "skip", "gap", "audit")])
    state = store.state(key())
    assert (len(state.decisions), len(state.comments), len(state.skips), len(state.gaps)) == (1, 2, 1, 1)
    assert state.is_audited


def test_what_changed_is_told_from_any_point_on(store: DecisionStore) -> None:
    store.submit([decision(), decision(key=key("Bo met", "s2"))])
    last, changed = store.changed_after(0)
    assert (last, len(changed)) == (2, 2)
    store.submit([decision(begin=1, end=2, marks=())])
    assert [state.key for state in store.changed_after(last)[1]] == [key()]


def test_entries_of_the_guideline_belong_to_no_sentence(store: DecisionStore) -> None:
    (entry,) = store.submit([decision(action="entry", key=SentenceKey(), shown={"mention": "US"})])
    assert store.guideline() == (entry,)
    assert store.all_current() == ()
    store.undo(entry.id, id="u", reviewer="bea")
    assert store.guideline() == ()


def test_two_processes_see_each_other(tmp_path: Path) -> None:
    with DecisionStore.open(tmp_path) as first, DecisionStore.open(tmp_path) as second:
        first.submit([decision(base=0)])
        assert second.state(key()).version == 1
        with pytest.raises(ConflictError):
            second.submit([decision(base=0)])
        second.submit([decision(base=1)])
        assert first.state(key()).version == 2


def test_many_threads_lose_nothing(store: DecisionStore) -> None:
    def work(number: int) -> int:
        (saved,) = store.submit([decision(key=key(f"text {number % 7}", "s"))])
        return saved.seq

    with ThreadPoolExecutor(16) as threads:
        numbers = list(threads.map(work, range(200)))
    assert sorted(numbers) == list(range(1, 201))
    assert sum(state.version for state in store.all_current()) == 200


def test_the_log_is_only_added_to(tmp_path: Path) -> None:
    with DecisionStore.open(tmp_path) as store:
        store.submit([decision()])
    made = connect(tmp_path / DATABASE)
    for order in ("UPDATE log SET marks = '[]'", "DELETE FROM log", "UPDATE log SET seq = 9"):
        with pytest.raises(sqlite3.IntegrityError, match="only added to"):
            made.execute(order)
    made.close()


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    with DecisionStore.open(tmp_path) as store:
        store.submit([decision()])
        for name in os.listdir(tmp_path):
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600, name
    assert os.listdir(tmp_path) == [DATABASE], "the journal is gone when the last one leaves"


def test_every_commit_waits_for_the_disk(tmp_path: Path) -> None:
    made = connect(tmp_path / DATABASE)
    assert made.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert made.execute("PRAGMA synchronous").fetchone()[0] == 2
    made.close()


def test_a_run_cannot_be_replaced_while_it_is_reviewed(tmp_path: Path) -> None:
    with (
        DecisionStore.open(tmp_path),
        pytest.raises(OutputBusyError, match="open in a review"),
        unused(tmp_path),
    ):
        pass
    with unused(tmp_path), pytest.raises(OutputBusyError, match="being replaced"):
        DecisionStore.open(tmp_path)
    DecisionStore.open(tmp_path).close()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"marks": ((0, 2, "PER"),)}, "does not lie inside"),
        ({"end": 3, "marks": ((0, 2, "PER"), (1, 3, "LOC"))}, "overlap"),
        ({"begin": -1}, "no range"),
        ({"begin": True}, "whole number"),
        ({"marks": ((0, 1, "x" * 2000),)}, "at most 1,000"),
        ({"comment": "\ud83d"}, "half a character"),
        ({"reviewer": " "}, "needs a 'reviewer'"),
        ({"id": ""}, "needs a 'id'"),
        ({"action": "undo"}, "cannot ask for 'undo'"),
        ({"key": SentenceKey()}, "belongs to a sentence"),
        ({"base": -1}, "whole number of 0 or more"),
        ({"shown": {"x": "y" * 2_000_000}}, "too long"),
    ],
)
def test_a_faulty_decision_is_refused_before_it_is_logged(fields: dict[str, object], message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        decision(**fields)


def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / DATABASE
    with sqlite3.connect(path) as made:
        made.execute("PRAGMA user_version = 99")
    made.close()
    before = path.read_bytes()
    with pytest.raises(FormatError, match="newer crowdseq"):
        DecisionStore.open(tmp_path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("order", ["CREATE TABLE other (x)", "DROP TRIGGER log_is_never_cut"])
def test_a_database_with_another_schema_is_refused(tmp_path: Path, order: str) -> None:
    connect(tmp_path / DATABASE).close()
    with sqlite3.connect(tmp_path / DATABASE) as made:
        made.execute(order)
    made.close()
    with pytest.raises(FormatError, match="no database of decisions"):
        DecisionStore.open(tmp_path)


MORE = (*MIGRATIONS, "CREATE TABLE more (x INTEGER);\nINSERT INTO more SELECT count(*) FROM log;")


def test_an_older_form_is_kept_and_brought_up_in_one_step(tmp_path: Path) -> None:
    with DecisionStore.open(tmp_path) as store:
        store.submit([decision()])
    made = connect(tmp_path / DATABASE, MORE)
    assert made.execute("SELECT x FROM more").fetchone() == (1,)
    made.close()
    kept = connect_to_read(tmp_path / "decisions.form-1.sqlite")
    assert kept.execute("SELECT count(*) FROM log").fetchone() == (1,)
    kept.close()
    with pytest.raises(FormatError, match="newer crowdseq"):
        DecisionStore.open(tmp_path)


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    with DecisionStore.open(tmp_path) as store:
        store.submit([decision()])
    with pytest.raises(FormatError):
        connect(tmp_path / DATABASE, (*MORE, "CREATE TABLE late (x);\nINSERT INTO nowhere VALUES (1);"))
    with DecisionStore.open(tmp_path) as store:
        assert store.state(key()).version == 1


def test_a_copy_holds_what_still_stands_in_the_journal(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    with DecisionStore.open(tmp_path) as store:
        store.submit([decision()])
        copy_database(tmp_path / DATABASE, tmp_path / "new" / DATABASE)
    assert read_decisions(tmp_path / "new").state(key()).version == 1


def test_a_full_disk_is_told_and_what_was_saved_stays(tmp_path: Path) -> None:
    with DecisionStore.open(tmp_path) as store:
        store.submit([decision()])
        store._writer._made.execute(
            "PRAGMA max_page_count = 1"
        )  # it holds more already: no page can be added
        with pytest.raises(Exception, match=r"cannot be written \(database or disk is full\)"):
            store.submit([decision(comment="x" * 19_000)])
        assert store.state(key()).version == 1
        store._writer._made.execute("PRAGMA max_page_count = 100000")
        store.submit([decision(comment="x" * 19_000)])
        assert store.state(key()).version == 2


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = DecisionStore.open(tmp_path)
    store.close()
    with pytest.raises(UsageError, match="closed"):
        store.submit([decision()])
