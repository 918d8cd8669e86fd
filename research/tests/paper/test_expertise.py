"""Rows of α and β: counted by hand, and the example of table XI."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import crowdseq
from builders import random_corpus
from crowdseq.methods.sa_slc import SaSlc
from crowdseq_research.paper.cells import example
from crowdseq_research.paper.cells.crowd_cells import cell_crowd
from crowdseq_research.paper.cells.expertise import _gold_tables, compute_expertise, expertise_keys
from crowdseq_research.paper.cells.keys import Crowd, cell_key

KEY = cell_key(Crowd("demo", 4, 0.6), "sa-slc", {"rounds": 2}, sentences=120)


def test_the_true_row_of_alpha_is_what_one_counts_by_hand() -> None:
    crowd, _ = cell_crowd(KEY, Path())
    cell = compute_expertise(KEY, Path())
    given: list[Counter[str]] = [Counter() for _ in crowd.annotators]
    for place in range(len(crowd)):
        ballot, gold = crowd.annotations.ballots[place], crowd.gold[place]
        assert gold is not None
        for voter, row in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True):
            tags = [crowd.scheme.tags[tag] for tag in row]
            for before, tag, truth in zip(tags, tags[1:], gold[1:], strict=False):
                if (before, truth) == ("B-ORG", "I-ORG"):
                    given[voter][tag] += 1
    for counted, row in zip(given, cell["local"]["true"], strict=True):
        assert row["votes"] == counted.total()
        if counted.total():
            expected = [counted[tag] / counted.total() for tag in cell["tags"]]
            np.testing.assert_allclose(row["shares"], expected, atol=1e-6)


def test_shares_of_an_annotator_sum_to_one() -> None:
    cell = compute_expertise(KEY, Path())
    rows = [
        row for kind in ("local", "repeat") for source in ("estimated", "true") for row in cell[kind][source]
    ]
    sums = [sum(row["shares"]) for row in rows if row["shares"] is not None]
    assert len(sums) > 4
    np.testing.assert_allclose(sums, 1.0, atol=1e-5)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_true_and_estimated_tables_are_about_the_same_votes(preset: str) -> None:
    crowd, _ = cell_crowd(KEY, Path())
    recipe = SaSlc(preset=preset, rounds=1)
    estimated, true = recipe.aggregate(crowd).parameters, _gold_tables(crowd, recipe)
    for name in ("local", "repeat"):
        assert np.array_equal(estimated[f"{name}_kinds"], true[f"{name}_kinds"])
        sums = [tables[f"{name}_counts"].sum(axis=1) for tables in (estimated, true)]
        np.testing.assert_allclose(sums[0], sums[1], atol=1e-6)


def test_both_presets_are_estimated_for_both_corpora() -> None:
    assert [(key["data"], bool(key["settings"])) for key in expertise_keys()] == [
        ("conll2003", False),
        ("conll2003", True),
        ("bc2gm", False),
        ("bc2gm", True),
    ]


def test_the_example_keeps_tags_and_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = random_corpus(4, sentences=30, voters=5)
    monkeypatch.setattr(example, "turk_crowd", lambda *_: crowd)
    name = crowd.sentences[7].id
    key = {"data": "amt", "method": "sa-slc", "settings": {"rounds": 1}, "sentence": name}
    cell = example.compute_example(key, Path())
    assert cell["gold"] == list(crowd.gold[7] or ())
    assert len(cell["annotators"]) == 5
    assert not set(crowd.text.tokens[7]) & set(str(cell).replace("'", " ").split())
    with pytest.raises(crowdseq.errors.FormatError, match="not in this crowd"):
        example.example_place(crowd, "elsewhere")
