"""evaluate: predicted tags beside gold, both from files."""

from dataclasses import dataclass, replace
from pathlib import Path

from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.evaluation.scores import Scores, evaluate
from crowdseq.formats import read
from crowdseq.workflows.answers import answer_of, gold_of
from crowdseq.workflows.reading import READ_ALL, SILENT, Listener, Reading


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
    given = read(str(answer)) if answer.is_file() else read(request.predicted, tagged)
    chosen = selection.apply(wanted.corpus)
    left_out = given.report.finding("predictions-left-out") is not None
    tags, answers = gold_of(chosen), answer_of(given.corpus, left_out=left_out)
    order = _match(chosen, given.corpus)
    scores = evaluate(tags, [answers[index] for index in order], mode=request.mode, scheme=settings.scheme)
    for report in (wanted.report, given.report):
        request.listener.imported(report, is_gold=True)
    return scores


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
