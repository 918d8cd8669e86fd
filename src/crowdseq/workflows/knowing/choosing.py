"""Whether word vectors help: the crowd is learned from without them and with them, and the better is kept.

No gold is needed. Text that was not seen is judged by a model of the text alone, and compared with what is
believed of it in the end, votes included: where vectors let that model miss far fewer of the believed spans,
they fit the text and what is looked for in it. Where they spare it little, the consensus gains nothing or
loses; a tagger for new text, which meets words that the crowd never saw, gains all the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from crowdseq.aggregation.contract import Learned
from crowdseq.core.consensus import Remark
from crowdseq.tagging.clusters import Clusters
from crowdseq.tagging.streams import KnowledgeSource
from crowdseq.workflows.knowing.knowledge import Knowledge
from crowdseq.workflows.knowing.word_vectors import UNLABELLED, VECTORS

LEAST_SPARED = 0.2  # share of the spans that the text alone missed without vectors
LEAST_COVERED = 0.3  # share of the marked tokens whose word must be known
USED, WHY = "used", "why"
IN_ROUNDS, IN_TAGGER, NOWHERE = "rounds and tagger", "tagger", "nothing"
_AGREEMENT = "text_agreement"


@dataclass(frozen=True)
class Choice:
    """What was learned, and from which knowledge; its record tells what was used and why."""

    learned: Learned
    knowledge: Knowledge


def settle_knowledge(
    knowledge: Knowledge, learn: Callable[[tuple[KnowledgeSource, ...]], Learned], *, has_rounds: bool
) -> Choice:
    """Learn with what helps. learn: from sources; has_rounds: whether the consensus depends on them."""
    known, tried = _without_strangers(knowledge)
    if not tried:
        return Choice(learn(known.sources), known)
    if not has_rounds:
        return Choice(learn(known.sources), _told(known, tried, IN_TAGGER, "the method reads no text"))
    plain = learn(_hidden(known.sources, tried))
    full = learn(known.sources)
    without, within = (float(one.consensus.parameters.get(_AGREEMENT) or 0.0) for one in (plain, full))
    spared = 1.0 - (1.0 - within) / max(1.0 - without, 1e-9)
    numbers = f"the text alone agrees with the consensus by {within:.3f} with them and {without:.3f} without"
    if spared >= LEAST_SPARED:
        return Choice(full, _told(known, tried, IN_ROUNDS, numbers))
    if spared > 0.0:
        sources = _hidden(known.sources, tried)
        return Choice(plain, _told(replace(known, sources=sources), tried, IN_TAGGER, numbers))
    rest = replace(known, sources=tuple(one for one in known.sources if one.name not in tried))
    return Choice(learn(rest.sources), _told(rest, tried, NOWHERE, numbers))


def _without_strangers(knowledge: Knowledge) -> tuple[Knowledge, tuple[str, ...]]:
    """Without sources that know hardly any of the words that matter; and the names of the others."""
    strange = [
        source.name
        for source in knowledge.on_trial
        if knowledge.record[source.name]["coverage"]["marked_tokens"] < LEAST_COVERED
    ]
    sources = tuple(source for source in knowledge.sources if source.name not in strange)
    tried = tuple(source.name for source in knowledge.on_trial if source.name not in strange)
    known = replace(knowledge, sources=sources)
    return _told(known, strange, NOWHERE, "hardly any word that somebody marked is among them"), tried


def _hidden(sources: tuple[KnowledgeSource, ...], names: tuple[str, ...]) -> tuple[KnowledgeSource, ...]:
    """Those of these names for the tagger alone."""
    return tuple(
        source.in_tagger_alone if source.name in names and isinstance(source, Clusters) else source
        for source in sources
    )


def _told(knowledge: Knowledge, names: "tuple[str, ...] | list[str]", used: str, why: str) -> Knowledge:
    entries = {name: {**knowledge.record[name], USED: used, WHY: why} for name in names}
    return replace(knowledge, record={**knowledge.record, **entries})


_WHERE = {
    IN_ROUNDS: "are used for the consensus and by the tagger",
    IN_TAGGER: "are used by the tagger and not for the consensus",
    NOWHERE: "are not used",
}


def remarks_of_record(record: Mapping[str, Any]) -> tuple[Remark, ...]:
    """Which vectors a run was given, how much of the text they know, what was used, and why."""
    return tuple(
        Remark("word-vectors", _in_words(name, record[name]), "note", dict(record[name]))
        for name in (VECTORS, UNLABELLED)
        if USED in record.get(name, {})
    )


def _in_words(name: str, entry: Mapping[str, Any]) -> str:
    known, counted = entry["coverage"], f"{entry['words']:,} words"
    if name == UNLABELLED:
        what = f"word vectors learned from {entry['tokens']:,} tokens of own text ({counted}"
    else:
        what = f"word vectors of {entry.get('package') or entry['file']} ({counted}"
        what += ", the first of more" if entry.get("is_cut") else ""
    shares = (
        f"{known['tokens']:.0%} of the tokens and {known['marked_tokens']:.0%} of the marked ones are known"
    )
    return f"{what}; {shares}) {_WHERE[entry[USED]]}: {entry[WHY]}"
