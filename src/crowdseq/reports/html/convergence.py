"""How the method came to rest."""

from crowdseq.core.consensus import Consensus
from crowdseq.reports.html.charts import history_chart
from crowdseq.reports.html.figures import count, percent
from crowdseq.reports.html.markup import element
from crowdseq.reports.html.section import Section

_MOST_ROUNDS = 2000


def convergence_section(consensus: Consensus) -> Section | None:
    """None for a method that does not go in rounds."""
    history = [value for value in consensus.history if value - value == 0][-_MOST_ROUNDS:]
    if len(history) < 2:
        return None
    chart = element("figure", history_chart(history), element("figcaption", "The objective, round by round."))
    content = [element("p", _in_words(history)), chart]
    return Section("convergence", "How the method came to rest", "Rounds", content)


def _in_words(history: list[float]) -> str:
    change = history[-1] - history[-2]
    relative = abs(change) / max(abs(history[-2]), 1e-12)
    direction = "rose" if history[-1] >= history[0] else "fell"
    return (
        f"The objective {direction} from {_number(history[0])} to {_number(history[-1])} in "
        f"{count(len(history), 'round')}; the last round moved it by {_number(abs(change))} "
        f"({percent(relative, 2)})."
    )


def _number(value: float) -> str:
    return f"{value:,.2f}".replace("-", "−")
