"""How an annotator labels, as heatmaps: in all, after their own last label (α), on repeated mentions (β)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.methods.sa_slc.evidence import ContextVotes, linked_tokens, word_numbers
from crowdseq.reports.html.section import Content, Markup, clip, element, folded, name_of

NOTHING = -1  # the start of a sentence, or a token that the annotator left without a label
_TELLING_SHARE = 0.1  # words that votes put into an entity at least so often are linked between mentions


@dataclass(frozen=True, eq=False)
class ContextTables:
    """Expected counts of truth by given label (M, M), for one annotator and one context.

    A context is a label of the same annotator: `local`, the one given to the token before (α), or
    `repeated`, the one given to the nearest earlier mention of the word in the document (β). The truth is
    what the posteriors say, so the tables mean the same whatever the method.
    """

    votes: ContextVotes
    probabilities: FloatArray
    n_annotators: int

    @classmethod
    def of(cls, consensus: Consensus) -> "ContextTables":
        corpus = consensus.corpus
        linked = linked_tokens(corpus, "content", _TELLING_SHARE)
        votes = ContextVotes.of(corpus, word_numbers(corpus, "exact"), linked, "document")
        return cls(votes, consensus.probabilities, len(corpus.annotators))

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(self.votes.annotators, kind="stable")

    @cached_property
    def _bounds(self) -> IntArray:
        ordered = self.votes.annotators[self._order]
        return np.searchsorted(ordered, np.arange(self.n_annotators + 1))

    def _votes_of(self, annotator: int) -> IntArray:
        return self._order[self._bounds[annotator] : self._bounds[annotator + 1]]

    def _contexts(self, annotator: int, kind: str) -> IntArray:
        column = self.votes.previous if kind == "local" else self.votes.earlier
        return column[self._votes_of(annotator)]

    def frequent(self, annotator: int, kind: str, limit: int) -> list[int]:
        """The contexts that the annotator labelled most often in, the most frequent first.

        Under `repeated`, a word without an earlier mention is no context.
        """
        contexts, counts = np.unique(self._contexts(annotator, kind), return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return [int(one) for one in contexts[order] if kind == "local" or one != NOTHING][:limit]

    def counts(self, annotator: int, kind: str, context: int) -> FloatArray:
        """(M, M) expected counts, truth by given label."""
        mine = self._votes_of(annotator)[self._contexts(annotator, kind) == context]
        n_labels = self.probabilities.shape[1]
        tokens, indices = np.unique(self.votes.tokens[mine], return_inverse=True)
        given = sparse.csr_matrix(
            (np.ones(len(mine)), (self.votes.labels[mine], indices)), shape=(n_labels, len(tokens))
        )
        return np.ascontiguousarray(np.asarray(given @ self.probabilities[tokens]).T)


_MOST_LABELS = 12
_MOST_LOCAL = 3
_MOST_REPEATED = 2
_LEAST_MASS = 1.5  # expected tokens: a row with less says nothing
_LONGEST_LABEL = 14


def annotator_heatmaps(consensus: Consensus, number: int, tables: ContextTables) -> Markup | None:
    """The tables of one annotator, folded; None when there is nothing to count."""
    confusion = consensus.annotators[number].confusion
    if confusion.sum() <= 0:
        return None
    kept = label_choice(confusion)
    names = consensus.corpus.scheme.tags
    local = [
        heatmap(_after(names, context), tables.counts(number, "local", context), kept, names)
        for context in tables.frequent(number, "local", _MOST_LOCAL)
    ]
    repeated = [
        heatmap(_on_repeat(names, context), tables.counts(number, "repeated", context), kept, names)
        for context in tables.frequent(number, "repeated", _MOST_REPEATED)
    ]
    whole = heatmap("all tokens", confusion, kept, names)
    return folded("Advanced: label by label", element("div", whole, local, repeated, class_="heatmaps"))


EXPLAINED = (
    "Behind “Advanced” are tables of what was given where. Rows: the true label, as the consensus sees "
    "it, with the expected number of tokens. Columns: the label given, in percent of the row; framed cells "
    "are right. The tables marked α look only at tokens right after a label of the annotator’s own, those "
    "marked β at words to which they gave a label earlier in the document."
)


def _after(names: Sequence[str], context: int) -> Content:
    if context == NOTHING:
        return "α: at the start of a sentence, or after a token left open"
    return ["α: right after their own ", name_of(names[context])]


def _on_repeat(names: Sequence[str], context: int) -> Content:
    return ["β: on words they gave ", name_of(names[context]), " before"]


def label_choice(confusion: FloatArray) -> list[int]:
    """The labels that matter in a table, in the order of the scheme."""
    mass = confusion.sum(axis=0) + confusion.sum(axis=1)
    if len(mass) <= _MOST_LABELS:
        return list(range(len(mass)))
    return sorted(np.argsort(-mass, kind="stable")[: _MOST_LABELS - 1].tolist())


def _fold(counts: FloatArray, kept: list[int]) -> FloatArray:
    """Counts with all labels that are not kept added up in a last row and column."""
    groups = np.full(len(counts), len(kept))
    groups[kept] = np.arange(len(kept))
    sums = np.zeros((len(kept) + 1, len(kept) + 1))
    np.add.at(sums, (groups[:, None], groups[None, :]), counts)
    return sums if len(kept) < len(counts) else sums[:-1, :-1]


def heatmap(title: Content, counts: FloatArray, kept: list[int], names: Sequence[str]) -> Markup:
    """Counts (M, M) of truth by given label as a table in percent of its rows; kept: the labels shown."""
    table = _fold(counts, kept)
    labels = [names[label] for label in kept]
    labels += ["other"] * (len(table) - len(kept))
    heads = [element("th", element("bdi", clip(label, _LONGEST_LABEL)), scope="col") for label in labels]
    masses = table.sum(axis=1)
    rows = [
        _row(labels[index], index if index < len(kept) else None, table[index] / masses[index], masses[index])
        for index in range(len(table))
        if masses[index] >= min(_LEAST_MASS, masses.max())
    ]
    return element(
        "table",
        element("caption", title),
        element("thead", element("tr", element("td"), heads)),
        element("tbody", rows),
        class_="heat",
    )


def _row(label: str, right: int | None, shares: FloatArray, mass: float) -> Markup:
    """right: the column of the same label; None for the rare labels, which are not told apart."""
    name: list[Content] = [element("bdi", clip(label, _LONGEST_LABEL)), " ", element("small", f"{mass:,.0f}")]
    cells = [_cell(share, column == right) for column, share in enumerate(shares.tolist())]
    return element("tr", element("th", name, scope="row"), cells)


def _cell(share: float, right: bool) -> Markup:
    level = min(9, int(10 * share))
    text = f"{100 * share:.0f}" if share >= 0.005 else ""
    kind = f"right r{level}" if right else f"h{level}" if level else None
    return element("td", text, class_=kind)
