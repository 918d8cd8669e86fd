"""The training objective against listed paths, differences, and another implementation."""

import numpy as np
import pycrfsuite
import pytest

from builders import corpus
from crowdseq.arrays import FloatArray
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.chains.chain import Lattice, marginals
from crowdseq.numerics.optimise.lbfgs import Memory, Minimiser
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.features import FEATURE_SETS, FeatureSettings
from crowdseq.tagging.problem import CrfProblem, Likelihood
from crowdseq.tagging.streams import Passage
from crowdseq.tagging.targets import Targets
from crowdseq.tagging.weight_frame import ChainRules
from oracles import list_sentence, path_score

FEATURES = FeatureSettings(
    windows={"word": (-1, 0, 1), "suffix": (0,), "flag": (-1, 0)}, pairs={"word": (0, 1)}
)
RULES = ChainRules(
    np.array([[True, True, False], [True, True, True], [True, True, True]]),
    np.array([True, True, False]),
    np.array([True, True, True]),
)


def some_sentences(n_sentences: int = 12, longest: int = 4, seed: int = 3) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    words = ["Ada", "met", "Babbage", "in", "London", "1842", "x-ray", "the", "IBM"]
    return [list(rng.choice(words, size=rng.integers(1, longest + 1))) for _ in range(n_sentences)]


def build(sentences: list[list[str]], rules: ChainRules = RULES, **settings: object) -> CrfProblem:
    return CrfProblem.build(Passage.of_sentences(sentences), rules, FEATURES, **settings)  # type: ignore[arg-type]


def one_label_a_token(sentences: list[list[str]]) -> FloatArray:
    """Support so narrow that pairs of words are listed by token and get no rows."""
    n_tokens = sum(map(len, sentences))
    return np.asarray(np.eye(3)[np.random.default_rng(9).integers(0, 2, n_tokens)])


def soft_targets(problem: CrfProblem, seed: int = 0, weights: FloatArray | None = None) -> Targets:
    """Marginals of a random chain that keeps the rules."""
    rng = np.random.default_rng(seed)
    unary = rng.normal(size=(int(problem.offsets[-1]), 3))
    starts, ends = problem.rules.edges
    steps = np.where(problem.rules.allowed, rng.normal(size=(3, 3)), -np.inf)
    found = marginals(Lattice(unary, problem.offsets, steps, starts, ends), sentence_weights=weights)
    plain = marginals(Lattice(unary, problem.offsets, steps, starts, ends))
    return Targets(plain.unary, found.pairwise)


# Weights of 300 leave the range of scaled passes: such sentences are done in log space.
@pytest.mark.parametrize("scale", [1.0, 300.0])
@pytest.mark.parametrize("listed", [True, False])
def test_the_objective_is_that_of_all_listed_paths(scale: float, listed: bool) -> None:
    sentences = some_sentences()
    problem = build(sentences, support=one_label_a_token(sentences) if listed else None)
    rng = np.random.default_rng(1)
    tags = np.array([0] * int(problem.offsets[-1]))
    tags[::3] = 1
    targets = Targets.of_tags(tags, problem.offsets, 3)
    sentence_weights = rng.random(problem.n_sentences)
    objective = problem.objective(targets, 0.3, sentence_weights)
    for _ in range(20):
        weights = rng.normal(scale=scale, size=problem.n_weights)
        lattice = problem.lattice(weights)
        wanted = 0.3 * float(weights @ weights)
        for n, share in enumerate(sentence_weights):
            path = tuple(tags[problem.offsets[n] : problem.offsets[n + 1]].tolist())
            score = path_score(lattice, int(problem.offsets[n]), path)
            wanted += share * (list_sentence(lattice, n).log_partition - score)
        value, _ = objective(weights)
        np.testing.assert_allclose(value, wanted, rtol=1e-10)


def test_expectations_in_log_space_are_those_of_listed_paths() -> None:
    sentences = some_sentences()
    problem = build(sentences, support=one_label_a_token(sentences))
    targets = soft_targets(problem)
    weights = np.random.default_rng(6).normal(scale=300.0, size=problem.n_weights)
    likelihood = Likelihood.towards(problem, targets.unary, np.ones(problem.n_sentences))
    likelihood(weights)
    lattice = problem.lattice(weights)
    wanted = np.concatenate([list_sentence(lattice, n).unary for n in range(problem.n_sentences)])
    np.testing.assert_allclose(likelihood.expected, wanted, atol=1e-12)


