"""From rows in the order of reading to the blocks of Annotations, in the numbers of a label scheme."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.annotations import Annotations
from crowdseq.core.labels import CHUNK_KINDS, OUTSIDE, PLAIN, LabelScheme, split_tag, usual_tags
from crowdseq.core.names import counted
from crowdseq.core.ragged import gather_ranges, offsets_of, portions
from crowdseq.core.spans import convert
from crowdseq.errors import Advice, SchemeError

GOLD_ROW = -1  # gold travels as one more annotator until the corpus is built
_CELLS_AT_A_TIME = 1 << 22  # bounds the index arrays, which are wider than the cells themselves


@dataclass(frozen=True, eq=False)
class RawRows:
    """R rows: the sentence, the annotator and the first cell of each; cells hold label numbers."""

    sentences: IntArray
    voters: IntArray
    starts: IntArray
    cells: IntArray

    def in_order(self, lengths: IntArray, without: Collection[int]) -> "RawRows":
        """Rows by sentence, then annotator, their cells following each other."""
        order = np.lexsort((self.voters, self.sentences))
        if without:
            order = order[~np.isin(order, list(without))]
        sentences, starts = self.sentences[order], self.starts[order]
        row_lengths = lengths[sentences]
        offsets = offsets_of(row_lengths)
        cells = np.empty(int(offsets[-1]), np.int16)
        for part in portions(offsets, _CELLS_AT_A_TIME):
            indices = gather_ranges(starts[part], row_lengths[part])
            cells[offsets[part.start] : offsets[part.stop]] = self.cells[indices]
        return RawRows(sentences, self.voters[order], offsets[:-1], cells)

    def gold(self, token_offsets: IntArray) -> tuple[IntArray, BoolArray]:
        """(T,) gold tags and (N,) whether a sentence has any."""
        chosen = np.flatnonzero(self.voters == GOLD_ROW)
        sentences = self.sentences[chosen]
        lengths = np.diff(token_offsets)[sentences]
        gold = np.full(int(token_offsets[-1]), -1, np.int16)
        has_gold = np.zeros(len(token_offsets) - 1, np.bool_)
        has_gold[sentences] = True
        gold[gather_ranges(token_offsets[sentences], lengths)] = self.cells[
            gather_ranges(self.starts[chosen], lengths)
        ]
        return gold, has_gold

    def annotations(self, names: tuple[str, ...], lengths: IntArray) -> Annotations:
        """All rows but gold."""
        people = self.voters != GOLD_ROW
        cells = self.cells
        if not people.all():
            cells = cells[np.repeat(people, lengths[self.sentences])]
        counts = np.bincount(self.sentences[people], minlength=len(lengths))
        return Annotations(names, self.voters[people].astype(np.int32), offsets_of(counts), cells, lengths)


def number_by_name(voters: IntArray, names: list[str]) -> tuple[IntArray, tuple[str, ...]]:
    """(R,) annotators in the order of their names, so that the order of reading leaves no trace, and those
    names; who has no row is left out."""
    used = sorted(set(np.unique(voters).tolist()) - {GOLD_ROW}, key=names.__getitem__)
    ranks = np.full(len(names) + 1, GOLD_ROW, np.int32)
    ranks[used] = np.arange(len(used), dtype=np.int32)
    return ranks[voters], tuple(names[number] for number in used)


@dataclass(frozen=True, eq=False)
class Spelling:
    """The scheme that was chosen, the kind that the file used, and the labels written anew.

    usual: labels in our spelling, where all were in another one.
    """

    scheme: LabelScheme
    kind: str
    cells: IntArray
    respelt: Mapping[str, int]
    usual: Mapping[str, str] = field(default_factory=dict)


def choose_spelling(
    rows: RawRows, labels: list[str], scheme: LabelScheme | str | None, *, respells: bool = False
) -> Spelling:
    """Cells in the numbers of the scheme given, or of the one that the labels themselves show.

    respells: whether labels in another spelling of a chunk scheme are taken for that.
    """
    counts = label_counts(rows.cells, len(labels))
    offsets = np.append(rows.starts, len(rows.cells))
    if isinstance(scheme, LabelScheme):
        return Spelling(scheme, scheme.kind, *renumber(rows.cells, labels, counts, scheme))
    used = [label for label, count in zip(labels, counts, strict=True) if count]
    usual = usual_tags(used) if respells and scheme != PLAIN else {}
    labels, used = [usual.get(label, label) for label in labels], [usual.get(label, label) for label in used]
    kind = scheme or detect_kind(labels, count_bigrams(rows.cells, offsets, len(labels)), counts)
    target = scheme_for(used, kind)
    if kind != "IOB1":
        return Spelling(target, kind, *renumber(rows.cells, labels, counts, target), usual)
    source = LabelScheme.of_types(target.types, "IOB1")
    cells, respelt = renumber(rows.cells, labels, counts, source)
    for part in portions(offsets, _CELLS_AT_A_TIME):
        bounds = offsets[part.start : part.stop + 1]
        here = slice(bounds[0], bounds[-1])
        cells[here] = convert(cells[here], bounds - bounds[0], source, target)
    return Spelling(target, kind, cells, respelt, usual)


def count_bigrams(cells: IntArray, offsets: IntArray, size: int) -> IntArray:
    """(size + 1, size + 1) how often label j follows label i; the last row and column are starts and ends."""
    table = np.zeros((size + 1) * (size + 1), np.int64)
    for part in portions(offsets, _CELLS_AT_A_TIME):
        bounds = offsets[part.start : part.stop + 1]
        here = cells[bounds[0] : bounds[-1]].astype(np.int64)
        filled = np.flatnonzero(np.diff(bounds))
        heads, tails = bounds[filled] - bounds[0], bounds[filled + 1] - bounds[0] - 1
        before = np.roll(here, 1)
        before[heads] = size
        known = (before >= 0) & (here >= 0)
        table += np.bincount(before[known] * (size + 1) + here[known], minlength=len(table))
        closing = here[tails][here[tails] >= 0]
        table += np.bincount(closing * (size + 1) + size, minlength=len(table))
    return table.reshape(size + 1, size + 1)


def label_counts(cells: IntArray, size: int) -> IntArray:
    counts = np.zeros(size + 1, np.int64)
    for first in range(0, len(cells), _CELLS_AT_A_TIME):
        portion = cells[first : first + _CELLS_AT_A_TIME].astype(np.int64)
        counts += np.bincount(portion + 1, minlength=size + 1)
    return counts[1:]


def renumber(
    cells: IntArray, labels: list[str], counts: IntArray, scheme: LabelScheme
) -> tuple[IntArray, dict[str, int]]:
    """Cells in the scheme's numbers; a prefix that it lacks is respelt, a label that it lacks is an error."""
    numbers = np.full(len(labels) + 1, -1, np.int16)
    respelt: dict[str, int] = {}
    for index, (label, count) in enumerate(zip(labels, counts.tolist(), strict=True)):
        spelt = scheme.kind_of(label)
        if not count:
            continue
        if spelt not in scheme.index:
            raise SchemeError(_unknown_label(label, count, scheme))
        if spelt != label:
            respelt[label] = count
        numbers[index] = scheme.index[spelt]
    made = np.empty(len(cells), np.int16)
    for first in range(0, len(cells), _CELLS_AT_A_TIME):
        here = slice(first, first + _CELLS_AT_A_TIME)
        made[here] = numbers[cells[here]]
    return made, respelt


