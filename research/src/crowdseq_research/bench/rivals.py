"""python-crfsuite and chaine on the same attributes, for comparison: strings, training, tagging."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from crowdseq.core.corpus import Corpus
from crowdseq.errors import MissingExtraError
from crowdseq.tagging.features import TEMPLATES, FeatureSettings

_NEAR, _FAR = (-1, 0, 1), (-2, -1, 0, 1, 2)

# About thirty attributes a token, as taggers of this kind commonly have.
BENCH_FEATURES = FeatureSettings(
    windows={
        "word": _FAR,
        "lower": (0,),
        "shape": _FAR,
        "short": (0,),
        "prefix": (0,),
        "suffix": (0,),
        "flag": (0,),
    },
    pairs={"word": (0, 1)},
)


def crfsuite() -> ModuleType:
    """The python-crfsuite module, or one friendly line."""
    try:
        import pycrfsuite
    except ImportError:
        raise MissingExtraError(
            "the bench (python-crfsuite to compare with)", "bench", "crowdseq-research"
        ) from None
    module: ModuleType = pycrfsuite
    return module


def attributes(tokens: Sequence[str], features: FeatureSettings = BENCH_FEATURES) -> list[list[str]]:
    """For each token the attribute strings that mean the same as our features."""
    shown = {name: [TEMPLATES[name](token) for token in tokens] for name in features.windows}
    result = []
    for t in range(len(tokens)):
        found = [
            f"{name}[{offset}]={piece}"
            for name, offsets in features.windows.items()
            for offset in offsets
            if 0 <= t + offset < len(tokens)
            for piece in shown[name][t + offset]
        ]
        found += [f"edge[{offset}]" for offset in features.edges if not 0 <= t + offset < len(tokens)]
        found += [
            f"pair[{offset}]={tokens[t + offset - 1]}|{tokens[t + offset]}"
            for offset in features.pairs.get("word", ())
            if 0 < t + offset < len(tokens)
        ]
        result.append(found)
    return result


def known_tags(corpus: Corpus) -> list[list[str]]:
    """The gold tags of a corpus whose every token has one."""
    tags, bounds = corpus.scheme.tags, corpus.offsets.tolist()
    flat = [tags[number] for number in corpus.gold_tags.tolist()]
    return [flat[first:last] for first, last in pairwise(bounds)]


@dataclass(frozen=True)
class RivalTraining:
    """What python-crfsuite reported: iterations done, the last loss, the number of weights."""

    iterations: int
    loss: float
    n_weights: int


class Rival:
    """A python-crfsuite trainer with the training data inside."""

    def __init__(
        self,
        sentences: Sequence[Sequence[str]],
        tags: Sequence[Sequence[str]],
        c2: float,
        items: Sequence[Sequence[Sequence[str]]] | None = None,
    ) -> None:
        """items: the attributes of all sentences, if they are there already."""
        self._module = crfsuite()
        self._trainer: Any = self._module.Trainer(verbose=False)
        self._c2 = c2
        for place, (tokens, labels) in enumerate(zip(sentences, tags, strict=True)):
            self._trainer.append(attributes(tokens) if items is None else items[place], list(labels))

    def train(self, path: Path, max_iterations: int | None = None) -> RivalTraining:
        """Train and write the model; to its own stop unless told otherwise."""
        # Its defaults, said out loud because a trainer remembers the settings of the run before.
        settings = {"c1": 0.0, "c2": self._c2, "epsilon": 1e-5, "delta": 1e-5}
        settings["max_iterations"] = 2**31 - 1 if max_iterations is None else max_iterations
        self._trainer.set_params(settings)
        self._trainer.train(str(path))
        last = self._trainer.logparser.last_iteration
        return RivalTraining(int(last["num"]), float(last["loss"]), int(last["active_features"]))


def chaine_trainer(sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], c2: float) -> Any:
    """A chaine trainer with the training data inside, or None if chaine is not installed."""
    if find_spec("chaine") is None:
        return None
    import_module("chaine.logging").set_verbosity(0)  # it would report every iteration on the terminal
    trainer = import_module("chaine._core.crf").Trainer("lbfgs", c1=0.0, c2=c2)
    for tokens, labels in zip(sentences, tags, strict=True):
        trainer.append(attributes(tokens), list(labels))
    return trainer


class RivalTagger:
    """A python-crfsuite tagger that takes raw tokens."""

    def __init__(self, path: Path) -> None:
        self._tagger: Any = crfsuite().Tagger()
        self._tagger.open(str(path))

    def tag_many(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Features and tags of every sentence."""
        return [list(self._tagger.tag(attributes(tokens))) for tokens in sentences]
