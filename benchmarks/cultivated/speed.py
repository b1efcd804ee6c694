"""How long a cultivated tree takes to grow beside a random forest and our CART, on more and more data."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from benchmarks.cultivated.folds import Table
from espalier.learners import CartClassifier, CultivatedClassifier, CultivatedForestClassifier

LARGE = "magic"  # grown on parts of it
FITS: dict[str, Callable] = {
    "CRF-full": lambda: CultivatedClassifier(),
    "CRF-shallow": lambda: CultivatedClassifier.preset("CRF-shallow"),
    "10 of them": lambda: CultivatedForestClassifier(random_state=0),
    "CART, 14": lambda: CartClassifier(max_depth=14),
    "forest, 500": lambda: RandomForestClassifier(500, n_jobs=1, random_state=0),
}
ROUNDS = {"forest, 500": 1}  # it takes so long that chance matters little


def speed(tables: Sequence[Table]) -> None:
    """Print processor seconds to fit, medians of rounds in which the learners take turns."""
    print(
        f"{'fit, processor s':<24}{'rows':>8}{'x':>6}"
        + "".join(f"{n:>13}" for n in FITS)
        + "   full/CART  forest/full"
    )
    for table in tables:
        _compare(table.name, table.X, table.y)
    for table in tables:
        if table.name == LARGE:
            _on_parts(table)
    for p in (5, 10, 20, 40, 80):
        X, y = map(np.asarray, make_classification(5000, p, n_informative=5, n_redundant=0, random_state=0))
        _compare("synthetic", X, y)


def _on_parts(table: Table) -> None:
    order = np.random.default_rng(0).permutation(len(table.y))
    for part in (1 / 16, 1 / 8, 1 / 4, 1 / 2):
        rows = order[: round(part * len(order))]
        _compare(f"{table.name}, {part:.3g} of it", table.X[rows], table.y[rows])


def _compare(name: str, X: np.ndarray, y: np.ndarray, rounds: int = 5) -> None:
    # Each gets the layout it wants, outside the time taken.
    columns, rows = np.asfortranarray(X), np.ascontiguousarray(X, dtype=np.float32)
    taken: dict[str, list[float]] = {learner: [] for learner in FITS}
    for turn in range(rounds):
        for learner, make in FITS.items():
            if turn < ROUNDS.get(learner, rounds):
                start = time.process_time()
                make().fit(rows if learner.startswith("forest") else columns, y)
                taken[learner].append(time.process_time() - start)
    seconds = {learner: statistics.median(times) for learner, times in taken.items()}
    ratios = seconds["CRF-full"] / seconds["CART, 14"], seconds["forest, 500"] / seconds["CRF-full"]
    cells = "".join(f"{s:>13.4f}" for s in seconds.values())
    print(f"{name:<24}{len(y):>8}{X.shape[1]:>6}{cells}{ratios[0]:>12.1f}{ratios[1]:>13.1f}", flush=True)
