"""Guard: what every request passes before a page sees it, and what every answer carries."""

import asyncio
import logging
from dataclasses import dataclass
from functools import cached_property

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crowdseq.web.access import Access
from crowdseq.web.origins import METHODS, Origins
from crowdseq.web.settings import WebSettings

log = logging.getLogger("crowdseq.web")

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "Cache-Control": "no-store",
}
# What can be asked without a session: nothing in it is of the run.
_FREE = ("/start", "/enter", "/static/")


@dataclass(frozen=True)
class Guard:
    """The only middleware: host, origin, session, size and time of a request; headers of an answer."""

    app: ASGIApp
    settings: WebSettings
    access: Access

    @cached_property
    def origins(self) -> Origins:
        return Origins(self.settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = _Answer(send)
        try:
            await self._heard(scope, receive, answer)
        except Exception as error:
            # Texts of the corpus may be in the message: only the kind of the error is told to the browser.
            log.exception("a request failed")
            what = f"something went wrong here ({type(error).__name__}); the terminal tells more"
            await answer.instead(_refused(500, what), scope, receive)

    async def _heard(self, scope: Scope, receive: Receive, send: "_Answer") -> None:
        refused = self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, send)
            return
        body = _Body(receive, self.settings)
        try:
            async with asyncio.timeout(self.settings.answer_seconds):
                await self.app(scope, body.receive, send)
        except TimeoutError:
            await send.instead(_refused(503, "this took too long, try again"), scope, receive)
        except _TooMuchError as error:
            await send.instead(_refused(error.status, error.told), scope, receive)

    def _refusal(self, scope: Scope) -> Response | None:
        headers, method, origins = Headers(scope=scope), scope["method"], self.origins
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not origins.knows_host(hosts[0]):
            return _refused(421, "this host is not known here, use the address that the terminal shows")
        if method not in METHODS:
            return _refused(405, "only GET, HEAD and POST are heard here")
        if any(len(headers.getlist(name)) > 1 for name in ("origin", "sec-fetch-site", "content-type")):
            return _refused(400, "a header is given twice")
        reason = origins.refusal(method, headers)
        if reason is not None:
            return _refused(403, reason)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return _refused(400, "the length of the request is no number")
        if int(length) > self.settings.body_limit:
            return _refused(413, "the request is too large")
        return self._unknown(scope)

    def _unknown(self, scope: Scope) -> Response | None:
        """The answer to somebody without a session; None for others, whose session is noted."""
        request = Request(scope)
        secret = request.cookies.get(self.settings.cookie, "")
        session = self.access.session(secret) if secret else None
        scope.setdefault("state", {})["session"] = session
        scope["state"]["secret"] = secret
        if session is not None or scope["path"].startswith(_FREE):
            return None
        if scope["method"] in ("GET", "HEAD") and "text/html" in request.headers.get("accept", ""):
            return Response(status_code=303, headers={"Location": "/start"})
        return _refused(401, "your session has ended: open the link that the terminal shows")


def _refused(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status)


class _TooMuchError(Exception):
    def __init__(self, status: int, told: str) -> None:
        self.status, self.told = status, told


class _Body:
    """The body of a request, cut off when it is too large or too slow."""

    def __init__(self, receive: Receive, settings: WebSettings) -> None:
        self._receive, self._settings = receive, settings
        self._size, self._done = 0, False
        self._until = asyncio.get_running_loop().time() + settings.body_seconds

    async def receive(self) -> Message:
        if self._done:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise _TooMuchError(408, "the request came in too slowly") from None
        self._size += len(message.get("body", b""))
        self._done = not message.get("more_body", False)
        if self._size > self._settings.body_limit:
            raise _TooMuchError(413, "the request is too large")
        return message


class _Answer:
    """Sends an answer on with our headers, and knows whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send, self._begun = send, False

    async def instead(self, response: Response, scope: Scope, receive: Receive) -> None:
        """Send this, unless another answer is on its way already."""
        if not self._begun:
            await response(scope, receive, self)

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await self._send(message)
