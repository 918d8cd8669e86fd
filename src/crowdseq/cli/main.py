"""The `crowdseq` command: commands loaded by name, errors told in one line, exit codes kept."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

import click

from crowdseq.cli.terminal import wording_of
from crowdseq.errors import CrowdseqError, FormatError, InputError, MissingCommandError, Problem, Wording

# Name to one-line help. The modules are loaded only when a command runs, so that --help answers at once;
# a test compares these lines with the commands' own.
COMMANDS = {
    "demo": "Do the whole job on the corpus that ships with the package.",
    "check": "Read, validate and describe a crowd: counts, coverage, agreement, slips, look-alikes.",
    "learn": "Learn consensus, annotator scores and a tagger, and write them to a run folder.",
    "tag": "Label new text with a trained tagger.",
    "evaluate": "Score predicted tags against gold: precision, recall, F1 by type, micro and macro.",
    "compare": "Put every method side by side on one crowd: consensus, tagger, calibration, time, memory.",
    "agree": "Measure how far the annotators agree: pairwise, by label, by document.",
    "audit": "Draw a blind sample of a run, and tell with a bound how good the unread rest is.",
    "convert": "Turn files of one format into another, or a run's consensus into a file for your tool.",
    "next": "Tell what to have labelled next and by whom, and write lists of what to ask again.",
    "report": "Write the report of a run as one HTML page that opens anywhere, offline.",
    "review": "Settle what the annotators differ on, in the browser: every decision is kept in the run.",
    "shard": "Cut a large corpus into shards of whole documents, never holding it in memory.",
    "simulate": "Make up a crowd of known precision out of a file with gold tags.",
    "reproduce": "Run the experiments behind the documented figures; only what is missing is computed.",
    "bench": "Measure speed on this machine, beside the rivals that are installed.",
    "merge": "Put together to one run what learn --piece settled of a folder of shards.",
    "methods": "List the methods, or explain one and its settings.",
    "formats": "List the file formats that can be read and written.",
}
# Further commands come from other distributions, through this group of entry points (name to click command).
# It is looked up only when such a command is called. Those of our own are listed above, installed or not.
PLUGINS = "crowdseq.commands"
ELSEWHERE = {"reproduce": "crowdseq-research", "bench": "crowdseq-research"}
SHOWN_PROBLEMS = 20
_TOLD_ONCE_FROM, _SHOWN_POINTS = 4, 5


class LazyGroup(click.Group):
    """A group whose commands live in modules of the same name, or come with another distribution."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS or cmd_name in ELSEWHERE:
            return _find_plugin(cmd_name)
        command = import_module(f"crowdseq.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            from difflib import get_close_matches

            near = get_close_matches(args[0].lower(), COMMANDS, 1)
            if not near or args[0].startswith("-"):
                raise
            ctx.fail(f"No such command '{args[0]}', did you mean '{near[0]}'?")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _find_plugin(name: str) -> click.Command | None:
    """The command of another distribution; None if nobody has it, an error if we know who would."""
    from importlib.metadata import entry_points

    for found in entry_points(group=PLUGINS, name=name):
        command = found.load()
        if isinstance(command, click.Command):
            return command
    if name in ELSEWHERE:
        raise MissingCommandError(name, ELSEWHERE[name])
    return None


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"crowdseq {version('crowdseq')}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version.",
)
def crowdseq() -> None:
    """Sequence labels from many fallible annotators: the most probable truth with confidence, a judgement of
    every annotator, and a trained tagger.

    Start with `crowdseq demo`, then `crowdseq check YOUR_FILE` and `crowdseq learn YOUR_FILE -o RUN`.
    """


def _fill_closed_streams() -> None:
    """Give closed standard streams a place that leads nowhere.

    Else the next file to be opened would take the number of one, and get what is meant for people. Standard
    input and output stay None in Python, so that whoever needs them can say that they are closed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  for as long as we run


def main() -> None:
    """Run a command and leave with the code that its outcome deserves."""
    _fill_closed_streams()
    try:
        crowdseq.main(standalone_mode=False)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except SystemExit as leaving:
        # click leaves with 1 when the reader of our output has gone, as in `| head`; that is no failure.
        gone = type(sys.stdout).__name__.endswith("PacifyFlushWrapper")
        sys.exit(0 if gone else leaving.code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except CrowdseqError as error:
        click.echo(_in_words(error), err=True)
        sys.exit(3 if isinstance(error, InputError) else 2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone, as in `| head`; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        click.echo(f"crowdseq: {error.filename or 'file'}: {error.strerror or error}", err=True)
        sys.exit(3 if isinstance(error, FileNotFoundError | IsADirectoryError | PermissionError) else 1)


def _asked_command() -> click.Command | None:
    """The command that was asked for, which has ended by now."""
    name = next((word for word in sys.argv[1:] if word in COMMANDS), "")
    with suppress(CrowdseqError):  # one that is not installed is what the error is about
        return crowdseq.get_command(click.Context(crowdseq), name)
    return None


def _in_words(error: CrowdseqError) -> str:
    """One line, or one for each problem and their count."""
    from crowdseq.reports.tables import visible

    wording = wording_of(_asked_command())
    if not isinstance(error, FormatError) or len(error.problems) <= 1:
        return f"crowdseq: {visible(error.worded(wording))}"
    lines = [visible(line) for line in _without_repeats(error.problems, wording)]
    more = len(lines) - SHOWN_PROBLEMS
    tail = [f"… and {more} more"] if more > 0 else []
    n_faults = _count_faults(error.problems)
    count = f"crowdseq: {n_faults} problem{'s' if n_faults > 1 else ''}"
    return "\n".join([*lines[:SHOWN_PROBLEMS], *tail, count + (", nothing was written" if _writes() else "")])


def _count_faults(problems: Sequence[Problem]) -> int:
    """A word about a whole file that has faults at certain lines is advice on these, not one more."""
    faulty = {problem.file for problem in problems if problem.line or problem.record}
    return sum(bool(one.line or one.record) or one.file not in faulty for one in problems)


def _writes() -> bool:
    """Whether the command that was asked for has an output at all."""
    command = _asked_command()
    return command is not None and any(parameter.name == "out" for parameter in command.params)


def _without_repeats(problems: Sequence[Problem], wording: Wording) -> list[str]:
    """A line for each problem; what is wrong at many points of a file is told once, with the next points."""
    alike: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        alike.setdefault((problem.file, problem.what), []).append(problem)
    lines = []
    for same in alike.values():
        if len(same) < _TOLD_ONCE_FROM:
            lines += [problem.worded(wording) for problem in same]
            continue
        points = [
            str(problem.line or problem.record) for problem in same[1:] if problem.line or problem.record
        ]
        shown = ", ".join(points[:_SHOWN_POINTS]) + (", …" if len(points) > _SHOWN_POINTS else "")
        more = f"the same {len(same) - 1} times more{', at ' + shown if shown else ''}"
        lines.append(f"{same[0].worded(wording)} ({more})")
    return lines
