"""The real server in a process of its own, what it costs, and sessions that ask it as browsers do."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Answer:
    """What came back, and how long it took: by the clock, and in processor time of the server."""

    status: int
    content: Any
    seconds: float
    cpu: float


@dataclass(frozen=True)
class Server:
    """`crowdseq review` at work."""

    pid: int
    link: str
    opened: float
    opened_cpu: float

    @property
    def base(self) -> str:
        return self.link.partition("/start")[0]

    def cpu(self) -> float:
        """Processor seconds so far, of all threads."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def run_seconds(self) -> float:
        """The same, finer, without threads that have ended."""
        return sum(_nanoseconds(task) for task in Path(f"/proc/{self.pid}/task").iterdir()) / 1e9

    def megabytes(self) -> float:
        """Memory that it alone has, and its part of what it shares (PSS)."""
        lines = Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _nanoseconds(task: Path) -> int:
    try:
        return int((task / "schedstat").read_text().split()[0])
    except (FileNotFoundError, ProcessLookupError):  # ended meanwhile
        return 0


@contextmanager
def started(run: Path) -> Iterator[Server]:
    """The server of a run, from its start to its end."""
    command = [sys.executable, "-m", "crowdseq", "review", str(run), "--no-browser", "--port", "0", "--quiet"]
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            link = process.stdout.readline().strip()
            opened = time.perf_counter() - begun
            if not link:
                raise RuntimeError("the server did not start")
            yield Server(process.pid, link, opened, Server(process.pid, link, 0, 0).cpu())
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


class Session:
    """Somebody who is inside, with one connection that is kept."""

    def __init__(self, server: Server, link: str) -> None:
        self._server, self._base = server, server.base
        self._line = http.client.HTTPConnection(urlsplit(self._base).netloc, timeout=120)
        self._headers = {"Origin": self._base, "Content-Type": "application/json"}
        self._line.request("POST", "/enter", json.dumps({"token": link.partition("#")[2]}), self._headers)
        answer = self._line.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"the link was refused ({answer.status})")
        self._headers["Cookie"] = str(answer.headers["Set-Cookie"]).partition(";")[0]

    def other(self, name: str) -> "Session":
        """A session for another reviewer."""
        link: str = self.post("/api/invite", {"name": name}).content["link"]
        return Session(self._server, link)

    def get(self, path: str, **values: object) -> Answer:
        return self._asked("GET", f"{path}?{urlencode(values)}" if values else path, None)

    def post(self, path: str, value: dict[str, Any]) -> Answer:
        return self._asked("POST", path, json.dumps(value))

    def _asked(self, method: str, path: str, body: str | None) -> Answer:
        cpu, begun = self._server.run_seconds(), time.perf_counter()
        self._line.request(method, path, body, self._headers)
        answer = self._line.getresponse()
        content = answer.read()
        seconds, spent = time.perf_counter() - begun, self._server.run_seconds() - cpu
        is_object = answer.headers.get_content_type() == "application/json"
        return Answer(answer.status, json.loads(content) if is_object else content, seconds, spent)

    def close(self) -> None:
        self._line.close()
