"""Where the text speaks against kept labels, told span by span."""

import numpy as np
import pytest

from builders import corpus, random_corpus, random_tags
from crowdseq.aggregation.settling import LoneLabels
from crowdseq.core.spans import Span, decode
from crowdseq.evaluation.suggestions import suggestions_of
from lone_worlds import kept_against

WORLD = corpus(
    "Ada/B-PER Lovelace/I-PER met/O Acme/B-ORG Corp/I-ORG in/O Rome/B-LOC", docs=["d"], scheme="IOB2"
)
KEPT = ["B-PER", "I-PER", "O", "B-ORG", "I-ORG", "O", "B-LOC"]


def told(found: str, kept: list[str] = KEPT) -> list[tuple[str, tuple[Span, ...], tuple[Span, ...]]]:
    made = suggestions_of(kept_against(WORLD, kept, found.split()))
    return [(one.kind, one.kept, one.suggested) for one in made]


def test_where_text_and_labels_agree_nothing_is_suggested() -> None:
    assert told(" ".join(KEPT)) == []


def test_a_consensus_that_kept_no_labels_suggests_nothing() -> None:
    consensus = kept_against(WORLD, KEPT, KEPT)
    parameters = {name: value for name, value in consensus.parameters.items() if name != "suggested_tag_ids"}
    object.__setattr__(consensus, "parameters", parameters)
    assert suggestions_of(consensus) == ()


def test_a_span_where_none_is_is_to_be_added() -> None:
    without = [*KEPT[:6], "O"]
    assert told(" ".join(KEPT), without) == [("add", (), (Span(6, 7, "LOC"),))]


def test_a_span_that_the_text_does_not_find_is_doubted() -> None:
    assert told("B-PER I-PER O O O O B-LOC") == [("doubt", (Span(3, 5, "ORG"),), ())]


def test_other_bounds_and_another_type_stand_beside_what_is_kept() -> None:
    assert told("B-PER O O B-LOC I-LOC O B-LOC") == [
        ("instead", (Span(0, 2, "PER"),), (Span(0, 1, "PER"),)),
        ("instead", (Span(3, 5, "ORG"),), (Span(3, 5, "LOC"),)),
    ]


def test_spans_that_hang_together_are_one_suggestion() -> None:
    (one,) = suggestions_of(kept_against(WORLD, KEPT, ["O", "B-PER", "I-PER", "I-PER", "O", "O", "B-LOC"]))
    assert (one.start, one.end, one.text) == (0, 5, "Ada Lovelace met Acme Corp")
    assert one.kept == (Span(0, 2, "PER"), Span(3, 5, "ORG"))
    assert one.suggested == (Span(1, 4, "PER"),)
    assert [one.words(span) for span in (*one.kept, *one.suggested)] == [
        "Ada Lovelace",
        "Acme Corp",
        "Lovelace met Acme",
    ]


def test_a_suggestion_is_as_sure_as_its_least_sure_token() -> None:
    consensus = kept_against(WORLD, KEPT, ["B-PER", "I-PER", "O", "O", "O", "O", "B-LOC"])
    shares = consensus.probabilities.copy()
    shares[4] = 0.0
    shares[4, [WORLD.scheme.outside, WORLD.scheme.index["I-ORG"]]] = [0.6, 0.4]
    object.__setattr__(consensus, "probabilities", shares)
    (one,) = suggestions_of(consensus)
    assert one.confidence == pytest.approx(0.6)
    assert one.as_dict() == {
        "sentence": WORLD.text.ids[0],
        "doc": "d",
        "kind": "doubt",
        "start": 3,
        "end": 5,
        "text": "Acme Corp",
        "kept": [{"start": 3, "end": 5, "label": "ORG", "text": "Acme Corp"}],
        "suggested": [],
        "confidence": 0.6,
    }


def test_plain_labels_stand_against_each_other_token_by_token() -> None:
    plain = corpus("a/N b/V", "c/N", scheme="plain")
    made = suggestions_of(kept_against(plain, ["N", "V", "N"], ["V", "V", "V"]))
    assert [(one.sentence, one.kind, one.kept, one.suggested) for one in made] == [
        (plain.text.ids[0], "instead", (Span(0, 1, "N"),), (Span(0, 1, "V"),)),
        (plain.text.ids[1], "instead", (Span(0, 1, "N"),), (Span(0, 1, "V"),)),
    ]


@pytest.mark.parametrize("kind", ["IO", "IOB1", "IOB2", "BIOES", "BILOU", "plain"])
@pytest.mark.parametrize("seed", range(4))
def test_every_difference_is_told_once(kind: str, seed: int) -> None:
    world = random_corpus(seed, kind=kind, sentences=15)
    rng = np.random.default_rng(seed)
    kept, found = (
        np.concatenate([random_tags(rng, world.scheme, size) for size in world.text.lengths.tolist()])
        for _ in range(2)
    )
    names = [[world.scheme.tags[tag] for tag in tags.tolist()] for tags in (kept, found)]
    consensus = kept_against(world, names[0], names[1])
    made = suggestions_of(consensus)
    assert made
    # What the run counts in its remark is what is listed.
    alone = np.ones(len(world.annotators), np.bool_)
    lone = LoneLabels(world, kept, consensus.probabilities, found, np.ones(len(kept), np.bool_), alone)
    assert lone.differences == (
        sum(len(one.suggested) for one in made),
        sum(len(one.kept) for one in made),
    )
    if kind == "plain":
        return
    # Putting every suggestion in the place of what it replaces gives what the text found.
    for number, sentence in enumerate(world.sentences):
        bounds = slice(*world.offsets[number : number + 2].tolist())
        here = [one for one in made if one.sentence == sentence.id]
        stood, wanted = ({*decode(world.scheme, row[bounds])} for row in names)
        replaced = {span for one in here for span in one.kept}
        assert (stood - replaced) | {span for one in here for span in one.suggested} == wanted
        for one in here:
            assert one.tokens == sentence.tokens[one.start : one.end]
        # Two suggestions never share a token.
        places = [token for one in here for token in range(one.start, one.end)]
        assert len(places) == len({*places})
