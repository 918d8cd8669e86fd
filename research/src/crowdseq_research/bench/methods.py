"""The speed of the consensus methods on a made-up crowd, beside crowd-kit and skweak where installed."""

from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from typing import Any

import numpy as np

from crowdseq.aggregation.contract import Aggregator
from crowdseq.core.annotations import Annotations
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import offsets_of
from crowdseq.core.text import Text
from crowdseq.methods.bsc import Bsc
from crowdseq.methods.dawid_skene import DawidSkene
from crowdseq.methods.hmm_crowd import HmmCrowd
from crowdseq.methods.ibcc import Ibcc
from crowdseq.methods.mace import Mace
from crowdseq.methods.majority_vote import MajorityVote
from crowdseq_research.bench.timing import interleave

TOKENS, ANNOTATORS, LENGTH, WORDS, ACCURACY = 100_000, 5, 20, 20_000, 0.8
_SKWEAK_TOKENS = 20_000  # enough for a steady figure; its cost grows with the tokens
Tell = Callable[[str], None]


@dataclass(frozen=True)
class MethodRow:
    """CPU seconds of a whole run, of one of our rounds and of one of the rival's, per 100,000 tokens.

    The methods run on one thread, so CPU seconds are what the clock shows on a machine that is not busy.
    """

    method: str
    settings: str
    seconds: float
    most_seconds: float | None
    round_seconds: float | None = None
    rival: str = ""
    rival_round_seconds: float | None = None
    least_ratio: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many of our rounds fit into one of the rival's."""
        if not self.round_seconds or self.rival_round_seconds is None:
            return None
        return self.rival_round_seconds / self.round_seconds

    @property
    def verdict(self) -> str:
        slow = self.most_seconds is not None and self.seconds > self.most_seconds
        behind = self.ratio is not None and self.least_ratio is not None and self.ratio < self.least_ratio
        if slow or behind:
            return "MISSED"
        if self.least_ratio is not None and self.ratio is None:
            return "must, but the rival is not installed"
        return "must" if self.most_seconds is not None else ""


def made_up_crowd(n_tokens: int = TOKENS, n_annotators: int = ANNOTATORS, seed: int = 0) -> Corpus:
    """Sentences of 20 tokens, 4 entity types, everybody on every sentence, one vote in five at random."""
    random = np.random.default_rng(seed)
    n_sentences = n_tokens // LENGTH
    n_tokens = n_sentences * LENGTH
    scheme = LabelScheme.of_types(("LOC", "MISC", "ORG", "PER"))
    truth = np.where(random.random(n_tokens) < 0.8, 0, 1 + 2 * random.integers(0, 4, n_tokens))
    # A second token may follow on every other place, so it never follows another second token.
    places = np.arange(n_tokens)
    longer = (random.random(n_tokens) < 0.5) & (places % 2 == 1) & (np.roll(truth, 1) > 0)
    truth = np.where(longer, np.roll(truth, 1) + 1, truth)
    blocks = np.repeat(truth.reshape(n_sentences, 1, LENGTH), n_annotators, axis=1)
    guessed = random.random(blocks.shape) > ACCURACY
    tags = np.where(guessed, random.integers(0, len(scheme), blocks.shape), blocks)
    lengths = np.full(n_sentences, LENGTH)
    text = Text(
        tuple(f"w{number}" for number in range(WORDS)),
        np.minimum(random.zipf(1.3, n_tokens) - 1, WORDS - 1).astype(np.int32),
        offsets_of(lengths),
        tuple(f"s{number}" for number in range(n_sentences)),
        (None,) * n_sentences,
        np.arange(n_sentences, dtype=np.int32),
    )
    crowd = Annotations(
        tuple(f"w{number}" for number in range(n_annotators)),
        np.tile(np.arange(n_annotators, dtype=np.int32), n_sentences),
        offsets_of(np.full(n_sentences, n_annotators)),
        tags.reshape(-1).astype(np.int16),
        lengths,
    )
    return Corpus(scheme, text, crowd, truth.astype(np.int16), np.ones(n_sentences, np.bool_))


