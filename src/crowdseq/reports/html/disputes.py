"""What is unclear: pairs of labels and words on which people differ again and again, with examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from crowdseq.core.consensus import Consensus
from crowdseq.core.text import Sentence
from crowdseq.evaluation.disputes import (
    AmbiguousWord,
    Dispute,
    Disputes,
    LabelPair,
    Mark,
    Reading,
    ambiguous_words,
    find_disputes,
    label_pairs,
)
from crowdseq.evaluation.verdicts import DROP
from crowdseq.reports.html.passages import colour_of, excerpt, gaps_of, running_text, shown_words
from crowdseq.reports.html.section import (
    Column,
    Content,
    Markup,
    Section,
    clip,
    element,
    folded,
    name_of,
    table,
)
from crowdseq.reports.tables import count, following, percent

TO_REVIEW = 0.9  # a disputed place that is less sure than this is worth a look
_SHOWN_PAIRS = 12
_OPEN_PAIRS = 4
_EXAMPLES = 3
_SHOWN_WORDS = 40
_OPEN_WORDS = 15
_LEAST_DISPUTES = 3  # fewer are no custom
_SHOWN_READINGS = 4
_LONGEST_PHRASE = 60


@dataclass(frozen=True, eq=False)
class Unclear:
    """What people differ on again and again: the disputes, their pairs of labels and their words.

    n_left_out: annotators who are to be dropped, whose differences say nothing about the guideline.
    """

    consensus: Consensus
    disputes: Disputes
    pairs: Sequence[LabelPair]
    words: Sequence[AmbiguousWord]
    n_left_out: int

    @classmethod
    def of(cls, consensus: Consensus) -> "Unclear":
        corpus, reports = consensus.corpus, consensus.annotators
        kept = [report.annotator for report in reports if report.verdict != DROP]
        if 1 < len(kept) < len(reports):
            consensus = replace(consensus, corpus=corpus.keep_annotators(kept), annotators=())
        else:
            kept = [report.annotator for report in reports]
        disputes = find_disputes(consensus.corpus, consensus)
        pairs = telling_pairs(label_pairs(disputes))
        return cls(consensus, disputes, pairs, ambiguous_words(consensus, disputes), len(reports) - len(kept))


def unclear_section(unclear: Unclear) -> Section | None:
    """None where nothing is disputed and no word has several labels."""
    consensus, disputes, told, words = unclear.consensus, unclear.disputes, unclear.pairs, unclear.words
    if not told and not words:
        return None
    content: list[Content] = [
        element(
            "p",
            "Where several people differ in the same way, the guideline is often silent. A rule and two "
            "examples there save more work than any decision here."
            if told
            else "The same words, labelled now so and now otherwise: rightly, or is the guideline silent?",
            f" The {count(unclear.n_left_out, 'annotator')} to drop are left out here."
            if unclear.n_left_out
            else None,
        ),
        [element("h3", "Labels that are taken for each other"), _pairs(consensus, disputes, told)]
        if told
        else None,
        [element("h3", "Words that people read differently"), _words(words)] if words else None,
    ]
    return Section("unclear", "What is unclear", "Unclear", content)


def telling_pairs(pairs: Sequence[LabelPair]) -> list[LabelPair]:
    """Those that are disputed more than now and then, two labels before a label and nothing."""
    return sorted(
        (pair for pair in pairs if len(pair.disputes) >= _LEAST_DISPUTES),
        key=lambda pair: pair.second is None,
    )


def pair_name(pair: LabelPair) -> list[Content]:
    """`LOC / ORG`, or `LOC or nothing`."""
    if pair.second is None:
        return [name_of(pair.first), " or nothing"]
    return [name_of(pair.first), " / ", name_of(pair.second)]


def _pairs(consensus: Consensus, disputes: Disputes, pairs: Sequence[LabelPair]) -> list[Content]:
    shown = [_pair(consensus, disputes, pair) for pair in pairs[:_SHOWN_PAIRS]]
    rest, more = shown[_OPEN_PAIRS:], len(pairs) - _SHOWN_PAIRS
    return [
        element("div", shown[:_OPEN_PAIRS], class_="pairs"),
        folded(following(len(rest), "pair"), element("div", rest, class_="pairs")) if rest else None,
        element("p", f"{count(more, 'rarer pair')} left out.", class_="note") if more > 0 else None,
    ]


def _pair(consensus: Consensus, disputes: Disputes, pair: LabelPair) -> Markup:
    first, second = pair.settled
    other: Content = "nothing" if pair.second is None else name_of(pair.second)
    settled: Content = ["settled as ", name_of(pair.first), f" in {first:,}, as ", other, f" in {second:,}"]
    gain = f"; about {pair.gain:,.0f} of them settled wrongly" if pair.gain >= 0.5 else ""
    examples = [_example(consensus, disputes[number]) for number in pair.disputes[:_EXAMPLES]]
    return element(
        "article",
        element("h4", pair_name(pair), ": ", count(len(pair.disputes), "dispute")),
        element("p", settled, gain, class_="aside"),
        element("ul", examples, class_="examples"),
    )


def _example(consensus: Consensus, dispute: Dispute) -> Markup:
    corpus = consensus.corpus
    held = [reading for reading in dispute.readings if reading.annotators][:_SHOWN_READINGS]
    said: list[Content] = [
        (
            " · " if place else "",
            reading_in_words(consensus, dispute, reading),
            f" {len(reading.annotators):,}×",
        )
        for place, reading in enumerate(held)
    ]
    settled = dispute.readings[dispute.settled]
    return element(
        "li",
        excerpt(
            corpus, dispute.sentence, dispute.begin, dispute.end, colour_of_reading(consensus, settled.marks)
        ),
        element(
            "small",
            said,
            " → settled: ",
            reading_in_words(consensus, dispute, settled),
            f" {percent(dispute.confidence)}",
            class_="said",
        ),
    )


def colour_of_reading(consensus: Consensus, marks: Sequence[Mark]) -> str:
    """The colour of the first label of a reading; grey where it has none."""
    return colour_of(consensus.corpus.scheme.types.index(marks[0].label)) if marks else "outside"


def reading_in_words(consensus: Consensus, dispute: Dispute, reading: Reading) -> list[Content]:
    """`LOC`, or `LOC “New York”` where it is not the whole place, or `nothing`."""
    if not reading.marks:
        return ["nothing"]
    words: list[Content] = []
    sentence = consensus.corpus.sentences[dispute.sentence]
    shown, gaps = shown_words(sentence.tokens), gaps_of(sentence)
    for place, mark in enumerate(reading.marks[:3]):
        words += [" + " if place else "", name_of(mark.label)]
        if (mark.begin, mark.end) != (dispute.begin, dispute.end):
            text = clip(running_text(shown, gaps, mark.begin, mark.end), _LONGEST_PHRASE)
            words += [" “", element("bdi", text), "”"]
    return [*words, " …" if len(reading.marks) > 3 else ""]


def _words(words: Sequence[AmbiguousWord]) -> list[Content]:
    rows: list[Sequence[Content]] = [
        [
            element("bdi", clip(_phrase(word.surface), _LONGEST_PHRASE)),
            _by_label(word.settled),
            _by_label(word.readings) if word.readings else "–",
            f"{len(word.disputes):,}",
        ]
        for word in words[:_SHOWN_WORDS]
    ]
    columns = [
        Column("words", numeric=False),
        Column("settled as", numeric=False),
        Column("people said, where disputed", numeric=False),
        Column("disputes"),
    ]
    more = len(words) - len(rows)
    caption = "Several settled labels, or a dispute that comes back" + (
        f"; the first {len(rows)} of {len(words):,}" if more > 0 else ""
    )
    rest = rows[_OPEN_WORDS:]
    return [
        element("div", table(caption, columns, rows[:_OPEN_WORDS]), class_="words"),
        folded(following(len(rest), "word"), element("div", table("", columns, rest), class_="words"))
        if rest
        else None,
    ]


def _phrase(surface: tuple[str, ...]) -> str:
    """Words of many places, whose spaces may differ, as people usually write them."""
    return running_text(shown_words(surface), gaps_of(Sentence("", None, surface)), 0, len(surface))


def _by_label(counts: Mapping[str | None, int]) -> list[Content]:
    """`LOC 14 · ORG 6 · nothing 2`."""
    shown = list(counts.items())[:_SHOWN_READINGS]
    return [
        (" · " if place else "", "nothing" if label is None else name_of(label), f" {times:,}")
        for place, (label, times) in enumerate(shown)
    ]
