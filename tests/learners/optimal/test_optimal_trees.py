"""All optimal and nearly optimal trees: by hand, and against the set of all functions of all trees."""

from itertools import combinations, islice, pairwise, product

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from espalier.data.binarise import answers
from espalier.kernels.route import leaf_of
from espalier.learners.optimal import OptimalClassifier
from espalier.progress import Progress
from espalier.tree_checks import check_tree
from espalier.trees import LEAF
from tests.tools.naive import optimal as naive
from tests.tools.naive.optimal import Case, function_of, grid_of, near, problem, random_case
from tests.tools.selection import seeds

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
