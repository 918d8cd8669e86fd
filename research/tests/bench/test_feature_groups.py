"""What each group of features brings, and the choice of labels on development data."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from crowdseq.errors import SettingsError
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.features import FEATURE_SETS
from crowdseq_research.bench.feature_groups import feature_variants, gold_scores, group_scores, render_groups

NAMES = ["Ada", "Bea", "Cleo"]
TRAINER = CrfTrainer(features="basic", max_iterations=20, c2=0.1)


def write_corpus(folder: Path) -> Path:
    folder.mkdir()
    sentences = [f"{name}\tB-X\nslept\tO\n" for name in NAMES] + ["the\tO\nengine\tO\nran\tO\n"]
    for split in ("train", "dev", "test"):
        with gzip.open(folder / f"{split}.conll.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(sentences * 3) + "\n")
    return folder.parent


def test_test_data_is_scored_once_with_the_labels_of_the_trainer(tmp_path: Path) -> None:
    told: list[str] = []
    scores = gold_scores(write_corpus(tmp_path / "ncbi_disease"), ("ncbi_disease",), TRAINER, told.append)
    assert [score.features for score in scores] == ["dev, BIOES", "dev, borders", "test, borders"]
    assert [score.f1 for score in scores] == [1.0, 1.0, 1.0]
    assert len(told) == 3


def test_every_group_of_the_default_is_left_out_once(tmp_path: Path) -> None:
    full = FEATURE_SETS["full"]
    labels = [label for label, _ in feature_variants()]
    assert len(labels) == len(set(labels)) == 5 + len(full.windows) + len(full.pairs)
    short = replace(TRAINER, max_iterations=2)
    scores = group_scores(write_corpus(tmp_path / "jnlpba"), ("jnlpba",), short, lambda _: None)
    assert [score.features for score in scores] == labels
    assert render_groups(scores).count("\n") == 2 + len(labels)


def test_an_unknown_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'news' is unknown here"):
        gold_scores(tmp_path, ("news",), TRAINER, lambda _: None)
