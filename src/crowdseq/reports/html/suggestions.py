"""What the text suggests beside labels that were kept, each in its sentence, the surest first."""

from collections.abc import Sequence

from crowdseq.core.consensus import Consensus
from crowdseq.core.spans import Span
from crowdseq.core.text import Sentence
from crowdseq.evaluation.suggestions import Suggestion
from crowdseq.reports.html.passages import colour_of, gaps_of, running_text, shown_words
from crowdseq.reports.html.section import Content, Markup, Section, clip, element, folded, name_of
from crowdseq.reports.tables import count, following, percent

SHOWN_SUGGESTIONS = 50
_OPEN_SUGGESTIONS = 10
_AROUND = 40  # tokens shown on either side
_LONGEST_SPAN = 60  # tokens
_LONGEST_QUOTE = 120


def suggestion_section(consensus: Consensus, found: Sequence[Suggestion]) -> Section | None:
    """None when there is nothing to suggest."""
    if not found:
        return None
    ranked = sorted(found, key=lambda one: -one.confidence)[:SHOWN_SUGGESTIONS]
    corpus = consensus.corpus
    numbers = {name: number for number, name in enumerate(corpus.text.ids)}
    shown = [
        _article(rank, one, corpus.sentences[numbers[one.sentence]], corpus.scheme.types)
        for rank, one in enumerate(ranked, start=1)
    ]
    rest, more = shown[_OPEN_SUGGESTIONS:], len(found) - len(shown)
    content: list[Content] = [
        element(
            "p",
            "Where nobody else labelled the same text, the labels of an annotator are the consensus, made "
            "valid. A model of the text, learned from the same labels, would decide otherwise here; none of "
            "it is part of the consensus. The confidence is that of the suggestion.",
        ),
        element("div", shown[:_OPEN_SUGGESTIONS], class_="suggestions"),
        folded(following(len(rest), "suggestion"), element("div", rest, class_="suggestions"))
        if rest
        else None,
        element(
            "p",
            f"{count(more, 'suggestion')} less sure: see suggestions.jsonl in the run folder.",
            class_="note",
        )
        if more
        else None,
    ]
    return Section("suggestions", "What the text suggests beside the kept labels", "Suggestions", content)


def _article(rank: int, one: Suggestion, sentence: Sentence, types: Sequence[str]) -> Markup:
    heading = element(
        "h3",
        element("span", f"{rank}. ", class_="rank"),
        _in_words(one),
        element("span", f" {percent(one.confidence)} sure", class_="sure"),
    )
    place: Content = (
        name_of(one.sentence) if one.doc is None else [name_of(one.sentence), " in ", name_of(one.doc)]
    )
    return element("article", heading, _text(one, sentence, types), element("p", place, class_="note"))


def _in_words(one: Suggestion) -> Content:
    if one.kind == "add":
        return ["Add ", _spans(one, one.suggested)]
    if one.kind == "doubt":
        return ["In doubt: ", _spans(one, one.kept)]
    return [_spans(one, one.suggested), " instead of ", _spans(one, one.kept)]


def _spans(one: Suggestion, spans: Sequence[Span]) -> Content:
    return [(" and " if place else "", _quoted(one, span)) for place, span in enumerate(spans)]


def _quoted(one: Suggestion, span: Span) -> Content:
    return ["“", element("bdi", clip(one.words(span), _LONGEST_QUOTE)), "” ", name_of(span.label)]


def _text(one: Suggestion, sentence: Sentence, types: Sequence[str]) -> Markup:
    """The words around the place, which is marked: dotted what is to be added, dashed what is kept."""
    words, gaps = shown_words(sentence.tokens), gaps_of(sentence)
    first, last = max(0, one.start - _AROUND), min(len(words), one.end + _AROUND)
    kinds = [types.index(span.label) for span in (*one.suggested, *one.kept) if span.label in types]
    colour = colour_of(kinds[0] if kinds else 0)
    end = min(one.end, one.start + _LONGEST_SPAN)
    place = running_text(words, gaps, one.start, end)
    marked = (
        element("span", place, class_=f"maybe {colour}")
        if one.kind == "add"
        else element("mark", place, class_=f"{colour} doubt")
    )
    pieces: list[Content] = [
        "… " if first else None,
        running_text(words, gaps, first, one.start),
        gaps[one.start] if one.start else None,
        marked,
        " … " if end < one.end else gaps[one.end] if one.end < len(words) else None,
        running_text(words, gaps, one.end, last),
        " …" if last < len(words) else None,
    ]
    return element("p", pieces, class_="text", dir="auto", lang="")
