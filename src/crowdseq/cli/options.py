"""Options that several commands share, and what they turn into."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import wraps
from typing import Any, TypeAlias, TypeVar

import click
from click.core import ParameterSource

from crowdseq.formats.settings import ReadSettings, reading_options

Function = TypeVar("Function", bound=Callable[..., Any])
Declared: TypeAlias = Callable[[Any], Any]


def crowd_options(function: Function) -> Function:
    """How a crowd is read, and which part of it; the command gets `reading` (a Reading)."""
    return _with_reading(function, {"where": _WHERE} | _ANNOTATOR_OPTIONS)


def gold_options(function: Function) -> Function:
    """The same for a file of gold, in which no annotators are chosen."""
    return _with_reading(function, {"where": _WHERE})


def _with_reading(function: Function, selecting: dict[str, Declared]) -> Function:
    @wraps(function)
    def wrapper(**options: Any) -> Any:
        from crowdseq.workflows.reading import typed_reading

        typed = {name: options.pop(name) for name in reading_options()}
        chosen = {name: options.pop(name) for name in selecting}
        return function(reading=typed_reading(typed, **chosen), **options)

    for option in reversed((*_made_options(), *selecting.values())):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]


def typed_settings(**typed: Any) -> Any:
    """Reading settings of a command that has only some of the options, as they were typed."""
    from crowdseq.workflows.reading import typed_reading

    return typed_reading(typed).settings


def reading_option(name: str, help: str | None = None) -> Declared:
    """The option of one reading setting; help: what to say of it where the command means less by it."""
    return _made_options({name: help or reading_options()[name].help})[0]


def _made_options(helps: Mapping[str, str] | None = None) -> list[Declared]:
    """An option of the command line for every reading setting that is declared as one, or for some of them
    with a help of their own."""
    defaults = {one.name: one.default for one in fields(ReadSettings)}
    made = []
    chosen = {name: option.help for name, option in reading_options().items()} if helps is None else helps
    for name, help in chosen.items():
        option = reading_options()[name]
        flag, default = f"--{(option.flag or name).replace('_', '-')}", defaults[name]
        metavar = option.metavar or ("A,B" if option.is_list else None)
        more: dict[str, Any] = {"metavar": metavar} if metavar else {}
        if isinstance(default, bool):
            more["is_flag"] = True
        elif isinstance(default, str):
            more |= {"default": default, "show_default": True}
        if option.choices and option.is_closed:
            more["type"] = click.Choice(option.choices)
        made.append(click.option(flag, name, help=help, **more))
    return made


_WHERE = click.option(
    "--where", multiple=True, metavar="FIELD=VALUE", help="Keep records by any field; may be repeated."
)
_ANNOTATOR_OPTIONS = {
    "annotators": click.option("--annotators", metavar="A,B", help="Keep only these annotators."),
    "without": click.option("--without", metavar="A,B", help="Leave out these annotators."),
    "names": click.option(
        "--names",
        metavar="MAP.csv",
        help="Rename annotators: a CSV file of old name, new name; a third cell 'document' renames those.",
    ),
}


def given_options(*names: str) -> dict[str, Any]:
    """The values of those options of the running command that the user gave."""
    context = click.get_current_context()
    defaults = (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)
    return {
        name: context.params[name] for name in names if context.get_parameter_source(name) not in defaults
    }


def given_reading_options() -> dict[str, Any]:
    """What the user said of how files are to be read."""
    return given_options(*reading_options())


json_option = click.option(
    "--json", "as_json", is_flag=True, help="One JSON object on stdout instead of text."
)
quiet_option = click.option("--quiet", "-q", is_flag=True, help="No progress and no notes on stderr.")
force_option = click.option("--force", is_flag=True, help="Replace an output that exists.")
seed_option = click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="For all that is drawn at random.",
)
excel_option = click.option(
    "--excel-safe",
    is_flag=True,
    help="In CSV, put an apostrophe before cells that a spreadsheet would run as a formula.",
)
crowd_argument = click.argument("crowd", nargs=-1, required=True)


def engine_options(function: Function) -> Function:
    """Who does the work: `engine`, `workers` and `address`."""
    made = (
        click.option(
            "--engine",
            type=click.Choice(["local", "ray"]),
            show_default="local",
            help="Who works: this process, or workers of Ray (extra ray); they change no number.",
        ),
        click.option(
            "--workers", type=click.IntRange(1), show_default="one for each core", help="Workers of Ray."
        ),
        click.option("--address", help="A Ray cluster to join (auto finds one); else one is started here."),
    )
    for option in reversed(made):
        function = option(function)
    return function
