"""A trained tagger: tags, probabilities, reasons."""

import os
import pickle
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import AnnotationError, SchemeError, SettingsError
from crowdseq.numerics.chains.chain import best_paths, marginals
from crowdseq.tagging.chunks import CHUNKS
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.features import FEATURE_SETS, FeatureSettings
from crowdseq.tagging.sequence_tagger import Context
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.targets import Targets

WORLD = corpus(
    "Ada/B-PER Lovelace/I-PER met/O Babbage/B-PER in/O London/B-LOC",
    "London/B-LOC is/O large/O",
    "Grace/B-PER Hopper/I-PER saw/O New/B-LOC York/I-LOC",
    "the/O engine/O ran/O in/O Paris/B-LOC",
    "Ada/B-PER slept/O",
)


@pytest.fixture(scope="module", params=CHUNKS)
def tagger(request: pytest.FixtureRequest) -> Tagger:
    return CrfTrainer(c2=0.01, chunks=request.param).fit(WORLD, WORLD.gold_tags)


def sentences(world: Corpus) -> list[tuple[str, ...]]:
    return [sentence.tokens for sentence in world.sentences]


def test_what_was_taught_is_known(tagger: Tagger) -> None:
    assert tagger.tag_many(sentences(WORLD)) == [tuple(tags or ()) for tags in WORLD.gold]
    assert tagger.tag(["Ada", "met", "Babbage"]) == ("B-PER", "O", "B-PER")


def test_a_new_word_is_read_by_its_looks(tagger: Tagger) -> None:
    assert tagger.tag(["Grace", "met", "Turing", "in", "Paris"])[1:] == ("O", "B-PER", "O", "B-LOC")


def test_many_sentences_get_the_scores_of_one_alone(tagger: Tagger) -> None:
    many = [*sentences(WORLD), ("Unseen", "words", "in", "London")] * 3
    rows = tagger.marginals_many(many, threads=2)
    for tokens, row in zip(many, rows, strict=True):
        np.testing.assert_array_equal(row, tagger.marginals(tokens))
        np.testing.assert_allclose(row.sum(axis=1), 1.0, atol=1e-9)


def test_scores_of_new_text_are_those_of_training() -> None:
    world = random_corpus(1, sentences=40, types=("LOC", "PER"))
    features = FeatureSettings(
        windows=FEATURE_SETS["rich"].windows,
        pairs={"word": (0, 1), "short": (0,)},
        document=True,
        function=lambda s: [[w[-1]] for w in s],
    )
    trainer = CrfTrainer(features=features, c2=0.1)
    problem, targets, weights = trainer.prepare(world, world.gold_tags)
    optimum = problem.train(targets, 0.1, sentence_weights=weights)
    found = trainer.tagger(problem, world.scheme, optimum.weights)
    documents = [sentence.doc or sentence.id for sentence in world.sentences]
    lattice = found.lattice(sentences(world), Context(documents=documents))
    np.testing.assert_allclose(lattice.unary, problem.emissions(optimum.weights), atol=1e-12)
    np.testing.assert_array_equal(lattice.transitions, problem.transitions(optimum.weights))


def test_forbidden_tags_never_come_out_even_untrained() -> None:
    world = corpus("Ada/O met/O", "a/B-PER b/I-PER", "a/B-LOC b/I-LOC")
    tagger = CrfTrainer(max_iterations=1).fit(world, world.gold_tags)
    rng = np.random.default_rng(0)
    for _ in range(50):
        tags = tagger.tag(rng.choice(["Ada", "met", "a", "b", "?"], size=6).tolist())
        assert world.scheme.is_valid(world.scheme.ids(tags))


def test_k_best_begins_with_the_best_and_adds_up_to_one(tagger: Tagger) -> None:
    tokens = ["Ada", "met"]
    ranked = tagger.k_best(tokens, k=100)
    assert ranked[0][0] == tagger.tag(tokens)
    shares = [share for _, share in ranked]
    assert shares == sorted(shares, reverse=True)
    np.testing.assert_allclose(sum(shares), 1.0, atol=1e-9)
    starts = [tagger.scheme.index[tags[0]] for tags, _ in ranked]
    first = np.bincount(starts, weights=shares, minlength=len(tagger.scheme))
    np.testing.assert_allclose(first, tagger.marginals(tokens)[0], atol=1e-9)


