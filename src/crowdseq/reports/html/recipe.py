"""How the run was made: its rounds, and all that is needed to repeat it."""

import re
from collections.abc import Mapping
from typing import Any

from crowdseq.core.consensus import Consensus
from crowdseq.reports.html.charts import history_chart
from crowdseq.reports.html.section import Content, Markup, Section, element, facts
from crowdseq.reports.tables import count, percent

_MOST_INPUTS = 20


def recipe_section(metrics: Mapping[str, Any], settings: Mapping[str, Any]) -> Section:
    own, versions, inputs = (settings.get(key) for key in ("settings", "versions", "inputs"))
    content: list[Content] = [_group("Method", [("method", metrics["method"]), *_top(settings)])]
    if isinstance(own, Mapping) and own:
        content.append(_group("Its settings", [(key, _plain(own[key])) for key in own]))
    if isinstance(inputs, list) and inputs:
        shown = [_input(one) for one in inputs[:_MOST_INPUTS] if isinstance(one, Mapping)]
        content.append(_group("Input", shown))
    if isinstance(versions, Mapping) and versions:
        content.append(_group("Versions", [(key, str(versions[key])) for key in versions]))
    return Section("recipe", "How to repeat this", "Recipe", element("div", content, class_="recipe"))


def _group(heading: str, pairs: list[tuple[str, object]]) -> Markup:
    return element("div", element("h3", heading), facts(pairs))


def _top(settings: Mapping[str, Any]) -> list[tuple[str, object]]:
    return [(key, str(settings[key])) for key in ("scheme", "created") if settings.get(key)]


def _plain(value: object) -> object:
    """A float as it was set: the usual three digits would hide a small tolerance."""
    return repr(value) if isinstance(value, float) else "none" if value is None else value


def _input(one: Mapping[str, Any]) -> tuple[str, object]:
    """The file's own name and not where it lay: a path tells of people and machines."""
    name = re.split(r"[/\\]", str(one.get("name", "")))[-1] or "input"
    records = one.get("records")
    size = f"{count(records, 'record')}, " if isinstance(records, int) else ""
    return name, f"{size}sha256 {str(one.get('sha256', 'unknown'))[:16]}…"


_MOST_ROUNDS = 2000


def convergence_section(consensus: Consensus) -> Section | None:
    """None for a method that does not go in rounds."""
    history = [value for value in consensus.history if value - value == 0][-_MOST_ROUNDS:]
    if len(history) < 2:
        return None
    chart = element("figure", history_chart(history), element("figcaption", "The objective, round by round."))
    content = [element("p", _in_words(history)), chart]
    return Section("convergence", "How the method converged", "Rounds", content)


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
