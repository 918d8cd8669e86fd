"""Figures 11-14, tables IV-VII: single rows of α and β as SA-SLC estimates them, and as gold shows them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.methods.sa_slc import SaSlc
from crowdseq.methods.sa_slc.evidence import ContextVotes, linked_tokens, word_numbers
from crowdseq.workflows.learning import learn
from crowdseq_research.cells.sources import origin
from crowdseq_research.paper.cells.crowd_cells import cell_crowd
from crowdseq_research.paper.cells.keys import Crowd, cell_key

# The entity type whose rows the paper shows, by corpus.
SHOWN_TYPES = {"conll2003": "ORG", "bc2gm": "GENE", "ncbi_disease": "Disease", "demo": "ORG"}
PRESETS: tuple[dict[str, Any], ...] = ({}, {"preset": "paper"})
_ANNOTATORS, _PRECISION, _QUICK_SENTENCES = 5, 0.5, 600
_TELLING_SHARE = 0.1  # as in the method; a test compares the tables


def expertise_keys(*, quick: str | None = None) -> list[dict[str, Any]]:
    """The two corpora of the paper, our preset and its own; quick: this corpus, cut short."""
    names, sentences = ([quick], _QUICK_SENTENCES) if quick else (["conll2003", "bc2gm"], None)
    return [
        cell_key(Crowd(name, _ANNOTATORS, _PRECISION), "sa-slc", settings, sentences=sentences)
        for name in names
        for settings in PRESETS
    ]


def compute_expertise(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """For α and β the row that the paper shows, of each annotator: estimated, and counted with gold."""
    crowd, _ = cell_crowd(key, data)
    run = learn(crowd, key["method"], tagger=False, **key["settings"])
    assert isinstance(run.recipe, SaSlc)
    true = _gold_tables(crowd, run.recipe)
    shown = SHOWN_TYPES[key["data"]]
    rows = {"local": (f"I-{shown}", f"B-{shown}"), "repeat": (f"B-{shown}", f"B-{shown}")}
    cell: dict[str, Any] = {"annotators": list(crowd.annotators), "tags": list(crowd.scheme.tags)}
    for name, (truth, context) in rows.items():
        cell[name] = {
            "truth": truth,
            "context": context,
            "estimated": _shares(run.consensus.parameters, name, crowd, truth, context),
            "true": _shares(true, name, crowd, truth, context),
        }
    return cell | origin(run.recipe, key["method"])


def _gold_tables(crowd: Corpus, recipe: SaSlc) -> dict[str, Any]:
    """The tables that the method would count if it knew the truth."""
    linked = linked_tokens(crowd, str(recipe.repeat_tokens), _TELLING_SHARE)
    words = word_numbers(crowd, recipe.repeat_match)
    votes = ContextVotes.of(crowd, words, linked, str(recipe.repeat_scope))
    return votes.tables(np.eye(len(crowd.scheme))[crowd.gold_tags], np.arange(len(crowd.annotators)))


def _shares(
    tables: Mapping[str, Any], name: str, crowd: Corpus, truth: str, context: str
) -> list[dict[str, Any]]:
    """For each annotator the shares of the labels that they gave, and the votes behind them."""
    tags = crowd.scheme.tags
    kinds: IntArray = tables[f"{name}_kinds"]
    counts: FloatArray = tables[f"{name}_counts"][:, tags.index(truth)]
    rows = []
    for annotator in range(len(crowd.annotators)):
        mine = (kinds[:, 0] == annotator) & (kinds[:, 1] == tags.index(context))
        given = np.bincount(kinds[mine, 2], weights=counts[mine], minlength=len(tags))
        total = float(given.sum())
        shares = (given / total).round(6).tolist() if total > 0 else None
        rows.append({"votes": round(total, 3), "shares": shares})
    return rows
