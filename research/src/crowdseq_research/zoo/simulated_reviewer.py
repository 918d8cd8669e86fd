"""A simulated reviewer who answers with gold: F1 of the labels over the number of keys, by way of review.

Keys are counted as the pages of the review app have them:

- Disputes: Enter, a lane's digit or n settles a place and shows the next, 1 key. Otherwise the fewest keys of
  Alt+digit, edges, split, merge and going to another mark that lead to gold, and Enter.
- Mentions: 1 to open, 1 for the digit of a reading; for exceptions 1 for each row down to the last of them
  and 1 each to untick it; 1 to settle, after which the next mention is in hand. Leaving without settling
  takes Escape and j, 2. Coming back to a mention for a second reading takes k and Enter, 2. A reading is
  settled if that takes no more keys than 1 for each of its places and 1 more for each that it mends; what
  stays open after the last mention is settled place by place.
- `opens by itself`: the same page if the next mention opened by itself with the first reading chosen, so that
  opening, the first digit and coming back to a mention take 1 key less, and leaving takes 1.
- Sentences: the tokens up to each wrong place, 1 each, the fewest keys that put it right there, and 1 to go
  on. `jumps`: the same with 1 key to each wrong place, however far.
"""

import argparse
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from crowdseq import demo_corpus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.store.entries import Marks
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.web.desk.mention_views import mention_rows, mention_view
from crowdseq.web.desk.queue import Queue, Wishes
from crowdseq.web.desk.views import lanes
from crowdseq.workflows.learning import learn
from crowdseq.workflows.reviewing.editing import Edit, inside, laid_into
from crowdseq.workflows.reviewing.laying_over import covered, marks_of, replaced
from crowdseq_research.zoo.real_crowds import load
from crowdseq_research.zoo.review_keys import keys_at_dispute, keys_to_edit, wrong_places


@dataclass(frozen=True)
class MentionKeys:
    """What the Mentions page asks for beside exceptions and settling."""

    opening: int = 1
    first_reading: int = 1
    leaving: int = 2
    coming_back: int = 2


OPENS_BY_ITSELF = MentionKeys(0, 0, 1, 1)


@dataclass
class Sheet:
    """Labels under review, in memory, with the keys so far and F1 after each step."""

    desk: ReviewDesk
    gold: list[Marks]
    marks: list[Marks] = field(default_factory=list)
    decided: dict[int, list[Edit]] = field(default_factory=dict)
    keys: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.marks = [self.desk.settled_marks(number) for number in range(len(self.gold))]
        self._wanted = sum(map(len, self.gold))
        self._given = sum(map(len, self.marks))
        self._both = sum(len(set(a) & set(b)) for a, b in zip(self.gold, self.marks, strict=True))
        self.press(0)

    @property
    def f1(self) -> float:
        return 2 * self._both / max(self._wanted + self._given, 1)

    def press(self, keys: int) -> None:
        self.keys += keys
        self.curve.append((self.keys, self.f1))

    def place(self, dispute: int) -> tuple[int, int, int]:
        columns = self.desk.disputes.columns
        return int(columns.sentences[dispute]), int(columns.begins[dispute]), int(columns.ends[dispute])

    def is_open(self, dispute: int) -> bool:
        sentence, begin, end = self.place(dispute)
        return not covered(self.decided.get(sentence, []), begin, end)  # type: ignore[arg-type]

    def wanted(self, dispute: int) -> Marks:
        """What gold says of a place."""
        sentence, begin, end = self.place(dispute)
        return inside(self.gold[sentence], begin, end)

    def now(self, dispute: int) -> Marks:
        sentence, begin, end = self.place(dispute)
        return inside(self.marks[sentence], begin, end)

    def settle(self, sentence: int, edit: Edit) -> None:
        """Lay a decision over the sentence, as the app does."""
        before = self.marks[sentence]
        made = laid_into(before, edit)
        after = replaced(before, made.begin, made.end, made.marks)
        self.marks[sentence] = after
        self.decided.setdefault(sentence, []).append(made)
        gold = set(self.gold[sentence])
        self._given += len(after) - len(before)
        self._both += len(gold & set(after)) - len(gold & set(before))


