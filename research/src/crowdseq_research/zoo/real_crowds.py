"""Crowds of real people and of labelling functions, whole and in parts."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, Problem
from crowdseq.workflows.reading import read

Make = Callable[[Path, int], Corpus]
_FILES = {
    "amt": "amt_conll2003/crowd.jsonl.gz",
    "amt-all": "amt_conll2003/crowd.jsonl.gz",
    "pico": "pico_participants/crowd_acl17_test.jsonl.gz",
    "oei": "crowd_oei_zh/crowd_dev.jsonl.gz",
    "pos": "pos_gimpel/crowd.jsonl.gz",
    "wikigold": "weak_wikigold/crowd_train.jsonl.gz",
    "laptop": "weak_laptop/crowd_train.jsonl.gz",
    "weak_ncbi": "weak_ncbi_disease/crowd_dev.jsonl.gz",
}


@lru_cache(maxsize=4)
def load(data: Path, name: str) -> Corpus:
    """A crowd of the data folder; of AMT the `val` part."""
    path = data / _FILES[name]
    if not path.is_file():
        raise FormatError(Problem("the crowd is not there, say --data FOLDER", str(path)))
    crowd = read(path)
    if name == "amt":
        crowd = with_present_annotators(crowd.where(lambda sentence: sentence.extras.get("split") == "val"))
    return crowd


def _whole(name: str) -> Make:
    return lambda data, _: load(data, name)


def _documents(name: str, sentences: int) -> Make:
    return lambda data, draw: draw_documents(load(data, name), sentences, draw)


amt_all = _whole("amt-all")
amt_val, pico, oei, pos = _whole("amt"), _whole("pico"), _whole("oei"), _whole("pos")
wikigold, laptop, weak_ncbi = _whole("wikigold"), _whole("laptop"), _whole("weak_ncbi")


def amt_documents(sentences: int) -> Make:
    return _documents("amt", sentences)


def pico_documents(abstracts: int) -> Make:
    return lambda data, draw: draw_documents(load(data, "pico"), 0, draw, documents=abstracts)


def oei_documents(sentences: int) -> Make:
    return _documents("oei", sentences)


def pos_documents(sentences: int) -> Make:
    return _documents("pos", sentences)


def wikigold_documents(sentences: int) -> Make:
    return _documents("wikigold", sentences)


def laptop_documents(sentences: int) -> Make:
    return _documents("laptop", sentences)


def amt_fewer(sentences: int, annotators: int) -> Make:
    """So many annotators for each sentence, drawn for each anew."""

    def make(data: Path, draw: int) -> Corpus:
        return keep_some(draw_documents(load(data, "amt"), sentences, draw), annotators, draw)

    return make


def amt_one_document(sentences: int) -> Make:
    """The sentences of several documents as if they were one."""

    def make(data: Path, draw: int) -> Corpus:
        crowd = draw_documents(load(data, "amt"), sentences, draw)
        return rebuilt(crowd, document="all")

    return make


def draw_documents(crowd: Corpus, sentences: int, draw: int, *, documents: int = 0) -> Corpus:
    """Whole documents in random order until there are so many sentences, or so many documents."""
    names: dict[str, list[int]] = {}
    for number, sentence in enumerate(crowd.sentences):
        names.setdefault(str(sentence.doc if sentence.doc is not None else sentence.id), []).append(number)
    parts = list(names.values())
    chosen: list[int] = []
    for count, place in enumerate(np.random.default_rng([41, draw]).permutation(len(parts)).tolist()):
        if len(chosen) >= sentences and count >= documents:
            break
        chosen += parts[place]
    return with_present_annotators(crowd.select(np.array(sorted(chosen))))


def with_present_annotators(crowd: Corpus) -> Corpus:
    """Without those who labelled nothing of it."""
    present = {crowd.annotators[number] for number in set(crowd.annotations.voters.tolist())}
    return crowd.keep_annotators(present)


def keep_some(crowd: Corpus, annotators: int, draw: int) -> Corpus:
    """At most so many annotators for each sentence."""
    random = np.random.default_rng([43, draw])
    return rebuilt(crowd, choose=lambda count: sorted(random.permutation(count)[:annotators].tolist()))


def rebuilt(
    crowd: Corpus, *, document: str | None = None, choose: Callable[[int], Sequence[int]] = range
) -> Corpus:
    """The same sentences, with some of their labels, or all in one document."""
    builder, names = CorpusBuilder(), crowd.scheme.tags
    for number, ballot in enumerate(crowd.annotations.ballots):
        sentence = crowd.sentences[number]
        rows, voters = ballot.tags.tolist(), ballot.voters.tolist()
        labels = {
            crowd.annotators[voters[row]]: [names[tag] if tag >= 0 else None for tag in rows[row]]
            for row in choose(len(voters))
        }
        doc = sentence.doc if document is None else document
        builder.add(Record(sentence.tokens, sentence.id, doc, labels, crowd.gold[number]))
    return builder.build(crowd.scheme)
