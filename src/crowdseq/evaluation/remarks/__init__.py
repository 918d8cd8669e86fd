"""Remarks: which kind of crowd this is, and what to look at, in plain words."""

from collections.abc import Iterable, Iterator

import numpy as np

from crowdseq.core.consensus import Consensus, Remark
from crowdseq.core.corpus import Corpus
from crowdseq.core.names import listed, percent
from crowdseq.core.spans import find_spans
from crowdseq.evaluation.bound_habits import BoundHabits
from crowdseq.evaluation.crowd_profile import CrowdView, tokens_of_cells
from crowdseq.evaluation.kinship import LEAST_ANNOTATORS, MOST_ANNOTATORS, find_kin

_LITTLE_OVERLAP = 0.2  # of the labelled tokens
_FEW_MARKS = 100  # tokens that somebody marked and two or more labelled
_FEW_OF_A_TYPE = 10  # marks of a type that one annotator alone uses: fewer may be chance
_FEW_SPANS = 20
_NEARLY_EMPTY = 0.1  # of the spans that the middle annotator draws on as much text
_MANY_DROPPED = 0.5
_LIKELY_SPAM = 0.8


def remarks_before(corpus: Corpus, *, silence: str = "auto", kinship: bool = True) -> tuple[Remark, ...]:
    """What the votes tell of the crowd before anything is learned, the warnings first.

    silence, kinship: the settings of the method that will learn, as they change what follows.
    """
    return _warnings_first(_before(CrowdView(corpus), silence, kinship))


def remarks_of(
    consensus: Consensus, *, silence: str = "labelled", kinship: bool = False
) -> tuple[Remark, ...]:
    """All that is to be said of a consensus, the warnings first.

    What the method says itself, in its parameter `remarks`, stands in place of ours of the same kind.
    """
    told = [Remark(**one) for one in consensus.parameters.get("remarks", ())]
    seen, kinds = CrowdView(consensus.corpus), {remark.kind for remark in told}
    ours = [*_before(seen, silence, kinship), *_after(seen, consensus)]
    whole = [*told, *(remark for remark in ours if remark.kind not in kinds)]
    return _warnings_first(whole)


