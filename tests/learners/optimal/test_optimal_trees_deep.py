"""All optimal and nearly optimal trees where the best ones are searched, or questions fall together on the way."""

from itertools import combinations

import numpy as np
import pytest

from espalier.learners.optimal import OptimalClassifier
from espalier.trees import LEAF
from tests.tools.naive.optimal import Case, function_of, least, near, problem, random_case


@pytest.mark.parametrize("max_splits", [None, 4, 6])
def test_every_function_of_depth_four_is_there_once(max_splits):
    for seed in range(10):
        case = random_case(900 + seed, max_columns=3, n_classes=2 + seed % 2)
        model = OptimalClassifier(max_depth=4, max_splits=max_splits).fit(case.X, case.y, case.weight)
        question = problem(case.X > 0, case, 4, max_splits)
        found = list(model.optimal_trees(slack=seed % 3, limit=10_000))
        functions = [function_of(each.tree, case.X, question) for each in found]
        expected = near(question, seed % 3)
        assert len(functions) == len(set(functions))
        assert set(functions) == set(expected)
        assert [each.n_splits for each in found] == [expected[function].n_splits for function in functions]


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
        if least(question).objective == model.proof_.objective:
            assert sum(each <= set(columns) for each in asked) == len(near(question, 0))
