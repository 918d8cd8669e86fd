"""Scores against gold as tables."""

from crowdseq.evaluation.scores import Scores
from crowdseq.reports.tables import Table


def score_tables(scores: Scores) -> list[Table]:
    """One row for each type, then the averages; the mode is always named."""
    columns = ("", "precision", "recall", "F1", "in gold", "predicted")
    rows: list[tuple[object, ...]] = [
        (name, one.precision, one.recall, one.f1, one.support, one.predicted)
        for name, one in scores.per_type.items()
    ]
    rows.append(
        ("micro average", scores.precision, scores.recall, scores.f1, scores.support, scores.predicted)
    )
    rows.append(("macro average", scores.macro_precision, scores.macro_recall, scores.macro_f1, "", ""))
    title = f"{scores.mode} {scores.unit}s, scheme {scores.scheme}"
    if scores.reason:
        title += f" ({scores.reason})"
    accuracy = Table(("token accuracy", "tokens"), ((scores.token_accuracy, scores.tokens),))
    return [Table(columns, tuple(rows), title), accuracy]
