"""The speed bench: our tagger beside python-crfsuite on the same attributes, and how cost grows."""

import os
import platform
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, Problem
from crowdseq.evaluation.scores import evaluate
from crowdseq.experiments.bench_growth import label_growth, token_growth
from crowdseq.experiments.bench_measures import Timing, free_cores, interleave, peak_memory_of, wall_time_of
from crowdseq.experiments.bench_rivals import (
    BENCH_FEATURES,
    Rival,
    RivalTagger,
    RivalTraining,
    chaine_trainer,
    known_tags,
)
from crowdseq.experiments.bench_rows import Row
from crowdseq.experiments.bench_scaling import measure_rounds, scaling_rows
from crowdseq.formats.models.taggers import save_tagger
from crowdseq.numerics.optimise.lbfgs import Minimiser, Optimum
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.problem import ChainRules, CrfProblem
from crowdseq.tagging.streams import Passage
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.targets import Targets
from crowdseq.workflows.reading import read

FORMAT_VERSION = 1
_C2 = 1.0
_SHORT, _LONG = 3, 13  # iterations of the two runs whose difference is the cost of ten

_SCALING_ROUNDS = 24  # times the repeats
_FEW = 100  # steps that training always takes

Tell = Callable[[str], None]


def run_bench(data: Path, tell: Tell, repeats: int = 5) -> dict[str, Any]:
    """All rows on the CoNLL-2003 folder in `data`; `tell` hears what is being measured."""
    train_file, test_file = data / "conll2003" / "train.conll.gz", data / "conll2003" / "test.conll.gz"
    for file in (train_file, test_file):
        if not file.is_file():
            raise FormatError(Problem("the bench needs CoNLL-2003, say --data FOLDER", str(file)))
    train, test = read(train_file, format="conll"), read(test_file, format="conll")
    with tempfile.TemporaryDirectory() as folder:
        bench = _Bench(train, test, Path(folder), tell, repeats)
        rows = [
            *bench.evaluation(),
            *bench.scaling(),
            *bench.beside_chaine(),
            *bench.training(),
            *bench.tagging(),
            *bench.memory(train_file),
        ]
        rows.append(bench.start())
        tell("growth with tokens and labels")
        growth = {"tokens": token_growth(train, repeats), "labels": label_growth(train, repeats)}
    return {
        "format_version": FORMAT_VERSION,
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "spin_test_cores": min(row.cores for row in rows if row.cores is not None),
        "rows": [{**asdict(row), "verdict": row.verdict} for row in rows],
        "growth": growth,
    }


