"""From a method's name and settings, as typed by a person, to the recipe that is run and what it may use."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from difflib import get_close_matches
from math import isfinite
from numbers import Integral
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from crowdseq.aggregation.contract import Aggregator
from crowdseq.errors import Advice, SettingsError
from crowdseq.methods import find_method, method_names

if TYPE_CHECKING:
    from crowdseq.engines.choosing import EngineWish


@dataclass(frozen=True)
class Resources:
    """What a run may use of the machine: threads, megabytes of memory if there is a bound, and an engine.

    They are given like settings of the method, but are no part of the recipe: they change no result.
    """

    threads: int = 1
    max_memory: float | None = None
    engine: str = "local"
    workers: int | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.threads, Integral) and self.threads >= 1):
            raise SettingsError(f"threads is {self.threads}, it must be at least 1")
        if self.max_memory is not None and self.max_memory < 0:
            raise SettingsError(f"max_memory is {self.max_memory}, it cannot be negative")
        if (self.engine, self.workers, self.address) != ("local", None, None):
            self.wish()  # which checks them

    def wish(self, needed: float = 0.0) -> "EngineWish":
        """The engine that is asked for; one on disk where a run needs more megabytes than it may take."""
        from crowdseq.engines.choosing import DISK, EngineWish  # most runs have no wish
        from crowdseq.engines.shelf import Bound

        most = self.max_memory
        bound = None if most is None else Bound(_SHARE_OF_SHARDS * most, most)
        if self.engine == "local" and most is not None and needed > most:
            return EngineWish(DISK, self.threads, bound=bound)
        return EngineWish(self.engine, self.threads, self.workers, self.address, bound)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Resources":
        """Those among the settings of a run."""
        return cls(**_read({name: settings[name] for name in RESOURCES if name in settings}, cls))


_SHARE_OF_SHARDS = 0.4  # of the memory that a run may take; driver and shard at work take theirs
DEFAULT_RESOURCES = Resources()
RESOURCES = tuple(field.name for field in fields(Resources))


def make_recipe(name: str, settings: Mapping[str, Any] | None = None, seed: int | None = None) -> Aggregator:
    """The method of that name with these settings; texts are read as the setting's own type.

    Resources among the settings are checked and left out.
    """
    names = method_names()
    if name not in names:
        near = get_close_matches(name, names, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"choose one of {', '.join(names)}"
        raise SettingsError(f"method '{name}' is unknown, {hint}")
    made = find_method(name)
    known = settings_of(made)
    values = dict(settings or {})
    if Resources.of(values).max_memory is not None and not made.can_bound_memory:
        raise SettingsError(f"method {name} cannot be held to max_memory, leave it out")
    values = {key: value for key, value in values.items() if key not in RESOURCES}
    for key in values:
        if key not in known:
            raise SettingsError(f"method {name} has no setting '{key}', it has {', '.join(known) or 'none'}")
    if seed is not None and "seed" in known:
        values.setdefault("seed", seed)
    return made(**_read(values, made))


def as_recorded(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that a run was made with; of what version 0.1.0 did not know as it behaved."""
    later = find_method(name).later_settings if name in method_names() else {}
    missing = {key: value for key, value in later.items() if key not in settings}
    recorded = dict(settings) | missing
    if missing and recorded.get("preset") == "default":
        recorded["preset"] = "0.1"
    return recorded


def _read(values: Mapping[str, Any], made: type) -> dict[str, Any]:
    """Values by name, texts among them as what the fields of a class want."""
    hints = get_type_hints(made)
    ready = {key: read_setting(key, value, hints[key]) for key, value in values.items()}
    for key, value in ready.items():
        _check_number(key, value)
    return ready


def _check_number(name: str, value: Any) -> None:
    """What no method could work with, whatever else it asks of the setting."""
    if isinstance(value, float) and not isfinite(value):
        raise SettingsError(f"{name} is {value}, it must be a finite number")
    if name == "seed" and not (isinstance(value, Integral) and int(value) >= 0):
        raise SettingsError(f"seed is {value}, it must be a whole number, 0 or more")


def check_options(settings: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Settings of the method as typed beside those that the door itself takes: not two values of one."""
    for name, value in options.items():
        if name in settings and read_setting(name, settings[name], type(value)) != value:
            advice = Advice(f"say {{{name}}} alone", **{name: str(value)})
            raise SettingsError(f"{name} is given twice, as {settings[name]} and as {value}:", advice)


def settings_of(made: type[Aggregator]) -> dict[str, "Field[Any]"]:
    """The settings of a method by name."""
    return {field.name: field for field in fields(made)}  # type: ignore[arg-type]


def parse_settings(texts: tuple[str, ...]) -> dict[str, Any]:
    """`name=value` texts to a dictionary."""
    settings: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise SettingsError(f"'{text}' is no setting, write it as name=value")
        settings[key.replace("-", "_")] = value
    return settings


def read_setting(name: str, value: Any, kind: Any) -> Any:
    """A text as the kind of value that a setting wants; other values pass as they are."""
    if not isinstance(value, str):
        return value
    choices = [part for part in get_args(kind) if part is not type(None)]
    if type(None) in get_args(kind) and value.lower() in ("none", "null"):
        return None
    wanted = choices[0] if choices else kind
    try:
        return _convert(value, wanted)
    except ValueError:
        raise SettingsError(f"setting {name} wants {_spoken(wanted)}, not '{value}'") from None


def _convert(value: str, wanted: Any) -> Any:
    if wanted is bool:
        words = {
            "true": True,
            "yes": True,
            "on": True,
            "1": True,
            "false": False,
            "no": False,
            "off": False,
            "0": False,
        }
        if value.lower() not in words:
            raise ValueError(value)
        return words[value.lower()]
    if wanted in (int, float):
        return wanted(value)
    if wanted is tuple or getattr(wanted, "__origin__", None) is tuple:
        return tuple(part for part in value.split(",") if part)
    return value


def _spoken(wanted: Any) -> str:
    return {bool: "yes or no", int: "a whole number", float: "a number"}.get(wanted, "a text")
