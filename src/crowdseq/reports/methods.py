"""The methods told in words, from their own docstrings and settings."""

import inspect
from typing import Any

from crowdseq.aggregation.contract import Aggregator, JointAggregator, describe_settings
from crowdseq.errors import SettingsError
from crowdseq.methods import list_methods


def method_table() -> list[tuple[str, str, str]]:
    """(name, plain or joint, first sentence) of every method."""
    return [
        (name, "joint" if issubclass(made, JointAggregator) else "plain", _first_line(made))
        for name, made in list_methods().items()
    ]


def explain_method(name: str, heading: str = "Defaults:") -> str:
    """The whole docstring of a method and, under the heading, its settings with their defaults."""
    methods = list_methods()
    if name not in methods:
        raise SettingsError(f"method '{name}' is unknown, choose one of {', '.join(methods)}")
    defaults = [f"  {key}={value!r}" for key, value in method_defaults(methods[name]).items()]
    return "\n".join([name, "", inspect.getdoc(methods[name]) or "", "", heading, *defaults])


def method_defaults(made: type[Aggregator]) -> dict[str, Any]:
    """Settings and their default values."""
    return describe_settings(made())


def _first_line(made: type[Aggregator]) -> str:
    return (inspect.getdoc(made) or "").splitlines()[0]
