"""Which settings were given but are not used by any format that was read."""

from collections.abc import Iterable
from dataclasses import fields

from crowdseq.formats.format import MARKING, Format
from crowdseq.formats.settings import ReadSettings

_NOT_FOR_ALL = (*MARKING, "layer", "text_field", "columns", "files_mean", "predictions")
_FOR_LAYERS = frozenset({"overlaps", "cut_tokens"})


def unused_settings(settings: ReadSettings, forms: Iterable[Format]) -> list[str]:
    """Names of settings that differ from their default and that none of these formats looks at."""
    defaults = {setting.name: setting.default for setting in fields(settings)}
    used = frozenset[str]().union(*(form.settings for form in forms))
    if settings.in_layers:  # whatever the format, a corpus is taken apart after it was read
        used |= _FOR_LAYERS
    return [name for name in _NOT_FOR_ALL if name not in used and getattr(settings, name) != defaults[name]]
