"""Crowds of plain tags: what is compared are tokens, and the tables call it so."""

from builders import random_corpus
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.agreement import measure_agreement
from crowdseq.reports.agreement import agreement_tables
from crowdseq.reports.runs import annotator_table


def shown(world: Corpus) -> str:
    consensus = settle(world, label_shares(world))
    tables = [annotator_table(consensus), *agreement_tables(measure_agreement(world))]
    return " ".join(f"{table.title} {table.columns} {table.rows}" for table in tables)


def test_plain_tags_are_not_measured_by_spans() -> None:
    plain = shown(random_corpus(1, sentences=20, kind="plain", types=("P", "Q")))
    assert plain.count("token F1") == 5
    assert "span" not in plain


def test_spans_are() -> None:
    told = shown(random_corpus(1, sentences=20))
    assert told.count("span F1") == 5
    assert "token F1" not in told
