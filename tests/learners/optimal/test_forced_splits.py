"""Optimal trees that begin with given splits, or do without some columns."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier.data import samples
from espalier.data.binarise import answers
from espalier.language import Refusal
from espalier.learners.optimal import OptimalClassifier, OptimalRegressor
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.progress import Progress
from espalier.tree.edits import node_at
from espalier.trees import LEAF
from tests.tools.exhaustive import EveryTree
from tests.tools.naive.optimal import Case, objective_of
from tests.tools.selection import seeds

IRIS = samples.load("iris")
PETAL_LENGTH, PETAL_WIDTH = 2, 3


def begun_anywhere(seed) -> tuple[Case, dict[str, Any], dict[str, np.ndarray]]:
    """A table, a fit with given splits, and what these answer: about any column, between any two values."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(8, 15)), 2 + seed % 2
    X = rng.integers(0, rng.integers(3, 20), (n, 3)).astype(float)
    X[rng.random((n, 3)) < rng.choice([0, 0.1])] = np.nan
    y = np.append(np.arange(k), rng.integers(0, k, n - k))
    case = Case(X, y, rng.integers(1, 3, n).astype(float), 1 - np.eye(k))
    forced, given = {}, {}
    for path in [["", "L"], ["", "R"], ["", "L", "R"]][seed % 3]:
        feature = int(rng.integers(0, 3))
        inside = np.ones(n, bool)
        for at, step in enumerate(path):
            inside &= given[path[:at]] if step == "L" else ~given[path[:at]]
        values = np.unique(X[inside & ~np.isnan(X[:, feature]), feature])
        if len(values) < 2:
            break  # nothing to part: the splits above it are enough
        at = int(rng.integers(0, len(values) - 1))
        forced[path] = feature, float(rng.uniform(values[at], values[at + 1] - 1e-3))
        given[path] = X[:, feature] <= forced[path][1]
    columns = sorted(rng.choice(3, int(rng.integers(0, 3)), replace=False).tolist())
    limits = {"max_depth": 3, "max_splits": int(rng.integers(len(forced), 8))}
    allowed = {"max_thresholds": [None, 1, 3][seed % 3], "forbidden_features": columns}
    return case, {"forced_splits": forced or None} | limits | allowed, given


@seeds(75, 300)
def test_a_given_split_is_asked_at_its_node_only_unless_any_split_may_ask_it(seeds):
    n_given = 0
    for seed in seeds:
        case, terms, given = begun_anywhere(seed)
        if not given:
            continue
        n_given += 1
        model = OptimalClassifier(**terms).fit(case.X, case.y, sample_weight=case.weight)
        free_terms: dict[str, Any] = terms | {"forced_splits": None}
        without = OptimalClassifier(**free_terms).fit(case.X, case.y, sample_weight=case.weight)
        for ours, free in zip(model.questions_, without.questions_, strict=True):
            np.testing.assert_equal(ours, free)
        every = EveryTree(answers(without.questions_, case.X), case, 3)
        best = every.least_begun(given, terms["max_splits"])
        splits = np.count_nonzero(model.tree_.feature != LEAF)
        assert (model.proof_.proved, model.proof_.objective, splits) == (True, *best), seed
        assert objective_of(model.predict(case.X), case) == best.objective
        assert (model.tree_.feature[0], model.tree_.threshold[0]) == terms["forced_splits"][""]
    assert n_given > 0.8 * len(seeds)


def test_several_given_splits_stand_where_they_are_told_to():
    forced = {"": (PETAL_WIDTH, 1.0), "R": (0, 6.1), "RL": (PETAL_LENGTH, 4.0)}
    model = OptimalClassifier(max_depth=4, forced_splits=forced).fit(IRIS.X, IRIS.y)
    tree = model.tree_
    nodes = [node for path in forced if (node := node_at(tree, path)) is not None]
    assert list(zip(tree.feature[nodes], tree.threshold[nodes], strict=True)) == list(forced.values())
    assert (model.proof_.proved, model.proof_.n_forced) == (True, 3)
    assert model.proof_.objective == (model.predict(IRIS.X) != IRIS.y).sum()


