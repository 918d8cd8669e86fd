"""crowdseq learn."""

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from crowdseq.cli.options import (
    crowd_argument,
    crowd_options,
    excel_option,
    force_option,
    given_options,
    json_option,
    quiet_option,
    read_crowd,
    seed_option,
)
from crowdseq.cli.printing import print_json
from crowdseq.cli.progress import progress_shown


@click.command(help="Learn consensus, annotator scores and a tagger, and write them to a run folder.")
@crowd_argument
@click.option("-m", "--method", default="sa-slc", show_default=True, help="Which method (crowdseq methods).")
@click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path), metavar="RUN", help="The run folder."
)
@click.option("--dev", metavar="GOLD", help="Text with gold by which sa-slc chooses its best round.")
@click.option("--resume", is_flag=True, help="Go on with a run that was interrupted.")
@click.option(
    "--threads",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="all cores",
    help="For methods that can use them; the result is the same to the bit for any number.",
)
@click.option(
    "--max-memory",
    type=click.FloatRange(0),
    metavar="MB",
    help="Refuse a run of sa-slc that needs more than this.",
)
@click.option(
    "--deterministic", is_flag=True, help="Accepted for scripts: results are bit-equal in any case."
)
@click.option("--no-tagger", is_flag=True, help="Stop at the consensus.")
@click.option(
    "--targets",
    type=click.Choice(["hard", "soft"]),
    default="hard",
    show_default=True,
    help="What the tagger that follows a plain method learns from: settled tags or posteriors.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Any setting of the method; may be repeated.",
)
@seed_option
@excel_option
@crowd_options
@force_option
@json_option
@quiet_option
def command(
    crowd: tuple[str, ...],
    reading: Any,
    method: str,
    out: Path,
    dev: str | None,
    resume: bool,
    threads: int,
    max_memory: float | None,
    deterministic: bool,  # noqa: ARG001  nothing to do: sums have a fixed order
    no_tagger: bool,
    targets: str,
    settings: tuple[str, ...],
    seed: int,
    excel_safe: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from crowdseq.formats import read
    from crowdseq.reports.runs import run_in_words
    from crowdseq.workflows.learning import learn
    from crowdseq.workflows.recipes import check_options, make_recipe, parse_settings
    from crowdseq.workflows.run_folder import run_paths
    from crowdseq.workflows.runs.target import open_target

    with open_target(out, force=force, resume=resume) as target:
        typed = parse_settings(settings)
        check_options(typed, given_options("seed", "threads", "max_memory"))
        wanted: dict[str, Any] = {"threads": threads} | typed
        if max_memory is not None:
            wanted["max_memory"] = max_memory
        make_recipe(method, wanted, seed)  # a wrong setting is told before the files are read
        corpus, report = read_crowd(crowd, reading, silent=quiet)
        with progress_shown(quiet) as progress:
            run = learn(
                corpus,
                method,
                tagger=not no_tagger,
                targets=targets,
                progress=progress,
                checkpoints=target.checkpoints,
                dev=read(dev).corpus if dev else None,
                **({"seed": seed} | wanted),
            )
        run = replace(run, source={"inputs": report.as_dict()["files"], "selection": asdict(reading[1])})
        run.save_at(target, excel_safe=excel_safe)
    metrics = run.metrics
    if as_json:
        print_json(metrics | {"paths": run_paths(out)})
    else:
        click.echo(run_in_words(run.consensus, metrics))
        click.echo(f"\nwritten to {out}/: {', '.join(sorted(run_paths(out)))}")
        click.echo(f"the report: {out / 'report.html'}")