@pytest.mark.parametrize("kind", ["hard", "soft", "weighted", "listed"])
def test_the_gradient_is_that_of_differences(kind: str) -> None:
    sentences = some_sentences()
    problem = build(sentences, support=one_label_a_token(sentences) if kind == "listed" else None)
    rng = np.random.default_rng(5)
    sentence_weights = rng.integers(0, 3, problem.n_sentences).astype(float) if kind == "weighted" else None
    tags = np.zeros(int(problem.offsets[-1]), dtype=np.int16)
    hard = Targets.of_tags(tags, problem.offsets, 3)
    targets = hard if kind == "hard" else soft_targets(problem, weights=sentence_weights)
    objective = problem.objective(targets, 0.1, sentence_weights)
    weights = rng.normal(size=problem.n_weights)
    gradient = objective(weights)[1].copy()
    step = 1e-5
    for place in [*rng.choice(problem.n_weights, 60, replace=False).tolist(), problem.n_weights - 1]:
        moved = weights.copy()
        moved[place] += step
        above = objective(moved)[0]
        moved[place] -= 2 * step
        below = objective(moved)[0]
        np.testing.assert_allclose(gradient[place], (above - below) / (2 * step), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("listed", [True, False])
def test_emissions_add_up_the_weights_of_what_a_token_shows(listed: bool) -> None:
    sentences = some_sentences(6)
    problem = build(sentences, support=one_label_a_token(sentences) if listed else None)
    assert (len(problem.layout.entries.listed.pairs) > 0) == listed
    weights = np.random.default_rng(2).normal(size=problem.n_weights)
    wanted = np.zeros((int(problem.offsets[-1]), 3))
    for stream, inventory in enumerate(problem.layout.inventories):
        width = len(inventory.offsets)
        bounds, labels = problem.layout.pair_bounds[stream], problem.layout.pair_labels[stream]
        own = weights[problem.layout.pair_starts[stream] :]
        for n in range(problem.n_sentences):
            for t in range(problem.offsets[n], problem.offsets[n + 1]):
                for place, offset in enumerate(inventory.offsets):
                    inside = problem.offsets[n] <= t + offset < problem.offsets[n + 1]
                    value = inventory.ids[t + offset] if inside else inventory.edge
                    if value < 0:
                        continue
                    pieces = inventory.value_pieces[
                        inventory.value_bounds[value] : inventory.value_bounds[value + 1]
                    ]
                    for piece in pieces.tolist():
                        for pair in range(bounds[piece * width + place], bounds[piece * width + place + 1]):
                            wanted[t, labels[pair]] += own[pair]
    np.testing.assert_allclose(problem.emissions(weights), wanted, atol=1e-12)


@pytest.mark.parametrize("listed", [True, False])
def test_any_number_of_threads_trains_the_same_weights_bit_by_bit(listed: bool) -> None:
    sentences = some_sentences(3_000, longest=12)
    support = one_label_a_token(sentences) if listed else None
    results = []
    for threads in (1, 2, 3):
        with using_threads(threads):
            problem = build(sentences, support=support)
            results.append(problem.train(soft_targets(problem), minimiser=Minimiser(max_iterations=5)))
    for other in results[1:]:
        assert other.value == results[0].value
        assert np.array_equal(other.weights, results[0].weights)


def test_the_order_of_targets_in_memory_does_not_matter() -> None:
    problem = build(some_sentences())
    targets = soft_targets(problem)
    turned = Targets(np.asfortranarray(targets.unary), targets.pairwise)
    weights = np.random.default_rng(4).normal(size=problem.n_weights)
    value, gradient = problem.objective(targets)(weights)
    again, same_gradient = problem.objective(turned)(weights)
    assert value == again
    assert np.array_equal(gradient, same_gradient)


def test_a_sentence_of_weight_zero_might_as_well_not_be_there() -> None:
    sentences = some_sentences(20)
    problem, half = build(sentences), build(sentences[:10])
    tags = np.ones(int(problem.offsets[-1]), dtype=np.int64)
    keep = np.repeat([1.0, 0.0], 10)
    tight = Minimiser(tolerance=1e-12)
    whole = problem.train(Targets.of_tags(tags, problem.offsets, 3), 0.5, tight, sentence_weights=keep)
    alone = half.train(Targets.of_tags(tags[: half.offsets[-1]], half.offsets, 3), 0.5, tight)
    np.testing.assert_allclose(whole.value, alone.value, rtol=1e-8)


def test_a_warm_start_with_memory_arrives_sooner_at_the_same_place() -> None:
    problem = build(some_sentences(200, longest=8))
    targets = soft_targets(problem)
    tight = Minimiser(tolerance=1e-10)
    cold = problem.train(targets, 0.1, tight)
    warm = problem.train(targets, 0.1, tight, start=cold.weights, memory=cold.memory)
    assert warm.evaluations < cold.evaluations / 2
    np.testing.assert_allclose(warm.value, cold.value, rtol=1e-8)


def test_narrow_support_leaves_only_pairs_that_occur() -> None:
    sentences = [["Ada", "met"], ["Ada", "slept"]]
    support = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    narrow, wide = build(sentences, support=support), build(sentences)
    assert narrow.n_weights < wide.n_weights / 2
    weights = np.ones(narrow.n_weights)
    assert narrow.emissions(weights)[0, 2] == 0.0


def attributes(sentence: list[str]) -> list[list[str]]:
    """word[-1..1], suffixes and pairs as FEATURES has them, as strings for python-crfsuite."""
    result = []
    for t, word in enumerate(sentence):
        found = [f"w0={word}"] + [f"s={word[-n:]}" for n in range(1, 5) if n < len(word)]
        for offset in (-1, 1):
            inside = 0 <= t + offset < len(sentence)
            found.append(f"w{offset}={sentence[t + offset]}" if inside else f"edge{offset}")
        result.append(found)
    return result


def test_python_crfsuite_finds_the_same_optimum(tmp_path: object) -> None:
    sentences = some_sentences(150, longest=9)
    rng = np.random.default_rng(0)
    passage = Passage.of_sentences(sentences)
    tags = np.where(rng.random(passage.n_tokens) < 0.7, passage.token_ids % 3, rng.integers(0, 3))
    targets = Targets.of_tags(tags, passage.offsets, 3)
    features = FeatureSettings(windows={"word": (-1, 0, 1), "suffix": (0,)})
    learnt = targets.edges(np.ones(len(sentences))) > 0
    problem = CrfProblem.build(passage, ChainRules.free(3), features, targets.unary, learnt)
    ours = problem.train(targets, 0.7, Minimiser(tolerance=1e-10))
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0.0, "c2": 0.7, "epsilon": 1e-9, "delta": 1e-9, "max_iterations": 2_000})
    for n, sentence in enumerate(sentences):
        trainer.append(
            attributes(sentence), [str(t) for t in tags[passage.offsets[n] : passage.offsets[n + 1]]]
        )
    trainer.train(f"{tmp_path}/model")
    np.testing.assert_allclose(ours.value, trainer.logparser.last_iteration["loss"], rtol=1e-5)
    assert problem.n_weights == trainer.logparser.last_iteration["active_features"]


