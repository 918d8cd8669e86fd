"""What `check` prints of a crowd: columns and lines that say something, and no others."""

from builders import corpus
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.agreement import measure_agreement
from crowdseq.evaluation.description import describe
from crowdseq.reports.descriptions import describe_in_words


def words_on(world: Corpus) -> str:
    return describe_in_words(describe(world), measure_agreement(world).summary())


def test_without_gold_there_is_no_column_of_it() -> None:
    line = "Ada/B-PER/B-PER/B-PER slept/O/O/O"
    assert "spans in gold" in words_on(corpus(line))
    told = words_on(corpus(line, line).without_gold())
    assert "spans by annotators" in told
    assert "gold" not in told
    assert "n/a" not in told


def test_where_nobody_can_be_compared_no_agreement_is_printed() -> None:
    assert "agreement: cohen" in words_on(corpus("Ada/?/B-PER/B-PER Bo/?/O/B-PER slept/?/O/O"))
    assert "agreement" not in words_on(corpus("Ada/?/B-PER slept/?/O"))


def test_of_tags_without_spans_labels_are_counted() -> None:
    told = words_on(corpus("Ada/?/NOUN/NOUN slept/?/VERB/NOUN", scheme="plain"))
    assert "annotator  sentences  labels" in told
    assert "slips" not in told


def test_gold_alone_has_no_column_of_annotators() -> None:
    told = words_on(corpus("Ada/B-PER slept/O"))
    assert "label  spans in gold" in told
