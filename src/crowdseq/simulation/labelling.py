"""One annotator's tags on a whole text, with spans or plain; some annotators do not read at all."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import SpanTable, find_spans, paint
from crowdseq.errors import AnnotationError
from crowdseq.simulation.cast import Person, Stream
from crowdseq.simulation.damage import confusion_rows, draw_any, draw_wrong
from crowdseq.simulation.marks import Board, tags_of
from crowdseq.simulation.mentions import Repeats, number_pairs
from crowdseq.simulation.profiles import BLIND, HAT, OUTSIDE
from crowdseq.simulation.reading import read_and_mark
from crowdseq.simulation.scene import Scene


@dataclass(frozen=True, eq=False)
class SpanTask:
    """A text in which mentions are to be marked."""

    scene: Scene

    @property
    def truth(self) -> SpanTable:
        return self.scene.mentions.table

    def label(self, person: Person, seen: BoolArray) -> IntArray:
        """(T,) tags of one annotator who saw the sentences `seen` (N,); on others they mean nothing."""
        corpus, stream, manner = self.scene.corpus, person.stream, person.character.manner
        if manner == HAT:
            return draw_from_hat(corpus.n_tokens, len(corpus.scheme), stream)
        if manner == OUTSIDE:
            return np.full(corpus.n_tokens, corpus.scheme.outside, np.int16)
        if manner == BLIND:
            blind = mark_blindly(self.scene, stream, seen)
            return paint(blind, corpus.n_tokens, corpus.scheme, corpus.offsets)
        marks = read_and_mark(self.scene, person, seen)
        return tags_of(marks, corpus, person.character.slips, stream.draws("slips", corpus.n_tokens))


@dataclass(frozen=True, eq=False)
class TagTask:
    """A text of which every token is to get a plain tag; precision is then the share of right tokens."""

    corpus: Corpus
    repeats: Repeats
    tag_counts: IntArray

    @classmethod
    def of(cls, corpus: Corpus) -> "TagTask":
        if len(corpus.scheme) < 2:
            raise AnnotationError(
                "the gold labels know one single tag, so nobody can err: no crowd to simulate"
            )
        text = corpus.text
        words = number_pairs(text.document_of[text.sentence_of], text.token_ids)
        repeats = Repeats.of(number_pairs(words, corpus.gold_tags))
        return cls(corpus, repeats, np.bincount(corpus.gold_tags, minlength=len(corpus.scheme)))

    @property
    def truth(self) -> SpanTable:
        return find_spans(self.corpus.gold_tags, self.corpus.offsets, self.corpus.scheme)

    def label(self, person: Person, seen: BoolArray) -> IntArray:
        """(T,) tags, as above; whoever leaves all outside gives the commonest tag to everything."""
        size, manner = self.corpus.n_tokens, person.character.manner
        if manner == HAT:
            return draw_from_hat(size, len(self.corpus.scheme), person.stream)
        if manner == OUTSIDE:
            return np.full(size, self.tag_counts.argmax(), np.int16)
        if manner == BLIND:
            return draw_any(self.tag_counts, person.stream.draws("blind", size)).astype(np.int16)
        return self._read(person, seen).astype(np.int16)

    def _read(self, person: Person, seen: BoolArray) -> IntArray:
        size, n_tags = self.corpus.n_tokens, len(self.tag_counts)
        repeating, luck, kind = person.stream.draws("tokens", 3, size)
        sources = self.repeats.sources(repeating, person.character.consistency)
        met = np.flatnonzero(seen[self.corpus.text.sentence_of])
        by_luck = met[np.argsort(luck[sources[met]], kind="stable")]
        wrong = by_luck[round(person.character.precision * len(met)) :]
        rows = confusion_rows(self.tag_counts, person.stream.draws("leanings", n_tags, n_tags))
        tags = self.corpus.gold_tags.astype(np.int64)
        tags[wrong] = draw_wrong(tags[wrong], rows, kind[sources[wrong]])
        return tags


def draw_from_hat(n_tokens: int, n_tags: int, stream: Stream) -> IntArray:
    """(T,) any tag for any token, whether the scheme allows it there or not."""
    return (stream.draws("hat", n_tokens) * n_tags).astype(np.int16)


def mark_blindly(scene: Scene, stream: Stream, seen: BoolArray) -> SpanTable:
    """As many marks as the seen sentences have mentions, of the same lengths and types, but anywhere."""
    text, mentions = scene.corpus.text, scene.mentions
    when, length, kind = stream.draws("blind", 3, text.n_tokens)
    starts = np.arange(text.n_tokens)
    lengths = mentions.lengths[(length * len(mentions)).astype(np.int64)]
    ends = np.minimum(starts + lengths, text.offsets[text.sentence_of + 1])
    when[~seen[text.sentence_of]] = np.inf
    wanted = int(np.count_nonzero(seen[mentions.sentences]))
    kept = np.sort(Board(text.n_tokens, int(mentions.must_part)).fit(when, starts, ends, wanted))
    return SpanTable(starts[kept], ends[kept], draw_any(mentions.type_counts, kind[kept]))
