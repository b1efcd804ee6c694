"""Model trees beside PILOT, CART and ridge regression: the error on unseen rows, and the time to fit.

    python benchmarks/model_trees.py [--folds N] [--only TABLE]
    python benchmarks/model_trees.py --classes [--data DIR]

Needs fast-model-trees (`pip install fast-model-trees`), PILOT by its authors; without it, its column stays empty.
Thirteen tables of numbers, each in folds drawn twice; in the last three, two columns have an effect only together.
The error is the part of the variance that is left, 1 - R², with the standard error of the paired difference to
PILOT's. Times are medians of processor time.

With `--classes`: logistic formulas in leaves beside CART of as many leaves, CART without that limit, and logistic
regression of standardised columns, by the share of wrong classes and the log loss. Three bundled tables, and three
that `--data DIR` holds, as DIR/crf/*.csv with the class as the last column.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_iris,
    load_wine,
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_regression,
)
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from espalier.analysis import class_scores
from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor, ModelTreeClassifier, ModelTreeRegressor

Table = tuple[np.ndarray, np.ndarray]


class Pilot:
    """PILOT with its own defaults, as a scikit-learn regressor."""

    def __init__(self) -> None:
        from pilot import PILOT

        self.model = PILOT()

    def fit(self, X: np.ndarray, y: np.ndarray) -> Pilot:
        self.model.train(np.asfortranarray(X), y, np.zeros(X.shape[1], int))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.model.predict(np.asfortranarray(X))).ravel()


def column(loader: Callable, target: int) -> Table:
    """A column of a table of classes, explained by the others."""
    X = loader().data
    return np.delete(X, target, axis=1), X[:, target]


def bent(n: int = 1000) -> Table:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 6))
    return X, np.abs(X[:, 0]) + np.maximum(X[:, 1], 0.2) - X[:, 2] + 0.1 * rng.normal(size=n)


def pieces(n: int = 1000) -> Table:
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (n, 6))
    return X, np.where(X[:, 0] > 0, 1 + 2 * X[:, 1], -X[:, 2]) + 0.1 * rng.normal(size=n)


def together(effect: Callable[[np.ndarray, np.ndarray], np.ndarray], n: int = 1000) -> Table:
    """A table in which two columns have an effect only together."""
    rng = np.random.default_rng(2)
    X = rng.uniform(-0.5, 0.5, (n, 6))
    return X, effect(X[:, 0], X[:, 1]) + 0.3 * rng.normal(size=n)


TABLES: dict[str, Callable[[], Any]] = {
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "iris, petal width": lambda: column(load_iris, 3),
    "wine, alcohol": lambda: column(load_wine, 0),
    "breast cancer, worst concavity": lambda: column(load_breast_cancer, 26),
    "Friedman 1": lambda: make_friedman1(1000, noise=1.0, random_state=0),
    "Friedman 2": lambda: make_friedman2(1000, noise=50.0, random_state=0),
    "Friedman 3": lambda: make_friedman3(1000, noise=0.1, random_state=0),
    "linear": lambda: make_regression(1000, 10, n_informative=4, noise=20.0, random_state=0),
    "bent": bent,
    "pieces": pieces,
    "steps of XOR": lambda: together(lambda a, b: np.sign(a * b)),
    "turned slope": lambda: together(lambda a, b: np.where(b < 0, 3, -2) * a),
    "product": lambda: together(lambda a, b: 6 * a * b),
}
MODELS: dict[str, Callable[[], Any]] = {
    "Espalier": ModelTreeRegressor,
    "PILOT": Pilot,
    "CART": lambda: CartRegressor(min_samples_leaf=5),
    "ridge": lambda: make_pipeline(StandardScaler(), RidgeCV()),
}


def known() -> list[str]:
    """Models that can be had here."""
    try:
        Pilot()
    except ImportError:
        return [name for name in MODELS if name != "PILOT"]
    return list(MODELS)


def errors(make: Callable[[], Any], table: Table, n_folds: int) -> tuple[np.ndarray, float]:
    """Return the part of the variance that is left, for each fold, and the median seconds of a fit."""
    X, y = table
    left, seconds = [], []
    for train, test in RepeatedKFold(n_splits=n_folds, n_repeats=2, random_state=0).split(X):
        start = time.process_time()
        model = make().fit(X[train], y[train])
        seconds.append(time.process_time() - start)
        left.append(np.mean((model.predict(X[test]) - y[test]) ** 2) / np.var(y[test]))
    return np.array(left), statistics.median(seconds)


def row_of(name: str, n_folds: int) -> str:
    """Return the line of a table."""
    table = TABLES[name]()
    found = {model: errors(MODELS[model], table, n_folds) for model in known()}
    cells = [f"{left.mean():8.3f} {seconds * 1e3:7.1f} ms" for left, seconds in found.values()]
    beside = ""
    if "PILOT" in found:
        apart = found["Espalier"][0] - found["PILOT"][0]
        beside = f"  {apart.mean():+.3f} ± {apart.std(ddof=1) / len(apart) ** 0.5:.3f}"
    return f"{name:32s}{''.join(cells)}{beside}"


# ---- classes

CLASS_TABLES: dict[str, Callable[[], Any]] = {
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "moons": lambda: (samples.load("moons").X, samples.load("moons").y),
}
FROM_FILES = ("diabetes", "vertebral", "banknote")
NAMES = ("model tree", "CART of as many", "CART", "logistic regression")
LEAST = 5  # samples in a leaf, of model trees and of CART


class Trial(NamedTuple):
    """A model on a fold."""

    wrong: float  # share of the samples
    log_loss: float
    seconds: float  # of processor time, to fit


def table_of_classes(name: str, folder: str) -> Table:
    """Return the samples and class codes of a table."""
    if name in CLASS_TABLES:
        return CLASS_TABLES[name]()
    data = pd.read_csv(Path(folder) / "crf" / f"{name}.csv")
    return data.iloc[:, :-1].to_numpy(np.float64), data.iloc[:, -1].factorize(sort=True)[0]


def trial(model: Any, table: Table, train: np.ndarray, test: np.ndarray) -> Trial:
    """Fit the model to a fold, and score it."""
    X, y = table
    start = time.process_time()
    model.fit(X[train], y[train])
    seconds = time.process_time() - start
    scores = class_scores(y[test], model.predict_proba(X[test]), model.predict(X[test]))
    return Trial(1 - scores.accuracy, scores.log_loss, seconds)


def trials_of_classes(table: Table, n_folds: int) -> tuple[dict[str, list[Trial]], float]:
    """Return the trials of each model on the same folds, and the mean number of leaves."""
    found: dict[str, list[Trial]] = {name: [] for name in NAMES}
    leaves = []
    for train, test in RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=2, random_state=0).split(*table):
        tree = ModelTreeClassifier(min_leaf_weight=LEAST)
        found["model tree"].append(trial(tree, table, train, test))
        leaves.append(tree.tree_.n_leaves)
        of_as_many = CartClassifier(max_leaf_nodes=max(leaves[-1], 2), min_samples_leaf=LEAST)
        found["CART of as many"].append(trial(of_as_many, table, train, test))
        found["CART"].append(trial(CartClassifier(min_samples_leaf=LEAST), table, train, test))
        line = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        found["logistic regression"].append(trial(line, table, train, test))
    return found, float(np.mean(leaves))


def print_classes(n_folds: int, folder: str) -> None:
    """Print a table with a row for each set of data, in Markdown."""
    print(f"In each cell: {' / '.join(NAMES)}\n")
    print("| table | leaves | wrong, % | log loss | ms to fit |\n|---|---|---|---|---|")
    for name in [*CLASS_TABLES, *(FROM_FILES if folder else ())]:
        found, leaves = trials_of_classes(table_of_classes(name, folder), n_folds)
        cells = [
            " / ".join(text(trials) for trials in found.values())
            for text in (
                lambda trials: f"{100 * np.mean([one.wrong for one in trials]):.1f}",
                lambda trials: f"{np.mean([one.log_loss for one in trials]):.3f}",
                lambda trials: f"{1000 * statistics.median(one.seconds for one in trials):.1f}",
            )
        ]
        print(f"| {name} | {leaves:.1f} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", choices=TABLES)
    parser.add_argument("--classes", action="store_true", help="logistic formulas instead of linear ones")
    parser.add_argument("--data", default="", help="folder with crf/*.csv, for more tables of classes")
    told = parser.parse_args()
    if told.classes:
        wine: Any = load_wine()
        ModelTreeClassifier().fit(wine.data, wine.target)  # the kernels are compiled now
        CartClassifier().fit(wine.data, wine.target)
        print_classes(told.folds, told.data)
        return
    ModelTreeRegressor().fit(*bent(50))  # the kernels are compiled now
    print(f"{'1 - R², time to fit':32s}" + "".join(f"{name:>19s}" for name in known()) + "  Espalier - PILOT")
    for name in [told.only] if told.only else TABLES:
        print(row_of(name, told.folds), flush=True)


if __name__ == "__main__":
    main()
