"""Access: one-time links, the password, sessions, and a brake on guessing."""

import hashlib
import hmac
import secrets
import time
from collections import deque
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

_TOKEN_BYTES = 32
_MOST_SESSIONS = 200
_MOST_LINKS = 100
_SECONDS = 60.0
_TRIES_OF_ONE, _TRIES_OF_ALL = 5, 60
SESSION_SECONDS = 12 * 3600
LONGEST_NAME = 60


@dataclass(frozen=True)
class Session:
    """Somebody who came in: the name that decisions carry, and whether suggestions are hidden from them."""

    reviewer: str
    begun: float
    blind: bool = False


@dataclass
class Access:
    """Who may enter. Links work once; secrets are kept as digests and compared in constant time."""

    password: str | None = None
    blind: bool = False
    _links: dict[bytes, str] = field(default_factory=dict, repr=False)
    _sessions: dict[bytes, Session] = field(default_factory=dict, repr=False)
    _failures: deque[tuple[float, str]] = field(default_factory=deque, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def invite(self, reviewer: str) -> str:
        """A secret that opens the app once, under this name."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        with self._lock:
            while len(self._links) >= _MOST_LINKS:
                del self._links[next(iter(self._links))]
            self._links[_digest(token)] = reviewer
        return token

    def enter_by_link(self, token: str) -> str | None:
        """The secret of a new session, or None; the link is used up."""
        with self._lock:
            reviewer = self._links.pop(_digest(token), None)
        return None if reviewer is None else self._begin(reviewer)

    def enter_by_password(self, password: str, reviewer: str) -> str | None:
        """The secret of a new session, or None if the password is wrong or there is none."""
        if self.password is None:
            return None
        right = hmac.compare_digest(_digest(password), _digest(self.password))
        return self._begin(reviewer) if right else None

    def _begin(self, reviewer: str) -> str:
        secret = secrets.token_urlsafe(_TOKEN_BYTES)
        with self._lock:
            while len(self._sessions) >= _MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[_digest(secret)] = Session(reviewer, time.monotonic(), self.blind)
        return secret

    def session(self, secret: str) -> Session | None:
        """The session of a cookie; None when it is unknown or too old."""
        found = self._sessions.get(_digest(secret))
        if found is None or time.monotonic() - found.begun > SESSION_SECONDS:
            return None
        return found

    def change(self, secret: str, **values: Any) -> None:
        """Give a session another name, or turn blind mode on or off."""
        with self._lock:
            found = self._sessions.get(_digest(secret))
            if found is not None:
                self._sessions[_digest(secret)] = replace(found, **values)

    def note_failure(self, address: str) -> None:
        """Remember that somebody at this address gave a wrong link or password."""
        with self._lock:
            self._failures.append((time.monotonic(), address))

    def must_wait(self, address: str) -> bool:
        """Whether there were so many failures in the last minute that nothing is tried for now."""
        with self._lock:
            while self._failures and time.monotonic() - self._failures[0][0] > _SECONDS:
                self._failures.popleft()
            own = sum(one == address for _, one in self._failures)
            return own >= _TRIES_OF_ONE or len(self._failures) >= _TRIES_OF_ALL


def clean_name(text: object) -> str:
    """The name of a reviewer without what cannot be seen; empty if nothing is left."""
    if not isinstance(text, str):
        return ""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())[:LONGEST_NAME]


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
