"""crowdseq audit."""

from typing import Any

import click

from crowdseq.cli.options import crowd_options, force_option, json_option, quiet_option
from crowdseq.cli.terminal import print_json, print_table, terminal


@click.command(help="Draw a blind sample of a run, and tell with a bound how good the unread rest is.")
@click.argument("run")
@click.option("--answers", metavar="FILE", help="Sentences of the sample, labelled by a person.")
@click.option("--reviewer", metavar="NAME", help="Who answered, if the file does not say.")
@click.option(
    "--others",
    is_flag=True,
    help="By the same answers: F1 of the tagger and of every annotator, and how often each label occurs.",
)
@click.option("-o", "--out", help="Write the next sentences, without labels, to this file; - is stdout.")
@click.option("-n", "n", type=click.IntRange(1), default=50, show_default=True, help="How many of them.")
@click.option(
    "--to", "target", metavar="FORMAT", help="Write as this format instead of guessing from the name."
)
@click.option(
    "--error",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    default=0.04,
    show_default=True,
    help="How much may be wrong (1 - F1, of plain tags 1 - accuracy): what is needed to be sure of it.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Decides the order, when it is drawn.",
)
@crowd_options
@force_option
@json_option
@quiet_option
def command(
    run: str,
    answers: str | None,
    reviewer: str | None,
    others: bool,
    out: str | None,
    n: int,
    target: str | None,
    error: float,
    seed: int,
    reading: Any,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from crowdseq.reports.audits import bounds_table, counts_table, labellers_table, needed_line
    from crowdseq.workflows.auditing.exchange import AuditRequest, audit_run

    request = AuditRequest(
        run=run,
        answers=answers,
        reading=reading,
        reviewer=reviewer,
        with_others=others,
        out=out,
        target=target,
        n=n,
        error=error,
        seed=seed,
        force=force,
        listener=terminal(quiet),
    )
    report = audit_run(request)
    told = [] if quiet else [*report.notes, *_lines(report, answers, out)]
    for line in told:
        click.echo(line, err=True)
    if as_json:
        print_json({"format_version": 1} | report.as_dict())
    elif out != "-" and report.bounds.n_audited:
        bounds = report.bounds
        print_table(bounds_table(bounds.figures(), bounds.n_audited, bounds.n_unread))
        click.echo(needed_line(report.needed, error, bounds.main))
        if report.labellers:
            print_table(labellers_table(report.labellers))
            print_table(counts_table(report.counts))


def _lines(report: Any, answers: str | None, out: str | None) -> list[str]:
    from crowdseq.reports.tables import count

    lines = []
    if report.n_read:
        lines.append(count(report.n_read, "new answer"))
    if report.bounds.n_waiting:
        verb = "waits" if report.bounds.n_waiting == 1 else "wait"
        waiting = f"{count(report.bounds.n_waiting, 'answer')} {verb} for one that was drawn before them"
        lines.append(f"{waiting}: to leave out hard sentences would flatter the rest")
    if report.n_written:
        lines.append(
            f"{out}: {count(report.n_written, 'sentence')} to label blind, then give them to --answers"
        )
        lines.append(
            "until they are answered, the same sentences are written again: there is one open sample"
        )
    elif answers is not None and not report.n_read:
        lines.append(f"{answers}: no new answers in it (a sentence without labels is none)")
    elif not report.bounds.n_audited and not report.bounds.n_waiting:
        lines.append("nothing was audited yet: draw a sample with -o FILE, label it, give it to --answers")
    return lines
