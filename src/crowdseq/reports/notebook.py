"""A glance at a corpus, a consensus or its annotators in a notebook: small, escaped, without any script."""

from collections.abc import Iterator, Sequence

from crowdseq.core.consensus import AnnotatorReport, Consensus, SettledSpan
from crowdseq.core.corpus import Corpus
from crowdseq.reports.html.section import Column, Content, Markup, clip, element, name_of, table

_SENTENCES, _TOKENS, _ANNOTATORS = 5, 40, 50
_LONGEST_TOKEN = 40


def corpus_html(corpus: Corpus) -> str:
    """What the corpus holds, and its first sentences."""
    rows: list[Sequence[Content]] = [
        (name_of(one.id), _text(one.tokens), len(one.annotations), "yes" if one.gold is not None else "no")
        for one in corpus[:_SENTENCES]
    ]
    columns = [Column("id", numeric=False), Column("tokens", numeric=False), Column("annotators")]
    caption = (
        f"Corpus: {len(corpus):,} sentences, {corpus.n_tokens:,} tokens, {len(corpus.annotators):,} "
        f"annotators, labels {', '.join(clip(name, _LONGEST_TOKEN) for name in corpus.scheme.types[:12])}"
    )
    made = table(caption, [*columns, Column("gold", numeric=False)], rows)
    return _page(made, len(corpus) - _SENTENCES, "sentences")


def consensus_html(consensus: Consensus) -> str:
    """How sure the consensus is, and its first sentences with their spans."""
    corpus = consensus.corpus
    rows: list[Sequence[Content]] = [
        (
            name_of(corpus.text.ids[number]),
            _marked(corpus.text.tokens[number], consensus.spans[number]),
            f"{consensus.sentence_confidence[number]:.2f}",
        )
        for number in range(min(_SENTENCES, len(corpus)))
    ]
    columns = [Column("id", numeric=False), Column("consensus", numeric=False), Column("confidence")]
    n_spans = sum(map(len, consensus.spans))
    sure = f", mean confidence {consensus.token_confidence.mean():.3f}" if corpus.n_tokens else ""
    caption = f"Consensus: {len(corpus):,} sentences, {n_spans:,} spans{sure}"
    return _page(table(caption, columns, rows), len(corpus) - _SENTENCES, "sentences")


def annotators_html(reports: Sequence[AnnotatorReport]) -> str:
    """The table of annotators, the first of them where there are many."""
    headings = ("sentences", "tokens", "skill", "from", "to", "precision", "recall", "F1", "spam")
    words = [Column(name, numeric=False) for name in ("annotator", "verdict", "reason", "flags")]
    columns = [*words[:2], *map(Column, headings), *words[2:]]
    rows: list[Sequence[Content]] = [
        (
            name_of(one.annotator),
            one.verdict,
            f"{one.sentences:,}",
            f"{one.tokens:,}",
            *map(_number, (one.skill, *(one.interval or (None, None)))),
            *map(_number, (one.precision, one.recall, one.f1, one.spam)),
            clip(one.reason, 200),
            clip(", ".join(one.further_flags), 200),
        )
        for one in reports[:_ANNOTATORS]
    ]
    made = table(f"{len(reports):,} annotators against the consensus", columns, rows)
    return _page(made, len(reports) - _ANNOTATORS, "annotators")


def _page(made: Markup, more: int, what: str) -> str:
    tail = element("p", f"… and {more:,} more {what}") if more > 0 else None
    return element("div", made, tail).source


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _text(tokens: Sequence[str]) -> Markup:
    shown = " ".join(clip(token, _LONGEST_TOKEN) for token in tokens[:_TOKENS])
    return element("bdi", shown + (" …" if len(tokens) > _TOKENS else ""))


def _marked(tokens: Sequence[str], spans: Sequence[SettledSpan]) -> Markup:
    return element("bdi", [*_pieces(tokens, spans)])


def _pieces(tokens: Sequence[str], spans: Sequence[SettledSpan]) -> Iterator[Content]:
    """Texts outside of spans, and every span with its label."""
    place = 0
    for one in spans:
        if one.end > _TOKENS:
            break
        if one.start > place:
            yield [_text(tokens[place : one.start]), " "]
        label = element("small", " ", name_of(one.label), f" {one.confidence:.2f}")
        yield [element("mark", _text(tokens[one.start : one.end]), label), " "]
        place = one.end
    yield _text(tokens[place : max(place, _TOKENS)])
    if len(tokens) > _TOKENS:
        yield " …"
