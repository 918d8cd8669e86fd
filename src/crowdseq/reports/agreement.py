"""Agreement between annotators as tables."""

from crowdseq.evaluation.measures import Agreement, Measures
from crowdseq.reports.tables import Table

_SHOWN_DOCUMENTS = 10
_SHOWN_PAIRS = 20
_NAMES = ("tokens", "Cohen κ", "Fleiss κ", "Krippendorff α")


def agreement_tables(agreement: Agreement, *, all_documents: bool = False) -> list[Table]:
    """Overall, by label, by pair and by document; long lists show where agreement is lowest."""
    kind = "agreement" if _is_plain(agreement) else f"agreement ({agreement.mode} spans)"
    title = kind + (f": {agreement.reason}" if agreement.reason else "")
    tables = [
        Table(_names(agreement), (_row(agreement.overall),), title),
        _by_label(agreement),
        _by_pair(agreement),
        _by_document(agreement, all_documents),
    ]
    if len(agreement.components) > 1:
        rows = tuple((len(group), ", ".join(group)) for group in agreement.components)
        tables.append(Table(("annotators", "who"), rows, "groups that share no text with each other"))
    return tables


def _is_plain(agreement: Agreement) -> bool:
    return agreement.scheme == "plain"


def _names(agreement: Agreement) -> tuple[str, ...]:
    return (*_NAMES, _f1_of(agreement))


def _f1_of(agreement: Agreement) -> str:
    """What F1 compares: plain tags are no spans, each token has one."""
    return "token F1" if _is_plain(agreement) else "span F1"


def _row(measures: Measures) -> tuple[object, ...]:
    return (measures.tokens, measures.cohen, measures.fleiss, measures.alpha, measures.span_f1)


def _by_label(agreement: Agreement) -> Table:
    rows = [(label, *_row(measures)[:-1]) for label, measures in agreement.per_label.items()]
    unit = "tokens" if _is_plain(agreement) else "spans"
    by_type = [(f"{name} {unit}", None, None, None, None, f1) for name, f1 in agreement.per_type.items()]
    filled = [(*row, None) for row in rows]
    return Table(("label", *_names(agreement)), (*filled, *by_type), "by label, each against the rest")


def _by_pair(agreement: Agreement) -> Table:
    pairs = sorted(agreement.all_pairs(), key=lambda pair: (pair.cohen is None, pair.cohen or 0.0))
    shown = pairs if len(pairs) <= _SHOWN_PAIRS else pairs[:_SHOWN_PAIRS]
    rows = tuple(
        (f"{pair.first}, {pair.second}", pair.shared_tokens, pair.observed, pair.cohen, pair.span_f1)
        for pair in shown
    )
    title = "by pair" if len(shown) == len(pairs) else f"the {len(shown)} least agreed of {len(pairs)} pairs"
    return Table(("pair", "shared tokens", "observed", "Cohen κ", _f1_of(agreement)), rows, title)


def _by_document(agreement: Agreement, all_documents: bool) -> Table:
    documents = sorted(agreement.documents, key=lambda one: (one.alpha is None, one.alpha or 0.0))
    shown = documents if all_documents else documents[:_SHOWN_DOCUMENTS]
    rows = tuple((one.document, one.annotators, *_row(one)) for one in shown)
    left_out = len(documents) - len(shown)
    title = "by document" if not left_out else f"the {len(shown)} least agreed of {len(documents)} documents"
    return Table(("document", "annotators", *_names(agreement)), rows, title)
