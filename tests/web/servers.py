"""Review apps for tests: on a free port in a thread, or in a process of their own that can be killed."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from crowdseq.core.corpus import Corpus
from crowdseq.web.app import create_app
from crowdseq.web.serving import listen
from crowdseq.web.settings import WebSettings
from crowdseq.workflows.learning import learn

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def run_folder(corpus: Corpus, folder: Path, method: str = "majority-vote") -> Path:
    """A run on a corpus, saved."""
    learn(corpus, method, tagger=False).save(folder)
    return folder


@dataclass(frozen=True)
class Served:
    """An app that answers under an address."""

    base: str
    invite: Callable[[str], str]
    app: Starlette | None = None


@contextmanager
def served(folder: Path, **settings: object) -> Iterator[Served]:
    """The app of a run in a thread of this process."""
    listening, port = listen("127.0.0.1", 0, 1)
    app = create_app(folder, WebSettings(port=port, **settings))  # type: ignore[arg-type]
    server = uvicorn.Server(
        uvicorn.Config(app, log_config=None, ws="none", lifespan="on", timeout_graceful_shutdown=2)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    base = f"http://127.0.0.1:{port}"
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield Served(base, lambda name: f"{base}/start#{app.state.access.invite(name)}", app)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@contextmanager
def process_of(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`crowdseq review` as people start it, and the link that it prints."""
    command = [sys.executable, "-m", "crowdseq", "review", str(folder), "--no-browser", *options]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert started.stderr is not None
    try:
        link = started.stdout.readline().strip()
        assert link, started.stderr.read()
        yield started, link
    finally:
        if started.poll() is None:
            os.kill(started.pid, signal.SIGKILL)
        started.wait()
        started.stdout.close()
        started.stderr.close()
