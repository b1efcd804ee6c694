"""Trees as good between accuracy, size and stability."""

import numpy as np
import pytest

from espalier.analysis.stability.front import Redraws, StablePoint, front, stable_points
from espalier.analysis.stability.path_distance import mean_distance, paths_of, ranges_of
from espalier.data import samples
from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.learners.optimal.as_good.nodes import shape_of

IRIS = samples.load("iris")


@pytest.fixture(scope="module")
def setting():
    model = OptimalClassifier(max_depth=2, max_thresholds=5).fit(IRIS.X, IRIS.y)
    training = model.prepare(IRIS.X, IRIS.y)
    return trees_as_good(model, training, slack=2), Redraws(training, ranges_of(IRIS), 2, n=5)


def test_of_few_trees_all_are_points_each_with_its_distance(setting):
    trees, redraws = setting
    points = stable_points(trees, redraws, n_drawn=10_000)
    shapes = {trees.shape(number) for number in range(trees.n_trees)}
    assert {shape_of(point.tree) for point in points} == shapes
    for point in points[:5]:
        number = next(n for n in range(trees.n_trees) if trees.shape(n) == shape_of(point.tree))
        near = trees.near(number)
        ranges = redraws.ranges
        expected = mean_distance(paths_of(near.tree, ranges), redraws.paths(near.n_splits), ranges, 2)
        assert (point.objective, point.n_splits) == (near.objective, near.n_splits)
        assert point.distance == pytest.approx(expected)
    assert (np.diff([point.distance for point in points]) >= 0).all()


def test_of_many_trees_some_of_each_size_are_drawn_and_the_best_of_each_is_among_them(setting):
    trees, redraws = setting
    points = stable_points(trees, redraws, n_drawn=3)
    best = {}
    for size in trees.sizes:
        best.setdefault(size.n_splits, size.objective)
    for n_splits, objective in best.items():
        of_size = [point.objective for point in points if point.n_splits == n_splits]
        assert min(of_size) == objective
    assert len(points) <= 5 * len(trees.sizes)


def test_trees_of_redrawn_rows_have_as_many_splits_at_most(setting):
    _, redraws = setting
    assert all(len(paths.answer) <= 3 for paths in redraws.paths(2))
    assert len(redraws.paths(0)) == 5


def test_the_front_has_what_nothing_beats_in_all_three():
    def at(objective, n_splits, distance):
        return StablePoint(0, objective, n_splits, distance)

    best, smaller, stabler = at(1, 3, 0.3), at(2, 1, 0.3), at(3, 3, 0.1)
    assert front([stabler, at(2, 3, 0.3), smaller, best, at(3, 3, 0.1)]) == [best, smaller, stabler]
