"""What every registered method promises, whatever it does inside."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.aggregation.contract import Aggregator, RunContext
from crowdseq.arrays import FloatArray
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.engines.local import LocalEngine
from crowdseq.errors import SettingsError
from crowdseq.methods import list_methods
from crowdseq.workflows.recipes import settings_of
from kinship_oracles import drawn_cast

METHODS = sorted(list_methods())
CROWD_METHODS = [name for name in METHODS if name != "gold"]
CALM_METHODS = [name for name in CROWD_METHODS if not list_methods()[name]().draws]
RESUMABLE_METHODS = [name for name in METHODS if list_methods()[name].can_resume]
BOUNDED_METHODS = [name for name in METHODS if list_methods()[name].can_bound_memory]
CHOOSING_METHODS = [name for name in METHODS if list_methods()[name].can_use_dev]
CLIMBING_METHODS = [name for name in METHODS if list_methods()[name]().monotone]


def recipe(name: str) -> Aggregator:
    """A method with its default settings."""
    return list_methods()[name]()


@pytest.fixture(scope="module")
def crowd() -> Corpus:
    """Sixty sentences, slips and gaps included."""
    return random_corpus(7, sentences=60, annotators=6, voters=4, unlabelled=0.05, documents=12)


@pytest.fixture(scope="module")
def settled(crowd: Corpus) -> Callable[[str], Consensus]:
    """The consensus of a method on the crowd, computed once."""
    found: dict[str, Consensus] = {}

    def of(name: str) -> Consensus:
        if name not in found:
            found[name] = recipe(name).aggregate(crowd)
        return found[name]

    return of


def assert_sound(consensus: Consensus) -> None:
    """Posteriors are distributions and tags are valid."""
    scheme = consensus.corpus.scheme
    assert np.isfinite(consensus.probabilities).all()
    assert (consensus.probabilities >= 0).all()
    np.testing.assert_allclose(consensus.probabilities.sum(axis=1), 1.0, atol=1e-9)
    bounds = consensus.corpus.offsets
    for place in range(len(consensus.corpus)):
        ids = consensus.tag_ids[bounds[place] : bounds[place + 1]]
        assert (ids >= 0).all()
        assert scheme.is_valid(ids)


@pytest.mark.parametrize("name", METHODS)
def test_posteriors_sum_to_one_and_tags_are_valid(name: str, settled: Callable[[str], Consensus]) -> None:
    assert_sound(settled(name))


@pytest.mark.parametrize("name", METHODS)
def test_every_annotator_gets_a_report(name: str, settled: Callable[[str], Consensus], crowd: Corpus) -> None:
    reports = settled(name).annotators
    assert tuple(report.annotator for report in reports) == crowd.annotators
    for report in reports:
        assert report.skill is None or -1 <= report.skill <= 1


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("kind", ["IO", "IOB2", "BIOES", "BILOU", "plain"])
def test_tags_are_valid_even_when_every_vote_is_not(name: str, kind: str) -> None:
    world = random_corpus(3, sentences=12, accuracy=0.0, kind=kind)
    assert_sound(recipe(name).aggregate(world))


@pytest.mark.parametrize("name", CROWD_METHODS)
def test_a_unanimous_valid_crowd_is_believed(name: str) -> None:
    truth = random_corpus(11, sentences=30, accuracy=1.0, annotators=5, voters=5)
    consensus = recipe(name).aggregate(truth)
    np.testing.assert_array_equal(consensus.tag_ids, truth.gold_tags)


@pytest.mark.parametrize("name", METHODS)
def test_the_corpus_is_not_changed(name: str, crowd: Corpus, settled: Callable[[str], Consensus]) -> None:
    settled(name)
    assert crowd == random_corpus(7, sentences=60, annotators=6, voters=4, unlabelled=0.05, documents=12)


@pytest.mark.parametrize("name", METHODS)
def test_the_same_seed_gives_the_same_answer(
    name: str, crowd: Corpus, settled: Callable[[str], Consensus]
) -> None:
    again = recipe(name).aggregate(crowd)
    np.testing.assert_array_equal(again.tag_ids, settled(name).tag_ids)
    np.testing.assert_array_equal(again.probabilities, settled(name).probabilities)


def rebuilt(
    world: Corpus, order: list[int], rename: Callable[[str], str], rename_doc: Callable[[str], str]
) -> Corpus:
    """The same sentences in another order, with other names for annotators and documents."""
    builder = CorpusBuilder()
    for place in order:
        sentence, ballot = world.sentences[place], world.annotations.ballots[place]
        votes = {
            rename(world.annotators[voter]): world.scheme.names(tags)
            for voter, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True)
        }
        doc = None if sentence.doc is None else rename_doc(sentence.doc)
        builder.add(Record(sentence.tokens, sentence.id, doc, votes, world.gold[place]))
    return builder.build(world.scheme)


def same_sentence_by_sentence(first: Consensus, second: Consensus) -> None:
    """Both agree on every sentence, found by id; sums in another order may differ in the last digits."""
    places = {name: place for place, name in enumerate(second.corpus.text.ids)}
    for place, name in enumerate(first.corpus.text.ids):
        assert first.tags[place] == second.tags[places[name]]
        np.testing.assert_allclose(first.posteriors[place], second.posteriors[places[name]], atol=1e-6)


@pytest.mark.parametrize("name", CALM_METHODS)
def test_names_of_annotators_and_documents_do_not_matter(
    name: str, crowd: Corpus, settled: Callable[[str], Consensus]
) -> None:
    order = list(range(len(crowd)))
    other = rebuilt(crowd, order, lambda who: f"x{9 - int(who[1:])}", lambda doc: "z" + doc[::-1])
    same_sentence_by_sentence(settled(name), recipe(name).aggregate(other))


@pytest.mark.parametrize("name", CALM_METHODS)
def test_the_order_of_documents_does_not_matter(
    name: str, crowd: Corpus, settled: Callable[[str], Consensus]
) -> None:
    by_document = sorted(range(len(crowd)), key=lambda i: (-int(crowd.text.document_of[i]), i))
    other = rebuilt(crowd, by_document, str, str)
    same_sentence_by_sentence(settled(name), recipe(name).aggregate(other))


@pytest.mark.parametrize("name", CROWD_METHODS)
def test_a_sentence_that_nobody_saw_gets_an_answer(name: str) -> None:
    world = corpus("Ada/B-PER/B-PER/B-PER met/O/O/O Bob/B-PER/B-PER/O", "who/?/?/? knows/?/?/?")
    assert_sound(recipe(name).aggregate(world))


@pytest.mark.parametrize("name", CROWD_METHODS)
def test_one_annotator_alone_is_believed_where_valid(name: str) -> None:
    world = corpus("Ada/?/B-PER met/?/O Bob/?/B-PER", "she/?/O left/?/O", "Ada/?/B-PER slept/?/O")
    consensus = recipe(name).aggregate(world)
    assert_sound(consensus)
    assert consensus.annotators[0].skill is None
    assert "cannot be judged" in consensus.annotators[0].flags[0]


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    "world",
    [
        pytest.param(corpus("a/O/O/O b/O/O/O", "c/O/O/O"), id="all O"),
        pytest.param(corpus("a/X/X/X b/X/X/X"), id="one label"),
        pytest.param(corpus("a/B-X/B-X/O", "b/O/O/O", "c/B-X/O/B-X"), id="single tokens"),
        pytest.param(corpus(), id="empty corpus"),
        pytest.param(corpus("", "a/O/O/O"), id="empty sentence"),
    ],
)
def test_poor_worlds_are_survived(name: str, world: Corpus) -> None:
    assert_sound(recipe(name).aggregate(world))


@pytest.mark.parametrize("name", CLIMBING_METHODS)
def test_the_history_never_falls_where_it_is_promised(name: str, settled: Callable[[str], Consensus]) -> None:
    history = np.array(settled(name).history)
    assert len(history) > 0
    assert (np.diff(history) >= -1e-8 * np.abs(history[:-1])).all()


@pytest.mark.parametrize("name", METHODS)
def test_several_threads_may_use_a_method_at_once(
    name: str, crowd: Corpus, settled: Callable[[str], Consensus]
) -> None:
    shared = recipe(name)
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: shared.aggregate(crowd), range(3)))
    for answer in answers:
        np.testing.assert_array_equal(answer.probabilities, settled(name).probabilities)


@pytest.mark.parametrize("name", METHODS)
def test_a_recipe_is_its_settings(name: str) -> None:
    made = recipe(name)
    assert made == recipe(name)
    assert repr(made).startswith(type(made).__name__ + "(")


@pytest.mark.parametrize("name", METHODS)
def test_the_number_of_threads_changes_no_number(
    name: str, crowd: Corpus, settled: Callable[[str], Consensus]
) -> None:
    many = recipe(name).aggregate(crowd, RunContext(engine=LocalEngine(threads=2)))
    np.testing.assert_array_equal(many.probabilities, settled(name).probabilities)


class Memory:
    """Keeps every round in memory, and hands out the last."""

    def __init__(self, *kept: Mapping[str, FloatArray]) -> None:
        self.kept = list(kept)

    def load(self) -> Mapping[str, FloatArray] | None:
        return self.kept[-1] if self.kept else None

    def keep(self, arrays: Mapping[str, FloatArray]) -> None:
        self.kept.append({name: np.array(value) for name, value in arrays.items()})


@pytest.mark.parametrize("name", RESUMABLE_METHODS)
def test_going_on_from_any_kept_round_gives_the_same_answer(
    name: str, crowd: Corpus, settled: Callable[[str], Consensus]
) -> None:
    rounds, made = Memory(), recipe(name)
    made.aggregate(crowd, RunContext(keeper=rounds))
    # A method that tries several starts keeps what each of them came to, the others every round.
    assert len(rounds.kept) == getattr(made, "restarts", len(settled(name).history))
    for kept in rounds.kept:
        again = recipe(name).aggregate(crowd, RunContext(keeper=Memory(kept)))
        np.testing.assert_array_equal(again.probabilities, settled(name).probabilities)
        assert again.history == settled(name).history


@pytest.mark.parametrize("name", CHOOSING_METHODS)
def test_a_dev_text_chooses_among_the_rounds(
    name: str, crowd: Corpus, settled: Callable[[str], Consensus]
) -> None:
    consensus = recipe(name).aggregate(crowd, RunContext(dev=random_corpus(8, sentences=20)))
    assert_sound(consensus)
    assert consensus.history == settled(name).history[: len(consensus.history)]


@pytest.mark.parametrize("name", BOUNDED_METHODS)
def test_a_run_that_needs_more_memory_than_it_may_take_is_refused(name: str, crowd: Corpus) -> None:
    with pytest.raises(SettingsError, match="max_memory"):
        recipe(name).aggregate(crowd, RunContext(max_memory=0.0))


def methods_with(setting: str) -> list[str]:
    return [name for name in METHODS if setting in settings_of(list_methods()[name])]


def quick(name: str, **settings: object) -> Aggregator:
    few = {"mace": {"restarts": 2, "rounds": 10}, "crf-ma": {"iterations": 10}, "sembler": {"iterations": 5}}
    return list_methods()[name](**few.get(name, {}), **settings)


@pytest.mark.parametrize("name", [name for name in methods_with("silence") if name != "sa-slc"])
def test_silence_that_is_no_vote_lets_the_one_who_speaks_be_heard(name: str) -> None:
    """Each entity is marked by one of five sources in turn, which the majority calls nothing."""
    rows = []
    for number in range(60):
        votes = ["O"] * 5
        votes[number % 5] = votes[(number + number // 5) % 5] = "B-X"
        rows.append(f"the/O/O/O/O/O/O name{number % 7}/B-X/{'/'.join(votes)} here/O/O/O/O/O/O")
    world = corpus(*rows)
    found = quick(name, silence="abstains").aggregate(world)
    assert found.corpus is world  # annotators are judged by all that they left out
    assert_sound(found)
    assert (found.tag_ids[world.gold_tags > 0] > 0).mean() > 0.9
    assert max(report.recall or 0.0 for report in found.annotators) < 0.5


@pytest.mark.parametrize("name", methods_with("silence"))
def test_what_silence_cannot_mean_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="silence is 'golden', choose one of auto, labelled, abstains"):
        quick(name, silence="golden")


@pytest.mark.parametrize("name", [name for name in methods_with("kinship") if name != "sa-slc"])
def test_copies_of_a_poor_annotator_no_longer_outvote_two_good_ones(name: str) -> None:
    copies = {"c2": ("c1", 0.0), "c3": ("c1", 0.0)}
    world = drawn_cast({"c1": 0.5, "g1": 0.9, "g2": 0.9}, copies, sentences=150)

    def right(consensus: Consensus) -> float:
        return float((consensus.tag_ids == world.gold_tags).mean())

    assert right(quick(name, kinship=True).aggregate(world)) > right(quick(name).aggregate(world)) + 0.03


@pytest.mark.parametrize("name", [name for name in methods_with("kinship") if name != "sa-slc"])
def test_where_nobody_is_kin_the_setting_changes_no_bit(name: str, crowd: Corpus) -> None:
    with_it, without = (quick(name, kinship=kinship).aggregate(crowd) for kinship in (True, False))
    np.testing.assert_array_equal(with_it.probabilities, without.probabilities)
