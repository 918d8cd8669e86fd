"""Scene: what every annotator of a crowd looks at, worked out once."""

from dataclasses import dataclass

import numpy as np

from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import AnnotationError
from crowdseq.simulation.mentions import Mentions
from crowdseq.simulation.places import Places


@dataclass(frozen=True, eq=False)
class Scene:
    """A text with its true mentions and its tempting places."""

    corpus: Corpus
    mentions: Mentions
    places: Places

    @classmethod
    def of(cls, corpus: Corpus) -> "Scene":
        mentions = Mentions.of(corpus)
        if len(mentions) == 0:
            raise AnnotationError(
                "the gold labels hold no mention at all, so no precision can be simulated on them"
            )
        return cls(corpus, mentions, Places.of(corpus.text, mentions))


def with_gold(corpus: Corpus) -> Corpus:
    """A corpus fit to be simulated on: gold for every token, and all tags that an error may need."""
    if corpus.n_tokens == 0:
        raise AnnotationError("the corpus holds no text, there is nothing to label")
    if not corpus.is_gold_complete:
        raise AnnotationError(_gold_is_missing(corpus))
    if corpus.scheme.is_plain:
        return corpus
    full = LabelScheme.of_types(corpus.scheme.types, corpus.scheme.kind)
    return corpus if set(full.tags) <= set(corpus.scheme.tags) else corpus.as_scheme(corpus.scheme.kind)


def _gold_is_missing(corpus: Corpus) -> str:
    unknown = np.flatnonzero(corpus.gold_tags < 0)
    empty = np.flatnonzero(~corpus.has_gold)
    first = int(corpus.text.sentence_of[unknown[0]]) if len(unknown) else int(empty[0])
    affected = len(np.unique(np.append(corpus.text.sentence_of[unknown], empty)))
    return (
        f"{corpus.text.ids[first]}: gold labels are missing here and in {affected - 1} further sentences of "
        f"{len(corpus)}, a crowd is simulated from gold: keep only sentences with gold for every token"
    )
