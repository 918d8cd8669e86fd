"""Every error that crowdseq raises on purpose.

CrowdseqError
├── InputError            the data is wrong: exit code 3
│   ├── FormatError         a file cannot be read as it stands (file, line, record)
│   │   └── MissingFileError    there is no such file or folder (a FileNotFoundError too)
│   ├── SchemeError         tags do not fit the label scheme
│   └── AnnotationError     who said what does not fit the text
└── UsageError            the call is wrong: exit code 2
    ├── SettingsError       a setting is out of range or unknown
    ├── OutputExistsError   an output is there already and may not be overwritten
    ├── OutputBusyError     another process is writing there
    ├── MissingExtraError   an optional dependency is not installed
    └── MissingCommandError a command comes with another distribution, which is not installed
"""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

# From the name of a setting and a value, perhaps empty, to the way in which a door writes them.
Wording: TypeAlias = Callable[[str, str], str]


def in_python(name: str, value: str) -> str:
    """`files_mean='gold'`, or `files_mean=` where no value is advised: how Python callers give a setting."""
    return f"{name}={value!r}" if value else f"{name}="


class Advice:
    """What to do about a fault. It names settings, and each door words them in its own way.

    `Advice("say {files_mean}, else name only {0}", files, files_mean="annotator")` is "say --files-mean
    annotator, …" on the command line and "say files_mean='annotator', …" in Python. Positional values are
    data and are told as they are; a setting whose value is empty is only named.
    """

    def __init__(self, text: str, *data: object, **settings: str) -> None:
        self.text, self.data, self.settings = text, data, settings
        self.python_text = text

    def or_in_python(self, text: str) -> "Advice":
        """The same advice with a text of its own for Python, which lacks what helps at a terminal."""
        other = Advice(self.text, *self.data, **self.settings)
        other.python_text = text
        return other

    def worded(self, wording: Wording = in_python) -> str:
        """The advice as one door says it."""
        named = {name: wording(name, value) for name, value in self.settings.items()}
        text = self.python_text if wording is in_python else self.text
        return text.format(*self.data, **named)

    def __str__(self) -> str:
        return self.worded()

    def __repr__(self) -> str:
        return f"Advice({self.worded()!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Advice) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


def advised(what: str, advice: Advice | None, wording: Wording = in_python) -> str:
    """A fault and what to do about it in one sentence."""
    if advice is None:
        return what
    return f"{what}{' ' if what.endswith((':', ';', ',')) else ', '}{advice.worded(wording)}"


class CrowdseqError(Exception):
    """Anything that we can explain to the user in one line; `worded` says it in the words of a door.

    >>> import crowdseq
    >>> try:
    ...     crowdseq.learn(crowdseq.demo_corpus(), "majority-vode")
    ... except crowdseq.CrowdseqError as error:
    ...     error.message
    "method 'majority-vode' is unknown, did you mean 'majority-vote'?"
    """

    def __init__(self, message: str = "", advice: Advice | None = None) -> None:
        self.message, self.advice = message, advice
        super().__init__(advised(message, advice))

    def worded(self, wording: Wording = in_python) -> str:
        """What is wrong and what to do, with settings named as a door names them."""
        return advised(self.message, self.advice, wording)


class InputError(CrowdseqError):
    """The data is wrong."""


class UsageError(CrowdseqError):
    """The call is wrong."""


@dataclass(frozen=True)
class Problem:
    """One fault at one place: `file:line: record: what, what to do`."""

    what: str
    file: str = ""
    line: int = 0
    record: str = ""
    advice: Advice | None = None

    def worded(self, wording: Wording = in_python) -> str:
        place = self.file + (f":{self.line}" if self.line else "")
        said = advised(self.what, self.advice, wording)
        return ": ".join(part for part in (place, self.record, said) if part)

    def __str__(self) -> str:
        return self.worded()


_SHOWN_PROBLEMS = 20  # a wrong file can have one on every line


class FormatError(InputError):
    """A file cannot be read; `problems` holds every fault found in one pass, the text the first ones."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        shown = [str(problem) for problem in problems[:_SHOWN_PROBLEMS]]
        if len(problems) > _SHOWN_PROBLEMS:
            shown.append(f"… and {len(problems) - _SHOWN_PROBLEMS:,} more: `problems` of this error has all")
        super().__init__("\n".join(shown))

    def worded(self, wording: Wording = in_python) -> str:
        """Every problem on a line of its own, with settings named as a door names them."""
        return "\n".join(problem.worded(wording) for problem in self.problems)


class Missing(Problem):
    """The fault that there is no such file or folder."""


class MissingFileError(FormatError, FileNotFoundError):
    """There is no such file or folder: also what Python itself raises then, with its `filename`.

    >>> import crowdseq
    >>> try:
    ...     crowdseq.read("nowhere.jsonl")
    ... except FileNotFoundError as error:
    ...     error.filename
    'nowhere.jsonl'
    """

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.errno, self.strerror = errno.ENOENT, os.strerror(errno.ENOENT)
        self.filename = problems[0].file if problems and isinstance(problems[0], Problem) else None

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


def error_of(*problems: Problem) -> FormatError:
    """The error that tells these problems."""
    is_missing = bool(problems) and all(isinstance(problem, Missing) for problem in problems)
    return MissingFileError(*problems) if is_missing else FormatError(*problems)


class SchemeError(InputError):
    """Tags do not fit the label scheme."""


class AnnotationError(InputError):
    """Who said what does not fit the text."""


class SettingsError(UsageError):
    """A setting is out of range or unknown."""


class OutputExistsError(UsageError):
    """An output is there already and may not be overwritten."""


class OutputBusyError(UsageError):
    """Another process is writing there."""


class MissingExtraError(UsageError):
    """An optional dependency is not installed; the extra is one of crowdseq unless another is named."""

    def __init__(self, what: str, extra: str, distribution: str = "crowdseq") -> None:
        super().__init__(f"{what} needs an extra: pip install '{distribution}[{extra}]'")


class MissingCommandError(UsageError):
    """A command comes with another distribution, which is not installed."""

    def __init__(self, command: str, distribution: str) -> None:
        super().__init__(
            f"{command} comes with {distribution}, which is not installed: pip install {distribution}"
        )