class _Bench:
    """The training text on both sides, and the rows that can be measured with it."""

    def __init__(self, train: Corpus, test: Corpus, folder: Path, tell: Tell, repeats: int) -> None:
        self._folder, self._tell, self._repeats = folder, tell, repeats
        self._scheme = train.scheme
        self._test = [list(tokens) for tokens in test.text.tokens]
        self._test_tags = known_tags(test)
        tell("reading the training text on both sides")
        self._sentences, self._tags = list(train.text.tokens), known_tags(train)
        self._rival = Rival(self._sentences, self._tags, _C2)
        self._passage = Passage.of_text(train.text)
        self._targets = Targets.of_tags(train.gold_tags, train.offsets, len(train.scheme))
        self._one, self._two = self._problem(1), self._problem(2)

    def _problem(self, threads: int) -> CrfProblem:
        """Ours as the rival has it: no rules, and weights for those transitions that occur."""
        n_labels = self._targets.n_labels
        learnt = self._targets.edges(np.ones(len(self._passage.offsets) - 1)) > 0
        return CrfProblem.build(
            self._passage, ChainRules.free(n_labels), BENCH_FEATURES, self._targets.unary, learnt, threads
        )

    def _train(self, problem: CrfProblem, iterations: int) -> Optimum:
        minimiser = Minimiser(max_iterations=iterations, tolerance=0.0)
        return problem.train(self._targets, _C2, minimiser)

    def evaluation(self) -> list[Row]:
        """One evaluation with its share of the optimiser, as the difference of two runs."""
        self._tell("objective and gradient, one and two threads")
        cores = free_cores()
        model = self._folder / "short"
        self._train(self._two, 2)
        timings = interleave(
            [
                lambda: self._rival.train(model, _SHORT),
                lambda: self._rival.train(model, _LONG),
                lambda: self._train(self._one, _SHORT),
                lambda: self._train(self._one, _LONG),
                lambda: self._train(self._two, _SHORT),
                lambda: self._train(self._two, _LONG),
            ],
            self._repeats,
        )
        rival, one, two = (_of_one_step(timings, place) for place in (0, 2, 4))
        # Cores that were taken at either end may have been taken in between.
        cores = round(min(cores, free_cores()), 2)
        self._tell(f"spin test: {cores:.2f} cores free")
        return [
            Row(
                "evaluation with optimiser, 1 thread",
                "CPU s",
                one.cpu,
                rival.cpu,
                rival.cpu / one.cpu,
                2.5,
                4.0,
            ),
            Row(
                "evaluation with optimiser, 2 threads",
                "wall s",
                two.wall,
                rival.wall,
                rival.wall / two.wall,
                4.0,
                7.0,
                cores,
            ),
        ]

    def scaling(self) -> list[Row]:
        """Two threads beside one of ours."""
        self._tell("two threads beside one")
        one, two = partial(self._walk, self._one), partial(self._walk, self._two)
        return scaling_rows(measure_rounds(one, two, _SCALING_ROUNDS * self._repeats))

    def _walk(self, problem: CrfProblem, steps: int, pause: Callable[[], None]) -> None:
        # From the start again now and then: near its end training has no more steps to take.
        for begun in range(0, steps, _FEW):
            left = min(_FEW, steps - begun)
            minimiser = Minimiser(max_iterations=left, tolerance=0.0, progress=lambda *_: pause())
            problem.train(self._targets, _C2, minimiser)

    def beside_chaine(self) -> list[Row]:
        """The first row beside chaine, if that is installed."""
        rival = chaine_trainer(self._sentences, self._tags, _C2)
        if rival is None:
            return []
        self._tell("the same beside chaine")
        model = str(self._folder / "chaine")

        def theirs(iterations: int) -> None:
            rival.set_param("max_iterations", iterations)
            rival.train(model)

        timings = interleave(
            [
                lambda: theirs(_SHORT),
                lambda: theirs(_LONG),
                lambda: self._train(self._one, _SHORT),
                lambda: self._train(self._one, _LONG),
            ],
            self._repeats,
        )
        rival_cpu, own_cpu = (_of_one_step(timings, place).cpu for place in (0, 2))
        what = "evaluation with optimiser, 1 thread, beside chaine"
        return [Row(what, "CPU s", own_cpu, rival_cpu, rival_cpu / own_cpu)]

    def training(self) -> list[Row]:
        """To the loss at which the rival stops, and what both then score on the test text."""
        self._tell("training to the rival's final loss; this takes the longest")
        results: list[RivalTraining | Optimum] = []
        model = self._folder / "final"

        def ours() -> None:
            loss = results[0].loss if isinstance(results[0], RivalTraining) else 0.0
            minimiser = Minimiser(tolerance=0.0, stop_below=loss * (1 + 1e-4))
            results.append(self._one.train(self._targets, _C2, minimiser))

        theirs, mine = interleave([lambda: results.append(self._rival.train(model)), ours], 1)
        optimum = results[1]
        assert isinstance(optimum, Optimum)
        self._ours = self._tagger(optimum)
        found = [evaluate(self._test_tags, tags).f1 or 0.0 for tags in self._both_tags(model)]
        return [
            Row(
                "training to the rival's final loss, 1 thread",
                "CPU s",
                mine.cpu,
                theirs.cpu,
                theirs.cpu / mine.cpu,
                2.0,
                4.0,
            ),
            Row(
                "test F1 with the same attributes",
                "F1",
                found[1],
                found[0],
                found[1] - found[0],
                -0.002,
                -0.002,
            ),
        ]

    def _tagger(self, optimum: Optimum) -> Tagger:
        """Trained without rules, as the rival is, but tagging with them, as our taggers do."""
        free = CrfTrainer(features=BENCH_FEATURES).tagger(self._one, self._scheme, optimum.weights)
        kept = np.where(self._scheme.allowed, free.transitions, -np.inf)
        return Tagger(free.scheme, free.features, free.streams, kept)

    def _both_tags(self, model: Path) -> list[Any]:
        return [RivalTagger(model).tag_many(self._test), self._ours.tag_many(self._test)]

    def tagging(self) -> list[Row]:
        """From raw tokens, features included: with words never seen before, and once they are known."""
        self._tell("tagging raw tokens")
        rival = RivalTagger(self._folder / "final")
        warm = _fresh(self._ours)
        warm.tag_many(self._test)
        theirs, cold_time, warm_time = interleave(
            [
                lambda: rival.tag_many(self._test),
                lambda: _fresh(self._ours).tag_many(self._test),
                lambda: warm.tag_many(self._test),
            ],
            self._repeats,
        )
        n_tokens = sum(map(len, self._test))
        rival_speed = n_tokens / theirs.cpu
        rows = []
        for what, timing in (
            ("tagging raw tokens, all words new", cold_time),
            ("the same, words met before", warm_time),
        ):
            speed = n_tokens / timing.cpu
            rows.append(Row(what, "tokens / CPU s", speed, rival_speed, speed / rival_speed, 8.0, 20.0))
        return rows

    def memory(self, train_file: Path) -> list[Row]:
        """Peak memory of a whole training process on each side."""
        self._tell("peak memory of a training process on each side")
        probe = "crowdseq.experiments.bench_memory"
        ours, rival, lean = (
            peak_memory_of([probe, who, str(train_file)]) for who in ("crowdseq", "crfsuite", "crfsuite-lean")
        )
        return [
            Row("peak memory of training", "MB", ours, rival, rival / ours, 1.0, 1 / 0.6),
            Row("the same, rival fed one sentence at a time", "MB", ours, lean, lean / ours),
        ]

    def start(self) -> Row:
        """Tagging one sentence from the command line, machine code cached."""
        self._tell("second start of the command line")
        place = self._folder / "tagger"
        save_tagger(self._ours, place)
        arguments = ["crowdseq", "tag", str(place), "-"]
        times = [wall_time_of(arguments, "EU rejects German call\n") for _ in range(4)]
        best = min(times[1:])
        return Row("second start: tag one sentence", "wall s", best, 2.0, 2.0 / best, 1.0, 2.0)


def _of_one_step(timings: Sequence[Timing], place: int) -> Timing:
    """From the short run at this place and the long one after it."""
    short, long, steps = timings[place], timings[place + 1], _LONG - _SHORT
    return Timing((long.cpu - short.cpu) / steps, (long.wall - short.wall) / steps)


def _fresh(tagger: Tagger) -> Tagger:
    """The same tagger without what it has cached."""
    return Tagger(tagger.scheme, tagger.features, tagger.streams, np.array(tagger.transitions))
