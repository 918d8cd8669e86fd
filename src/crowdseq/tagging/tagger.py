"""Tagger: a fitted model; tokens in, tags and their probabilities out."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import chain as chain_lists
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import offsets_of
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.numerics.blocks import run_blocks, sentence_blocks, using_threads
from crowdseq.numerics.chains.chain import Lattice, best_paths, k_best_paths, log_partition, marginals
from crowdseq.numerics.compiling import own_labels
from crowdseq.numerics.features.grouped import PairWindow, Window, add_pairs, add_windows
from crowdseq.tagging.chunks import Chain, summed
from crowdseq.tagging.features import EDGE, PAIRS, TEMPLATES, WORDS, FeatureSettings
from crowdseq.tagging.inventory import word_pieces
from crowdseq.tagging.scoring import Explanation, Reason, StreamWeights, reasons, strongest
from crowdseq.tagging.sequence_tagger import Context
from crowdseq.tagging.streams import PAIR_BREAK, Passage, further_streams, pair_codes

if TYPE_CHECKING:
    from crowdseq.tagging.word_rows import WordRows


@dataclass(frozen=True, eq=False, repr=False)
class Tagger:
    """A linear-chain CRF: features of tokens with their weights, and (C, C) transition scores.

    Made by `learn` or CrfTrainer, or read from a folder; there is no unfitted tagger. It answers in the M
    tags of `scheme`. Inside it works with the C labels of `inner`, which may tell
    the ends and neighbours of a span apart more finely; if not given, with the tags themselves.

    >>> import crowdseq
    >>> tagger = crowdseq.learn(crowdseq.demo_corpus(), "majority-vote").tagger
    >>> tagger.tag(["She", "lives", "in", "London", "."])
    ('O', 'O', 'O', 'B-LOC', 'O')
    """

    scheme: LabelScheme
    features: FeatureSettings
    streams: tuple[StreamWeights, ...]
    transitions: FloatArray
    inner: Chain | None = None

    def __post_init__(self) -> None:
        if self.transitions.shape != (len(self.chain), len(self.chain)):
            raise SettingsError(f"transitions of shape {self.transitions.shape} for {len(self.chain)} labels")
        self.chain.outer(self.scheme)
        found = {stream.name: stream.offsets for stream in self.streams}
        if found != self.features.stream_offsets or len(found) != len(self.streams):
            raise SettingsError(f"the features need streams {self.features.stream_offsets}, found {found}")
        self.transitions.setflags(write=False)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the tagger as a folder, whole or not at all; only an older tagger there is replaced.

        >>> import crowdseq, tempfile
        >>> tagger = crowdseq.learn(crowdseq.demo_corpus(), "majority-vote").tagger
        >>> tagger.save(tempfile.mkdtemp())
        """
        # Files are a room above this one, which is loaded by name when somebody asks for it.
        import_module("crowdseq.formats.models.taggers").save_tagger(self, folder)

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> "Tagger":
        """The tagger of a folder that `save` or `learn` wrote; opening it runs no code.

        >>> import crowdseq, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> crowdseq.learn(crowdseq.demo_corpus(), "majority-vote").tagger.save(folder)
        >>> crowdseq.Tagger.load(folder)
        <Tagger: 9 tags (IOB2): LOC, MISC, ORG, PER>
        """
        found: Tagger = import_module("crowdseq.workflows.tagging").open_tagger(folder)
        return found

    def __repr__(self) -> str:
        return f"<Tagger: {len(self.scheme)} tags ({self.scheme.kind}): {', '.join(self.scheme.types[:8])}>"

    @cached_property
    def chain(self) -> Chain:
        """The labels inside the CRF."""
        return self.inner or Chain(self.scheme)

    def tag(self, tokens: Sequence[str], context: Context | None = None) -> tuple[str, ...]:
        """The best valid tags of one sentence."""
        return self.tag_many([tokens], context)[0]

    def tag_many(
        self, sentences: Sequence[Sequence[str]], context: Context | None = None, threads: int | None = None
    ) -> list[tuple[str, ...]]:
        """The best valid tags of every sentence. threads change no tag; None: those in use."""
        with using_threads(threads):
            lattice = self.lattice(sentences, context)
            path, _ = best_paths(lattice)
        if len(path) and path.min() < 0:
            token = int(np.flatnonzero(path < 0)[0])
            stuck = int(np.searchsorted(lattice.offsets, token, side="right"))
            raise AnnotationError(f"sentence {stuck}: no tags for its length keep the rules of the scheme")
        names = self._names[path].tolist()
        bounds = lattice.offsets.tolist()
        return [tuple(names[a:b]) for a, b in pairwise(bounds)]

    def marginals(self, tokens: Sequence[str], context: Context | None = None) -> FloatArray:
        """(T, M) probabilities of the tags of one sentence, columns as scheme.tags; rows sum to one."""
        return self.marginals_many([tokens], context)[0]

    def marginals_many(
        self, sentences: Sequence[Sequence[str]], context: Context | None = None, threads: int | None = None
    ) -> list[FloatArray]:
        """The same for every sentence; threads as in `tag_many`."""
        with using_threads(threads):
            lattice = self.lattice(sentences, context)
            rows = summed(marginals(lattice).unary, self._outer, len(self.scheme))
        return np.split(rows, lattice.offsets[1:-1]) if lattice.n_sentences else []

    def k_best(
        self, tokens: Sequence[str], k: int = 5, context: Context | None = None
    ) -> list[tuple[tuple[str, ...], float]]:
        """The k best tag sequences of a sentence with their probabilities, best first."""
        lattice = self.lattice([tokens], context)
        paths, scores = k_best_paths(lattice, k)[0]
        shares = np.exp(scores - log_partition(lattice)[0])
        return [
            (tuple(self._names[path].tolist()), float(share))
            for path, share in zip(paths, shares, strict=True)
        ]

    def top_weights(self, label: str, count: int = 20) -> list[Reason]:
        """The features that speak most for a tag."""
        inside = np.flatnonzero(self._outer == self.scheme.ids([label])[0])
        return strongest(self.streams, inside.tolist(), count)

    def why(self, tokens: Sequence[str], position: int, context: Context | None = None) -> Explanation:
        """Why the token at this position got its tag and not the next most probable; best reasons first."""
        if not 0 <= position < len(tokens):
            raise SettingsError(f"position {position} is outside the sentence of {len(tokens)} tokens")
        lattice = self.lattice([tokens], context)
        path = best_paths(lattice)[0].tolist()
        inside = marginals(lattice).unary
        chances = summed(inside, self._outer, len(self.scheme))[position]
        label = path[position]
        tag = int(self._outer[label])
        other = int(np.argmax(np.where(np.arange(len(chances)) == tag, -1.0, chances)))
        rival = int(np.argmax(np.where(self._outer == other, inside[position], -1.0)))
        found = list(self._reasons(tokens, position, label, rival, context))
        found.extend(self._transition_reasons(path, position, rival))
        found.sort(key=lambda reason: -abs(reason.gain))
        tags = self.scheme.tags
        return Explanation(tags[tag], float(chances[tag]), tags[other], tuple(found))

    def lattice(self, sentences: Sequence[Sequence[str]], context: Context | None = None) -> Lattice:
        """All scores of some sentences laid end to end, the rules of `chain` included."""
        if isinstance(sentences, str) or (len(sentences) and isinstance(sentences[0], str)):
            raise AnnotationError("a sentence must be a list of tokens, found one string; split it first")
        tokens = list(chain_lists.from_iterable(sentences))
        offsets = offsets_of(np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences)))
        scores = np.zeros((len(tokens), len(self.chain)))
        self._add_words(scores, tokens, offsets)
        if self._needs_passage:
            context = context or Context()
            passage = Passage.of_sentences(sentences, context.documents, context.columns)
            self._add_further_streams(scores, passage)
        return Lattice(scores, offsets, self.transitions, *self._edges)

    def _add_words(self, scores: FloatArray, tokens: Sequence[str], offsets: IntArray) -> None:
        """Add to scores (T, C) what every token sees of the words and of their pairs."""
        bounds, labels = sentence_blocks(offsets), own_labels(scores.shape[1], len(scores))
        word_ids, rows, in_pairs = self._word_rows.look_up(tokens)
        words = Window(labels, self._stream(WORDS).window, word_ids, 0, offsets, rows)
        run_blocks(add_windows, words, scores, bounds)
        for template in self.features.pairs:
            stream = self._stream(PAIRS + template)
            numbers = stream.pair_numbers
            found = numbers.find(pair_codes(in_pairs[template][word_ids], offsets, numbers.n_words))
            pairs = PairWindow(
                stream.window,
                found,
                offsets,
                stream.pair_bounds,
                stream.pair_labels,
                stream.pair_weights,
            )
            run_blocks(add_pairs, pairs, scores, bounds)

    def _add_further_streams(self, scores: FloatArray, passage: Passage) -> None:
        """Add to scores (T, C) what every token sees of columns, documents and functions of its own."""
        offsets = np.require(passage.offsets, np.int64, ["C", "W"])
        bounds, labels = sentence_blocks(offsets), own_labels(scores.shape[1], len(scores))
        for name, found in further_streams(passage, self.features).items():
            stream = self._stream(name)
            rows = stream.rows(map(_as_pieces, found.table), len(self.chain))
            seen = Window(labels, stream.window, found.ids.astype(np.int64), -1, offsets, rows)
            run_blocks(add_windows, seen, scores, bounds)

    def _reasons(
        self, tokens: Sequence[str], position: int, label: int, rival: int, context: Context | None
    ) -> Iterator[Reason]:
        context = context or Context()
        passage = Passage.of_sentences([tokens], context.documents, context.columns)
        shown = {WORDS: [word_pieces(word, tuple(self.features.windows)) for word in tokens]}
        for template in self.features.pairs:
            singles = [TEMPLATES[template](word)[0] for word in tokens]
            shown[PAIRS + template] = [[], *([PAIR_BREAK.join(pair)] for pair in pairwise(singles))]
        for name, stream in further_streams(passage, self.features).items():
            shown[name] = [_as_pieces(stream.table[value]) for value in stream.ids.tolist()]
        for known in self.streams:
            outside = [EDGE] if known.name == WORDS else []
            seen = [position + offset for offset in known.offsets]
            pieces = [shown[known.name][t] if 0 <= t < len(tokens) else outside for t in seen]
            yield from reasons(known, pieces, label, rival)

    def _transition_reasons(self, path: Sequence[int], position: int, rival: int) -> Iterator[Reason]:
        tags, label = self.chain.tags, path[position]
        if position > 0:
            row = self.transitions[path[position - 1]]
            yield Reason(f"after {tags[path[position - 1]]}", float(row[label]), float(row[rival]))
        if position + 1 < len(path):
            column = self.transitions[:, path[position + 1]]
            yield Reason(f"before {tags[path[position + 1]]}", float(column[label]), float(column[rival]))

    def _stream(self, name: str) -> StreamWeights:
        return next(stream for stream in self.streams if stream.name == name)

    @property
    def _needs_passage(self) -> bool:
        features = self.features
        return bool(features.columns or features.document or features.function or features.knowledge)

    @cached_property
    def _word_rows(self) -> "WordRows":
        from crowdseq.tagging.word_rows import WordRows  # a tagger that is only trained needs none

        pairs = {template: self._stream(PAIRS + template).pair_numbers for template in self.features.pairs}
        return WordRows(self._stream(WORDS), tuple(self.features.windows), len(self.chain), pairs)

    @cached_property
    def _outer(self) -> IntArray:
        return self.chain.outer(self.scheme)

    @cached_property
    def _edges(self) -> tuple[FloatArray, FloatArray]:
        starts = np.where(self.chain.starts, 0.0, -np.inf)
        return starts, np.where(self.chain.ends, 0.0, -np.inf)

    @cached_property
    def _names(self) -> "np.ndarray[tuple[int], np.dtype[np.object_]]":
        return np.array(self.scheme.tags, dtype=object)[self._outer]


def _as_pieces(value: Hashable) -> list[str]:
    return [str(piece) for piece in value] if isinstance(value, tuple) else [str(value)]
