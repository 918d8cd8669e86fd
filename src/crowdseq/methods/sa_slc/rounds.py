"""What SA-SLC prepares before its first round, and the rounds themselves.

They are kept after each where there is a keeper, and the best is chosen where there is a dev set.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from crowdseq.aggregation.canonical import OrderedCut
from crowdseq.aggregation.contract import Keeper, RunContext
from crowdseq.aggregation.crf_truth import CrfTruth
from crowdseq.aggregation.surveys import folds_in, habits_in, kin_in, profile_of
from crowdseq.aggregation.truth import P, TruthModel
from crowdseq.arrays import BoolArray, FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.engines.engine import Placed
from crowdseq.engines.shards import Numbering, add_up
from crowdseq.errors import SettingsError
from crowdseq.evaluation.crowd_profile import CrowdProfile, without_silence
from crowdseq.evaluation.scores import evaluate
from crowdseq.methods.sa_slc.coupling import content_words, left_out
from crowdseq.methods.sa_slc.evidence import model_of_kinds
from crowdseq.methods.sa_slc.exchange import CrowdFacts, Opened
from crowdseq.methods.sa_slc.joint_em import JointEm, State
from crowdseq.methods.sa_slc.settings import SearchSettings, Settings, TextSettings, VoteSettings
from crowdseq.methods.sa_slc.shard import SaSlcShard
from crowdseq.methods.sa_slc.starting import first_state
from crowdseq.numerics.crowds.dependency import Smoothing
from crowdseq.numerics.em import Climb, climb
from crowdseq.tagging.sequence_tagger import Context

if TYPE_CHECKING:
    from crowdseq.aggregation.companions import Companion

# Words that are part of an entity in at least this share of their votes are content words.
CONTENT_SHARE = 0.1
_PLAIN_PRIOR = 1e5
_ROUNDS_DEEPENED = 3  # what a companion has learned is taken up in so many

OpenCompanion: TypeAlias = "Callable[[], Companion] | None"


def prepare(
    ordered: OrderedCut, settings: Settings, context: RunContext = RunContext()
) -> tuple[JointEm[Any], list[Opened]]:
    """All that stays the same from round to round, and what each shard brings."""
    cut, scheme = ordered.cut, ordered.cut.facts.scheme
    placed = context.engine.place(partial(SaSlcShard, settings, ordered.order), cut.shards)
    profile = profile_of(placed)
    silent = profile.silent(settings.votes.silence, scheme.outside >= 0)
    placed.each("look.hear", silent if silent.any() else None)
    facts = _crowd_facts(placed, profile, settings.votes, abstains=bool(silent.all()))
    content = _content_words(placed, settings, scheme)
    opened: list[Opened] = placed.each("open", facts, content)
    rows, kinds = Numbering.of_rows([one.kinds for one in opened])
    _, words = Numbering.of_rows([one.words[:, None] for one in opened])
    session = JointEm(
        cut=cut,
        placed=placed,
        settings=settings,
        truth=_truth_model(ordered, placed, settings.text, _companion(ordered, silent, context)),
        model=model_of_kinds(rows),
        kinds=kinds,
        words=words,
        smoothing=_smoothing(settings.votes.smoothing, scheme),
        facts=facts,
        alone=profile.alone & settings.search.keep_alone,
        left_out=_left_out(placed, facts, settings.votes, scheme),
        rows_folder=_rows_folder(ordered, context),
    )
    return session, opened


def _left_out(
    placed: Placed[SaSlcShard], facts: CrowdFacts, votes: VoteSettings, scheme: LabelScheme
) -> float:
    """How far the majority leaves out what it has elsewhere, where that is asked for: in short texts."""
    if facts.plausible == 1.0 or not (votes.measured and votes.plausibility) or scheme.outside < 0:
        return 0.0
    return left_out(add_up(placed.each("majority_words")))


def _rows_folder(ordered: OrderedCut, context: RunContext) -> Path | None:
    """Where shards on disk keep their beliefs, beside the rounds of the driver."""
    if context.keeper is None or isinstance(ordered.given, Corpus):
        return None
    return Path(getattr(context.keeper, "folder", context.folder))


def _crowd_facts(
    placed: Placed[SaSlcShard], profile: CrowdProfile, votes: VoteSettings, *, abstains: bool
) -> CrowdFacts:
    """What the votes tell; shards have only those that count, the profile is of all."""
    own = profile_of(placed)
    heard = np.where(np.isfinite(own.recalls), own.recalls, 1.0)
    kin = kin_in(placed, len(own.recalls)) if votes.kinship else ()
    pooled = profile.pooled_recall if abstains else own.pooled_recall
    recall, marks = pooled if np.isfinite(pooled) else 1.0, profile.n_marked
    habits = votes.context == "auto" and habits_in(placed, len(own.recalls)).are_many
    return CrowdFacts(
        kin,
        heard,
        recall,
        marks,
        votes.plausible(marks),
        abstains=abstains,
        by_rule=profile.marks_by_rule,
        habits=habits,
    )


def candidates_per_token(opened: Sequence[Opened], n_tokens: int) -> float:
    """The mean number of labels that a token may have."""
    return sum(one.n_candidates for one in opened) / max(n_tokens, 1)


def _content_words(placed: Placed[SaSlcShard], settings: Settings, scheme: LabelScheme) -> BoolArray | None:
    """(W,) words whose mentions are linked, by the votes of all shards; None for all words."""
    if settings.mentions.repeat_tokens == "all" or scheme.is_plain:
        return None
    votes = placed.each("word_votes")
    seen, inside = (add_up([part[place] for part in votes]) for place in range(2))
    return content_words(seen, inside, CONTENT_SHARE)


def _companion(ordered: OrderedCut, silent: BoolArray, context: RunContext) -> OpenCompanion:
    """What reads the text beside the CRF, if anything does, over the corpus in its order."""
    maker, corpus = context.companion, ordered.corpus
    if maker is None:
        return None
    if corpus is None:
        raise SettingsError("a text model needs the corpus in memory of one process: leave it out here")
    return partial(maker, without_silence(corpus, silent) if silent.any() else corpus, context.progress)


def _truth_model(
    ordered: OrderedCut, placed: Placed[SaSlcShard], text: TextSettings, companion: OpenCompanion
) -> TruthModel[Any]:
    """Folds are those of the whole corpus, whatever the shards."""
    cut, scheme = ordered.cut, ordered.cut.facts.scheme
    folds = folds_in(placed, text.folds)
    last = max(int(part.max(initial=0)) for part in folds)
    n_folds = last + 1  # a fold without documents would be trained for nobody
    build = partial(
        CrfTruth.build,
        placed,
        "truth",
        n_shards=len(cut.shards),
        n_folds=n_folds,
        scheme=scheme,
        trainer=text.trainer,
    )
    opener = CrfTruth.opener(scheme, text.trainer, n_folds)
    if companion is None:
        placed.each("open_truth", opener, own=folds)
        return build()
    from crowdseq.aggregation.joined_truth import JoinedTruth  # few runs have one

    placed.each("open_truth", JoinedTruth.opener(opener), own=folds)
    return JoinedTruth(build(), cut, cut.join_sentences(folds), companion())


def _smoothing(strength: float, scheme: LabelScheme) -> Smoothing:
    """Back-off of the annotators' tables.

    Where every token has a telling label, as with parts of speech, a rare label can come to be a second name
    for part of a common one; a strong belief that the crowd is mostly right keeps it from that.
    """
    prior = _PLAIN_PRIOR if scheme.is_plain and strength > 0 else min(strength, 10.0)
    return Smoothing(own=strength, annotator=strength / 2, crowd=strength / 2, prior=prior)


_BEST = "best_"


def run_rounds(
    session: JointEm[P], search: SearchSettings, context: RunContext
) -> tuple[State[P], dict[str, Any]]:
    """Rounds from the first state, or from what was kept, until the objective converges; then a few more for
    every time that the truth model learns what takes longer than a round. And what is told of that."""
    kept = None if context.keeper is None else context.keeper.load()
    begun = None if kept is None else from_arrays(session, kept)
    if begun is not None and begun.state.deepened:
        return _joined(session, begun, search, context)
    judge = None if context.dev is None else _score_on(context.dev, session)
    start = _begin(session) if begun is None else begun
    state = _climb(session, start, search, context, judge).chosen
    if not session.truth.trainings:
        return state, {}
    alone = Climb(state, best=state, best_score=session.agreement(state))
    return _joined(session, alone, search, context)


def _joined(
    session: JointEm[P], begun: Climb[State[P]], search: SearchSettings, context: RunContext
) -> tuple[State[P], dict[str, Any]]:
    """With a companion, where the text is worth reading better: where the CRF alone finds most of what is
    believed. Where it does not, votes know what no text tells, and a better reader is believed too much."""
    if begun.best is None:
        return _deepened(session, begun, search, context), {}
    from crowdseq.aggregation.companions import LEAST_AGREEMENT  # few runs have one

    is_used = begun.best_score >= LEAST_AGREEMENT
    told = {"agreement_without_model": begun.best_score, "model_in_rounds": is_used}
    return _deepened(session, begun, search, context) if is_used else begun.best, told


def _deepened(
    session: JointEm[P], begun: Climb[State[P]], search: SearchSettings, context: RunContext
) -> State[P]:
    few = replace(search, rounds=min(_ROUNDS_DEEPENED, search.rounds), tolerance=0.0)
    reached = begun
    for number in range(session.truth.trainings):
        state = reached.state
        if len(state.deepened) > number + 1:
            continue  # kept by a run that had come further
        if len(state.deepened) == number:
            state = session.deepen(state)
            if context.keeper is not None:
                context.keeper.keep(to_arrays(session, replace(reached, state=state)))
        start = replace(reached, state=state, history=state.history[state.deepened[-1] :])
        reached = _climb(session, start, few, context)
    return reached.state


def _climb(
    session: JointEm[P],
    start: Climb[State[P]],
    search: SearchSettings,
    context: RunContext,
    judge: Callable[[State[P]], float] | None = None,
) -> Climb[State[P]]:
    def step(state: State[P]) -> tuple[State[P], float]:
        after = session.step(state)
        return after, after.history[-1] if after.is_sound else np.nan

    return climb(
        step,
        start,
        rounds=search.rounds,
        tolerance=search.tolerance,
        least=session.least_rounds,
        progress=context.progress,
        keep=None if context.keeper is None else _keep_in(context.keeper, session),
        judge=judge,
        note=context.note,
    )


def _begin(session: JointEm[P]) -> Climb[State[P]]:
    state = first_state(session)
    return Climb(state, state.history)


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
    def keep(reached: Climb[State[P]]) -> None:
        keeper.keep(to_arrays(session, reached))
        session.remove_rows(reached.state, reached.best)

    return keep


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
