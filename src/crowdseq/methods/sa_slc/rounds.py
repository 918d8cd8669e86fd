"""Ascent: the rounds of EM so far, kept after each, and the best of them by a dev set if there is one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from crowdseq.aggregation.contract import Keeper
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.scores import evaluate
from crowdseq.methods.sa_slc.joint_em import JointEm, State
from crowdseq.numerics.em import Progress, has_settled
from crowdseq.tagging.tagger import Context

_BEST = "best_"


@dataclass(frozen=True, eq=False)
class Ascent:
    """The newest state, and the one with the best score on the dev set."""

    state: State
    best: State | None = None
    best_score: float = -1.0

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, FloatArray]) -> "Ascent":
        """What `arrays` gave, again."""
        best = {name.removeprefix(_BEST): value for name, value in arrays.items() if name.startswith(_BEST)}
        if not best:
            return cls(State.of_arrays(arrays))
        return cls(State.of_arrays(arrays), State.of_arrays(best), float(best["score"][0]))

    def arrays(self) -> dict[str, FloatArray]:
        """Everything by name, to be kept on disk."""
        kept = self.state.arrays()
        if self.best is not None:
            kept |= {_BEST + name: value for name, value in self.best.arrays().items()}
            kept[_BEST + "score"] = np.array([self.best_score])
        return kept

    @property
    def chosen(self) -> State:
        """The best state if there is a dev set, else the newest."""
        return self.state if self.best is None else self.best

    def judged(self, score: float) -> "Ascent":
        """The same, with the newest state as the best if its score is."""
        return Ascent(self.state, self.state, score) if score > self.best_score else self


def ascend(
    session: JointEm,
    ascent: Ascent,
    *,
    rounds: int,
    tolerance: float,
    progress: Progress,
    keeper: Keeper | None,
    judge: Callable[[State], float] | None,
) -> Ascent:
    """Rounds until the objective settles; a round that breaks down is not taken."""
    while len(ascent.state.history) < rounds and not has_settled(list(ascent.state.history), tolerance):
        after = session.step(ascent.state)
        if not after.is_sound:
            return ascent
        ascent = Ascent(after, ascent.best, ascent.best_score)
        if judge is not None:
            ascent = ascent.judged(judge(after))
        if keeper is not None:
            keeper.keep(ascent.arrays())
        progress("EM rounds", len(after.history), rounds)
    return ascent


def judge_on(dev: Corpus, session: JointEm) -> Callable[[State], float]:
    """A score for a state: the F1 on a dev set of the tagger that its folds make together."""
    gold = [
        list(tags or [None] * len(tokens)) for tags, tokens in zip(dev.gold, dev.text.tokens, strict=True)
    ]
    context, sentences = Context.of_text(dev.text), list(dev.text.tokens)
    truth = session.truth

    def judge(state: State) -> float:
        tagger = truth.trainer.tagger(truth.problem, session.corpus.scheme, state.weights.mean(axis=0))
        return evaluate(gold, tagger.tag_many(sentences, context)).f1 or 0.0

    return judge
