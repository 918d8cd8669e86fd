"""The rows of the bench, and the page that shows them."""

from dataclasses import dataclass
from typing import Any

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


def render_bench(result: dict[str, Any]) -> str:
    """The rows as a page for people."""
    machine = result["machine"]
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`: CoNLL-2003, the same attributes and c2 = 1 on both sides, medians of "
        "interleaved runs in one go. The rival is python-crfsuite where a row names no other.",
        "",
        "Beside rows of two threads stands a spin test: how many cores two threads could get that fill one "
        "each. Two threads against one of ours take single steps in turn, a spin test around each, and are "
        "judged by the rounds with two free cores if there are ten of them.",
        "",
        f"{machine['cores']} cores, Python {machine['python']}; "
        f"the spin test found {result['spin_test_cores']:.2f} cores free.",
        "",
        "| what | unit | crowdseq | rival | ratio | must / aim | reached |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in result["rows"]:
        goal = "" if row["must"] is None else f"{row['must']:.3g} / {row['aim']:.3g}"
        lines.append(
            f"| {row['what']} | {row['unit']} | {row['ours']:.4g} | {row['rival']:.4g} | {row['ratio']:.3g} "
            f"| {goal} | {row['verdict']} |"
        )
    lines += ["", "Cost of one evaluation:", "", "| tokens | labels | ns / token |", "|---|---|---|"]
    for row in [*result["growth"]["tokens"], *result["growth"]["labels"]]:
        lines.append(f"| {row['tokens']} | {row['labels']} | {row['ns_per_token']} |")
    return "\n".join(lines) + "\n"
