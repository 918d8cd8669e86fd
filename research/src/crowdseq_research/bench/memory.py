"""Train in a process of its own and print its peak memory in megabytes; arguments: who, training file."""

import sys
import tempfile
from pathlib import Path

from crowdseq.workflows.peak_memory import peak_megabytes

_ITERATIONS = 8  # the peak is reached as soon as the optimiser's memory is full


def main(who: str, train_file: str) -> float:
    """Peak resident megabytes after reading the file and training on it."""
    from crowdseq.workflows.reading import read

    corpus = read(train_file, format="conll")
    if who == "crowdseq":
        _train_ours(corpus)
    else:
        _train_rival(corpus, prepared=who == "crfsuite")
    return peak_megabytes()


def _train_ours(corpus: object) -> None:
    from crowdseq.core.corpus import Corpus
    from crowdseq.tagging.crf import CrfTrainer
    from crowdseq_research.bench.rivals import BENCH_FEATURES

    assert isinstance(corpus, Corpus)
    # The rival has the tags of the corpus, so ours must have no others.
    trainer = CrfTrainer(features=BENCH_FEATURES, max_iterations=_ITERATIONS, chunks="own")
    trainer.fit(corpus, corpus.gold_tags)


def _train_rival(corpus: object, prepared: bool) -> None:
    """prepared: with the attributes of all sentences made first, as its tutorial does; else one by one."""
    from crowdseq.core.corpus import Corpus
    from crowdseq_research.bench.rivals import Rival, attributes, known_tags

    assert isinstance(corpus, Corpus)
    items = [attributes(tokens) for tokens in corpus.text.tokens] if prepared else None
    with tempfile.TemporaryDirectory() as folder:
        Rival(list(corpus.text.tokens), known_tags(corpus), 1.0, items).train(
            Path(folder) / "model", _ITERATIONS
        )


if __name__ == "__main__":
    sys.stdout.write(f"{main(*sys.argv[1:3])}\n")
