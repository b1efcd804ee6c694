"""The classes that trees as good give to rows that they were not grown on: against a list of all trees."""

import numpy as np
import pytest

from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.learners.optimal.as_good import anywhere
from espalier.learners.optimal.as_good.anywhere import least_objectives
from espalier.learners.optimal.as_good.settled import open_classes
from espalier.predict import classes
from tests.tools.naive.optimal import random_case


def as_good(seed, **parameters):
    case = random_case(seed, max_columns=4, n_classes=2 + seed % 2)
    model = OptimalClassifier(**parameters).fit(case.X, case.y)
    return case, trees_as_good(model, model.prepare(case.X, case.y), 1)


def elsewhere(case, seed):
    """Rows in whose columns values of different rows stand beside each other, and between them."""
    random = np.random.default_rng(seed)
    mixed = np.column_stack([random.choice(column, 40) for column in case.X.T])
    return mixed + random.choice([0.0, 0.5, -3.0], mixed.shape)


@pytest.mark.parametrize(
    ("seed", "max_splits"), [*((seed, None) for seed in range(6)), (0, 2), (1, 4), (2, 1), (3, 2)]
)
def test_the_least_objective_of_each_class_at_any_row_is_that_of_a_list_of_all_trees(seed, max_splits):
    case, trees = as_good(seed, max_depth=3 if seed == 1 else 2, max_splits=max_splits)
    X = elsewhere(case, seed)
    near = [trees.near(number) for number in range(trees.n_trees)]
    answers = np.array([classes(one.tree, X) for one in near])
    objective = np.array([one.objective for one in near])
    found = least_objectives(trees, X)
    for row in range(len(X)):
        for label in range(found.shape[1]):
            expected = objective[answers[:, row] == label].min(initial=np.inf)
            assert found[row, label] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_at_the_training_rows_it_is_that_of_the_open_classes_however_many_are_asked_at_a_time(seed, monkeypatch):
    case, trees = as_good(seed, max_depth=2)
    whole = least_objectives(trees, case.X)
    assert np.array_equal(whole, open_classes(trees).objective)
    monkeypatch.setattr(anywhere, "VALUES", 1)
    many = np.tile(case.X, (20, 1)) + np.arange(20).repeat(len(case.X))[:, None] * 1e-12
    assert np.array_equal(least_objectives(trees, many)[: len(case.X)], whole)


def test_a_tree_without_splits_gives_every_row_its_class():
    X, y = np.zeros((4, 1)), [0, 0, 0, 1]
    model = OptimalClassifier(max_depth=1).fit(X, y)
    trees = trees_as_good(model, model.prepare(X, y))
    assert least_objectives(trees, np.ones((2, 1))).tolist() == [[1.0, np.inf], [1.0, np.inf]]
    assert least_objectives(trees, np.ones((0, 1))).shape == (0, 2)


def test_the_best_subtree_is_not_taken_where_it_has_too_many_splits_beside_the_other_side():
    """Of two splits below the root one is allowed, so the class that needs it excludes the other side's."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    y = np.array([0, 1, 1, 0])
    two = OptimalClassifier(max_depth=2, max_splits=2).fit(X, y)
    trees = trees_as_good(two, two.prepare(X, y), slack=0)
    assert two.proof_.objective == 1
    assert least_objectives(trees, X).tolist() == [[1, 1]] * 4
