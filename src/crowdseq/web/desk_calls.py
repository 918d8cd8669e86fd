"""What the pages of disputes and mentions ask for and send."""

from typing import Any

from starlette.responses import JSONResponse, Response

from crowdseq.errors import UsageError
from crowdseq.evaluation.disputes.gathering import MOST_TOGETHER
from crowdseq.store.decisions import ConflictError
from crowdseq.web.calls import Call, marks_of, route
from crowdseq.web.desk.guideline import add_rule
from crowdseq.web.desk.mention_views import Ticked, screen_rows, screen_view, settle_places, spot_view
from crowdseq.web.desk.views import dispute_view, sentence_view
from crowdseq.workflows.reviewing.acting import Act
from crowdseq.workflows.reviewing.desk import Acted
from crowdseq.workflows.reviewing.guideline import GuidelineBook, GuidelineEntry

_MOST_AT_ONCE = 20
_ROWS_AT_ONCE = 50


def queue(call: Call) -> Any:
    """Some disputes of the queue with their sentences."""
    wishes, count = call.wishes(), min(call.number("count", 6), _MOST_AT_ONCE)
    at, before = call.number_or_none("at"), call.number_or_none("before")
    if before is not None:
        piece = call.queue.before(wishes, before, count)
    else:
        piece = call.queue.after(wishes, call.number_or_none("after"), count)
    numbers = [*([] if at is None else [at]), *(one for one in piece.numbers if one != at)]
    blind = call.session.blind
    views = [dispute_view(call.desk, number, blind=blind) for number in numbers]
    sentences = {view["sentence"]: sentence_view(call.desk, view["sentence"], blind=blind) for view in views}
    return {
        "disputes": views,
        "sentences": sentences,
        "fitting": piece.fitting,
        "labels": list(call.desk.labels),
        "plain": call.desk.corpus.scheme.is_plain,
    }


def sentence(call: Call) -> Any:
    """One sentence as it is now."""
    return {"sentence": sentence_view(call.desk, call.number("number"), blind=call.session.blind)}


def save(call: Call) -> Any:
    """A decision on a place: marks, or all that an annotator marked in the sentence."""
    number, lane = call.number("sentence"), call.text("lane")
    act = Act(
        id=call.id,
        reviewer=call.session.reviewer,
        kind="take" if lane else "marks",
        sentence=number,
        begin=0 if lane else call.number("begin"),
        end=0 if lane else call.number("end"),
        base=call.number("version"),
        annotator=lane,
        whole=bool(lane),
        marks=call.marks(),
        shown=call.shown(way=call.text("way")),
    )
    try:
        acted = call.desk.act(act)
    except ConflictError as error:
        return _conflict(call, error, number)
    return _answered(call, acted, number)


def _answered(call: Call, acted: Acted, number: int) -> dict[str, Any]:
    """The sentence after a change, and what was suggested to somebody who decided blind."""
    answer: dict[str, Any] = {
        "version": acted.entries[-1].version,
        "sentence": sentence_view(call.desk, number, blind=call.session.blind),
    }
    dispute = call.number_or_none("dispute")
    if call.session.blind and dispute is not None:
        view = dispute_view(call.desk, dispute)
        answer["suggested"] = {"marks": view["settled"], "confidence": view["confidence"]}
    return answer


def _conflict(call: Call, error: ConflictError, number: int) -> Response:
    """Both versions, so that somebody can look at them side by side."""
    view = sentence_view(call.desk, number)
    mine = error.conflicts[0].asked.marks
    return JSONResponse({"error": str(error), "mine": mine, "theirs": view["decided"], "sentence": view}, 409)


def note(call: Call) -> Any:
    """A comment, a skip or a gap of the guideline."""
    number, kind = call.number("sentence"), call.text("kind")
    if kind not in ("comment", "skip", "gap"):
        raise UsageError(f"'{kind:.40}' is no remark")
    act = Act(
        id=call.id,
        reviewer=call.session.reviewer,
        kind=kind,
        sentence=number,
        begin=call.number("begin"),
        end=call.number("end"),
        comment=call.text("text").strip(),
        shown=call.shown(),
    )
    return _answered(call, call.desk.act(act), number)


def undo(call: Call) -> Any:
    """Undo what is named, or what this reviewer did last."""
    return _turned(call, call.desk.undo(call.id, call.session.reviewer, call.text("what") or None))


def redo(call: Call) -> Any:
    """Bring back what is named, or what this reviewer undid last."""
    return _turned(call, call.desk.redo(call.id, call.session.reviewer, call.text("what") or None))


def _turned(call: Call, acted: Acted) -> Any:
    if any(not entry.key.text for entry in acted.entries):
        GuidelineBook(call.desk).write()
    return {"turned": len(acted.entries), "place": _place(call, acted)}