def one_by_one(sheet: Sheet, order: Iterable[int]) -> None:
    """Disputes in some order; those that are decided already do not come."""
    for dispute in order:
        if not sheet.is_open(dispute):
            continue
        sentence, begin, end = sheet.place(dispute)
        now, wanted = sheet.now(dispute), sheet.wanted(dispute)
        said = _said(sheet.desk, dispute) if wanted and now != wanted else []
        keys = keys_at_dispute(now, wanted, said, (begin, end))
        sheet.settle(sentence, Edit(begin, end, now if keys is None else wanted))
        sheet.press(keys or 1)


def _said(desk: ReviewDesk, number: int) -> list[Marks]:
    """What people say of a place, in the order of their digits."""
    dispute = desk.disputes[number]
    seen = [one for one in lanes(desk, dispute, blind=False) if one["saw"]]
    return [inside(one["marks"], dispute.begin, dispute.end) for one in seen]


def by_mention(sheet: Sheet, cost: MentionKeys) -> None:
    """The Mentions page from the first row to the last, then what is still open place by place."""
    rows, _ = mention_rows(sheet.desk, Wishes(), 0, len(sheet.desk.mentions))
    for row in rows:
        view = _view(sheet.desk, row["number"])
        places = [one["dispute"] for one in view["contexts"]]
        _settle_mention(sheet, places, [one["marks"] for one in view["choices"]], cost)
    one_by_one(sheet, queue_of(sheet.desk))


def _view(desk: ReviewDesk, number: int) -> dict[str, Any]:
    """What the page shows of a mention before anything is decided."""
    view: dict[str, Any] = desk.once(f"view of mention {number}", lambda: mention_view(desk, number))
    return view


def _settle_mention(sheet: Sheet, places: list[int], choices: Sequence[Marks], cost: MentionKeys) -> None:
    keys, is_first = cost.opening, True
    while True:
        left = [one for one in places if sheet.is_open(one)]
        if not left:
            if is_first:
                return  # it has no row any more
            break
        best = min(
            (_reading(sheet, left, marks, place, cost) for place, marks in enumerate(choices)),
            key=lambda one: (one.keys - len(one.fits) - one.mends, -one.mends),
        )
        more = 0 if is_first else cost.coming_back
        if (
            not best.fits
            or best.keys + more > len(best.fits) + best.mends
            or (not best.mends and not is_first)
        ):
            if is_first:
                sheet.press(keys + cost.leaving)
            return
        for dispute in best.fits:
            sentence, begin, end = sheet.place(dispute)
            sheet.settle(sentence, Edit(begin, end, sheet.wanted(dispute)))
        sheet.press(keys + more + best.keys)
        keys, is_first = 0, False


@dataclass(frozen=True)
class _Settling:
    """A reading for all places but exceptions. fits: where it is right; mends: how many were wrong."""

    fits: list[int]
    mends: int
    keys: int


def _reading(sheet: Sheet, left: list[int], marks: Marks, number: int, cost: MentionKeys) -> _Settling:
    fits, exceptions = [], []
    for row, dispute in enumerate(left):
        begin = sheet.place(dispute)[1]
        there = tuple((first + begin, last + begin, label) for first, last, label in marks)
        if there == sheet.wanted(dispute):
            fits.append(dispute)
        else:
            exceptions.append(row)
    mends = sum(sheet.now(one) != sheet.wanted(one) for one in fits)
    keys = cost.first_reading if number == 0 else 1
    keys += (exceptions[-1] + 1 if exceptions else 0) + len(exceptions) + 1
    return _Settling(fits, mends, keys)


def by_sentence(sheet: Sheet, *, jumps: bool = False) -> None:
    """Whole sentences, the greatest expected gain first, then those without a dispute."""
    columns, gain = sheet.desk.disputes.columns, sheet.desk.disputes.gain
    gains = np.bincount(columns.sentences, gain, minlength=len(sheet.gold))
    for sentence in np.argsort(-gains, kind="stable").tolist():
        at, keys = 0, 1
        for begin, end in wrong_places(sheet.marks[sentence], sheet.gold[sentence]):
            now, wanted = (inside(some[sentence], begin, end) for some in (sheet.marks, sheet.gold))
            edits = keys_to_edit(now, wanted, (begin, end))
            if edits is None:
                continue
            keys += edits + (1 if jumps else begin - at)
            at = begin
            sheet.settle(sentence, Edit(begin, end, wanted))
        sheet.press(keys)


