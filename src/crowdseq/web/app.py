"""create_app: the pages of one run behind their guard."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from crowdseq.errors import CrowdseqError
from crowdseq.web import audit_calls, desk_calls, entering, finishing_calls, pages
from crowdseq.web.access import Access
from crowdseq.web.guard import Guard
from crowdseq.web.room import Room
from crowdseq.web.settings import WebSettings
from crowdseq.web.texts import HERE, page


def create_app(folder: str | Path, settings: WebSettings | None = None) -> Starlette:
    """The app of a run; `app.state.access` makes the links by which people come in."""
    chosen = settings or WebSettings()
    access, room = Access(chosen.password, chosen.blind), Room(Path(folder))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            room.close()

    app = Starlette(
        routes=[
            *entering.ROUTES,
            *desk_calls.ROUTES,
            *pages.ROUTES,
            *finishing_calls.ROUTES,
            *audit_calls.ROUTES,
            Route("/static/report.css", _report_style),
            Mount("/static", StaticFiles(directory=HERE / "static")),
        ],
        middleware=[Middleware(Guard, chosen, access)],
        exception_handlers={HTTPException: _told, CrowdseqError: _explained},
        lifespan=lifespan,
    )
    app.state.settings, app.state.access = chosen, access
    app.state.room = room
    return app


async def _report_style(_: Request) -> Response:
    """The style of the report of a run, so that both look of one house."""
    return Response((files("crowdseq.reports.html") / "report.css").read_bytes(), media_type="text/css")


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    what = "there is no such page" if error.status_code == 404 else error.detail
    return _answer(request, what, error.status_code)


async def _explained(request: Request, error: Exception) -> Response:
    return _answer(request, str(error), 400)


def _answer(request: Request, what: str, status: int) -> Response:
    """The same sentence as a page or as an object, whichever was asked for."""
    if request.method == "POST" or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": what}, status)
    return HTMLResponse(page("problem.html", what=what), status)
