"""Remarks: which kind of crowd this is, and what to look at, in plain words."""

from collections.abc import Iterable, Iterator

import numpy as np

from crowdseq.core.consensus import Consensus, Remark
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import find_spans
from crowdseq.evaluation.crowd_profile import tokens_of_cells
from crowdseq.evaluation.crowd_remarks import SeenCrowd, remarks_on

_FEW_SPANS = 20
_NEARLY_EMPTY = 0.1  # of the spans that the middle annotator draws on as much text
_MANY_DROPPED = 0.5
_LIKELY_SPAM = 0.8


def remarks_before(corpus: Corpus, *, silence: str = "auto", kinship: bool = True) -> tuple[Remark, ...]:
    """What the votes tell of the crowd before anything is learned, the warnings first.

    silence, kinship: the settings of the method that will learn, as they change what follows.
    """
    return _warnings_first(remarks_on(SeenCrowd(corpus), silence, kinship))


def remarks_of(
    consensus: Consensus, *, silence: str = "labelled", kinship: bool = False
) -> tuple[Remark, ...]:
    """All that is to be said of a consensus, the warnings first.

    What the method says itself, in its parameter `remarks`, stands in place of ours of the same kind.
    """
    told = [Remark(**one) for one in consensus.parameters.get("remarks", ())]
    seen, kinds = SeenCrowd(consensus.corpus), {remark.kind for remark in told}
    ours = [*remarks_on(seen, silence, kinship), *_after(seen, consensus)]
    whole = [*told, *(remark for remark in ours if remark.kind not in kinds)]
    return _warnings_first(whole)


def _warnings_first(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    return tuple(sorted(remarks, key=lambda remark: remark.level != "warning"))


def _after(seen: SeenCrowd, consensus: Consensus) -> Iterator[Remark]:
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


def _empty(seen: SeenCrowd, consensus: Consensus) -> Iterator[Remark]:
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


def _dropped(seen: SeenCrowd, consensus: Consensus) -> Iterator[Remark]:
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