def queue_of(desk: ReviewDesk) -> list[int]:
    found: list[int] = Queue(desk).fitting(Wishes()).tolist()
    return found


def _random(sheet: Sheet, seed: int) -> None:
    one_by_one(sheet, np.random.default_rng(seed).permutation(len(sheet.desk.disputes)).tolist())


WAYS: dict[str, Callable[[Sheet], None]] = {
    "place by place, by the queue": lambda sheet: one_by_one(sheet, queue_of(sheet.desk)),
    "mention by mention": lambda sheet: by_mention(sheet, MentionKeys()),
    "mention by mention, opens by itself": lambda sheet: by_mention(sheet, OPENS_BY_ITSELF),
    "place by place, random order": lambda sheet: _random(sheet, 1),
    "sentence by sentence": by_sentence,
    "sentence by sentence, jumps": lambda sheet: by_sentence(sheet, jumps=True),
}


def keys_to(curve: Sequence[tuple[int, float]], f1: float) -> int | None:
    """The keys after which F1 is reached for the first time."""
    return next((keys for keys, reached in curve if reached >= f1), None)


def review(corpus: Corpus, method: str) -> dict[str, list[tuple[int, float]]]:
    """Keys and F1 after each step, for each way of review of what a method settles without gold."""
    if any(tags is None for tags in corpus.gold):
        raise AnnotationError("a simulated reviewer needs gold for every sentence")
    gold = [
        marks_of(corpus.gold_tags[first:last], corpus.scheme)
        for first, last in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)
    ]
    curves = {}
    with TemporaryDirectory() as folder:
        learn(corpus.without_gold(), method, tagger=False).save(Path(folder) / "run")
        with ReviewDesk.open(Path(folder) / "run") as desk:
            for name, way in WAYS.items():
                sheet = Sheet(desk, gold)
                way(sheet)
                curves[name] = sheet.curve
    return curves


_SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)


def table(curves: dict[str, list[tuple[int, float]]]) -> list[str]:
    """Keys to close shares of the gap to F1 1, and the F1 that can be reached at all."""
    shares = " | ".join(f"{share:.0%}" for share in _SHARES)
    rows = [f"| way | {shares} | half, of the queue | all keys | F1 then |", "|---|" + "---:|" * 8]
    first = next(iter(curves.values()))
    start, queue_half = first[0][1], keys_to(first, (1 + first[0][1]) / 2)
    for name, curve in curves.items():
        keys = [keys_to(curve, start + share * (1 - start)) for share in _SHARES]
        half = keys[_SHARES.index(0.5)]
        ratio = f"{half / queue_half:.0%}" if half and queue_half else "–"
        shown = " | ".join("–" if one is None else f"{one:,}" for one in keys)
        rows.append(f"| {name} | {shown} | {ratio} | {curve[-1][0]:,} | {curve[-1][1]:.4f} |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="A simulated reviewer: F1 over the number of keys.")
    parser.add_argument("--data", type=Path, help="the folder of crowds; without it the demo only")
    parser.add_argument("--demo-method", default="sa-slc")
    parser.add_argument("--amt-method", default="dawid-skene")
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    crowds = {}
    if asked.data:
        crowds[f"AMT (val), {asked.amt_method}"] = (load(asked.data, "amt"), asked.amt_method)
    crowds[f"Demo corpus, {asked.demo_method}"] = (demo_corpus(), asked.demo_method)
    lines = ["# A simulated reviewer: F1 over the number of keys", "", *(__doc__ or "").splitlines()[2:]]
    lines += ["", "Columns: keys until that share of the gap from the F1 of the consensus to 1 is closed."]
    for name, (corpus, method) in crowds.items():
        curves = review(corpus, method)
        start = next(iter(curves.values()))[0][1]
        lines += ["", f"## {name}", "", f"F1 of the consensus: {start:.4f}.", "", *table(curves)]
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True
    ).stdout.strip()
    methods = f"--amt-method {asked.amt_method} --demo-method {asked.demo_method}"
    recipe = f"`python -m crowdseq_research.zoo.simulated_reviewer --data DATA {methods} -o {asked.output}`"
    lines += ["", f"Recipe: {recipe}; commit {commit}.", ""]
    asked.output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