def test_a_leaf_of_just_the_least_weight_may_stand_below_a_given_split():
    X = np.arange(25.0)[:, None]
    given = OptimalClassifier(max_depth=1, min_weight_fraction_leaf=7 / 25, forced_splits={"": (0, 6.5)})
    assert given.fit(X, X[:, 0] > 12).tree_.n_samples.tolist() == [25, 7, 18]  # (7 / 25) * 25 / 7 is more than 1
    given.set_params(max_depth=2)
    assert given.fit(X, X[:, 0] > 20).tree_.n_samples.tolist() == [25, 7, 18, 11, 7]  # 4 of 25 would be too few


def test_the_splits_of_the_best_tree_give_its_objective_with_as_few_splits():
    free = OptimalClassifier(max_depth=3).fit(IRIS.X, IRIS.y)
    root = int(free.tree_.feature[0]), float(free.tree_.threshold[0])
    forced = OptimalClassifier(max_depth=3, forced_splits={"": root}).fit(IRIS.X, IRIS.y)
    assert forced.proof_.objective == forced.proof_.lower_bound == free.proof_.objective
    assert forced.tree_.n_leaves == free.tree_.n_leaves


@pytest.mark.parametrize(("learner", "table", "without"), [
    (OptimalClassifier, IRIS, PETAL_WIDTH), (OptimalRegressor, samples.load("diabetes"), 2),
])  # fmt: skip
def test_a_column_that_is_forbidden_is_not_asked_and_the_tree_is_the_best_without_it(learner, table, without):
    terms = {"max_depth": 2, "max_thresholds": 20}
    model = learner(forbidden_features=[without], **terms).fit(table.X, table.y)
    other = learner(**terms).fit(np.delete(table.X, without, axis=1), table.y)
    assert without not in model.tree_.feature
    assert model.proof_.objective == pytest.approx(other.proof_.objective)
    assert model.proof_.objective > learner(**terms).fit(table.X, table.y).proof_.objective
    assert (model.proof_.n_forbidden, other.proof_.n_forbidden) == (1, 0)
    assert model.search_.proof() == model.proof_
    if learner is OptimalClassifier:
        assert not any(without in near.tree.feature for near in model.optimal_trees(limit=5))


def test_columns_and_categories_have_their_names():
    frame = pd.DataFrame({"colour": ["red", "green", "blue", "red"] * 5, "size": np.arange(20.0)})
    y = (frame["size"] % 3 == 0).to_numpy()
    terms: dict[str, Any] = {"forced_splits": {"": ("colour", ["red", "blue"])}, "forbidden_features": ["size"]}
    tree = OptimalClassifier(max_depth=2, **terms).fit(frame, y).tree_
    assert set(tree.feature.tolist()) == {0, LEAF}
    goes_left = tree.categories[0] >> np.arange(3, dtype=np.uint64) & np.uint64(1)
    assert goes_left.tolist() == [1, 0, 1]  # blue, green, red


def test_a_search_that_ends_early_goes_on_to_the_same_optimum(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    terms: dict[str, Any] = {"max_depth": 3, "forced_splits": {"": (0, 0.0)}, "max_thresholds": None}
    whole = OptimalClassifier(**terms).fit(X, y)
    model = OptimalClassifier(**terms).fit(X, y, progress=Progress(is_stopped=True))
    assert not model.proof_.proved
    assert model.proof_.lower_bound <= whole.proof_.objective <= model.proof_.objective
    assert model.go_on().proof_.objective == whole.proof_.objective
    with pytest.raises(Refusal, match="forced_splits"):
        model.optimal_trees()
    limits, run = [], ThresholdSearch.run
    monkeypatch.setattr(ThresholdSearch, "run", lambda *given: limits.append(given[1]) or run(*given))
    OptimalClassifier(**terms, time_limit=0.05).fit(X, y)
    assert 0 < max(limits) <= 0.05
