"""CART beside scikit-learn and ydf: time to fit one tree, and to predict with it, on one thread, in one run.

    python -m benchmarks.cart [--quick]

The three take turns, so that a machine whose speed drifts treats them alike; times are processor seconds,
medians over the rounds, and a ratio says how many times as long the rival takes. Sorting the features is part
of every time; turning a table into ydf's own data format is not, nor is merging what the program before freed.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, make_classification, make_regression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.page.measured import merge_freed_memory
from espalier.learners import CartClassifier, CartRegressor

try:
    import ydf
except ImportError:  # python -m pip install -e ".[bench]"
    ydf = None

Table = tuple[np.ndarray, np.ndarray]


def whole_numbers(n: int, p: int, levels: int = 5) -> Table:
    """Whole numbers below `levels`, two classes that depend on five of the features, with noise."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, levels, (n, p)).astype(float)
    return X, (X[:, :5].sum(axis=1) + rng.normal(scale=3, size=n) > 2.5 * (levels - 1)).astype(int)


def regression(n: int, p: int) -> Any:
    return make_regression(n, p, n_informative=10, noise=10, random_state=0)


TABLES: dict[str, tuple[bool, Callable[[], Any]]] = {
    "iris": (True, lambda: load_iris(return_X_y=True)),
    "breast cancer": (True, lambda: load_breast_cancer(return_X_y=True)),
    "classification 10k x 20": (True, lambda: make_classification(10_000, 20, random_state=0)),
    "classification 100k x 20": (True, lambda: make_classification(100_000, 20, random_state=0)),
    "classification 1M x 20": (True, lambda: make_classification(1_000_000, 20, random_state=0)),
    "regression 10k x 20": (False, lambda: regression(10_000, 20)),
    "regression 100k x 20": (False, lambda: regression(100_000, 20)),
    "regression 1M x 20": (False, lambda: regression(1_000_000, 20)),
    "integers 100k x 50": (True, lambda: whole_numbers(100_000, 50)),
}


def ours(X: np.ndarray, y: np.ndarray, classes: bool, depth: int | None) -> Callable[[], object]:
    learner = CartClassifier if classes else CartRegressor
    return lambda: learner(max_depth=depth).fit(X, y)


def scikit_learn(X: np.ndarray, y: np.ndarray, classes: bool, depth: int | None) -> Callable[[], object]:
    learner = DecisionTreeClassifier if classes else DecisionTreeRegressor
    return lambda: learner(max_depth=depth, random_state=0).fit(X, y)


def of_ydf(X: np.ndarray, y: np.ndarray, classes: bool, depth: int | None) -> Callable[[], object] | None:
    if ydf is None:
        return None
    ydf.verbose(0)
    logging.getLogger("absl").setLevel(logging.ERROR)
    task = ydf.Task.CLASSIFICATION if classes else ydf.Task.REGRESSION
    table = {f"x{i}": X[:, i] for i in range(X.shape[1])} | {"y": y}
    learner = ydf.CartLearner(
        label="y",
        task=task,
        max_depth=-1 if depth is None else depth + 1,  # ydf counts the root
        min_examples=1,
        validation_ratio=0.0,  # no pruning
        num_threads=1,
    )
    data = ydf.create_vertical_dataset(
        table, columns=[ydf.Column("y", ydf.Semantic.CATEGORICAL)] if classes else None, include_all_columns=True
    )
    return lambda: learner.train(data)


def seconds(fit: Callable[[], object]) -> float:
    merge_freed_memory()
    start = time.process_time()
    fit()
    return time.process_time() - start


def compare(name: str, depth: int | None, rounds: int) -> None:
    classes, make = TABLES[name]
    X, y = make()
    # Each gets the table in the layout it wants, outside the time taken.
    columns, rows = np.asfortranarray(X), np.ascontiguousarray(X, dtype=np.float32)
    fits = [ours(columns, y, classes, depth), scikit_learn(rows, y, classes, depth), of_ydf(X, y, classes, depth)]
    if len(y) <= 100_000:
        fits[0]()
    times: list[list[float]] = [[], [], []]
    for _ in range(rounds):
        for fit, taken in zip(fits, times, strict=True):
            taken.append(seconds(fit) if fit else float("nan"))
    medians = [statistics.median(taken) for taken in times]
    milliseconds = "".join(f"{1000 * m:>14.2f}" for m in medians)
    ratios = f"{medians[1] / medians[0]:>16.1f}{medians[2] / medians[0]:>8.1f}"
    asked = [(fit().predict, table) for fit, table in zip(fits, (columns, rows), strict=False) if fit]
    answers = [statistics.median(seconds(partial(*one)) for _ in range(rounds)) for one in asked]
    ratios += f"{answers[1] / answers[0]:>16.1f}"
    print(f"{name:<26}{depth or 'none':>6}{milliseconds}{ratios}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave out the tables of a million rows")
    parser.add_argument("--only", default="", help="tables whose name contains this")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    names = "".join(f"{n:>14}" for n in ("espalier", "scikit-learn", "ydf"))
    print(f"{'fit, ms':<26}{'depth':>6}{names}{'x scikit-learn':>16}{'x ydf':>8}{'at predicting':>16}")
    for name in TABLES:
        if options.only in name and not (options.quick and "1M" in name):
            for depth in (6, None):
                compare(name, depth, 1 if "1M" in name else 5 if "100k" in name else 15)


if __name__ == "__main__":
    main()
