"""Labels out of a review, in every format that a consensus can be written in."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crowdseq.core.consensus import Consensus
from crowdseq.core.ragged import gather_ranges
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.formats import write_consensus
from crowdseq.store.decisions import read_decisions
from crowdseq.store.replaying import SentenceState
from crowdseq.workflows.reviewing.filtering import AUDITED, DECIDED, SETTLED
from crowdseq.workflows.reviewing.laying_over import decided_consensus
from crowdseq.workflows.reviewing.placing import SentenceKeys
from crowdseq.workflows.reviewing.progress import FINISH
from crowdseq.workflows.run_folder import load_run

CONSENSUS, BOTH = "consensus", "both"
CHOICES = (CONSENSUS, DECIDED, BOTH)
STATES = "sentence_states"


@dataclass(frozen=True)
class Exported:
    """A file of labels: how many sentences it has, by state, and a line for all that it has no room for."""

    out: str
    counts: Mapping[str, int]
    notes: tuple[str, ...]


def reviewed(consensus: Consensus, states: Mapping[int, SentenceState], which: str = BOTH) -> Consensus:
    """The labels of a run with what reviewers decided.

    which: `consensus` as the method settled it, `decided` for the sentences that a person decided something
    of, `both` for all sentences with decisions laid over. Every sentence has a state: settled, decided or
    audited, in the parameter `sentence_states`.
    """
    if which not in CHOICES:
        raise SettingsError(f"labels is '{which}', choose one of {', '.join(CHOICES)}")
    if which == CONSENSUS:
        return consensus
    made, laid = decided_consensus(consensus, states)
    if laid.unknown:
        label = next(
            name for _, _, name in laid.unknown[0].marks if name not in consensus.corpus.scheme.types
        )
        raise AnnotationError(
            f"{len(laid.unknown):,} decisions have a label that this run has not, such as '{label:.60}': "
            "learn again from a crowd that has it"
        )
    told = [_state(states[number]) if number in states else SETTLED for number in range(len(made.corpus))]
    if which == DECIDED:
        chosen = [number for number, state in enumerate(told) if state != SETTLED]
        made, told = select(made, chosen), [told[number] for number in chosen]
    return replace(made, parameters={**made.parameters, STATES: told})


def select(consensus: Consensus, sentences: list[int]) -> Consensus:
    """Only these sentences of a consensus, in this order."""
    corpus, chosen = consensus.corpus, np.array(sentences, np.int64)
    tokens = gather_ranges(corpus.offsets[chosen], corpus.text.lengths[chosen])
    return Consensus(
        corpus.select(chosen),
        consensus.tag_ids[tokens],
        consensus.probabilities[tokens],
        consensus.annotators,
    )


def _state(state: SentenceState) -> str:
    if state.is_audited:
        return AUDITED
    return DECIDED if any(one.shown.get("page") != FINISH for one in state.decisions) else SETTLED


def write_reviewed(
    made: Consensus,
    out: str | Path,
    *,
    target: str | None = None,
    force: bool = False,
    excel_safe: bool = False,
    details: bool = False,
) -> Exported:
    """Write labels as `reviewed` gives them; the format is told by the name unless given (target)."""
    notes = write_consensus(made, out, format=target, force=force, excel_safe=excel_safe, details=details)
    told = made.parameters.get(STATES) or [SETTLED] * len(made.corpus)
    return Exported(str(out), {state: told.count(state) for state in (SETTLED, DECIDED, AUDITED)}, notes)


def states_of_run(folder: str | Path, consensus: Consensus) -> dict[int, SentenceState]:
    """What reviewers said of the sentences of a run so far, without opening it for review."""
    return SentenceKeys(consensus.corpus).place(read_decisions(folder).states()).states()


def reviewed_run(folder: str | Path, which: str = BOTH) -> Consensus:
    """The labels of a run folder with its decisions, as `reviewed` gives them."""
    consensus = load_run(folder).consensus
    return reviewed(consensus, states_of_run(folder, consensus), which)
