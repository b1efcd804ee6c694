"""Optimal trees over every threshold: by sorted columns they are those of the questions written out."""

import pickle
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from espalier.data.binarise import answers, every_question, quantile_questions
from espalier.kernels.optimal.thresholds.search import OPEN, WRITTEN
from espalier.learners import RootForestClassifier
from espalier.learners.optimal import OptimalClassifier, threshold_search
from espalier.learners.optimal.problem import every_threshold, ranked_columns
from espalier.learners.optimal.search import OptimalSearch
from espalier.learners.optimal.threshold_search import ThresholdSearch
from espalier.progress import Progress
from espalier.trees import LEAF
from tests.learners.optimal.test_optimal import n_splits
from tests.tools.naive.optimal import Case, distinct, least, objective_of, problem
from tests.tools.selection import seeds

NO_MATCH = 10**9  # more questions a column than any table has


def table(seed, most=30) -> tuple[Case, dict[str, Any]]:
    """Numbers with ties, some missing, some categories, weights and costs; and the parameters of a fit."""
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(3, most)), int(rng.integers(1, 5)), int(rng.integers(2, 5))
    X = rng.integers(0, rng.integers(2, 14), (n, m)).astype(float)
    categorical = rng.random(m) < 0.25
    X[rng.random((n, m)) < rng.choice([0, 0.1])] = np.nan
    y = np.append([0, 1], rng.integers(0, k, n - 2))
    weight = [np.ones(n), rng.integers(1, 4, n).astype(float), rng.random(n) + 0.1][seed % 3]
    k = len(np.unique(y))
    cost = rng.integers(1, 5, (k, k)).astype(float) if seed % 4 == 0 else np.ones((k, k))
    np.fill_diagonal(cost, 0)
    case = Case(X, np.unique(y, return_inverse=True)[1], weight, cost)
    return case, {"categorical_features": categorical, "misclassification_cost": cost, "max_thresholds": None}


def by_sorted_columns(monkeypatch, case: Case, **parameters) -> OptimalClassifier:
    """The tree that sorted columns give, however few thresholds there are."""
    monkeypatch.setattr(threshold_search, "MANY", 0)
    return OptimalClassifier(**parameters).fit(case.X, case.y, sample_weight=case.weight)


def by_questions(monkeypatch, case: Case, **parameters) -> OptimalClassifier:
    """The tree that questions written out give."""
    monkeypatch.setattr(threshold_search, "MANY", NO_MATCH)
    model = OptimalClassifier(**parameters).fit(case.X, case.y, sample_weight=case.weight)
    assert isinstance(model.search_, OptimalSearch)
    return model


