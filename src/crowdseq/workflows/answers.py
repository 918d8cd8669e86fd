"""Which tags of a file are compared: the gold of one side, the answer of the other."""

from collections.abc import Sequence

from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError

Tags = Sequence[str | None]


def gold_of(corpus: Corpus) -> list[Tags]:
    """The gold tags of every sentence, or the labels of a consensus; None for tokens that have none."""
    found: list[Tags] = []
    for place, sentence in enumerate(corpus.sentences):
        tags = corpus.gold[place]
        labels = _labels(corpus, place) if tags is None else tags
        found.append([None] * len(sentence.tokens) if labels is None else labels)
    if not any(tag is not None for tags in found for tag in tags):
        raise AnnotationError(f"the gold file has no tags to compare{_gold_hint(corpus)}")
    return found


def answer_of(corpus: Corpus, *, left_out: bool = False) -> list[Tags]:
    """The tags that a file of predictions gives to every sentence.

    Labels of a tagger go first, since `tag` keeps the gold of what it was given; then gold, which is what the
    tags of a plain file are read as; then the votes of an annotator who is the only one.
    left_out: the file holds predictions of a model that were not read.
    """
    labels = [_labels(corpus, place) for place in range(len(corpus))]
    if any(labels):
        return _complete(corpus, labels, "; the other sentences have 'labels'")
    if corpus.has_gold.any():
        return _complete(corpus, list(corpus.gold), "")
    if len(corpus.annotators) == 1 and corpus.annotations.n_votes:
        hint = f"; {corpus.annotators[0]} did not label it, --empty-means labelled reads that as no entity"
        return _complete(corpus, _votes(corpus), hint)
    raise AnnotationError(f"the predicted file has no tags to compare{_answer_hint(corpus, left_out)}")


def _labels(corpus: Corpus, place: int) -> Tags | None:
    """The labels that stand beside the tokens, if they are one text for each of them."""
    sentence = corpus.sentences[place]
    labels = sentence.extras.get("labels")
    fits = isinstance(labels, list | tuple) and len(labels) == len(sentence.tokens)
    return labels if fits and all(isinstance(label, str) for label in labels) else None


def _votes(corpus: Corpus) -> list[Tags | None]:
    names = corpus.scheme.tags
    rows = [ballot.tags.tolist() for ballot in corpus.annotations.ballots]
    return [[names[tag] if tag >= 0 else None for tag in seen[0]] if seen else None for seen in rows]


def _complete(corpus: Corpus, found: Sequence[Tags | None], hint: str) -> list[Tags]:
    for place, tags in enumerate(found):
        if tags is None:
            name = corpus.text.ids[place]
            raise AnnotationError(f"sentence {name} of the predicted file has no tags to compare{hint}")
    return [tags for tags in found if tags is not None]


def _gold_hint(corpus: Corpus) -> str:
    if not corpus.annotators:
        return ": it has neither gold nor annotators"
    return (
        f": it has the votes of {_people(corpus)} and no gold; where a file does not say whose labels it "
        "holds, --files-mean gold reads them as gold"
    )


def _answer_hint(corpus: Corpus, left_out: bool) -> str:
    if left_out:
        return ": the predictions of a model in it were left out, read them with --predictions"
    if len(corpus.annotators) > 1:
        return (
            f": it has the votes of {_people(corpus)}; settle them with crowdseq learn and give the run "
            "folder, or keep one with crowdseq convert --annotators"
        )
    return (
        ": it has neither labels nor gold nor an annotator; --files-mean and --predictions say what to read"
    )


def _people(corpus: Corpus) -> str:
    names = corpus.annotators
    return names[0] if len(names) == 1 else f"{len(names)} annotators"
