"""Numbers as a person reads them: percentages, counts with their noun, skills."""

from crowdseq.reports.tables import NOT_AVAILABLE

PERCENT = "\u00a0%"  # never on a line of its own


def percent(share: float | None, digits: int = 0) -> str:
    """0.421 to `42 %`; what rounds to nothing or to all without being it is told as such."""
    if share is None:
        return NOT_AVAILABLE
    step = 10.0 ** -(digits + 2)
    if 0 < share < step / 2:
        return f"<{step * 100:.{digits}f}{PERCENT}"
    if 1 - step / 2 < share < 1:
        return f">{100 - step * 100:.{digits}f}{PERCENT}"
    return f"{100 * share:.{digits}f}{PERCENT}"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """3, "span" to `3 spans`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def decimal(value: float | None, digits: int = 2) -> str:
    """A number with a true minus sign, n/a for None."""
    return NOT_AVAILABLE if value is None else f"{value:.{digits}f}".replace("-", "−")
