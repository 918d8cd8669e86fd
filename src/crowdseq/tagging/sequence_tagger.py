"""SequenceTagger: what every tagger promises, whatever model is inside; and what sentences may carry."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from crowdseq.arrays import FloatArray
from crowdseq.core.labels import LabelScheme
from crowdseq.core.text import Text


@dataclass(frozen=True, eq=False)
class Context:
    """What sentences may carry beside their tokens.

    documents: one name for each sentence, equal for those of one document. columns: by name, one row for each
    sentence with one entry for each token.
    """

    documents: Sequence[Hashable] | None = None
    columns: Mapping[str, Sequence[Sequence[str]]] | None = None

    @classmethod
    def of_text(cls, text: Text) -> "Context":
        """What the sentences of a text carry."""
        bounds = text.offsets.tolist()
        columns = {}
        for name, column in text.columns.items():
            entries = [column.table[number] for number in column.ids.tolist()]
            columns[name] = [entries[first:last] for first, last in pairwise(bounds)]
        return cls(text.document_of.tolist(), columns)


class SequenceTagger(Protocol):
    """A fitted model: tokens in, tags of its scheme and their probabilities out."""

    @property
    def scheme(self) -> LabelScheme:
        """The tags it answers in, and their rules."""

    def tag(self, tokens: Sequence[str], context: Context | None = None) -> tuple[str, ...]:
        """The best valid tags of one sentence."""
        return self.tag_many([tokens], context)[0]

    def tag_many(
        self, sentences: Sequence[Sequence[str]], context: Context | None = None
    ) -> list[tuple[str, ...]]:
        """The best valid tags of every sentence."""

    def marginals_many(
        self, sentences: Sequence[Sequence[str]], context: Context | None = None
    ) -> list[FloatArray]:
        """(T, M) probabilities of the tags of each sentence, columns as scheme.tags; rows sum to one."""
