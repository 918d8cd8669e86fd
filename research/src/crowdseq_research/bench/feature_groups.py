"""What each group of features brings: a gold-trained tagger with the default set, and with one group less."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from crowdseq.core.corpus import Corpus
from crowdseq.errors import SettingsError
from crowdseq.evaluation.scores import evaluate
from crowdseq.tagging.chunks import BORDERS
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.features import FEATURE_SETS, FeatureSettings
from crowdseq.tagging.sequence_tagger import Context
from crowdseq.tagging.tagger import Tagger
from crowdseq.workflows.reading import read
from crowdseq_research.bench.rivals import known_tags

# Corpus folder and how many random training sentences to take; none takes all.
GOLD_CORPORA: dict[str, tuple[str, int | None]] = {
    "conll2003": ("conll2003", None),
    "conll2003-6000": ("conll2003", 6_000),
    "ncbi_disease": ("ncbi_disease", None),
    "jnlpba": ("jnlpba", None),
    "bc2gm-8000": ("bc2gm", 8_000),
}

GOLD_CHUNKS = ("BIOES", BORDERS)


@dataclass(frozen=True)
class GoldScore:
    """Strict micro F1 of a gold-trained tagger."""

    corpus: str
    features: str
    f1: float


def gold_scores(
    data: Path, corpora: tuple[str, ...], trainer: CrfTrainer, tell: Callable[[str], None]
) -> list[GoldScore]:
    """Train on gold; on dev with each kind of labels inside, on test with the trainer's own alone."""
    found = []
    for name in corpora:
        train = _read_train(data, name)
        for chunks in GOLD_CHUNKS:
            tagger = _trained(replace(trainer, chunks=chunks), train)
            for part in ("dev", "test") if chunks == trainer.chunks else ("dev",):
                found.append(_score(name, f"{part}, {chunks}", tagger, _read_split(data, name, part)))
                tell(f"{name}, {found[-1].features}: {found[-1].f1:.4f}")
    return found


def group_scores(
    data: Path, corpora: tuple[str, ...], trainer: CrfTrainer, tell: Callable[[str], None]
) -> list[GoldScore]:
    """On dev: the set `full`, then `full` without each group in turn, then the smaller sets."""
    found = []
    for name in corpora:
        train, dev = _read_train(data, name), _read_split(data, name, "dev")
        for label, features in feature_variants():
            score = _score(name, label, _trained(replace(trainer, features=features), train), dev)
            tell(f"{name}, {label}: {score.f1:.4f}")
            found.append(score)
    return found


def feature_variants() -> Iterator[tuple[str, FeatureSettings]]:
    """The set `full`, that set without each of its groups, and the sets `rich` and `basic`."""
    full = FEATURE_SETS["full"]
    yield "full", full
    for name in full.windows:
        yield f"without {name}", replace(full, windows={k: v for k, v in full.windows.items() if k != name})
    for name in full.pairs:
        yield (
            f"without pairs of {name}",
            replace(full, pairs={k: v for k, v in full.pairs.items() if k != name}),
        )
    yield "without document", replace(full, document=False)
    near = {name: tuple(o for o in offsets if o == 0) for name, offsets in full.windows.items()}
    yield "without the window", replace(full, windows=near)
    yield from ((name, FEATURE_SETS[name]) for name in ("rich", "basic"))


def render_groups(scores: list[GoldScore]) -> str:
    """A table: features down, corpora across, F1 in percent."""
    corpora = list(dict.fromkeys(score.corpus for score in scores))
    table = {(score.features, score.corpus): score.f1 for score in scores}
    lines = [f"| features | {' | '.join(corpora)} |", "|---" * (len(corpora) + 1) + "|"]
    for label in dict.fromkeys(score.features for score in scores):
        cells = [
            f"{100 * table[label, corpus]:.1f}" if (label, corpus) in table else "" for corpus in corpora
        ]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def as_records(scores: list[GoldScore]) -> list[dict[str, object]]:
    """For a JSON file."""
    return [asdict(score) for score in scores]


def _read_train(data: Path, name: str) -> Corpus:
    if name not in GOLD_CORPORA:
        raise SettingsError(f"corpus '{name}' is unknown here, choose from {', '.join(GOLD_CORPORA)}")
    folder, size = GOLD_CORPORA[name]
    train = read(data / folder / "train.conll.gz", format="conll")
    if size is None:
        return train
    return train.select(np.sort(np.random.default_rng(0).permutation(len(train))[:size]))


def _read_split(data: Path, name: str, split: str) -> Corpus:
    return read(data / GOLD_CORPORA[name][0] / f"{split}.conll.gz", format="conll")


def _trained(trainer: CrfTrainer, train: Corpus) -> Tagger:
    return trainer.fit(train, train.gold_tags)


def _score(name: str, label: str, tagger: Tagger, held_out: Corpus) -> GoldScore:
    predicted = tagger.tag_many(list(held_out.text.tokens), Context.of_text(held_out.text))
    return GoldScore(name, label, evaluate(known_tags(held_out), predicted).f1 or 0.0)


def main(arguments: list[str]) -> int:
    """DATA CORPUS...: what each group brings on dev; DATA --test CORPUS...: test of the best on dev."""
    data, corpora = Path(arguments[0]), tuple(name for name in arguments[1:] if not name.startswith("--"))

    def tell(line: str) -> None:
        sys.stderr.write(f"{line}\n")

    if "--test" in arguments:
        scores = gold_scores(data, corpora, CrfTrainer(), tell)
    else:
        scores = group_scores(data, corpora, CrfTrainer(max_iterations=150), tell)
    sys.stdout.write(render_groups(scores))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
