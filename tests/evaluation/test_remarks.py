"""What a run says of its crowd: each kind of remark where it is due, and none on a healthy crowd."""

from dataclasses import replace

import numpy as np
import pytest

from builders import corpus as small_corpus
from builders import random_corpus
from crowdseq.aggregation.settling import settle
from crowdseq.arrays import IntArray
from crowdseq.core.consensus import Consensus, Remark
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.crowd_profile import hear
from crowdseq.evaluation.remarks import remarks_before, remarks_of
from crowdseq.methods.majority_vote import MajorityVote
from kinship_oracles import drawn_cast
from remark_worlds import HEALTHY, joined, sources, without


def believing(corpus: Corpus, tag_ids: IntArray) -> Consensus:
    """The consensus that holds these tags to be certain."""
    return settle(corpus, np.eye(len(corpus.scheme))[tag_ids])


def truth_of(corpus: Corpus) -> Consensus:
    return believing(corpus, corpus.gold_tags)


def kinds(remarks: tuple[Remark, ...]) -> list[str]:
    return [remark.kind for remark in remarks]


def test_a_healthy_crowd_needs_no_remark() -> None:
    world = drawn_cast(HEALTHY)
    assert remarks_before(world) == ()
    assert remarks_of(truth_of(world)) == ()


def test_nobody_and_nothing_are_no_fault() -> None:
    for world in (random_corpus(0, sentences=0), random_corpus(0, sentences=3, voters=0)):
        assert remarks_before(world) == ()


def test_sources_that_find_little_are_told_and_what_their_silence_means() -> None:
    world = sources()
    (told,) = (one for one in remarks_before(world) if one.kind == "silence")
    assert told.text.startswith("labelling functions: silence counts as no vote")
    assert told.level == "note"
    (warned,) = (one for one in remarks_before(world, silence="labelled") if one.kind == "silence")
    assert warned.level == "warning"
    assert "confidence" in kinds(remarks_of(truth_of(world)))


def test_people_who_find_as_little_by_chance_are_not_called_functions() -> None:
    world = without(drawn_cast(dict.fromkeys("abcdefgh", 0.8), sentences=200), 0.95)
    assert "silence" not in kinds(remarks_before(world))


def test_silence_that_was_asked_for_is_said() -> None:
    remarks = remarks_before(drawn_cast(HEALTHY), silence="abstains")
    assert [(one.kind, one.level) for one in remarks] == [("silence", "note")]


def test_a_family_is_named_with_what_it_counts() -> None:
    world = drawn_cast({"c1": 0.6, "g1": 0.85, "g2": 0.85, "g3": 0.8}, {"c2": ("c1", 0.0), "c3": ("c1", 0.0)})
    (told,) = remarks_before(world)
    assert told.kind == "kin"
    assert told.text.startswith(
        "c1, c2, c3 agree far more than independent annotators would (pairwise F1 1.00"
    )
    assert told.text.endswith("counted as 1.0 votes")
    assert told.evidence["annotators"] == ["c1", "c2", "c3"]
    (warned,) = (one for one in remarks_of(truth_of(world)) if one.kind == "kin")
    assert warned.level == "warning"
    assert "each counts in full" in warned.text


def test_of_three_it_is_said_that_copies_cannot_be_told() -> None:
    assert kinds(remarks_before(drawn_cast({"a": 0.8, "b": 0.8, "c": 0.7}))) == ["kinship-unknown"]


def test_of_thousands_it_is_said_that_copies_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("crowdseq.evaluation.remarks", "crowdseq.evaluation.remarks.kinship"):
        monkeypatch.setattr(f"{module}.MOST_ANNOTATORS", 4)
    told = remarks_before(drawn_cast({"a": 0.8, "b": 0.8, "c": 0.7, "d": 0.8, "e": 0.7}))
    assert "not looked into" in " ".join(remark.text for remark in told)


def test_one_annotator_alone_is_said_and_so_are_some_among_others() -> None:
    lonely = remarks_of(truth_of(drawn_cast({"a": 0.9})))
    assert kinds(lonely) == ["confidence", "alone"]
    assert lonely[1].text.startswith("one annotator only")
    world = drawn_cast({**HEALTHY, "f": 0.9})
    others = world.keep_annotators(list("abcde")).select(np.arange(200))
    apart = joined(others, world.keep_annotators(["f"]).select(np.arange(200, 300)))
    (told,) = (one for one in remarks_before(apart) if one.kind == "alone")
    assert told.text.startswith("f shares no token with anybody")


def test_little_overlap_is_said_with_its_share() -> None:
    world = drawn_cast(HEALTHY)
    shared, apart = world.select(np.arange(30)), world.keep_annotators(["a"]).select(np.arange(30, 300))
    (told,) = (one for one in remarks_before(joined(shared, apart)) if one.kind == "overlap")
    assert told.text == "only 10 % of the labelled tokens are labelled by more than one annotator"
    assert told.evidence["share"] == pytest.approx(0.1)


