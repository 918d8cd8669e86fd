"""realised_table: asked and realised precision of simulated crowds side by side, for the documentation."""

from collections.abc import Iterable, Mapping

from crowdseq.core.corpus import Corpus
from crowdseq.simulation.annotators import simulate_crowd
from crowdseq.simulation.realised import Realised
from crowdseq.simulation.settings import CrowdSettings

PRECISIONS = tuple(tenths / 10 for tenths in range(1, 10))


def realised_table(
    corpora: Mapping[str, Corpus],
    *,
    annotators: int = 5,
    precisions: Iterable[float] = PRECISIONS,
    seed: int = 0,
) -> str:
    """A Markdown table: one row per precision that was asked for, one column per gold corpus.

    A cell holds the realised mean of the annotators' precision, and the lowest and highest of them.
    """
    lines = [f"| asked | {' | '.join(corpora)} |", "|---:|" + "---:|" * len(corpora)]
    for precision in precisions:
        settings = CrowdSettings(annotators=annotators, precision=precision, seed=seed)
        cells = [_cell(simulate_crowd(gold, settings).realised) for gold in corpora.values()]
        lines.append(f"| {precision:g} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(realised: Realised) -> str:
    levels = [each.precision for each in realised.annotators if each.precision is not None]
    if realised.mean_precision is None:
        return "n/a"
    return f"{realised.mean_precision:.4f} ({min(levels):.2f}–{max(levels):.2f})"
