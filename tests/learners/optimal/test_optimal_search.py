"""The search for optimal trees and the list of near-optimal ones: laws, oracles, and what holds when cut short."""

import pickle
import threading
from itertools import combinations, islice, pairwise, product

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from espalier.data.binarise import answers
from espalier.kernels.route import leaf_of
from espalier.learners import CartClassifier
from espalier.learners.optimal import OptimalClassifier
from espalier.progress import Progress
from espalier.tree_checks import check_tree
from espalier.trees import LEAF
from tests.learners.optimal.test_optimal import n_splits
from tests.tools.naive import optimal as naive
from tests.tools.naive.optimal import Case, function_of, grid_of, near, problem, random_case
from tests.tools.same_trees import are_same
from tests.tools.selection import seeds


def noise(seed, n=60, m=9, n_classes=2):
    """Zeros and ones that know little of the class: what is searched the longest."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, m)).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.integers(0, n_classes, n)).astype(int) % n_classes
    return X, y


def fit(X, y, weight=None, **parameters) -> OptimalClassifier:
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
        objectives = [fit(X, y, max_depth=d).proof_.objective for d in (1, 2, 3, 4, 5)]
        assert objectives == sorted(objectives, reverse=True)
        greedy = [errors(CartClassifier(max_depth=d).fit(X, y), X, y) for d in (1, 2, 3, 4, 5)]
        assert all(best <= other for best, other in zip(objectives, greedy, strict=True))
        some_are_better |= objectives != greedy
    assert some_are_better
    for seed in range(15):
        X, y = noise(seed, m=6)
        objectives = [fit(X, y, max_depth=3, max_splits=s).proof_.objective for s in range(9)]
        assert objectives == sorted(objectives, reverse=True)
        assert objectives[0] == np.bincount(y).min()
        assert objectives[7] == objectives[8] == fit(X, y, max_depth=3).proof_.objective


@pytest.mark.parametrize("max_depth", [2, 3, 4])
def test_the_order_of_rows_and_columns_and_the_names_of_classes_change_nothing(max_depth):
    for seed in range(12):
        X, y = noise(seed, n_classes=2 + seed % 2)
        rng = np.random.default_rng(seed)
        rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
        model = fit(X, y, max_depth=max_depth)
        assert found(model) == like(fit(X[rows], y[rows], max_depth=max_depth))
        assert found(model) == like(fit(X[:, columns], y, max_depth=max_depth))
        assert found(model) == like(fit(1 - X, -y, max_depth=max_depth))


def test_whole_weights_are_repeated_samples_those_of_zero_absent_and_any_unit_counts():
    for seed in range(20):
        X, y = noise(seed, n=40, n_classes=2 + seed % 2)
        times = np.random.default_rng(seed).integers(0, 4, len(y))
        weighted = fit(X, y, times, max_depth=3)
        assert found(weighted) == like(fit(X.repeat(times, 0), y.repeat(times), max_depth=3))
    for seed in range(12):
        X, y = noise(seed, n=40)
        weight = np.random.default_rng(seed).integers(1, 6, len(y))
        model = fit(X, y, weight, max_depth=3)
        for unit in (0.1, 1 / 3, 1e-9, 1e9):
            assert found(fit(X, y, weight * unit, max_depth=3)) == like(model, unit)
    for seed in range(12):
        X, y = noise(seed)
        kept = np.random.default_rng(seed).random(len(y)) < 0.6
        one, other = fit(X, y, kept.astype(float), max_depth=3), fit(X[kept], y[kept], max_depth=3)
        assert found(one) == like(other)
        assert one.proof_.n_distinct == other.proof_.n_distinct


def test_a_cost_of_a_class_is_a_weight_of_its_samples():
    for seed in range(15):
        X, y = noise(seed, n_classes=3)
        price = np.random.default_rng(seed).integers(1, 6, 3).astype(float)
        cost = price[:, None] * (1 - np.eye(3))
        by_cost = fit(X, y, max_depth=3, misclassification_cost=cost)
        assert found(by_cost) == like(fit(X, y, price[y], max_depth=3))
        assert found(by_cost) == like(fit(X, y, max_depth=3, class_weight=dict(enumerate(price))))


@pytest.fixture(scope="module")
def hard():
    """Data that take a while at depth 4, and the optimum of an uninterrupted search."""
    X, y = noise(7, n=500, m=24)
    return X, y, fit(X, y, max_depth=4)


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
    model = fit(X, y, max_depth=4, n_jobs=n_jobs, time_limit=seconds)
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
    model = fit(X, y, max_depth=4, time_limit=1e-9)
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
    model = fit(X, y, max_depth=2)
    tree, proof = model.tree_, model.proof_
    model.go_on()
    assert are_same(tree, model.tree_)
    assert model.proof_[:5] == proof[:5]


@pytest.mark.parametrize("parameters", [{"max_splits": 5}, {"misclassification_cost": [[0, 3], [1, 0]]}])
def test_what_is_limited_or_priced_may_be_cut_short_too(parameters):
    for seed in range(6):
        X, y = noise(seed, n=120, m=12)
        best = fit(X, y, max_depth=4, **parameters)
        model = OptimalClassifier(max_depth=4, **parameters).fit(X, y, progress=Progress(is_stopped=True))
        cost = np.array(parameters.get("misclassification_cost", [[0, 1], [1, 0]]))
        assert model.proof_.objective == cost[y, model.predict(X)].sum()
        assert model.proof_.lower_bound <= best.proof_.objective <= model.proof_.objective
        assert n_splits(model) <= parameters.get("max_splits", 15)
        assert found(model.go_on()) == like(best)


@pytest.mark.parametrize("parameters", [{}, {"max_splits": 6}])
def test_a_full_cache_costs_time_and_not_the_optimum(parameters):
    X, y = noise(11, n=300, m=14)
    roomy = fit(X, y, max_depth=5, **parameters)
    tight = fit(X, y, max_depth=5, max_memory=0.01, **parameters)
    assert roomy.proof_.cache_used < tight.proof_.cache_used <= 1
    assert found(tight) == like(roomy)


def test_a_small_cache_is_right_on_small_data():
    for seed in range(25):
        case = random_case(seed, weights=(1, 2, 3), n_classes=2 + seed % 2)
        roomy = fit(case.X, case.y, case.weight, max_depth=3)
        assert found(fit(case.X, case.y, case.weight, max_depth=3, max_memory=0.001)) == like(roomy)


@seeds(3, 10)
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_more_threads_find_the_same_objective_and_as_few_splits(hard, n_jobs, seeds):
    X, y, best = hard
    assert found(fit(X, y, max_depth=4, n_jobs=n_jobs)) == like(best)
    for seed in seeds:
        X, y = noise(seed, n_classes=2 + seed % 2)
        weight = np.random.default_rng(seed).integers(1, 4, len(y))
        for parameters in ({}, {"max_splits": 5}):
            one, more = (fit(X, y, weight, max_depth=4, n_jobs=n, **parameters) for n in (1, n_jobs))
            assert found(one) == like(more)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_that_are_stopped_hand_over_the_best_that_any_has_found(n_jobs):
    X, y = noise(5, n=400, m=40)
    for limit in (0.02, 0.05, 0.1, 0.2):
        model = fit(X, y, max_depth=6, n_jobs=n_jobs, time_limit=limit)
        assert model.proof_.objective == model.search_.trace[-1][1]
        assert model.proof_.objective == np.count_nonzero(model.predict(X) != y)


ALL = 1_000_000
XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
KINDS = {
    "two classes": {}, "three classes": {"n_classes": 3}, "whole weights": {"weights": (1, 2, 3)},
    "exact fractions": {"weights": (0.25, 0.5, 0.75)}, "costs": {"costs": True},
    "costs of three classes": {"n_classes": 3, "costs": True},
}  # fmt: skip


def fitted(case, **parameters) -> OptimalClassifier:
    model = OptimalClassifier(misclassification_cost=case.cost, **parameters)
    return model.fit(case.X, case.y, sample_weight=case.weight)


def unit(X, y) -> Case:
    k = int(max(y)) + 1
    return Case(np.asarray(X, dtype=float), np.asarray(y), np.ones(len(y)), 1 - np.eye(k))


def asked(model, case):
    everywhere = answers(model.questions_, grid_of(model.questions_))
    return problem(answers(model.questions_, case.X), case, model.max_depth, model.max_splits, everywhere)


def assert_all_are_found(case, slack, **parameters):
    """The same functions as the oracle's, each once, in order, with its objective and the fewest splits."""
    model = fitted(case, **parameters)
    trees = model.optimal_trees(slack=slack, limit=ALL)
    found = list(trees)
    question = asked(model, case)
    functions = [function_of(near_tree.tree, case.X, question) for near_tree in found]
    expected = near(question, slack)
    assert len(functions) == len(set(functions))
    assert set(functions) == set(expected)
    for function, near_tree in zip(functions, found, strict=True):
        check_tree(near_tree.tree)
        assert near_tree.tree.depth <= model.max_depth
        assert near_tree.n_splits == np.count_nonzero(near_tree.tree.feature != LEAF)
        assert near_tree.n_splits == expected[function].n_splits
        assert near_tree.objective == pytest.approx(expected[function].objective)
        assert near_tree.objective == pytest.approx(
            naive.objective_of(naive.labels_of(near_tree.tree, case.X), case)
        )
    assert all(a.objective <= b.objective for a, b in pairwise(found))
    assert found[0].objective == pytest.approx(model.proof_.objective)
    assert trees.is_complete is True
    return found