def method_rows(tell: Tell, repeats: int = 3) -> list[MethodRow]:
    """One row for each method; rivals that are not installed leave their columns empty."""
    crowd = made_up_crowd()
    tell("consensus methods: 100,000 tokens, 5 annotators, 9 labels")
    rows = [_row(MajorityVote(), crowd, repeats), _row(Ibcc(), crowd, repeats)]
    kit = _crowdkit(crowd, tell)
    skweak = _skweak(tell)
    rows.append(_row(DawidSkene(), crowd, repeats, 1.0, kit.get("DawidSkene"), "crowd-kit", 10.0))
    rows.append(_row(Mace(), crowd, 1, 15.0, kit.get("MACE"), "crowd-kit", 20.0))
    chains: list[Aggregator] = [HmmCrowd(), Bsc()]
    rows += [_row(recipe, crowd, repeats, 15.0, skweak, "skweak HMM", 50.0) for recipe in chains]
    return rows


def _row(
    recipe: Aggregator,
    crowd: Corpus,
    repeats: int,
    most: float | None = None,
    rival: float | None = None,
    rival_name: str = "",
    least: float | None = None,
) -> MethodRow:
    recipe.aggregate(crowd)  # compiles what is not in the cache yet
    whole = interleave([partial(recipe.aggregate, crowd)], repeats)[0]
    own = _round_seconds(recipe, crowd) if hasattr(recipe, "rounds") else None
    name = rival_name if rival is not None else ""
    return MethodRow(recipe.name, repr(recipe), whole.cpu, most, own, name, rival, least)


def _round_seconds(recipe: Any, crowd: Corpus) -> float:
    """CPU seconds of one round: the difference of a short and a longer run, by the rounds between them."""
    settings = {**vars(recipe), "tolerance": 0.0} | ({"restarts": 1} if "restarts" in vars(recipe) else {})
    short, long = (type(recipe)(**settings | {"rounds": rounds}) for rounds in (2, 32))
    done = len(long.aggregate(crowd).history) - len(short.aggregate(crowd).history)
    times = interleave([partial(short.aggregate, crowd), partial(long.aggregate, crowd)], 3)
    return max(times[1].cpu - times[0].cpu, 1e-6) / max(done, 1)


def _crowdkit(crowd: Corpus, tell: Tell) -> dict[str, float]:
    """CPU seconds of one round of crowd-kit's methods on the same votes; empty if it is not there."""
    try:
        kit, pandas = import_module("crowdkit.aggregation"), import_module("pandas")
    except ImportError:
        return {}
    votes = crowd.annotations.votes()
    table = pandas.DataFrame({"task": votes.tokens, "worker": votes.annotators, "label": votes.labels})
    found = {}
    for name, settings in (("DawidSkene", {"tol": -np.inf}), ("MACE", {"n_restarts": 1})):
        tell(f"crowd-kit {name}")
        runs = [partial(getattr(kit, name)(n_iter=n, **settings).fit, table) for n in (1, 3)]
        times = interleave(runs, 1)
        found[name] = (times[1].cpu - times[0].cpu) / 2
    return found


def _skweak(tell: Tell) -> float | None:
    """CPU seconds of one round of skweak's HMM per 100,000 tokens; None if it is not there."""
    if find_spec("skweak") is None or find_spec("spacy") is None:
        return None
    tell("skweak HMM")
    crowd = made_up_crowd(_SKWEAK_TOKENS)
    aggregation, tokens = import_module("skweak.aggregation"), import_module("spacy.tokens")
    vocabulary = import_module("spacy.vocab").Vocab()
    docs = [_spacy_doc(crowd, place, tokens, vocabulary) for place in range(len(crowd))]
    runs: Sequence[Callable[[], object]] = [
        partial(_fit_skweak, aggregation, crowd.scheme.types, docs, rounds) for rounds in (1, 3)
    ]
    times = interleave(runs, 1)
    return (times[1].cpu - times[0].cpu) / 2 * TOKENS / crowd.n_tokens


def _fit_skweak(aggregation: Any, types: Sequence[str], docs: Any, rounds: int) -> None:
    told = StringIO()  # it tells of every round, and so does what it stands on
    with redirect_stdout(told), redirect_stderr(told):
        aggregation.HMM("truth", list(types)).fit(docs, n_iter=rounds)


def _spacy_doc(crowd: Corpus, place: int, tokens: Any, vocabulary: Any) -> Any:
    """One sentence as skweak wants it: the spans of each annotator under their name."""
    doc = tokens.Doc(vocabulary, words=list(crowd.text.tokens[place]))
    ballot = crowd.annotations.ballots[place]
    for voter, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True):
        names = crowd.scheme.names(tags)
        doc.spans[crowd.annotators[voter]] = [
            tokens.Span(doc, position, position + 1, label=str(name)[2:])
            for position, name in enumerate(names)
            if name != "O"
        ]
    return doc
