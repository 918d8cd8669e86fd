"""measure_agreement: from the votes of a corpus to every figure of agreement."""

from collections.abc import Iterator

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import offsets_of, portions
from crowdseq.errors import SettingsError
from crowdseq.evaluation.coefficients import against_rest, alpha, fleiss
from crowdseq.evaluation.crowd_agreement import LabelSums, TokenSums, count_tokens
from crowdseq.evaluation.document_figures import DocumentFigures, DocumentView
from crowdseq.evaluation.measures import Agreement, Measures, plain
from crowdseq.evaluation.pair_counts import CrowdSpans, count_pairs, most_partners
from crowdseq.evaluation.pair_totals import PairCollector, PairTotals
from crowdseq.evaluation.pair_view import PairView
from crowdseq.evaluation.scores import MODES

_NUMBERS_AT_A_TIME = 1 << 21  # tokens, or pairs of rows, times labels


def measure_agreement(corpus: Corpus, *, mode: str = "strict") -> Agreement:
    """How far the annotators of a corpus agree; gold plays no part.

    mode: `strict` leaves spans that break the label scheme out of span F1, `lenient` reads them as conlleval.

    >>> import crowdseq
    >>> round(crowdseq.measure_agreement(crowdseq.demo_corpus()).overall.alpha, 2)
    0.36
    """
    if mode not in MODES:
        raise SettingsError(f"spans cannot be read in the mode '{mode}', choose one of {', '.join(MODES)}")
    scheme, annotators = corpus.scheme, corpus.annotators
    totals, tokens, labels, documents = _count(corpus, CrowdSpans.of(corpus, lenient=mode == "lenient"))
    pairs = PairView.of(totals, annotators, scheme.tags, scheme.types)
    overall = Measures(
        tokens=int(tokens.compared),
        cohen=pairs.mean_cohen(),
        fleiss=plain(fleiss(tokens.agreed, tokens.compared, tokens.shares, tokens.seen)),
        alpha=plain(alpha(tokens.coincidences, tokens.totals)),
        span_f1=totals.pooled_span_f1(),
    )
    type_f1 = zip(scheme.types, totals.pooled_type_f1(), strict=True)
    return Agreement(
        annotators=annotators,
        scheme=scheme.kind,
        mode=mode,
        overall=overall,
        per_label=_by_label(scheme.tags, labels, tokens, pairs),
        per_type={name: plain(value) for name, value in type_f1},
        pairs=pairs,
        documents=DocumentView.of(corpus, documents),
        components=totals.components(annotators),
        reason=_reason(annotators, overall),
    )


def _count(corpus: Corpus, spans: CrowdSpans) -> tuple[PairTotals, TokenSums, LabelSums, DocumentFigures]:
    """Counts over everything, and figures of documents; some of these at a time, to bound the memory."""
    n_labels = len(corpus.scheme)
    pairs = PairCollector(len(corpus.annotators), n_labels, len(corpus.scheme.types))
    tokens, labels, documents = TokenSums.nought(n_labels), LabelSums.nought(n_labels), []
    partners = most_partners(corpus)
    for sentences in _document_portions(corpus, partners):
        _, local = np.unique(corpus.text.document_of[sentences], return_inverse=True)
        size = int(local[-1]) + 1
        counts = count_pairs(corpus, spans, sentences, local, partners)
        sums = TokenSums.nought(n_labels, size)
        for part in _token_portions(corpus, sentences):
            by_document, by_label = count_tokens(corpus, sentences[part], local[part], size)
            sums, labels = sums.plus(by_document), labels.plus(by_label)
        pairs.add(counts)
        tokens = tokens.plus(sums.over_documents())
        documents.append(DocumentFigures.of(counts, sums))
    return pairs.totals(), tokens, labels, DocumentFigures.joined(documents)


def _document_portions(corpus: Corpus, partners: int) -> Iterator[IntArray]:
    """The sentences of whole documents, as many at a time as fit."""
    order = np.argsort(corpus.text.document_of, kind="stable")
    n_rows = np.diff(corpus.annotations.row_offsets)[order]
    n_pairs = np.minimum(n_rows * (n_rows - 1) // 2, n_rows * partners)
    costs = (n_pairs + corpus.text.lengths[order]) * len(corpus.scheme)
    heads = np.flatnonzero(np.diff(corpus.text.document_of[order], prepend=-1))
    by_document = np.add.reduceat(costs, heads) if len(heads) else costs
    for part in portions(offsets_of(by_document), _NUMBERS_AT_A_TIME):
        last = heads[part.stop] if part.stop < len(heads) else len(order)
        yield order[heads[part.start] : last]


def _token_portions(corpus: Corpus, sentences: IntArray) -> Iterator[slice]:
    return portions(offsets_of(corpus.text.lengths[sentences] * len(corpus.scheme)), _NUMBERS_AT_A_TIME)


def _by_label(
    tags: tuple[str, ...], labels: LabelSums, tokens: TokenSums, pairs: PairView
) -> dict[str, Measures]:
    """Every tag against all others."""
    kappas = pairs.by_label.column_means(len(tags))
    fleisses = fleiss(labels.agreed, tokens.compared, against_rest(tokens.shares, tokens.seen), tokens.seen)
    alphas = alpha(labels.coincidences, against_rest(tokens.totals, tokens.totals.sum()))
    return {
        tag: Measures(int(labels.used[n]), plain(kappas[n]), plain(fleisses[n]), plain(alphas[n]), None)
        for n, tag in enumerate(tags)
    }


def _reason(annotators: tuple[str, ...], overall: Measures) -> str | None:
    """Why agreement cannot be said."""
    if overall.alpha is not None:
        return None
    if len(annotators) < 2:
        return "there is only one annotator" if annotators else "there is no annotator"
    if not overall.tokens:
        return "no token was labelled by two annotators"
    return "all votes that can be compared are for one label, so that chance alone explains them"
