"""compare: every method on the same crowd, side by side, each in a process of its own."""

import multiprocessing
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from typing import Any

from crowdseq.core.corpus import Corpus
from crowdseq.errors import CrowdseqError
from crowdseq.evaluation.calibration import entity_tokens, measure_calibration
from crowdseq.evaluation.scores import evaluate
from crowdseq.methods import list_methods
from crowdseq.numerics.em import Progress, quiet
from crowdseq.tagging.tagger import Context, Tagger
from crowdseq.workflows.learning import learn
from crowdseq.workflows.metrics import score
from crowdseq.workflows.recipes import make_recipe


@dataclass(frozen=True)
class Row:
    """One method: scores of its consensus against gold and of its tagger on other text, None where unknown.

    calibration: expected error of the confidence on entity tokens. memory_mb: peak of its process.
    error: why it has no answer.
    """

    method: str
    seconds: float | None = None
    memory_mb: float | None = None
    consensus: dict[str, Any] | None = None
    tagger: dict[str, Any] | None = None
    calibration: float | None = None
    error: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def compare(
    corpus: Corpus,
    methods: Sequence[str] = (),
    *,
    test: Corpus | None = None,
    seed: int = 0,
    tagger: bool = True,
    jobs: int = 1,
    progress: Progress = quiet,
) -> list[Row]:
    """A row for each method, in the order asked for; one that fails says why and stops no other.

    test: text with gold that no method has seen, to score the taggers on.
    """
    wanted = list(methods) or [name for name in list_methods() if name != "gold" or corpus.has_gold.any()]
    for name in wanted:
        make_recipe(name)
    rows: dict[str, Row] = {}
    for done, row in enumerate(_rows(corpus, wanted, test, seed, tagger, jobs), start=1):
        rows[row.method] = row
        progress(f"compared {row.method}", done, len(wanted))
    return [rows[name] for name in wanted]


def _rows(
    corpus: Corpus, names: list[str], test: Corpus | None, seed: int, tagger: bool, jobs: int
) -> Iterator[Row]:
    # Spawned and used once: compiled kernels and threads do not survive a fork, and the memory of one method
    # would hide that of the next.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, max_tasks_per_child=1) as pool:
        futures: dict[Future[Row], str] = {
            pool.submit(compare_one, corpus, name, test, seed, tagger): name for name in names
        }
        for future in as_completed(futures):
            try:
                yield future.result()
            except (
                Exception
            ) as error:  # a crash of one process is that method's row, not the end of the table
                yield Row(futures[future], error=f"{type(error).__name__}: {error}")


def compare_one(corpus: Corpus, name: str, test: Corpus | None, seed: int, tagger: bool) -> Row:
    """The row of one method."""
    begun = time.perf_counter()
    try:
        run = learn(corpus, name, seed=seed, tagger=tagger)
    except CrowdseqError as error:
        return Row(name, error=str(error))
    seconds = round(time.perf_counter() - begun, 2)
    consensus, calibration = None, None
    if corpus.has_gold.any():
        settled = run.consensus
        consensus = score(settled, settled.tag_ids, "strict")
        counted = entity_tokens(corpus.gold_tags, settled.tag_ids, corpus.scheme)
        right = settled.tag_ids == corpus.gold_tags
        calibration = measure_calibration(settled.confidence[counted], right[counted]).error
    scored = score_tagger(run.tagger, test) if run.tagger is not None and test is not None else None
    return Row(name, seconds, _peak_megabytes(), consensus, scored, calibration)


def score_tagger(tagger: Tagger, test: Corpus) -> dict[str, Any]:
    """Scores of a tagger on text with gold, in the form of `evaluate --json`."""
    context = Context(
        documents=test.text.document_of.tolist(),
        columns={name: [one.columns[name] for one in test.sentences] for name in tagger.features.columns},
    )
    predicted = tagger.tag_many(list(test.text.tokens), context)
    gold = [tags if tags is not None else [None] * len(predicted[i]) for i, tags in enumerate(test.gold)]
    return evaluate(gold, predicted).as_dict()


def _peak_megabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 * 1024 if sys.platform == "darwin" else 1024), 1)