def _unknown_label(label: str, count: int, scheme: LabelScheme) -> str:
    near = get_close_matches(label, scheme.tags, 1, 0.5)
    hint = f"did you mean '{near[0]}'?" if near else f"which has {', '.join(scheme.tags[:12])}"
    return f"label '{label}' ({counted(count, 'time')}) is not in the label set, {hint}"


def detect_kind(tags: list[str], bigrams: IntArray, counts: IntArray | None = None) -> str:
    """The kind with the fewest broken rules.

    bigrams (M + 1, M + 1): how often tag j follows tag i; the last row counts sentence starts, the last
    column sentence ends. counts (M,): how often each tag was given, which bigrams cannot tell where single
    tokens are labelled. Ties go to the order IOB2, BIOES, BILOU, IOB1, IO.
    """
    counts = bigrams[:, : len(tags)].sum(axis=0) if counts is None else counts
    seen = counts > 0
    bigrams = bigrams[np.ix_(np.append(seen, True), np.append(seen, True))]
    tags = [tag for tag, known in zip(tags, seen, strict=True) if known]
    counts = counts[seen]
    parts = [split_tag(tag) for tag in tags]
    with_prefix = sum(
        int(n) for n, (prefix, _) in zip(counts, parts, strict=True) if prefix not in ("", OUTSIDE)
    )
    bare = [tag for tag, (prefix, _) in zip(tags, parts, strict=True) if prefix == ""]
    if bare:
        without_prefix = sum(int(n) for n, (prefix, _) in zip(counts, parts, strict=True) if prefix == "")
        if with_prefix <= without_prefix:
            return PLAIN
        raise SchemeError(
            f"tag '{bare[0]}' has no prefix such as B- or I- while most others have:",
            Advice("correct it, or say that the tags are plain: {scheme}", scheme="plain"),
        )
    prefixes = {prefix for prefix, _ in parts} - {OUTSIDE}
    if prefixes == {"I"}:
        return "IO"
    candidates = ["IOB2", *(["BIOES", "BILOU"] if prefixes - {"B", "I"} else []), "IOB1"]
    return min(candidates, key=lambda kind: count_violations(tags, bigrams, kind, counts))


