"""A browser without a screen: sends requests straight into the app, and keeps cookies."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpx
from starlette.applications import Starlette


class Client:
    """Requests to an app under one address."""

    def __init__(self, app: Starlette, base: str) -> None:
        self._app, self._base, self._cookies = app, base, httpx.Cookies()

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return asyncio.run(self._ask(method, path, options))

    async def _ask(self, method: str, path: str, options: dict[str, Any]) -> httpx.Response:
        content = options.get("content")
        if content is not None and not isinstance(content, bytes):
            options["content"] = _streamed(content)
        transport = httpx.ASGITransport(self._app)
        async with httpx.AsyncClient(
            transport=transport, base_url=self._base, cookies=self._cookies
        ) as client:
            got = await client.request(method, path, **options)
            self._cookies = client.cookies
            return got

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.request("POST", path, **options)


async def _streamed(parts: Iterable[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
