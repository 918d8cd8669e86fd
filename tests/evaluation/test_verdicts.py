"""Verdicts: the arithmetic against plain loops, and what people of known quality are told."""

import csv
import io
from dataclasses import replace
from math import exp, log
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

from builders import corpus, random_corpus
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import Span, decode, encode
from crowdseq.evaluation.span_work import SpanWork
from crowdseq.evaluation.verdicts import DROP, GOOD, UNKNOWN, WATCH, Measure, _Errors, with_verdicts
from crowdseq.workflows.learning import learn
from crowdseq.workflows.runs.saving import annotators_csv
from kinship_oracles import drawn_cast


def told(world: Corpus, method: str = "dawid-skene", **settings: Any) -> dict[str, AnnotatorReport]:
    run = learn(world, method, tagger=False, **settings)
    return {report.annotator: report for report in run.annotators}


def slow_work(world: Corpus) -> dict[tuple[int, Span], dict[int, bool]]:
    """Every span that somebody drew or gold has, with those who saw it and whether they drew it."""
    found: dict[tuple[int, Span], dict[int, bool]] = {}
    for place in range(len(world)):
        ballot = world.annotations.ballots[place]
        rows = {
            int(voter): world.scheme.names(tags)
            for voter, tags in zip(ballot.voters, ballot.tags, strict=True)
        }
        drawn = {voter: set(decode(world.scheme, tags, lenient=True)) for voter, tags in rows.items()}
        for span in set().union(set(decode(world.scheme, world.gold[place] or ())), *drawn.values()):
            seen = {
                voter: span in drawn[voter]
                for voter, tags in rows.items()
                if None not in tags[span.start : span.end]
            }
            if len(seen) > 1:
                found[place, span] = seen
    return found


def slow_belief(world: Corpus) -> dict[tuple[int, Span], float]:
    """The same model span by span, in plain loops."""
    work = slow_work(world)
    settled = {key: key[1] in decode(world.scheme, world.gold[key[0]] or ()) for key in work}
    belief = {key: 0.95 if settled[key] else 0.05 for key in work}
    people = range(len(world.annotators))

    def rates(weight: dict[tuple[int, Span], float]) -> tuple[list[float], float]:
        drew = [sum(weight[key] for key in work if work[key].get(who)) for who in people]
        saw = [sum(weight[key] for key in work if who in work[key]) for who in people]
        pooled = sum(drew) / sum(saw)
        mine = [min(max((d + 4 * pooled) / (s + 4), 1e-3), 1 - 1e-3) for d, s in zip(drew, saw, strict=True)]
        has = sum(weight[key] for key in work if settled[key])
        return mine, min(max((has + 2) / (sum(weight.values()) + 4), 1e-3), 1 - 1e-3)

    for _ in range(15):
        before = dict(belief)
        found, right = rates(belief)
        invented, wrong = rates({key: 1 - value for key, value in belief.items()})
        share = min(max(sum(belief.values()) / len(belief), 0.01), 0.99)
        odds = {}
        for key, seen in work.items():
            score = log(share / (1 - share))
            score += log(right / wrong) if settled[key] else log((1 - right) / (1 - wrong))
            for who, drew in seen.items():
                one, other = found[who], invented[who]
                score += log(one / other) if drew else log((1 - one) / (1 - other))
            odds[key] = exp(min(max(score, -30), 30))
        for key in work:
            rivals = [other for other in work if other != key and other[0] == key[0] and _touch(other, key)]
            belief[key] = odds[key] / (1 + odds[key] + sum(odds[other] for other in rivals))
        if max(abs(belief[key] - before[key]) for key in work) < 1e-4:
            break
    return belief


