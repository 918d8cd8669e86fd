"""Every public name says what it is, with an example that runs."""

import doctest
import inspect
import sys
import warnings
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import crowdseq

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def _examples(name: str) -> list[doctest.DocTest]:
    noun = getattr(crowdseq, name)
    found = doctest.DocTestFinder(recurse=True).find(noun, name, sys.modules[noun.__module__], globs={})
    return [one for one in found if one.examples]


@pytest.mark.parametrize("name", crowdseq.__all__)
def test_the_example_of_a_public_name_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    examples = _examples(name)
    assert examples, f"{name} has no example"
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    for one in examples:
        with warnings.catch_warnings():
            runner.run(one, out=told.append)
    assert not told, "".join(told)


def _members(noun: Any) -> Iterator[tuple[str, Any]]:
    for base in inspect.getmro(noun):
        if base.__module__.startswith("crowdseq"):
            yield from (
                (f"{noun.__name__}.{key}", value) for key, value in vars(base).items() if key[0] != "_"
            )


@pytest.mark.parametrize(
    "name", [name for name in crowdseq.__all__ if isinstance(getattr(crowdseq, name), type)]
)
def test_every_method_of_a_public_class_says_what_it_gives(name: str) -> None:
    kinds = (property, cached_property, classmethod, staticmethod)
    for full, value in _members(getattr(crowdseq, name)):
        if inspect.isfunction(value) or isinstance(value, kinds):
            assert inspect.getdoc(value), f"{full} has no docstring"


def test_only_public_names_are_listed() -> None:
    shown = [name for name in dir(crowdseq) if not name.startswith("__")]
    assert shown == sorted(crowdseq.__all__)
    assert "__version__" in dir(crowdseq)
