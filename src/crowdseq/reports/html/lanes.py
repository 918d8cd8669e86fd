"""Lanes: who said what on the tokens where somebody differs."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.labels import LabelScheme
from crowdseq.reports.html.section import Content, Markup, clip, element, name_of, scrolling
from crowdseq.reports.tables import count, decimal, percent

N_COLOURS = 8


def colour_of(kind: int) -> str:
    """The class that the style sheet gives a hue."""
    return f"k{kind % N_COLOURS}"


_SHOWN_COLUMNS = 24
_SHOWN_LANES = 15
_LONGEST_WORD = 30


@dataclass(frozen=True, eq=False)
class _Dispute:
    """The tokens of the corpus (C,) on which somebody differs, and what the consensus says there."""

    tokens: IntArray
    settled: IntArray
    scheme: LabelScheme

    def gap(self, column: int) -> str | None:
        """Tokens that do not follow each other in the text are parted by a line."""
        return "gap" if column and self.tokens[column] != self.tokens[column - 1] + 1 else None


def lanes(consensus: Consensus, sentence: int, start: int, end: int) -> Markup:
    """A table of the tokens start to end of a sentence on which an annotator or gold differs from the
    consensus, or one line when nobody does."""
    corpus = consensus.corpus
    first = int(corpus.offsets[sentence])
    ballot = corpus.annotations.ballots[sentence]
    if len(ballot.voters) == 0:
        words = "Nobody labelled this sentence: its labels come from the rest of the corpus."
        return element("p", words, class_="note")
    settled = consensus.tag_ids[first + start : first + end]
    said = np.vstack([corpus.gold_tags[first + start : first + end], ballot.tags[:, start:end]])
    indices = np.flatnonzero(((said >= 0) & (said != settled)).any(axis=0))
    if len(indices) == 0:
        return element("p", _unanimous(len(ballot.voters)), class_="note")
    shown = indices[:_SHOWN_COLUMNS]
    dispute = _Dispute(first + start + shown, settled[shown], corpus.scheme)
    votes = said[1:, shown]
    heard = np.flatnonzero((votes >= 0).any(axis=1))
    order = _chosen_lanes(consensus, ballot.voters, heard, (votes >= 0) & (votes != dispute.settled))
    rows = [_settled_lane(consensus, dispute)]
    if (said[0, shown] >= 0).any():
        rows.append(_lane("gold", said[0, shown], dispute, "gold"))
    rows += [_lane(_who(consensus, int(ballot.voters[k])), votes[k], dispute) for k in order]
    left_out = _left_out(len(indices) - len(shown), len(heard) - len(order))
    return element(
        "div",
        _table(corpus.sentences[sentence].tokens, start + shown, dispute, rows),
        element("p", left_out, class_="note") if left_out else None,
    )


def _table(words: Sequence[str], indices: IntArray, dispute: _Dispute, rows: list[Markup]) -> Markup:
    heads = [
        element("th", element("bdi", clip(words[index], _LONGEST_WORD)), scope="col", class_=dispute.gap(k))
        for k, index in enumerate(indices.tolist())
    ]
    return scrolling(
        element(
            "table",
            element("caption", "Who said what, where they differ", class_="hidden"),
            element("thead", element("tr", element("td"), heads)),
            element("tbody", rows),
            class_="lanes",
        ),
        direction="rtl" if is_right_to_left(words) else None,
    )


def is_right_to_left(words: Sequence[str]) -> bool:
    """Whether the first letter with a direction is Hebrew, Arabic or the like."""
    for word in words:
        for letter in word[:_LONGEST_WORD]:
            side = unicodedata.bidirectional(letter)
            if side in ("L", "R", "AL"):
                return side != "L"
    return False


def _unanimous(voters: int) -> str:
    if voters == 1:
        return "The one annotator who labelled it agrees with the consensus."
    return f"All {voters} annotators who labelled it agree with the consensus."


def _chosen_lanes(consensus: Consensus, voters: IntArray, heard: IntArray, differs: BoolArray) -> list[int]:
    """Rows of a ballot, the most skilled first, those who cannot be judged last.

    Where there are too many, those who differ from the consensus are kept before those who agree.
    """
    skills = [consensus.annotators[number].skill for number in voters.tolist()]
    known = [-2.0 if skill is None else skill for skill in skills]
    order = sorted(heard.tolist(), key=lambda k: -known[k])
    kept = sorted(order, key=lambda k: not differs[k].any())[:_SHOWN_LANES]
    return [k for k in order if k in kept]


def _who(consensus: Consensus, annotator: int) -> list[Content]:
    report = consensus.annotators[annotator]
    return [name_of(report.annotator), " ", element("small", decimal(report.skill))]


def _settled_lane(consensus: Consensus, dispute: _Dispute) -> Markup:
    cells = [
        element(
            "td",
            _set_off(dispute.scheme, int(dispute.settled[k])),
            element("small", element("bdi", percent(float(consensus.token_confidence[token])), dir="ltr")),
            class_=dispute.gap(k),
        )
        for k, token in enumerate(dispute.tokens.tolist())
    ]
    return element("tr", element("th", "consensus", scope="row"), cells, class_="settled")


def _lane(who: Content, tags: IntArray, dispute: _Dispute, kind: str | None = None) -> Markup:
    cells = []
    for column, (said, settled) in enumerate(zip(tags.tolist(), dispute.settled.tolist(), strict=True)):
        same = said == settled
        shown = _tag(dispute.scheme, said) if same else _set_off(dispute.scheme, said)
        classes = [name for name in (dispute.gap(column), "same" if same else None) if name]
        cells.append(element("td", shown, class_=" ".join(classes) or None))
    return element("tr", element("th", who, scope="row"), cells, class_=kind)


def _tag(scheme: LabelScheme, tag: int) -> Content:
    """A tag as text; a token without a label has a dash."""
    return name_of(scheme.tags[tag]) if tag >= 0 else "–"


def _set_off(scheme: LabelScheme, tag: int) -> Content:
    """A tag in a box of the colour of its type."""
    if tag < 0:
        return _tag(scheme, tag)
    kind = int(scheme.type_ids[tag])
    return element("b", _tag(scheme, tag), class_=colour_of(kind) if kind >= 0 else "outside")


def _left_out(columns: int, rows: int) -> str:
    parts = [count(columns, "more token")] if columns > 0 else []
    if rows > 0:
        parts.append(count(rows, "more annotator"))
    return f"Not shown: {' and '.join(parts)}." if parts else ""
