"""The stable tree among trees as good beside CART: how far trees of redrawn rows are apart, and their AUC.

    python -m benchmarks.as_good.stability [--depth 3] [--redraws 10] [--names iris,wine] [--slack 0.02]

For each bundled table of classes three rows of ten are held out, and the others redrawn with replacement.
From each redraw grow CART, the optimal tree over ten thresholds a column, and the stable tree: of all trees
as good (at most `--slack` of the rows more wrong; half or a quarter as many, or none, where they are too many
to count) the one with the least mean path distance from 25 CART trees of as many splits, of rows drawn once
more from the redraw. *apart* is the mean path distance (Bertsimas & Digalakis 2023) between the trees of
different redraws, *AUC* the mean area under the ROC curve on the rows held out, each class against the rest.
The same settings for all tables.
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from espalier.analysis.stability.front import Redraws, stable_points
from espalier.analysis.stability.path_distance import Ranges, path_distance, paths_of, ranges_of
from espalier.data import Dataset, samples
from espalier.learners import CartClassifier, OptimalClassifier
from espalier.learners.base import TrainingData
from espalier.learners.optimal import TreesAsGood, trees_as_good
from espalier.learners.optimal.as_good import StoppedEarly
from espalier.learners.optimal.as_good.nodes import shape_of
from espalier.learners.optimal.tree_builder import build_tree
from espalier.predict import leaves
from espalier.trees import Tree

MOST_SPLITS = 10_000  # of the graph of trees as good
THRESHOLDS = 10  # a column, of optimal trees
KINDS = ("CART", "optimal", "stable")


class Grown(NamedTuple):
    """A tree, and the classes that its values are of."""

    tree: Tree
    classes: np.ndarray


def main() -> None:
    """Print a row for each table."""
    told = arguments()
    names = (
        told.names.split(",") if told.names else [n for n in samples.names() if samples.load(n).is_classification]
    )
    heads = "".join(f"{kind + ' apart':>15}{'AUC':>8}" for kind in KINDS)
    print(f"{'table':16}{heads}{'less apart':>12}{'AUC lost':>10}{'seconds':>9}")
    met = 0
    for name in names:
        begun = time.process_time()
        apart, auc = measured(samples.load(name), told)
        less, lost = 1 - apart["stable"] / apart["CART"], 1 - auc["stable"] / auc["CART"]
        met += less >= 0.38 and lost <= 0.02
        numbers = "".join(f"{apart[kind]:15.4f}{auc[kind]:8.3f}" for kind in KINDS)
        print(f"{name:16}{numbers}{less:12.1%}{lost:10.1%}{time.process_time() - begun:9.1f}", flush=True)
    print(f"{met} of {len(names)} tables: at least 38 % less apart for at most 2 % of AUC")


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--redraws", type=int, default=10)
    parser.add_argument("--names", default="")
    parser.add_argument("--slack", type=float, default=0.02)
    return parser.parse_args()


def measured(data: Dataset, told: argparse.Namespace) -> tuple[dict[str, float], dict[str, float]]:
    """Return how far the trees of redraws are apart, and their AUC, by kind."""
    ranges, source = ranges_of(data), np.random.default_rng(0)
    every = np.arange(len(data.y))
    parts = train_test_split(every, test_size=0.3, random_state=0, stratify=data.y)
    train, test = (np.array(part) for part in parts)
    grown: dict[str, list[Grown]] = {kind: [] for kind in KINDS}
    for _ in range(told.redraws):
        rows = source.choice(train, len(train))
        for kind, tree in trees_of(data, rows, ranges, told).items():
            grown[kind].append(tree)
    apart = {kind: mean_apart(trees, ranges, told.depth) for kind, trees in grown.items()}
    return apart, {kind: float(np.mean([auc(one, data, test) for one in trees])) for kind, trees in grown.items()}


def trees_of(data: Dataset, rows: np.ndarray, ranges: Ranges, told: argparse.Namespace) -> dict[str, Grown]:
    """Return a tree of each kind, grown on these rows."""
    categorical = np.flatnonzero(data.categorical).tolist()
    X, y = data.X[rows], data.y[rows]
    cart = CartClassifier(max_depth=told.depth, random_state=0, categorical_features=categorical).fit(X, y)
    size = {"max_depth": told.depth, "max_thresholds": THRESHOLDS}
    optimal = OptimalClassifier(**size, categorical_features=categorical).fit(X, y)
    training = optimal.prepare(X, y)
    trees = counted(optimal, training, told.slack * len(rows))
    stable = optimal.tree_
    if trees is not None:
        best = stable_points(trees, Redraws(training, ranges, told.depth))[0]
        stable, _ = build_tree(trees.questions.inputs, shape_of(best.tree))
    own = (cart.tree_, optimal.tree_, stable)
    return {kind: Grown(tree, optimal.classes_) for kind, tree in zip(KINDS, own, strict=True)}


def counted(model: OptimalClassifier, training: TrainingData, slack: float) -> TreesAsGood | None:
    """Return the trees within the slack, or a part of it, that can be counted; None where there are too many."""
    for part in (slack, slack / 2, slack / 4, 0.0):
        try:
            return trees_as_good(model, training, part, limit=MOST_SPLITS)
        except StoppedEarly:
            continue
    return None


def mean_apart(trees: list[Grown], ranges: Ranges, depth: int) -> float:
    """Return the mean distance of two trees."""
    paths = [paths_of(one.tree, ranges, one.classes) for one in trees]
    pairs = itertools.combinations(paths, 2)
    return float(np.mean([path_distance(a, b, ranges, depth) for a, b in pairs]))


def auc(one: Grown, data: Dataset, rows: np.ndarray) -> float:
    """Return the mean area under the ROC curve of each class against the rest."""
    shares = np.zeros((len(rows), len(data.classes)))
    shares[:, one.classes] = one.tree.value[leaves(one.tree, data.X[rows])]
    truth = data.y[rows]
    return float(np.mean([roc_auc_score(truth == k, shares[:, k]) for k in np.unique(truth)]))


if __name__ == "__main__":
    main()
