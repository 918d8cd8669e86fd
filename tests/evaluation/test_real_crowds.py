"""Evaluation on the real crowds, beside figures that were published or counted by others."""

import gzip
import json
import time
from pathlib import Path

import numpy as np
import pytest

from agreement_oracles import slow_alpha, slow_fleiss, vote_units
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.agreement import measure_agreement
from crowdseq.evaluation.copying import find_copies
from crowdseq.evaluation.scores import score_tags


def _read(path: Path) -> Corpus:
    builder = CorpusBuilder()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = json.loads(line)
            builder.add(
                Record(fields["tokens"], fields["id"], fields["doc"], fields["annotations"], fields["gold"])
            )
    return builder.build()


@pytest.fixture(scope="module")
def news(shared_data: Path) -> Corpus:
    """News labelled by 47 workers (Rodrigues et al. 2014)."""
    return _read(shared_data / "amt_conll2003" / "crowd.jsonl.gz")


@pytest.fixture(scope="module")
def tweets(shared_data: Path) -> Corpus:
    """Tweets with parts of speech, single tokens labelled by 177 workers."""
    return _read(shared_data / "pos_gimpel" / "crowd.jsonl.gz")


def test_single_workers_score_as_published_with_the_data(news: Corpus) -> None:
    scores = []
    for number, name in enumerate(news.annotators):
        sentences = news.annotations.row_sentences[news.annotations.voters == number]
        alone = news.select(sentences).keep_annotators([name])
        f1 = score_tags(alone.gold_tags, alone.annotations.tags, alone.offsets, alone.scheme, "lenient").f1
        scores.append((f1 or 0.0, name))
    ranked = sorted(scores)
    assert [name for _, name in ranked[:4]] == ["w47", "w05", "w04", "w03"]
    figures = [ranked[0][0], float(np.median([score for score, _ in ranked])), ranked[-1][0]]
    assert figures == pytest.approx([0.178, 0.609, 0.852], abs=5e-4)


def test_agreement_of_a_part_is_what_a_slow_count_gives(news: Corpus) -> None:
    part = news.select(range(300))
    overall, units = measure_agreement(part).overall, vote_units(part)
    assert overall.alpha == pytest.approx(float(slow_alpha(units) or 0))
    assert overall.fleiss == pytest.approx(float(slow_fleiss(units) or 0))


def test_agreement_of_366_thousand_votes_takes_less_than_two_seconds(news: Corpus) -> None:
    before = time.process_time()
    measure_agreement(news)
    assert time.process_time() - before < 2.0


def test_no_worker_on_the_news_is_suspected_of_copying(news: Corpus) -> None:
    assert find_copies(news, news.gold_tags) == []


def test_two_workers_on_the_tweets_are_suspected_and_did_say_the_same_nearly_everywhere(
    tweets: Corpus,
) -> None:
    (found,) = find_copies(tweets, tweets.gold_tags)
    both = tweets.keep_annotators([tweets.annotators[found.first], tweets.annotators[found.second]])
    (pair,) = measure_agreement(both).pairs
    assert pair.observed is not None
    assert pair.observed > 0.97
    assert found.shared > 1.5 * found.expected
