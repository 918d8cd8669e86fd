"""Row: one comparison of the bench, and whether it is what it must be."""

from dataclasses import dataclass

FREE_CORES = 1.8  # cores that the spin test must get before two-thread rows bind


@dataclass(frozen=True)
class Row:
    """One comparison: our figure, the rival's, and how many times better ours is.

    cores: what the spin test got beside a row of two threads; without two free cores the row does not bind.
    """

    what: str
    unit: str
    ours: float
    rival: float
    ratio: float
    must: float | None = None
    aim: float | None = None
    cores: float | None = None

    @property
    def verdict(self) -> str:
        if self.cores is None:
            return self._reached
        spin = f"spin test {self.cores:.2f} of 2 cores"
        return f"{self._reached} ({spin})" if self.cores >= FREE_CORES else f"not binding here ({spin})"

    @property
    def _reached(self) -> str:
        if self.must is None or self.aim is None:
            return ""
        return "aim" if self.ratio >= self.aim else "must" if self.ratio >= self.must else "MISSED"
