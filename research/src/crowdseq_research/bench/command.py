"""crowdseq bench."""

import json
from pathlib import Path

import click

from crowdseq.cli.options import force_option, quiet_option


@click.command(help="Measure speed on this machine, beside the rivals that are installed.")
@click.option(
    "--data",
    envvar="CROWDSEQ_DATA",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder with conll2003/.",
)
@click.option("-o", "--out", default="bench.json", show_default=True, help="The JSON file to write.")
@click.option("--page", help="Also write the tables as a Markdown page here.")
@click.option(
    "--repeats", type=click.IntRange(1), default=5, show_default=True, help="Runs of which medians are taken."
)
@force_option
@quiet_option
def command(data: Path, out: str, page: str | None, repeats: int, force: bool, quiet: bool) -> None:
    from crowdseq.storage.atomic import AtomicFile, check_free
    from crowdseq_research.bench.page import bench_page
    from crowdseq_research.bench.suite import run_bench

    for path in filter(None, (out, page)):
        check_free(path, force=force)

    def tell(what: str) -> None:
        if not quiet:
            click.echo(what, err=True)

    result = run_bench(data, tell, repeats)
    text = bench_page(result)
    with AtomicFile(out, force=force) as file:
        file.write((json.dumps(result, indent=1, ensure_ascii=False) + "\n").encode())
    if page:
        with AtomicFile(page, force=force) as file:
            file.write(text.encode())
    click.echo(text)
