"""What the pages ask for at the end of a review: files, and learning again."""

from typing import Any

from starlette.responses import Response

from crowdseq.errors import UsageError
from crowdseq.web.calls import Call, route
from crowdseq.web.desk.again import changes_view, holds_decisions
from crowdseq.web.desk.exports import LABELS, export, export_formats
from crowdseq.web.desk.overview import overview
from crowdseq.web.pages import shown


def exports(call: Call) -> Response:
    return shown(
        call, "export.html", "Export", formats=export_formats(), choices=LABELS, facts=overview(call.desk)
    )


def export_file(call: Call) -> Response:
    made = export(call.desk, call.text("format"), call.text("labels", "both"))
    headers = {"Content-Disposition": f'attachment; filename="{made.name}"'}
    return Response(made.content, media_type="application/octet-stream", headers=headers)


def again(call: Call) -> Response:
    return shown(
        call,
        "again.html",
        "Learn again",
        "again.js",
        facts=overview(call.desk),
        status=call.room.learning.status(),
        holds=holds_decisions(call.desk),
        changes=changes_view(call.desk.folder),
    )


def start_learning(call: Call) -> Any:
    return call.room.learning.start().as_dict()


def learning_status(call: Call) -> Any:
    """How far it is; once it is done, what changed."""
    status = call.room.learning.status()
    return {**status.as_dict(), "found": changes_view(status.folder) if status.folder else None}


def open_learned(call: Call) -> Any:
    """Show the new run to everybody here; what was decided meanwhile comes along."""
    status = call.room.learning.status()
    if not status.folder:
        raise UsageError("there is no new run to open")
    return {"carried": call.room.move(status.folder)}


ROUTES = [
    route("/export", exports),
    route("/export/file", export_file),
    route("/again", again),
    route("/api/again", learning_status),
    route("/api/again/start", start_learning, "POST"),
    route("/api/again/open", open_learned, "POST"),
]
