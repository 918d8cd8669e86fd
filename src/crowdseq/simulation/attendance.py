"""Who sees which sentence."""

from collections.abc import Sequence

import numpy as np

from crowdseq.arrays import BoolArray
from crowdseq.core.text import Text
from crowdseq.simulation.streams import Stream


def attend(
    text: Text, streams: Sequence[Stream], per_sentence: int | None, *, by_document: bool
) -> BoolArray:
    """(K, N) whether an annotator sees a sentence: all of them, or so many chosen for it at random.

    Everyone brings numbers of their own and the lowest are chosen, so a newcomer can only take a place, never
    shuffle the others.
    """
    if per_sentence is None or per_sentence == len(streams):
        return np.ones((len(streams), len(text)), np.bool_)
    n_units = len(text.documents) if by_document else len(text)
    eagerness = np.stack([stream.draws("attendance", n_units) for stream in streams])
    chosen = np.argsort(eagerness, axis=0, kind="stable")[:per_sentence]
    seen = np.zeros((len(streams), n_units), np.bool_)
    np.put_along_axis(seen, chosen, True, axis=0)
    return seen[:, text.document_of] if by_document else seen
