"""Every discipline in its short form and its long one: us beside the rivals that are installed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold

from benchmarks import boosting, cart, forests, model_trees, oblique, optimal
from benchmarks.cultivated import folds
from benchmarks.optimal_continuous import table as continuous
from benchmarks.optimal_regression import table as regression
from benchmarks.page import after_fitting
from benchmarks.page.measured import OURS, Measured, in_turn, put_memory_in_order, version_of
from benchmarks.page.scope import Scope
from espalier.data.binarise import answers, quantile_questions
from espalier.learners import CartClassifier, CultivatedClassifier, OptimalRegressor

FIT, SECONDS = "ms to fit", 600.0


def of_cart(scope: Scope) -> Iterator[Measured]:
    """One CART tree."""
    for name, (classes, make) in cart.TABLES.items():
        if "1M" in name or (scope.is_quick and "100k" in name):
            continue
        X, y = make()
        columns, rows = np.asfortranarray(X), np.ascontiguousarray(X, dtype=np.float32)
        for depth in (6, None):
            programs = {
                OURS: cart.ours(columns, y, classes, depth),
                "scikit-learn": cart.scikit_learn(rows, y, classes, depth),
                "ydf": cart.of_ydf(X, y, classes, depth),
            }
            limit = f"depth {depth}" if depth else "no limit of depth"
            yield from in_turn(f"{name}, {limit}", FIT, programs, scope.rounds)


def of_forests(scope: Scope) -> Iterator[Measured]:
    """Random forests of 100 trees on two threads: processor time of both."""
    for name, (classes, make) in forests.TABLES.items():
        if scope.is_quick and "100k" in name:
            continue
        X, y = make()
        table = forests.Table(X, y, classes, "random")
        rivals = {
            OURS: forests.ours(table),
            "scikit-learn": forests.scikit_learn(table),
            "ydf": forests.of_ydf(table),
        }
        programs = {who: rival and rival.fit for who, rival in rivals.items()}
        yield from in_turn(name, FIT, programs, scope.rounds, put_memory_in_order)


def of_boosting(scope: Scope) -> Iterator[Measured]:
    """Gradient boosting: time, and loss on new rows."""
    for name, make in boosting.TABLES.items():
        if scope.is_quick and "100,000" in name:
            continue
        table = make()
        rivals: dict[str, Any] = {OURS: boosting.ours(table, 2), "scikit-learn": boosting.theirs(table)}
        programs = {who: (lambda one=one, t=table: boosting.seconds(one, t)) for who, one in rivals.items()}
        yield from in_turn(name, FIT, programs, scope.rounds)
        for who, one in rivals.items():
            yield Measured(name, "loss on new rows", who, version_of(who), (boosting.loss(one, table),))


def of_cultivated(scope: Scope) -> Iterator[Measured]:
    """Cultivated trees (CRF-full) beside our CART of the same depth."""
    for table in folds.tables(str(scope.folder("crf")), "magic"):
        programs = {
            OURS: lambda X=table.X, y=table.y: CultivatedClassifier().fit(X, y),
            "Espalier, CART": lambda X=table.X, y=table.y: CartClassifier(max_depth=14).fit(X, y),
        }
        yield from in_turn(table.name, FIT, programs, scope.rounds)


def of_optimal(scope: Scope) -> Iterator[Measured]:
    """Optimal trees of yes/no questions, found and proved."""
    tables = [optimal.read(path) for path in sorted(scope.folder("binary").glob("*.txt"))]
    limits = argparse.Namespace(time_limit=SECONDS, memory=256, threads=1)
    theirs = None if optimal.STreeDClassifier is None else optimal.of_pystreed(SECONDS)
    for depth in (3,) if scope.is_quick else (3, 4, 5):
        solvers = {OURS: optimal.ours(limits, False), "pystreed": theirs}
        programs = {
            who: solver and (lambda one=solver, d=depth: [optimal.fitted(one, t, d, time.time) for t in tables])
            for who, solver in solvers.items()
        }
        yield from in_turn(f"ten tables, depth {depth}", FIT, programs, scope.rounds)


def of_optimal_continuous(scope: Scope) -> Iterator[Measured]:
    """Optimal trees over every threshold."""
    few = ("bidding", "raisin", "wilt") if scope.is_quick else tuple(continuous.FEWEST[3])
    paths = sorted(scope.folder("continuous").glob("*.txt*"))
    tables = [table for table in map(continuous.read, paths) if table.name in few]
    theirs = None if continuous.ConTree is None else continuous.of_pycontree(SECONDS)
    for table in tables:
        for depth in (2,) if scope.is_quick else (2, 3):
            solvers = {OURS: continuous.ours(False, SECONDS), "pycontree": theirs}
            programs = {
                who: solver and (lambda one=solver, t=table, d=depth: one(t, d)) for who, solver in solvers.items()
            }
            yield from in_turn(f"{table.name}, depth {depth}", FIT, programs, scope.rounds)


def of_optimal_regression(scope: Scope) -> Iterator[Measured]:
    """Optimal trees for numbers, ten questions a column."""
    theirs = regression.STreeDRegressor
    for table in regression.tables()[: 2 if scope.is_quick else 3]:
        asked = quantile_questions(table.X, None, np.zeros(table.X.shape[1], bool), 10)
        bits = answers(asked, table.X).astype(np.int32)
        programs = {
            OURS: lambda t=table: OptimalRegressor(max_depth=3, max_thresholds=10).fit(t.X, t.y),
            "pystreed": theirs and (lambda b=bits, y=table.y: theirs(max_depth=3, cost_complexity=0.0).fit(b, y)),
        }
        yield from in_turn(f"{table.name}, depth 3", FIT, programs, scope.rounds)


def of_oblique(scope: Scope) -> Iterator[Measured]:
    """Oblique trees: accuracy on new rows."""
    split = RepeatedStratifiedKFold(n_splits=5, n_repeats=1 if scope.is_quick else 2, random_state=oblique.SEED)
    makes = oblique.known()
    for name in oblique.BUNDLED[: 3 if scope.is_quick else 4]:
        table = oblique.read(name, None)
        for who in oblique.MODELS:
            right = oblique.scores(makes[who], table, split).accuracy if who in makes else ()
            named = "Espalier, CART" if who == "CART" else who
            yield Measured(name, "accuracy on new rows", named, version_of(named), tuple(right), True)


def of_model_trees(scope: Scope) -> Iterator[Measured]:
    """Model trees: the part of the variance that is left on new rows."""
    there = model_trees.known()
    for name in list(model_trees.TABLES)[:: 3 if scope.is_quick else 1]:
        for who, make in model_trees.MODELS.items():
            left = model_trees.errors(make, model_trees.TABLES[name](), 5)[0] if who in there else ()
            named = "Espalier, CART" if who == "CART" else who
            yield Measured(name, "1 - R² on new rows", named, version_of(named), tuple(left))


DISCIPLINES: dict[str, Callable[[Scope], Iterator[Measured]]] = {
    "CART": of_cart,
    "Random forests": of_forests,
    "Gradient boosting": of_boosting,
    "Cultivated trees": of_cultivated,
    "Optimal trees": of_optimal,
    "Optimal trees over every threshold": of_optimal_continuous,
    "Optimal trees for numbers": of_optimal_regression,
    "Oblique trees": of_oblique,
    "Model trees": of_model_trees,
    "All trees as good": after_fitting.of_as_good,
    "Shapley values": after_fitting.of_shapley,
    "Smallest change of an answer": after_fitting.of_counterfactuals,
    "Models of other libraries": after_fitting.of_importers,
    "Approximation of a forest": after_fitting.of_approximation,
    "Trees of redrawn rows": after_fitting.of_stability,
    "Promises": after_fitting.of_promises,
}