def _place(call: Call, acted: Acted) -> dict[str, Any] | None:
    """The first sentence that changed, with the dispute that it was about."""
    for entry in acted.entries:
        number = call.desk.sentence_of(entry)
        if number is not None:
            view = sentence_view(call.desk, number, blind=call.session.blind)
            touched = [one[0] for one in view["disputes"] if one[1] < entry.end and entry.begin < one[2]]
            return {"sentence": view, "dispute": touched[0] if touched else None}
    return None


def pulse(call: Call) -> Any:
    """What happened after an entry of the log, and who is here."""
    after = call.number_or_none("after")
    last = call.desk.sync()
    changed = [] if after is None or after >= last else call.desk.changed_after(after)
    return {"last": last, "changed": changed[:500], "others": call.room.note(call.session.reviewer)}


def mention_list(call: Call) -> Any:
    """Some screens of mentions, and how many places wait elsewhere."""
    desk, wishes = call.desk, call.wishes()
    rows, total = screen_rows(
        desk,
        wishes,
        call.number("start", 0),
        _ROWS_AT_ONCE,
        mention=call.number_or_none("mention"),
        wide=call.text("wide") == "1",
    )
    return {
        "rows": rows,
        "total": total,
        "labels": list(desk.labels),
        "plain": desk.corpus.scheme.is_plain,
        "elsewhere": call.room.elsewhere.count(),
    }


def mention(call: Call) -> Any:
    """The places of one screen."""
    asked = call.text("disputes").split(",")
    if not all(one.isascii() and one.isdigit() and len(one) < 16 for one in asked):
        raise UsageError("'disputes' must be numbers with commas between them")
    return {"places": screen_view(call.desk, [int(one) for one in asked], blind=call.session.blind)}


def elsewhere(call: Call) -> Any:
    """A screen of places that read otherwise than what was decided on the same words."""
    found = call.room.elsewhere
    return {"places": spot_view(call.desk, found.spots(MOST_TOGETHER)), "total": found.count()}


def settle(call: Call) -> Any:
    """Settle the ticked places of a screen; one batch, one undo."""
    ticked = [_ticked(one) for one in call.items("ticked")]
    passed = [_place_of(one) for one in call.items("passed")]
    shown = call.shown(exceptions=call.number("exceptions", 0))
    asked = Act(id=call.id, reviewer=call.session.reviewer, kind="marks", sentence=0, shown=shown)
    try:
        acted = settle_places(call.desk, ticked, asked)
    except ConflictError as error:
        return JSONResponse({"error": str(error)}, 409)
    call.room.elsewhere.pass_over(passed)
    return {"settled": len(acted.entries), "batch": call.id, "elsewhere": call.room.elsewhere.count()}


def _place_of(sent: Any) -> tuple[int, int, int]:
    if not (isinstance(sent, list) and len(sent) == 3 and all(type(one) is int for one in sent)):
        raise UsageError("a place is a sentence, a begin and an end")
    return sent[0], sent[1], sent[2]


def _ticked(sent: Any) -> Ticked:
    """A place as a page sends it: [sentence, begin, end, dispute or null, version, marks]."""
    if not (isinstance(sent, list) and len(sent) == 6):
        raise UsageError("a place is a sentence, a begin, an end, a dispute, a version and marks")
    sentence, begin, end, dispute, version, marks = sent
    numbers = [sentence, begin, end, version, *([] if dispute is None else [dispute])]
    if not all(type(one) is int and 0 <= one < 2**53 for one in numbers):
        raise UsageError("a place is told in whole numbers")
    return Ticked((sentence, begin, end), dispute, version, marks_of(marks))


def rule(call: Call) -> Any:
    """A new entry of the guideline, about a mention or a pair of labels."""
    disputes = [one for one in call.items("disputes") if type(one) is int]
    first, second, label = call.text("first"), call.text("second"), call.text("label")
    asked = GuidelineEntry(
        id=call.id,
        reviewer=call.session.reviewer,
        pair=(first, second or None) if first else None,
        label=label or None,
        text=call.text("text"),
    )
    return {"saved": add_rule(call.desk, asked, call.number_or_none("mention"), disputes).id}


ROUTES = [
    route("/api/queue", queue),
    route("/api/sentence", sentence),
    route("/api/save", save, "POST"),
    route("/api/note", note, "POST"),
    route("/api/undo", undo, "POST"),
    route("/api/redo", redo, "POST"),
    route("/api/pulse", pulse),
    route("/api/mentions", mention_list),
    route("/api/mention", mention),
    route("/api/elsewhere", elsewhere),
    route("/api/settle", settle, "POST"),
    route("/api/guideline", rule, "POST"),
]
