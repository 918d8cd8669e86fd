"""The browser door: a local app in which reviewers settle what a crowd differs on (extra `web`)."""

from importlib.util import find_spec

from crowdseq.errors import MissingExtraError


def require_web() -> None:
    """Says in one line what is missing, where the extra is not installed."""
    if any(find_spec(name) is None for name in ("starlette", "uvicorn", "jinja2")):
        raise MissingExtraError("the review app", "web")
