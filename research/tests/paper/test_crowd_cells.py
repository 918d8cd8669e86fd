"""Cells on simulated crowds: their parts, and that the same key gives the same numbers."""

from pathlib import Path

import numpy as np
import pytest

from crowdseq_research.cells.recipes import is_outdated
from crowdseq_research.paper.cells.crowd_cells import cell_crowd, compute_cell
from crowdseq_research.paper.cells.datasets import compute_dataset
from crowdseq_research.paper.cells.folds import FOLDS, fold_parts
from crowdseq_research.paper.cells.keys import Crowd, cell_key
from crowdseq_research.paper.cells.splits import DATASETS, DEMO, load_split
from crowdseq_research.paper.tables.published import TABLE_1, TITLES

NOWHERE = Path()


def test_the_parts_of_the_demo_share_no_document() -> None:
    split = load_split(NOWHERE, DEMO)
    names = [{one.doc for one in part.sentences} for part in (split.train, split.dev, split.test)]
    assert all(names)
    assert not names[0] & names[1]
    assert not names[2] & (names[0] | names[1])


def test_every_sentence_is_read_in_one_fold_and_learned_from_in_the_others() -> None:
    pairs = [fold_parts(NOWHERE, DEMO, fold) for fold in range(FOLDS)]
    whole = len(pairs[0][0]) + len(pairs[0][1])
    assert all(len(learned) + len(read) == whole for learned, read in pairs)
    assert sum(len(read) for _, read in pairs) == whole
    for learned, read in pairs:
        assert not {one.doc for one in learned.sentences} & {one.doc for one in read.sentences}


def test_a_crowd_is_the_same_for_every_method_and_another_for_every_repeat() -> None:
    one, other = (cell_crowd(cell_key(Crowd(DEMO, 5, 0.5), name), NOWHERE)[0] for name in ("mace", "sembler"))
    assert np.array_equal(one.annotations.tags, other.annotations.tags)
    again = cell_crowd(cell_key(Crowd(DEMO, 5, 0.5), "mace", repeat=1), NOWHERE)[0]
    assert not np.array_equal(one.annotations.tags, again.annotations.tags)


def test_a_cell_computed_again_has_the_same_scores() -> None:
    key = cell_key(Crowd(DEMO, 3, 0.7), "dawid-skene", sentences=40)
    one, other = compute_cell(key, NOWHERE), compute_cell(key, NOWHERE)
    assert one["tagger"] == other["tagger"]
    assert one["consensus"] == other["consensus"]
    assert 0.0 < one["consensus"]["f1"] <= 1.0
    assert not is_outdated(one | {"key": key})


def test_a_fold_or_a_quick_cell_is_marked_in_its_key() -> None:
    assert "fold" not in cell_key(Crowd(DEMO, 5, 0.5), "mace")
    assert cell_key(Crowd(DEMO, 5, 0.5), "mace", fold=0)["fold"] == 0
    assert cell_key(Crowd(DEMO, 5, 0.5), "mace", sentences=9)["sentences"] == 9


def test_the_corpora_are_those_of_the_paper() -> None:
    assert {one.name: one.title for one in DATASETS} == TITLES
    assert {one.name: one.sizes for one in DATASETS} == {name: row[:3] for name, row in TABLE_1.items()}


@pytest.mark.parametrize("name", ["ncbi_disease"])
def test_a_corpus_has_the_sizes_of_the_paper(name: str, shared_data: Path) -> None:
    cell = compute_dataset({"data": name}, shared_data)
    sizes = [cell["parts"][part]["documents"] for part in ("train", "dev", "test")]
    assert (*sizes, cell["labels"]) == TABLE_1[name]
