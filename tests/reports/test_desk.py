"""The first screen, agreement, what is unclear, and the sheets: facts on the page."""

import re
from dataclasses import replace

import numpy as np
import pytest

from builders import corpus
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.text import Sentence
from crowdseq.evaluation.agreement import measure_agreement
from crowdseq.evaluation.disputes import find_disputes, label_pairs
from crowdseq.reports.html.agreement import crowd_confusion
from crowdseq.reports.html.annotators import by_urgency, chosen_for_sheets, find_examples
from crowdseq.reports.html.desk import crowd_verdict
from crowdseq.reports.html.disputes import TO_REVIEW
from crowdseq.reports.html.passages import gaps_of, running_text
from crowdseq.workflows.demonstrating import demo_corpus
from crowdseq.workflows.run import Run
from reports.pages import PageReader, page_of, page_on, run_on, section_of


@pytest.fixture(scope="module")
def demo() -> Run:
    return run_on(demo_corpus())


@pytest.fixture(scope="module")
def page(demo: Run) -> str:
    return page_of(demo)


def text_of(page: str, anchor: str) -> str:
    return PageReader(f"<div>{section_of(page, anchor)}</div>").text


def test_three_actions_count_people_places_and_the_pair(demo: Run, page: str) -> None:
    consensus = demo.consensus
    overview = section_of(page, "overview")
    assert re.findall(r'href="#(\w+)"', overview)[:3] == ["annotators", "sentences", "unclear"]
    text = text_of(page, "overview")
    bad = sum(report.verdict in ("drop", "watch") for report in consensus.annotators)
    assert f"{bad} people to look at" in text
    disputes = find_disputes(consensus.corpus, consensus)
    assert f"{int((disputes.confidence < TO_REVIEW).sum()):,} spans to review" in text
    assert f"of {len(disputes):,} disputed places" in text
    kept = [report.annotator for report in consensus.annotators if report.verdict != "drop"]
    trusted = replace(consensus, corpus=consensus.corpus.keep_annotators(kept), annotators=())
    pairs = [pair for pair in label_pairs(find_disputes(trusted.corpus, trusted)) if pair.second is not None]
    assert f"{pairs[0].first} / {pairs[0].second} is unclear: {len(pairs[0].disputes)} disputes" in text


def test_a_crowd_is_judged_by_how_many_labels_come_from_good_people(demo: Run) -> None:
    reports = demo.consensus.annotators

    def crowd(*verdicts: str) -> str:
        pairs = zip(reports, verdicts, strict=False)
        return crowd_verdict([replace(report, tokens=100, verdict=one) for report, one in pairs])

    assert crowd("good", "good", "good", "watch").startswith("A good crowd: 75")
    assert crowd("good", "watch").startswith("A mixed crowd")
    assert crowd("good", "watch", "watch", "watch").startswith("A weak crowd")
    assert crowd("good", "good", "good", "drop").startswith("A crowd with much bad work: 25")
    assert "too little evidence" in crowd("too little evidence")
    assert crowd_verdict(()) == "Nobody labelled this text."
    assert crowd("watch") == "A weak crowd: none of the labels come from good annotators."
    unsure = crowd("good", "watch", "too little evidence", "too little evidence")
    assert (
        unsure
        == "Half of the labels or more cannot be judged; of the others 50\u00a0% come from good annotators."
    )


def test_a_crowd_that_marked_nothing_is_told_that_and_nothing_else() -> None:
    """Two labelled every token of it, and nobody is flagged for what is no fault."""
    text = text_of(page_on(corpus(*["She/?/O/O slept/?/O/O"] * 20), "majority-vote"), "overview")
    assert "Nobody can be judged: nobody marked anything." in text
    assert "No span to review" in text
    assert "no text was labelled by two" not in text
    assert "labelled by two or more" not in text
    assert "nobody else labelled" not in text


def test_those_to_look_at_come_first_and_have_a_reason(demo: Run, page: str) -> None:
    reports = demo.consensus.annotators
    verdicts = [str(reports[number].verdict) for number in by_urgency(reports)]
    order = ["drop", "watch", "too little evidence", "good"]
    assert verdicts == sorted(verdicts, key=order.index)
    rows = section_of(page, "annotators").split("<tbody>")[1].split("</tbody>")[0]
    assert re.findall(r'<tr data-verdict="([^"]*)"', rows) == verdicts
    assert "marks nothing, where the others have" in text_of(page, "annotators")


def test_alpha_is_that_of_agree_with_its_interval(page: str) -> None:
    alpha = measure_agreement(demo_corpus()).overall.alpha
    assert alpha is not None
    found = re.search(
        r"Krippendorff’s α is ([\d.]+) \(([\d.]+) to ([\d.]+)\), which is low", text_of(page, "agreement")
    )
    assert found
    middle, low, high = map(float, found.groups())
    assert middle == pytest.approx(alpha, abs=0.005)
    assert low < middle < high


