"""A corpus as spaCy DocBin: gold as entities, every annotator's spans as a group of that name."""

from typing import Any, BinaryIO

from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import decode
from crowdseq.core.text import Sentence
from crowdseq.formats.docbin_reading import library
from crowdseq.formats.restoring import check_holdable, restore

# Keys of a Doc's user data, by which a file of ours is known.
SENTENCE, DOCUMENT = "crowdseq_id", "crowdseq_doc"
ANNOTATORS, HAS_GOLD = "crowdseq_annotators", "crowdseq_gold"


def write(corpus: Corpus, out: BinaryIO) -> list[str]:
    """One Doc for each sentence."""
    notes = check_holdable(corpus, "DocBin")
    spacy = library()
    held = spacy.tokens.DocBin(attrs=["ENT_IOB", "ENT_TYPE"], store_user_data=True)
    vocabulary = spacy.vocab.Vocab()
    for place, sentence in enumerate(corpus.sentences):
        held.add(_doc(spacy, corpus, place, sentence, vocabulary))
    out.write(held.to_bytes())
    return [*notes, *_losses(corpus)]


def _doc(spacy: Any, corpus: Corpus, place: int, sentence: Sentence, vocabulary: Any) -> Any:
    doc = spacy.tokens.Doc(vocabulary, words=list(sentence.tokens), spaces=_spaces(sentence))

    def spans(tags: Any) -> list[Any]:
        found = decode(corpus.scheme, tags, lenient=True)
        return [spacy.tokens.Span(doc, span.start, span.end, label=span.label) for span in found]

    ballot = corpus.annotations.ballots[place]
    names = [corpus.annotators[who] for who in ballot.voters.tolist()]
    for name, row in zip(names, ballot.tags, strict=True):
        doc.spans[name] = spans(corpus.scheme.names(row))
    if corpus.has_gold[place]:
        doc.set_ents(spans(corpus.gold[place]))
    doc.user_data.update({SENTENCE: sentence.id, ANNOTATORS: names, HAS_GOLD: bool(corpus.has_gold[place])})
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
