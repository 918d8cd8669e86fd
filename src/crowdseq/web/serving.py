"""serve: the app of a run on a port, until it is told to stop."""

import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import uvicorn

from crowdseq.errors import SettingsError
from crowdseq.web.app import create_app
from crowdseq.web.origins import shown_address
from crowdseq.web.settings import WebSettings, address_of

_PORTS_TO_TRY = 20
_MOST_CONNECTIONS = 256


@dataclass(frozen=True)
class Certificate:
    """Files that encrypt the line; key: None if it stands in the same file."""

    certificate: str
    key: str | None = None


def serve(
    folder: str | Path,
    settings: WebSettings,
    *,
    opened: Callable[[str], None],
    certificate: Certificate | None = None,
    any_port: bool = True,
) -> None:
    """Serve until Ctrl-C or SIGTERM.

    opened: told the link by which the one who started it comes in, once the server listens. any_port: whether
    the next free port will do if the one in the settings is taken.
    """
    listening, port = listen(settings.host, settings.port, _PORTS_TO_TRY if any_port else 1)
    settings = replace(settings, port=port)
    try:
        app = create_app(folder, settings)
        _ = app.state.room.desk  # a run that cannot be opened is told before anybody is let in
        link = f"{shown_address(settings)}/start#{app.state.access.invite(settings.reviewer)}"
        config = uvicorn.Config(
            app,
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=5,
            limit_concurrency=_MOST_CONNECTIONS,
            ssl_certfile=certificate.certificate if certificate else None,
            ssl_keyfile=certificate.key if certificate else None,
        )
        _Server(config, lambda: opened(link)).run(sockets=[listening])
    finally:
        listening.close()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, opened: Callable[[], None]) -> None:
        super().__init__(config)
        self._opened = opened

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._opened()


def listen(host: str, port: int, tries: int) -> tuple[socket.socket, int]:
    """A socket on this port or one of the next; it listens nowhere else than at the host."""
    address = address_of(host)
    family = socket.AF_INET6 if address is not None and address.version == 6 else socket.AF_INET
    for number in range(port, min(port + tries, 65536)) if port else [0]:
        # Named as TCP, so that asyncio sends the parts of an answer at once: else some wait 40 ms.
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((str(address) if address is not None else host, number))
        except OSError as error:
            made.close()
            wrong = error.strerror or str(error)
            continue
        return made, int(made.getsockname()[1])
    raise SettingsError(f"nothing can listen at {host}:{port} ({wrong}), choose another port")
