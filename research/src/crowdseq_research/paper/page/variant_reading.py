"""How SA-SLC does at K = 5 with the paper's choices, and with the tagger that the other methods have."""

from statistics import mean

from crowdseq_research.paper.cells.keys import FOLLOWED, PAPER_PRESET, Crowd
from crowdseq_research.paper.page.sections import ROOM
from crowdseq_research.paper.tables.grid_scores import CEILING_CROWD, CROWDS, GridScores
from crowdseq_research.paper.tables.published import METHODS
from crowdseq_research.paper.tables.verdicts import OURS
from crowdseq_research.templates import fill


def variants_reading(scores: GridScores) -> str:
    """Sentences on the variants that have been run beside the five other methods; empty when none has."""
    words = {FOLLOWED: "variant-other-tagger", PAPER_PRESET: "variant-paper-preset"}
    told = [_told(scores, variant, template) for variant, template in words.items()]
    return " ".join(one for one in told if one)


def _told(scores: GridScores, variant: str, template: str) -> str:
    crowds = [
        crowd
        for crowd in CROWDS
        if crowd.annotators == CEILING_CROWD[0]
        and scores.is_complete(crowd)
        and scores.repeats(crowd, variant)
    ]
    if not crowds:
        return ""
    first = sum(_is_first(scores, crowd, variant) for crowd in crowds)
    usual = sum(_is_first(scores, crowd, OURS) for crowd in crowds)
    gain = mean((scores.mean(crowd, variant) or 0.0) - (scores.mean(crowd, OURS) or 0.0) for crowd in crowds)
    return fill(ROOM, template, first=first, usual=usual, crowds=len(crowds), gain=f"{gain:+.2f}")


def _is_first(scores: GridScores, crowd: Crowd, row: str) -> bool:
    """Ahead of the five other methods, or level with the best of them to the last digit."""
    others = (scores.mean(crowd, method) or 0.0 for method in METHODS if method != OURS)
    return (scores.mean(crowd, row) or 0.0) >= max(others)
