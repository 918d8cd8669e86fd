"""Made-up marks stand where a reader could be tempted."""

import numpy as np

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.simulation.annotators import simulate
from crowdseq.simulation.mentions import Mentions
from crowdseq.simulation.scene import Places
from simulation.outcomes import SPURIOUS, gold_corpus, only, outcomes


def _news() -> Corpus:
    """Every sentence: a mention, plain words, a capital, a word that is a mention elsewhere, a comma."""
    builder = CorpusBuilder()
    for number in range(300):
        name = f"Name{number % 50}"
        tokens = [
            "yesterday",
            name,
            "met",
            "someone",
            "in",
            "Winter",
            ",",
            "while",
            "bank",
            f"w{number}",
            "slept",
        ]
        gold = ["O", "B-PER", *["O"] * 9]
        if number % 2:
            gold[8] = "B-ORG"
        builder.add(Record(tokens, doc=f"d{number}", gold=gold))
    return builder.build("IOB2")


def _made_up(crowd: Corpus) -> list[str]:
    words = [outcome.mention[1] for outcome in outcomes(crowd) if outcome.kind == SPURIOUS]
    return [str(word) for words_of_one in words if isinstance(words_of_one, tuple) for word in words_of_one]


def test_names_and_words_that_are_mentions_elsewhere_tempt_most() -> None:
    crowd = simulate(_news(), weights=only(spurious=1.0, missed=1.0), slips=0.0)
    words = _made_up(crowd)
    assert words.count("Winter") + words.count("bank") > 0.6 * len(words)
    assert words.count(",") < 0.01 * len(words)


def test_a_word_that_is_a_mention_elsewhere_is_given_the_type_it_has_there() -> None:
    crowd = simulate(_news(), weights=only(spurious=1.0, missed=1.0), slips=0.0)
    types = {
        outcome.told[0]
        for outcome in outcomes(crowd)
        if outcome.kind == SPURIOUS and outcome.mention[1] == ("bank",)
    }
    assert types == {"ORG"}


def test_places_lie_in_one_sentence_and_outside_all_mentions() -> None:
    gold = gold_corpus(41, sentences=20)
    places = Places.of(gold.text, Mentions.of(gold))
    sentence_of = gold.text.sentence_of
    inside = {int(token) for token in np.flatnonzero(gold.gold_tags != gold.scheme.outside)}
    expected = {
        (start, end)
        for start in range(gold.n_tokens)
        for end in range(start + 1, min(start + 3, gold.n_tokens) + 1)
        if sentence_of[start] == sentence_of[end - 1] and not inside & set(range(start, end))
    }
    assert set(zip(places.starts.tolist(), places.ends.tolist(), strict=True)) == expected
    assert places.weights.min() > 0


def test_places_of_one_group_have_the_same_words_in_the_same_document() -> None:
    gold = gold_corpus(42, sentences=60, documents=3)
    places = Places.of(gold.text, Mentions.of(gold))
    keys = [
        (int(gold.text.document_of[sentence]), *gold.text.token_ids[start:end].tolist())
        for start, end, sentence in zip(places.starts, places.ends, places.sentences, strict=True)
    ]
    ordered = [keys[item] for item in places.repeats.order.tolist()]
    opens = [number == 0 or ordered[number - 1] != key for number, key in enumerate(ordered)]
    assert places.repeats.is_first.tolist() == opens
    assert sum(opens) == len(set(keys))
