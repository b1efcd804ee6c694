"""What the trees of a set share."""

import numpy as np

from espalier.analysis.tree.feature_use import Use, features_of, uses
from espalier.data import samples
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.trees import softened


def grown(columns, depth):
    """A tree of iris that may ask about these columns only."""
    data = samples.load("iris")
    X = np.where(np.isin(np.arange(4), columns), data.X, 0.0)
    return CartClassifier(max_depth=depth).fit(X, data.y).tree_


def test_features_are_counted_once_a_tree_and_the_most_shared_come_first():
    trees = [grown([3], 3), grown([2], 2), grown([3], 1)]
    assert uses(trees) == [Use(3, 2), Use(2, 1)]


def test_features_that_as_many_trees_ask_about_stand_as_in_the_table():
    assert uses([grown([2], 1), grown([0], 1), grown([3], 1)]) == [Use(0, 1), Use(2, 1), Use(3, 1)]


def test_trees_that_ask_nothing_share_nothing():
    assert uses([]) == []
    assert uses([grown([], 3)]) == []


def test_a_cultivated_tree_asks_about_all_its_options():
    data = samples.load("iris")
    tree = CultivatedClassifier(max_depth=1, eta=1.0).fit(data.X, data.y).tree_
    assert features_of(tree) == [0, 1, 2, 3]
    assert features_of(softened(grown([1], 2))) == [1]
