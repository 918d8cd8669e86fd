"""What the page of the audit asks for and sends."""

from typing import Any

from starlette.responses import Response

from crowdseq.errors import UsageError
from crowdseq.web.calls import Call, route
from crowdseq.web.desk.finishing import accept_rest, safe_disputes
from crowdseq.web.desk.overview import overview
from crowdseq.web.pages import shown

_SURE = (90, 95, 98, 99)


def finish(call: Call) -> Response:
    sure = [(least, len(safe_disputes(call.desk, least / 100))) for least in _SURE]
    return shown(
        call,
        "finish.html",
        "Finish",
        "finish.js",
        is_begun=call.room.audit.is_begun,
        facts=overview(call.desk),
        labels=call.desk.labels,
        is_plain=call.desk.corpus.scheme.is_plain,
        sure=[(least, times) for least, times in sure if times],
    )


def _share(call: Call, name: str) -> float:
    """A whole number of percent as a share."""
    found = call.number(name)
    if not 1 <= found <= 99:
        raise UsageError(f"'{name}' must be 1 to 99 percent")
    return found / 100


def begin(call: Call) -> Any:
    """Fix the frame of the audit."""
    call.room.audit.begin()
    return {"begun": True}


def status(call: Call) -> Any:
    """The bound so far, and the next sentence."""
    audit = call.room.audit
    if not audit.is_begun:
        raise UsageError("the audit has not begun")
    return {
        **audit.status(_share(call, "error")),
        "sentence": audit.next_sentence(call.session.reviewer),
        "labels": call.desk.labels,
        "plain": call.desk.corpus.scheme.is_plain,
    }


def answer(call: Call) -> Any:
    """A sentence was read; gives the bound and the next one."""
    call.room.audit.answer(call.number("sentence"), call.marks(), id=call.id, reviewer=call.session.reviewer)
    return status(call)


def accept(call: Call) -> Any:
    """Accept what is so sure without reading it."""
    acted = accept_rest(call.desk, _share(call, "least"), id=call.id, reviewer=call.session.reviewer)
    return {"accepted": len(acted.entries)}


ROUTES = [
    route("/finish", finish),
    route("/api/audit", status),
    route("/api/audit/begin", begin, "POST"),
    route("/api/audit/answer", answer, "POST"),
    route("/api/accept", accept, "POST"),
]
