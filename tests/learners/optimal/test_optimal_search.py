"""The search for optimal trees: laws that every answer keeps, and what holds when it is cut short or confined."""

import pickle
import threading
from itertools import pairwise

import numpy as np
import pytest

from espalier.learners import CartClassifier
from espalier.learners.optimal import OptimalClassifier
from espalier.progress import Progress
from espalier.tree_checks import check_tree
from tests.learners.optimal.test_optimal import n_splits
from tests.tools.naive.optimal import random_case
from tests.tools.same_trees import are_same
from tests.tools.selection import seeds


def noise(seed, n=60, m=9, n_classes=2):
    """Zeros and ones that know little of the class: what is searched the longest."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, m)).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.integers(0, n_classes, n)).astype(int) % n_classes
    return X, y


def fitted(X, y, weight=None, **parameters) -> OptimalClassifier:
    return OptimalClassifier(**parameters).fit(X, y, sample_weight=weight)


def found(model):
    assert model.proof_.proved
    return model.proof_.objective, n_splits(model)


def like(model, unit=1.0):
    """What is found where it is the same, weights being counted in units of this size."""
    objective, splits = found(model)
    return pytest.approx((objective * unit, splits), rel=1e-9, abs=0)


def errors(model, X, y):
    return int((model.predict(X) != y).sum())


def test_deeper_or_one_more_split_is_never_worse_than_before_or_than_the_greedy_tree_and_none_is_a_lone_leaf():
    some_are_better = False
    for seed in range(25):
        X, y = noise(seed, n_classes=2 + seed % 3)
        objectives = [fitted(X, y, max_depth=d).proof_.objective for d in (1, 2, 3, 4, 5)]
        assert objectives == sorted(objectives, reverse=True)
        greedy = [errors(CartClassifier(max_depth=d).fit(X, y), X, y) for d in (1, 2, 3, 4, 5)]
        assert all(best <= other for best, other in zip(objectives, greedy, strict=True))
        some_are_better |= objectives != greedy
    assert some_are_better
    for seed in range(15):
        X, y = noise(seed, m=6)
        objectives = [fitted(X, y, max_depth=3, max_splits=s).proof_.objective for s in range(9)]
        assert objectives == sorted(objectives, reverse=True)
        assert objectives[0] == np.bincount(y).min()
        assert objectives[7] == objectives[8] == fitted(X, y, max_depth=3).proof_.objective


@pytest.mark.parametrize("max_depth", [2, 3, 4])
def test_the_order_of_rows_and_columns_and_the_names_of_classes_change_nothing(max_depth):
    for seed in range(12):
        X, y = noise(seed, n_classes=2 + seed % 2)
        rng = np.random.default_rng(seed)
        rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
        model = fitted(X, y, max_depth=max_depth)
        assert found(model) == like(fitted(X[rows], y[rows], max_depth=max_depth))
        assert found(model) == like(fitted(X[:, columns], y, max_depth=max_depth))
        assert found(model) == like(fitted(1 - X, -y, max_depth=max_depth))


def test_whole_weights_are_repeated_samples_those_of_zero_absent_and_any_unit_counts():
    for seed in range(20):
        X, y = noise(seed, n=40, n_classes=2 + seed % 2)
        times = np.random.default_rng(seed).integers(0, 4, len(y))
        weighted = fitted(X, y, times, max_depth=3)
        assert found(weighted) == like(fitted(X.repeat(times, 0), y.repeat(times), max_depth=3))
    for seed in range(12):
        X, y = noise(seed, n=40)
        weight = np.random.default_rng(seed).integers(1, 6, len(y))
        model = fitted(X, y, weight, max_depth=3)
        for unit in (0.1, 1 / 3, 1e-9, 1e9):
            assert found(fitted(X, y, weight * unit, max_depth=3)) == like(model, unit)
    for seed in range(12):
        X, y = noise(seed)
        kept = np.random.default_rng(seed).random(len(y)) < 0.6
        one, other = fitted(X, y, kept.astype(float), max_depth=3), fitted(X[kept], y[kept], max_depth=3)
        assert found(one) == like(other)
        assert one.proof_.n_distinct == other.proof_.n_distinct


def test_a_cost_of_a_class_is_a_weight_of_its_samples():
    for seed in range(15):
        X, y = noise(seed, n_classes=3)
        price = np.random.default_rng(seed).integers(1, 6, 3).astype(float)
        cost = price[:, None] * (1 - np.eye(3))
        by_cost = fitted(X, y, max_depth=3, misclassification_cost=cost)
        assert found(by_cost) == like(fitted(X, y, price[y], max_depth=3))
        assert found(by_cost) == like(fitted(X, y, max_depth=3, class_weight=dict(enumerate(price))))


@pytest.fixture(scope="module")
def hard():
    """Data that take a while at depth 4, and the optimum of an uninterrupted search."""
    X, y = noise(7, n=500, m=24)
    return X, y, fitted(X, y, max_depth=4)


def assert_consistent(model, hard):
    """A tree that makes the errors it says, and a bound on the right side of the optimum."""
    X, y, best = hard
    proof = model.proof_
    check_tree(model.tree_)
    assert model.tree_.depth <= 4
    assert proof.objective == errors(model, X, y)
    assert 0 <= proof.lower_bound <= best.proof_.objective <= proof.objective
    assert proof.gap == proof.objective - proof.lower_bound
    assert 0 <= proof.cache_used <= 1
    if proof.proved:
        assert (proof.objective, proof.lower_bound) == (best.proof_.objective,) * 2
        assert n_splits(model) == n_splits(best)


def test_an_uninterrupted_search_says_what_it_did_and_its_trace_closes_in_on_the_proof(hard):
    _, _, best = hard
    assert best.proof_.proved
    assert best.proof_.seconds > 0
    assert best.proof_.subproblems > 0
    assert 0 < best.proof_.cache_used <= 1
    assert_consistent(best, hard)
    assert best.search_.aim == (best.proof_.objective, 1.0)
    trace = np.array(best.search_.trace)
    assert trace.shape[1] == 3
    assert (np.diff(trace * [1, -1, 1], axis=0) >= 0).all()
    assert (trace[:, 2] <= trace[:, 1]).all()
    assert trace[-1, 1:].tolist() == [best.proof_.objective, best.proof_.lower_bound]
    assert best.search_.proof() == best.proof_
    assert are_same(best.search_.tree(), best.tree_)


def test_a_search_cancelled_before_it_began_still_has_a_tree_and_a_bound(hard):
    X, y, best = hard
    model = OptimalClassifier(max_depth=4).fit(X, y, progress=Progress(is_stopped=True))
    assert not model.proof_.proved
    assert_consistent(model, hard)
    search = pickle.loads(pickle.dumps(model.search_))
    search.is_running, search._threads[0].level.low[:] = True, 7
    assert search.bounds[0] == 7 + 7 + search.problem.tie  # of both sides of every first question, while it runs
    model.go_on()
    assert found(model) == like(best)
    assert_consistent(model, hard)


@pytest.mark.parametrize(("seconds", "n_jobs"), [(0, 1), (1e-9, 1), (0.001, 1), (0.01, 1), (0.1, 1), (0.005, 2)])
def test_a_limit_of_time_leaves_a_tree_and_a_bound(hard, seconds, n_jobs):
    X, y, best = hard
    model = fitted(X, y, max_depth=4, n_jobs=n_jobs, time_limit=seconds)
    assert_consistent(model, hard)
    assert found(model.go_on()) == like(best)
    assert_consistent(model, hard)


@pytest.mark.parametrize("seconds", [0.0, 0.002, 0.01, 0.05, 0.2])
def test_a_search_may_be_cancelled_at_any_time(hard, seconds):
    X, y, best = hard
    progress = Progress()
    timer = threading.Timer(seconds, progress.stop)
    timer.start()
    model = OptimalClassifier(max_depth=4).fit(X, y, progress=progress)
    timer.join()
    assert_consistent(model, hard)
    assert found(model.go_on(progress=Progress())) == like(best)
    assert_consistent(model, hard)


def test_going_on_step_by_step_closes_the_gap_from_both_sides(hard):
    X, y, best = hard
    model = fitted(X, y, max_depth=4, time_limit=1e-9)
    proofs = [model.proof_]
    for step in range(40):
        if model.proof_.proved:
            break
        assert model.go_on(time_limit=0.002 * 1.3**step) is model
        assert_consistent(model, hard)
        proofs.append(model.proof_)
    assert found(model) == like(best)
    for before, after in pairwise(proofs):
        assert before.objective >= after.objective
        assert before.lower_bound <= after.lower_bound
        assert before.subproblems <= after.subproblems
        assert before.seconds <= after.seconds


def test_going_on_after_the_proof_changes_nothing(hard):
    X, y, _ = hard
    model = fitted(X, y, max_depth=2)
    tree, proof = model.tree_, model.proof_
    model.go_on()
    assert are_same(tree, model.tree_)
    assert model.proof_[:5] == proof[:5]


@pytest.mark.parametrize("parameters", [{"max_splits": 5}, {"misclassification_cost": [[0, 3], [1, 0]]}])
def test_what_is_limited_or_priced_may_be_cut_short_too(parameters):
    for seed in range(6):
        X, y = noise(seed, n=120, m=12)
        best = fitted(X, y, max_depth=4, **parameters)
        model = OptimalClassifier(max_depth=4, **parameters).fit(X, y, progress=Progress(is_stopped=True))
        cost = np.array(parameters.get("misclassification_cost", [[0, 1], [1, 0]]))
        assert model.proof_.objective == cost[y, model.predict(X)].sum()
        assert model.proof_.lower_bound <= best.proof_.objective <= model.proof_.objective
        assert n_splits(model) <= parameters.get("max_splits", 15)
        assert found(model.go_on()) == like(best)


@pytest.mark.parametrize("parameters", [{}, {"max_splits": 6}])
def test_a_full_cache_costs_time_and_not_the_optimum(parameters):
    X, y = noise(11, n=300, m=14)
    roomy = fitted(X, y, max_depth=5, **parameters)
    tight = fitted(X, y, max_depth=5, max_memory=0.01, **parameters)
    assert roomy.proof_.cache_used < tight.proof_.cache_used <= 1
    assert found(tight) == like(roomy)


def test_a_small_cache_is_right_on_small_data():
    for seed in range(25):
        case = random_case(seed, weights=(1, 2, 3), n_classes=2 + seed % 2)
        roomy = fitted(case.X, case.y, case.weight, max_depth=3)
        assert found(fitted(case.X, case.y, case.weight, max_depth=3, max_memory=0.001)) == like(roomy)


@seeds(3, 10)
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_more_threads_find_the_same_objective_and_as_few_splits(hard, n_jobs, seeds):
    X, y, best = hard
    assert found(fitted(X, y, max_depth=4, n_jobs=n_jobs)) == like(best)
    for seed in seeds:
        X, y = noise(seed, n_classes=2 + seed % 2)
        weight = np.random.default_rng(seed).integers(1, 4, len(y))
        for parameters in ({}, {"max_splits": 5}):
            one, more = (fitted(X, y, weight, max_depth=4, n_jobs=n, **parameters) for n in (1, n_jobs))
            assert found(one) == like(more)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_that_are_stopped_hand_over_the_best_that_any_has_found(n_jobs):
    X, y = noise(5, n=400, m=40)
    for limit in (0.02, 0.05, 0.1, 0.2):
        model = fitted(X, y, max_depth=6, n_jobs=n_jobs, time_limit=limit)
        assert model.proof_.objective == model.search_.trace[-1][1]
        assert model.proof_.objective == np.count_nonzero(model.predict(X) != y)
