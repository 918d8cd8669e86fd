"""Methods on shards that stay on disk give the bits of shards in memory, and go on after an interruption."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crowdseq
from crowdseq.aggregation.contract import Aggregator, JointAggregator, RunContext
from crowdseq.aggregation.stored import StoredConsensus
from crowdseq.core.corpus import Corpus
from crowdseq.engines.disk import DiskEngine
from crowdseq.engines.engine import Engine
from crowdseq.engines.local import LocalEngine
from crowdseq.engines.ordering import order_of_documents, store_corpus
from crowdseq.engines.shard_files import StoredCorpus
from crowdseq.engines.spilling import Spill
from crowdseq.errors import SettingsError
from crowdseq.methods import list_methods
from crowdseq.workflows.learning.plan import LearnPlan
from crowdseq.workflows.recipes import Resources

SETTINGS: dict[str, dict[str, Any]] = {
    "bsc": {"rounds": 3, "tolerance": 0.0},
    "dawid-skene": {"rounds": 3, "tolerance": 0.0, "silence": "auto"},
    "gold": {"features": "basic", "max_iterations": 5},
    "hmm-crowd": {"rounds": 3, "tolerance": 0.0},
    "ibcc": {"rounds": 3, "tolerance": 0.0, "kinship": True},
    "mace": {"restarts": 3, "rounds": 3},
    "majority-vote": {"silence": "abstains"},
    "sa-slc": {"rounds": 3, "tolerance": 0.0, "steps": 3, "folds": 2, "tagger_features": "basic"},
    "sembler": {"rounds": 3, "tolerance": 0.0, "features": "basic", "iterations": 4, "silence": "auto"},
}
RESUMED = sorted(set(SETTINGS) - {"gold", "majority-vote"})


@pytest.fixture(scope="module")
def demo() -> Corpus:
    corpus = crowdseq.demo_corpus()
    return corpus.without_gold() if not corpus.has_gold.any() else corpus


@pytest.fixture(scope="module")
def stored(demo: Corpus, tmp_path_factory: pytest.TempPathFactory) -> StoredCorpus:
    return store_corpus(demo, tmp_path_factory.mktemp("shards"), demo.n_tokens // 8)


def recipe(name: str, corpus: Corpus | None = None, **more: Any) -> Aggregator:
    made = list_methods()[name]
    cut = {"shard_tokens": corpus.n_tokens // 8} if corpus else {}
    able = cut if "shard_tokens" in made.__dataclass_fields__ else {}  # type: ignore[attr-defined]
    return made(**(SETTINGS[name] | able | more))


def run_stored(
    made: Aggregator, stored: StoredCorpus, out: Path, engine: Engine, keeper: Any = None
) -> tuple[StoredConsensus, Any]:
    context = RunContext(engine=engine, out=out, keeper=keeper)
    if isinstance(made, JointAggregator):
        learned = made.learn_stored(stored, context)
        return learned.consensus, learned.tagger
    return made.aggregate_stored(stored, context), None


def rows_of(consensus: StoredConsensus) -> tuple[Any, Any]:
    parts = list(consensus.parts())
    tags, rows = [part.tag_ids for part in parts], [part.probabilities for part in parts]
    return np.concatenate(tags), np.concatenate(rows)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_shards_on_disk_give_the_bits_of_shards_in_memory(
    demo: Corpus, stored: StoredCorpus, tmp_path: Path, name: str
) -> None:
    made = recipe(name, demo)
    if isinstance(made, JointAggregator) and name != "gold":
        learned: Any = made.learn(demo)
        whole, weights = learned.consensus, [one.pair_weights for one in learned.tagger.streams]
    else:
        whole, weights = made.aggregate(demo), []
    consensus, tagger = run_stored(made, stored, tmp_path / "out", LocalEngine())
    sentences = order_of_documents(demo)
    tokens = np.concatenate([np.arange(demo.offsets[n], demo.offsets[n + 1]) for n in sentences])
    tags, rows = rows_of(consensus)
    if name != "gold":  # which is not cut in memory, and trained in another order
        np.testing.assert_array_equal(rows, whole.probabilities[tokens])
    np.testing.assert_array_equal(tags, whole.tag_ids[tokens])
    assert consensus.history == whole.history
    for mine, theirs in zip(weights, tagger.streams if weights else [], strict=True):
        np.testing.assert_array_equal(mine, theirs.pair_weights)
    for mine_of, theirs_of in zip(consensus.annotators, whole.annotators, strict=True):
        assert (mine_of.annotator, mine_of.sentences, mine_of.tokens, mine_of.flags) == (
            theirs_of.annotator, theirs_of.sentences, theirs_of.tokens, theirs_of.flags,
        )  # fmt: skip
        assert mine_of.skill == pytest.approx(theirs_of.skill, rel=1e-9)
        assert mine_of.f1 == theirs_of.f1
        np.testing.assert_allclose(mine_of.confusion, theirs_of.confusion, rtol=1e-9)
    assert set(consensus.parameters) <= set(whole.parameters)


@pytest.mark.parametrize("name", ["gold", "majority-vote", "sa-slc"])
def test_one_shard_at_a_time_gives_the_same_bits(stored: StoredCorpus, tmp_path: Path, name: str) -> None:
    made = recipe(name)
    first, _ = run_stored(made, stored, tmp_path / "one", LocalEngine())
    second, _ = run_stored(made, stored, tmp_path / "two", DiskEngine(tmp_path / "states", 2))
    for mine, theirs in zip(rows_of(first), rows_of(second), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_states_lie_where_nobody_else_can_write(
    stored: StoredCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are read back as objects; what somebody left there is gone before the first is written."""
    left, seen = tmp_path / "out-states" / "00000" / "99999999.state", []
    left.parent.mkdir(parents=True)
    left.write_bytes(b"anything")
    save = Spill.save

    def watched(spill: Spill, worker: object, turn: int) -> None:
        seen.append((left.exists(), (tmp_path / "out-states").stat().st_mode & 0o777))
        save(spill, worker, turn)

    monkeypatch.setattr(Spill, "save", watched)
    plan = LearnPlan(recipe("majority-vote"), Resources(max_memory=1.0), tagger=False)
    plan.run_stored(stored, tmp_path / "out")
    assert set(seen) == {(False, 0o700)}


