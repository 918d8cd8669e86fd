"""BackgroundLearning: learning again while reviewers go on, with a word on how far it is."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock, Thread

from crowdseq.errors import CrowdseqError, OutputBusyError
from crowdseq.numerics.em import Progress
from crowdseq.workflows.reviewing.learning_again import AgainStatus, LearnedAgain, learn_again

Learn = Callable[[Path, Progress], LearnedAgain]


def _learn(folder: Path, progress: Progress) -> LearnedAgain:
    return learn_again(folder, progress=progress)


class BackgroundLearning:
    """At most one run at a time; the thread ends with the process, which leaves no half run behind."""

    def __init__(self, folder: str | Path, learn: Learn = _learn) -> None:
        self._folder, self._learn = Path(folder), learn
        self._lock = Lock()
        self._status = AgainStatus("not begun", 0, 1, False)
        self._thread: Thread | None = None

    def start(self) -> AgainStatus:
        """Begin; refused while one is running."""
        with self._lock:
            if self._status.is_running:
                raise OutputBusyError(f"{self._folder} is being learned again already, wait for it")
            self._status = AgainStatus("reading the run", 0, 1, True)
            self._thread = Thread(target=self._run, name="learn again", daemon=True)
            self._thread.start()
            return self._status

    def status(self) -> AgainStatus:
        with self._lock:
            return self._status

    def wait(self, seconds: float | None = None) -> AgainStatus:
        """The status once it has ended, or after so many seconds."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self.status()

    def _tell(self, stage: str, done: int, total: int) -> None:
        with self._lock:
            self._status = replace(self._status, stage=stage, done=done, total=total)

    def _run(self) -> None:
        try:
            made = self._learn(self._folder, self._tell)
            ended = AgainStatus("done", 1, 1, False, "", str(made.folder), made.note, made.changes.n_places)
        except CrowdseqError as error:
            ended = AgainStatus("failed", 0, 1, False, str(error))
        except Exception as error:
            ended = AgainStatus("failed", 0, 1, False, f"{type(error).__name__}: {error}")
        with self._lock:
            self._status = ended
