"""Sentences with their spans and confidence, the hardest first."""

from dataclasses import dataclass

import numpy as np

from crowdseq.core.consensus import Consensus
from crowdseq.reports.html.lanes import colour_of, lanes
from crowdseq.reports.html.section import (
    IN_DOUBT,
    NONE,
    Content,
    Markup,
    Section,
    ShownSpan,
    clip,
    element,
    folded,
    name_of,
    shown_spans,
)
from crowdseq.reports.tables import count, percent

SHOWN_SENTENCES = 200
_OPEN_SENTENCES = 20
_LONGEST_PASSAGE = 120
_LONGEST_TOKEN = 60


@dataclass(frozen=True)
class Passage:
    """The tokens of a sentence that are shown: all, or those around the least sure one."""

    sentence: int
    start: int
    end: int
    length: int

    @classmethod
    def of(cls, consensus: Consensus, sentence: int) -> "Passage":
        first, last = consensus.corpus.offsets[sentence : sentence + 2].tolist()
        length = last - first
        if length <= _LONGEST_PASSAGE:
            return cls(sentence, 0, length, length)
        middle = int(np.argmin(consensus.token_confidence[first:last]))
        start = min(max(0, middle - _LONGEST_PASSAGE // 2), length - _LONGEST_PASSAGE)
        return cls(sentence, start, start + _LONGEST_PASSAGE, length)


def sentence_section(consensus: Consensus) -> Section | None:
    """None when there is no text."""
    if consensus.corpus.n_tokens == 0:
        return None
    order = hardest_sentences(consensus)
    shown = [_article(consensus, rank, index) for rank, index in enumerate(order[:SHOWN_SENTENCES], start=1)]
    rest = shown[_OPEN_SENTENCES:]
    words = f"The next {count(len(rest), 'sentence')}"
    more = len(order) - len(shown)
    easier = f"{count(more, 'easier sentence')} {'is' if more == 1 else 'are'} not shown here."
    content: list[Content] = [
        element("p", _how_to_read(consensus)),
        element("div", shown[:_OPEN_SENTENCES], class_="sentences"),
        folded(words, element("div", rest, class_="sentences")) if rest else None,
        element("p", easier, class_="note") if more else None,
    ]
    return Section("sentences", "Sentences, the hardest first", "Sentences", content)


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


def _article(consensus: Consensus, rank: int, index: int) -> Markup:
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
        element("p", _passage_note(passage), class_="note")
        if passage.end - passage.start < passage.length
        else None,
        _text(consensus, passage, sentence.tokens),
        lanes(consensus, index, passage.start, passage.end),
    )


def _passage_note(passage: Passage) -> str:
    return (
        f"Tokens {passage.start + 1:,} to {passage.end:,} of {passage.length:,}, around the least sure one."
    )


def _text(consensus: Consensus, passage: Passage, tokens: tuple[str, ...]) -> Markup:
    words = [clip(token, _LONGEST_TOKEN) for token in tokens]
    types = consensus.corpus.scheme.types
    pieces: list[Content] = []
    done = passage.start
    for span in shown_spans(consensus, passage.sentence):
        start, end = max(span.start, passage.start), min(span.end, passage.end)
        if start < end:
            pieces += [
                *((word, " ") for word in words[done:start]),
                _mark(span, words[start:end], types),
                " ",
            ]
            done = end
    pieces += [(word, " ") for word in words[done : passage.end]]
    plain = consensus.corpus.scheme.is_plain
    return element("p", pieces, class_="text plain" if plain else "text", dir="auto", lang="")


def _mark(span: ShownSpan, words: list[str], types: tuple[str, ...]) -> Markup:
    text = " ".join(words)
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
