"""The order in which a tree's splits come about: by hand, by a naive search, and by its law."""

import numpy as np
import pytest

from espalier.analysis.tree.growth import growth_order, impurity_left
from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor
from espalier.trees import is_leaf, parents, prune_to
from tests.tools.cases import case

ORDERS = ["gain", "depth", "found"]


def grown(name, **parameters):
    data = samples.load(name)
    learner = CartClassifier if data.is_classification else CartRegressor
    return learner(categorical_features=data.categorical, **parameters).fit(data.X, data.y).tree_, data


#        0
#      ╱   ╲
#     1     4
#    ╱ ╲   ╱ ╲
#   2   3 5   6
def test_three_splits_by_hand():
    """Four rows on each side of the root: the right side's classes are parted by its split, the left's are not."""
    X = [[0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 0], [1, 1], [1, 1]]
    y = [0, 0, 0, 1, 2, 2, 3, 3]
    tree = CartClassifier(max_depth=2).fit(X, y).tree_
    assert tree.left.tolist() == [1, 2, -1, -1, 5, -1, -1]
    assert growth_order(tree, "gain").tolist() == [0, 2, -1, -1, 1, -1, -1]
    assert growth_order(tree, "depth").tolist() == [0, 1, -1, -1, 2, -1, -1]
    assert growth_order(tree, "found").tolist() == [0, 1, -1, -1, 2, -1, -1]


def test_every_split_has_a_place_and_a_node_is_split_after_its_parent():
    for order in ORDERS:
        for name in ["iris", "sine", "monks-1", "wine"]:
            with case((order, name)):
                tree, _ = grown(name)
                places, splits = growth_order(tree, order), np.flatnonzero(~is_leaf(tree))
                assert sorted(places[splits]) == list(range(len(splits)))
                assert (places[is_leaf(tree)] == -1).all()
                assert all(places[parents(tree)[node]] < places[node] for node in splits if node)


@pytest.mark.parametrize("name", ["iris", "sine", "wine"])
def test_the_best_split_comes_next_as_a_naive_search_finds_it(name):
    tree, _ = grown(name, max_depth=4)
    rest = tree.weight * tree.impurity

    def gain(node):
        return rest[node] - rest[tree.left[node]] - rest[tree.right[node]]

    places, front = growth_order(tree, "gain"), [0]
    for place in range(np.count_nonzero(~is_leaf(tree))):
        node = max((n for n in front if not is_leaf(tree)[n]), key=gain)
        assert gain(int(np.flatnonzero(places == place)[0])) == pytest.approx(gain(node))
        node = int(np.flatnonzero(places == place)[0])
        front = [n for n in front if n != node] + [tree.left[node], tree.right[node]]


@pytest.mark.parametrize("leaves", [2, 3, 5])
def test_the_first_splits_by_gain_are_the_tree_with_so_many_leaves(leaves):
    tree, _data = grown("iris")
    small, _ = grown("iris", max_leaf_nodes=leaves)
    chosen = np.flatnonzero((growth_order(tree, "gain") >= 0) & (growth_order(tree, "gain") < leaves - 1))
    asked = sorted(zip(tree.feature[chosen], tree.threshold[chosen], strict=True))
    splits = np.flatnonzero(~is_leaf(small))
    assert asked == sorted(zip(small.feature[splits], small.threshold[splits], strict=True))


def test_another_order_is_refused_by_name():
    with pytest.raises(ValueError, match="order='size'"):
        growth_order(grown("iris")[0], "size")


def test_the_impurity_left_is_the_mean_over_the_leaves_of_the_tree_that_has_grown_so_far():
    for order in ORDERS:
        for name in ["iris", "sine", "monks-1"]:
            with case((order, name)):
                tree, _ = grown(name)
                places = growth_order(tree, order)
                left = impurity_left(tree, places)
                assert len(left) == tree.n_leaves
                for step in range(tree.n_leaves):
                    cut = prune_to(tree, places < step)
                    leaves = is_leaf(cut)
                    assert left[step] == pytest.approx(
                        np.average(cut.impurity[leaves], weights=cut.weight[leaves]), abs=1e-9
                    )


def test_the_impurity_left_after_each_split_by_hand():
    tree = CartClassifier().fit([[0], [1], [2], [3]], [0, 1, 1, 2]).tree_
    assert impurity_left(tree, growth_order(tree)).tolist() == pytest.approx([5 / 8, 1 / 3, 0])