def test_an_l1_penalty_zeroes_weights_and_beats_every_neighbour() -> None:
    problem = build(some_sentences(60))
    targets = soft_targets(problem)
    plain = problem.train(targets, 0.1, Minimiser(tolerance=1e-9))
    sparse = problem.train(targets, 0.1, Minimiser(tolerance=1e-9, l1=1.0))
    assert (sparse.weights == 0.0).sum() > problem.n_weights / 3 > (plain.weights == 0.0).sum()
    objective = problem.objective(targets, 0.1)
    rng = np.random.default_rng(0)
    for scale in (1e-3, 1e-2, 1e-1):
        for _ in range(20):
            moved = sparse.weights + rng.normal(scale=scale, size=problem.n_weights)
            assert objective(moved)[0] + np.abs(moved).sum() > sparse.value


def test_bad_targets_are_refused_with_one_clear_line() -> None:
    problem = build([["Ada", "met", "Ada"], ["x"]])
    good = np.full((4, 3), 1 / 3)
    pairs = np.zeros((3, 3))
    broken = good.copy()
    broken[1, 1] = np.nan
    with pytest.raises(AnnotationError, match="NaN"):
        Targets(broken, pairs)
    with pytest.raises(AnnotationError, match="negative"):
        Targets(-good, pairs)
    with pytest.raises(AnnotationError, match="label number 7 is not one of the 3"):
        Targets.of_tags(np.array([0, 7, 1, 1]), problem.offsets, 3)
    with pytest.raises(AnnotationError, match="do not fit 4 tokens, 3 labels"):
        problem.train(Targets(np.full((4, 5), 0.2), np.zeros((5, 5))))
    with pytest.raises(AnnotationError, match="sentence 1, token 2: targets sum to 0,"):
        problem.train(Targets(np.array([[1, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0]], float), pairs))
    with pytest.raises(AnnotationError, match="label 2 follow label 0"):
        problem.train(Targets.of_tags(np.array([0, 2, 1, 1]), problem.offsets, 3))
    with pytest.raises(AnnotationError, match="do not fit 3 labels"):
        Targets(good, np.zeros((2, 2)))


