"""Which label scheme a set of tags follows, judged from how often one tag follows another."""

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.labels import CHUNK_KINDS, OUTSIDE, PLAIN, LabelScheme, split_tag
from crowdseq.errors import SchemeError


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
            f"tag '{bare[0]}' has no prefix such as B- or I- while most others have: "
            "mend it, or say that the tags are plain (--scheme plain)"
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
