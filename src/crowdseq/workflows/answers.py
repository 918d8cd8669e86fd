"""Which tags of a file are compared: the gold of one side, the answer of the other."""

from collections.abc import Sequence

from crowdseq.core.corpus import Corpus
from crowdseq.errors import Advice, AnnotationError

Tags = Sequence[str | None]


def gold_of(corpus: Corpus) -> list[Tags]:
    """The gold tags of every sentence, or the labels of a consensus; None for tokens that have none."""
    rows: list[Tags] = []
    for index, sentence in enumerate(corpus.sentences):
        gold = corpus.gold[index]
        tags = _labels(corpus, index) if gold is None else gold
        rows.append([None] * len(sentence.tokens) if tags is None else tags)
    if not any(tag is not None for tags in rows for tag in tags):
        raise _no_gold(corpus)
    return rows


def answer_of(corpus: Corpus, *, left_out: bool = False) -> list[Tags]:
    """The tags that a file of predictions gives to every sentence.

    Labels of a tagger go first, since `tag` keeps the gold of what it was given; then gold, which is what the
    tags of a plain file are read as; then the votes of an annotator who is the only one.
    left_out: the file holds predictions of a model that were not read.
    """
    labels = [_labels(corpus, index) for index in range(len(corpus))]
    if any(labels):
        return _complete(corpus, labels, Advice("although other sentences have 'labels'"))
    if corpus.has_gold.any():
        return _complete(corpus, list(corpus.gold))
    if len(corpus.annotators) == 1 and corpus.annotations.n_votes:
        told = "since {0} did not label it; {empty_means} reads that as no entity"
        advice = Advice(told, corpus.annotators[0], empty_means="labelled")
        return _complete(corpus, _votes(corpus), advice)
    raise _no_answer(corpus, left_out)


def _labels(corpus: Corpus, index: int) -> Tags | None:
    """The labels that stand beside the tokens, if they are one text for each of them."""
    sentence = corpus.sentences[index]
    labels = sentence.extras.get("labels")
    fits = isinstance(labels, list | tuple) and len(labels) == len(sentence.tokens)
    return labels if fits and all(isinstance(label, str) for label in labels) else None


def _votes(corpus: Corpus) -> list[Tags | None]:
    names = corpus.scheme.tags
    rows = [ballot.tags.tolist() for ballot in corpus.annotations.ballots]
    return [[names[tag] if tag >= 0 else None for tag in seen[0]] if seen else None for seen in rows]


def _complete(corpus: Corpus, rows: Sequence[Tags | None], advice: Advice | None = None) -> list[Tags]:
    for index, tags in enumerate(rows):
        if tags is None:
            name = corpus.text.ids[index]
            raise AnnotationError(f"sentence {name} of the predicted file has no tags to compare", advice)
    return [tags for tags in rows if tags is not None]


def _no_gold(corpus: Corpus) -> AnnotationError:
    what = "the gold file has no tags to compare"
    if not corpus.annotators:
        return AnnotationError(f"{what}: it has neither gold nor annotators")
    told = "where a file does not say whose labels it holds, {files_mean} reads them as gold"
    return AnnotationError(
        f"{what}: it has the votes of {_people(corpus)} and no gold;", Advice(told, files_mean="gold")
    )


def _no_answer(corpus: Corpus, left_out: bool) -> AnnotationError:
    what = "the predicted file has no tags to compare:"
    if left_out:
        advice = Advice("read them with {predictions}", predictions="")
        return AnnotationError(f"{what} the predictions of a model in it were left out", advice)
    if len(corpus.annotators) > 1:
        return AnnotationError(
            f"{what} it has the votes of {_people(corpus)}; learn their consensus and give the run folder, "
            "or convert the file with one annotator alone"
        )
    advice = Advice("{files_mean} and {predictions} say what to read", files_mean="", predictions="")
    return AnnotationError(f"{what} it has neither labels nor gold nor an annotator;", advice)


def _people(corpus: Corpus) -> str:
    names = corpus.annotators
    return names[0] if len(names) == 1 else f"{len(names)} annotators"