def test_reasons_add_up_to_the_difference_in_score(tagger: Tagger) -> None:
    tokens, position = ["Ada", "met", "Babbage", "in", "Rome"], 2
    found = tagger.why(tokens, position)
    lattice = tagger.lattice([tokens])
    inside = marginals(lattice).unary[position]
    label = int(best_paths(lattice)[0][position])
    outer = tagger.chain.outer(tagger.scheme)
    assert tagger.scheme.tags[outer[label]] == found.tag
    rivals = np.flatnonzero(outer == tagger.scheme.index[found.rival])
    rival = max(rivals, key=lambda number: float(inside[number]))
    steps = [r for r in found.reasons if r.feature.startswith(("after ", "before "))]
    features = [r for r in found.reasons if r not in steps]
    gained = lattice.unary[position, label] - lattice.unary[position, rival]
    np.testing.assert_allclose(sum(r.gain for r in features), gained, atol=1e-12)
    assert len(steps) == 2
    tag = tagger.scheme.index[found.tag]
    np.testing.assert_allclose(found.probability, tagger.marginals(tokens)[position, tag])
    with pytest.raises(SettingsError, match="position 5"):
        tagger.why(tokens, 5)


def test_top_weights_name_what_speaks_for_a_label(tagger: Tagger) -> None:
    top = tagger.top_weights("B-LOC", 60)
    assert "lower=in [-1]" in [reason.feature for reason in top]
    assert [r.weight for r in top] == sorted((r.weight for r in top), reverse=True)
    with pytest.raises(SchemeError):
        tagger.top_weights("B-DOG")


def test_threads_may_share_a_tagger() -> None:
    tagger = CrfTrainer(c2=0.01).fit(WORLD, WORLD.gold_tags)
    texts = [[[f"w{n}-{i}", "in", "London"] for i in range(40)] for n in range(30)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(tagger.tag_many, texts))
    alone = CrfTrainer(c2=0.01).fit(WORLD, WORLD.gold_tags)
    assert found == [alone.tag_many(text) for text in texts]


def test_columns_are_used_where_the_corpus_carries_them() -> None:
    builder = CorpusBuilder()
    for n in range(30):
        noun = n % 2 == 0
        columns = {"pos": ["NNP" if noun else "VB", "."]}
        builder.add(Record([f"w{n}", "."], gold=["B-X" if noun else "O", "O"], columns=columns))
    world = builder.build()
    features = FeatureSettings(windows={"word": (0,)}, columns=("pos",))
    tagger = CrfTrainer(features=features, c2=0.01).fit(world, world.gold_tags)
    assert tagger.tag(["new", "."], Context(columns={"pos": [["NNP", "."]]})) == ("B-X", "O")
    assert tagger.tag(["new", "."], Context(columns={"pos": [["VB", "."]]})) == ("O", "O")
    with pytest.raises(SettingsError, match="no column 'pos'"):
        tagger.tag(["new", "."])
    with pytest.raises(AnnotationError, match="1 entries for 2 tokens"):
        tagger.tag(["new", "."], Context(columns={"pos": [["NNP"]]}))


def test_the_document_tells_a_name_at_the_start_of_a_sentence() -> None:
    builder = CorpusBuilder()
    for n in range(40):
        name = f"Name{n}"
        builder.add(Record(["so", name, "ran"], doc=f"d{n}", gold=["O", "B-P", "O"]))
        builder.add(Record([name, "sat"], doc=f"d{n}", gold=["B-P", "O"]))
        builder.add(Record([f"Verb{n}", "sat"], doc=f"d{n}", gold=["O", "O"]))
    world = builder.build()
    features = FeatureSettings(windows={"word": (0,)}, document=True)
    tagger = CrfTrainer(features=features, c2=0.1).fit(world, world.gold_tags)
    text = [["so", "Zed", "ran"], ["Zed", "sat"], ["Yon", "sat"]]
    assert tagger.tag_many(text, Context(documents=["d", "d", "d"]))[1:] == [("B-P", "O"), ("O", "O")]
    assert tagger.tag_many(text)[1:] == [("O", "O"), ("O", "O")]


def vowels(tokens: Sequence[str]) -> list[list[str]]:
    return [["vowel"] if token[0] in "aeiou" else [] for token in tokens]