@pytest.fixture(scope="module")
def many():
    """A fitted model with more than 20 trees within the slack of 2."""
    case = random_case(1, max_columns=5)
    model = fitted(case, max_depth=3)
    assert len(near(asked(model, case), 2)) > 20
    return model


def test_exclusive_or_has_one_tree_although_either_question_may_come_first():
    case = unit(XOR, [0, 1, 1, 0])
    assert len(assert_all_are_found(case, 0, max_depth=2)) == 1
    # One error: of the 16 functions of two variables, the four that differ from it in one place.
    assert len(assert_all_are_found(case, 1, max_depth=2)) == 1 + 4
    # Two errors: the six that differ in two places as well, among them both constants and both columns.
    assert len(assert_all_are_found(case, 2, max_depth=2)) == 1 + 4 + 6
    assert len(assert_all_are_found(case, 4, max_depth=2)) == 16
    assert len(assert_all_are_found(unit(XOR, [0, 1, 1, 0]), 4, max_depth=1)) == 2 + 4


def test_a_leaf_may_predict_a_class_that_no_sample_in_it_has():
    # On the left 0 is right; on the right 1 or 2 is wrong once, 0 twice. So the best make one error, and two are
    # made by the three constants, by 1 on the left with 2 on the right, and by 2 with 1.
    found = assert_all_are_found(unit([[0], [1], [1]], [0, 1, 2]), 1, max_depth=1)
    assert [t.objective for t in found] == [1, 1, 2, 2, 2, 2, 2]
    assert sorted(t.n_splits for t in found) == [0, 0, 0, 1, 1, 1, 1]


