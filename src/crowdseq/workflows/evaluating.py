"""evaluate: predicted tags beside gold, both from files."""

from dataclasses import dataclass, replace
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from crowdseq.aggregation.contract import Learned
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.evaluation.scores import Scores
from crowdseq.evaluation.scores import evaluate as evaluate_lists
from crowdseq.formats import read
from crowdseq.formats.files import is_sharded_run
from crowdseq.tagging.sequence_tagger import Context
from crowdseq.workflows.answers import answer_of, gold_of
from crowdseq.workflows.reading import READ_ALL, SILENT, Listener, Reading, corpus_of


def evaluate(
    gold: Any, predicted: Any, *, scheme: LabelScheme | str | None = None, mode: str = "strict"
) -> Scores:
    """Scores of predicted tags against gold: precision, recall and F1 of spans, for every type and in all.

    gold: lists of tags, one for each sentence, or a corpus (or its path) with gold. predicted: lists of tags
    in the same order; or a consensus, a run, a tagger, or a corpus (or its path), whose sentences are found
    by their order or their ids. A gold tag None, or None for a whole sentence, is left out: a predicted span
    counts only where all its tokens have gold. scheme: that of the gold tags, for both sides; None tells it
    from the tags. mode: `strict` counts a span that breaks the scheme for nothing, `lenient` reads it as
    conlleval does.

    >>> import crowdseq
    >>> crowdseq.evaluate([["B-PER", "O", "B-LOC"]], [["B-PER", "O", "O"]]).f1
    0.6666666666666666
    >>> corpus = crowdseq.demo_corpus()
    >>> run = crowdseq.learn(corpus, "majority-vote", tagger=False)
    >>> crowdseq.evaluate(corpus, run.consensus).precision > 0.7
    True
    """
    tags, text = _wanted(gold, predicted)
    answers, other = _given(predicted, text)
    if text is not None and other is not None and other is not text:
        answers = [answers[index] for index in _match(text, other)]
    return evaluate_lists(tags, answers, scheme=scheme, mode=mode)


class _Side(NamedTuple):
    """Tags by sentence, and the corpus that they belong to if that is known."""

    tags: Any
    corpus: Corpus | None = None


def _wanted(gold: Any, predicted: Any) -> _Side:
    settled = _consensus_of(gold)
    if settled is not None:
        if isinstance(predicted, Corpus):
            raise SettingsError("gold comes first: evaluate(corpus, consensus)")
        return _Side(list(settled.tags), settled.corpus)
    if _is_lists(gold):
        return _Side(gold)
    corpus = corpus_of(gold)
    return _Side(gold_of(corpus), corpus)


def _given(predicted: Any, text: Corpus | None) -> _Side:
    settled = _consensus_of(predicted)
    if settled is not None:
        return _Side(list(settled.tags), settled.corpus)
    if hasattr(predicted, "tag_many"):
        if text is None:
            raise SettingsError("a tagger needs text: give a corpus as gold, not lists of tags")
        return _Side(predicted.tag_many(list(text.text.tokens), Context.of_text(text.text)), text)
    if _is_lists(predicted):
        return _Side(predicted)
    corpus = corpus_of(predicted)
    return _Side(answer_of(corpus), corpus)


def _consensus_of(value: Any) -> Consensus | None:
    if isinstance(value, Learned):
        return value.consensus
    return value if isinstance(value, Consensus) else None


def _is_lists(value: Any) -> bool:
    """Whether these are tags by sentence, and nothing that a corpus is made of."""
    return not isinstance(value, str | PathLike | Corpus)


@dataclass(frozen=True, kw_only=True)
class EvaluateRequest:
    """A file of gold and one of predictions, or a run folder; both files are read in the same way.

    The scheme of the settings is that of the scores, and the selection is one of gold sentences.
    mode: `strict` spans follow the scheme, `lenient` reads stray tags as conlleval does.
    """

    gold: str
    predicted: str
    reading: Reading = READ_ALL
    mode: str = "strict"
    listener: Listener = SILENT


def evaluate_files(request: EvaluateRequest) -> Scores:
    """Scores of the predicted tags."""
    settings, selection = request.reading
    plain = replace(settings, scheme=None)
    wanted = read(request.gold, plain)
    answer = Path(request.predicted) / "consensus.jsonl"
    # A run folder stands for its consensus, in our own form; one rejects file cannot hold both inputs.
    # What `tag` writes has the gold of its input before its own tags, which stand last.
    tagged = replace(plain, rejects=None, last_column=settings.columns is None)
    if is_sharded_run(answer.parent):
        given = read(_sharded_labels(answer.parent))
    else:
        given = read(str(answer)) if answer.is_file() else read(request.predicted, tagged)
    chosen = selection.apply(wanted.corpus)
    left_out = given.report.finding("predictions-left-out") is not None
    tags, answers = gold_of(chosen), answer_of(given.corpus, left_out=left_out)
    order = _match(chosen, given.corpus)
    scores = evaluate_lists(
        tags, [answers[index] for index in order], mode=request.mode, scheme=settings.scheme
    )
    for report in (wanted.report, given.report):
        request.listener.imported(report, is_gold=True)
    return scores


def _sharded_labels(folder: Path) -> bytes:
    """The consensus of a run in shards, in our own form."""
    from crowdseq.formats.tools.native.jsonl import write_consensus
    from crowdseq.workflows.sharded.opening import open_shards

    out, consensus = BytesIO(), open_shards(folder).in_order
    for number, block in enumerate(consensus.blocks(500_000)):
        write_consensus(consensus.take(block), out, with_names=False, goes_on=number > 0)
    return out.getvalue()


def _match(gold: Corpus, predicted: Corpus) -> list[int]:
    """For every gold sentence the predicted one: by order if the texts agree, else by id."""
    if len(gold) == len(predicted):
        differing = [i for i in range(len(gold)) if gold.text.tokens[i] != predicted.text.tokens[i]]
        if not differing:
            return list(range(len(gold)))
    else:
        differing = []
    index_of = {name: index for index, name in enumerate(predicted.text.ids)}
    missing = [name for name in gold.text.ids if name not in index_of]
    if missing:
        raise AnnotationError(_difference(gold, predicted, differing, missing))
    order = [index_of[name] for name in gold.text.ids]
    for name, tokens, index in zip(gold.text.ids, gold.text.tokens, order, strict=True):
        if tokens != predicted.text.tokens[index]:
            raise AnnotationError(f"sentence {name} has other tokens in the two files")
    return order


def _difference(gold: Corpus, predicted: Corpus, differing: list[int], missing: list[str]) -> str:
    if differing:
        first = differing[0]
        return f"sentence {first + 1} ({gold.text.ids[first]}) has other tokens in the two files"
    return (
        f"the gold file has {len(gold)} sentences and the predicted one {len(predicted)}; "
        f"sentence {missing[0]} is missing"
    )
