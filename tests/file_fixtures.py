"""The types of the fixtures that tests of files use."""

from collections.abc import Callable
from typing import TypeAlias

Put: TypeAlias = Callable[..., str]
Faults: TypeAlias = Callable[..., list[str]]
