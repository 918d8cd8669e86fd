"""Many reviewers at once: decisions at a steady rate, with the reads that pages make between them."""

import time
from collections import Counter
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any

import numpy as np

from crowdseq_research.bench.review_speed.asking import decided, numbers_of
from crowdseq_research.bench.review_speed.server import Answer, Server, Session

_LOOK_SECONDS = 2.0


@dataclass(frozen=True)
class Load:
    """How many reviewers make how many decisions per second in all, for how long."""

    reviewers: int = 20
    rate: float = 50.0
    minutes: float = 5.0


@dataclass
class _Tally:
    """What all reviewers met; safe for several threads."""

    reads: list[float] = field(default_factory=list)
    decisions: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def add(self, answer: Answer, kept: list[float]) -> Answer:
        with self.lock:
            kept.append(answer.seconds)
            self.statuses[answer.status] += 1
        return answer


def loaded(server: Server, session: Session, load: Load) -> dict[str, Any]:
    """Percentiles in milliseconds, kinds of answers, and the memory before and after the first minute."""
    sessions = [session.other(f"reviewer {number}") for number in range(load.reviewers)]
    total = session.get("/api/queue", count=1, state="any").content["fitting"]
    tally, stop, cpu, begun = _Tally(), Event(), server.cpu(), time.perf_counter()
    end = begun + load.minutes * 60
    threads = [
        Thread(target=_review, args=(one, tally, load, (begun, end), (number, total)))
        for number, one in enumerate(sessions)
    ]
    memory: list[tuple[float, float]] = []
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        memory.append((time.perf_counter() - begun, server.megabytes()))
        stop.wait(_LOOK_SECONDS)
    spent = time.perf_counter() - begun
    for one in sessions:
        one.close()
    return _told(tally, memory, load, spent, server.cpu() - cpu)


def _review(
    session: Session, tally: _Tally, load: Load, times: tuple[float, float], part: tuple[int, int]
) -> None:
    """Decide in a part of the run of one's own, each decision when its time has come."""
    number, total = part
    pause = load.reviewers / load.rate
    due, last = times[0] + pause * number / load.reviewers, number * total // load.reviewers
    step = 0
    try:
        while max(due, time.perf_counter()) < times[1]:
            time.sleep(max(due - time.perf_counter(), 0))
            tally.late.append(time.perf_counter() - due)
            asked = session.get("/api/queue", after=last, count=8, state="any", order="text")
            queue = tally.add(asked, tally.reads).content
            if asked.status != 200 or not queue["disputes"]:
                break
            tally.add(decided(session, queue), tally.decisions)
            last = queue["disputes"][0]["number"]
            _look_around(session, tally, step)
            step, due = step + 1, max(due + pause, time.perf_counter() - 60)
    except Exception as error:  # a thread must not end unheard
        tally.lost.append(f"{type(error).__name__}: {error}")


def _look_around(session: Session, tally: _Tally, step: int) -> None:
    """What pages ask for now and then."""
    if step % 5 == 0:
        tally.add(session.get("/api/pulse"), tally.reads)
    if step % 10 == 3:
        screens = tally.add(session.get("/api/mentions", start=step), tally.reads).content["rows"]
        tally.add(session.get("/api/mention", disputes=numbers_of(screens[0])), tally.reads)
    if step % 20 == 7:
        tally.add(session.get("/api/queue", count=8, first="LOC", second="PER"), tally.reads)


def _told(
    tally: _Tally, memory: list[tuple[float, float]], load: Load, spent: float, cpu: float
) -> dict[str, Any]:
    settled = min(60.0, spent / 5)
    after = [size for when, size in memory if when >= settled] or [memory[-1][1]]
    requests = len(tally.reads) + len(tally.decisions)
    return {
        "reviewers": load.reviewers,
        "asked_rate": load.rate,
        "rate": len(tally.decisions) / spent,
        "requests": requests,
        "decisions": len(tally.decisions),
        "seconds": spent,
        "reads_p50_p95": _percentiles(tally.reads),
        "decisions_p50_p95": _percentiles(tally.decisions),
        "all_p50_p95": _percentiles([*tally.reads, *tally.decisions]),
        "late_p95": _percentiles(tally.late)[1],
        "statuses": {str(status): times for status, times in sorted(tally.statuses.items())},
        "lost": tally.lost,
        "cpu_per_request": cpu / max(requests, 1) * 1000,
        "cpu_share": cpu / spent,
        "settled_after": settled,
        "megabytes": [after[0], min(after), max(after)],
        "memory_change": max(abs(size / after[0] - 1) for size in after),
    }


def _percentiles(seconds: list[float]) -> list[float]:
    found: list[float] = (np.percentile(seconds or [0.0], [50, 95]) * 1000).tolist()
    return found
