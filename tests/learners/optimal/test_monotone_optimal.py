"""Optimal trees within bounds: directions of columns, given splits, and columns that are not asked about."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier.data import samples
from espalier.data.binarise import answers
from espalier.language import Refusal
from espalier.learners import CartClassifier
from espalier.learners.optimal import OptimalClassifier, OptimalRegressor, monotone_search
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.progress import Progress
from espalier.tree.edits import node_at
from espalier.trees import LEAF
from tests.learners.test_directions import over
from tests.tools.exhaustive import EveryFunction, EveryTree, Size
from tests.tools.naive.optimal import Case, objective_of
from tests.tools.selection import seeds

ROOMY: dict[str, Any] = {"max_thresholds": None}


def random_case(seed) -> Case:
    """Few rows of two numbers, some of them missing, with costs and weights."""
    rng = np.random.default_rng((seed, 2))
    n = int(rng.integers(4, 25))
    X = rng.integers(0, 3, (n, 2)).astype(float)
    y = np.where(rng.random(n) < 0.3, rng.integers(0, 2, n), X.sum(axis=1) > rng.integers(1, 4))
    y[:2] = 0, 1
    if rng.random() < 0.3:
        X[rng.random(X.shape) < 0.2] = np.nan
    weight = rng.choice([1, 2, 5], n).astype(float) if rng.random() < 0.5 else np.ones(n)
    cost = np.array([[0.0, 1], [rng.choice([1, 3]), 0]])
    return Case(X, y.astype(int), weight, cost)


def fitted(case, directions, **parameters) -> OptimalClassifier:
    model = OptimalClassifier(monotonic_cst=directions, misclassification_cost=case.cost, **(ROOMY | parameters))
    return model.fit(case.X, case.y, sample_weight=case.weight)


def assert_keeps(model, X, directions):
    """Classes and shares go in the directions of the columns, for all rows."""
    for column in np.flatnonzero(directions):
        rows = over(X, column)
        flat = rows.reshape(-1, X.shape[1])
        for said in (model.predict_proba(flat)[:, 1], (model.predict(flat) == model.classes_[1]).astype(float)):
            assert (directions[column] * np.diff(said.reshape(rows.shape[:2]), axis=0) >= 0).all()


def test_a_direction_against_the_data_leaves_a_lone_leaf_and_a_peak_the_step_that_costs_less():
    X, y = np.arange(6.0)[:, None], [0, 0, 1, 1, 1, 1]
    free, held = (OptimalClassifier(monotonic_cst=[one]).fit(X, y) for one in (1, -1))
    assert (free.proof_.objective, free.tree_.n_nodes) == (0, 3)
    assert (held.proof_.objective, held.proof_.proved, held.tree_.n_nodes) == (2, True, 1)
    assert held.tree_.value.tolist() == [[pytest.approx(1 / 3), pytest.approx(2 / 3)]]
    y = [0, 0, 0, 1, 1, 0]  # without a direction two splits make no error
    model = OptimalClassifier(monotonic_cst=[1]).fit(np.arange(6.0)[:, None], y)
    assert (model.proof_.objective, model.proof_.proved, model.tree_.threshold[0]) == (1, True, 2.5)


def test_two_second_best_sides_may_be_the_best_that_go_together():
    """Alone, left of 0.5 the class is 1 where b is 1, and right of it 0: nowhere may it fall with a."""
    X = np.repeat([[0.0, 0], [0, 1], [1, 0], [1, 1]], [4, 3, 4, 2], axis=0)
    y = np.repeat([0, 1, 1, 0], [4, 3, 4, 2])
    model = OptimalClassifier(max_depth=2, monotonic_cst=[1, 0]).fit(X, y)
    assert (model.proof_.objective, model.predict([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()) == (2, [0, 1, 1, 1])


def test_of_two_columns_that_rows_cannot_tell_apart_the_free_one_is_split():
    """On these rows b is 1 - a, so that a may only rise and b may do anything."""
    X = np.repeat([[0.0, 1], [1, 0]], 3, axis=0)
    model = OptimalClassifier(monotonic_cst=[-1, 0]).fit(X, [0, 0, 0, 1, 1, 1])
    assert (model.proof_.objective, model.tree_.feature.tolist()) == (0, [1, -1, -1])


def noisy_table(n=300):
    """The class rises with the first column and falls with the square of the second."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3)).round(1)
    return X, (X[:, 0] - X[:, 1] ** 2 + rng.normal(size=n) > -0.5).astype(int)