def count_violations(tags: list[str], bigrams: IntArray, kind: str, counts: IntArray | None = None) -> int:
    """How many transitions of the table break the rules of a kind, plus how many tags it does not have."""
    counts = bigrams[:, : len(tags)].sum(axis=0) if counts is None else counts
    full = LabelScheme.of_types({name for _, name in map(split_tag, tags) if name}, kind)
    numbers = np.array([full.index.get(full.kind_of(tag), 0) for tag in tags], dtype=np.intp)
    foreign = np.array([tag not in full.index for tag in tags], dtype=np.bool_)
    size = len(tags)
    inside = bigrams[:size, :size]
    broken = int(inside[~full.allowed[np.ix_(numbers, numbers)]].sum())
    broken += int(bigrams[size, :size][~full.starts[numbers]].sum())
    broken += int(bigrams[:size, size][~full.ends[numbers]].sum())
    return broken + int(counts[foreign].sum())


def scheme_for(tags: list[str], kind: str) -> LabelScheme:
    """The full scheme of a kind that holds all these tags (or their nearest relatives)."""
    if kind == PLAIN:
        return LabelScheme.plain(tags)
    if kind not in CHUNK_KINDS:
        raise SchemeError(
            f"label scheme '{kind}' is unknown, choose one of {', '.join(CHUNK_KINDS)}, {PLAIN}"
        )
    bare = [tag for tag in tags if split_tag(tag)[0] == ""]
    if bare:
        raise SchemeError(f"tag '{bare[0]}' has no prefix such as B- or I-, as {kind} needs it")
    # IOB1 says the same as IOB2 in a form that no chain model can check, so it is read as IOB2.
    stored = "IOB2" if kind == "IOB1" else kind
    return LabelScheme.of_types({split_tag(tag)[1] for tag in tags if tag != OUTSIDE}, stored)


def merge_extras(held: dict[str, Any], more: Mapping[str, Any], own: set[str], *, keeps: bool) -> int:
    """Take in further extras and count the values that are lost; objects under one key are joined since each
    file may add a part. own: keys whose objects are ours to change. keeps: what was there first stays."""
    replaced = 0
    for key, value in more.items():
        there = held.get(key, value)
        if key in held and isinstance(there, dict) and isinstance(value, dict):
            if key not in own:  # copied once, because a crowd may add to it thousands of times
                own.add(key)
                there = held[key] = dict(there)
            replaced += sum(there[inner] != value[inner] for inner in value if inner in there)
            there.update({inner: value[inner] for inner in value if not keeps or inner not in there})
        else:
            replaced += there != value
            held[key] = there if keeps else value
    return replaced
