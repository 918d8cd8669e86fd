"""Quota: how many marks of an annotator are to be right, and how many wrong."""

from dataclasses import dataclass

_SEARCH = 3  # a few mentions more or less let a small corpus meet a precision that it could not else


@dataclass(frozen=True)
class Quota:
    """Marks that match a gold mention, and marks that do not."""

    right: int
    wrong: int


def find_quota(n_mentions: int, precision: float, recall: float) -> Quota:
    """The numbers that come closest to a precision, near a recall."""
    if n_mentions == 0:
        return Quota(0, 0)
    wanted = recall * n_mentions
    middle = round(wanted)
    nearby = range(max(1, middle - _SEARCH), min(n_mentions, middle + _SEARCH) + 1)
    quotas = [Quota(right, wrong_beside(right, precision)) for right in nearby]

    def distance(quota: Quota) -> tuple[float, float]:
        # Precision is the promise; a thousandth of it is not worth moving recall for.
        realised = quota.right / (quota.right + quota.wrong)
        return max(abs(realised - precision), 1e-3), abs(quota.right - wanted)

    return min(quotas, key=distance)


def wrong_beside(right: int, precision: float) -> int:
    """Wrong marks that bring so many right ones to a precision."""
    return round(right * (1 - precision) / precision)


def right_beside(wrong: int, precision: float) -> int:
    """Right marks that bring so many wrong ones to a precision."""
    return round(wrong * precision / (1 - precision))