def _touch(one: tuple[int, Span], other: tuple[int, Span]) -> bool:
    return one[1].start < other[1].end and other[1].start < one[1].end


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_belief_and_counts_are_those_of_plain_loops(seed: int) -> None:
    world = random_corpus(seed, sentences=12, annotators=4, voters=3, types=["LOC", "PER"])
    work, slow = SpanWork.of(world, world.gold_tags), slow_work(world)
    belief, expected = work.belief(), slow_belief(world)
    sentences = world.text.sentence_of[work.spans.starts]
    keys = [
        (int(place), Span(int(start - begin), int(end - begin), world.scheme.types[kind]))
        for place, start, end, kind, begin in zip(
            sentences,
            work.spans.starts,
            work.spans.ends,
            work.spans.types,
            world.offsets[sentences],
            strict=True,
        )
    ]
    assert set(keys) == set(slow)
    np.testing.assert_allclose(belief, [expected[key] for key in keys], rtol=1e-9, atol=1e-12)
    for who in range(len(world.annotators)):
        drew = [key for key in slow if slow[key].get(who)]
        assert work.n_drawn[who] == len(drew)
        assert work.hits(belief)[who] == pytest.approx(sum(expected[key] for key in drew))
        wanted = sum(value for key, value in expected.items() if who in slow[key])
        assert work.wanted(belief)[who] == pytest.approx(wanted)


def test_the_interval_is_that_of_a_beta_distribution_of_half_as_many_spans() -> None:
    measure = Measure.of("F1", 0.7, 200.0)
    expected = [float(beta.ppf(edge, 0.7 * 100 + 0.5, 0.3 * 100 + 0.5)) for edge in (0.05, 0.95)]
    assert (measure.low, measure.high) == pytest.approx(tuple(expected))


@pytest.mark.parametrize(
    ("value", "spans", "verdict"),
    [
        (0.9, 100, GOOD), (0.81, 100, GOOD), (0.79, 100, WATCH), (0.41, 100, WATCH), (0.39, 100, DROP),
        (0.0, 20, DROP), (0.9, 4, UNKNOWN), (0.6, 8, UNKNOWN), (0.0, 2, UNKNOWN),
    ],
)  # fmt: skip
def test_a_verdict_follows_the_figure_and_needs_a_short_interval(
    value: float, spans: float, verdict: str
) -> None:
    assert Measure.of("F1", value, spans).verdict == verdict


def test_people_are_told_what_they_are_by_any_method() -> None:
    world = drawn_cast({"ann": 0.97, "bob": 0.92, "cy": 0.9, "dot": 0.6, "eve": 0.15}, sentences=120)
    for method in ("majority-vote", "dawid-skene"):
        verdicts = {name: report.verdict for name, report in told(world, method).items()}
        assert verdicts == {"ann": GOOD, "bob": GOOD, "cy": GOOD, "dot": WATCH, "eve": DROP}, method


def test_a_copy_is_named_with_whom_it_copies() -> None:
    skills = {"ann": 0.9, "bob": 0.85, "cy": 0.6, "dot": 0.85}
    reports = told(drawn_cast(skills, {"parrot": ("cy", 0.0)}, sentences=200))
    assert reports["parrot"].evidence["kin"] == ["cy"]
    assert "agrees with cy as only copies do" in reports["parrot"].reason
    assert reports["ann"].evidence["kin"] == []


def test_few_long_sentences_with_many_spans_are_evidence_enough() -> None:
    scheme, builder = LabelScheme.of_types(["LOC", "PER"]), CorpusBuilder()
    rng = np.random.default_rng(0)
    for number in range(7):
        spans = [Span(3 * i, 3 * i + 2, str(rng.choice(["LOC", "PER"]))) for i in range(57)]
        votes = {}
        for name in ("ann", "bob", "cy", "dot"):
            votes[name] = encode(scheme, [span for span in spans if rng.random() < 0.95], 172)
        builder.add(Record([f"w{i}" for i in range(172)], f"s{number}", None, votes, None))
    reports = told(builder.build(scheme)).values()
    assert [report.verdict for report in reports] == [GOOD] * 4
    assert not any(report.flags for report in reports)


def test_who_marks_nothing_is_dropped_for_that() -> None:
    world = corpus(*["Ada/?/B-PER/B-PER/O slept/?/O/O/O"] * 30)
    report = told(world)["a3"]
    assert (report.verdict, report.reason) == (DROP, "marks nothing, where the others have 30 spans")


