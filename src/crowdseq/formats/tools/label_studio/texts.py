"""What regions of Label Studio are marked in: a text, a page of which only the words count, or a dialogue."""

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any, NamedTuple

from crowdseq.formats.conventions.fields import text_of
from crowdseq.formats.findings.collector import Collector

HTML, DIALOGUE = "hypertextlabels", "paragraphlabels"
_PAGE = "html"  # the name of the field in Label Studio's own templates
_LOOKED_AT = 20  # regions, of which each field is asked
_NAME = re.compile(r"[a-zA-Z/!]")


class TaskText(NamedTuple):
    """The text, the field that it stands in, and where the turns of a dialogue begin in it."""

    text: str
    field: str
    turns: tuple[int, ...] = ()


def text_of_task(
    fields: Mapping[str, Any], values: Sequence[Mapping[str, Any]], collector: Collector, where: str = ""
) -> TaskText:
    """What a task is about; values: those of its regions, which tell what kind of text it is."""
    has_text = any(isinstance(value, str) for value in fields.values())
    if any(DIALOGUE in value for value in values) or not has_text:
        dialogue = _dialogue(fields)
        if dialogue is not None:
            return dialogue
    field, text = text_of(fields, collector, where, lambda held: _is_marked(held, values[:_LOOKED_AT]))
    is_page = any(HTML in value for value in values) or (field == _PAGE and not values)
    words = visible(text) if is_page else text
    if words != text:
        collector.warn("pages-read-as-text", "tasks are HTML, whose tags were left out of the text")
    return TaskText(words, field)


def visible(page: str) -> str:
    """The text of a page, as a browser counts characters in it; in time that grows with its length alone."""
    first, *others = page.split("<")
    found = [first]
    for part in others:
        tag, closed, words = part.partition(">")
        found.append(words if closed and _NAME.match(tag) else f"<{part}")
    return unescape("".join(found))


def _dialogue(fields: Mapping[str, Any]) -> TaskText | None:
    """Turns one below the other; Label Studio counts characters anew in each of them."""
    for name, turns in fields.items():
        if isinstance(turns, list) and turns and all(isinstance(turn, dict) for turn in turns):
            texts = [turn.get("text") for turn in turns]
            if all(isinstance(text, str) for text in texts):
                starts = [0]
                for text in texts[:-1]:
                    starts.append(starts[-1] + len(text) + 1)
                return TaskText("\n".join(texts), name, tuple(starts))
    return None


def _is_marked(text: str, values: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all that the regions say they cover stands there."""
    return bool(values) and all(
        isinstance(value.get("start"), int)
        and isinstance(value.get("end"), int)
        and text[value["start"] : value["end"]] == value.get("text")
        for value in values
    )
