"""The rounds of SA-SLC: kept after each where there is a keeper, the best chosen where there is a dev set."""

from collections.abc import Callable, Mapping

import numpy as np

from crowdseq.aggregation.contract import Keeper, RunContext
from crowdseq.aggregation.truth import P
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.scores import evaluate
from crowdseq.methods.sa_slc.joint_em import JointEm, State
from crowdseq.methods.sa_slc.settings import SearchSettings
from crowdseq.numerics.em import Climb, climb
from crowdseq.tagging.sequence_tagger import Context

_BEST = "best_"


def run_rounds(session: JointEm[P], search: SearchSettings, context: RunContext) -> Climb[State[P]]:
    """Rounds from the first state, or from what was kept, until the objective converges."""

    def step(state: State[P]) -> tuple[State[P], float]:
        after = session.step(state)
        return after, after.history[-1] if after.is_sound else np.nan

    kept = None if context.keeper is None else context.keeper.load()
    return climb(
        step,
        Climb(session.start()) if kept is None else from_arrays(session, kept),
        rounds=search.rounds,
        tolerance=search.tolerance,
        progress=context.progress,
        keep=None if context.keeper is None else _keep_in(context.keeper, session),
        judge=None if context.dev is None else _score_on(context.dev, session),
    )


def to_arrays(session: JointEm[P], reached: Climb[State[P]]) -> dict[str, FloatArray]:
    """All that the rounds go on from, by name; these names stand in checkpoints."""
    arrays = session.arrays(reached.state)
    if reached.best is not None:
        arrays |= {_BEST + name: value for name, value in session.arrays(reached.best).items()}
        arrays[_BEST + "score"] = np.array([reached.best_score])
    return arrays


def from_arrays(session: JointEm[P], arrays: Mapping[str, FloatArray]) -> Climb[State[P]]:
    """What `to_arrays` was given."""
    state = session.of_arrays(arrays)
    best = {name.removeprefix(_BEST): value for name, value in arrays.items() if name.startswith(_BEST)}
    if not best:
        return Climb(state, state.history)
    return Climb(state, state.history, best=session.of_arrays(best), best_score=float(best["score"][0]))


def _keep_in(keeper: Keeper, session: JointEm[P]) -> Callable[[Climb[State[P]]], None]:
    return lambda reached: keeper.keep(to_arrays(session, reached))


def _score_on(dev: Corpus, session: JointEm[P]) -> Callable[[State[P]], float]:
    """A score for a state: the F1 on a dev set of the tagger that its folds make together."""
    gold = [
        list(tags or [None] * len(tokens)) for tags, tokens in zip(dev.gold, dev.text.tokens, strict=True)
    ]
    context, sentences = Context.of_text(dev.text), list(dev.text.tokens)

    def score(state: State[P]) -> float:
        tagger = session.truth.tagger(state.params)
        return evaluate(gold, tagger.tag_many(sentences, context)).f1 or 0.0

    return score
