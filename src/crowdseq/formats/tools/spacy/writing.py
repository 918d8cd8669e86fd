"""A corpus as spaCy DocBin: gold as entities, every annotator's spans as a group of that name."""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import decode
from crowdseq.core.text import Sentence
from crowdseq.formats.spans.capacity import check_holdable
from crowdseq.formats.spans.from_corpus import restore, settled
from crowdseq.formats.spans.tokenize import library

# Keys of a Doc's user data, by which a file of ours is known.
SENTENCE, DOCUMENT = "crowdseq_id", "crowdseq_doc"
ANNOTATORS, HAS_GOLD = "crowdseq_annotators", "crowdseq_gold"
CONFIDENCE, AGREED = "crowdseq_confidence", "crowdseq_agreed"


def write(corpus: Corpus, out: BinaryIO) -> list[str]:
    """One Doc for each sentence."""
    notes = check_holdable(corpus, "DocBin")
    spacy = library()
    vocabulary = spacy.vocab.Vocab()
    docs = (_doc(spacy, corpus, number, found, vocabulary) for number, found in enumerate(corpus.sentences))
    _put(spacy, docs, out)
    return [*notes, *_losses(corpus)]


def write_consensus(consensus: Consensus, out: BinaryIO) -> list[str]:
    """Settled spans as entities; for each the confidence and who agreed, in the user data of the Doc."""
    corpus = consensus.corpus.keep_annotators([]).without_gold()
    notes = check_holdable(corpus, "DocBin")
    spacy = library()
    _put(spacy, _settled_docs(spacy, consensus), out)
    return [*notes, *_losses(corpus)]


def _put(spacy: Any, docs: Iterable[Any], out: BinaryIO) -> None:
    held = spacy.tokens.DocBin(attrs=["ENT_IOB", "ENT_TYPE"], store_user_data=True)
    for doc in docs:
        held.add(doc)
    out.write(held.to_bytes())


def _settled_docs(spacy: Any, consensus: Consensus) -> Iterator[Any]:
    vocabulary, scheme = spacy.vocab.Vocab(), consensus.corpus.scheme
    for number, (restored, scored) in enumerate(settled(consensus)):
        sentence = restored.sentence
        doc = spacy.tokens.Doc(vocabulary, words=list(sentence.tokens), spaces=_spaces(sentence))
        spans = decode(scheme, consensus.tags[number], lenient=True)
        doc.set_ents([spacy.tokens.Span(doc, span.start, span.end, label=span.label) for span in spans])
        doc.user_data |= {SENTENCE: sentence.id, ANNOTATORS: [], HAS_GOLD: True}
        doc.user_data[CONFIDENCE] = [found.confidence for found in scored]
        doc.user_data[AGREED] = [found.agreed for found in scored]
        if sentence.doc is not None:
            doc.user_data[DOCUMENT] = sentence.doc
        yield doc


def _doc(spacy: Any, corpus: Corpus, number: int, sentence: Sentence, vocabulary: Any) -> Any:
    doc = spacy.tokens.Doc(vocabulary, words=list(sentence.tokens), spaces=_spaces(sentence))

    def spans(tags: Any) -> list[Any]:
        found = decode(corpus.scheme, tags, lenient=True)
        return [spacy.tokens.Span(doc, span.start, span.end, label=span.label) for span in found]

    ballot = corpus.annotations.ballots[number]
    names = [corpus.annotators[who] for who in ballot.voters.tolist()]
    for name, row in zip(names, ballot.tags, strict=True):
        doc.spans[name] = spans(corpus.scheme.names(row))
    if corpus.has_gold[number]:
        doc.set_ents(spans(corpus.gold[number]))
    doc.user_data.update({SENTENCE: sentence.id, ANNOTATORS: names, HAS_GOLD: bool(corpus.has_gold[number])})
    if sentence.doc is not None:
        doc.user_data[DOCUMENT] = sentence.doc
    return doc


def _spaces(sentence: Sentence) -> list[bool]:
    """Whether a space follows each token in the text; where other things stand between them, always."""
    where = restore(sentence)
    behind = [*where.starts[1:], len(where.text)]
    gaps = [where.text[end:start] for end, start in zip(where.ends, behind, strict=False)]
    is_plain = where.starts[:1] in ([], [0]) and all(gap in ("", " ") for gap in gaps)
    return [gap == " " for gap in gaps] if is_plain else [True] * len(gaps)


def _losses(corpus: Corpus) -> list[str]:
    keys = sorted({key for extras in corpus.text.extras.values() for key in extras})
    made = []
    if corpus.scheme.kind != "IOB2" and len(corpus.scheme):
        made.append(f"a DocBin of ours holds spans, not tags: {corpus.scheme.kind} will be read as IOB2")
    for what, names in (("extra keys", keys), ("columns", list(corpus.text.columns))):
        if names:
            made.append(f"{what} have no place in a DocBin and were left out: {', '.join(names)}")
    return made