def test_bad_settings_are_refused() -> None:
    problem = build([["Ada"]])
    targets = Targets.of_tags(np.array([0]), problem.offsets, 3)
    with pytest.raises(SettingsError, match="c2"):
        problem.train(targets, c2=-1.0)
    with pytest.raises(SettingsError, match="sentence weights"):
        problem.train(targets, sentence_weights=np.array([-1.0]))
    with pytest.raises(AnnotationError, match="nothing to train on"):
        problem.train(targets, sentence_weights=np.array([0.0]))
    with pytest.raises(AnnotationError, match="nothing to train on"):
        build([])


def test_one_label_trains_to_certainty() -> None:
    rules = ChainRules.free(1)
    problem = build([["Ada", "met"], ["x"]], rules)
    found = problem.train(Targets.of_tags(np.zeros(3, dtype=np.int64), problem.offsets, 1))
    assert found.converged
    np.testing.assert_allclose(found.value, 0.0, atol=1e-12)


def test_a_start_of_another_length_is_refused() -> None:
    problem = build(some_sentences())
    targets = soft_targets(problem)
    with pytest.raises(SettingsError, match=f"must have {problem.n_weights} weights"):
        problem.train(targets, start=np.zeros(3))
    short = Memory(steps=(np.zeros(5),), changes=(np.zeros(5),), curvatures=(1.0,))
    with pytest.raises(SettingsError, match="weights"):
        problem.train(targets, memory=short)


def test_label_pairs_of_another_number_of_sentences_are_refused() -> None:
    problem = build(some_sentences())
    targets = soft_targets(problem)
    with pytest.raises(AnnotationError, match="pairwise targets of 1 sentences"):
        problem.objective(Targets(targets.unary, np.zeros((1, 3, 3))))


def test_soft_targets_must_begin_and_end_as_the_rules_allow() -> None:
    world = corpus("Ada/B-PER slept/O", "Bea/B-PER ran/O")
    free = CrfTrainer(features="basic")
    unary = np.zeros((4, 3))
    unary[:, 0] = 1.0
    inside = world.scheme.index["I-PER"]
    unary[2] = np.eye(3)[inside]
    pairs = np.zeros((3, 3))
    with pytest.raises(AnnotationError, match="sentence 2 begins or ends with a tag"):
        free.fit(world, Targets(unary, pairs))


def test_a_sentence_that_no_labels_fit_is_told() -> None:
    alone = ChainRules(
        np.array([[False, True], [False, False]]), np.array([True, False]), np.array([False, True])
    )
    problem = CrfProblem.build(
        Passage.of_sentences([["a", "b"], ["a", "b", "c"]]), alone, FEATURE_SETS["basic"]
    )
    unary = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    with pytest.raises(AnnotationError, match="sentence 2: no label sequence"):
        problem.train(Targets(unary, np.zeros((2, 2))))
