"""What the tests of files share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crowdseq.errors import FormatError
from crowdseq.formats import read
from crowdseq.formats.foreign.worker import Workers
from crowdseq.formats.settings import Limits
from file_fixtures import Faults, Put


@pytest.fixture(scope="session", autouse=True)
def few_workers() -> Iterator[None]:
    """One read after the other has the same worker, as the files of one read have, and not one for itself.

    What a worker of one command costs and survives is held by the tests of hostile files at the door.
    """
    shared = Workers(Limits())

    def begin(workers: Workers, limits: Limits) -> None:
        workers._limits, workers._idle = limits, shared._idle

    with pytest.MonkeyPatch.context() as patch:
        end = Workers.close
        patch.setattr(Workers, "__init__", begin)
        patch.setattr(Workers, "close", lambda _: None)
        yield
        end(shared)


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Write a file into an empty folder, which is the current one, and give its name."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return name

    return write


@pytest.fixture
def faults(put: Put) -> Faults:
    """What reading a file with some content, or an input that is there, complains about, line by line."""

    def complaints(name: str, content: str | bytes | None = None, **settings: Any) -> list[str]:
        if content is not None:
            put(name, content)
        with pytest.raises(FormatError) as caught:
            read(name, **settings)
        return [str(problem) for problem in caught.value.problems]

    return complaints
