"""Crowd: the votes of a corpus in shards, and the models by which its annotators can be judged."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from crowdseq.aggregation.contract import RunContext, check_memory
from crowdseq.aggregation.crowd_shard import Coding, CrowdShard
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.surveys import hear_crowd
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import Placed
from crowdseq.engines.ordering import cut_canonical
from crowdseq.engines.shards import CorpusFacts, Cut, Numbering, Versions, add_up
from crowdseq.numerics.crowds.annotator_models import Accuracies, AnnotatorModel, Spamming
from crowdseq.numerics.crowds.confusions import Confusions

if TYPE_CHECKING:
    from crowdseq.engines.shard_files import StoredCorpus

_NOBODY: IntArray = np.zeros(0, np.int64)  # the votes are with the shards; a model needs only their kinds


class CrowdSettings(Protocol):
    """The settings that say which votes a method counts.

    shard_tokens: how a longer corpus is cut. gold: whether tokens with known gold are held at it. silence:
    whether to leave a token outside is a vote. kinship: whether dependent votes count once.
    """

    @property
    def shard_tokens(self) -> int: ...
    @property
    def gold(self) -> bool: ...
    @property
    def silence(self) -> str: ...
    @property
    def kinship(self) -> bool: ...


class CrowdMethod(CrowdSettings, Protocol):
    """A method with such settings."""

    def megabytes(self, facts: CorpusFacts) -> float: ...


@dataclass(frozen=True, eq=False)
class Judges:
    """An annotator model, how shards number the votes that it takes, and which kinds each of them has."""

    model: AnnotatorModel
    coding: Coding
    kinds: Numbering


@dataclass(frozen=True, eq=False)
class Crowd:
    """A corpus cut into shards; bayes: whether models hold beliefs (variational Bayes) or points (EM).

    given: the corpus as it was given, in which silence may be a vote that does not count here.
    """

    given: "Corpus | StoredCorpus"
    cut: Cut
    placed: Placed[CrowdShard]
    bayes: bool
    context: RunContext
    versions: Versions = field(default_factory=Versions)

    @classmethod
    def of(
        cls, corpus: "Corpus | StoredCorpus", context: RunContext, asked: "CrowdMethod", *, bayes: bool
    ) -> "Crowd":
        """The votes that count, as a method asks for them."""
        cut = cut_canonical(corpus, asked.shard_tokens) if isinstance(corpus, Corpus) else corpus.cut
        check_memory(asked, cut.facts, context, len(cut.shards))
        placed = context.engine.place(partial(CrowdShard, asked.gold), cut.shards)
        hear_crowd(placed, cut.facts, silence=asked.silence, kinship=asked.kinship)
        return cls(corpus, cut, placed, bayes, context)

    @property
    def facts(self) -> CorpusFacts:
        return self.cut.facts

    def settle(
        self,
        call: str,
        *given: object,
        history: Sequence[float],
        order: Sequence[int] | None = None,
        **told: Any,
    ) -> Any:
        """The consensus by the truth that shards tell when they are asked so; told: what the method knows."""
        if isinstance(self.given, Corpus):
            posteriors = self.cut.join_tokens(self.placed.each(call, *given))
            return settle(self.given, posteriors, history=history, tie_order=order, **told)
        folder, engine = self.context.folder, self.context.engine
        self.placed.each("write", folder, order, call, *given)
        from crowdseq.aggregation.stored import judge_stored  # few corpora are on disk

        return judge_stored(self.given, folder, engine, history=tuple(history), **told)

    @property
    def n_labels(self) -> int:
        return len(self.facts.scheme)

    @property
    def label_totals(self) -> FloatArray:
        """(M,) how many votes each label has."""
        return add_up(self.placed.each("label_totals"))

    def confusions(self, prior: FloatArray, scale: FloatArray | None = None) -> Judges:
        """A confusion matrix each, or with a scale one for each vote before; see `Confusions`."""
        coding = Coding(sequential=scale is not None)
        rows, kinds = Numbering.of_rows(self.placed.each("list_kinds", coding))
        model = Confusions(
            annotators=rows[:, 0],
            labels=rows[:, 2],
            n_annotators=len(self.facts.annotators),
            prior=prior,
            bayes=self.bayes,
            contexts=rows[:, 1] if coding.sequential else None,
            scale=scale,
        )
        return Judges(model, coding, kinds)

    def accuracies(self, classes: IntArray, *, right: float, wrong: float) -> Judges:
        """An accuracy each for every class of truths; see `Accuracies`."""
        n_annotators = len(self.facts.annotators)
        model = Accuracies(_NOBODY, _NOBODY, n_annotators, classes, right, wrong, self.bayes)
        return self._dense(model)

    def spamming(self, *, knows: float, guesses: float, habit: float) -> Judges:
        """Knowledge and a habit each; see `Spamming`."""
        sizes = (len(self.facts.annotators), self.n_labels)
        return self._dense(Spamming(_NOBODY, _NOBODY, *sizes, knows, guesses, habit, self.bayes))

    def _dense(self, model: AnnotatorModel) -> Judges:
        return Judges(model, Coding(dense=True), Numbering.same(model.n_kinds, len(self.cut.shards)))
