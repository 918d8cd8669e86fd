"""crowdseq compare."""

from typing import Any

import click

from crowdseq.cli.options import crowd_options, json_option, quiet_option, seed_option
from crowdseq.cli.terminal import print_json, print_table, running_command, terminal, wording_of


@click.command(
    help="Put every method side by side on one crowd: consensus, tagger, calibration, time, memory."
)
@click.argument("crowd", nargs=-1, required=True)
@click.option("-m", "--methods", metavar="A,B", help="Only these methods (default: all; crowdseq methods).")
@click.option("--test", metavar="GOLD", help="Text with gold tags to score the taggers on.")
@click.option("--no-tagger", is_flag=True, help="Compare the consensus alone.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Methods at a time.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="METHOD.NAME=VALUE",
    help="Any setting of one of the methods; may be repeated.",
)
@seed_option
@crowd_options
@json_option
@quiet_option
def command(
    crowd: tuple[str, ...],
    reading: Any,
    methods: str | None,
    test: str | None,
    no_tagger: bool,
    jobs: int,
    settings: tuple[str, ...],
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    from crowdseq.reports.comparison import comparison_table
    from crowdseq.workflows.comparing import CompareRequest, compare_files

    names = [name.strip() for name in methods.split(",") if name.strip()] if methods else []
    request = CompareRequest(
        crowd=crowd,
        reading=reading,
        listener=terminal(quiet),
        methods=tuple(names),
        test=test,
        tagger=not no_tagger,
        jobs=jobs,
        settings=settings,
        seed=seed,
        wording=wording_of(running_command()),
    )
    rows = compare_files(request)
    if as_json:
        print_json([row.as_dict() for row in rows])
        return
    print_table(comparison_table([row.as_dict() for row in rows]))
    for row in rows:
        if row.error:
            click.echo(f"{row.method}: {row.error}", err=True)
