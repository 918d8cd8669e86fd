"""A damaged database is found out, kept, and saved as far as it can be read."""

import sqlite3
from pathlib import Path

import pytest

from crowdseq.errors import OutputBusyError
from crowdseq.store.checking import salvage, verify
from crowdseq.store.database import DATABASE, connect
from crowdseq.store.decisions import DecisionStore, read_decisions
from store_worlds import decision, key

ENTRIES = 400


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with DecisionStore.open(tmp_path) as store:
        store.submit([decision(key=key(f"text {n}", f"s{n}"), comment="word " * 20) for n in range(ENTRIES)])
    return tmp_path


def test_a_sound_database_is_said_to_be(folder: Path) -> None:
    found = verify(folder)
    assert found.is_sound
    assert found.entries == ENTRIES


def test_pages_in_the_middle_cost_only_their_entries(folder: Path) -> None:
    path = folder / DATABASE
    damaged = bytearray(path.read_bytes())
    leaves = [at for at in range(0, len(damaged), 4096) if damaged[at] == 0x0D]  # pages that hold rows
    for at in leaves[5:7]:
        damaged[at : at + 4096] = b"\xa5" * 4096
    path.write_bytes(damaged)
    assert not verify(folder).is_sound
    saved = salvage(folder)
    assert saved.kept.read_bytes() == bytes(damaged)
    assert saved.saved + len(saved.lost) == ENTRIES
    assert 0 < len(saved.lost) < ENTRIES / 4
    assert f"lost are {len(saved.lost)}" in saved.in_words()
    assert verify(folder).is_sound, "known gaps are no fault"
    with DecisionStore.open(folder) as store:
        assert len(store.all_current()) == saved.saved
        store.submit([decision()])
    assert verify(folder).is_sound


def test_without_its_first_page_nothing_is_lost(folder: Path) -> None:
    path = folder / DATABASE
    damaged = bytearray(path.read_bytes())
    damaged[:4096] = b"\0" * 4096
    path.write_bytes(damaged)
    assert salvage(folder).saved == ENTRIES
    assert len(list(read_decisions(folder).states())) == ENTRIES


def test_a_file_cut_short_keeps_its_beginning(folder: Path) -> None:
    path = folder / DATABASE
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2 // 4096 * 4096])
    saved = salvage(folder)
    assert saved.saved > ENTRIES / 10
    assert verify(folder).is_sound


def test_what_is_no_database_at_all_is_kept_and_begun_anew(folder: Path) -> None:
    (folder / DATABASE).write_bytes(b"hello" * 1000)
    assert salvage(folder).saved == 0
    assert verify(folder).is_sound
    assert (folder / "decisions.damaged-1.sqlite").read_bytes() == b"hello" * 1000


def test_an_entry_that_was_changed_by_hand_is_found_out(folder: Path) -> None:
    made = connect(folder / DATABASE)
    made.executescript("DROP TRIGGER log_is_never_changed; UPDATE log SET marks = '[]' WHERE seq = 7;")
    made.executescript(
        "CREATE TRIGGER log_is_never_changed BEFORE UPDATE ON log\n"
        "        BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;"
    )
    made.close()
    assert verify(folder).faults == ("entry 7 is not as it was written",)
    assert salvage(folder).lost == (7,)


def test_an_entry_that_was_removed_is_missed(folder: Path) -> None:
    made = sqlite3.connect(folder / DATABASE)
    schema = made.execute("SELECT sql FROM sqlite_master WHERE name = 'log_is_never_cut'").fetchone()[0]
    made.executescript("DROP TRIGGER log_is_never_cut; DELETE FROM log WHERE seq = 5;")
    made.executescript(schema)
    made.close()
    assert verify(folder).faults == ("1 entries are missing, the first is number 5",)


def test_nothing_is_salvaged_under_the_hands_of_a_reviewer(folder: Path) -> None:
    with DecisionStore.open(folder), pytest.raises(OutputBusyError):
        salvage(folder)


def test_a_salvage_that_was_killed_half_way_is_made_good(folder: Path) -> None:
    """It had kept the damaged file with its journal, and removed the journal, when it was killed."""
    path = folder / DATABASE
    whole = path.read_bytes()
    (folder / "decisions.damaged-1.sqlite").write_bytes(whole)
    path.write_bytes(whole[:4096])
    assert salvage(folder).saved == ENTRIES
