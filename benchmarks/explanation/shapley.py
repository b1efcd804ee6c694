"""Shapley values of a forest beside the packages shap and woodelf: processor time on one core, and agreement.

    python benchmarks/explanation/shapley.py [--rows N] [--trees N] [--depth N] [--rounds N]
        [--threads N]

All explain the same boosted trees of scikit-learn (20 numbers, 5,000 rows to fit), path dependent. Rivals take
turns; times are medians, and the ratio is above 1 where Espalier is faster. shap explains every hundredth row,
times 100: it takes as long for each.
With --threads, Espalier alone uses so many, and its wall time is given, too. Needs shap and woodelf_explainer; a
rival that is not installed is left out.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor

from espalier.analysis import shapley_values
from espalier.trees import Forest, Tree, make_sum, make_tree

COLUMNS, FITTED = 20, 5_000
SOME = 100  # of so many rows shap explains one


def table(n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, COLUMNS)).astype(np.float32).astype(np.float64)


def model_of(trees: int, depth: int) -> Any:
    X = table(FITTED)
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] * (X[:, 4] > 0) + X[:, 5:].sum(axis=1) / 4
    boosting = GradientBoostingRegressor(n_estimators=trees, max_depth=depth, max_features=8, random_state=0)
    return boosting.fit(X, y)


def our_tree(tree: Any, rate: float) -> Tree:
    """The record of a tree of scikit-learn, whose leaves count as much as a step of its boosting."""
    leaf, none = tree.feature < 0, np.zeros(tree.node_count)
    feature, threshold = np.where(leaf, -1, tree.feature), np.where(leaf, np.nan, tree.threshold)
    return make_tree(
        feature, threshold, tree.children_left, tree.children_right, none, none, tree.n_node_samples,
        tree.weighted_n_node_samples, rate * tree.value[:, :, 0], tree.impurity,
    )  # fmt: skip


def our_forest(model: Any) -> Forest:
    trees = [our_tree(stage.tree_, model.learning_rate) for stage in model.estimators_[:, 0]]
    return make_sum(trees, np.ravel(model.init_.constant_), "identity", [])


def rivals(model: Any) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """What explains rows, by name; of those that are installed. Of `SOME` rows shap explains one."""
    there: dict[str, Callable[[np.ndarray], np.ndarray]] = {}
    how = "tree_path_dependent"
    if package := _package("shap"):
        explainer = package.TreeExplainer(model, None, feature_perturbation=how)
        there["shap"] = lambda X: explainer.shap_values(X[::SOME])
    if package := _package("woodelf"):
        names = [f"x{j}" for j in range(COLUMNS)]
        other = package.WoodelfExplainer(model, None, feature_perturbation=how)
        there["woodelf"] = lambda X: other.shap_values(pd.DataFrame(X, columns=names), verbose=False)
    return there


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def seconds(explain: Callable[[np.ndarray], np.ndarray], X: np.ndarray, clock: Callable[[], float]) -> float:
    start = clock()
    explain(X)
    return clock() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=5, help="turns of each")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    model, X = model_of(options.trees, options.depth), table(options.rows)
    forest = our_forest(model)
    own = {"espalier": lambda X: shapley_values(forest, X).added[..., 0]}
    explain = own | rivals(model)
    found = {name: each(X[:SOME]) for name, each in explain.items()}  # compiles, too
    taken = [
        {name: seconds(each, X, time.process_time) for name, each in explain.items()}
        for _ in range(options.rounds)
    ]
    report(taken, found, options)
    wall = [
        seconds(lambda X: shapley_values(forest, X, n_jobs=options.threads).added, X, time.perf_counter)
        for _ in range(options.rounds)
    ]
    print(f"espalier, {options.threads} threads, wall time: {statistics.median(wall):.2f}")


def report(taken: list[dict[str, float]], found: dict[str, np.ndarray], options: argparse.Namespace) -> None:
    """Print the time of each, and how far its values are from ours."""
    own = statistics.median(turn["espalier"] for turn in taken)
    print(f"{options.trees} trees of depth {options.depth}, {options.rows:,} rows: seconds on one core")
    for name, values in found.items():
        middle = statistics.median(turn[name] for turn in taken) * (SOME if name == "shap" else 1)
        rows = slice(None, None, SOME) if name == "shap" else slice(None)
        apart = np.abs(values - found["espalier"][rows]).max()
        print(f"{name:<10}{middle:>10.2f}{middle / own:>8.1f} times ours{apart:>12.1e} from ours, at most")


if __name__ == "__main__":
    main()
