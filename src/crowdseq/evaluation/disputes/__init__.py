"""Where people differ: disputed places, the words and the pairs of labels that they are about."""

from crowdseq.evaluation.disputes.finding import find_disputes
from crowdseq.evaluation.disputes.gathering import MOST_TOGETHER, Gathered, gather
from crowdseq.evaluation.disputes.mentions import (
    AmbiguousWord,
    LabelPair,
    Mention,
    ambiguous_words,
    label_pairs,
    mentions,
)
from crowdseq.evaluation.disputes.regions import KINDS, Dispute, Disputes, Mark, Reading

__all__ = [
    "KINDS",
    "MOST_TOGETHER",
    "AmbiguousWord",
    "Dispute",
    "Disputes",
    "Gathered",
    "LabelPair",
    "Mark",
    "Mention",
    "Reading",
    "ambiguous_words",
    "find_disputes",
    "gather",
    "label_pairs",
    "mentions",
]
