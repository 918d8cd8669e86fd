"""What a person should know about a corpus that was just read: slips, look-alikes, odd tokens."""

from collections.abc import Mapping

import numpy as np

from crowdseq.core.annotations import count_slips, find_slips
from crowdseq.core.building import CorpusBuilder
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import OUTSIDE, PLAIN, LabelScheme, split_tag
from crowdseq.core.names import look_alikes
from crowdseq.errors import Advice, Problem
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.findings.import_report import ImportReport


def inspect(corpus: Corpus, builder: CorpusBuilder, collector: Collector) -> ImportReport:
    """The report on a corpus, its files still to be filled in."""
    spelling = builder.spelling
    kind = spelling.kind if spelling is not None else corpus.scheme.kind
    respelt = spelling.respelt if spelling is not None else {}
    slips, gold_slips = slips_by_name(corpus)
    alike_labels, alike_annotators = look_alikes(_label_names(corpus)), look_alikes(list(corpus.annotators))
    if kind != corpus.scheme.kind:
        collector.warn("scheme-converted", f"the tags are {kind}, read as {corpus.scheme.kind}")
    _look_at_plain_tags(corpus, collector)
    _tell_usual_tags(spelling.usual if spelling is not None else {}, collector)
    for tag, count in respelt.items():
        collector.warn("tags-respelt", _respelt(respelt, corpus.scheme), Problem(tag), count)
    if slips or gold_slips:
        what = "tags break the rules of the scheme; kept as given, never in a consensus"
        everyone = sorted([*slips.items(), ("gold", gold_slips)], key=lambda slip: -slip[1])
        most = [f"{name} {count}" for name, count in everyone if count]
        shown = ", ".join(most[:3]) + (f" and {len(most) - 3} more" if len(most) > 3 else "")
        collector.warn("slips", what, Problem(shown), sum(slips.values()) + gold_slips)
    _warn_of_pairs("labels", alike_labels, collector)
    _warn_of_pairs("annotators", alike_annotators, collector)
    _look_at_text(corpus, collector)
    if builder.repeated_rows:
        what = f"annotators labelled a sentence twice, the {collector.settings.duplicates} was kept"
        collector.warn("repeated", what, count=builder.repeated_rows)
    if builder.replaced_extras:
        what = "extra keys differ between files of one sentence, one value was kept"
        collector.warn("extras-replaced", what, count=builder.replaced_extras)
    return ImportReport(
        kind=kind,
        findings=collector.findings(),
        rejected=tuple(collector.rejected),
        n_rejected=collector.n_rejected,
        respelt=dict(respelt),
        slips=slips,
        gold_slips=gold_slips,
        look_alike_labels=tuple(alike_labels),
        look_alike_annotators=tuple(alike_annotators),
        statuses=_statuses(corpus, collector),
    )


def slips_by_name(corpus: Corpus) -> tuple[dict[str, int], int]:
    """Tags that may not stand where they stand: by annotator, and in gold."""
    counts = count_slips(corpus.annotations, corpus.scheme)
    gold = int(find_slips(corpus.gold_tags, corpus.offsets, corpus.scheme).sum())
    named = zip(corpus.annotators, counts.tolist(), strict=True)
    return {name: count for name, count in named if count}, gold


def _label_names(corpus: Corpus) -> list[str]:
    return list(corpus.scheme.tags if corpus.scheme.is_plain else corpus.scheme.types)


def _respelt(respelt: Mapping[str, int], scheme: LabelScheme) -> str:
    shown = ", ".join(f"{tag} as {scheme.kind_of(tag)}" for tag in list(respelt)[:5])
    return f"tags that {scheme.kind} does not have were read as the nearest ones ({shown})"


def _warn_of_pairs(what: str, groups: list[tuple[str, ...]], collector: Collector) -> None:
    for group in groups:
        shown = " and ".join(repr(name) for name in group)
        message = f"{what} differ only in case, Unicode form or outer space: are they the same?"
        collector.warn(f"look-alike-{what}", message, Problem(shown))


def _tell_usual_tags(usual: Mapping[str, str], collector: Collector) -> None:
    changed = [f"{tag} as {made}" for tag, made in usual.items() if tag != made]
    if changed:
        advice = Advice("if they are plain labels, say {scheme}", scheme=PLAIN)
        what = f"tags are written in another way, read {', '.join(changed[:3])} and so on;"
        collector.warn("tags-in-other-spelling", what, advice=advice)


def _look_at_plain_tags(corpus: Corpus, collector: Collector) -> None:
    """Tags without a prefix that outnumber B- and I- tags make the scheme plain, which is never meant by
    one who writes such tags."""
    is_meant = collector.settings.scheme is not None or collector.noted_scheme is not None
    if not corpus.scheme.is_plain or is_meant:
        return
    parts = [(tag, *split_tag(tag)) for tag in corpus.scheme.tags]
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


def _look_at_text(corpus: Corpus, collector: Collector) -> None:
    text = corpus.text
    if not len(text):
        collector.warn("nothing-read", "there is no sentence in the input")
    if len(text) and not corpus.annotators:
        collector.warn("no-annotators", "no sentence was labelled by an annotator")
    empty = int(np.count_nonzero(text.lengths == 0))
    if empty:
        collector.warn("empty-sentences", "sentences have no tokens, kept as they are", count=empty)
    blank = [number for number, word in enumerate(text.words) if not word.strip()]
    n_blank = int(np.isin(text.token_ids, blank).sum()) if blank else 0
    if n_blank:
        collector.warn("blank-tokens", "tokens hold nothing but space, kept as they are", count=n_blank)
    if OUTSIDE in corpus.scheme.types and not corpus.scheme.is_plain:
        collector.warn(
            "type-named-o", "an entity type is called 'O' like the tag for no entity, is that meant?"
        )
    runs = 1 + int(np.count_nonzero(np.diff(text.document_of))) if len(text) else 0
    scattered = runs - len(np.unique(text.document_of))
    if scattered:
        collector.warn(
            "scattered-documents", "sentences of one document do not stand together", count=scattered
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


def _statuses(corpus: Corpus, collector: Collector) -> dict[str, dict[str, int]]:
    """What readers noted, and as `labelled` every row that was read."""
    rows = np.bincount(corpus.annotations.voters, minlength=len(corpus.annotators)).tolist()
    made = {name: {"labelled": count} for name, count in zip(corpus.annotators, rows, strict=True)}
    for name, noted in collector.statuses.items():
        made.setdefault(name, {}).update(noted)
    return made
