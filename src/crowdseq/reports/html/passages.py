"""Text as it stood in the source, a place in it marked, and what everybody said of it, in lanes."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.text import Sentence
from crowdseq.reports.html.section import Content, Markup, clip, element, name_of, scrolling
from crowdseq.reports.tables import count, decimal, percent

N_COLOURS = 8
LONGEST_TOKEN = 60
_LONGEST_PASSAGE = 120
_AROUND = 9  # tokens of an excerpt on either side
_LONGEST_PLACE = 24
_KEPT_TEXT = "text"  # where a format keeps the text that tokens were cut from
_CLINGS_LEFT = re.compile(
    r"[.,;:!?…)\]}%’”»、。，；：！？）」』]+|['’](?:s|m|d|re|ve|ll|t)|n['’]t", re.IGNORECASE
)
_CLINGS_RIGHT = re.compile(r"[(\[{“«¿¡$£€（「『]+|``")
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


def colour_of(kind: int) -> str:
    """The class that the style sheet gives a hue."""
    return f"k{kind % N_COLOURS}"


def gaps_of(sentence: Sentence) -> list[str]:
    """What stands before each token: the spaces of the source where they are kept, else what is usual.

    Punctuation clings to its word, and there are no spaces in scripts that are written without.
    """
    kept = sentence.extras.get(_KEPT_TEXT)
    found = _kept_gaps(kept, sentence.tokens) if isinstance(kept, str) else None
    return found if found is not None else _usual_gaps(sentence.tokens)


def _kept_gaps(text: str, tokens: tuple[str, ...]) -> list[str] | None:
    """None where the tokens do not stand in the text, one behind the other with nothing but space between."""
    gaps: list[str] = []
    place = 0
    for token in tokens:
        start = text.find(token, place)
        if start < 0 or (gaps and text[place:start].strip()):
            return None
        gaps.append(" " if text[place:start] else "")
        place = start + len(token)
    return ["", *gaps[1:]]


def _usual_gaps(tokens: tuple[str, ...]) -> list[str]:
    gaps = [""] if tokens else []
    is_open = False
    for before, token in pairwise(tokens):
        if before == '"':
            is_open = not is_open
        clings = (
            _CLINGS_LEFT.fullmatch(token)
            or _CLINGS_RIGHT.fullmatch(before)
            or (token in ("'", "’") and before[-1:] in "sS")
            or (token == '"' and is_open)
            or (before == '"' and is_open)
            or (_is_unspaced(before[-1:]) and _is_unspaced(token[:1]))
        )
        gaps.append("" if clings else " ")
    return gaps


def _is_unspaced(letter: str) -> bool:
    if not letter or letter < "\u0e00":
        return False
    return unicodedata.name(letter, "").startswith(_UNSPACED)


def running_text(words: list[str], gaps: list[str], start: int, end: int) -> str:
    """Tokens start to end with the spaces between them, without the one before."""
    return "".join(
        (gaps[place] if place > start else "") + words[place] for place in range(start, min(end, len(words)))
    )


def shown_words(tokens: tuple[str, ...]) -> list[str]:
    """Tokens, none of them so long that it floods the page."""
    return [clip(token, LONGEST_TOKEN) for token in tokens]


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

    @property
    def note(self) -> Content:
        """Which part it is, where it is not all."""
        if self.end - self.start == self.length:
            return None
        words = f"Tokens {self.start + 1:,} to {self.end:,} of {self.length:,}, around the least sure one."
        return element("p", words, class_="note")


def excerpt(corpus: Corpus, sentence: int, begin: int, end: int, colour: str) -> Markup:
    """The words around a place, which is marked."""
    whole = corpus.sentences[sentence]
    words, gaps = shown_words(whole.tokens), gaps_of(whole)
    first, last = max(0, begin - _AROUND), min(len(words), end + _AROUND)
    shown_end = min(end, begin + _LONGEST_PLACE)
    pieces: list[Content] = [
        "… " if first else None,
        running_text(words, gaps, first, begin),
        gaps[begin] if begin else None,
        element("mark", running_text(words, gaps, begin, shown_end), class_=colour),
        " … " if shown_end < end else None,
        gaps[end] if end < len(words) else None,
        running_text(words, gaps, end, last),
        " …" if last < len(words) else None,
    ]
    return element("span", pieces, class_="excerpt", dir="auto", lang="")


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
