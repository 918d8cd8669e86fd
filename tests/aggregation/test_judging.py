"""The judgement of annotators: fair to those who did little, plain about those who harm."""

from collections.abc import Sequence

import numpy as np

from builders import corpus, random_corpus
from crowdseq.aggregation.judging import judge_annotators
from crowdseq.aggregation.settling import settle
from crowdseq.arrays import FloatArray
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.consensus import AnnotatorReport
from crowdseq.core.corpus import Corpus
from crowdseq.methods.dawid_skene import DawidSkene


def certain(world: Corpus) -> FloatArray:
    """(T, M) certainty in gold."""
    return np.eye(len(world.scheme))[world.gold_tags]


def judged(world: Corpus) -> dict[str, AnnotatorReport]:
    reports = judge_annotators(world, certain(world), world.gold_tags)
    return {report.annotator: report for report in reports}


def with_votes(world: Corpus, **extra: Sequence[Sequence[str | None] | None]) -> Corpus:
    """The same corpus with further annotators, one list of tags (or None) for each sentence."""
    builder = CorpusBuilder()
    for place, sentence in enumerate(world.sentences):
        ballot = world.annotations.ballots[place]
        rows = zip(ballot.voters.tolist(), ballot.tags, strict=True)
        votes: dict[str, Sequence[str | None]] = {
            world.annotators[voter]: world.scheme.names(tags) for voter, tags in rows
        }
        for name, given in extra.items():
            tags = given[place]
            if tags is not None:
                votes[name] = tags
        builder.add(Record(sentence.tokens, sentence.id, sentence.doc, votes, world.gold[place]))
    return builder.build(world.scheme)


def test_a_perfect_annotator_has_skill_near_one_and_an_all_o_one_near_zero() -> None:
    world = random_corpus(1, sentences=100, annotators=4, voters=4)
    gold = [list(tags or ()) for tags in world.gold]
    found = judged(with_votes(world, best=gold, lazy=[["O"] * len(tags) for tags in gold]))
    assert (found["best"].skill or 0) > 0.97
    assert abs(found["lazy"].skill or 0) < 0.05
    assert (found["lazy"].spam or 0) > 0.95
    assert any(flag.startswith("spam: ") for flag in found["lazy"].flags)


def test_fault_28_little_evidence_is_drawn_to_the_crowd_with_a_wide_interval() -> None:
    world = random_corpus(2, sentences=100, annotators=4, voters=4)
    once: list[Sequence[str | None] | None] = [None] * len(world)
    once[3] = list(world.gold[3] or ())
    report = judged(with_votes(world, newcomer=once))["newcomer"]
    low, high = report.interval or (0.0, 0.0)
    others = judged(world)
    usual = max(high - low for low, high in (one.interval or (0.0, 0.0) for one in others.values()))
    assert 0 < (report.skill or 0) < 1
    assert high - low > 2 * usual
    assert any("little evidence: 1 sentence" in flag for flag in report.flags)


def test_fault_31_an_adversary_has_negative_skill_and_a_flag() -> None:
    world = random_corpus(3, sentences=100, annotators=4, voters=4, types=["LOC", "PER"])
    swap = {"O": "B-LOC", "B-LOC": "O", "I-LOC": "B-PER", "B-PER": "I-LOC", "I-PER": "O"}
    wrong: list[Sequence[str | None] | None] = [[swap[str(tag)] for tag in tags or ()] for tags in world.gold]
    report = judged(with_votes(world, adversary=wrong))["adversary"]
    assert (report.skill or 0) < 0
    assert any("negative skill" in flag for flag in report.flags)


def test_fault_31_a_copied_pair_is_suspected() -> None:
    world = random_corpus(4, sentences=200, annotators=5, voters=5, accuracy=0.7)
    ballots = world.annotations.ballots
    copied = [list(world.scheme.names(ballots[place].tags[0])) for place in range(len(world))]
    found = judged(with_votes(world, parrot=copied))
    original = world.annotators[0]
    assert any(f"same errors as {original}" in flag for flag in found["parrot"].flags)
    assert not any("suspected copy" in flag for flag in found[world.annotators[1]].flags)


def test_fault_31_a_crowd_that_always_disagrees_is_survived() -> None:
    world = corpus(*["a/?/B-X/O/I-X b/?/O/I-X/B-X"] * 30)
    consensus = DawidSkene().aggregate(world)
    assert np.isfinite(consensus.probabilities).all()
    assert all(report.skill is None or report.skill < 0.9 for report in consensus.annotators)


def test_fault_27_one_annotator_alone_cannot_be_judged() -> None:
    world = corpus("Ada/B-PER/B-PER slept/O/O")
    (report,) = judge_annotators(world, certain(world), world.gold_tags)
    assert report.skill is None
    assert report.interval is None
    assert report.flags[0].startswith("cannot be judged")


def test_fault_29_annotators_who_share_nothing_cannot_be_judged() -> None:
    world = corpus("Ada/B-PER/B-PER/? slept/O/O/?", "Bob/B-PER/?/B-PER left/O/?/O")
    assert [report.skill for report in settle(world, certain(world)).annotators] == [None, None]


def test_a_slip_in_spelling_is_flagged_but_is_no_miss() -> None:
    world = corpus(*["Ada/B-PER/I-PER/B-PER slept/O/O/O"] * 30)
    found = judged(world)
    assert found["a1"].f1 == 1.0
    assert any("breaks the label scheme" in flag for flag in found["a1"].flags)


def test_who_finds_little_but_marks_what_is_there_is_no_spammer() -> None:
    """A labelling function of recall .1: in nearly all its votes it cannot be told from one who guesses."""
    world = random_corpus(5, sentences=300, annotators=3, voters=3, types=["LOC", "PER"])
    rarely = [
        list(tags) if place % 10 == 0 else ["O"] * len(tags) for place, tags in enumerate(golden(world))
    ]
    shifted = [tags[1:] + tags[:1] if place % 10 == 0 else tags for place, tags in enumerate(rarely)]
    found = judged(with_votes(world, rare=rarely, guess=shifted, blank=[["O"] * len(one) for one in rarely]))
    assert (found["rare"].spam or 0) > 0.8
    assert not any("spam" in flag for flag in found["rare"].flags)
    assert any("spam" in flag for flag in found["guess"].flags)
    assert any("spam" in flag for flag in found["blank"].flags)


def golden(world: Corpus) -> list[list[str]]:
    return [[str(tag) for tag in tags or ()] for tags in world.gold]


def test_nobody_is_called_a_spammer_for_a_few_tokens() -> None:
    found = judged(corpus("Ada/B-PER/B-PER/O slept/O/O/O", "Bo/B-PER/B-PER/O left/O/O/O"))
    assert found["a2"].spam == 1.0
    assert not any("spam" in flag for flag in found["a2"].flags)


def test_where_there_is_one_label_only_nobody_is_said_to_be_alone() -> None:
    found = judged(corpus("She/O/O/?/? slept/O/O/?/?", "Bo/O/O/O/? left/O/?/?/?", "He/O/?/?/O ran/O/?/?/O"))
    assert [found[name].flags[0] for name in ("a1", "a2", "a3")] == [
        "cannot be judged: there is one label only, on which all agree by chance",
        "cannot be judged: there is one label only, on which all agree by chance",
        "cannot be judged: nobody else labelled the same tokens",
    ]
