"""The best trees of three and four levels with all options at once, against every tree there is."""

from typing import Any

import numpy as np
import pytest

from espalier.data.binarise import answers
from espalier.learners.optimal import OptimalClassifier, threshold_search
from espalier.learners.optimal.search import OptimalSearch
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.trees import LEAF
from tests.tools.exhaustive.classes import EveryTree
from tests.tools.exhaustive.functions import MOST_CELLS, EveryFunction, Size, n_cells
from tests.tools.naive.optimal import Case, objective_of
from tests.tools.selection import seeds

WAYS = {OptimalSearch: 10**9, ThresholdSearch: 0}  # questions a column from which on sorted columns are searched
SHARES = (0, 0, 0.04, 0.1, 0.15, 0.2, 0.25, 0.34)  # of all weight in a leaf, at least


def table(rng, n_classes: int, tops: list[int]) -> Case:
    """A table of 8 to 20 rows with ties, now and then with gaps; its weights and costs have a common measure."""
    n = int(rng.integers(8, 21))
    X = np.column_stack([rng.integers(0, top, n) for top in tops]).astype(float)
    X[rng.random(X.shape) < rng.choice([0, 0, 0.12])] = np.nan
    follows = np.nansum(X, axis=1) + rng.normal(size=n) * 2
    y = np.digitize(follows, np.quantile(follows, np.arange(1, n_classes) / n_classes))
    y[:n_classes] = np.arange(n_classes)
    weights = [(1.0,), (1.0, 2.0, 3.0), (0.25, 0.7, 1.1), (1 / 3, 2 / 3, 5.0), (1.0, 10.0, 100.0)]
    cost = rng.integers(0 if n_classes > 2 else 1, 4, (n_classes, n_classes)).astype(float)
    cost[0, 1] = 1.0
    np.fill_diagonal(cost, 0)
    return Case(X, y, rng.choice(weights[rng.integers(0, len(weights))], n), cost)


def limits(rng, depth: int) -> tuple[dict[str, Any], Size]:
    splits, share = int(rng.integers(1, 2**depth)), float(rng.choice(SHARES))
    splits = splits if rng.random() < 0.6 else 2**depth - 1
    parameters = {"max_depth": depth, "max_splits": splits, "min_weight_fraction_leaf": share}
    return parameters | {"max_thresholds": None, "categories": "one-vs-rest"}, Size(depth, splits, share)


def assert_best(model, case: Case, best, place) -> None:
    proof = model.proof_
    assert (proof.proved, proof.lower_bound) == (True, proof.objective), place
    assert proof.objective == pytest.approx(best.objective), place
    assert np.count_nonzero(model.tree_.feature != LEAF) == best.n_splits, place
    assert objective_of(model.predict(case.X), case) == pytest.approx(best.objective), place


@seeds(24, 120)
@pytest.mark.parametrize("way", WAYS)
def test_no_tree_of_any_number_of_splits_and_any_least_weight_is_better(way, seeds, monkeypatch):
    monkeypatch.setattr(threshold_search, "MANY", WAYS[way])
    monkeypatch.setattr(threshold_search, "LARGE", 14)  # from so many rows on, some tell where to begin
    monkeypatch.setattr(threshold_search, "SOME", 2)
    searched = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        case = table(rng, 2 + seed % 2, [[9, 4], [20], [4, 3, 3]][seed % 3])
        parameters, size = limits(rng, 3 + seed % 2)
        categorical = rng.random(case.X.shape[1]) < 0.2
        parameters |= {"misclassification_cost": case.cost, "categorical_features": categorical}
        model = OptimalClassifier(**parameters).fit(case.X, case.y, sample_weight=case.weight)
        every = EveryTree(answers(model.questions_, case.X), case, size.depth, size.leaf_share)
        assert_best(model, case, every.least(size.splits), seed)
        searched.append(isinstance(model.search_, way))
    assert np.mean(searched) > 0.9


@seeds(16, 100)
@pytest.mark.parametrize("way", WAYS)
def test_no_tree_that_keeps_to_directions_besides_is_better(way, seeds, monkeypatch):
    monkeypatch.setattr(threshold_search, "MANY", WAYS[way])
    n_tables = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        case = table(rng, 2, [[7, 2], [4, 3], [12], [2, 2, 3]][seed % 4])
        parameters, size = limits(rng, 3 + seed % 2)
        directions = rng.integers(-1, 2, case.X.shape[1])
        directions[0] = directions[0] or 1
        categorical = (directions == 0) & (rng.random(len(directions)) < 0.5)
        parameters |= {"misclassification_cost": case.cost, "categorical_features": categorical}
        model = OptimalClassifier(monotonic_cst=directions, **parameters)
        model.fit(case.X, case.y, sample_weight=case.weight)
        if n_cells(model.questions_) <= MOST_CELLS:
            n_tables += 1
            assert_best(model, case, EveryFunction(model.questions_, case, size).least(directions), seed)
    assert n_tables > 0.75 * len(seeds)


@seeds(20, 60)
def test_where_weights_are_rounded_the_proof_allows_for_it(seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        case = table(rng, 2 + seed % 2, [[9, 4], [20], [4, 3, 3]][seed % 3])
        case = case._replace(weight=rng.random(len(case.y)) + 0.01)
        parameters, size = limits(rng, 3 + seed % 2)
        parameters |= {"misclassification_cost": case.cost, "min_weight_fraction_leaf": 0.0}
        model = OptimalClassifier(**parameters).fit(case.X, case.y, sample_weight=case.weight)
        best = EveryTree(answers(model.questions_, case.X), case, size.depth).least(size.splits).objective
        proof, rounding = model.proof_, 1e-9 * case.weight.sum()
        assert proof.lower_bound - rounding <= best <= proof.objective + rounding
        assert proof.objective - proof.lower_bound <= 2e-3 * case.weight.sum()


@seeds(12, 40)
@pytest.mark.parametrize("way", WAYS)
def test_a_row_of_a_weight_rounded_to_nothing_is_still_one_that_directions_are_kept_on(way, seeds, monkeypatch):
    monkeypatch.setattr(threshold_search, "MANY", WAYS[way])
    for seed in seeds:
        rng = np.random.default_rng(seed)
        case = table(rng, 2, [[7, 2], [4, 3], [12], [2, 2, 3]][seed % 4])
        weight = (rng.random(len(case.y)) + 0.5) * np.where(rng.random(len(case.y)) < 0.3, 1e-8, 1)
        case, size = case._replace(weight=weight), Size(3, 7)
        model = OptimalClassifier(max_depth=3, max_thresholds=None, monotonic_cst=[1] * case.X.shape[1])
        model.set_params(misclassification_cost=case.cost).fit(case.X, case.y, sample_weight=weight)
        if n_cells(model.questions_) <= MOST_CELLS:
            every, proof = EveryFunction(model.questions_, case, size), model.proof_
            best, rounding = every.least(np.ones(case.X.shape[1])).objective, 1e-9 * weight.sum()
            assert proof.lower_bound - rounding <= best <= proof.objective + rounding
            assert proof.objective - proof.lower_bound <= 2e-3 * weight.sum()
