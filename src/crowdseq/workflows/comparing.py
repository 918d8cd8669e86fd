"""compare: every method on the same crowd, side by side, each in a process of its own."""

import multiprocessing
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from crowdseq.core.corpus import Corpus
from crowdseq.errors import CrowdseqError, Problem, SettingsError, Wording, in_python
from crowdseq.evaluation.calibration import entity_tokens, measure_calibration
from crowdseq.evaluation.scores import evaluate
from crowdseq.formats import read
from crowdseq.methods import method_names
from crowdseq.numerics.em import Progress, quiet
from crowdseq.tagging.sequence_tagger import Context, SequenceTagger
from crowdseq.workflows.learning import learn
from crowdseq.workflows.peak_memory import peak_megabytes
from crowdseq.workflows.reading import CrowdRequest, read_crowd
from crowdseq.workflows.recipes import make_recipe, parse_settings
from crowdseq.workflows.run import FORMAT_VERSION, score

_WARM_UP_SENTENCES = 20


@dataclass(frozen=True)
class Row:
    """One method: scores of its consensus against gold and of its tagger on other text, None where unknown.

    seconds: of learning; compiling is done before. memory_mb: peak of a process that read the crowd, compiled
    and learned. calibration: expected error of the confidence on entity tokens. error: why it has no answer;
    fault: the same with its advice, for doors that word it in their own way.
    """

    method: str
    seconds: float | None = None
    memory_mb: float | None = None
    consensus: dict[str, Any] | None = None
    tagger: dict[str, Any] | None = None
    calibration: float | None = None
    error: str | None = None
    fault: Problem | None = field(default=None, repr=False, compare=False)

    def worded(self, wording: Wording) -> "Row":
        """The same row, its error in the words of a door."""
        return self if self.fault is None else replace(self, error=self.fault.worded(wording))

    def as_dict(self) -> dict[str, Any]:
        told = asdict(replace(self, fault=None))
        del told["fault"]  # is told by error
        return {"format_version": FORMAT_VERSION} | told


@dataclass(frozen=True)
class Comparison:
    """A crowd, the methods to put side by side on it (all that can be, if none is named), and their settings.

    test: text with gold that no method has seen, to score the taggers on. settings: of methods, by name.
    """

    corpus: Corpus
    methods: Sequence[str] = ()
    test: Corpus | None = None
    seed: int = 0
    tagger: bool = True
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def compare(wanted: Comparison, *, jobs: int = 1, progress: Progress = quiet) -> list[Row]:
    """A row for each method, in the order asked for; one that fails says why and stops no other.

    jobs: how many methods run at a time.
    """
    corpus, settings, seed = wanted.corpus, wanted.settings, wanted.seed
    names = list(wanted.methods) or [
        name for name in method_names() if name != "gold" or corpus.has_gold.any()
    ]
    for name in names:
        make_recipe(name, settings.get(name), seed)
    for name in settings:
        if name not in names:
            raise SettingsError(f"there are settings for {name}, which is not compared")
    tasks = [
        _Task(corpus, name, dict(settings.get(name, {})), wanted.test, seed, wanted.tagger) for name in names
    ]
    rows = {row.method: row for row in _rows(tasks, jobs, progress)}
    return [rows[name] for name in names]


@dataclass(frozen=True, kw_only=True)
class CompareRequest(CrowdRequest):
    """Crowd files, the methods to compare on them, and settings as typed (`method.name=value`).

    test: a file with gold to score the taggers on. wording: how errors of methods name settings.
    """

    methods: tuple[str, ...] = ()
    test: str | None = None
    tagger: bool = True
    jobs: int = 1
    settings: tuple[str, ...] = ()
    seed: int = 0
    wording: Wording = in_python


def compare_files(request: CompareRequest) -> list[Row]:
    """The methods side by side on some files."""
    settings = parse_method_settings(request.settings)
    corpus, _ = read_crowd(request)
    test = read(request.test).corpus if request.test else None
    wanted = Comparison(corpus, request.methods, test, request.seed, request.tagger, settings)
    with request.listener.progress() as progress:
        rows = compare(wanted, jobs=request.jobs, progress=progress)
    return [row.worded(request.wording) for row in rows]


