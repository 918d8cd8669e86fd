"""The whole page on all kinds of worlds."""

import re
from pathlib import Path

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.formats import read
from crowdseq.reports.html.desk import _still_climbs
from crowdseq.reports.html.sentences import SHOWN_SENTENCES, hardest_sentences
from crowdseq.workflows.demonstrating import demo_corpus
from reports.pages import PageReader, page_of, page_of_consensus, page_on, run_on, section_of


@pytest.fixture(scope="module")
def demo_page() -> str:
    return page_on(demo_corpus())


def test_every_section_is_there_and_linked(demo_page: str) -> None:
    reader = PageReader(demo_page)
    order = ["overview", "annotators", "agreement", "unclear", "sentences", "consensus", "quality"]
    order += ["convergence", "recipe"]
    assert set(order) <= reader.places
    assert reader.links[: len(order)] == [f"#{place}" for place in order]
    assert all(link[1:] in reader.places for link in reader.links)


def test_the_figures_are_those_of_the_run() -> None:
    run = run_on(demo_corpus())
    text = PageReader(page_of(run)).text
    assert "8 annotators labelled 501 sentences (7,367 tokens, 68 documents)" in text
    assert f"{100 * run.consensus.token_confidence.mean():.1f} %" in text
    for report in run.consensus.annotators:
        flags = "".join(f"⚠ {flag}" for flag in report.flags)
        assert f"{report.verdict}{report.reason}{flags}{report.skill:.2f}".replace("-", "−") in text.replace(
            "-", "−"
        )


def test_the_page_asks_nothing_of_the_network(demo_page: str) -> None:
    assert not re.search(r"https?:|//[a-z]|url\(|@import|\bsrc=|fetch\(|XMLHttp", demo_page)


def test_the_title_is_the_heading() -> None:
    page = page_of(run_on(corpus("a/O/O b/B-PER/B-PER")), title="Ours & theirs")
    assert "<title>Ours &amp; theirs</title>" in page
    assert "<h1>Ours &amp; theirs</h1>" in page


def test_the_same_run_gives_the_same_page() -> None:
    run = run_on(demo_corpus().select(range(50)))
    without_date = [re.sub(r"20\d\d-[^<]*", "", page_of(run)) for _ in range(2)]
    assert without_date[0] == without_date[1]


def test_without_gold_there_are_no_scores_and_it_is_said() -> None:
    page = page_on(demo_corpus().without_gold())
    reader = PageReader(page)
    assert "quality" not in reader.places
    assert "There are no gold labels here" in reader.text
    assert "F1 against gold" not in reader.text


def test_one_annotator_is_not_judged() -> None:
    text = PageReader(page_on(demo_corpus().keep_annotators(["ana"]))).text
    assert "shares no token with anybody, so that there is nothing to compare" in text
    assert "cannot be judged" not in text, "the reason tells it already"
    assert "1 annotator labelled" in text


def test_plain_labels_stand_below_every_token() -> None:
    world = random_corpus(1, kind="plain", types=("NOUN", "VERB"), unlabelled=0.2)
    page = page_on(world)
    assert "right, by gold" in PageReader(page).text
    assert section_of(page, "sentences").count("<mark") == world.n_tokens


def test_gold_without_annotators_makes_a_page() -> None:
    reader = PageReader(page_on(corpus("Ada/B-PER slept/O", "Bob/B-PER ate/O"), "gold"))
    assert "annotators" not in reader.places
    assert "shown gold labels while it learned" in reader.text


def test_only_outside_makes_a_page() -> None:
    world = corpus("a/O/O b/O/O", "c/O/O", scheme="IOB2")
    assert "no label but O" in PageReader(page_on(world)).text


