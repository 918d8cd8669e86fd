"""What a person should know about a corpus that was just read: slips, look-alikes, odd tokens."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Protocol

import numpy as np

from crowdseq.core.annotations import count_slips, find_slips
from crowdseq.core.building import CorpusBuilder
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import OUTSIDE, PLAIN, LabelScheme, split_tag
from crowdseq.core.names import look_alikes
from crowdseq.errors import Advice, Problem
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.findings.import_report import ImportReport


class Repeats(Protocol):
    """What a builder counts."""

    @property
    def repeated_rows(self) -> int: ...
    @property
    def replaced_extras(self) -> int: ...


@dataclass(frozen=True)
class Seen:
    """What is counted in a corpus, or in a part of one; counts of parts can be added up.

    rows, slips: by annotator. scattered: how often a document is interrupted by another.
    """

    sentences: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    slips: Counter[str] = field(default_factory=Counter)
    gold_slips: int = 0
    empty: int = 0
    blank: int = 0
    scattered: int = 0
    repeated_rows: int = 0
    replaced_extras: int = 0

    @classmethod
    def of(cls, corpus: Corpus, repeats: Repeats, blank: Sequence[int]) -> "Seen":
        """blank: the words that hold nothing but space."""
        text = corpus.text
        slips, gold_slips = slips_by_name(corpus)
        rows = np.bincount(corpus.annotations.voters, minlength=len(corpus.annotators)).tolist()
        runs = 1 + int(np.count_nonzero(np.diff(text.document_of))) if len(text) else 0
        return cls(
            len(text),
            Counter(dict(zip(corpus.annotators, rows, strict=True))),
            Counter(slips),
            gold_slips,
            int(np.count_nonzero(text.lengths == 0)),
            int(np.isin(text.token_ids, blank).sum()) if blank else 0,
            runs - len(np.unique(text.document_of)),
            repeats.repeated_rows,
            repeats.replaced_extras,
        )

    def __add__(self, other: "Seen") -> "Seen":
        return Seen(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Seen)))


def inspect(corpus: Corpus, builder: CorpusBuilder, collector: Collector) -> ImportReport:
    """The report on a corpus, its files still to be filled in."""
    spelling = builder.spelling
    kind = spelling.kind if spelling is not None else corpus.scheme.kind
    respelt = spelling.respelt if spelling is not None else {}
    tell_usual_tags(spelling.usual if spelling is not None else {}, collector)
    seen = Seen.of(corpus, builder, blank_words(corpus.text.words))
    return report_on(seen, corpus.scheme, (kind, respelt), collector)


def blank_words(words: Sequence[str]) -> list[int]:
    """The numbers of words that hold nothing but space."""
    return [number for number, word in enumerate(words) if not word.strip()]


def report_on(
    seen: Seen, scheme: LabelScheme, spelling: tuple[str, Mapping[str, int]], collector: Collector
) -> ImportReport:
    """The same from what was counted; spelling: the kind that the files used, and the tags written anew."""
    kind, respelt = spelling
    annotators = sorted(seen.rows)
    alike_labels, alike_annotators = look_alikes(_label_names(scheme)), look_alikes(annotators)
    if kind != scheme.kind:
        collector.warn("scheme-converted", f"the tags are {kind}, read as {scheme.kind}")
    _look_at_plain_tags(scheme, collector)
    for tag, count in respelt.items():
        collector.warn("tags-respelt", _respelt(respelt, scheme), Problem(tag), count)
    _tell_slips(seen, annotators, collector)
    _warn_of_pairs("labels", alike_labels, collector)
    _warn_of_pairs("annotators", alike_annotators, collector)
    _look_at_text(seen, scheme, collector)
    if seen.repeated_rows:
        what = f"annotators labelled a sentence twice, the {collector.settings.duplicates} was kept"
        collector.warn("repeated", what, count=seen.repeated_rows)
    if seen.replaced_extras:
        what = "extra keys differ between files of one sentence, one value was kept"
        collector.warn("extras-replaced", what, count=seen.replaced_extras)
    return ImportReport(
        kind=kind,
        findings=collector.findings(),
        rejected=tuple(collector.rejected),
        n_rejected=collector.n_rejected,
        respelt=dict(respelt),
        slips={name: seen.slips[name] for name in annotators if seen.slips[name]},
        gold_slips=seen.gold_slips,
        look_alike_labels=tuple(alike_labels),
        look_alike_annotators=tuple(alike_annotators),
        statuses=_statuses(seen, annotators, collector),
    )


def _tell_slips(seen: Seen, annotators: list[str], collector: Collector) -> None:
    if not seen.slips and not seen.gold_slips:
        return
    what = "tags break the rules of the scheme; kept as given, never in a consensus"
    named = [(name, seen.slips[name]) for name in annotators if seen.slips[name]]
    everyone = sorted([*named, ("gold", seen.gold_slips)], key=lambda slip: -slip[1])
    most = [f"{name} {count}" for name, count in everyone if count]
    shown = ", ".join(most[:3]) + (f" and {len(most) - 3} more" if len(most) > 3 else "")
    collector.warn("slips", what, Problem(shown), seen.slips.total() + seen.gold_slips)


def slips_by_name(corpus: Corpus) -> tuple[dict[str, int], int]:
    """Tags that may not stand where they stand: by annotator, and in gold."""
    counts = count_slips(corpus.annotations, corpus.scheme)
    gold = int(find_slips(corpus.gold_tags, corpus.offsets, corpus.scheme).sum())
    named = zip(corpus.annotators, counts.tolist(), strict=True)
    return {name: count for name, count in named if count}, gold


def _label_names(scheme: LabelScheme) -> list[str]:
    return list(scheme.tags if scheme.is_plain else scheme.types)


def _respelt(respelt: Mapping[str, int], scheme: LabelScheme) -> str:
    shown = ", ".join(f"{tag} as {scheme.kind_of(tag)}" for tag in list(respelt)[:5])
    return f"tags that {scheme.kind} does not have were read as the nearest ones ({shown})"


def _warn_of_pairs(what: str, groups: list[tuple[str, ...]], collector: Collector) -> None:
    for group in groups:
        shown = " and ".join(repr(name) for name in group)
        message = f"{what} differ only in case, Unicode form or outer space: are they the same?"
        collector.warn(f"look-alike-{what}", message, Problem(shown))


def tell_usual_tags(usual: Mapping[str, str], collector: Collector) -> None:
    """Labels that were all in another spelling, and how to keep it."""
    changed = [f"{tag} as {made}" for tag, made in usual.items() if tag != made]
    if changed:
        advice = Advice("if they are plain labels, say {scheme}", scheme=PLAIN)
        what = f"tags are written in another way, read {', '.join(changed[:3])} and so on;"
        collector.warn("tags-in-other-spelling", what, advice=advice)


def _look_at_plain_tags(scheme: LabelScheme, collector: Collector) -> None:
    """Tags without a prefix that outnumber B- and I- tags make the scheme plain, which is never meant by
    one who writes such tags."""
    is_meant = collector.settings.scheme is not None or collector.noted_scheme is not None
    if not scheme.is_plain or is_meant:
        return
    parts = [(tag, *split_tag(tag)) for tag in scheme.tags]
    chunks = [tag for tag, prefix, _ in parts if prefix not in ("", OUTSIDE)]
    bare = [tag for tag, prefix, _ in parts if not prefix]
    if chunks and bare:
        what = f"the tags are read as plain labels without spans, though there is {chunks[0]}, because of"
        advice = Advice(
            "if these stand for no label, say {missing}; if plain is right, {scheme}",
            missing=",".join(bare[:3]),
            scheme="plain",
        )
        collector.warn("plain-beside-chunks", f"{what} {', '.join(bare[:5])}:", advice=advice)


def _look_at_text(seen: Seen, scheme: LabelScheme, collector: Collector) -> None:
    if not seen.sentences:
        collector.warn("nothing-read", "there is no sentence in the input")
    if seen.sentences and not seen.rows:
        collector.warn("no-annotators", "no sentence was labelled by an annotator")
    if seen.empty:
        collector.warn("empty-sentences", "sentences have no tokens, kept as they are", count=seen.empty)
    if seen.blank:
        collector.warn("blank-tokens", "tokens hold nothing but space, kept as they are", count=seen.blank)
    if OUTSIDE in scheme.types and not scheme.is_plain:
        collector.warn(
            "type-named-o", "an entity type is called 'O' like the tag for no entity, is that meant?"
        )
    if seen.scattered:
        collector.warn(
            "scattered-documents", "sentences of one document do not stand together", count=seen.scattered
        )


def look_at_equal_texts(corpus: Corpus, collector: Collector) -> None:
    """Of several files: one text under several ids, and no sentence that two people labelled."""
    if collector.settings.match != "id" or len(corpus.annotators) < 2 or corpus.n_voters.max(initial=0) > 1:
        return
    voters: dict[tuple[str, ...], set[int]] = {}
    n_equal = 0
    for number, sentence in enumerate(corpus.sentences):
        known = voters.setdefault(sentence.tokens, set())
        here = set(corpus.annotations.ballots[number].voters.tolist())
        n_equal += bool(known and here - known)
        known |= here
    if n_equal:
        advice = Advice("{match} joins them", match="text")
        what = "texts have other ids for other annotators, so that no sentence was labelled by two;"
        collector.warn("texts-equal", what, count=n_equal, advice=advice)


def _statuses(seen: Seen, annotators: list[str], collector: Collector) -> dict[str, dict[str, int]]:
    """What readers noted, and as `labelled` every row that was read."""
    made = {name: {"labelled": seen.rows[name]} for name in annotators}
    for name, noted in collector.statuses.items():
        made.setdefault(name, {}).update(noted)
    return made
