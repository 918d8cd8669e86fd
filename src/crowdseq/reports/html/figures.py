"""Numbers as a person reads them: percentages, counts with their noun, skills."""

from crowdseq.reports.tables import NOT_AVAILABLE


def percent(share: float | None, digits: int = 0) -> str:
    """0.421 to `42 %`; what rounds to nothing or to all without being it is told as such."""
    if share is None:
        return NOT_AVAILABLE
    step = 10.0 ** -(digits + 2)
    if 0 < share < step / 2:
        return f"<{step * 100:.{digits}f} %"
    if 1 - step / 2 < share < 1:
        return f">{100 - step * 100:.{digits}f} %"
    return f"{100 * share:.{digits}f} %"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """3, "span" to `3 spans`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def decimal(value: float | None, digits: int = 2) -> str:
    """A number with a true minus sign, n/a for None."""
    return NOT_AVAILABLE if value is None else f"{value:.{digits}f}".replace("-", "−")


def listed(words: list[str], limit: int = 12) -> str:
    """a, b and c; a long list is cut."""
    if len(words) > limit:
        return f"{', '.join(words[:limit])} and {len(words) - limit} more"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