def test_empty_sentences_and_sentences_that_nobody_saw_make_a_page() -> None:
    builder = CorpusBuilder()
    builder.add(Record([], id="empty", doc="d", annotations={"a": []}))
    builder.add(
        Record(["Ada", "slept"], id="seen", doc="d", annotations={"a": ["B-PER", "O"], "b": ["O", "O"]})
    )
    builder.add(Record(["Ada", "ate"], id="unseen", doc="e"))
    text = PageReader(page_on(builder.build())).text
    assert "Nobody labelled this sentence" in text
    assert "1 sentence was labelled by nobody" in text


def test_an_unfinished_climb_is_told() -> None:
    text = PageReader(page_on(demo_corpus().select(range(80)), rounds=2)).text
    assert "stopped at its limit of 2 rounds" in text
    assert "stopped at its limit" not in PageReader(page_on(demo_corpus().select(range(80)))).text
    # Twenty rounds of the same are at their limit too, but the last of them hardly moved anything.
    late = PageReader(page_on(demo_corpus().select(range(80)), rounds=20, tolerance=0.0))
    assert "in 20 rounds" in late.text
    assert "stopped at its limit" not in late.text


def test_the_demo_does_not_complain_of_its_own_limit(demo_page: str) -> None:
    """Its rounds go up and down at the end, by more or less: neither is a climb."""
    assert "stopped at its limit" not in PageReader(demo_page).text
    assert not _still_climbs([-60.0, -20.0, -10.0, -14.0, -11.0])
    assert not _still_climbs([-60.0, -20.0, -10.0, -11.0, -14.0])
    assert _still_climbs([-60.0, -20.0, -15.0, -14.0])


def test_annotators_whose_names_look_alike_are_told() -> None:
    world = corpus("a/O/O/O b/B-PER/B-PER/O", annotators=["Ada", "ada"])
    assert "Names that look alike, perhaps one person: Ada and ada" in PageReader(page_on(world)).text


def test_the_hardest_sentences_come_first_and_the_rest_is_counted() -> None:
    world = random_corpus(5, sentences=SHOWN_SENTENCES + 30)
    run = run_on(world, "majority-vote")
    order = hardest_sentences(run.consensus)
    confidence = run.consensus.sentence_confidence[order]
    assert np.all(np.diff(confidence) >= 0)
    page = page_of(run)
    text = PageReader(page).text
    assert "30 easier sentences are not shown" in text
    first, second = (f"{rank}. {world.text.ids[order[rank - 1]]}" for rank in (1, 2))
    assert 0 < text.index(first) < text.index(second)


def test_lanes_show_who_differs_the_most_skilled_first() -> None:
    sentences = ["Ada/B-PER/B-PER/B-PER/B-LOC/O slept/O/O/O/O/O"] * 30
    page = page_on(corpus(*sentences), "majority-vote")
    lane = page[page.index('class="lanes"') :].split("</table>")[0]
    names = re.findall(r'<th scope="row">(?:<bdi>)?(\w+)', lane)
    assert names[:2] == ["consensus", "gold"]
    assert names[2:] == ["a1", "a2", "a3", "a4"]
    assert "<bdi>Ada</bdi>" in lane
    assert "slept" not in lane, "nobody differs there"


def test_a_crowd_that_agrees_has_no_lanes() -> None:
    page = page_on(corpus("Ada/B-PER/B-PER/B-PER slept/O/O/O"), "majority-vote")
    assert 'class="lanes"' not in page
    assert "All 2 annotators who labelled it agree with the consensus." in page


def test_who_labelled_none_of_the_disputed_tokens_has_no_lane() -> None:
    world = corpus("Ada/B-PER/B-PER/O/? met/O/?/?/O Bob/B-PER/B-PER/B-PER/?")
    lane = page_on(world, "majority-vote").split('class="lanes"')[1].split("</table>")[0]
    assert "<bdi>a2</bdi>" in lane
    assert "<bdi>a3</bdi>" not in lane
    assert "A dash is a token without a label." in page_on(world, "majority-vote")


def test_text_from_right_to_left_keeps_its_order() -> None:
    page = page_on(corpus("שלום/B-PER/B-PER/O עולם/O/O/B-PER"), "majority-vote")
    assert 'class="wide" dir="rtl"><table><caption' in page.replace(' class="lanes"', "")
    assert 'class="text" dir="auto" lang=""' in page