def test_who_is_alone_cannot_be_judged_and_is_told_why() -> None:
    report = told(corpus(*["Ada/?/B-PER slept/?/O"] * 50))["a1"]
    assert report.verdict == UNKNOWN
    assert report.reason.startswith("shares no token with anybody")


def test_who_marks_among_people_who_never_do_is_alone() -> None:
    """Blank people say nothing of what others mark, so that nobody confirms the one who does."""
    report = told(corpus(*["Ada/?/B-PER/O/O slept/?/O/O/O"] * 60), silence="auto")
    assert report["a1"].verdict == UNKNOWN
    assert report["a1"].reason.startswith("nobody else who marks anything labelled the same text")
    assert [report[name].verdict for name in ("a2", "a3")] == [DROP, DROP]


def test_who_labelled_nothing_is_told_so_and_not_accused() -> None:
    report = told(corpus(*["Ada/B-PER/B-PER/B-PER/? slept/O/O/O/?"] * 30, annotators=["a", "b", "c"]))
    assert set(report) == {"a", "b"}
    world = CorpusBuilder()
    for number in range(30):
        votes: dict[str, list[str | None]] = {"a": ["B-PER", "O"], "idle": [None, None]}
        votes["b"] = votes["a"]
        world.add(Record(["Ada", "slept"], f"s{number}", None, votes, None))
    idle = told(world.build())["idle"]
    assert (idle.verdict, idle.reason, idle.further_flags) == (
        UNKNOWN,
        "labelled nothing",
        ("little evidence: 30 sentences, 0 tokens",),
    )


def test_a_flag_does_not_repeat_the_reason() -> None:
    world = drawn_cast({"c1": 0.6, "g1": 0.85, "g2": 0.85, "g3": 0.8}, {"c2": ("c1", 0.0)})
    report = told(world)["c2"]
    assert "agrees with c1 as only copies do" in report.reason
    assert [flag for flag in report.flags if "copy" in flag]
    assert not [flag for flag in report.further_flags if "copy" in flag]


def test_with_too_little_evidence_nobody_is_called_a_spammer() -> None:
    """Somebody who never marks, of whom no span tells: the flag is kept, and no page accuses them."""
    world = corpus(*["Ada/?/B-PER/O/O slept/?/O/O/O"] * 60)
    report = told(world, "majority-vote")["a1"]
    flagged = replace(report, flags=("spam: labels do not depend on the text", "little evidence: 1 sentence"))
    assert flagged.verdict == UNKNOWN
    assert flagged.further_flags == ("little evidence: 1 sentence",)
    assert replace(flagged, verdict=DROP, reason="marks nothing").further_flags == flagged.flags


def test_who_marks_nothing_where_hardly_anything_is_accuses_nobody_of_zero_spans() -> None:
    """Of one sentence the consensus holds one span for hardly possible."""
    reasons = [one.reason for one in told(corpus("Ada/?/B-PER/O slept/?/O/O"), "sa-slc").values()]
    assert not any("0 spans" in reason for reason in reasons)


def test_against_gold_somebody_alone_is_judged() -> None:
    report = told(corpus(*["Ada/B-PER/B-PER slept/O/O"] * 50), "gold")["a1"]
    assert report.verdict == GOOD


def test_labelling_functions_are_judged_by_what_they_say_not_by_their_silence() -> None:
    rng, builder = np.random.default_rng(1), CorpusBuilder()
    scheme, names = LabelScheme.of_types(["PER"]), [f"f{number}" for number in range(20)]
    for number in range(800):
        truth = [Span(0, 1, "PER"), Span(4, 5, "PER")]
        speaks = {name: [span for span in truth if rng.random() < 0.07] for name in names}
        if rng.random() < 0.06:
            speaks["f0"] = [Span(7, 8, "PER")]
        votes = {name: encode(scheme, spans, 9) for name, spans in speaks.items()}
        builder.add(Record([f"x{number}-{at}" for at in range(9)], f"s{number}", None, votes, None))
    for method, settings in (("majority-vote", {"silence": "auto"}), ("dawid-skene", {"silence": "auto"})):
        reports = told(builder.build(scheme), method, **settings)
        assert DROP not in {report.verdict for report in reports.values()}
        assert reports["f7"].evidence["measure"] == "precision"
        assert reports["f7"].verdict == GOOD


