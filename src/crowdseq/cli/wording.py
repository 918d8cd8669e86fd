"""Advice in the words of the command line: a setting is told as the option that sets it."""

import click

from crowdseq.errors import Wording


def wording_of(command: click.Command | None) -> Wording:
    """`files_mean`, `annotator` to `--files-mean annotator` where the command has such an option.

    A setting of the method is told as `--set name=value` where the command takes those; what the command
    cannot be told at all is named in plain words.
    """
    options = _options(command)
    takes_settings = any(option.name == "settings" for option in options.values())

    def worded(name: str, value: str) -> str:
        option = options.get(name)
        if option is not None:
            flag = max(option.opts, key=len)
            return flag if option.is_flag or not value else f"{flag} {_quoted(value)}"
        if takes_settings:
            return f"--set {name}={value or '…'}"
        return f"{name.replace('_', ' ')} {value}".rstrip()

    return worded


def running_command() -> click.Command | None:
    """The command that runs now."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.command


def _options(command: click.Command | None) -> dict[str, click.Option]:
    parameters = command.params if command is not None else ()
    return {one.name: one for one in parameters if isinstance(one, click.Option) and one.name}


def _quoted(value: str) -> str:
    return f"'{value}'" if any(sign in value for sign in " |\\*[?") else value