def test_a_very_long_sentence_is_shown_around_its_least_sure_token() -> None:
    tokens = [f"t{number}" for number in range(2000)]
    tags = ["O"] * 2000
    doubted = [*tags[:1500], "B-PER", *tags[1501:]]
    builder = CorpusBuilder()
    builder.add(Record(tokens, annotations={"a": tags, "b": doubted, "c": tags}))
    text = PageReader(page_on(builder.build("IOB2"), "majority-vote")).text
    assert "Tokens 1,441 to 1,560 of 2,000" in text
    assert " t1500" in text
    assert " t99 " not in text


def test_a_sure_and_a_doubtful_span_look_different() -> None:
    world = corpus("Ada/B-PER/B-PER slept/O/O", "Bob/B-PER/B-PER ate/O/O")
    shares = np.zeros((4, 3))
    shares[:, world.scheme.outside] = 1.0
    for token, sure in ((0, 0.99), (2, 0.55)):
        shares[token] = 0.0
        shares[token, world.scheme.index["B-PER"]] = sure
        shares[token, world.scheme.outside] = 1 - sure
    page = page_of_consensus(settle(world, shares))
    assert '<mark class="k0">Ada' in page
    assert '<mark class="k0 doubt">Bob' in page
    assert "PER 55 %, or nothing 45 %" in PageReader(page).text


def test_an_input_is_named_without_its_folder() -> None:
    from crowdseq.reports.html import report_html
    from crowdseq.workflows.run import run_metrics

    run = run_on(corpus("a/O/O b/B-PER/B-PER"))
    inputs = [{"name": "/home/ada/secret/crowd.jsonl", "records": 1, "sha256": "ab" * 32}]
    page = report_html(run.consensus, run_metrics(run), {"inputs": inputs})
    assert "crowd.jsonl" in page
    assert "secret" not in page


def test_many_labels_are_folded_in_the_tables() -> None:
    types = [f"TYPE{number:03}" for number in range(200)]
    world = random_corpus(2, types=types, sentences=40)
    page = page_on(world, "majority-vote")
    heat = page.split('class="heat"')[1].split("</table>")[0]
    assert heat.count('scope="col"') == 12
    assert "<bdi>other</bdi>" in heat
    assert "right" not in heat.split("<bdi>other</bdi>")[-1], "rare labels are not told apart"
    assert len(page.encode()) < 3_000_000


def test_many_annotators_get_a_row_and_those_to_look_at_a_card() -> None:
    world = random_corpus(2, sentences=300, annotators=150, voters=5)
    page = page_on(world, "majority-vote")
    reader = PageReader(page)
    assert sum(bool(re.fullmatch(r"a\d+", place)) for place in reader.places) == 60
    rows = section_of(page, "annotators").split("<tbody>")[1].split("</tbody>")[0]
    assert rows.count("<tr") == 150
    assert "The 40 of 150 annotators with the most labels" in reader.text
    assert section_of(page, "agreement").count("<tspan") == 40
    assert "The 60 to look at first are shown, those with the most labels." in reader.text


def test_a_page_of_thousands_of_sentences_stays_small(shared_data: Path) -> None:
    world = read(str(shared_data / "amt_conll2003" / "crowd.jsonl.gz")).corpus
    page = page_of_consensus(settle(world, label_shares(world)))
    assert len(page.encode()) < 2_000_000
    PageReader(page)


@pytest.mark.parametrize("method", ["majority-vote", "mace", "ibcc"])
def test_the_rounds_of_a_method_that_has_some_are_drawn(method: str) -> None:
    run = run_on(demo_corpus().select(range(60)), method)
    assert ("convergence" in PageReader(page_of(run)).places) == (len(run.consensus.history) > 1)
    assert (len(run.consensus.history) > 1) == (method != "majority-vote")