def parse_method_settings(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """`method.name=value` texts to settings by method, each known to be one that its method takes."""
    settings: dict[str, dict[str, Any]] = {}
    for text in texts:
        method, dot, rest = text.partition(".")
        if not dot or not method or "=" in method:
            raise SettingsError(f"'{text}' is no setting of a method, write it as method.name=value")
        settings.setdefault(method, {}).update(parse_settings((rest,)))
    for method, values in settings.items():
        make_recipe(method, values)
    return settings


@dataclass(frozen=True)
class _Task:
    """What the process of one method is given."""

    corpus: Corpus
    name: str
    settings: dict[str, Any]
    test: Corpus | None
    seed: int
    tagger: bool


def _rows(tasks: Sequence[_Task], jobs: int, progress: Progress) -> Iterator[Row]:
    """Rows as they come; progress is told when a method begins and when it is done."""
    waiting, running = deque(enumerate(tasks, start=1)), dict[Future[Row], str]()
    pool = ThreadPoolExecutor(jobs)
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                number, task = waiting.popleft()
                stage = f"{task.name} ({number} of {len(tasks)})"
                progress(stage, 0, 1)
                running[pool.submit(_in_own_process, task)] = stage
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                progress(running.pop(future), 1, 1)
                yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _in_own_process(task: _Task) -> Row:
    """A row from a process that does nothing else, so that no crash and no memory is another method's.

    Spawned, since compiled kernels and threads do not survive a fork.
    """
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            return pool.submit(_row, task).result()
        except BrokenProcessPool:
            return Row(task.name, error="its process was ended from outside, perhaps for want of memory")
        except Exception as error:  # a bug of one method is its own row, not the end of the table
            return Row(task.name, error=f"{type(error).__name__}: {error}")


def _row(task: _Task) -> Row:
    warm_up(task.corpus, task.name, tagger=task.tagger, **task.settings)
    own = {"seed": task.seed} | task.settings  # a seed that one method was given goes before that of all
    return compare_one(task.corpus, task.name, task.test, own.pop("seed"), task.tagger, **own)


def warm_up(corpus: Corpus, name: str, *, tagger: bool, **settings: Any) -> None:
    """Compile what a method needs on a few sentences, so that its seconds are its own."""
    few = corpus.select(np.flatnonzero(corpus.n_voters > 0)[:_WARM_UP_SENTENCES])
    with suppress(Exception):  # whatever is wrong, the whole corpus will show
        learn(few, name, tagger=tagger, **settings)


def compare_one(
    corpus: Corpus, name: str, test: Corpus | None, seed: int, tagger: bool, **settings: Any
) -> Row:
    """The row of one method, in this process."""
    try:
        run = learn(corpus, name, seed=seed, tagger=tagger, **settings)
    except CrowdseqError as error:
        # The row leaves its process, which a wording of the command line could not enter.
        return Row(name, error=str(error), fault=Problem(error.message, advice=error.advice))
    memory = round(peak_megabytes(), 1)  # before the scores, which are no part of the method
    consensus, calibration = None, None
    if corpus.has_gold.any():
        result = run.consensus
        consensus = score(result, result.tag_ids, "strict")
        counted = entity_tokens(corpus.gold_tags, result.tag_ids, corpus.scheme)
        right = result.tag_ids == corpus.gold_tags
        calibration = measure_calibration(result.token_confidence[counted], right[counted]).error
    scored = score_tagger(run.tagger, test) if run.tagger is not None and test is not None else None
    return Row(name, round(run.seconds, 2), memory, consensus, scored, calibration)


def score_tagger(tagger: SequenceTagger, test: Corpus) -> dict[str, Any]:
    """Scores of a tagger on text with gold, in the form that `evaluate` prints as JSON."""
    predicted = tagger.tag_many(list(test.text.tokens), Context.of_text(test.text))
    gold = [tags if tags is not None else [None] * len(predicted[i]) for i, tags in enumerate(test.gold)]
    return evaluate(gold, predicted).as_dict()
