"""A digest of the sources that a result comes from: of a module and of all of ours that it imports."""

import ast
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import crowdseq
from crowdseq.methods import list_methods
from crowdseq_research.cells.recipes import is_outdated, recipe_of

OTHER_SOURCES = "computed with other sources than today's"
_ROOT = Path(crowdseq.__file__).parent
# What makes a score of a consensus, beside the method.
_SCORING = ("crowdseq.evaluation.scores", "crowdseq.evaluation.calibration")


@cache
def method_sources(name: str) -> str:
    """The digest of a method with all that it stands on and all that scores it."""
    return digest_of(list_methods()[name].__module__, *_SCORING)


def origin(recipe: Any, method: str) -> dict[str, Any]:
    """What every cell says of where it comes from."""
    return {
        "version": crowdseq.__version__,
        "sources": method_sources(method),
        "recipe": recipe_of(recipe),
    }


def is_of_other_sources(cell: Mapping[str, Any]) -> bool:
    """Whether a cell was computed by other code than today's, or does not say by which."""
    return bool(cell.get("sources") != method_sources(cell["key"]["method"]))


def is_old(cell: Mapping[str, Any]) -> bool:
    """Whether today's code would not give a cell, or cannot be known to."""
    return is_outdated(cell) or is_of_other_sources(cell)


def digest_of(*modules: str) -> str:
    """16 hexadecimal digits: other whenever the code of the modules or of their imports is another."""
    digest = hashlib.sha256()
    for path in sorted(_closure(modules)):
        digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + _code(path) + b"\0")
    return digest.hexdigest()[:16]


def _code(path: Path) -> bytes:
    """What a file does: comments and docstrings change no result."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            body[:1] = [] if isinstance(body[0].value, ast.Constant) else body[:1]
    return ast.dump(tree).encode()


def _closure(modules: tuple[str, ...]) -> set[Path]:
    found: set[Path] = set()
    waiting = [path for module in modules if (path := _file(module))]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [other for module in _imported(path) if (other := _file(module))]
    return found


def _imported(path: Path) -> Iterator[str]:
    """What is imported, also inside of functions; some of it is no module but a name in one."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _file(module: str) -> Path | None:
    """The file of one of our modules. The doors (`crowdseq` itself) decide no result."""
    top, _, rest = module.partition(".")
    if top != "crowdseq" or not rest:
        return None
    stem = _ROOT.joinpath(*rest.split("."))
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)
