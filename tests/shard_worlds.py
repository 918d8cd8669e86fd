"""Engines for tests: they do what LocalEngine does in other ways; and corpora that are cut."""

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np

from crowdseq.aggregation.canonical import OrderedCut
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import Placed, answer, arguments_of
from crowdseq.engines.local import LocalPlaced
from crowdseq.engines.ordering import cut_canonical
from crowdseq.engines.shards import Cut


def only_worker(placed: Placed[Any]) -> Any:
    """The worker of a single shard in this process."""
    assert isinstance(placed, LocalPlaced)
    (worker,) = placed.workers
    return worker


def quarter(corpus: Corpus) -> int:
    """A size of shards that cuts a corpus into four."""
    size = corpus.n_tokens // 4
    while len(cut_canonical(corpus, size).shards) > 4:
        size += max(size // 50, 1)
    assert len(cut_canonical(corpus, size).shards) == 4
    return size


def as_it_stands(corpus: Corpus, shard_tokens: int | None = None) -> OrderedCut:
    """A corpus that a test has put in the order that it wants."""
    cut = Cut.whole(corpus) if shard_tokens is None else cut_canonical(corpus, shard_tokens)
    return OrderedCut(corpus, cut, np.arange(len(corpus.annotators)), np.arange(corpus.n_tokens))


def shuffled(corpus: Corpus, seed: int) -> Corpus:
    """The same documents in another order, under other names, by annotators with other names."""
    rng = np.random.default_rng(seed)
    documents = rng.permutation(len(corpus.text.documents))
    names = [f"n{number}" for number in rng.permutation(len(corpus.annotators))]
    builder = CorpusBuilder()
    for document in documents.tolist():
        for place in np.flatnonzero(corpus.text.document_of == document).tolist():
            ballot = corpus.annotations.ballots[place]
            answers = {
                names[voter]: [None if tag < 0 else corpus.scheme.tags[tag] for tag in tags]
                for voter, tags in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True)
            }
            builder.add(Record(corpus.text.tokens[place], doc=f"d{document * 7}", annotations=answers))
    return builder.build(corpus.scheme)


def through_bytes(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


class PicklingEngine:
    """Every shard, worker, argument and answer goes through bytes: nothing can be shared by reference."""

    threads = 1

    def place(self, make: Callable[[Any], Any], shards: Sequence[Any]) -> "PicklingPlaced":
        return PicklingPlaced([pickle.dumps(through_bytes(make)(through_bytes(shard))) for shard in shards])


class PicklingPlaced:
    def __init__(self, workers: list[bytes]) -> None:
        self._workers = workers

    def each(self, call: str, *shared: object, own: Sequence[object] | None = None) -> list[Any]:
        given = arguments_of(shared, own, len(self._workers))
        answers = []
        for place, arguments in enumerate(given):
            worker = pickle.loads(self._workers[place])
            answers.append(through_bytes(answer(worker, call, *through_bytes(arguments))))
            self._workers[place] = pickle.dumps(worker)
        return answers


class PoolEngine:
    """Shards live in other processes, several at a time; each has one process of its own."""

    threads = 1

    def __init__(self) -> None:
        self._processes: list[ProcessPoolExecutor] = []

    def place(self, make: Callable[[Any], Any], shards: Sequence[Any]) -> "PoolPlaced":
        new = [ProcessPoolExecutor(1, get_context("spawn")) for _ in shards]
        self._processes.extend(new)
        begun = [process.submit(_begin, make, shard) for process, shard in zip(new, shards, strict=True)]
        for one in begun:
            one.result()
        return PoolPlaced(new)

    def close(self) -> None:
        for process in self._processes:
            process.shutdown()


class PoolPlaced:
    def __init__(self, processes: list[ProcessPoolExecutor]) -> None:
        self._processes = processes

    def each(self, call: str, *shared: object, own: Sequence[object] | None = None) -> list[Any]:
        given = arguments_of(shared, own, len(self._processes))
        asked = [
            process.submit(_ask, call, arguments)
            for process, arguments in zip(self._processes, given, strict=True)
        ]
        return [one.result() for one in asked]


_WORKERS: list[Any] = []  # of this process: one


def _begin(make: Callable[[Any], Any], shard: Any) -> None:
    _WORKERS.append(make(shard))


def _ask(call: str, arguments: tuple[Any, ...]) -> Any:
    return answer(_WORKERS[-1], call, *arguments)
