"""The pages: one function for each, which asks a workflow and fills a template."""

from typing import Any

from markupsafe import Markup
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from crowdseq.evaluation.disputes import KINDS
from crowdseq.web.calls import Call, route
from crowdseq.web.desk import guideline as guidelines
from crowdseq.web.desk.overview import agreement, history, next_steps, overview, pair_matrix
from crowdseq.web.desk.people import annotator_rows, annotator_view, sheet
from crowdseq.web.desk.queue import NOTHING
from crowdseq.web.texts import page
from crowdseq.workflows.reviewing.guideline import GuidelineBook, guideline_markdown

PAGES = [
    {"path": "/", "name": "Home"},
    {"path": "/disputes", "name": "Disputes"},
    {"path": "/mentions", "name": "Mentions"},
    {"path": "/guideline", "name": "Guideline"},
    {"path": "/annotators", "name": "Annotators"},
    {"path": "/agreement", "name": "Agreement"},
    {"path": "/finish", "name": "Finish"},
    {"path": "/again", "name": "Learn again"},
    {"path": "/export", "name": "Export"},
    {"path": "/history", "name": "History"},
]
_LOG_ROWS = 100


def shown(call: Call, template: str, heading: str, script: str = "", **values: Any) -> Response:
    """A page in the layout that all have."""
    path = call.request.url.path
    filled = page(
        template,
        heading=heading,
        script=script,
        run=call.desk.name,
        reviewer=call.session.reviewer,
        blind=call.session.blind,
        pages=PAGES,
        path=next((one["path"] for one in PAGES[1:] if path.startswith(one["path"])), path),
        **values,
    )
    return HTMLResponse(filled)


def home(call: Call) -> Response:
    facts = overview(call.desk)
    return shown(call, "home.html", "Home", facts=facts, steps=next_steps(facts))


def disputes(call: Call) -> Response:
    pairs = [(one.first, one.second or NOTHING, len(one.disputes)) for one in call.desk.pairs]
    return shown(
        call,
        "disputes.html",
        "Disputes",
        "desk.js",
        labels=call.desk.labels,
        annotators=call.desk.corpus.annotators[:2000],
        pairs=pairs[:200],
        kinds=KINDS,
        asked=call.request.query_params,
    )


def mentions(call: Call) -> Response:
    labels = call.desk.labels
    return shown(
        call, "mentions.html", "Mentions", "mentions.js", labels=labels, asked=call.request.query_params
    )


def guideline(call: Call) -> Response:
    return shown(
        call,
        "guideline.html",
        "Guideline",
        "guideline.js",
        pairs=guidelines.pair_rows(call.desk),
        words=guidelines.word_rows(call.desk),
        entries=GuidelineBook(call.desk).entries(),
        labels=call.desk.labels,
        gaps=guidelines.gaps(call.desk),
        nothing=NOTHING,
    )


def guideline_file(call: Call) -> Response:
    return _file(guideline_markdown(GuidelineBook(call.desk).entries()), "guideline.md")


def annotators(call: Call) -> Response:
    rows = [
        {**row, "plot": Markup(row["plot"] or ""), "verdict": Markup(row["verdict"])}
        for row in annotator_rows(call.desk)
    ]
    return shown(call, "annotators.html", "Annotators", rows=rows, is_plain=call.desk.corpus.scheme.is_plain)


def annotator(call: Call) -> Response:
    view = annotator_view(call.desk, call.queue, _number(call))
    # Our own tables: every text in them is escaped where they are made.
    view["verdict"] = Markup(view["verdict"])
    view["heatmaps"] = Markup(view["heatmaps"].replace("<details>", '<details open="">'))
    return shown(call, "annotator.html", view["name"], view=view)


def annotator_sheet(call: Call) -> Response:
    return _file(sheet(call.desk, call.queue, _number(call)), f"annotator-{_number(call)}.md")


def _number(call: Call) -> int:
    found: int = call.request.path_params["number"]
    return found


def agreed(call: Call) -> Response:
    measured, tables = agreement(call.desk)
    names, matrix = pair_matrix(call.desk)
    is_plain = call.desk.corpus.scheme.is_plain
    more = len(call.desk.corpus.annotators) - len(names)
    return shown(
        call,
        "agreement.html",
        "Agreement",
        overall=measured.overall,
        tables=[table for table in tables[1:] if table.rows],
        names=names,
        matrix=matrix,
        more=more,
        measure="Cohen’s κ" if is_plain else "span F1",
    )


def log(call: Call) -> Response:
    rows, older = history(call.desk, _LOG_ROWS, call.number_or_none("before"))
    return shown(call, "history.html", "History", "history.js", rows=rows, older=older)


def _file(text: str, name: str) -> Response:
    """A text to be kept; the name is our own and never comes from the data."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text.encode("utf-8", "backslashreplace"), headers=headers)


ROUTES = [
    route("/", home),
    route("/disputes", disputes),
    route("/mentions", mentions),
    route("/guideline", guideline),
    route("/guideline/file", guideline_file),
    route("/annotators", annotators),
    route("/annotators/{number:int}", annotator),
    route("/annotators/{number:int}/sheet", annotator_sheet),
    route("/agreement", agreed),
    route("/history", log),
]
