"""Origins: which hosts browsers may ask by, and which requests come from our own pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from crowdseq.web.settings import WebSettings, address_of, is_loopback

SAFE_METHODS = frozenset({"GET", "HEAD"})
METHODS = SAFE_METHODS | {"POST"}


@dataclass(frozen=True)
class Origins:
    """The judge of `Host`, `Origin` and `Sec-Fetch-*`.

    A page of somebody else may make a browser send requests here, even under a name that it points to this
    machine. The name is then in `Host`, and the page in `Origin` and `Sec-Fetch-Site`, which scripts cannot
    forge.
    """

    settings: WebSettings

    def knows_host(self, host: str) -> bool:
        """Whether a `Host` header names us: loopback, where we listen, or a name that we were told."""
        name, port = _split(host)
        default = "443" if self.settings.certificate else "80"
        if name is None or (port or default) != str(self.settings.port):
            return False
        return name in self._names or (self._is_open() and address_of(name) is not None)

    @cached_property
    def _names(self) -> set[str]:
        local = {"127.0.0.1", "localhost", "[::1]"}
        return local | {self._bracketed(self.settings.host)} | {one.lower() for one in self.settings.names}

    def _is_open(self) -> bool:
        """Whether we listen everywhere. Then any address will do: only a name can be pointed elsewhere."""
        address = address_of(self.settings.host)
        return address is not None and address.is_unspecified

    @staticmethod
    def _bracketed(host: str) -> str:
        address = address_of(host)
        return f"[{address}]" if address is not None and address.version == 6 else host.lower()

    def refusal(self, method: str, headers: Mapping[str, str]) -> str | None:
        """Why a request is not heard; None if it may come in. The host is known already."""
        site = headers.get("sec-fetch-site")
        if method in SAFE_METHODS:
            return self._refused_read(site, headers)
        origin = headers.get("origin")
        if site is None and origin is None:
            return "a change needs the header Origin, which browsers send by themselves"
        if site is not None and site != "same-origin":
            return "a change may only come from our own pages"
        if origin is not None and origin != f"{self.settings.scheme}://{headers.get('host', '').lower()}":
            return "a change may only come from our own pages"
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        return None if kind == "application/json" else "a change is sent as application/json"

    @staticmethod
    def _refused_read(site: str | None, headers: Mapping[str, str]) -> str | None:
        """Links from elsewhere may open a page; nothing of ours is a part of somebody else's."""
        if site in (None, "same-origin", "none"):
            return None
        opens = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        return None if opens else "pages of others may not read this"


def _split(host: str) -> tuple[str | None, str]:
    """`[::1]:80` to ("[::1]", "80"); the name is None if the text is no host."""
    host = host.lower()
    name, sign, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    if not sign:
        name, port = host, ""
    if not name or (sign and not (port.isascii() and port.isdigit())) or any(one in name for one in "/@\\ ,"):
        return None, ""
    if ":" in name and not (name.startswith("[") and name.endswith("]")):
        return None, ""
    return name, port


def shown_address(settings: WebSettings) -> str:
    """The address that is printed for a browser on this machine."""
    host = settings.host
    address = address_of(host)
    if is_loopback(host) or (address is not None and address.is_unspecified):
        host = "127.0.0.1" if address is None or address.version == 4 else "[::1]"
    return f"{settings.scheme}://{Origins._bracketed(host)}:{settings.port}"
