"""WebSettings: where the app listens, who may enter, and how much a request may ask."""

import ipaddress
from dataclasses import dataclass

from crowdseq.errors import Advice, SettingsError

LOOPBACK = "127.0.0.1"
_LEAST_PASSWORD = 8


@dataclass(frozen=True, kw_only=True)
class WebSettings:
    """How a run is opened in browsers.

    reviewer: the name of whoever starts the app. blind: whether suggestions are hidden at first. host, port:
    where to listen; beyond this machine a password is a must. names: further host names under which browsers
    may ask. certificate: whether the line is encrypted. body_limit, body_seconds, answer_seconds: how large a
    request may be, how long it may take to come in, and to be answered.
    """

    reviewer: str = "reviewer"
    blind: bool = False
    host: str = LOOPBACK
    port: int = 8765
    names: tuple[str, ...] = ()
    password: str | None = None
    certificate: bool = False
    body_limit: int = 1 << 20
    body_seconds: float = 10.0
    answer_seconds: float = 120.0

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and self.password is None:
            raise SettingsError(
                f"{self.host} can be reached from other machines, so that a password is needed:",
                Advice(
                    "type one when asked, or name a file that holds it with {password_file}", password_file=""
                ),
            )
        if self.password is not None and len(self.password) < _LEAST_PASSWORD:
            raise SettingsError(
                f"the password is shorter than {_LEAST_PASSWORD} characters, choose a longer one"
            )

    @property
    def scheme(self) -> str:
        return "https" if self.certificate else "http"

    @property
    def cookie(self) -> str:
        """The name of the session cookie; browsers share cookies between ports, so that it names the port."""
        return f"{'__Host-' if self.certificate else ''}crowdseq-{self.port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    address = address_of(host)
    return address is not None and address.is_loopback


def address_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a text spells, with or without brackets; None for a name."""
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
