"""All that is needed to repeat the run."""

import re
from collections.abc import Mapping
from typing import Any

from crowdseq.reports.html.figures import count
from crowdseq.reports.html.markup import Content, Markup, element
from crowdseq.reports.html.section import Section, facts

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
