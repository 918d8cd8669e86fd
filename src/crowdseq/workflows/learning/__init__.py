"""learn: from a crowd to a consensus and a tagger, whatever the method."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdseq.core.corpus import Corpus
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.workflows.learning.plan import LearnPlan, choose_text_model, gather_knowledge
from crowdseq.workflows.reading import corpus_of
from crowdseq.workflows.recipes import Resources, make_recipe
from crowdseq.workflows.run import Run

if TYPE_CHECKING:
    from crowdseq.workflows.knowing.knowledge import Names
    from crowdseq.workflows.progress import Wish


def learn(
    corpus: Corpus | str | PathLike[str] | Iterable[Any] | Any,
    method: str = "sa-slc",
    *,
    seed: int = 0,
    tagger: bool = True,
    targets: str = "hard",
    trainer: CrfTrainer | None = None,
    progress: "Wish" = None,
    checkpoints: str | Path | None = None,
    dev: Corpus | str | PathLike[str] | None = None,
    lexicons: "Mapping[str, Names] | None" = None,
    vectors: str | PathLike[str] | None = None,
    unlabelled: Sequence[str | PathLike[str]] = (),
    text_model: str = "crf",
    model: str | PathLike[str] | None = None,
    **settings: Any,
) -> Run:
    """Consensus, annotator reports and tagger of a crowd.

    corpus: a Corpus, a path or several, a list of records, or a data frame (see `read`,
    `Corpus.from_records`, `Corpus.from_frame`, which know more settings). method: its name; settings are the
    method's own, or `threads`, `max_memory` (megabytes), `engine` (`local` or `ray`), `workers`, `address`.
    tagger: whether to train one. targets: what the CRF that follows a plain method learns from, `hard` tags
    or `soft` posteriors; a joint method trains its own.
    checkpoints: a folder where a method that can be resumed keeps every round, and goes on from there.
    dev: text with gold, not in the corpus, by which such a method chooses its best round. lexicons: by type a
    list of names, or the file of one, which the text is searched for. vectors: a file of word vectors, or
    `auto` for those of an installed package; unlabelled: files of text of the same kind, from which such
    vectors are learned; whether they help is found out first. text_model: what reads the text: the `crf`
    alone, joined by a `network` over the states of a language model, or by the `transformer` itself in the
    tagger too (extra `neural`); model: the folder of that model. progress: True for some plain lines, False
    for none, None for lines in a notebook only; or a function that is called with the stage, how much of it
    is done, and how much there is.

    >>> import crowdseq
    >>> run = crowdseq.learn([
    ...     {"tokens": ["Ada", "slept"], "annotations": {"ann": ["B-PER", "O"], "bob": ["B-PER", "O"]}},
    ... ], "majority-vote", tagger=False)
    >>> run.consensus.tags[0]
    ('B-PER', 'O')
    """
    from crowdseq.workflows.progress import progress_told

    recipe = make_recipe(method, settings, seed)
    knowledge = gather_knowledge(
        list((lexicons or {}).items()), vectors, tuple(fspath(file) for file in unlabelled), seed
    )
    reader = choose_text_model(text_model, model, recipe, seed)
    plan = LearnPlan(recipe, Resources.of(settings), tagger, targets, trainer, knowledge, reader)
    crowd, known = corpus_of(corpus), None if dev is None else corpus_of(dev)
    with progress_told(progress) as told:
        return plan.run(crowd, progress=told, checkpoints=checkpoints, dev=known)
