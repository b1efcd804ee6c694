"""The classes that trees as good give to a row: against a list of all."""

import numpy as np
import pytest

from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.learners.optimal.as_good.settled import answers_of, open_classes
from tests.tools.naive.optimal import random_case

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)


def as_good(seed, slack=1, **parameters):
    case = random_case(seed, max_columns=4, n_classes=2 + seed % 2)
    model = OptimalClassifier(**parameters).fit(case.X, case.y)
    return model, case, trees_as_good(model, model.prepare(case.X, case.y), slack)


def every_answer(trees):
    """(n_trees, n_samples) and the objective of each."""
    near = [trees.near(number) for number in range(trees.n_trees)]
    answers = np.array([answers_of(trees, trees.shape(number)) for number in range(trees.n_trees)])
    return answers, np.array([tree.objective for tree in near])


def test_the_answers_of_a_shape_are_those_of_its_tree():
    model, case, trees = as_good(0, max_depth=2)
    assert (model.classes_[answers_of(trees, trees.shape(0))] != case.y).sum() == trees.near(0).objective


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("max_splits", [None, 1, 2])
def test_the_least_objective_of_each_answer_is_that_of_a_list_of_all_trees(seed, max_splits):
    _, case, trees = as_good(seed, max_depth=3 if seed < 2 else 2, max_splits=max_splits)
    answers, objective = every_answer(trees)
    found = open_classes(trees)
    for row in range(len(case.y)):
        for label in range(len(trees.root.leaves)):
            expected = objective[answers[:, row] == label].min(initial=np.inf)
            assert found.objective[row, label] == pytest.approx(expected)
    assert found.discrepancy == (answers != answers[0]).sum(axis=1).max()
    assert found.ambiguity == pytest.approx((answers != answers[0]).any(axis=0).mean())


def test_rows_that_one_tree_answers_are_all_settled():
    model = OptimalClassifier(max_depth=2).fit(XOR, [0, 1, 1, 0])
    found = open_classes(trees_as_good(model, model.prepare(XOR, [0, 1, 1, 0])))
    assert (found.ambiguity, found.discrepancy) == (0, 0)
    assert np.isfinite(found.objective).tolist() == [[True, False], [False, True], [False, True], [True, False]]
