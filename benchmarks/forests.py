"""Random forests and extremely randomised trees beside scikit-learn and ydf: time to fit 100 trees and to predict.

    python -m benchmarks.forests [--only NAME] [--rounds N] [--kind random|extra]

All run on two threads, in one process; ydf has no extremely randomised trees of this kind.

The three take turns, so that a machine whose speed drifts treats them alike; times are seconds by the clock,
medians over the rounds, and a ratio says how many times as long the rival takes. All try the same number of
features at a node. Turning a table into ydf's own data format is not part of the time, nor is putting in order
what the program before freed.
"""

from __future__ import annotations

import argparse
import logging
import math
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, make_classification, make_regression

from benchmarks.page.measured import put_memory_in_order
from espalier import learners

try:
    import ydf
except ImportError:  # python -m pip install -e ".[bench]"
    ydf = None

THREADS, TREES = 2, 100


KINDS = {"random": "RandomForest", "extra": "ExtraTrees"}


class Table(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    classes: bool
    kind: str  # of the forests: a key of KINDS

    @property
    def share(self) -> float | str:
        """Features tried at a node: the root of their number for classes, else a third, or all."""
        of_numbers = 1.0 if self.kind == "extra" else 1 / 3
        return "sqrt" if self.classes else of_numbers

    @property
    def learner(self) -> str:
        """Name of the class that learns, which is the same in scikit-learn."""
        return KINDS[self.kind] + ("Classifier" if self.classes else "Regressor")


def whole_numbers(n: int, p: int, levels: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers below `levels`, two classes that depend on five of the features, with noise."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, levels, (n, p)).astype(float)
    return X, (X[:, :5].sum(axis=1) + rng.normal(scale=3, size=n) > 2.5 * (levels - 1)).astype(int)


def numbers(n: int, p: int) -> Any:
    return make_regression(n, p, n_informative=10, noise=10, random_state=0)


TABLES: dict[str, tuple[bool, Callable[[], Any]]] = {
    "breast cancer": (True, lambda: load_breast_cancer(return_X_y=True)),
    "classification 10k x 20": (True, lambda: make_classification(10_000, 20, random_state=0)),
    "regression 10k x 20": (False, lambda: numbers(10_000, 20)),
    "classification 100k x 20": (True, lambda: make_classification(100_000, 20, random_state=0)),
    "regression 100k x 20": (False, lambda: numbers(100_000, 20)),
    "integers 100k x 50": (True, lambda: whole_numbers(100_000, 50)),
}


class Rival(NamedTuple):
    """How to fit, and how to predict with what was fitted."""

    fit: Callable[[], Any]
    predict: Callable[[Any], object]


def ours(table: Table) -> Rival:
    X = np.asfortranarray(table.X)
    learner: Any = getattr(learners, table.learner)
    fit = lambda: learner(n_estimators=TREES, max_features=table.share, n_jobs=THREADS).fit(X, table.y)  # noqa: E731
    return Rival(fit, predicting(table))


def scikit_learn(table: Table) -> Rival:
    X = np.ascontiguousarray(table.X, dtype=np.float32)
    learner: Any = getattr(ensemble, table.learner)
    fit = lambda: learner(n_estimators=TREES, max_features=table.share, n_jobs=THREADS).fit(X, table.y)  # noqa: E731
    return Rival(fit, predicting(table))


def predicting(table: Table) -> Callable[[Any], object]:
    return lambda model: model.predict_proba(table.X) if table.classes else model.predict(table.X)


def of_ydf(table: Table) -> Rival | None:
    if ydf is None or table.kind != "random":
        return None
    ydf.verbose(0)
    logging.getLogger("absl").setLevel(logging.ERROR)
    p = table.X.shape[1]
    columns = {f"x{i}": table.X[:, i] for i in range(p)} | {"y": table.y}
    learner = ydf.RandomForestLearner(
        label="y",
        task=ydf.Task.CLASSIFICATION if table.classes else ydf.Task.REGRESSION,
        num_trees=TREES,
        max_depth=-1,
        min_examples=1,
        num_candidate_attributes=max(int(math.sqrt(p) if table.classes else p / 3), 1),
        compute_oob_performances=False,
        winner_take_all=False,
        num_threads=THREADS,
    )
    target: Any = [ydf.Column("y", ydf.Semantic.CATEGORICAL)] if table.classes else None
    data = ydf.create_vertical_dataset(columns, columns=target, include_all_columns=True)
    return Rival(lambda: learner.train(data), lambda model: model.predict(data, num_threads=THREADS))


def seconds(rival: Rival | None) -> tuple[float, float]:
    if rival is None:
        return math.nan, math.nan
    put_memory_in_order()
    start = time.perf_counter()
    model = rival.fit()
    middle = time.perf_counter()
    try:
        rival.predict(model)
    except ValueError:  # ydf refuses to predict with trees of many nodes
        return middle - start, math.nan
    return middle - start, time.perf_counter() - middle


def compare(name: str, kind: str, rounds: int) -> None:
    classes, make = TABLES[name]
    X, y = make()
    table = Table(X, y, classes, kind)
    rivals = [ours(table), scikit_learn(table), of_ydf(table)]
    if len(table.y) < 100_000:
        seconds(rivals[0])
    taken = [[seconds(rival) for rival in rivals] for _ in range(rounds)]
    for what, of in (("fit", 0), ("predict", 1)):
        medians = [statistics.median(turn[i][of] for turn in taken) for i in range(3)]
        times = "".join(f"{1000 * m:>14.1f}" for m in medians)
        print(
            f"{kind:<8}{name:<26}{what:>8}{times}{medians[1] / medians[0]:>16.1f}{medians[2] / medians[0]:>8.1f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="tables whose name contains this")
    parser.add_argument("--rounds", type=int, default=0, help="turns of each; 0: five, or one for large tables")
    parser.add_argument("--kind", choices=list(KINDS), nargs="*", default=list(KINDS), help="kinds of forests")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    names = "".join(f"{n:>14}" for n in ("espalier", "scikit-learn", "ydf"))
    print(f"{'milliseconds':<34}{'':>8}{names}{'x scikit-learn':>16}{'x ydf':>8}")
    for name in TABLES:
        for kind in options.kind if options.only in name else ():
            compare(name, kind, options.rounds or (1 if "100k" in name else 5))


if __name__ == "__main__":
    main()