def test_users_can_bring_their_own_feature_function() -> None:
    world = corpus("apple/B-X", "pear/O", "egg/B-X", "ham/O", "ice/B-X", "tea/O")
    tagger = CrfTrainer(features=FeatureSettings(function=vowels), c2=0.01).fit(world, world.gold_tags)
    assert tagger.tag(["oil"]) == ("B-X",)
    assert tagger.tag(["salt"]) == ("O",)
    broken = FeatureSettings(function=lambda _: [])
    with pytest.raises(SettingsError, match="0 descriptions for 1 tokens"):
        CrfTrainer(features=broken).fit(world, world.gold_tags)


def test_rare_pieces_are_left_out_by_their_count() -> None:
    features = FeatureSettings(windows={"word": (0,)}, pairs={"word": (0,)})
    often = CrfTrainer(features=features, min_count=2).fit(WORLD, WORLD.gold_tags)
    assert set(often.streams[0].pieces) == {"word=Ada", "word=London", "word=in", "edge"}
    assert often.streams[1].pieces == ()


def test_soft_targets_train_towards_their_probabilities() -> None:
    world = corpus("a/O", "b/B-X")
    wanted = np.array([[0.7, 0.3, 0.0], [0.2, 0.8, 0.0]])
    features = FeatureSettings(windows={"word": (0,)}, edges=())
    targets = Targets(wanted, np.zeros((3, 3)))
    tagger = CrfTrainer(features=features, c2=1e-8, tolerance=1e-12).fit(world, targets)
    np.testing.assert_allclose(tagger.marginals(["a"])[0], wanted[0], atol=1e-4)
    np.testing.assert_allclose(tagger.marginals(["b"])[0], wanted[1], atol=1e-4)


def test_sentences_without_all_tags_are_left_out() -> None:
    full = corpus("Ada/B-PER met/O Bob/B-PER", "it/O ran/O")
    partial = corpus("Ada/B-PER met/O Bob/B-PER", "it/O ran/O", "Eve/B-PER ?/?")
    one = CrfTrainer(c2=0.1, tolerance=1e-9).fit(full, full.gold_tags)
    two = CrfTrainer(c2=0.1, tolerance=1e-9).fit(partial, partial.gold_tags)
    tokens = ["Ada", "met", "it"]
    np.testing.assert_allclose(one.marginals(tokens), two.marginals(tokens), atol=1e-3)


def test_a_sentence_of_ten_thousand_tokens_is_tagged(tagger: Tagger) -> None:
    tokens = ["Ada", "met", "Babbage", "in", "London"] * 2_000
    tags = tagger.tag(tokens)
    assert len(tags) == 10_000
    assert tags[5_000:5_010] == tagger.tag(tokens[:100])[50:60]


def test_an_l1_penalty_gives_a_smaller_tagger() -> None:
    small = CrfTrainer(c1=0.5, c2=0.0).fit(WORLD, WORLD.gold_tags)
    large = CrfTrainer(c2=0.01).fit(WORLD, WORLD.gold_tags)
    assert sum(len(s.pieces) for s in small.streams) < sum(len(s.pieces) for s in large.streams) / 3


def test_empty_input_gives_empty_output(tagger: Tagger) -> None:
    assert tagger.tag_many([]) == []
    assert tagger.tag([]) == ()
    assert tagger.marginals_many([]) == []
    assert tagger.k_best([], 3) == [((), 1.0)]


def test_a_corpus_without_tokens_or_labels_is_refused() -> None:
    empty = corpus(scheme=WORLD.scheme)
    with pytest.raises(AnnotationError, match="nothing to train on"):
        CrfTrainer().fit(empty, empty.gold_tags)
    unlabelled = WORLD.without_gold()
    with pytest.raises(AnnotationError, match="nothing to train on"):
        CrfTrainer().fit(unlabelled, unlabelled.gold_tags)


def test_tags_that_do_not_fit_the_corpus_are_refused() -> None:
    with pytest.raises(AnnotationError, match="2 tags for 21 tokens"):
        CrfTrainer().fit(WORLD, np.array([0, 0]))
    with pytest.raises(AnnotationError, match="label number 99"):
        CrfTrainer().fit(WORLD, np.full(21, 99))
    with pytest.raises(AnnotationError, match="whole tag numbers"):
        CrfTrainer().fit(WORLD, np.zeros((21, 5)))  # type: ignore[arg-type]
    with pytest.raises(AnnotationError, match="do not fit the corpus"):
        CrfTrainer().fit(WORLD, Targets(np.ones((21, 2)) / 2, np.zeros((2, 2))))


