"""Make the table of expected answers in tests/methods/data: crowd-kit on votes drawn here.

Needs crowd-kit (1.4.2 was used): pip install --no-deps crowd-kit && pip install attrs pandas tqdm nltk
"""

import gzip
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

TASKS, ANNOTATORS, LABELS, VOTES = 600, 12, 5, 4
ROUNDS = 15
pandas: Any = import_module("pandas")
crowdkit: Any = import_module("crowdkit.aggregation")
OUT = Path(__file__).resolve().parents[1] / "tests" / "methods" / "data" / "crowdkit.json.gz"


def draw_votes(seed: int) -> Any:
    """Annotators of different skill, one of them with a habit; tasks, names and labels in sorted order.

    crowd-kit's MACE mixes the order of first appearance with sorted order, so the two must be the same:
    the first tasks are voted on by everybody, with every label.
    """
    random = np.random.default_rng(seed)
    skill = random.uniform(0.4, 0.95, ANNOTATORS)
    rows = []
    for task in range(TASKS):
        truth = int(random.choice(LABELS, p=[0.5, 0.2, 0.15, 0.1, 0.05]))
        everybody = task < LABELS
        chosen = range(ANNOTATORS) if everybody else sorted(random.choice(ANNOTATORS, VOTES, replace=False))
        for who in chosen:
            guess = 0 if who == ANNOTATORS - 1 else int(random.integers(LABELS))
            label = task if everybody else truth if random.random() < skill[who] else guess
            rows.append((f"t{task:04}", f"w{who:02}", f"L{label}"))
    return pandas.DataFrame(rows, columns=["task", "worker", "label"])


def table_of(votes: Any) -> dict[str, Any]:
    """What crowd-kit says, with the settings that the test repeats."""
    labels = sorted(votes["label"].unique())

    def rows(found: Any) -> list[list[float]]:
        table: list[list[float]] = found.sort_index()[labels].round(7).to_numpy().tolist()
        return table

    def mace(method: str) -> dict[str, Any]:
        start = crowdkit.MACE(n_restarts=1, n_iter=ROUNDS, method=method)
        start._initialize(ANNOTATORS, LABELS)
        made = crowdkit.MACE(n_restarts=1, n_iter=ROUNDS, method=method)
        return {
            "guessing_and_knowing": start.spamming_.tolist(),
            "habits": start.thetas_.tolist(),
            "posteriors": rows(made.fit_predict_proba(votes)),
        }

    return {
        "made_with": "crowd-kit 1.4.2",
        "rounds": ROUNDS,
        "votes": votes.to_numpy().tolist(),
        "majority": rows(crowdkit.MajorityVote().fit_predict_proba(votes)),
        "dawid_skene": rows(crowdkit.DawidSkene(n_iter=ROUNDS, tol=-np.inf).fit_predict_proba(votes)),
        "mace_vb": mace("vb"),
        "mace_em": mace("em"),
    }


if __name__ == "__main__":
    OUT.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(table_of(draw_votes(7)), separators=(",", ":"))
    OUT.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{OUT}: {OUT.stat().st_size} bytes")
