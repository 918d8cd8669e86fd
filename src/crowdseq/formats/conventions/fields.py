"""Fields of JSON objects that tools wrote: which one holds the text, and values that must be of one type."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from crowdseq.errors import Advice, AnnotationError
from crowdseq.formats.findings.collector import Collector

_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://|/data/)\S*", re.IGNORECASE)


def text_of(
    fields: Mapping[str, Any],
    collector: Collector,
    where: str = "",
    fits: Callable[[str], bool] = lambda _: False,
) -> tuple[str, str]:
    """The name of the field that holds the text, and the text; fits: whether a text is the marked one."""
    asked = collector.settings.text_field
    texts = {key: value for key, value in fields.items() if isinstance(value, str)}
    if asked is not None:
        if asked not in texts:
            raise AnnotationError(
                f"there is no text field '{asked}'{where}",
                Advice("choose another with {text_field}", text_field=""),
            )
        name = asked
    elif "text" in texts or len(texts) == 1:
        name = "text" if "text" in texts else next(iter(texts))
    elif len(fitting := [key for key, text in texts.items() if fits(text)]) == 1:
        (name,) = fitting
        advice = Advice("say otherwise with {text_field}", text_field="")
        what = f"of several texts '{name}' is the one that spans are marked in;"
        collector.warn("text-field-guessed", what, advice=advice)
    elif texts:
        shown = ", ".join(sorted(texts)[:8])
        advice = Advice("say which with {text_field}", text_field="")
        raise AnnotationError(f"several fields could hold the text ({shown})", advice)
    else:
        raise AnnotationError(f"there is no text{where}, only labels on text can be read")
    if _ADDRESS.fullmatch(texts[name]):
        raise AnnotationError(
            f"the field '{name}' holds an address ({texts[name][:60]}) and not a text, "
            "only labels on text that stands in the file can be read"
        )
    return name, texts[name]


def objects(value: Any, what: str) -> list[dict[str, Any]]:
    """A list of objects; null and nothing are an empty one."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise AnnotationError(f"{what} must be a list of objects")
    return value


def identity(value: Any, what: str) -> str | None:
    """A name or a number as text; None if there is none."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise AnnotationError(f"{what} must be a text or a whole number")
