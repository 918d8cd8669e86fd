"""A simulated crowd has the precision that was asked for, and leaves what it was given alone."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import corpus, random_corpus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import CHUNK_KINDS
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.simulation.annotators import simulate, simulate_crowd
from crowdseq.simulation.profiles import ErrorWeights
from crowdseq.simulation.settings import CrowdSettings
from simulation.outcomes import counted, gold_corpus, kind_counts, only, plain_corpus, real_gold

PRECISIONS = (0.1, 0.3, 0.5, 0.7, 0.9)
REAL = ("conll2003", "bc2gm", "ncbi_disease", "jnlpba")


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return gold_corpus(1, sentences=120)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("annotators", [1, 5, 15])
def test_the_mean_precision_is_the_one_asked_for(gold: Corpus, precision: float, annotators: int) -> None:
    crowd = simulate(gold, precision=precision, annotators=annotators)
    realised = [right / marks for right, marks, _ in counted(crowd).values()]
    assert len(realised) == annotators
    assert np.mean(realised) == pytest.approx(precision, abs=0.01)


@pytest.mark.parametrize("name", REAL)
def test_real_corpora_get_the_precision_asked_for(shared_data: Path, name: str) -> None:
    real = real_gold(shared_data, name, 1000)
    for precision in (0.1, 0.5, 0.9):
        for annotators in (5, 10, 15):
            made = simulate_crowd(real, CrowdSettings(precision=precision, annotators=annotators))
            assert made.realised.mean_precision == pytest.approx(precision, abs=0.01)
            assert made.realised.mean_recall == pytest.approx(precision, abs=0.01)


def test_the_figures_of_a_real_corpus_are_those_of_a_slow_count(shared_data: Path) -> None:
    made = simulate_crowd(real_gold(shared_data, "conll2003", 400), CrowdSettings())
    slow = counted(made.corpus)
    for each in made.realised.annotators:
        assert slow[each.annotator] == (each.right, each.marks, each.mentions)


@pytest.mark.parametrize("kind", CHUNK_KINDS)
@pytest.mark.parametrize("precision", [0.1, 0.5, 0.9])
def test_every_chunk_scheme_gets_the_precision_asked_for(kind: str, precision: float) -> None:
    crowd = simulate(gold_corpus(2, kind=kind), precision=precision)
    assert crowd.scheme.kind == kind
    realised = [right / marks for right, marks, _ in counted(crowd).values()]
    assert np.mean(realised) == pytest.approx(precision, abs=0.01)


@pytest.mark.parametrize("types", [("GENE",), ("LOC", "PER")])
@pytest.mark.parametrize("lengths", [(1,), (1, 2, 4)])
def test_few_types_and_short_mentions_leave_ways_enough_to_err(
    types: tuple[str, ...], lengths: tuple[int, ...]
) -> None:
    crowd = simulate(gold_corpus(3, types=types, lengths=lengths), precision=0.3)
    realised = [right / marks for right, marks, _ in counted(crowd).values()]
    assert np.mean(realised) == pytest.approx(0.3, abs=0.01)


def test_recall_follows_precision_unless_it_is_set(gold: Corpus) -> None:
    for recall, expected in ((None, 0.6), (0.3, 0.3), (0.8, 0.8)):
        crowd = simulate(gold, precision=0.6, recall=recall)
        rows = counted(crowd).values()
        assert np.mean([right / mentions for right, _, mentions in rows]) == pytest.approx(expected, abs=0.01)
        assert np.mean([right / marks for right, marks, _ in rows]) == pytest.approx(0.6, abs=0.01)


def test_the_better_annotator_also_has_the_better_recall(gold: Corpus) -> None:
    realised = simulate_crowd(gold, CrowdSettings(recall=0.4, annotators=8)).realised.annotators
    by_precision = sorted(realised, key=lambda each: each.asked_precision or 0)
    recalls = [each.recall or 0 for each in by_precision]
    assert recalls == sorted(recalls)
    assert recalls[-1] - recalls[0] > 0.1


def test_recall_gives_way_where_the_text_has_no_room_for_the_wrong_marks() -> None:
    tight = gold_corpus(4, gaps=(1,), lengths=(1,))
    made = simulate_crowd(tight, CrowdSettings(precision=0.1, recall=0.9))
    assert made.realised.mean_precision == pytest.approx(0.1, abs=0.01)
    assert (made.realised.mean_recall or 1) < 0.5


def test_annotators_differ_by_the_spread(gold: Corpus) -> None:
    def levels(spread: float) -> list[float]:
        return [right / marks for right, marks, _ in counted(simulate(gold, spread=spread)).values()]

    assert np.ptp(levels(0.0)) < 0.01
    assert np.ptp(levels(0.4)) > 0.1
    assert np.ptp(levels(1.5)) > np.ptp(levels(0.4)) + 0.1


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(CHUNK_KINDS),
    precision=st.floats(0.02, 0.98),
    recall=st.none() | st.floats(0.05, 0.95),
    types=st.sampled_from([("X",), ("X", "Y"), ("A", "B", "C")]),
    kind_of_error=st.sampled_from(
        [None, "shrink", "extend", "shift", "type", "split", "merge", "missed", "spurious"]
    ),
)
def test_any_small_world_is_labelled_and_its_figures_are_true(
    seed: int,
    kind: str,
    precision: float,
    recall: float | None,
    types: tuple[str, ...],
    kind_of_error: str | None,
) -> None:
    world = random_corpus(seed, sentences=6, length=6, types=types, kind=kind, documents=2)
    weights = ErrorWeights() if kind_of_error is None else only(**{kind_of_error: 1.0})
    asked = CrowdSettings(precision=precision, recall=recall, weights=weights, slips=0.0, annotators=3)
    made = simulate_crowd(world, asked)
    slow = counted(made.corpus)
    for each in made.realised.annotators:
        assert slow[each.annotator] == (each.right, each.marks, each.mentions)
        if each.precision is not None:
            assert each.precision == pytest.approx(each.asked_precision, abs=1 / each.marks)


def test_the_gold_corpus_is_not_changed_and_its_own_labels_are_replaced() -> None:
    given_corpus = random_corpus(5, sentences=30)
    before = random_corpus(5, sentences=30)
    crowd = simulate(given_corpus, annotators=2)
    assert given_corpus == before
    assert crowd.annotators == ("a01", "a02")
    assert crowd.text == given_corpus.text
    assert np.array_equal(crowd.gold_tags, given_corpus.gold_tags)


def test_the_same_seed_makes_the_same_crowd_and_another_seed_another(gold: Corpus) -> None:
    assert simulate(gold, seed=3) == simulate(gold, seed=3)
    assert simulate(gold, seed=3) != simulate(gold, seed=4)


def test_a_newcomer_leaves_annotators_of_equal_level_untouched(gold: Corpus) -> None:
    five, six = (simulate(gold, annotators=number, spread=0.0) for number in (5, 6))
    assert six.keep_annotators(five.annotators) == five


def test_a_newcomer_moves_annotators_of_different_levels_only_as_the_mean_demands(gold: Corpus) -> None:
    five, six = (simulate(gold, annotators=number) for number in (5, 6))
    kept = six.keep_annotators(five.annotators)
    assert np.mean(kept.annotations.tags == five.annotations.tags) > 0.9
    stranger = simulate(gold, seed=1)
    assert np.mean(stranger.annotations.tags == five.annotations.tags) < 0.85


def test_profiles_come_on_top_and_leave_the_ordinary_annotators_untouched(gold: Corpus) -> None:
    plain, mixed = simulate(gold), simulate(gold, profiles=("spammer", "expert", "spammer"))
    assert mixed.annotators == ("a01", "a02", "a03", "a04", "a05", "expert", "spammer", "spammer-2")
    assert mixed.keep_annotators(plain.annotators) == plain


def test_a_restricted_scheme_is_widened_by_what_errors_need() -> None:
    only_singles = corpus("Ada/B-PER slept/O well/O", "Bo/B-PER ate/O soup/O", scheme="IOB2").select([0, 1])
    assert "I-PER" in simulate(only_singles, precision=0.5).scheme.tags


@pytest.mark.parametrize("precision", PRECISIONS)
def test_plain_tags_get_the_token_accuracy_asked_for(precision: float) -> None:
    gold_tags = plain_corpus(1)
    crowd = simulate(gold_tags, precision=precision)
    accuracies = [
        np.mean(crowd.keep_annotators([name]).annotations.tags == gold_tags.gold_tags)
        for name in crowd.annotators
    ]
    assert np.mean(accuracies) == pytest.approx(precision, abs=0.01)


def test_wrong_plain_tags_are_mostly_frequent_ones() -> None:
    gold_tags = plain_corpus(2)
    crowd = simulate(gold_tags, precision=0.5, annotators=15)
    given_tags = crowd.annotations.votes()
    wrong = given_tags.labels[given_tags.labels != gold_tags.gold_tags[given_tags.tokens]]
    counts = dict(zip(gold_tags.scheme.tags, np.bincount(wrong, minlength=5).tolist(), strict=True))
    assert counts["N"] > counts["A"] > counts["P"]


def test_slips_are_as_common_as_asked_and_count_for_nothing(gold: Corpus) -> None:
    crowd = simulate(gold, slips=0.1, precision=0.6)
    strict, lenient = counted(crowd), counted(crowd, lenient=True)
    all_strict, all_lenient = (sum(row[1] for row in rows.values()) for rows in (strict, lenient))
    assert 1 - all_strict / all_lenient == pytest.approx(0.1, abs=0.02)
    for rows in (strict, lenient):
        assert np.mean([right / marks for right, marks, _ in rows.values()]) == pytest.approx(0.6, abs=0.01)
    assert np.mean([right / all_ for right, _, all_ in strict.values()]) == pytest.approx(0.6, abs=0.01)


def test_without_slips_every_sequence_is_valid(gold: Corpus) -> None:
    crowd = simulate(gold, slips=0.0, precision=0.3)
    assert all(crowd.scheme.is_valid(tags) for ballot in crowd.annotations.ballots for tags in ballot.tags)


def test_so_many_annotators_see_each_sentence_as_asked(gold: Corpus) -> None:
    crowd = simulate(gold, annotators=6, per_sentence=2)
    assert set(crowd.n_voters.tolist()) == {2}
    seen = np.bincount(crowd.annotations.voters, minlength=6)
    assert seen.min() > 0.6 * len(gold) / 3
    realised = [right / marks for right, marks, _ in counted(crowd).values()]
    assert np.mean(realised) == pytest.approx(0.5, abs=0.01)


def test_a_whole_document_goes_to_the_same_annotators(gold: Corpus) -> None:
    crowd = simulate(gold, annotators=6, per_sentence=2, by_document=True)
    pairs: dict[str | None, set[tuple[int, ...]]] = {}
    for sentence, ballot in zip(crowd.sentences, crowd.annotations.ballots, strict=True):
        pairs.setdefault(sentence.doc, set()).add(tuple(ballot.voters.tolist()))
    assert all(len(seen) == 1 for seen in pairs.values())
    assert len(set.union(*pairs.values())) > 3


def test_empty_sentences_and_texts_full_of_mentions_are_no_trouble() -> None:
    full = corpus("Ada/B-PER Bo/B-LOC", "Cy/B-PER", scheme="IOB2")
    assert sum(kind_counts(simulate(full, precision=0.4)).values()) > 0


def test_what_cannot_be_simulated_is_said_in_one_line() -> None:
    with pytest.raises(AnnotationError, match=r"^s2: gold labels are missing here and in 0 further"):
        simulate(corpus("Ada/B-PER slept/O", "Bo/? ate/?", scheme="IOB2"))
    with pytest.raises(AnnotationError, match="holds no text"):
        simulate(random_corpus(1, sentences=0))
    with pytest.raises(AnnotationError, match="hold no mention"):
        simulate(corpus("it/O rained/O", "all/B-X day/O", scheme="IOB2").select([0]))
    with pytest.raises(AnnotationError, match="one single tag"):
        simulate(corpus("Ada/N Bo/N", scheme="plain"))
    with pytest.raises(
        SettingsError, match=r"setting 'recal' is unknown, choose one of annotators, precision"
    ):
        simulate(gold_corpus(1), recal=0.5)