def test_who_marks_nothing_where_others_do_is_named() -> None:
    world = without(drawn_cast(HEALTHY), 1.0, who=4)
    (told,) = remarks_before(world)
    assert (told.kind, told.level, told.evidence["annotators"]) == ("blank", "warning", ["e"])


def test_blanks_in_the_majority_are_not_taken_for_labelling_functions() -> None:
    world = drawn_cast(HEALTHY)
    for who in (2, 3, 4):
        world = without(world, 1.0, who=who)
    remarks = remarks_before(world)
    assert kinds(remarks) == ["blank", "blank", "blank"]
    assert remarks[0].text.endswith("tokens that others marked: silence counts as no vote")


def test_an_empty_consensus_is_warned_of() -> None:
    world = drawn_cast(HEALTHY)
    remarks = remarks_of(believing(world, np.full(world.n_tokens, world.scheme.outside, np.int16)))
    assert remarks[0].kind == "empty"
    assert remarks[0].text.startswith("the consensus is empty: 0 spans, although annotators drew")
    few = np.where(np.arange(world.n_tokens) < world.n_tokens // 20, world.gold_tags, world.scheme.outside)
    assert "nearly empty" in remarks_of(believing(world, few.astype(np.int16)))[0].text


def test_a_good_annotator_whose_spans_are_dropped_is_named() -> None:
    """Four who skip most sentences outvote the one who reads."""
    world = drawn_cast(HEALTHY)
    for who in (0, 1, 2, 3):
        world = without(world, 0.7, seed=who, who=who)
    remarks = remarks_of(MajorityVote().aggregate(world))
    assert [one.evidence["annotators"] for one in remarks if one.kind == "dropped"] == [["e"]]


def test_few_marks_make_no_confidence() -> None:
    (told,) = remarks_of(truth_of(drawn_cast(HEALTHY, sentences=15)))
    assert (told.kind, told.level) == ("confidence", "warning")
    assert "labelled by more than one" in told.text


def test_what_the_method_says_itself_stands_in_place_of_ours() -> None:
    consensus = truth_of(drawn_cast({"a": 0.9}))
    own = Remark("alone", "one annotator only: labels kept; 3 spans are listed apart", "note", {"spans": 3.0})
    told = replace(consensus, parameters={"remarks": [own.as_dict()]})
    assert [one for one in remarks_of(told) if one.kind == "alone"] == [own]


def test_plain_tags_have_remarks_of_their_own_alone() -> None:
    world = random_corpus(1, sentences=60, annotators=5, voters=5, kind="plain", types=("A", "B", "C"))
    assert remarks_of(MajorityVote().aggregate(world)) == ()


def test_silence_is_heard_where_the_crowd_or_the_user_says_so() -> None:
    world = drawn_cast(HEALTHY)
    assert hear(world, "labelled") is world
    assert hear(world, "auto") is world
    assert hear(world, "abstains").annotations.n_votes < world.annotations.n_votes
    by_rule = sources()
    assert hear(by_rule, "auto").annotations.n_votes < by_rule.annotations.n_votes


def test_two_people_on_one_sentence_are_not_called_labelling_functions() -> None:
    """Neither marks what the other does, but of two tokens that says nothing; of many sentences it does."""
    line = "Ada/B-PER/B-PER/O slept/O/O/O in/O/O/O Paris/B-LOC/O/B-LOC"
    few, many = small_corpus(line), small_corpus(*[line] * 30)
    assert "silence" not in kinds(remarks_before(few))
    assert "labelling functions" not in " ".join(remark.text for remark in remarks_of(truth_of(few)))
    assert hear(few, "auto") is few
    assert "silence" in kinds(remarks_before(many))


def test_sentences_that_nobody_labelled_are_counted() -> None:
    line = "Ada/B-PER/B-PER/B-PER slept/O/O/O"
    world = small_corpus(*[line] * 60, *["Bo/?/?/? left/?/?/?"] * 3)
    (told,) = (one for one in remarks_before(world) if one.kind == "unseen")
    assert told.text.startswith("3 sentences were labelled by nobody, of 63: no vote speaks")
    assert (told.level, told.evidence["sentences"]) == ("note", 3.0)
    assert told in remarks_of(truth_of(small_corpus(*[line] * 60, *["Bo/O/?/? left/O/?/?"] * 3)))
    assert "unseen" not in kinds(remarks_before(small_corpus(*[line] * 60)))


def test_a_crowd_that_marked_nothing_is_told_that_and_nothing_false() -> None:
    """Its annotators share every token: it is not that they could not be compared."""
    world = small_corpus(*["She/O/O/O slept/O/O/O"] * 60)
    assert kinds(remarks_of(truth_of(world))) == ["unmarked", "kinship-unknown"]
    assert remarks_before(world)[0].text == "nobody marked anything: there is nothing to learn"


def test_people_who_mark_nothing_make_nobody_sure() -> None:
    world = drawn_cast(HEALTHY)
    for who in range(4):
        world = without(world, 1.0, who=who)
    (told,) = (one for one in remarks_before(world) if one.kind == "confidence")
    assert told.text.endswith("nobody can be compared but with people who marked nothing")


def test_where_no_four_share_text_copies_cannot_be_told() -> None:
    """Six annotators, two for each third of the text: find_kin has no witness, and silence would be a lie."""
    world = drawn_cast(dict.fromkeys("abcdef", 0.9))
    pairs = [
        world.keep_annotators(pair).select(np.arange(at, 300, 3))
        for at, pair in enumerate(("ab", "cd", "ef"))
    ]
    (told,) = remarks_before(joined(joined(pairs[0], pairs[1]), pairs[2]))
    assert told.kind == "kinship-unknown"
    assert told.text.startswith("no four annotators share text with each other")
    chain = joined(
        world.keep_annotators("abc").select(np.arange(150)),
        world.keep_annotators("abd").select(np.arange(150, 300)),
    )
    assert kinds(remarks_before(chain)) == ["kinship-unknown"], "c and d never met"
    met = joined(chain, world.keep_annotators("cd").select(np.arange(20)))
    assert kinds(remarks_before(met)) == []


def test_two_who_never_differ_are_asked_about_where_copies_cannot_be_told() -> None:
    world = drawn_cast({"a": 0.8, "b": 0.8}, {"twin": ("a", 0.0)})
    (told,) = (one for one in remarks_before(world) if one.kind == "twins")
    assert told.text.startswith("a and twin have the same labels wherever they share text")
    assert (told.level, told.evidence["annotators"]) == ("warning", ["a", "twin"])
    assert "twins" not in kinds(remarks_before(world.select(np.arange(10)))), (
        "a few spans may well be the same"
    )


def test_two_who_differ_are_told_that_nobody_decides_until_a_third_does() -> None:
    two = {"a": 0.6, "b": 0.6}
    (told,) = (one for one in remarks_before(drawn_cast(two)) if one.kind == "undecided")
    assert (told.level, told.evidence["annotators"]) == ("warning", ["a", "b"])
    assert "undecided" not in kinds(remarks_before(drawn_cast({**two, "c": 0.6})))
    others = drawn_cast({"c": 0.6, "d": 0.6}, seed=1)
    (islands,) = (one for one in remarks_before(joined(drawn_cast(two), others)) if one.kind == "undecided")
    assert islands.text.startswith("two by two, a, b, c, d differ on ")
    with_blank = drawn_cast({**two, "c": 0.6, "d": 0.6})
    for who in (2, 3):
        with_blank = without(with_blank, 1.0, who=who)
    assert "undecided" in kinds(remarks_before(with_blank)), "who marks nothing decides nothing"


def test_of_pairs_who_are_apart_those_who_differ_are_named_and_no_others() -> None:
    differing, agreeing = drawn_cast({"a": 0.6, "b": 0.6}), drawn_cast({"c": 0.97, "d": 0.97}, seed=1)
    (told,) = (one for one in remarks_before(joined(differing, agreeing)) if one.kind == "undecided")
    assert told.evidence["annotators"] == ["a", "b"]
    (alone,) = (one for one in remarks_before(differing) if one.kind == "undecided")
    assert told.evidence["share"] == alone.evidence["share"]
    assert "undecided" not in kinds(remarks_before(agreeing))


def test_the_share_on_which_two_differ_is_counted_token_by_token() -> None:
    lines = ["Ada/?/B-PER/B-PER slept/?/O/O", "Bo/?/B-PER/O left/?/O/O", "Cy/?/O/B-LOC sat/?/O/O"]
    (told,) = (one for one in remarks_before(small_corpus(*lines * 40)) if one.kind == "undecided")
    assert told.evidence["share"] == pytest.approx(2 / 3, abs=1e-4)
    assert told.evidence["tokens"] == 120
    assert "undecided" not in kinds(remarks_before(small_corpus(*lines * 33))), "99 tokens may be chance"


def test_a_type_that_one_alone_uses_is_named() -> None:
    line = "Ada/?/B-PER/B-PER/B-PER met/?/O/O/O Bo/?/B-PER/B-PER/B-HERO"
    (told,) = (one for one in remarks_before(small_corpus(*[line] * 40)) if one.kind == "lone-type")
    assert told.text.endswith("although others labelled the same text: HERO (by a3, 40 times)")
    assert "lone-type" not in kinds(remarks_before(small_corpus(*[line] * 9))), "a few are no habit"
    apart = [line, "Cy/?/?/?/B-ORG ran/?/?/?/O"] * 40
    assert "ORG" not in " ".join(one.text for one in remarks_before(small_corpus(*apart))), (
        "nobody else was there"
    )


def test_one_token_is_told_as_one() -> None:
    (told,) = (
        one for one in remarks_before(small_corpus("Ada/?/B-PER/O slept/?/O/O")) if one.kind == "confidence"
    )
    assert told.text.endswith("only 1 token that somebody marked is labelled by more than one")