def noisy(n=150, m=4, n_classes=2, seed=0):
    """Numbers that all differ, and classes that follow two of them half of the time."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m))
    y = ((X[:, 0] > 0).astype(int) + (X[:, 1] > X[:, 0])) % n_classes
    return X, np.where(rng.random(n) < 0.5, rng.integers(0, n_classes, n), y)


@seeds(16, 40)
@pytest.mark.parametrize("fewest", [True, False])
def test_sorted_columns_and_questions_written_out_prove_the_same(fewest, seeds, monkeypatch):
    monkeypatch.setattr(threshold_search, "LARGE", 12)  # from so many rows on, some tell where to begin
    monkeypatch.setattr(threshold_search, "SOME", 2)
    n_by_columns = 0
    for seed in seeds:
        case, parameters = table(seed)
        parameters |= {"max_depth": 2 + seed % 3, "fewest_splits": fewest}
        sorted_, written = (way(monkeypatch, case, **parameters) for way in (by_sorted_columns, by_questions))
        ours, theirs = sorted_.proof_, written.proof_
        assert (ours.proved, ours.n_questions, ours.n_distinct) == (True, theirs.n_questions, theirs.n_distinct)
        assert (ours.objective, ours.lower_bound) == pytest.approx((theirs.objective, theirs.lower_bound))
        assert not fewest or n_splits(sorted_) == n_splits(written)
        n_by_columns += isinstance(sorted_.search_, ThresholdSearch)
    assert n_by_columns > 0.75 * len(seeds)


def test_a_tree_is_read_as_good_as_it_was_found_where_the_table_has_lost_bounds_of_its_parts(monkeypatch):
    case, parameters = table(501, 24)
    parameters |= {"max_depth": 4, "max_splits": 6}
    for way in (by_questions, by_sorted_columns):
        model = way(monkeypatch, case, **parameters)
        assert (model.proof_.objective, n_splits(model)) == (2.0, 6)
        assert (model.predict(case.X) != case.y).sum() == 2


@pytest.mark.parametrize(("load", "depth", "errors"), [
    (load_iris, 2, 6), (load_iris, 3, 1), (load_iris, 4, 0), (load_wine, 2, 6), (load_wine, 3, 0),
    (load_breast_cancer, 2, 22),
])  # fmt: skip
def test_errors_are_those_that_contree_finds(load, depth, errors):
    """Briţa et al. 2025; pycontree 1.0.8 finds the same."""
    X, y = load(return_X_y=True)
    model = OptimalClassifier(max_depth=depth, max_thresholds=None).fit(X, y)
    assert isinstance(model.search_, ThresholdSearch)
    assert model.proof_.proved
    assert model.proof_.objective == (model.predict(X) != y).sum() == errors


def test_sums_beyond_16_bits_are_counted_in_32():
    X, y = noisy()
    light, heavy = (
        OptimalClassifier(max_depth=3, max_thresholds=None).fit(X, y, sample_weight=np.resize(weight, len(y)))
        for weight in ([1.0], [1000.0, 1001.0])
    )
    assert heavy.proof_.proved
    assert heavy.proof_.objective == pytest.approx(1000.5 * light.proof_.objective, rel=0.01)


def test_a_threshold_lies_in_the_middle_of_those_that_part_a_node_alike():
    X = np.array([[x, x % 4 == 0] for x in range(64)], dtype=float)
    y = X[:, 0] > np.where(X[:, 1], 20, 41)
    tree = OptimalClassifier(max_depth=2, max_thresholds=None).fit(X, y).tree_
    assert sorted(tree.threshold[tree.feature == 0].tolist()) == [21.5, 41.5]  # not 20.5, 22.5 or 23.5


def test_a_search_that_ends_early_goes_on_to_the_same_optimum():
    X, y = noisy(400, 6)
    whole = OptimalClassifier(max_depth=3, max_thresholds=None).fit(X, y)
    model = OptimalClassifier(max_depth=3, max_thresholds=None)
    model.fit(X, y, progress=Progress(is_stopped=True))
    assert (model.proof_.proved, model.tree_.n_leaves) == (False, 1)
    assert model.proof_.objective == min(np.bincount(y))
    assert model.proof_.lower_bound <= whole.proof_.objective <= model.proof_.objective
    search: Any = model.search_
    model = pickle.loads(pickle.dumps(model))
    search._stack.state[WRITTEN] = 1  # there is a tree
    for n_open, settled in ((6 * 399, 0), (3 * 399, 0.5), (0, 1)):  # of all cuts that may begin a better one
        search._stack.levels.work[0, OPEN] = n_open
        assert search.aim[1] == settled
    for _ in range(3):
        model.go_on(time_limit=0.03)
        assert model.proof_.lower_bound <= whole.proof_.objective <= model.proof_.objective
    assert model.go_on().proof_.objective == whole.proof_.objective
    assert n_splits(model) == n_splits(whole)


def test_while_it_searches_bounds_only_rise_and_better_trees_come():
    X, y = noisy(500, 8, 3)
    model = OptimalClassifier(max_depth=3, max_thresholds=None).fit(X, y)
    search = model.search_
    assert isinstance(search, ThresholdSearch)
    steps = np.array([(bound, -objective) for _, objective, bound in search.trace])
    assert (np.diff(steps, axis=0) >= 0).all()
    costs = [search.tree_of(questions)[1] for questions in search.finds]
    assert costs == sorted({objective for _, objective, _ in search.trace}, reverse=True)
    assert search.aim == (model.proof_.objective, 1.0)


@pytest.mark.parametrize("fewest", [True, False])
def test_limits_of_splits_and_leaves_are_kept_and_cost_no_more_than_by_questions(fewest, monkeypatch):
    for seed in range(12):
        case, parameters = table(seed, 20)
        rng = np.random.default_rng(seed)
        most, share = int(rng.integers(0, 9)), float(rng.choice([0, 0.02, 0.1, 0.2, 0.4]))
        parameters |= {"max_depth": 1 + seed % 4, "max_splits": most, "min_weight_fraction_leaf": share}
        parameters |= {"fewest_splits": fewest, "categories": "one-vs-rest"}
        sorted_, written = (way(monkeypatch, case, **parameters) for way in (by_sorted_columns, by_questions))
        assert sorted_.proof_.proved
        assert sorted_.proof_.objective == pytest.approx(written.proof_.objective)
        assert objective_of(sorted_.predict(case.X), case) == pytest.approx(sorted_.proof_.objective)
        assert not fewest or n_splits(sorted_) == n_splits(written)
        tree = sorted_.tree_
        assert n_splits(sorted_) <= most
        assert tree.weight[tree.feature == LEAF].min() >= (share - 1e-3) * case.weight.sum()


def every_part(X, categorical):
    """(n_samples, n): the answers to every threshold, every set of categories, and wherever missing values go."""
    found = []
    for column, is_set in zip(X.T, categorical, strict=True):
        known = np.unique(column[~np.isnan(column)])
        sizes = range(1, len(known)) if is_set else ()
        sets = [np.isin(column, some) for k in sizes for some in combinations(known, k)]
        yes = sets if is_set else [column <= at for at in known[:-1]]
        found += [side for part in yes for side in (part, part | np.isnan(column))] + [np.isnan(column)]
    return np.array(found).T


@seeds(3, 12)
@pytest.mark.parametrize("max_depth", [1, 2])
@pytest.mark.parametrize("way", ["sorted", "written"])
def test_of_two_classes_no_tree_over_any_sets_of_categories_is_better(max_depth, way, seeds, monkeypatch):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 16))
        X = np.c_[rng.integers(0, 6, n), rng.integers(0, 4, (n, 2))].astype(float)
        X[rng.random((n, 3)) < rng.choice([0, 0.1])] = np.nan
        y, weight = np.append([0, 1], rng.integers(0, 2, n - 2)), rng.integers(1, 3, n).astype(float)
        case, categorical = Case(X, y, weight, 1 - np.eye(2)), np.array([True, True, False])
        grow = by_sorted_columns if way == "sorted" else by_questions
        terms = {"max_depth": max_depth, "categorical_features": categorical, "max_thresholds": None}
        model = grow(monkeypatch, case, **terms)
        assert (model.proof_.proved, model.proof_.every_set) == (True, True)
        assert model.proof_.objective == least(problem(every_part(X, categorical), case, max_depth)).objective
        assert objective_of(model.predict(X), case) == model.proof_.objective
        single = grow(monkeypatch, case, categories="one-vs-rest", **terms)
        assert single.proof_.every_set is False
        assert single.proof_.objective >= model.proof_.objective


@pytest.mark.parametrize(("n_codes", "n_classes", "parameters", "scope"), [
    (4, 2, {}, (True, True)), (6, 2, {"max_depth": 2}, (True, True)), (7, 2, {}, (True, False)),
    (7, 2, {"max_depth": 1}, (True, True)), (3, 2, {}, (True, None)), (4, 3, {}, (True, False)),
    (4, 2, {"categories": "one-vs-rest"}, (True, False)), (4, 2, {"max_thresholds": 20}, (False, False)),
])  # fmt: skip
def test_a_proof_says_whether_it_holds_over_every_set_of_categories(n_codes, n_classes, parameters, scope):
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(0, n_codes, 60), rng.normal(size=60)]
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, 60 - n_classes))
    model = OptimalClassifier(categorical_features=[True, False], **parameters)
    proof = model.fit(X, y, progress=Progress(is_stopped=True)).proof_
    assert (proof.every_threshold, proof.every_set) == scope


def test_a_table_of_too_many_questions_to_write_out_is_searched():
    X, y = noisy(9000, 3)
    model = OptimalClassifier(max_depth=2, max_thresholds=None).fit(X, y)
    assert model.proof_.proved
    assert model.proof_.n_questions > 20_000
    trees = list(model.optimal_trees(limit=2))
    assert {near.objective for near in trees} == {model.proof_.objective}


@pytest.mark.parametrize(("n", "m", "parameters", "is_every"), [
    (100, 2, {}, True), (100, 40, {}, True), (400, 40, {}, False), (400, 40, {"max_depth": 2}, True),
    (1200, 2, {"max_depth": 4}, True), (1300, 2, {"max_depth": 4}, False), (100, 2, {"max_depth": 5}, False),
    (100, 2, {"max_depth": 5, "max_splits": 3}, True), (100, 2, {"max_depth": 2, "max_splits": 0}, True),
    (100, 4, {"min_weight_fraction_leaf": 0.1}, True), (400, 12, {"min_weight_fraction_leaf": 0.1}, False),
    (400, 12, {"min_weight_fraction_leaf": 0.1, "max_depth": 2}, True), (100, 2, {"monotonic_cst": [1, 0]}, False),
    (100, 2, {"monotonic_cst": [1, 0], "max_depth": 2}, True), (400, 40, {"max_thresholds": None}, True),
    (100, 2, {"max_thresholds": 20}, False), (100, 2, {"max_thresholds": None, "binarisation": "forest"}, False),
])  # fmt: skip
def test_a_small_table_is_asked_about_every_threshold(n, m, parameters, is_every):
    X, y = noisy(n, m)
    model = OptimalClassifier(**parameters).fit(X, y, progress=Progress(is_stopped=True))
    assert model.proof_.every_threshold == is_every
    most = n - 1 if is_every else parameters.get("max_thresholds", 10)
    assert most is None or model.proof_.n_questions == m * most


def test_trees_of_a_forest_ask_about_ten_thresholds_a_column():
    X, y = noisy(100, 2)
    forest = RootForestClassifier(OptimalClassifier(max_depth=1)).fit(X, y)  # a tree for each question
    assert len(forest.forest_.trees) == 20


def test_columns_of_ranks_hold_every_question():
    for seed in range(12):
        case, parameters = table(seed)
        questions = quantile_questions(case.X, None, parameters["categorical_features"], None)
        columns, given = ranked_columns(questions, case.X), answers(questions, case.X)
        for rank, asked in zip(columns.rank.T, columns.question, strict=True):
            assert (given[:, asked] == (rank[:, None] <= np.arange(len(asked)))).all()
        held = [given[:, asked] for asked in columns.question]
        together = np.concatenate([np.empty((len(given), 0), bool), *held], axis=1)
        assert distinct(together).shape == distinct(given).shape == (len(given), columns.n_distinct)


def test_a_column_in_other_units_or_backwards_is_no_other_column():
    X = np.random.default_rng(0).normal(size=(50, 1)) * [2, 3, -1]
    assert ranked_columns(quantile_questions(X, None, np.zeros(3, bool), None), X).rank.shape == (50, 1)


@seeds(60, 200)
def test_columns_that_are_sorted_once_are_those_of_every_question(seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n, m = rng.integers(1, 40), rng.integers(1, 6)
        X = np.asfortranarray(rng.integers(0, rng.integers(1, 20), (n, m)) * rng.choice([1.0, 0.1, 5e-324]))
        X[:, 0] = X[:, rng.integers(0, m)]  # a column twice, now and then
        questions = every_question(X, np.zeros(m, bool), {})
        quick, slow = every_threshold(X), (questions, ranked_columns(questions, X))
        assert quick is not None
        for own, fields in zip(quick, slow, strict=True):
            np.testing.assert_equal(tuple(own), tuple(fields))
    assert every_threshold(np.array([[1.0], [np.nan]])) is None


def test_less_memory_makes_the_search_smaller_and_proves_the_same():
    X, y = noisy(400)
    large, small = (OptimalClassifier(max_thresholds=None, max_memory=most) for most in (256, 1))
    for model in (large, small):
        model.fit(X, y, progress=Progress(is_stopped=True))  # since a search that is over gives its memory back
    assert small.search_.megabytes < large.search_.megabytes
    assert small.go_on().proof_.objective == large.go_on().proof_.objective
    assert small.proof_.proved
