"""Sentences with their spans and confidence, the hardest first."""

import numpy as np

from crowdseq.core.consensus import Consensus
from crowdseq.core.text import Sentence
from crowdseq.evaluation.disputes import KINDS, Disputes
from crowdseq.reports.html.passages import Passage, colour_of, gaps_of, lanes, running_text, shown_words
from crowdseq.reports.html.section import (
    IN_DOUBT,
    NONE,
    Content,
    Markup,
    Section,
    ShownSpan,
    element,
    folded,
    name_of,
    shown_spans,
)
from crowdseq.reports.tables import count, following, percent

SHOWN_SENTENCES = 200
_OPEN_SENTENCES = 20
_ROOM = 1_000_000  # characters of the page for sentences; long ones with many lanes are fewer
_KINDS = {"type": "another label", "boundary": "other bounds", "missed": "somebody marked nothing"}


def sentence_section(consensus: Consensus, disputes: Disputes) -> Section | None:
    """None when there is no text."""
    if consensus.corpus.n_tokens == 0:
        return None
    order = hardest_sentences(consensus)
    kinds = _kinds_of(disputes, len(consensus.corpus))
    shown: list[Markup] = []
    room = _ROOM
    for rank, index in enumerate(order[:SHOWN_SENTENCES], start=1):
        shown.append(_article(consensus, rank, index, kinds[index]))
        room -= len(shown[-1].source)
        if room < 0 and rank >= _OPEN_SENTENCES:
            break
    rest = shown[_OPEN_SENTENCES:]
    words = following(len(rest), "sentence")
    more = len(order) - len(shown)
    easier = f"{count(more, 'easier sentence')} {'is' if more == 1 else 'are'} not shown here."
    content: list[Content] = [
        element("p", _how_to_read(consensus)),
        element("div", shown[:_OPEN_SENTENCES], class_="sentences", data_left=more),
        folded(words, element("div", rest, class_="sentences")) if rest else None,
        element("p", easier, class_="note") if more else None,
    ]
    return Section("sentences", "Sentences, the hardest first", "Sentences", content)


def _kinds_of(disputes: Disputes, size: int) -> list[str]:
    """For every sentence in which ways people differ there, in the words of the page."""
    bits = np.zeros(size, np.int64)
    np.bitwise_or.at(bits, disputes.columns.sentences, disputes.columns.kinds)
    words = [
        ";".join(_KINDS[kind] for place, kind in enumerate(KINDS) if code >> place & 1)
        for code in range(1 << len(KINDS))
    ]
    return [words[code] for code in bits.tolist()]


def hardest_sentences(consensus: Consensus) -> list[int]:
    """Sentences with text, the least sure first; the order of the corpus breaks ties."""
    order = np.argsort(consensus.sentence_confidence, kind="stable")
    return [int(index) for index in order if consensus.corpus.text.lengths[index]]


def _how_to_read(consensus: Consensus) -> str:
    plain = consensus.corpus.scheme.is_plain
    marks = (
        f"Every token has its label and confidence below it, dashed under {percent(IN_DOUBT)}; “or” tells "
        "what else it might be. "
        if plain
        else f"A span has its type and confidence behind it, dashed under {percent(IN_DOUBT)}; “or” tells "
        "what else it might be. A dotted word with a question mark is outside all spans, but may belong to "
        "one. "
    )
    open_tokens = bool((consensus.corpus.annotations.tags < 0).any())
    dash = " A dash is a token without a label." if open_tokens else ""
    return (
        "The confidence of a sentence is the probability that all of its labels are right. "
        f"{marks}The lanes show the tokens on which somebody differs: the consensus first, then all who "
        f"labelled the sentence, the most skilled first, with what differs from the consensus set off.{dash}"
    )


def _article(consensus: Consensus, rank: int, index: int, kinds: str) -> Markup:
    sentence = consensus.corpus.sentences[index]
    passage = Passage.of(consensus, index)
    confidence = percent(float(consensus.sentence_confidence[index]))
    heading = element(
        "h3",
        element("span", f"{rank}. ", class_="rank"),
        name_of(sentence.id),
        element("span", " in ", name_of(sentence.doc), class_="aside") if sentence.doc is not None else None,
        element("span", f" {confidence} sure", class_="sure"),
    )
    return element(
        "article",
        heading,
        passage.note,
        _text(consensus, passage, sentence),
        lanes(consensus, index, passage.start, passage.end),
        data_kinds=kinds or None,
    )


def _text(consensus: Consensus, passage: Passage, sentence: Sentence) -> Markup:
    words, types = shown_words(sentence.tokens), consensus.corpus.scheme.types
    plain = consensus.corpus.scheme.is_plain
    gaps = [" "] * len(words) if plain else gaps_of(sentence)  # the labels of plain tags need the room
    pieces: list[Content] = []
    done = passage.start
    for span in shown_spans(consensus, passage.sentence):
        start, end = max(span.start, passage.start), min(span.end, passage.end)
        if start < end:
            pieces += [_between(words, gaps, done, start), gaps[start] if start else None]
            pieces.append(_mark(span, running_text(words, gaps, start, end), types))
            done = end
    pieces.append(_between(words, gaps, done, passage.end))
    return element("p", pieces, class_="text plain" if plain else "text", dir="auto", lang="")


def _between(words: list[str], gaps: list[str], start: int, end: int) -> Content:
    """Words outside all spans, with the space before them."""
    return [gaps[start] if start else None, running_text(words, gaps, start, end)] if start < end else None


def _mark(span: ShownSpan, text: str, types: tuple[str, ...]) -> Markup:
    if span.kind == NONE:
        assert span.other is not None
        hint: list[Content] = [name_of(types[span.other]), _unbroken(f"? {percent(span.other_share)}")]
        return element(
            "span",
            text,
            element("small", element("bdi", hint, dir="ltr")),
            class_=f"maybe {colour_of(span.other)}",
        )
    doubt = " doubt" if span.confidence < IN_DOUBT else ""
    label: list[Content] = [name_of(types[span.kind]), _unbroken(f" {percent(span.confidence)}")]
    if span.other is not None:
        other = "nothing" if span.other == NONE else types[span.other]
        label.append([_unbroken(", or "), name_of(other), _unbroken(f" {percent(span.other_share)}")])
    return element(
        "mark", text, element("small", element("bdi", label, dir="ltr")), class_=colour_of(span.kind) + doubt
    )


def _unbroken(text: str) -> str:
    """A hint stays on one line with the word that it belongs to, where there is room."""
    return text.replace(" ", "\u00a0")
