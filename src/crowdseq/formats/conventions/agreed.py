"""Who agreed with a consensus: for every token the annotators who gave it the settled label."""

from collections.abc import Iterator

from crowdseq.core.consensus import Consensus

AGREED = "agreed"


def agreements(consensus: Consensus) -> Iterator[list[list[str]]]:
    """Sentence by sentence the names for each token, in the order of the annotators."""
    corpus = consensus.corpus
    bounds = corpus.offsets.tolist()
    for place, ballot in enumerate(corpus.annotations.ballots):
        names = [corpus.annotators[who] for who in ballot.voters.tolist()]
        same = (ballot.tags == consensus.tag_ids[bounds[place] : bounds[place + 1]]).T.tolist()
        yield [[name for name, is_it in zip(names, row, strict=True) if is_it] for row in same]
