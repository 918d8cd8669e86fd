"""crowdseq check."""

import shlex
from importlib import import_module
from typing import Any

import click

from crowdseq.cli.options import (
    crowd_argument,
    crowd_options,
    given_reading_options,
    json_option,
    quiet_option,
)
from crowdseq.cli.terminal import print_json, running_command, terminal, wording_of
from crowdseq.reports.tables import visible


@click.command(help="Read, validate and describe a crowd: counts, coverage, agreement, slips, look-alikes.")
@crowd_argument
@crowd_options
@json_option
@quiet_option
def command(crowd: tuple[str, ...], reading: Any, as_json: bool, quiet: bool) -> None:
    from crowdseq.reports.descriptions import describe_in_words, statuses_in_words
    from crowdseq.reports.runs import remarks_in_words
    from crowdseq.workflows.describing import check_files
    from crowdseq.workflows.reading import CrowdRequest

    checked = check_files(CrowdRequest(crowd, reading, terminal(quiet)))
    verdict, runs = checked.verdict, checked.runs
    if as_json:
        mends = [{"what": mend.what, "command": command_of(mend, crowd)} for mend in verdict.mends]
        ending: dict[str, Any] = {"verdict": {"ready": verdict.is_ready, "mend": mends}}
        if runs:
            ending["runs"] = {name: found.as_dict() for name, found in runs.items()}
        print_json(checked.as_dict(wording_of(running_command())) | ending)
        return
    for number, (types, description, agreement, remarks, _) in enumerate(checked.parts, 1):
        if types:
            click.echo(f"{'' if number == 1 else chr(10)}layer {number}, --types {','.join(types)}")
        click.echo(describe_in_words(description, agreement))
        if told := remarks_in_words(remarks):
            click.echo("\n" + "\n".join(["before learning:", *(f"  {line}" for line in told)]))
    if left := statuses_in_words(checked.report.statuses):
        click.echo(f"\nnot labelled: {left}")
    for name, found in runs.items():
        lines = [f"  {visible(line)}" for line in found.in_words() or ["as it was written"]]
        click.echo("\n" + "\n".join([f"the run {visible(name)}:", *lines]))
    click.echo("\n" + "\n".join(verdict_lines(verdict, crowd)))


def verdict_lines(verdict: Any, crowd: tuple[str, ...]) -> list[str]:
    """What to do next, a line for it and one for its command."""
    from crowdseq.workflows.describing import READY

    if verdict.is_ready:
        return [f"{READY.what}: {command_of(READY, crowd)}"]
    lines = ["to mend before learning:"]
    for number, mend in enumerate(verdict.mends, 1):
        lines += [f"{number}. {visible(mend.what)}", f"   {command_of(mend, crowd)}"]
    return lines


def command_of(mend: Any, crowd: tuple[str, ...]) -> str:
    """The command of one thing to mend as it can be typed, with what the user said of the files before."""
    worded = wording_of(import_module(f"crowdseq.cli.{mend.command}").command)
    said = {name: value for name, value in given_reading_options().items() if name not in mend.settings}
    flags = [worded(name, "" if value is True else str(value)) for name, value in said.items()]
    flags += [worded(name, value) for name, value in mend.settings.items()]
    return " ".join(
        ["crowdseq", mend.command, *map(shlex.quote, crowd), *([mend.more] if mend.more else []), *flags]
    )
