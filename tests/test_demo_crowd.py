"""The made-up annotators of the demo corpus behave as they are described."""

from collections import Counter

import pytest
from seqeval.metrics import precision_score, recall_score
from seqeval.scheme import IOB2

from demo_corpus.characters import CHARACTERS
from demo_corpus.figures import Record, precision_recall_f1
from demo_counting import (
    beside,
    broken_places,
    by_document,
    majority,
    misfits,
    share_right_by_novelty,
    shipped_records,
    strict_f1,
    swapped_organisation_and_place,
    unzip,
    work,
)

READERS = ("ana", "ben", "cleo", "dan", "eva", "finn")


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return shipped_records()


def test_three_to_six_annotators_see_whole_documents(records: list[Record]) -> None:
    for _, block in by_document(records):
        crowds = {tuple(record["annotations"]) for record in block}
        assert len(crowds) == 1
        assert 3 <= len(crowds.pop()) <= 6
    assert {len(record["annotations"]) for record in records} == {3, 4, 5, 6}


def test_all_eight_annotators_work_and_every_label_has_its_token(records: list[Record]) -> None:
    seen = Counter(name for record in records for name in record["annotations"])
    assert seen.keys() == {character.name for character in CHARACTERS}
    assert len(seen) == 8
    assert min(seen.values()) >= 100
    assert all(len(tags) == len(r["tokens"]) for r in records for tags in r["annotations"].values())


def test_a_few_tokens_are_left_blank_and_never_a_whole_sentence(records: list[Record]) -> None:
    given = [tags for record in records for tags in record["annotations"].values()]
    blanks = sum(tags.count(None) for tags in given)
    assert 10 <= blanks <= 0.01 * sum(map(len, given))
    assert all(any(tags) for tags in given)


def test_some_transitions_are_invalid_even_among_those_who_read(records: list[Record]) -> None:
    broken = {name: sum(len(broken_places(tags)) for _, tags in work(records, name)) for name in READERS}
    assert broken["ana"] == broken["ben"] == 0
    assert broken["dan"] >= 10
    assert broken["finn"] >= 3
    after_outside = [
        place
        for name in ("dan", "finn")
        for _, tags in work(records, name)
        for place in broken_places(tags)
        if place and tags[place - 1] == "O"
    ]
    assert len(after_outside) >= 10


def test_the_expert_is_almost_right_and_the_careful_one_is_good(records: list[Record]) -> None:
    assert 0.93 <= strict_f1(work(records, "ana")) <= 0.97
    assert 0.78 <= strict_f1(work(records, "ben")) <= 0.90


def test_the_one_who_misses_much_is_precise_all_the_same(records: list[Record]) -> None:
    gold, given = unzip(work(records, "cleo"))
    assert recall_score(gold, given, mode="strict", scheme=IOB2) < 0.5
    assert precision_score(gold, given, mode="strict", scheme=IOB2) > 0.85


def test_sloppy_boundaries_touch_the_mention_but_do_not_fit_it(records: list[Record]) -> None:
    assert misfits(records, "dan", beside) > 0.3
    assert all(misfits(records, name, beside) < 0.12 for name in READERS if name != "dan")


def test_one_annotator_mixes_up_organisations_and_places(records: list[Record]) -> None:
    assert misfits(records, "eva", swapped_organisation_and_place) > 0.2
    assert all(
        misfits(records, name, swapped_organisation_and_place) < 0.1 for name in READERS if name != "eva"
    )


def test_one_annotator_is_good_on_a_new_name_and_poor_on_a_repeated_one(records: list[Record]) -> None:
    new, repeated = share_right_by_novelty(records, "finn")
    assert new > 0.65
    assert repeated < new - 0.3
    new, repeated = share_right_by_novelty(records, "ben")
    assert abs(new - repeated) < 0.15


def test_one_annotator_leaves_o_everywhere_and_one_labels_at_random(records: list[Record]) -> None:
    assert all(set(tags) == {"O"} for _, tags in work(records, "gus"))
    labelled = [tag for _, tags in work(records, "hal") for tag in tags if tag and tag != "O"]
    assert min(Counter(labelled).values()) > 0.8 * len(labelled) / 8  # eight tags, none preferred
    assert strict_f1(work(records, "hal")) < 0.05


def test_a_plain_majority_leaves_much_to_do(records: list[Record]) -> None:
    votes: list[tuple[list[str], list[str | None]]] = [
        (record["gold"], majority(record)) for record in records
    ]
    assert 0.70 <= strict_f1(votes) <= 0.85


@pytest.mark.parametrize("name", READERS)
def test_the_scores_in_the_table_agree_with_seqeval(records: list[Record], name: str) -> None:
    assert precision_recall_f1(work(records, name))[2] == pytest.approx(strict_f1(work(records, name)))
