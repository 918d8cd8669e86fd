"""Limits: ceilings for files that are hostile or given by mistake."""

from dataclasses import dataclass

from crowdseq.errors import SettingsError


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Ceilings that keep a hostile or mistaken file from filling the memory.

    unpacked_bytes: of one packed file. ratio: unpacked by packed, looked at beyond ratio_after bytes.
    line_bytes: one line, or one value of a JSON array. depth: nesting of JSON. members: files in one archive.
    faults: bad records after which reading stops.
    """

    unpacked_bytes: int = 2 << 30
    ratio: int = 200
    ratio_after: int = 50 << 20
    line_bytes: int = 64 << 20
    depth: int = 200
    members: int = 100_000
    faults: int = 10_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1:
                raise SettingsError(f"limit {name} is {value}, give a number above 0")
