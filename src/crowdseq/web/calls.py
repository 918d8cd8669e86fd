"""Calls: what a handler is given, and how its answer or its refusal goes back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from crowdseq.errors import UsageError
from crowdseq.store.entries import Marks
from crowdseq.web.access import Session
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.web.desk.queue import Queue, Wishes, wishes_of
from crowdseq.web.entering import body_of
from crowdseq.web.room import Room

_LONGEST = 20_000


@dataclass(frozen=True)
class Call:
    """One request of somebody who is inside."""

    request: Request
    session: Session
    sent: dict[str, Any]

    @property
    def room(self) -> Room:
        found: Room = self.request.app.state.room
        return found

    @property
    def desk(self) -> ReviewDesk:
        return self.room.desk

    @property
    def queue(self) -> Queue:
        return self.room.queue

    def text(self, name: str, default: str = "") -> str:
        """A text that was sent or that stands in the address."""
        found = self.sent.get(name, self.request.query_params.get(name, default))
        if not isinstance(found, str) or len(found) > _LONGEST:
            raise UsageError(f"'{name}' must be a text of at most {_LONGEST:,} characters")
        return found

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number that was sent or that stands in the address."""
        found = self.number_or_none(name)
        if found is None:
            found = default
        if found is None:
            raise UsageError(f"'{name}' is missing")
        return found

    def number_or_none(self, name: str) -> int | None:
        found = self.sent.get(name, self.request.query_params.get(name))
        if found in (None, ""):
            return None
        if isinstance(found, str) and len(found) < 20 and found.isascii() and found.isdigit():
            return int(found)
        if type(found) is int and 0 <= found < 2**53:
            return found
        raise UsageError(f"'{name}' must be a whole number")

    def items(self, name: str) -> list[Any]:
        found = self.sent.get(name, [])
        if not isinstance(found, list):
            raise UsageError(f"'{name}' must be a list")
        return found

    def marks(self) -> Marks:
        """Marks that were sent."""
        return marks_of(self.items("marks"))

    @property
    def id(self) -> str:
        """The name that the page gave to what it asks for, so that asking twice does it once."""
        found = self.text("id")
        if not 8 <= len(found) <= 100:
            raise UsageError("'id' must have 8 to 100 characters")
        return found

    def shown(self, **more: Any) -> dict[str, Any]:
        """What was on the screen."""
        return {"page": self.text("page"), "blind": self.session.blind, **more}

    def wishes(self) -> Wishes:
        """Which disputes to see, as the address tells it."""
        return wishes_of(dict(self.request.query_params))


def marks_of(sent: Any) -> Marks:
    """Marks as a page sends them."""
    if not isinstance(sent, list):
        raise UsageError("'marks' must be a list")
    for one in sent:
        if not (isinstance(one, list) and len(one) == 3 and isinstance(one[2], str)):
            raise UsageError("a mark is a begin, an end and a label")
        if not all(type(side) is int for side in one[:2]):
            raise UsageError("a mark begins and ends at whole numbers")
    return tuple(sorted((begin, end, label) for begin, end, label in sent))


Handler = Callable[[Call], Any]


def route(path: str, handler: Handler, method: str = "GET") -> Route:
    """A route whose handler runs beside others in a thread, and gives a response or an object."""

    async def endpoint(request: Request) -> Response:
        sent = await body_of(request) if method == "POST" else {}
        call = Call(request, request.state.session, sent)
        answer = await run_in_threadpool(handler, call)
        if isinstance(answer, Response):
            return answer
        return Response(msgspec.json.encode(answer), media_type="application/json")

    return Route(path, endpoint, methods=[method])