def test_wrong_settings_are_refused_at_once() -> None:
    for wrong in (
        {"c2": -1.0},
        {"c1": float("nan")},
        {"threads": 0},
        {"max_iterations": 0},
        {"min_count": 0},
    ):
        with pytest.raises(SettingsError, match="|".join(["not below 0", "at least 1"])):
            CrfTrainer(**wrong)
    with pytest.raises(SettingsError, match="chunks is 'IO', choose from BIOES, borders, own"):
        CrfTrainer(chunks="IO")
    with pytest.raises(SettingsError, match="'fancy' is unknown, choose from basic"):
        CrfTrainer(features="fancy")
    with pytest.raises(SettingsError, match="template 'colour' is unknown here"):
        FeatureSettings(windows={"colour": (0,)})
    with pytest.raises(SettingsError, match="within"):
        FeatureSettings(pairs={"word": (9,)})


def test_text_that_is_not_cut_into_tokens_is_refused(tagger: Tagger) -> None:
    with pytest.raises(AnnotationError, match="split it first"):
        tagger.tag_many(["Ada met"])
    with pytest.raises(AnnotationError, match="split it first"):
        tagger.tag("Ada met")
    with pytest.raises(AnnotationError, match="token 3 is not text"):
        tagger.tag(["Ada", 3])  # type: ignore[list-item]
    assert tagger.tag(["Ada"]) == ("B-PER",)


@pytest.mark.parametrize("token", [["Austria"], None, 7])
def test_a_token_that_is_no_text_does_no_lasting_harm(tagger: Tagger, token: object) -> None:
    before = tagger.marginals(["Ada", "saw", "Rome"])
    for _ in range(2):
        with pytest.raises(AnnotationError, match="not text"):
            tagger.tag(["Neverland", "Ada", token])  # type: ignore[list-item]
    np.testing.assert_array_equal(tagger.marginals(["Ada", "saw", "Rome"]), before)
    assert len(tagger.tag(["Neverland", "Otherland"])) == 2


def test_an_interrupt_does_no_lasting_harm(tagger: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tagger.marginals(["Ada", "saw", "Rome"])
    with monkeypatch.context() as patch:

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        patch.setattr("crowdseq.tagging.scoring.StreamWeights.rows_of_words", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tagger.tag(["Atlantis", "Ada"])
    np.testing.assert_array_equal(tagger.marginals(["Ada", "saw", "Rome"]), before)
    assert len(tagger.tag(["Atlantis", "Ada"])) == 2


def test_a_used_tagger_can_be_copied(tagger: Tagger) -> None:
    told = tagger.tag(["Ada", "met", "Babbage"])
    assert pickle.loads(pickle.dumps(tagger)).tag(["Ada", "met", "Babbage"]) == told


def test_a_sentence_that_no_tags_fit_is_told() -> None:
    world = corpus("Ada/B-X Bea/E-X", scheme=LabelScheme(("B-X", "E-X"), "BIOES"))
    pairs = CrfTrainer(features="basic", chunks="own").fit(world, world.gold_tags)
    assert pairs.tag(["Ada", "Bea"]) == ("B-X", "E-X")
    with pytest.raises(AnnotationError, match="sentence 2: no tags for its length"):
        pairs.tag_many([["Ada", "Bea"], ["Ada"]])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_a_child_forked_while_the_tagger_was_busy_can_tag(tagger: Tagger) -> None:
    told = tagger.tag(["Ada", "met", "Babbage"])
    with tagger._word_rows._lock:
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(0 if tagger.tag(["Ada", "met", "Babbage"]) == told else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_feature_function_that_gives_a_text_for_a_token_is_told() -> None:
    wrong = FeatureSettings(windows={"word": (0,)}, function=lambda tokens: ["abc" for _ in tokens])
    with pytest.raises(SettingsError, match="a list of texts is needed"):
        CrfTrainer(features=wrong).fit(WORLD, WORLD.gold_tags)