def _warnings_first(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    return tuple(sorted(remarks, key=lambda remark: remark.level != "warning"))


def _before(seen: CrowdView, silence: str, kinship: bool) -> Iterator[Remark]:
    if not len(seen.working):
        return
    yield from _unmarked(seen)
    yield from _silence(seen, silence)
    yield from _kinship(seen, kinship)
    yield from _alone(seen)
    yield from _overlap(seen)
    yield from _unseen(seen)
    yield from _blank(seen, silence)
    yield from _bounds(seen)
    yield from _lone_types(seen)
    yield from _confidence(seen)


def _unmarked(seen: CrowdView) -> Iterator[Remark]:
    if seen.corpus.scheme.outside >= 0 and not seen.profile.n_marked:
        text = "nobody marked anything: there is nothing to learn"
        yield Remark("unmarked", text, "warning", {"votes": float(len(seen.votes.tokens))})


def _silence(seen: CrowdView, silence: str) -> Iterator[Remark]:
    known = seen.profile.recalls[np.isfinite(seen.profile.recalls)]
    recall = float(np.median(known)) if len(known) else 1.0
    evidence = {"median_recall": round(recall, 4), "silence": silence}
    least = f"at most {percent(recall)}" if recall >= 0.001 else "nothing"
    if not seen.are_sources:
        if silence == "abstains":
            yield Remark("silence", "silence counts as no vote, as was asked for", "note", evidence)
        return
    who = "labelling functions"
    if silence != "labelled":
        text = f"{who}: silence counts as no vote (half of them find {least} of what others mark)"
        yield Remark("silence", text, "note", evidence)
        return
    text = (
        f"{who}, it seems (half of them find {least} of what others mark), and their silence counts as a "
        "vote for O; the setting silence can tell otherwise"
    )
    yield Remark("silence", text, "warning", evidence)


def _kinship(seen: CrowdView, kinship: bool) -> Iterator[Remark]:
    """Who copies whom, or what cannot be told; in most crowds nobody does, and four share a token."""
    kin = find_kin(seen.corpus)
    if kin or seen.witnesses.max() < LEAST_ANNOTATORS or len(seen.corpus.annotators) > MOST_ANNOTATORS:
        from crowdseq.evaluation.remarks.kinship import families, undecided, unknown_kin

        yield from families(seen, kin, kinship)
        yield from unknown_kin(seen, kin)
        yield from undecided(seen)


def _alone(seen: CrowdView) -> Iterator[Remark]:
    alone = np.flatnonzero(seen.profile.alone)
    if not len(alone):
        return
    who = f"{len(alone)} annotators share no token with anybody: their labels"
    if len(alone) == 1:
        who = f"{seen.names(alone)[0]} shares no token with anybody: their labels"
    if len(seen.working) == 1:
        who = "one annotator only: their labels"
    evidence = {"annotators": seen.names(alone), "number": float(len(alone))}
    yield Remark("alone", f"{who} cannot be compared with others", "note", evidence)


def _overlap(seen: CrowdView) -> Iterator[Remark]:
    if 0.0 < (share := seen.overlap) < _LITTLE_OVERLAP:
        text = f"only {percent(share)} of the labelled tokens are labelled by more than one annotator"
        yield Remark("overlap", text, "note", {"share": round(share, 4)})


def _unseen(seen: CrowdView) -> Iterator[Remark]:
    corpus = seen.corpus
    labelled = np.bincount(corpus.text.sentence_of[seen.votes.tokens], minlength=len(corpus)) > 0
    unseen, readable = ~labelled & (corpus.text.lengths > 0), int((corpus.text.lengths > 0).sum())
    if number := int(unseen.sum()):
        noun = "sentence was" if number == 1 else "sentences were"
        text = (
            f"{number:,} {noun} labelled by nobody, of {readable:,}: no vote speaks for what the consensus "
            "has there"
        )
        yield Remark("unseen", text, "note", {"sentences": float(number)})


def _lone_types(seen: CrowdView) -> Iterator[Remark]:
    """Types that one annotator alone uses, where others labelled the same text: a slip of the pen, or a
    guideline that only one has read so. Labelling functions are often made for one type each."""
    if seen.are_sources:
        return
    table, owners = seen.spans
    types, size = seen.corpus.scheme.types, len(seen.corpus.annotators)
    is_shared = seen.witnesses[tokens_of_cells(seen.corpus)[table.starts]] > 1
    everywhere, where_shared = (
        np.bincount(owners[one] * len(types) + table.types[one], minlength=size * len(types)).reshape(
            size, -1
        )
        for one in (np.ones(len(owners), np.bool_), is_shared)
    )
    is_lone = ((everywhere > 0).sum(axis=0) == 1) & (where_shared.sum(axis=0) >= _FEW_OF_A_TYPE)
    lone = np.flatnonzero(is_lone)
    names = seen.names(np.argmax(everywhere[:, lone], axis=0)) if len(lone) else []
    told = [
        f"{types[kind]} (by {name}, {everywhere[:, kind].sum():,} times)"
        for kind, name in zip(lone.tolist(), names, strict=True)
    ]
    if told:
        text = f"used by one annotator alone, although others labelled the same text: {listed(told)}"
        yield Remark("lone-type", text, "note", {"annotators": names, "types": told})


def _blank(seen: CrowdView, silence: str) -> Iterator[Remark]:
    """Those who marked nothing where others did; of labelling functions it is expected."""
    if seen.corpus.scheme.outside < 0 or seen.are_sources:
        return
    for number in np.flatnonzero(seen.profile.blank).tolist():
        name, missed = seen.corpus.annotators[number], int(seen.profile.asked[number])
        counts = "" if silence == "labelled" else ": silence counts as no vote"
        text = f"{name} marked nothing on {missed:,} tokens that others marked{counts}"
        yield Remark("blank", text, "warning", {"annotators": [name], "tokens": float(missed)})


def _bounds(seen: CrowdView) -> Iterator[Remark]:
    """Those who draw spans wider or narrower than others as a rule; functions do so by theirs."""
    if seen.corpus.scheme.is_plain or seen.are_sources:
        return
    habits = BoundHabits.of(seen.corpus)
    wider, narrower = (seen.names(who) for who in habits.clear())
    if not habits.are_many or not (wider or narrower):
        return
    told = [f"{listed(names)} {how}" for names, how in ((wider, "wider"), (narrower, "narrower")) if names]
    text = f"some draw spans otherwise than the others as a rule: {', '.join(told)}; agree on where spans end"
    evidence = {"wider": wider, "narrower": narrower, "share": round(habits.share, 4)}
    yield Remark("bounds", text, "note", evidence)


def _confidence(seen: CrowdView) -> Iterator[Remark]:
    votes, outside = seen.votes, seen.corpus.scheme.outside
    marked = np.bincount(votes.tokens[votes.labels != outside], minlength=seen.corpus.n_tokens) > 0
    shared = int((marked & (seen.witnesses > 1)).sum())
    reasons = []
    if not marked.any():
        return  # there is nothing to be sure of, which is told by itself
    if shared == 0 and (marked & (seen.voters > 1)).any():
        reasons.append("nobody can be compared but with people who marked nothing")
    elif shared == 0:
        reasons.append("nobody can be compared with anybody")
    elif shared < _FEW_MARKS:
        tokens = "token that somebody marked is" if shared == 1 else "tokens that somebody marked are"
        reasons.append(f"only {shared} {tokens} labelled by more than one")
    elif seen.overlap < _LITTLE_OVERLAP:
        reasons.append(f"only {percent(seen.overlap)} of the tokens are labelled by more than one")
    if seen.are_sources:
        reasons.append("labelling functions err together")
    if reasons:
        text = f"take confidences as an order, not as probabilities: {'; '.join(reasons)}"
        yield Remark("confidence", text, "warning", {"shared_marks": float(shared), "reasons": reasons})


def _after(seen: CrowdView, consensus: Consensus) -> Iterator[Remark]:
    if not len(seen.working):
        return
    yield from _start(consensus)
    if seen.corpus.scheme.outside >= 0:
        yield from _empty(seen, consensus)
        yield from _dropped(seen, consensus)


_STARTS = {
    "recall": "an O as much as its annotator finds of what others mark",
    "judged": "each vote as its annotator deserves",
}


def _start(consensus: Consensus) -> Iterator[Remark]:
    start = str(consensus.parameters.get("start"))
    if start in _STARTS:
        text = f"the majority leaves out most of what is marked: the first belief counts {_STARTS[start]}"
        yield Remark("start", text, "note", {"start": start})


def _empty(seen: CrowdView, consensus: Consensus) -> Iterator[Remark]:
    """Compared with what the middle one of those who draw anything would draw on as much text."""
    corpus, drawn = seen.corpus, seen.n_spans
    if drawn.sum() < _FEW_SPANS:
        return
    found = len(find_spans(consensus.tag_ids, corpus.offsets, corpus.scheme))
    read = np.bincount(seen.votes.annotators, minlength=len(drawn))
    rates = drawn[drawn > 0] / read[drawn > 0]
    due = float(np.median(rates)) * float((seen.voters > 0).sum())
    if found < _NEARLY_EMPTY * due:
        how = "empty" if found == 0 else "nearly empty"
        text = (
            f"the consensus is {how}: {found:,} spans, although annotators drew {drawn.sum():,}; do not "
            "rely on it"
        )
        evidence = {"spans": float(found), "drawn": float(drawn.sum()), "expected": round(due, 1)}
        yield Remark("empty", text, "warning", evidence)


def _dropped(seen: CrowdView, consensus: Consensus) -> Iterator[Remark]:
    """Those whose spans mostly lie where the consensus has nothing, unless they are judged as spam."""
    table, owners = seen.spans
    corpus, drawn = seen.corpus, seen.n_spans
    inside = np.concatenate(
        [[0], np.cumsum(consensus.tag_ids[tokens_of_cells(corpus)] != corpus.scheme.outside)]
    )
    lost = np.bincount(owners[inside[table.ends] == inside[table.starts]], minlength=len(drawn))
    for number, report in enumerate(consensus.annotators):
        is_judged = (report.spam or 0.0) > _LIKELY_SPAM or (report.skill or 0.0) < 0.0
        if drawn[number] >= _FEW_SPANS and lost[number] > _MANY_DROPPED * drawn[number] and not is_judged:
            share = f"{lost[number]:,} of {drawn[number]:,} spans"
            text = f"{share} of {report.annotator} are dropped: the consensus has nothing where they are"
            numbers = {"dropped": float(lost[number]), "spans": float(drawn[number])}
            yield Remark("dropped", text, "warning", {"annotators": [report.annotator], **numbers})