def test_tags_without_spans_are_judged_beyond_chance() -> None:
    rng, tags = np.random.default_rng(2), ["N", "V", "A", "P"]
    skills = {"ann": 0.97, "bob": 0.95, "cy": 0.93, "dot": 0.65, "eve": 0.0}
    builder = CorpusBuilder()
    for number in range(120):
        truth = [str(rng.choice(tags)) for _ in range(8)]
        votes = {
            name: [tag if rng.random() < skill else str(rng.choice(tags)) for tag in truth]
            for name, skill in skills.items()
        }
        builder.add(Record([f"w{i}" for i in range(8)], f"s{number}", None, votes, None))
    reports = told(builder.build("plain"))
    assert {name: report.verdict for name, report in reports.items()} == {
        "ann": GOOD, "bob": GOOD, "cy": GOOD, "dot": WATCH, "eve": DROP,
    }  # fmt: skip
    assert reports["ann"].evidence["measure"] == "skill"


def test_a_type_that_somebody_never_marks_is_named() -> None:
    good = "Ada/?/B-PER/B-PER/B-PER/B-PER in/?/O/O/O/O Rome/?/B-LOC/B-LOC/B-LOC/O"
    reports = told(corpus(*[good] * 40))
    assert "never marks LOC" in reports["a4"].reason
    assert reports["a4"].evidence["never_marks"] == ["LOC"]


def test_a_crowd_that_marked_nothing_is_survived() -> None:
    reports = told(corpus(*["a/?/O/O b/?/O/B-X"], *["a/?/O/? b/?/O/?"] * 3))
    assert {report.verdict for report in reports.values()} == {UNKNOWN}
    nothing = Consensus(corpus("a/O"), np.zeros(1, np.int16), np.ones((1, 1)), ())
    assert with_verdicts(nothing) is nothing


def test_verdict_and_reason_stand_at_the_end_of_the_table() -> None:
    reports = tuple(told(corpus(*["Ada/?/B-PER/B-PER/O slept/?/O/O/O"] * 30)).values())
    rows = list(csv.DictReader(io.StringIO(annotators_csv(reports))))
    assert list(rows[0])[-4:] == ["spam", "flags", "verdict", "reason"]
    assert {row["annotator"]: row["verdict"] for row in rows}["a3"] == DROP


def test_nobody_is_accused_of_anything_by_one_span() -> None:
    """Neither by the reason nor by a flag, and of many such spans by both."""
    row = "Ada/B-PER/I-LOC/B-PER/B-PER/B-PER slept/O/O/O/O/O"
    few, many = (told(corpus(*[row] * n, scheme="IOB2"))["a1"] for n in (1, 40))
    assert few.verdict == UNKNOWN
    assert few.reason.endswith("on only 1 span")
    assert not [flag for flag in few.flags if not flag.startswith("little evidence")]
    assert many.verdict == DROP
    assert "wrong types in 100 % of the marks" in many.reason
    assert "breaks the label scheme in 100 % of the labelled spans" in many.flags


def test_nobody_overlooks_more_than_all() -> None:
    """What is believed by halves is wanted by halves, but overlooked as a whole."""
    world = random_corpus(0, annotators=6, sentences=60, voters=6, accuracy=0.55)
    work = SpanWork.of(world, learn(world, "dawid-skene", tagger=False).consensus.tag_ids)
    halves = np.full(len(work.spans), 0.6)
    errors = _Errors.of(work, halves, world)
    assert (errors.overlooked <= errors.right).all()
    assert (errors.overlooked > work.wanted(halves)).any()
    seen_by = [int((work.seen_by == number).sum()) for number in range(work.n_annotators)]
    assert errors.right.tolist() == seen_by
