"""What the text suggests beside kept labels, on the page."""

import re

from builders import corpus
from crowdseq.core.consensus import Consensus
from crowdseq.reports.html.suggestions import SHOWN_SUGGESTIONS
from crowdseq.workflows.demonstrating import demo_corpus
from lone_worlds import all_to_be_added, kept_against
from reports.hostile import hostile_corpus
from reports.pages import PageReader, page_of_consensus, page_on


def text_of(consensus: Consensus) -> str:
    return PageReader(page_of_consensus(consensus)).text


def test_each_kind_is_told_in_its_sentence() -> None:
    world = corpus("Ada/O met/O Acme/O Corp/O in/O old/O Rome/O", gold=False, scheme=demo_corpus().scheme)
    kept = ["O", "O", "B-ORG", "O", "O", "B-MISC", "O"]
    found = ["B-PER", "O", "B-ORG", "I-ORG", "O", "O", "O"]
    page = page_of_consensus(kept_against(world, kept, found, sure=0.84))
    reader = PageReader(page)
    assert "#suggestions" in reader.links
    assert "What the text suggests beside the kept labels" in reader.text
    assert "Add “Ada” PER 84 % sure" in reader.text
    assert "“Acme Corp” ORG instead of “Acme” ORG" in reader.text
    assert "In doubt: “old” MISC" in reader.text
    assert re.search(r'<span class="maybe k\d">Ada</span> met Acme Corp in old Rome', page)
    assert re.search(r'Ada met <mark class="k\d doubt">Acme Corp</mark> in old Rome', page)


def test_a_usual_crowd_has_no_such_section() -> None:
    assert "suggestions" not in PageReader(page_on(demo_corpus().select(range(30)))).places


def test_kept_labels_that_the_text_finds_too_have_no_such_section() -> None:
    world = corpus("Ada/O met/O", gold=False, scheme=demo_corpus().scheme)
    page = page_of_consensus(kept_against(world, ["B-PER", "O"], ["B-PER", "O"]))
    assert "suggestions" not in PageReader(page).places


def test_the_surest_come_first_and_the_rest_is_counted() -> None:
    number = SHOWN_SUGGESTIONS + 7
    world = corpus(*["Ada/O slept/O"] * number, gold=False, scheme=demo_corpus().scheme)
    consensus = kept_against(world, ["O", "O"] * number, ["B-PER", "O"] * number, sure=0.6)
    shares = consensus.probabilities.copy()
    shares[80] = 0.0
    shares[80, world.scheme.index["B-PER"]] = 1.0
    object.__setattr__(consensus, "probabilities", shares)
    text = text_of(consensus)
    assert "1. Add “Ada” PER 100 % sure" in text
    assert "The next 40 suggestions" in text
    assert "7 suggestions less sure: see suggestions.jsonl" in text


def test_hostile_text_and_long_sentences_do_no_harm() -> None:
    PageReader(page_of_consensus(all_to_be_added(hostile_corpus())))
    long = corpus(" ".join(f"t{number}/O" for number in range(2000)), gold=False, scheme=demo_corpus().scheme)
    found = ["O"] * 2000
    found[1000:1900] = ["B-PER", *["I-PER"] * 899]
    section = page_of_consensus(kept_against(long, ["O"] * 2000, found))
    section = section.split('id="suggestions"')[1].split("</section>")[0]
    assert "… t960 " in section
    assert " t1939 …" in section
    assert "t1500 " not in section