def test_trees_that_agree_on_all_samples_but_not_everywhere_are_two_and_empty_sides_make_none():
    # Nobody is at (1, 0), where "a" says yes and "b, and a" says no.
    found = assert_all_are_found(unit([[0, 0], [0, 1], [1, 1]], [0, 0, 1]), 0, max_depth=2)
    assert sorted(t.n_splits for t in found) == [1, 2]
    # Nobody is at (1, 1): "a or b" is a tree, "a differs from b" would ask b of nobody.
    assert len(assert_all_are_found(unit(XOR[:3], [0, 1, 1]), 0, max_depth=2)) == 1


@seeds(2, 15)
@pytest.mark.parametrize("slack", [0, 0.5, 1, 3])
@pytest.mark.parametrize("max_depth", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_every_function_within_the_slack_is_there_once(kind, max_depth, slack, seeds):
    for seed in seeds:
        assert_all_are_found(random_case(seed, max_columns=4, **KINDS[kind]), slack, max_depth=max_depth)


@seeds(4, 12)
@pytest.mark.parametrize("max_splits", [0, 1, 2, 3, 4, 5, 6])
def test_every_function_of_few_splits_is_there_once(max_splits, seeds):
    for seed in seeds:
        case = random_case(500 + seed, max_columns=4, n_classes=2 + seed % 2)
        assert_all_are_found(case, seed % 3, max_depth=3 if seed % 4 else 2, max_splits=max_splits)


def test_sums_that_rounding_parts_are_equal():
    # 0.1 + 0.2 is more than 0.3 in floating point; a person who allows 0.3 means both.
    for seed in range(25):
        case = random_case(seed, max_columns=4, weights=(0.1, 0.2, 0.3, 0.7))
        for slack in (0, 0.3):
            model = fitted(case, max_depth=2)
            question = asked(model, case)
            found = model.optimal_trees(slack=slack, limit=ALL)
            assert {function_of(t.tree, case.X, question) for t in found} == set(near(question, slack)), seed


def test_whichever_of_two_thresholds_is_asked_first_it_is_one_tree():
    # Three stretches of one number, of classes 0, 1 and 0: no one is above the first and at most the second but
    # in between, so both orders of the two questions are the same function; so is each of their two mistakes.
    X = np.repeat([[0.0], [1.0], [2.0]], 3, axis=0)
    y = np.repeat([0, 1, 0], 3)
    assert len(assert_all_are_found(unit(X, y), 0, max_depth=2)) == 1
    assert len(assert_all_are_found(unit(X, y), 9, max_depth=2)) == 2**3


def table_of(seed, n=16):
    """A number, a number with gaps and a category, with gaps in half of the tables; two or three classes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 3)).astype(float)
    X[rng.random(n) < 0.25, 1] = np.nan
    X[rng.random(n) < 0.2 * (seed % 2), 2] = np.nan
    return unit(X, np.append(rng.integers(0, 2 + seed % 3 // 2, n - 1), 1))


@seeds(2, 8)
@pytest.mark.parametrize("columns", [[0, 1], [1, 2], [0, 2]])
def test_numbers_categories_and_missing_values_make_each_function_once(columns, seeds):
    for seed in seeds:
        case = table_of(seed)._replace(X=table_of(seed).X[:, columns])
        categorical = [k for k, column in enumerate(columns) if column == 2]
        assert_all_are_found(case, seed % 3, max_depth=2, categorical_features=categorical)


@pytest.mark.parametrize("seed", range(4))
def test_deeper_trees_of_few_questions_make_each_function_once(seed):
    case = table_of(seed, 10)
    case = case._replace(X=case.X[:, [0, 2]] if seed % 2 else case.X[:, [1]])
    assert_all_are_found(case, 1, max_depth=3, categorical_features=[1] if seed == 3 else None)


@pytest.mark.parametrize(
    ("max_thresholds", "n_functions"), [(10, 92), pytest.param(None, 249, marks=pytest.mark.slow)]
)
def test_of_iris_no_two_trees_are_the_same_on_the_grid_of_their_thresholds(max_thresholds, n_functions):
    X, y = load_iris(return_X_y=True)
    found = OptimalClassifier(max_depth=2, max_thresholds=max_thresholds).fit(X, y).optimal_trees(1, ALL)
    trees = [near_tree.tree for near_tree in found]
    cuts = [np.unique(np.concatenate([tree.threshold[tree.feature == f] for tree in trees])) for f in range(4)]
    grid = np.asfortranarray(list(product(*(np.append(of_column, np.inf) for of_column in cuts))))
    functions = {tuple(tree.value.argmax(axis=1)[leaf_of(tree, grid)]) for tree in trees}
    assert len(functions) == len(trees) == n_functions


def test_the_trees_come_one_by_one_up_to_the_limit(many):
    trees = many.optimal_trees(slack=2)
    assert (trees.trees, trees.is_complete) == ((), None)
    first = list(islice(trees, 3))
    assert trees.is_complete is None
    assert [t.objective for t in trees.trees[:3]] == [t.objective for t in first]
    assert len(trees.trees) < 20
    full = [t.objective for t in many.optimal_trees(slack=2, limit=ALL)]
    some = many.optimal_trees(slack=2, limit=7)
    assert [t.objective for t in some] == full[:7]
    assert some.is_complete is False
    assert len(some.trees) == 7


def test_who_looks_again_sees_the_same_trees_and_more_slack_gives_more(many):
    trees = many.optimal_trees(slack=1, limit=ALL)
    once, again = list(trees), list(trees)
    assert len(once) == len(again) == len(trees.trees)
    assert all(a.tree is b.tree for a, b in zip(once, again, strict=True))
    lists = [[(t.objective, t.n_splits) for t in many.optimal_trees(slack=s, limit=ALL)] for s in (0, 1, 2)]
    for few, more in pairwise(lists):
        assert 0 < len(few) < len(more)
        assert sorted(few) == sorted(more)[: len(few)]


def test_before_a_proof_there_is_no_set_of_trees():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (300, 25)).astype(float), rng.integers(0, 2, 300)
    model = OptimalClassifier(max_depth=4).fit(X, y, progress=Progress(is_stopped=True))
    assert not model.proof_.proved
    with pytest.raises(ValueError, match="proved"):
        model.optimal_trees()
    with pytest.raises(NotFittedError):
        OptimalClassifier().optimal_trees()


@pytest.mark.parametrize(("name", "value"), [("slack", -1), ("slack", np.nan), ("limit", 0), ("limit", 1.5)])
def test_wrong_parameters_are_refused_by_name(many, name, value):
    with pytest.raises(ValueError, match=name):
        many.optimal_trees(**{name: value})


def test_looking_for_trees_is_stopped_and_says_that_these_are_not_all():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 8)).astype(float), rng.integers(0, 2, 60)
    model = OptimalClassifier(max_depth=3).fit(X, y)
    assert list(model.optimal_trees(slack=2, progress=Progress(is_stopped=True))) == []
    progress = Progress()
    found = model.optimal_trees(slack=2, progress=progress)
    first = next(iter(found))
    progress.stop()
    assert len(list(found)) < len(list(model.optimal_trees(slack=2)))
    assert found.trees[0] is first
    assert found.is_complete is False


@pytest.mark.parametrize("max_splits", [None, 4, 6])
def test_every_function_of_depth_four_is_there_once(max_splits):
    for seed in range(10):
        case = random_case(900 + seed, max_columns=3, n_classes=2 + seed % 2)
        assert_all_are_found(case, seed % 3, max_depth=4, max_splits=max_splits)


def test_questions_that_are_equal_only_where_they_are_asked_make_trees_of_their_own():
    # Beside a, b and c stand columns that are b where a says yes, and c where it says no: below a they are
    # equal to b or to c, on those rows. Of all trees, those that ask some columns only are the narrow table's.
    a, b, c = base = np.array(np.meshgrid(*[[0, 1]] * 3)).reshape(3, -1).repeat(4, axis=1) > 0
    mixed = np.random.default_rng(0).integers(0, 2, (1, base.shape[1])) > 0
    wide = np.vstack([base, np.where(a, b, c), np.where(a, ~b, c), np.where(b, a, c), mixed, mixed ^ a, a & b]).T
    y = (a ^ b ^ c) * 1
    everything = Case(wide.astype(float), y, np.ones(len(y)), 1 - np.eye(2))
    model = OptimalClassifier(max_depth=3).fit(everything.X, y)
    found = list(model.optimal_trees(limit=100_000))
    asked = [set(each.tree.feature[each.tree.feature != LEAF].tolist()) for each in found]
    for columns in combinations(range(wide.shape[1]), 4):
        narrow = everything._replace(X=everything.X[:, columns])
        question = problem(wide[:, columns], narrow, 3)
        if naive.least(question).objective == model.proof_.objective:
            assert sum(each <= set(columns) for each in asked) == len(near(question, 0))
