"""Replicates of trees on redrawn data beside the same loop written with scikit-learn, in one run.

    python benchmarks/stability.py [--only NAME] [--replicates N] [--rounds N]

1,000 replicates by default, on 1,000 rows of 10 numbers and two threads:
`stability.replicates.replicate` for
CART of depth 5, cultivated trees of depth 6 and optimal trees of depth 3 over 20 thresholds a column. The loop is
what one writes without it: for each replicate clone the estimator, draw rows with replacement, and fit; CART once
with scikit-learn's DecisionTreeClassifier, on one thread and by joblib on two threads, and once with our
estimators. Rivals take turns; seconds are by the clock, the least of the rounds, and a ratio says how many times
as long the loop takes. "First" is when the first replicate was there, "counted" the seconds for the histograms of
all depths by features and thresholds. The last lines count the structures, which is what all this is for.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone as clone_any
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from espalier.data.dataset import Dataset, Feature, make_dataset
from espalier.learners import CartClassifier, CultivatedClassifier, OptimalClassifier
from espalier.stability.replicates import GrowthWatch, Plan, Replicates, replicate
from espalier.stability.resampling import Redraw
from espalier.stability.structures import Equality, levels, structures_of

THREADS, ROWS, FEATURES = 2, 1_000, 10
TARGET = {"CART, depth 5": 1.0, "cultivated, depth 6": 20.0, "optimal, depth 3": 30.0}  # seconds for 1,000
clone: Any = clone_any  # whose result has no type of its own


class Rivals(NamedTuple):
    """Our estimator, its depth, and the loops that it is compared with."""

    ours: Any
    depth: int
    loops: dict[str, tuple[Any, int]]  # the loop's estimator, and its threads


RIVALS = {
    "CART, depth 5": Rivals(
        CartClassifier(max_depth=5),
        5,
        {
            "loop, scikit-learn's tree": (DecisionTreeClassifier(max_depth=5), 1),
            "the same by joblib": (DecisionTreeClassifier(max_depth=5), THREADS),
            "loop, our tree": (CartClassifier(max_depth=5), 1),
        },
    ),
    "cultivated, depth 6": Rivals(
        CultivatedClassifier(max_depth=6), 6, {"loop, our tree": (CultivatedClassifier(max_depth=6), 1)}
    ),
    "optimal, depth 3": Rivals(
        OptimalClassifier(max_depth=3, max_thresholds=20),
        3,
        {"loop, our tree": (OptimalClassifier(max_depth=3, max_thresholds=20), 1)},
    ),
}


class Clock(dict):
    """Trees by number, and when the first one came."""

    def __init__(self):
        super().__init__()
        self.began = self.first = time.perf_counter()

    def __setitem__(self, number: int, tree: Any) -> None:
        if not self:
            self.first = time.perf_counter()
        super().__setitem__(number, tree)


def table() -> Dataset:
    X, y = map(np.asarray, make_classification(ROWS, FEATURES, n_informative=5, flip_y=0.1, random_state=0))
    features = [Feature(f"x{i}") for i in range(FEATURES)]
    return make_dataset("synthetic", X, features, y, Feature("y", "category", ("a", "b")))


def ours(learner: Any, data: Dataset, n: int) -> tuple[float, float, Replicates]:
    """Seconds to the last and to the first replicate, and the replicates."""
    clock = Clock()
    found = replicate(learner, data, Plan(Redraw("bootstrap"), n), GrowthWatch(THREADS, None, clock))
    return time.perf_counter() - clock.began, clock.first - clock.began, found


def fitted(learner: Any, data: Dataset, seed: int) -> Any:
    rows = np.random.default_rng(seed).integers(0, len(data.y), len(data.y))
    return clone(learner).fit(data.X[rows], data.y[rows])


def loop(learner: Any, data: Dataset, n: int, threads: int) -> float:
    start = time.perf_counter()
    if threads == 1:
        _ = [fitted(learner, data, seed) for seed in range(n)]
    else:
        Parallel(threads, prefer="threads")(delayed(fitted)(learner, data, seed) for seed in range(n))
    return time.perf_counter() - start


def counting(found: Replicates, depth: int) -> tuple[float, list[int], list[float]]:
    """Seconds, and by depth the structures and the share of the most frequent one."""
    start = time.perf_counter()
    levels(structures_of(found.trees, depth, Equality("exact")))
    seconds = time.perf_counter() - start
    by_features = levels(structures_of(found.trees, depth, Equality("features")))
    return seconds, [bar.n_structures for bar in by_features], [bar.top_share for bar in by_features]


def compare(name: str, n: int, rounds: int) -> Callable[[], None]:
    rivals, data = RIVALS[name], table()
    found = ours(rivals.ours, data, 4)[2]  # compiles, or loads what is compiled
    taken: dict[str, list[float]] = {key: [] for key in ("ours", *rivals.loops)}
    first = []
    for _ in range(rounds):
        seconds, begun, found = ours(rivals.ours, data, n)
        taken["ours"].append(seconds)
        first.append(begun)
        for key, (learner, threads) in rivals.loops.items():
            taken[key].append(loop(learner, data, n, threads))
    own = min(taken["ours"])
    counted, numbers, shares = counting(found, rivals.depth)
    print(
        f"{name:<22}{'replicate, 2 threads':<28}{own:>9.2f}{'':>8}{min(first):>9.3f}{counted:>9.3f}"
        f"{TARGET[name] * n / 1000:>9.2f}"
    )
    for key in rivals.loops:
        print(f"{'':<22}{key:<28}{min(taken[key]):>9.2f}{min(taken[key]) / own:>8.1f}", flush=True)
    structures = " ".join(map(str, numbers)), " ".join(f"{100 * share:.0f}" for share in shares)
    return lambda: print(f"{name:<22}{structures[0]:<36}{structures[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="learners whose name contains this")
    parser.add_argument("--replicates", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(
        f"{options.replicates} bootstrap replicates, {ROWS} x {FEATURES}; seconds, the least of {options.rounds}"
    )
    print(f"{'':<50}{'seconds':>9}{'ratio':>8}{'first':>9}{'counted':>9}{'target':>9}")
    told = [
        compare(name, options.replicates, options.rounds)
        for name in RIVALS
        if options.only.lower() in name.lower()
    ]
    print(f"\n{'by features':<22}{'structures at depth 1, 2, …':<36}share of the most frequent, %")
    for tell in told:
        tell()


if __name__ == "__main__":
    main()
