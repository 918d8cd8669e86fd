"""Presets of SA-SLC: what its settings are when nobody sets them, and what they may be."""

from typing import Any

from crowdseq.methods.sa_slc.evidence import DEPENDENCIES, SCOPES
from crowdseq.numerics.chains.candidates import MODES

STARTS = ("majority", "votes", "paper")

PRESETS: dict[str, dict[str, Any]] = {
    "default": {
        "dependency": "auto",
        "repeat_scope": "document",
        "repeat_tokens": "content",
        "candidates": "off",
        "upper": 1.0,
        "lower": 0.15,
        "smoothing": 100.0,
        "folds": 5,
        "temper": 1.0,
        "correlation": 0.1,
        "deference": 0.5,
        "plausibility": True,
        "coupling": 0.5,
        "surprise": 0.35,
        "start": "majority",
        "rounds": 10,
        "steps": 15,
        "document": True,
        "temperature": 2.0,
        "c2": 2.0,
    },
    "paper": {
        "dependency": "paper",
        "repeat_scope": "sentence",
        "repeat_tokens": "all",
        "candidates": "paper",
        "upper": 2.0,
        "lower": 1.0,
        "smoothing": 0.0,
        "folds": 1,
        "temper": 1.0,
        "correlation": 0.0,
        "deference": 0.0,
        "plausibility": False,
        "coupling": 0.0,
        "surprise": 0.0,
        "start": "paper",
        "rounds": 10,
        "steps": 30,
        "document": False,
        "temperature": 1.0,
        "c2": 1.0,
    },
}

CHOICES: dict[str, tuple[str, ...]] = {
    "dependency": ("auto", *DEPENDENCIES),
    "repeat_scope": SCOPES,
    "repeat_match": ("exact", "casefold"),
    "repeat_tokens": ("content", "all"),
    "candidates": MODES,
    "start": STARTS,
}
LEAST: dict[str, float] = {
    "lower": 0.0,
    "smoothing": 0.0,
    "folds": 1,
    "temper": 0.0,
    "correlation": 0.0,
    "deference": 0.0,
    "coupling": 0.0,
    "surprise": 0.0,
    "rounds": 1,
    "tolerance": 0.0,
    "steps": 1,
    "c2": 0.0,
    "threads": 1,
}
