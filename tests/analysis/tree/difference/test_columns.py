"""A tree from elsewhere is laid on a table by the names of its columns, categories and classes."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from espalier.analysis.tree.difference.columns import TreeColumns, matched
from espalier.data import Feature, samples
from espalier.language import speaking
from espalier.learners import CartClassifier
from espalier.predict import classes, leaves
from espalier.trees import make_tree
from tests.tools import random_trees

IRIS = samples.load("iris")
NAN = np.nan


def colours(names, left, missing_left=False):
    """A tree that sends these categories of a colour left; and its features and target."""
    mask = sum(1 << names.index(name) for name in left)
    tree = make_tree(
        [0, -1, -1], [NAN] * 3, [1, -1, -1], [2, -1, -1], [mask, 0, 0], [missing_left, False, False],
        [4, 2, 2], [4, 2, 2], [[0.5, 0.5], [1, 0], [0, 1]], [0.5, 0, 0],
    )  # fmt: skip
    return tree, TreeColumns([Feature("colour", "category", names)], Feature("y", "category", ("no", "yes")))


@settings(deadline=None, max_examples=50, phases=[Phase.generate])
@given(st.data())
def test_rows_go_the_same_way_whatever_the_order_of_columns_and_categories(data):
    features = tuple(one._replace(name=str(i)) for i, one in enumerate(data.draw(random_trees.features())))
    target = Feature("y", "category", ("a", "b"))
    tree = data.draw(random_trees.trees(features, target))
    X = data.draw(random_trees.samples(features, tree))
    order = data.draw(st.permutations(range(len(features))))
    turned, there = [], []
    for f in order:
        names = features[f].categories[::-1]
        turned.append(features[f]._replace(categories=names, kind="category" if names else "number"))
        there.append(len(names) - 1 - X[:, f] if names else X[:, f])
    found = matched(
        tree,
        TreeColumns(features, target),
        TreeColumns(turned, target._replace(categories=("b", "a"))),
    )
    other = np.asfortranarray(np.stack(there, axis=1))
    assert np.array_equal(leaves(found.tree, other), leaves(tree, X))
    assert found.absent == found.strange == found.classes == ()
    ties = found.tree.value[leaves(tree, X), 0] == 0.5
    assert np.array_equal(classes(found.tree, other)[~ties], 1 - classes(tree, X)[~ties])


def test_a_column_that_the_table_does_not_have_is_missing_in_every_row():
    tree, own = colours(("green", "red"), ("red",), missing_left=True)
    found = matched(tree, own, TreeColumns([Feature("weight")], own.target))
    assert found.absent == ("colour",)
    assert [feature.name for feature in found.features] == ["weight", "colour"]
    assert leaves(found.tree, found.widened(np.array([[1.0], [2.0]]))).tolist() == [1, 1]


def test_numbers_in_place_of_categories_are_another_column():
    tree, own = colours(("green", "red"), ("red",))
    assert matched(tree, own, TreeColumns([Feature("colour")], own.target)).absent == ("colour",)


def test_categories_and_classes_that_only_one_side_knows_are_named():
    tree, own = colours(("green", "red"), ("red",))
    table = TreeColumns(
        [Feature("colour", "category", ("blue", "red"))], Feature("y", "category", ("yes", "maybe"))
    )
    found = matched(tree, own, table)
    assert found.strange == ("colour: green", "colour: blue")
    assert (found.classes, found.target.categories) == (("no",), ("yes", "maybe", "no"))
    assert leaves(found.tree, np.array([[0.0], [1.0]])).tolist() == [2, 1]  # blue is unknown, and goes right


def test_a_tree_of_another_question_is_refused():
    tree, own = colours(("green", "red"), ("red",))
    with pytest.raises(ValueError, match="predicts 'y', and the target of this table is 'z'"):
        matched(tree, own, TreeColumns(own.features, Feature("z", "category", ("no", "yes"))))
    with pytest.raises(ValueError, match="predicts a class, and 'y' is a number here"):
        matched(tree, own, TreeColumns(own.features, Feature("y")))
    with speaking("de"), pytest.raises(ValueError, match="der Baum sagt eine Klasse voraus"):
        matched(tree, own, TreeColumns(own.features, Feature("y")))


def test_surrogate_splits_are_kept_on_the_same_columns_and_refused_on_others():
    X = IRIS.X.copy()
    X[::7, 2] = NAN
    tree = CartClassifier(max_depth=2, missing="surrogate").fit(X, IRIS.y).tree_
    own = TreeColumns(IRIS.features, IRIS.target)
    same = matched(tree, own, own)
    assert np.array_equal(leaves(same.tree, X), leaves(tree, X))
    with pytest.raises(ValueError, match="surrogate splits"):
        matched(tree, own, TreeColumns(IRIS.features[::-1], IRIS.target))
