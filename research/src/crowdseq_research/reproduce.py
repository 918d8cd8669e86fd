"""crowdseq reproduce."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crowdseq.cli.options import force_option, quiet_option
from crowdseq.cli.terminal import one_bar_shown, progress_shown

if TYPE_CHECKING:
    from crowdseq_research.zoo.running import Choice

_EXPERIMENTS = ("datasets", "folds", "grid", "expertise", "table-x", "example")
_STUDIES = ("amt", "simulated")
_ZOO, _VERDICTS, _KNOWLEDGE = "zoo", "verdicts", "knowledge"
_TABLES = (*(f"table{number}" for number in range(1, 12)), *(f"figure{number}" for number in range(7, 15)))
_CHOICES = (*_EXPERIMENTS, *_STUDIES, _ZOO, _VERDICTS, _KNOWLEDGE, "page", "all", *_TABLES)


@click.command(
    help="""Run the experiments behind the documented figures; only what is missing is computed.

    WHAT is an experiment (datasets, folds, grid, expertise, table-x, example, amt, simulated), all of them, a
    table or figure of the paper (table1 … table11, figure7 … figure14), zoo, every method on crowds of every
    kind, verdicts, annotators of known quality judged, knowledge, word vectors and own text on several
    crowds, or page, which computes nothing.
    """
)
@click.argument("what", type=click.Choice(_CHOICES), metavar="WHAT")
@click.option(
    "--data", envvar="CROWDSEQ_DATA", type=click.Path(path_type=Path), help="Folder with the corpora."
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Where cells and tables go.",
)
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Cells computed at a time."
)
@click.option("--only", multiple=True, metavar="CORPUS", help="Only this corpus; may be repeated.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Crowds for each place of the grid.",
)
@click.option(
    "--method", multiple=True, metavar="NAME", help="zoo: only rows of this method; may be repeated."
)
@click.option(
    "--renew", is_flag=True, help="zoo, knowledge, amt, simulated: compute anew what other sources computed."
)
@click.option(
    "--final",
    is_flag=True,
    help="zoo, knowledge: all of AMT with its test part, when nothing is chosen any more.",
)
@click.option("--quick", is_flag=True, help="A small part in minutes; without --data on the demo corpus.")
@click.option(
    "--again",
    type=click.IntRange(1),
    metavar="N",
    help="Compute N stored cells again and compare them; exit code 1 if one differs.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Which cells --again draws."
)
@click.option(
    "--page",
    type=click.Path(path_type=Path),
    default=Path("docs/reproduction.md"),
    show_default=True,
    help="The page that WHAT page writes, figures beside it.",
)
@force_option
@quiet_option
def command(what: str, **options: Any) -> None:
    if what == "page":
        if options["again"] is not None:
            raise click.UsageError("--again computes cells, page computes nothing")
        _write_page(options)
    elif options["again"] is not None:
        _check_again(what, options)
    else:
        for name in _all_names(options) if what == "all" else [what]:
            _run(name, options)


def _all_names(options: dict[str, Any]) -> list[str]:
    """What there is to run with the data and for the corpora that were named."""
    from crowdseq_research.paper.cells.catalogue import Choice, runnable

    if options["data"] is None and not options["quick"]:
        raise _no_data("all")
    choice = Choice(options["only"], quick=options["quick"], has_data=options["data"] is not None)
    studies = _STUDIES if choice.has_data and not choice.only else ()
    return [*runnable(choice), *studies]


def _run(what: str, options: dict[str, Any]) -> None:
    if what == _ZOO:
        _run_zoo(options)
    elif what == _VERDICTS:
        _run_verdicts(options)
    elif what == _KNOWLEDGE:
        _run_knowledge(options)
    elif what in _STUDIES:
        _run_study(what, options)
    else:
        _run_experiment(what, options)


def _run_study(what: str, options: dict[str, Any]) -> None:
    from crowdseq.reports.tables import as_markdown, as_text
    from crowdseq_research.paper.cells.amt import run_amt
    from crowdseq_research.paper.cells.simulated import run_simulated

    if options["data"] is None:
        raise _no_data(what)
    if options["only"]:
        raise click.UsageError(f"--only does not go with {what}")
    _make_folder(options["out"])
    with progress_shown(options["quiet"]) as progress:
        run = run_amt if what == "amt" else run_simulated
        chosen = {"quick": options["quick"], "renew": options["renew"]}
        table = run(options["data"], options["out"], progress, **chosen)
    _write(options["out"], f"{'quick-' if options['quick'] else ''}{what}.md", as_markdown(table) + "\n")
    click.echo(as_text(table))


def _run_zoo(options: dict[str, Any]) -> None:
    from crowdseq.reports.tables import as_text
    from crowdseq_research.cells.parallel import Workers
    from crowdseq_research.zoo.page import zoo_page
    from crowdseq_research.zoo.running import run_zoo

    if options["data"] is None:
        raise _no_data(_ZOO)
    choice = _zoo_choice(options)
    _make_folder(options["out"])
    with one_bar_shown(options["quiet"]) as tell:
        shown = run_zoo(options["out"], Workers(options["data"], options["jobs"], tell), choice)
    _write(options["out"], f"{'quick-' if options['quick'] else ''}zoo.md", zoo_page(shown))
    click.echo("\n\n".join(as_text(table) for table in shown.tables))


def _run_verdicts(options: dict[str, Any]) -> None:
    from crowdseq.reports.tables import as_text
    from crowdseq_research.cells.parallel import Workers
    from crowdseq_research.zoo.verdict_page import run_verdicts, verdict_page
    from crowdseq_research.zoo.verdict_tables import summary

    if options["data"] is None:
        raise _no_data(_VERDICTS)
    if options["only"]:
        raise click.UsageError(f"--only does not go with {_VERDICTS}")
    _make_folder(options["out"])
    with one_bar_shown(options["quiet"]) as tell:
        workers = Workers(options["data"], options["jobs"], tell)
        cells = run_verdicts(options["out"], workers, quick=options["quick"])
    _write(options["out"], f"{'quick-' if options['quick'] else ''}verdicts.md", verdict_page(cells))
    click.echo(as_text(summary(cells)))


def _run_knowledge(options: dict[str, Any]) -> None:
    from crowdseq.reports.tables import as_text
    from crowdseq_research.cells.parallel import Workers
    from crowdseq_research.knowledge.running import knowledge_page, knowledge_tables, run_knowledge

    if options["data"] is None:
        raise _no_data(_KNOWLEDGE)
    _make_folder(options["out"])
    wanted = {name: options[name] for name in ("quick", "final", "renew")}
    with one_bar_shown(options["quiet"]) as tell:
        workers = Workers(options["data"], options["jobs"], tell)
        found = run_knowledge(options["out"], workers, options["only"], **wanted)
    _write(options["out"], f"{'quick-' if options['quick'] else ''}knowledge.md", knowledge_page(found))
    click.echo("\n\n".join(as_text(table) for table in knowledge_tables(found)))


def _zoo_choice(options: dict[str, Any]) -> "Choice":
    from crowdseq_research.zoo.running import Choice

    if options["quick"] and options["final"]:
        raise click.UsageError("--final is about one large crowd, --quick about a few small ones")
    return Choice(options["only"], options["method"], options["quick"], options["final"], options["renew"])


def _run_experiment(what: str, options: dict[str, Any]) -> None:
    from crowdseq.reports.tables import as_text
    from crowdseq_research.cells.parallel import Workers
    from crowdseq_research.paper.cells.catalogue import Choice, find_experiment, run_experiment
    from crowdseq_research.paper.page.writing import load_results, tables
    from crowdseq_research.paper.tables.quick_tables import quick_tables

    data, out, quick = options["data"], options["out"], options["quick"]
    if data is None and not quick:
        raise _no_data(what)
    _make_folder(out)
    asked = Choice(options["only"], options["repeats"], quick, data is not None)
    name, choice = find_experiment(what, asked)
    with one_bar_shown(options["quiet"]) as tell:
        cells = run_experiment(name, choice, out, Workers(data or Path(), options["jobs"], tell))
    if quick and name != "example":
        click.echo("\n\n".join(as_text(table) for table in quick_tables(cells)))
        return
    shown = tables(name, load_results(out)[name])
    _write(out, f"{name}.md", shown)
    click.echo(shown if name != "example" else _example(cells, data))


def _example(cells: list[dict[str, Any]], data: Path) -> str:
    from crowdseq.reports.tables import as_text, visible
    from crowdseq_research.paper.cells.example import example_words
    from crowdseq_research.paper.tables.expertise_tables import example_table

    words = example_words(data)
    return f"{visible(' '.join(words))}\n\n{as_text(example_table(cells[0], words))}"


def _write_page(options: dict[str, Any]) -> None:
    from crowdseq_research.paper.page.writing import write_page

    for path in write_page(options["out"], options["page"], force=options["force"]):
        click.echo(str(path))


def _check_again(what: str, options: dict[str, Any]) -> None:
    from crowdseq.reports.tables import as_text
    from crowdseq_research.paper.cells.catalogue import TABLES
    from crowdseq_research.paper.cells.checking import check_again
    from crowdseq_research.zoo.running import zoo_again

    if what in (_VERDICTS, _KNOWLEDGE):
        raise click.UsageError(f"--again does not go with {what}, cells of other sources are computed anew")
    if options["data"] is None:
        raise _no_data(f"{what} --again")
    draw = options["again"], options["seed"]
    with progress_shown(options["quiet"]) as progress:
        if what == _ZOO:
            table = zoo_again(options["out"], options["data"], draw, progress, _zoo_choice(options))
        else:
            name, _ = TABLES.get(what, (what, ()))
            table = check_again(name, draw, (options["data"], options["out"]), progress, options["only"])
    click.echo(as_text(table))
    if not all(row[-1] for row in table.rows):
        raise SystemExit(1)


def _no_data(what: str) -> click.UsageError:
    needs_them = what in (*_STUDIES, _ZOO, _VERDICTS) or "--again" in what
    also = "" if needs_them else "; --quick also runs without them"
    return click.UsageError(f"{what} needs corpora, say --data FOLDER, where they are{also}")


def _make_folder(out: Path) -> None:
    """Told before hours of computing, not after."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        is_writable = os.access(out, os.W_OK)
    except OSError:
        is_writable = False
    if not is_writable:
        raise click.UsageError(f"{out} is no folder that can be written to, name another with -o")


def _write(out: Path, name: str, text: str) -> None:
    from crowdseq.storage.atomic import AtomicFile

    with AtomicFile(out / name, force=True) as file:
        file.write(text.encode())
