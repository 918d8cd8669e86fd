"""A simulated reviewer who answers with gold: F1 of the labels over the number of keys, by way of review.

Keys are counted as the pages of the review app have them:

- Disputes: Enter, a lane's digit or n settles a place and shows the next, 1 key. Otherwise the fewest keys of
  Alt+digit, edges, split, merge and going to another mark that lead to gold, and Enter.
- Mentions: a screen of up to 20 places opens by itself, every place as suggested. 1 key turns a place to its
  next reading, and so on; Alt+digit, edges, split and merge then change the place that was turned last. 1 key
  gives a label, or nothing, to all places of the screen. A place that no keys make right is left open, 1 key.
  Enter settles the screen, 1 key. Undisputed places that read otherwise than what was decided on the same
  words are a screen of their own when 8 of them wait, and at the end. The fewest keys for a screen are
  counted; what stays open is settled place by place after the last screen. Decisions are made in the app's
  own store.
- `one mention a screen`: the same, without the screens that hold several mentions.
- `disputed only`: the same, without undisputed places.
- Sentences: the tokens up to each wrong place, 1 each, the fewest keys that put it right there, and 1 to go
  on. `jumps`: the same with 1 key to each wrong place, however far.
"""

import argparse
import shutil
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
from crowdseq.evaluation.disputes.gathering import MOST_TOGETHER
from crowdseq.store.entries import Marks
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.web.desk.elsewhere import Elsewhere
from crowdseq.web.desk.mention_views import Ticked, screen_rows, screen_view, settle_places, spot_view
from crowdseq.web.desk.queue import Queue, Wishes
from crowdseq.web.desk.views import lanes
from crowdseq.workflows.learning import learn
from crowdseq.workflows.reviewing.acting import Act
from crowdseq.workflows.reviewing.editing import Edit, inside, laid_into
from crowdseq.workflows.reviewing.laying_over import covered, marks_of, replaced
from crowdseq_research.zoo.real_crowds import load
from crowdseq_research.zoo.review_keys import (
    ShownPlace,
    keys_at_dispute,
    keys_on_screen,
    keys_to_edit,
    wrong_places,
)

WORTH_A_SCREEN = 8  # undisputed places, as the Mentions page has it


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

    def renew(self, sentence: int, desk: ReviewDesk) -> None:
        """Take a sentence over from a desk on which it was decided."""
        before, after = self.marks[sentence], desk.marks(sentence)
        self.marks[sentence] = after
        self.decided[sentence] = [
            Edit(one.begin, one.end, one.marks) for one in desk.state(sentence).decisions
        ]
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


@dataclass
class _Screens:
    """The Mentions page of a desk that is written to, and what a reviewer does there."""

    sheet: Sheet
    desk: ReviewDesk
    elsewhere: Elsewhere
    count: int = 0

    def settle(self, views: list[dict[str, Any]]) -> None:
        """One screen: the fewest keys that make it right."""
        gold = self.sheet.gold
        places = [
            ShownPlace(
                (view["place"][1], view["place"][2]),
                (view["wall"][0], view["wall"][1]),
                tuple(view["readings"]),
                inside(gold[view["place"][0]], *view["place"][1:]),
            )
            for view in views
        ]
        keys, right = keys_on_screen(places, self.desk.labels)
        ticked = [
            Ticked(tuple(view["place"]), view["dispute"], view["version"], place.wanted)
            for view, place, is_right in zip(views, places, right, strict=True)
            if is_right
        ]
        self.count += 1
        if ticked:
            settle_places(
                self.desk, ticked, Act(id=f"screen-{self.count}", reviewer="gold", kind="marks", sentence=0)
            )
        left = [tuple(view["place"]) for view, is_right in zip(views, right, strict=True) if not is_right]
        self.elsewhere.pass_over(left)
        for sentence in {one.place[0] for one in ticked}:
            self.sheet.renew(sentence, self.desk)
        self.sheet.press(keys)

    def look_elsewhere(self, least: int) -> None:
        """Screens of undisputed places, as long as so many wait."""
        while self.elsewhere.count() >= least:
            self.settle(spot_view(self.desk, self.elsewhere.spots(MOST_TOGETHER)))


