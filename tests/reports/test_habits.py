"""Habits in words, on made-up annotators whose habits are known."""

from builders import corpus
from crowdseq.core.corpus import Corpus
from crowdseq.reports.habits import Name, find_habits, repeated_errors
from crowdseq.reports.outcomes import SpanOutcomes
from crowdseq.workflows.demonstrating import demo_corpus
from reports.pages import run_on
from reports.test_outcomes import believing_gold


def habits_of(world: Corpus, annotator: str = "a1") -> list[str]:
    """What one annotator does, where gold is believed."""
    found = find_habits(world, SpanOutcomes.of(believing_gold(world)))
    return [habit.words for habit in found[world.annotators.index(annotator)]]


def test_a_type_left_out_is_named_with_its_share() -> None:
    sentences = ["x/B-MISC/O"] * 5 + ["x/B-MISC/B-MISC"] * 7 + ["x/B-PER/B-PER"] * 10
    assert habits_of(corpus(*sentences)) == ["often leaves out MISC (42 % of 12)"]


def test_types_left_out_are_told_together_the_worst_first() -> None:
    sentences = ["x/B-MISC/O"] * 5 + ["x/B-MISC/B-MISC"] * 5 + ["x/B-ORG/O"] * 6 + ["x/B-ORG/B-ORG"] * 4
    sentences += ["x/B-PER/B-PER"] * 10
    assert habits_of(corpus(*sentences)) == ["mostly leaves out ORG (60 % of 10) and MISC (50 % of 10)"]


def test_who_leaves_out_everything_leaves_out_every_type() -> None:
    assert habits_of(corpus(*["x/B-MISC/O y/O/O z/B-PER/O"] * 12)) == [
        "nearly always leaves out spans of every type (100 % of 24)"
    ]


def test_a_confusion_names_both_labels() -> None:
    sentences = ["x/B-ORG/B-LOC"] * 3 + ["x/B-ORG/B-ORG"] * 14
    assert habits_of(corpus(*sentences)) == ["sometimes gives LOC where the consensus says ORG (18 % of 17)"]


def test_spans_cut_short_and_made_too_long_are_told_apart() -> None:
    short = ["x/B-PER/B-PER y/I-PER/O z/O/O"] * 4
    long = ["x/B-PER/B-PER y/O/I-PER z/O/O"] * 6
    right = ["x/B-PER/B-PER y/O/O z/O/O"] * 10
    assert habits_of(corpus(*short, *long, *right)) == [
        "often makes spans too long (30 % of 20 found)",
        "sometimes cuts spans short (20 % of 20 found)",
    ]


def test_what_is_marked_for_nothing_is_told() -> None:
    sentences = ["x/O/B-MISC y/B-PER/B-PER"] * 6 + ["x/O/O y/B-PER/B-PER"] * 6
    assert habits_of(corpus(*sentences)) == [
        "often marks something where the consensus has nothing, most as MISC (33 % of 18 given)"
    ]


def test_who_skips_repeated_mentions_is_told() -> None:
    documents = [["x/B-PER/B-PER y/O/O", "x/B-PER/O y/O/O"]] * 15
    sentences = [sentence for document in documents for sentence in document]
    docs = [f"d{number}" for number in range(15) for _ in range(2)]
    assert "nearly always skips repeated mentions (100 % of 15; on new ones it would be 0 %)" in habits_of(
        corpus(*sentences, docs=docs)
    )


def test_a_type_that_is_hard_and_comes_back_often_is_no_habit_of_repeats() -> None:
    """ORG is always taken for LOC, new or repeated; only the mix of types differs between the two."""
    hard = [["x/B-ORG/B-LOC", "x/B-ORG/B-LOC", "x/B-ORG/B-LOC"]] * 6
    easy = [["y/B-PER/B-PER"]] * 20
    sentences = [sentence for document in [*hard, *easy] for sentence in document]
    docs = [f"d{number}" for number, document in enumerate([*hard, *easy]) for _ in document]
    found = habits_of(corpus(*sentences, docs=docs))
    assert found == ["nearly always gives LOC where the consensus says ORG (100 % of 18)"]


def test_few_cases_and_rare_errors_are_no_habit() -> None:
    few = ["x/B-MISC/O"] * 9
    rare = ["x/B-PER/B-LOC"] * 3 + ["x/B-PER/B-PER"] * 40
    assert habits_of(corpus(*few, *rare)) == []


def test_plain_labels_are_confused_too() -> None:
    world = corpus(*["x/V/N y/N/N"] * 12, scheme="plain")
    assert habits_of(world) == ["nearly always gives N where the consensus says V (100 % of 12)"]


def test_labels_are_told_apart_from_our_own_words() -> None:
    world = corpus(*["x/B-ORG/B-LOC"] * 10, *["x/B-LOC/B-LOC"] * 10)
    [habit] = find_habits(world, SpanOutcomes.of(believing_gold(world)))[0]
    assert [part for part in habit.parts if isinstance(part, Name)] == ["LOC", "ORG"]
    assert (habit.errors, habit.cases, habit.share) == (10, 10, 1.0)


def test_an_error_made_again_is_counted_once_for_each_return() -> None:
    world = corpus(
        "x/B-PER/O", "x/B-PER/O", "x/B-PER/B-LOC", "x/B-PER/B-LOC", "x/B-PER/B-PER", docs=["d"] * 5
    )
    # Wrong before: the second, third, fourth and fifth; the same error again: the second and the fourth.
    assert repeated_errors(SpanOutcomes.of(believing_gold(world))) == (2, 4)


def test_the_characters_of_the_demo_annotators_are_found() -> None:
    world = demo_corpus()
    consensus = run_on(world, "dawid-skene").consensus
    found = dict(zip(world.annotators, find_habits(world, SpanOutcomes.of(consensus)), strict=True))
    words = {name: " | ".join(habit.words for habit in habits) for name, habits in found.items()}
    assert "leaves out spans of every type" in words["cleo"]
    assert "makes spans too long" in words["dan"]
    assert "cuts spans short" in words["dan"]
    assert "gives LOC where the consensus says ORG" in words["eva"]
    assert "gives ORG where the consensus says LOC" in words["eva"]
    assert "repeated mentions" in words["finn"]
    assert "nearly always leaves out spans of every type (100 %" in words["gus"]
    assert "marks something where the consensus has nothing" in words["hal"]
    assert all("repeated mentions" not in words[name] for name in ("ana", "ben", "cleo", "dan", "gus"))
