"""The way in: the page that takes a link or a password, and gives a session for it."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from crowdseq.web.access import LONGEST_NAME, SESSION_SECONDS, Access, clean_name
from crowdseq.web.settings import WebSettings
from crowdseq.web.texts import page


async def start(request: Request) -> Response:
    """The page behind the link; the secret stands after # and is never part of an address that is sent."""
    settings: WebSettings = request.app.state.settings
    return HTMLResponse(page("start.html", by_password=settings.password is not None, longest=LONGEST_NAME))


async def enter(request: Request) -> Response:
    """A session for a secret or a password."""
    access: Access = request.app.state.access
    settings: WebSettings = request.app.state.settings
    address = request.client.host if request.client else ""
    asked = await body_of(request)
    if access.must_wait(address):
        answer = JSONResponse({"error": "too many tries, wait a minute"}, 429)
        answer.headers["Retry-After"] = "60"
        return answer
    secret = _tried(access, asked)
    if secret is None:
        access.note_failure(address)
        told = "this password is not right" if "password" in asked else "this link has been used already"
        return JSONResponse({"error": told}, 403)
    answer = JSONResponse({"entered": True})
    answer.set_cookie(
        settings.cookie,
        secret,
        max_age=SESSION_SECONDS,
        path="/",
        secure=settings.certificate,
        httponly=True,
        samesite="strict",
    )
    return answer


def _tried(access: Access, asked: dict[str, Any]) -> str | None:
    if "password" in asked:
        name = clean_name(asked.get("name"))
        return access.enter_by_password(str(asked["password"]), name) if name else None
    return access.enter_by_link(str(asked.get("token", "")))


async def invite(request: Request) -> Response:
    """A link for somebody else, who will decide under a name of their own."""
    name = clean_name((await body_of(request)).get("name"))
    if not name:
        return JSONResponse({"error": "type the name of the person"}, 400)
    token = request.app.state.access.invite(name)
    return JSONResponse(
        {"link": f"{request.url.scheme}://{request.headers['host']}/start#{token}", "name": name}
    )


async def rename(request: Request) -> Response:
    """Go on under another name."""
    name = clean_name((await body_of(request)).get("name"))
    if not name:
        return JSONResponse({"error": "type a name"}, 400)
    request.app.state.access.change(request.state.secret, reviewer=name)
    return JSONResponse({"name": name})


async def blind(request: Request) -> Response:
    """Hide suggestions, or show them again."""
    wanted = (await body_of(request)).get("blind") is True
    request.app.state.access.change(request.state.secret, blind=wanted)
    return JSONResponse({"blind": wanted})


async def body_of(request: Request) -> dict[str, Any]:
    """The object that was sent; what is none counts as an empty one."""
    try:
        found = json.loads(await request.body())
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


ROUTES = [
    Route("/start", start),
    Route("/enter", enter, methods=["POST"]),
    Route("/api/invite", invite, methods=["POST"]),
    Route("/api/name", rename, methods=["POST"]),
    Route("/api/blind", blind, methods=["POST"]),
]
