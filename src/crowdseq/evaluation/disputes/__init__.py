"""Where people differ: disputed places, the words and the pairs of labels that they are about."""

from crowdseq.evaluation.disputes.finding import find_disputes
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
    "AmbiguousWord",
    "Dispute",
    "Disputes",
    "LabelPair",
    "Mark",
    "Mention",
    "Reading",
    "ambiguous_words",
    "find_disputes",
    "label_pairs",
    "mentions",
]
