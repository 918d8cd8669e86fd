"""Training beside python-crfsuite and chaine on the same attributes: single steps, threads, the whole way."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.scores import evaluate
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.optimise.lbfgs import Minimiser, Optimum
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.problem import CrfProblem
from crowdseq.tagging.streams import Passage
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.targets import Targets
from crowdseq.tagging.weight_frame import ChainRules
from crowdseq_research.bench.rivals import (
    BENCH_FEATURES,
    Rival,
    RivalTagger,
    RivalTraining,
    chaine_trainer,
    known_tags,
)
from crowdseq_research.bench.rows import Row
from crowdseq_research.bench.scaling import measure_rounds, scaling_rows
from crowdseq_research.bench.timing import Timing, free_cores, interleave

_C2 = 1.0
_SHORT, _LONG = 3, 13  # iterations of the two runs whose difference is the cost of ten
_SCALING_ROUNDS = 24  # times the repeats
_FEW = 100  # steps that training always takes

Tell = Callable[[str], None]


class TrainingBench:
    """The training text on both sides, and the rows that can be measured with it."""

    def __init__(self, train: Corpus, folder: Path, tell: Tell, repeats: int) -> None:
        self._folder, self._tell, self._repeats = folder, tell, repeats
        self._scheme = train.scheme
        tell("reading the training text on both sides")
        self._sentences, self._tags = list(train.text.tokens), known_tags(train)
        self._rival = Rival(self._sentences, self._tags, _C2)
        self._passage = Passage.of_text(train.text)
        self._targets = Targets.of_tags(train.gold_tags, train.offsets, len(train.scheme))
        self._problem = self._build_problem()

    def _build_problem(self) -> CrfProblem:
        """Ours as the rival has it: no rules, and weights for those transitions that occur."""
        n_labels = self._targets.n_labels
        learnt = self._targets.edges(np.ones(len(self._passage.offsets) - 1)) > 0
        return CrfProblem.build(
            self._passage, ChainRules.free(n_labels), BENCH_FEATURES, self._targets.unary, learnt
        )

    def _train(self, threads: int, iterations: int) -> Optimum:
        minimiser = Minimiser(max_iterations=iterations, tolerance=0.0)
        with using_threads(threads):
            return self._problem.train(self._targets, _C2, minimiser)

    def evaluation(self) -> list[Row]:
        """One evaluation with its share of the optimiser, as the difference of two runs."""
        self._tell("objective and gradient, one and two threads")
        cores = free_cores()
        model = self._folder / "short"
        self._train(2, 2)
        timings = interleave(
            [
                lambda: self._rival.train(model, _SHORT),
                lambda: self._rival.train(model, _LONG),
                lambda: self._train(1, _SHORT),
                lambda: self._train(1, _LONG),
                lambda: self._train(2, _SHORT),
                lambda: self._train(2, _LONG),
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
        one, two = partial(self._walk, 1), partial(self._walk, 2)
        return scaling_rows(measure_rounds(one, two, _SCALING_ROUNDS * self._repeats))

    def _walk(self, threads: int, steps: int, pause: Callable[[], None]) -> None:
        # From the start again now and then: near its end training has no more steps to take.
        for begun in range(0, steps, _FEW):
            left = min(_FEW, steps - begun)
            minimiser = Minimiser(max_iterations=left, tolerance=0.0, progress=lambda *_: pause())
            with using_threads(threads):
                self._problem.train(self._targets, _C2, minimiser)

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
                lambda: self._train(1, _SHORT),
                lambda: self._train(1, _LONG),
            ],
            self._repeats,
        )
        rival_cpu, own_cpu = (_of_one_step(timings, place).cpu for place in (0, 2))
        what = "evaluation with optimiser, 1 thread, beside chaine"
        return [Row(what, "CPU s", own_cpu, rival_cpu, rival_cpu / own_cpu)]

    def training(self, test: Corpus) -> tuple[list[Row], Tagger, Path]:
        """To the loss at which the rival stops, and what both then score on the test text.

        Also gives our tagger and the model file of the rival.
        """
        self._tell("training to the rival's final loss; this takes the longest")
        results: list[RivalTraining | Optimum] = []
        model = self._folder / "final"

        def ours() -> None:
            loss = results[0].loss if isinstance(results[0], RivalTraining) else 0.0
            minimiser = Minimiser(tolerance=0.0, stop_below=loss * (1 + 1e-4))
            results.append(self._problem.train(self._targets, _C2, minimiser))

        theirs, mine = interleave([lambda: results.append(self._rival.train(model)), ours], 1)
        optimum = results[1]
        assert isinstance(optimum, Optimum)
        tagger = self._tagger(optimum)
        sentences, gold = [list(tokens) for tokens in test.text.tokens], known_tags(test)
        both: list[Any] = [RivalTagger(model).tag_many(sentences), tagger.tag_many(sentences)]
        found = [evaluate(gold, tags).f1 or 0.0 for tags in both]
        rows = [
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
        return rows, tagger, model

    def _tagger(self, optimum: Optimum) -> Tagger:
        """Trained without rules, as the rival is, but tagging with them, as our taggers do."""
        free = CrfTrainer(features=BENCH_FEATURES).tagger(self._problem, self._scheme, optimum.weights)
        kept = np.where(self._scheme.allowed, free.transitions, -np.inf)
        return Tagger(free.scheme, free.features, free.streams, kept)


def _of_one_step(timings: Sequence[Timing], place: int) -> Timing:
    """From the short run at this place and the long one after it."""
    short, long, steps = timings[place], timings[place + 1], _LONG - _SHORT
    return Timing((long.cpu - short.cpu) / steps, (long.wall - short.wall) / steps)