def test_the_confusion_of_the_crowd_sums_up_everybodys(demo: Run) -> None:
    counts, names = crowd_confusion(demo.consensus)
    assert names == ["LOC", "MISC", "ORG", "PER", "nothing"]
    every = sum(report.confusion.sum() for report in demo.consensus.annotators)
    assert counts.sum() == pytest.approx(every)
    tags = demo.consensus.corpus.scheme.tags
    inside = [number for number, tag in enumerate(tags) if tag.endswith("-LOC")]
    own = sum(report.confusion[np.ix_(inside, inside)].sum() for report in demo.consensus.annotators)
    assert counts[0, 0] == pytest.approx(own)


def test_a_word_that_is_disputed_again_and_again_is_named() -> None:
    one = "Bank/B-ORG/B-ORG/B-ORG/B-LOC/B-LOC said/O/O/O/O/O"
    text = text_of(page_on(corpus(*[one] * 4, gold=False), "majority-vote"), "unclear")
    assert "LOC / ORG: 4 disputes" in text
    assert "BankORG 4ORG 12 · LOC 84" in text


def test_a_sheet_has_examples_of_what_its_owner_marks_otherwise(demo: Run) -> None:
    disputes = find_disputes(demo.consensus.corpus, demo.consensus)
    for number, examples in find_examples(disputes, range(8)).items():
        assert 0 < len(examples) <= 4
        for one in examples:
            own = [reading for reading in one.readings if number in reading.annotators]
            assert len(own) == 1
            assert own[0] is not one.readings[one.settled]


def test_spaces_of_the_source_are_kept() -> None:
    sentence = Sentence("a", None, ("U.S", ".", "-", "led", "force"), extras={"text": "The U.S.-led  force"})
    assert gaps_of(sentence) == ["", "", "", "", " "]


def test_text_that_does_not_fit_is_not_used() -> None:
    sentence = Sentence("a", None, ("b", "c"), extras={"text": "b x c"})
    assert gaps_of(sentence) == ["", " "]


@pytest.mark.parametrize(
    ("tokens", "wanted"),
    [
        ('He said : " No , thanks . " ( twice )', 'He said: "No, thanks." (twice)'),
        ("John 's dogs ' bowl", "John's dogs' bowl"),
        ("我 爱 北 京 。", "我爱北京。"),
        ("5 % of $ 3", "5% of $3"),
    ],
)
def test_without_a_source_text_is_joined_as_people_write_it(tokens: str, wanted: str) -> None:
    words = tuple(tokens.split())
    gaps = gaps_of(Sentence("a", None, words))
    assert running_text(list(words), gaps, 0, len(words)) == wanted


def test_one_annotator_gets_other_actions() -> None:
    page = page_on(demo_corpus().keep_annotators(["ana"]), "majority-vote")
    text = text_of(page, "overview")
    assert "Nobody can be judged: no text was labelled by two." in text
    assert "have some text labelled by two or more" in text
    assert "in doubt" in text
    assert "agreement" not in PageReader(page).places


def test_people_who_agree_have_nothing_to_review() -> None:
    text = text_of(
        page_on(corpus(*["Ada/B-PER/B-PER slept/O/O"] * 30, gold=False), "majority-vote"), "overview"
    )
    assert "Nothing is disputed" in text


def test_names_and_words_of_the_data_are_escaped_everywhere() -> None:
    builder = CorpusBuilder()
    bad = "<b>x</b>"
    for number in range(6):
        tags = {bad: ["B-<i>"], "b": ["B-LOC"], "c": ["O"], "d": ["B-<i>"]}
        builder.add(Record([bad], id=f"{bad}{number}", annotations=tags))
    page = page_on(builder.build(), "majority-vote")
    assert "<b>x" not in page
    assert "<i>" not in page
    assert "&lt;i&gt;" in section_of(page, "unclear")


def test_the_command_that_was_typed_is_on_the_page() -> None:
    from crowdseq.reports.html import report_html
    from crowdseq.workflows.run import run_metrics

    run = run_on(corpus("Ada/B-PER/B-PER slept/O/O"))
    metrics = run_metrics(run)
    typed = "crowdseq learn crowd.jsonl"
    assert f"<code>{typed}</code>" in report_html(run.consensus, metrics, {"command": typed})
    call = report_html(run.consensus, metrics, {"settings": {"rounds": 3}})
    assert "crowdseq.learn(corpus, &#x27;dawid-skene&#x27;, rounds=3)" in call


def test_sheets_of_a_large_crowd_are_of_those_to_look_at_first(demo: Run) -> None:
    judged = demo.consensus.annotators[0]
    verdicts = ["good"] * 70 + ["watch"] * 30 + ["drop"] * 20
    reports = [
        replace(judged, annotator=f"w{number:03}", verdict=verdict, tokens=1000 - number)
        for number, verdict in enumerate(verdicts)
    ]
    chosen = chosen_for_sheets(reports, by_urgency(reports))
    assert len(chosen) == 60
    assert [reports[number].verdict for number in chosen] == ["drop"] * 20 + ["watch"] * 30 + ["good"] * 10
    assert {number for number in chosen if verdicts[number] == "good"} == set(range(10))