def test_a_corpus_of_one_shard_is_settled_as_in_memory(demo: Corpus, tmp_path: Path) -> None:
    stored = store_corpus(demo, tmp_path / "shards", demo.n_tokens)
    made = recipe("majority-vote")
    consensus, _ = run_stored(made, stored, tmp_path / "out", LocalEngine())
    whole, part = made.aggregate(demo), consensus.part(0)
    np.testing.assert_array_equal(part.probabilities, whole.probabilities)
    np.testing.assert_array_equal(part.parameters["raw_tag_ids"], whole.parameters["raw_tag_ids"])


def test_a_method_that_needs_the_whole_says_so(stored: StoredCorpus, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="crf-ma needs the whole corpus"):
        list_methods()["crf-ma"]().aggregate_stored(stored, RunContext(out=tmp_path))


class Interrupted(Exception):
    """A run that ends in the middle."""


class Keeper:
    """Keeps rounds in memory, and ends a run after some of them."""

    def __init__(self, folder: Path, rounds: int) -> None:
        self.folder, self.left = folder, rounds
        self.kept: dict[str, Any] | None = None

    def load(self) -> Mapping[str, Any] | None:
        return self.kept

    def keep(self, arrays: Mapping[str, Any]) -> None:
        self.kept = {name: np.array(values) for name, values in arrays.items()}
        self.left -= 1
        if self.left == 0:
            raise Interrupted


@pytest.mark.parametrize("name", RESUMED)
@pytest.mark.parametrize("on_disk", [False, True])
def test_a_run_goes_on_after_an_interruption(
    demo: Corpus, stored: StoredCorpus, tmp_path: Path, name: str, on_disk: bool
) -> None:
    made, keeper = recipe(name, demo), Keeper(tmp_path / "kept", 2)

    def run(keeper: Keeper | None) -> tuple[Any, ...]:
        if on_disk:
            consensus, _ = run_stored(made, stored, tmp_path / "out", LocalEngine(), keeper)
            return (*rows_of(consensus), consensus.history)
        found = made.aggregate(demo, replace(RunContext(), keeper=keeper))
        return found.tag_ids, found.probabilities, found.history

    with pytest.raises(Interrupted):
        run(keeper)
    for mine, theirs in zip(run(keeper), run(None), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_weights_that_do_not_fit_are_refused_with_the_figure(stored: StoredCorpus, tmp_path: Path) -> None:
    context = RunContext(engine=DiskEngine(tmp_path / "states"), out=tmp_path / "out", max_memory=3.0)
    made = recipe("gold", max_iterations=1)
    assert isinstance(made, JointAggregator)
    with pytest.raises(SettingsError, match=r"weights of the tagger need about \d+ MB, more than max_memory"):
        made.learn_stored(stored, context)


def test_the_tagger_after_a_plain_method_has_the_same_weights_from_disk(
    demo: Corpus, stored: StoredCorpus, tmp_path: Path
) -> None:
    plan = LearnPlan(recipe("dawid-skene", demo))
    whole: Any = plan.run(demo)
    learned: Any = plan.run_stored(stored, tmp_path / "out")
    for mine, theirs in zip(whole.tagger.streams, learned.tagger.streams, strict=True):
        np.testing.assert_array_equal(mine.pair_weights, theirs.pair_weights)
