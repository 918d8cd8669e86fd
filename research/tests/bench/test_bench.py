"""The bench compares like with like, and its page says what was measured."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.numerics.optimise.lbfgs import Minimiser
from crowdseq.tagging.problem import CrfProblem
from crowdseq.tagging.streams import Passage
from crowdseq.tagging.targets import Targets
from crowdseq.tagging.weight_frame import ChainRules
from crowdseq_research.bench.feature_groups import GoldScore, feature_variants, render_groups
from crowdseq_research.bench.growth import label_growth, token_growth
from crowdseq_research.bench.page import bench_page
from crowdseq_research.bench.rivals import BENCH_FEATURES, Rival, attributes, chaine_trainer, known_tags
from crowdseq_research.bench.rows import Row
from crowdseq_research.bench.scaling import Round, measure_rounds, scaling_rows
from crowdseq_research.bench.timing import Timing, free_cores, interleave, memory_gain

ROOT = Path(__file__).resolve().parents[3]


def test_the_rival_gets_the_same_problem(tmp_path_factory: pytest.TempPathFactory) -> None:
    corpus = random_corpus(3, sentences=60, types=("LOC", "PER"))
    targets = Targets.of_tags(corpus.gold_tags, corpus.offsets, len(corpus.scheme))
    learnt = targets.edges(np.ones(len(corpus))) > 0
    problem = CrfProblem.build(
        Passage.of_text(corpus.text), ChainRules.free(5), BENCH_FEATURES, targets.unary, learnt
    )
    ours = problem.train(targets, 1.0, Minimiser(tolerance=1e-9))
    rival = Rival(list(corpus.text.tokens), known_tags(corpus), 1.0)
    theirs = rival.train(tmp_path_factory.mktemp("rival") / "model")
    assert problem.n_weights == theirs.n_weights
    np.testing.assert_allclose(ours.value, theirs.loss, rtol=1e-3)
    limited = rival.train(tmp_path_factory.mktemp("rival") / "model", max_iterations=3)
    assert limited.iterations == 3


def test_attributes_tell_windows_pairs_and_edges() -> None:
    first, last = attributes(["Ada", "slept"])
    assert {"word[0]=Ada", "word[1]=slept", "edge[-1]", "pair[1]=Ada|slept"} <= set(first)
    assert {"word[-1]=Ada", "edge[1]", "pair[0]=Ada|slept", "suffix[0]=ept"} <= set(last)


def test_growth_is_measured_for_every_size() -> None:
    corpus = random_corpus(1, sentences=40)
    assert [row["labels"] for row in label_growth(corpus, 1)] == [3, 9, 21, 41]
    tokens = [row["tokens"] for row in token_growth(corpus, 1)]
    assert tokens == sorted(tokens)
    assert tokens[-1] == corpus.n_tokens


def test_measures_are_positive() -> None:
    timing = interleave([lambda: sum(range(20_000))], 3)[0]
    assert timing.wall > 0
    assert 0.0 < free_cores(rounds=1_000) <= 2.0
    assert 0.0 < memory_gain(megabytes=1) <= 2.0


def test_runs_take_their_steps_in_turn() -> None:
    taken: list[str] = []

    def run(name: str, steps: int, pause: Callable[[], None]) -> None:
        for _ in range(steps):
            taken.append(name)
            pause()

    rounds = measure_rounds(partial(run, "one"), partial(run, "two"), 4)
    assert len(rounds) == 4
    assert taken == ["one", "two"] * (len(taken) // 2)
    assert all(found.one.wall > 0 and 0.0 < found.cores <= 2.0 for found in rounds)


@pytest.mark.parametrize("order", [1, -1])
def test_a_run_that_fails_does_not_leave_the_other_waiting(order: int) -> None:
    def fails(_: int, pause: Callable[[], None]) -> None:
        pause()
        raise ValueError("no more memory")

    def walks(steps: int, pause: Callable[[], None]) -> None:
        for _ in range(steps):
            pause()

    first, second = (walks, fails)[::order]
    with pytest.raises(ValueError, match="no more memory"):
        measure_rounds(first, second, 3)


def test_rounds_with_two_free_cores_count_if_they_are_enough() -> None:
    quiet = Round(Timing(2.0, 2.0), Timing(2.0, 1.0), 1.9)
    busy = Round(Timing(3.0, 3.0), Timing(3.0, 3.0), 1.1)
    row, _, memory = scaling_rows([quiet, busy, busy] * 12)
    assert 0.0 < memory.ratio <= 2.0
    assert (row.ratio, row.cores, row.verdict) == (2.0, 1.9, "aim (spin test 1.90 of 2 cores)")
    assert "12 of 36 rounds" in row.what
    row = scaling_rows([quiet, busy, busy] * 3)[0]
    assert (row.ratio, row.cores) == (1.0, 1.1)
    assert row.verdict.startswith("not binding here")


def test_the_page_shows_every_row_and_its_verdict() -> None:
    rows = [Row("speed", "s", 1.0, 5.0, 5.0, 2.5, 4.0), Row("memory", "MB", 2.0, 1.0, 0.5, 1.0, 2.0)]
    assert [row.verdict for row in rows] == ["aim", "MISSED"]
    busy, free = (Row("threads", "s", 1.0, 2.5, 2.5, 2.0, 3.0, cores) for cores in (1.34, 1.97))
    assert busy.verdict == "not binding here (spin test 1.34 of 2 cores)"
    assert free.verdict == "must (spin test 1.97 of 2 cores)"
    page = bench_page(
        {
            "machine": {"cores": 2, "python": "3.11"},
            "spin_test_cores": 1.5,
            "rows": [{**row.__dict__, "verdict": row.verdict} for row in rows],
            "growth": {"tokens": [{"tokens": 10, "labels": 3, "ns_per_token": 7}], "labels": []},
            "estep": [],
            "methods": [],
        }
    )
    assert "| speed | s | 1 | 5 | 5 | 2.5 / 4 | aim |" in page
    assert "| 10 | 3 | 7 |" in page


def test_every_group_of_features_is_left_out_once() -> None:
    labels = [label for label, _ in feature_variants()]
    assert len(set(labels)) == len(labels)
    assert {"rich", "without lower", "without pairs of short", "without document", "basic"} <= set(labels)
    table = render_groups(
        [GoldScore("a", "rich", 0.5), GoldScore("b", "rich", 0.25), GoldScore("a", "basic", 0.125)]
    )
    assert "| rich | 50.0 | 25.0 |" in table
    assert "| basic | 12.5 |  |" in table


def test_chaine_gets_the_same_problem_where_it_is_installed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("chaine", reason="chaine is not installed")
    corpus = random_corpus(3, sentences=30, types=("LOC", "PER"))
    sentences, tags = list(corpus.text.tokens), known_tags(corpus)
    trainer = chaine_trainer(sentences, tags, 1.0)
    for iterations in (2, 5):
        trainer.set_param("max_iterations", iterations)
        trainer.train(str(tmp_path / "model"))
    assert (tmp_path / "model").stat().st_size > 0
    assert capfd.readouterr().out == ""


def test_the_page_of_benchmarks_is_that_of_the_stored_figures() -> None:
    stored = json.loads((ROOT / "results" / "bench.json").read_text("utf-8"))
    assert (ROOT / "docs" / "benchmarks.md").read_text("utf-8") == bench_page(stored), "run `make bench`"