def by_mention(sheet: Sheet, *, seldom_together: bool = True, undisputed: bool = True) -> None:
    """The Mentions page from the first screen to the last, then what is still open place by place."""
    with TemporaryDirectory() as folder:
        run = shutil.copytree(sheet.desk.folder, Path(folder) / "run")
        with ReviewDesk.open(run) as desk:
            page = _Screens(sheet, desk, Elsewhere(desk))
            for disputes in _screens_of(desk, seldom_together=seldom_together):
                left = [one for one in disputes if sheet.is_open(one)]
                if left:
                    page.settle(screen_view(desk, left))
                if undisputed:
                    page.look_elsewhere(WORTH_A_SCREEN)
            if undisputed:
                page.look_elsewhere(1)
    one_by_one(sheet, queue_of(sheet.desk))


def _screens_of(desk: ReviewDesk, *, seldom_together: bool) -> list[tuple[int, ...]]:
    if seldom_together:
        rows, _ = screen_rows(desk, Wishes(), 0, len(desk.screens))
        return [tuple(row["disputes"]) for row in rows]
    parts = range(0, max(len(one.disputes) for one in desk.mentions), MOST_TOGETHER)
    found = [one.disputes[at : at + MOST_TOGETHER] for one in desk.mentions for at in parts]
    gain = desk.disputes.gain
    return sorted(filter(None, found), key=lambda some: -float(gain[list(some)].sum()))


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


_QUEUE, _RANDOM = "place by place, by the queue", "place by place, random order"
WAYS: dict[str, Callable[[Sheet], None]] = {
    _QUEUE: lambda sheet: one_by_one(sheet, queue_of(sheet.desk)),
    "mention by mention": by_mention,
    "mentions, disputed only": lambda sheet: by_mention(sheet, undisputed=False),
    "mentions, one mention a screen": lambda sheet: by_mention(sheet, seldom_together=False),
    _RANDOM: lambda sheet: _random(sheet, 1),
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
    rows = [
        f"| way | {shares} | half, of the queue | of random | all keys | F1 then |",
        "|---|" + "---:|" * 9,
    ]
    first = next(iter(curves.values()))
    start = first[0][1]
    queue_half, random_half = (keys_to(curves[name], (1 + start) / 2) for name in (_QUEUE, _RANDOM))
    for name, curve in curves.items():
        keys = [keys_to(curve, start + share * (1 - start)) for share in _SHARES]
        half = keys[_SHARES.index(0.5)]
        ratio, of_random = (f"{half / one:.0%}" if half and one else "–" for one in (queue_half, random_half))
        shown = " | ".join("–" if one is None else f"{one:,}" for one in keys)
        rows.append(f"| {name} | {shown} | {ratio} | {of_random} | {curve[-1][0]:,} | {curve[-1][1]:.4f} |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="A simulated reviewer: F1 over the number of keys.")
    parser.add_argument("--data", type=Path, help="the folder of crowds; without it the demo only")
    parser.add_argument("--methods", nargs="+", default=["sa-slc", "dawid-skene"])
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    crowds = {"AMT (val)": load(asked.data, "amt")} if asked.data else {}
    crowds["Demo corpus"] = demo_corpus()
    lines = ["# A simulated reviewer: F1 over the number of keys", "", *(__doc__ or "").splitlines()[2:]]
    lines += ["", "Columns: keys until that share of the gap from the F1 of the consensus to 1 is closed."]
    for name, corpus in crowds.items():
        for method in asked.methods:
            curves = review(corpus, method)
            start = next(iter(curves.values()))[0][1]
            lines += [
                "",
                f"## {name}, {method}",
                "",
                f"F1 of the consensus: {start:.4f}.",
                "",
                *table(curves),
            ]
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True
    ).stdout.strip()
    methods = f"--methods {' '.join(asked.methods)}"
    recipe = f"`python -m crowdseq_research.zoo.simulated_reviewer --data DATA {methods} -o {asked.output}`"
    lines += ["", f"Recipe: {recipe}; commit {commit}.", ""]
    asked.output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
