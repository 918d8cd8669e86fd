"""evaluate: predicted tags beside gold, both from files."""

from dataclasses import replace
from pathlib import Path

from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.evaluation.scores import Scores, evaluate
from crowdseq.formats import ImportReport, ReadSettings, read
from crowdseq.workflows.answers import answer_of, gold_of
from crowdseq.workflows.choosing import Selection


def evaluate_files(
    gold: Corpus,
    predicted: Corpus,
    *,
    mode: str = "strict",
    scheme: str | None = None,
    left_out: bool = False,
) -> Scores:
    """Scores of one corpus against another; sentences are matched by order if the texts agree, else by id.

    left_out: the predicted file holds predictions of a model that were not read.
    """
    wanted, given = gold_of(gold), answer_of(predicted, left_out=left_out)
    order = _match(gold, predicted)
    return evaluate(wanted, [given[place] for place in order], mode=mode, scheme=scheme)


def evaluate_paths(
    gold: str, predicted: str, reading: tuple[ReadSettings, Selection], *, mode: str = "strict"
) -> tuple[Scores, tuple[ImportReport, ImportReport]]:
    """The same of two files, or of a file and a run folder; both are read in the same way.

    The scheme of the settings is that of the scores, and the selection is one of gold sentences.
    """
    settings, selection = reading
    plain = replace(settings, scheme=None)
    wanted = read(gold, plain)
    answer = Path(predicted) / "consensus.jsonl"
    # A run folder stands for what it settled on, in our own form; one rejects file cannot hold both inputs.
    given = read(str(answer)) if answer.is_file() else read(predicted, replace(plain, rejects=None))
    chosen = selection.apply(wanted.corpus)
    left_out = given.report.finding("predictions-left-out") is not None
    scores = evaluate_files(chosen, given.corpus, mode=mode, scheme=settings.scheme, left_out=left_out)
    return scores, (wanted.report, given.report)


def _match(gold: Corpus, predicted: Corpus) -> list[int]:
    """For every gold sentence the predicted one that goes with it."""
    if len(gold) == len(predicted):
        differing = [i for i in range(len(gold)) if gold.text.tokens[i] != predicted.text.tokens[i]]
        if not differing:
            return list(range(len(gold)))
    else:
        differing = []
    places = {name: place for place, name in enumerate(predicted.text.ids)}
    missing = [name for name in gold.text.ids if name not in places]
    if missing:
        raise AnnotationError(_difference(gold, predicted, differing, missing))
    order = [places[name] for name in gold.text.ids]
    for place, other in enumerate(order):
        if gold.text.tokens[place] != predicted.text.tokens[other]:
            raise AnnotationError(f"sentence {gold.text.ids[place]} has other tokens in the two files")
    return order


def _difference(gold: Corpus, predicted: Corpus, differing: list[int], missing: list[str]) -> str:
    if differing:
        place = differing[0]
        return f"sentence {place + 1} ({gold.text.ids[place]}) has other tokens in the two files"
    return (
        f"the gold file has {len(gold)} sentences and the predicted one {len(predicted)}; "
        f"sentence {missing[0]} is missing"
    )