def test_the_tree_lies_between_the_best_one_and_the_greedy_one_with_the_same_directions():
    X, y = noisy_table()
    directions = [-1, 1, -1]
    free, held = (OptimalClassifier(max_depth=2, monotonic_cst=one).fit(X, y) for one in (None, directions))
    thresholds = [held.questions_.threshold[held.questions_.feature == i] for i in range(3)]
    rounded = np.column_stack([np.searchsorted(cuts, x) for cuts, x in zip(thresholds, X.T, strict=True)])
    greedy = CartClassifier(max_depth=2, monotonic_cst=directions).fit(rounded, y)
    assert free.proof_.objective < held.proof_.objective <= (greedy.predict(rounded) != y).sum()
    assert_keeps(held, X, np.array(directions))


def test_shares_keep_to_the_directions_where_the_leaves_own_shares_do_not():
    X, y = np.arange(20.0)[:, None] // 5, [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0]
    model = OptimalClassifier(max_depth=2, fewest_splits=False, monotonic_cst=[1]).fit(X, y)
    assert_keeps(model, X, np.array([1]))


@pytest.fixture(scope="module")
def hard():
    """A search that takes minutes: the class rises with the first column, which must fall."""
    X, y = noisy_table()
    return OptimalClassifier(max_depth=3, monotonic_cst=[-1, -1, -1], time_limit=0.5).fit(X, y), X, y


def test_a_search_that_ends_early_has_a_tree_that_keeps_to_the_directions_and_an_honest_bound(hard):
    model, X, y = hard
    free = OptimalClassifier(max_depth=3).fit(X, y).proof_
    assert not model.proof_.proved
    assert free.objective <= model.proof_.lower_bound < model.proof_.objective
    assert (model.predict(X) != y).sum() == model.proof_.objective
    assert_keeps(model, X, np.array([-1, -1, -1]))


def test_going_on_also_after_a_pickle_never_widens_the_gap(hard):
    model = pickle.loads(pickle.dumps(hard[0]))
    before = model.proof_
    after = model.go_on(0.3).proof_
    assert before.lower_bound <= after.lower_bound <= after.objective <= before.objective
    assert after.seconds > before.seconds
    trace = np.array([(bound, -objective) for _, objective, bound in model.search_.trace])
    assert (np.diff(trace, axis=0) >= 0).all()


def test_a_search_with_too_many_open_cases_ends_without_a_proof(monkeypatch):
    monkeypatch.setattr(monotone_search, "MOST_CASES", 5)
    X, y = noisy_table()
    model = OptimalClassifier(max_depth=3, monotonic_cst=[-1, -1, -1]).fit(X, y)
    assert not model.proof_.proved
    assert model.proof_.lower_bound <= model.proof_.objective == (model.predict(X) != y).sum()
    assert model.go_on().proof_.lower_bound == model.proof_.lower_bound


def test_a_search_that_is_stopped_at_once_has_a_lone_leaf():
    X, y = noisy_table()
    stopped = Progress(is_stopped=True)
    model = OptimalClassifier(monotonic_cst=[1, 0, 0]).fit(X, y, progress=stopped)
    assert (model.tree_.n_nodes, model.proof_.proved) == (1, False)
    assert model.proof_.lower_bound < model.proof_.objective
    assert model.go_on().proof_.proved


def test_what_has_no_order_is_refused_by_a_sentence():
    X, y = noisy_table()
    with pytest.raises(ValueError, match=r"two classes.*y has 3 classes"):
        OptimalClassifier(monotonic_cst=[1, 0, 0]).fit(X, y + (X[:, 2] > 1))
    with pytest.raises(ValueError, match="categories have no order"):
        OptimalClassifier(monotonic_cst=[1, 0, 0], categorical_features=[0]).fit(np.abs(X).round(), y)
    with pytest.raises(ValueError, match="not listed with monotonic_cst"):
        OptimalClassifier(max_depth=1, monotonic_cst=[1, 0, 0]).fit(X, y).optimal_trees()


@seeds(10, 30)
@pytest.mark.parametrize("depth", [1, 2])
def test_weights_and_costs_without_a_measure_leave_room_for_the_labels_of_a_proof(depth, seeds):
    for seed in seeds:
        case, rng = random_case(seed), np.random.default_rng(seed)
        odd = rng.random((2, 2)) + 0.5
        case = case._replace(weight=rng.random(len(case.y)) + 0.1, cost=odd - np.diag(np.diag(odd)))
        model = fitted(case, [-1, 1], max_depth=depth)
        every = EveryFunction(model.questions_, case, Size(depth, 2**depth - 1))
        best = every.least(np.array([-1, 1])).objective
        search: Any = model.search_
        proof, error = model.proof_, search._current.costs.error
        assert proof.proved
        assert best - 1e-9 <= proof.objective <= best + 2 * error
        assert best - 4 * error - 1e-9 <= proof.lower_bound <= best + 1e-9
        assert error < 0.01 * case.weight.sum()


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


def test_a_search_below_a_given_split_that_ends_early_goes_on_to_the_same_optimum(monkeypatch):
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
