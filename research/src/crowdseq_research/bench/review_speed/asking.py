"""Single requests, one after the other: the pages and the answers behind them, first and again."""

import statistics
import uuid
from collections.abc import Callable
from typing import Any

from crowdseq_research.bench.review_speed.server import Answer, Session

_AGAIN = 5


def asked(session: Session) -> list[dict[str, Any]]:
    """Milliseconds of each request: the first one, and the median of some later ones."""
    first = session.get("/api/queue", count=8).content["disputes"][0]
    screen = session.get("/api/mentions").content["rows"][0]
    surface = screen["words"][0]
    annotator = first["lanes"][0]["name"]
    queue: dict[str, dict[str, object]] = {
        "Disputes, pair of labels": {"first": "LOC", "second": "PER"},
        "Disputes, another pair": {"first": "ORG", "second": "–"},
        "Disputes, annotator": {"annotator": annotator},
        "Disputes, search": {"words": surface},
        "Disputes, kind and confidence": {"kind": "type", "below": 80},
        "Disputes, all states in order of the text": {"state": "any", "order": "text"},
    }
    requests: dict[str, Callable[[], Answer]] = {
        "Disputes page": lambda: session.get("/disputes"),
        "Disputes, all open": lambda: session.get("/api/queue", count=8),
    }
    for name, values in queue.items():
        requests[name] = lambda values=values: session.get("/api/queue", count=8, **values)  # type: ignore[misc]
    requests |= {
        "Mentions page": lambda: session.get("/mentions"),
        "Mentions, the first fifty": lambda: session.get("/api/mentions"),
        "Mentions, label": lambda: session.get("/api/mentions", label="LOC"),
        "Mentions, search": lambda: session.get("/api/mentions", words=surface),
        "A screen of mentions": lambda: session.get("/api/mention", disputes=numbers_of(screen)),
        "Decision": lambda: decided(session, session.get("/api/queue", count=1).content),
    }
    return [_measured(name, ask) for name, ask in requests.items()]


def numbers_of(screen: dict[str, Any]) -> str:
    """The disputes of a screen, as its page asks for them."""
    return ",".join(map(str, screen["disputes"]))


def decided(session: Session, queue: dict[str, Any]) -> Answer:
    """The answer to a decision: what is suggested for the first dispute of a piece of the queue."""
    dispute = queue["disputes"][0]
    number = dispute["sentence"]
    marks = dispute["settled"]
    return session.post(
        "/api/save",
        {
            "id": uuid.uuid4().hex,
            "sentence": number,
            "dispute": dispute["number"],
            "begin": min([dispute["begin"], *(mark[0] for mark in marks)]),
            "end": max([dispute["end"], *(mark[1] for mark in marks)]),
            "marks": marks,
            "version": queue["sentences"][str(number)]["version"],
            "page": "disputes",
            "way": "accept",
        },
    )


def _measured(name: str, ask: Callable[[], Answer]) -> dict[str, Any]:
    answers = [ask() for _ in range(1 + _AGAIN)]
    if any(answer.status != 200 for answer in answers):
        raise RuntimeError(f"{name}: {answers[0].status} {answers[0].content!s:.200}")
    return {
        "name": name,
        "first": answers[0].seconds * 1000,
        "first_cpu": answers[0].cpu * 1000,
        "later": statistics.median(answer.seconds for answer in answers[1:]) * 1000,
        "later_cpu": statistics.median(answer.cpu for answer in answers[1:]) * 1000,
    }
