"""crowdseq next."""

from typing import Any

import click

from crowdseq.cli.options import json_option, quiet_option
from crowdseq.cli.terminal import print_json


@click.command(help="Tell what to have labelled next and by whom, and write lists of what to ask again.")
@click.argument("run")
@click.option(
    "-n", "--number", type=click.IntRange(1), default=20, show_default=True, help="How many sentences."
)
@click.option(
    "-o",
    "--out",
    metavar="FOLDER",
    help="Write a file for each annotator who differs: the sentences to ask about again, with the disputed "
    "spans marked.",
)
@click.option("--to", "target", metavar="FORMAT", help="The format of these files (crowdseq formats).")
@json_option
@quiet_option
def command(run: str, number: int, out: str | None, target: str | None, as_json: bool, quiet: bool) -> None:
    from crowdseq.workflows.reviewing.asking import ask_next

    if target is not None and out is None:
        raise click.UsageError("--to is the format of files, say where with --out.")
    found, written = ask_next(run, number, out=out, target=target)
    if as_json:
        files = [{"annotator": one.annotator, "out": one.out, "sentences": one.sentences} for one in written]
        print_json(found.as_dict() | ({"written": files} if out is not None else {}))
        return
    click.echo("\n".join(task_lines(found)))
    for one in () if quiet else written:
        click.echo(f"{one.out}: {one.sentences} to ask {one.annotator} about again", err=True)


def task_lines(found: Any) -> list[str]:
    """The tasks for people: what is disputed, and whom to ask."""
    from crowdseq.reports.tables import count, visible

    unlabelled = count(found.unlabelled, "sentence was", "sentences were")
    nobody = [f"{unlabelled} labelled by nobody: have them labelled, or leave them out"]
    nobody = nobody if found.unlabelled else []
    if not found.tasks:
        return nobody or ["every dispute is settled, nothing needs another label"]
    lines = [
        *nobody,
        f"{len(found.tasks):,} of {count(found.total, 'sentence')} with open disputes, the least sure first:",
    ]
    for rank, task in enumerate(found.tasks, 1):
        where = f"{task.doc}, {task.id}" if task.doc is not None else task.id
        lines.append(f"{rank}. {visible(where)}")
        for place in task.places:
            said = " ".join(place.settled) or "nothing"
            lines.append(
                visible(f"   {place.words}: {said}, {place.confidence:.0%} sure ({', '.join(place.kinds)})")
            )
        ask = ", ".join(task.ask) if task.ask else "somebody new, all annotators have seen it"
        lines.append(visible(f"   ask {ask}" + (f"; again {', '.join(task.again)}" if task.again else "")))
    return lines
