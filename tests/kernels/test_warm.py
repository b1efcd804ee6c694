"""Compiling ahead of use: what it compiles is what is used, so that no page compiles anything."""

import os
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from core.analysis.importance import permutation_importance
from core.data import samples
from core.kernels import (
    approximate,
    approximate_draw,
    approximate_emulate,
    approximate_exact,
    bag,
    budget,
    cultivate,
    forest,
    found,
    gate,
    grove,
    grow,
    optimal,
    pairs,
    parcelled,
    parcels,
    slice,
    unseen,
    warm,
)
from core.learners import (
    ApproximationClassifier,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from core.learners.approximation.again import Inline, ground_of
from core.learners.approximation.emulated import emulate
from core.learners.optimal import OptimalClassifier
from core.views.surface import surface

KERNELS = [grow._grow, cultivate._grow, gate._reach, gate._predict, slice._slice]
FOREST = [grow._grow, forest._grow_many, bag.draw_into, bag._fill, grove._plant, grove.sum_up]
FOREST += [
    unseen._judge,
    unseen._rise,
    parcels._cut_all,
    parcels._cuts,
    parcels._mask_all,
    parcelled.sum_parcelled,
]
SEARCH = [optimal.solve, budget.solve_few, budget.leaf_value, found.write_tree, found.survey]

APPROXIMATION = [approximate_draw.weigh, approximate_draw.draw_rows, approximate.put_in_bins, approximate.count]
APPROXIMATION += [approximate.add_up, approximate.scores, approximate.better_than, parcelled.sum_parcelled]
APPROXIMATION += [approximate_exact.spread_boxes, approximate_exact.integrate]
APPROXIMATION += [approximate_emulate.count_cells, approximate.variances, approximate_emulate.fluctuate]


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_warming_compiles_what_learners_and_views_call():
    warm.run_all()
    compiled = [set(kernel.signatures) for kernel in KERNELS]
    for load in (load_iris, load_wine):
        X, y = load(return_X_y=True)
        for learner in (CartClassifier, CultivatedClassifier):
            learner().fit(X, y).predict_proba(X)
    for learner in (CartRegressor, CultivatedRegressor):
        learner().fit(X, X[:, 0]).predict(X)
    iris = samples.load("iris")
    tree = CultivatedClassifier(k="all", max_depth=3).fit(iris.X, iris.y).tree_
    surface(tree, iris, (0, 1), iris.X[0], np.zeros(len(iris.y), dtype=bool))
    assert [set(kernel.signatures) for kernel in KERNELS] == compiled


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_warming_compiles_what_forests_call():
    warm.run_all()
    compiled = [set(kernel.signatures) for kernel in FOREST]
    assert all(compiled)
    X, y = load_iris(return_X_y=True)
    for target, learner in (
        (y, RandomForestClassifier),
        (y > 0, RandomForestClassifier),
        (y, RandomForestRegressor),
    ):
        many = learner(n_estimators=3, oob_score=True, n_jobs=2).fit(X, target, signals=np.zeros(2, np.int64))
        many.predict(np.where(X > 6, np.nan, X))
        many.predict(np.tile(X, (5, 1)))
        permutation_importance(many, X, target, sample_weight=np.linspace(0.5, 1, len(y)))
    assert [set(kernel.signatures) for kernel in FOREST] == compiled


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_warming_compiles_what_the_search_for_optimal_trees_calls():
    warm.run_all()
    kernels = [*SEARCH, pairs.solve_children]  # which only others call, so that a cache on disk leaves it empty
    compiled = [set(kernel.signatures) for kernel in kernels]
    assert all(compiled[: len(SEARCH)])
    X, y = load_iris(return_X_y=True)
    for labels in (y, y > 0):
        for depth, splits in ((2, None), (3, None), (4, None), (4, 5)):
            model = OptimalClassifier(max_depth=depth, max_splits=splits, max_thresholds=2).fit(X, labels)
            model.go_on().predict(X)
            assert list(model.optimal_trees(slack=1, limit=5))
    weighted = OptimalClassifier(max_depth=4, n_jobs=2, misclassification_cost=1.5 - 1.5 * np.eye(3))
    weighted.fit(X, y, sample_weight=np.linspace(0.1, 1, len(y)), signals=np.zeros(2, np.int64))
    assert [set(kernel.signatures) for kernel in kernels] == compiled


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_warming_compiles_what_approximation_trees_call():
    warm.run_all()
    compiled = [set(kernel.signatures) for kernel in APPROXIMATION]
    assert all(compiled)
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    parameters: Any
    for parameters in ({"max_samples": 3000, "initial_samples": 1000}, {"method": "exact"}, {"variance": "fixed"}):
        model = ApproximationClassifier(forest, max_depth=3, random_state=0, **parameters).fit(X)
        emulate(ground_of(model.set_params(max_samples=3000)), [0, 1], (Inline(), np.zeros(2, np.int64)), 500)
    assert [set(kernel.signatures) for kernel in APPROXIMATION] == compiled


def test_the_last_stage_is_warm_only_if_all_are(tmp_path, monkeypatch):
    monkeypatch.setattr(warm, "CACHE_FOLDER", tmp_path)
    assert not warm.is_warm()
    (tmp_path / f"warm {warm.STAGES[0]}").touch()
    assert warm.is_warm(warm.STAGES[0])
    assert not warm.is_warm()
