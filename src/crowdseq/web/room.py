"""Room: the run that the app shows, opened when it is first needed, and who is here now."""

import time
from pathlib import Path
from threading import RLock

from crowdseq.web.desk.again import carry_newer
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.web.desk.elsewhere import Elsewhere
from crowdseq.web.desk.finishing import AuditDesk
from crowdseq.web.desk.queue import Queue
from crowdseq.workflows.reviewing.background import BackgroundLearning

_HERE_SECONDS = 15.0


class Room:
    """One run for all sessions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._desk: ReviewDesk | None = None
        self._queue: Queue | None = None
        self._learning: BackgroundLearning | None = None
        self._audit: AuditDesk | None = None
        self._elsewhere: Elsewhere | None = None
        self._lock = RLock()
        self._seen: dict[str, float] = {}

    @property
    def desk(self) -> ReviewDesk:
        with self._lock:
            if self._desk is None:
                self._desk = ReviewDesk.open(self.folder)
                self._desk.prepare()
                self._queue = Queue(self._desk)
            return self._desk

    @property
    def queue(self) -> Queue:
        with self._lock:
            assert self.desk is not None
            assert self._queue is not None
            return self._queue

    @property
    def learning(self) -> BackgroundLearning:
        """Learning again from this run."""
        with self._lock:
            if self._learning is None:
                self._learning = BackgroundLearning(self.folder)
            return self._learning

    @property
    def audit(self) -> AuditDesk:
        """The audit of this run."""
        with self._lock:
            if self._audit is None:
                self._audit = AuditDesk(self.desk)
            return self._audit

    @property
    def elsewhere(self) -> Elsewhere:
        """What reads otherwise than decisions on the same words."""
        with self._lock:
            if self._elsewhere is None:
                self._elsewhere = Elsewhere(self.desk)
            return self._elsewhere

    def move(self, folder: str | Path) -> int:
        """Show another run of the same texts from now on; gives how many decisions came along."""
        with self._lock:
            old, new = self.desk, ReviewDesk.open(folder)
            carried = carry_newer(old, new)
            self.folder, self._desk, self._queue = Path(folder), new, Queue(new)
            self._learning = self._audit = self._elsewhere = None
            new.prepare()
            old.close()
            return carried

    def note(self, reviewer: str) -> list[str]:
        """Remember that somebody is here; the names of the others who were here a moment ago."""
        now = time.monotonic()
        with self._lock:
            self._seen[reviewer] = now
            self._seen = {who: when for who, when in self._seen.items() if now - when < _HERE_SECONDS}
            return sorted(who for who in self._seen if who != reviewer)

    def close(self) -> None:
        """Let others replace the run."""
        with self._lock:
            if self._desk is not None:
                self._desk.close()
            self._desk = self._queue = None
