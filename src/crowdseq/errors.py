"""Every error that crowdseq raises on purpose.

CrowdseqError
├── InputError            the data is wrong: exit code 3
│   ├── FormatError         a file cannot be read as it stands (file, line, record)
│   ├── SchemeError         tags do not fit the label scheme
│   └── AnnotationError     who said what does not fit the text
└── UsageError            the call is wrong: exit code 2
    ├── SettingsError       a setting is out of range or unknown
    ├── OutputExistsError   an output is there already and may not be overwritten
    └── MissingExtraError   an optional dependency is not installed
"""

from dataclasses import dataclass


class CrowdseqError(Exception):
    """Anything that we can explain to the user in one line."""


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

    def __str__(self) -> str:
        place = self.file + (f":{self.line}" if self.line else "")
        return ": ".join(part for part in (place, self.record, self.what) if part)


class FormatError(InputError):
    """A file cannot be read; `problems` holds every fault found in one pass."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


class SchemeError(InputError):
    """Tags do not fit the label scheme."""


class AnnotationError(InputError):
    """Who said what does not fit the text."""


class SettingsError(UsageError):
    """A setting is out of range or unknown."""


class OutputExistsError(UsageError):
    """An output is there already and may not be overwritten."""


class MissingExtraError(UsageError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra: pip install 'crowdseq[{extra}]'")
