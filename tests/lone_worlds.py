"""One annotator who errs on the gold of the demo corpus, and consensuses with kept labels of any kind."""

import numpy as np

from crowdseq.aggregation.settling import settle
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import Span, decode, encode
from crowdseq.workflows.demonstrating import demo_corpus


def lone_corpus(sentences: int = 150, annotator: str = "ana") -> Corpus:
    """Gold of the demo corpus, of which one annotator left out every ninth span, cut some short, and marked
    a word of every eleventh sentence that is none."""
    demo, builder, drawn = demo_corpus(), CorpusBuilder(), 0
    for number in range(sentences):
        sentence, gold = demo.sentences[number], demo.gold[number]
        assert gold is not None
        spans = []
        for span in decode(demo.scheme, gold):
            drawn += 1
            if drawn % 9 == 0:
                continue
            is_cut = drawn % 9 == 4 and span.end - span.start > 1
            spans.append(Span(span.start, span.end - 1, span.label) if is_cut else span)
        free = {*range(len(gold))} - {token for span in spans for token in range(span.start, span.end)}
        words = [token for token in sorted(free) if sentence.tokens[token].islower()]
        if number % 11 == 0 and words:
            spans.append(Span(words[0], words[0] + 1, "LOC"))
        tags = encode(demo.scheme, spans, len(gold))
        builder.add(
            Record(list(sentence.tokens), id=sentence.id, doc=sentence.doc, annotations={annotator: tags})
        )
    return builder.build(demo.scheme)


def kept_against(corpus: Corpus, kept: list[str], found: list[str], sure: float = 0.9) -> Consensus:
    """A consensus with these tags on all tokens, in which the text is so sure of what it found."""
    tags, suggested = (corpus.scheme.ids(names) for names in (kept, found))
    shares = np.full((corpus.n_tokens, len(corpus.scheme)), (1.0 - sure) / max(len(corpus.scheme) - 1, 1))
    shares[np.arange(corpus.n_tokens), suggested] = sure
    return settle(corpus, shares, tag_ids=tags, suggested_tag_ids=suggested)


def all_to_be_added(corpus: Corpus) -> Consensus:
    """A consensus without spans, where the text takes every token for one."""
    inside = next(tag for tag in corpus.scheme.tags if tag.startswith("B-"))
    return kept_against(corpus, ["O"] * corpus.n_tokens, [inside] * corpus.n_tokens)
