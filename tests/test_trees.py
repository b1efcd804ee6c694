"""The Tree record: its laws, and what becomes of it."""

import pickle

import numpy as np
import pytest

from espalier import predict
from espalier.data import samples
from espalier.kernels.cultivated.fractions import fractions_of, reach
from espalier.kernels.route import leaf_of, path_of
from espalier.learners import (
    BaggedForestClassifier,
    CartClassifier,
    CultivatedClassifier,
    CultivatedForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.tree_checks import check_tree
from espalier.trees import (
    depths,
    is_leaf,
    make_forest,
    make_tree,
    parents,
    path_to,
    prune_to,
    read_only,
    softened,
    subtree_end,
)
from tests.tools.by_hand import admission, colours
from tests.tools.cases import case
from tests.tools.same_trees import are_same


def test_the_tree_of_the_slides_sends_applicants_where_its_words_say_and_categories_in_the_mask_go_left():
    applicants = np.array([[2.9, 100], [3.0, 100], [3.1, 64], [3.1, 65]])
    assert leaf_of(admission(), applicants).tolist() == [1, 1, 3, 4]
    assert leaf_of(colours(), np.array([[0.0], [1.0], [2.0], [3.0]])).tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("value", [np.nan, -1.0, 64.0, 1e9])
def test_what_is_no_category_goes_where_missing_goes(value):
    assert leaf_of(colours(), np.array([[value]])).tolist() == [1]


def test_a_path_leads_from_the_root_to_the_leaf_depths_and_parents_follow_the_children_a_subtree_is_a_slice():
    assert path_of(admission(), np.array([3.1, 70])) == [0, 2, 4]
    assert path_to(admission(), 4) == [0, 2, 4]
    assert depths(admission()).tolist() == [0, 1, 1, 2, 2]
    assert parents(admission()).tolist() == [-1, 0, 0, 2, 2]
    assert (admission().depth, admission().n_leaves, admission().n_nodes) == (2, 3, 5)
    assert [subtree_end(admission(), node) for node in range(5)] == [5, 2, 5, 4, 5]


def test_pruning_a_split_makes_it_a_leaf_and_keeps_preorder_and_pruning_nothing_changes_nothing():
    pruned = prune_to(admission(), np.array([True, False, False, False, False]))
    check_tree(pruned)
    assert pruned.feature.tolist() == [0, -1, -1]
    assert pruned.value[2].tolist() == admission().value[2].tolist()
    again = prune_to(admission(), np.ones(5, dtype=bool))
    assert are_same(again, admission())


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("left", [2, -1, 3, -1, -1], "children of node 0"),
        ("right", [2, -1, 9, -1, -1], "children of node 2"),
        ("right", [4, -1, 4, -1, -1], "node 2"),
        ("threshold", [3.0, 1.0, 64.5, np.nan, np.nan], "leaf 1"),
        ("threshold", [np.nan, np.nan, 64.5, np.nan, np.nan], "node 0 needs"),
        ("weight", [1.0], "weight has 1 entries"),
    ],
)
def test_arrays_that_make_no_tree_are_refused_with_the_place(field, value, says):
    broken = admission()._replace(**{field: np.array(value)})
    with pytest.raises(ValueError, match=says):
        check_tree(broken)


def with_surrogates():
    """The tree of admissions. For the grade stands in the score, turned around, and then a third column."""
    nodes = admission()[:-1]
    seen = [0, 0b11]
    pool = ([0, 2, 2, 2, 2, 2], [0] * 5, [1, 2], [70.0, np.nan], [0, 0b10], seen, [True, False], [0.8, 0.7])
    return make_tree(*nodes, pool)


def test_the_first_surrogate_that_is_known_decides():
    for grade, score, third, leaf in [
        (2.9, 80, 0, 1),  # its own split decides where it can
        (np.nan, 80, 0, 1),  # above 70, turned around: left
        (np.nan, 70, 1, 4),  # at most 70: right, where the score alone is asked
        (np.nan, np.nan, 1, 1),  # the second surrogate: category 1 passes
        (np.nan, np.nan, 0, 3),  # and 0 does not; below, the missing score goes where the node says
        (np.nan, np.nan, np.nan, 3),  # nothing known: where the node says, right
        (np.nan, np.nan, 64, 3),  # a code that is no category is not known
        (np.nan, np.nan, 2, 3),  # nor is a category that the surrogate never saw
    ]:
        with case((grade, score, third, leaf)):
            tree = with_surrogates()
            sides = np.array([False, False, True, False, False])
            tree = tree._replace(missing_left=read_only(sides))
            x = np.array([grade, score, third])
            assert leaf_of(tree, x[np.newaxis]).tolist() == [leaf]
            assert path_of(tree, x)[-1] == leaf
            assert path_to(tree, leaf) == path_of(tree, x)


@pytest.mark.parametrize(("colour", "leaf"), [(0, 1), (1, 2), (2, 1), (3, 2), (np.nan, 1)])
def test_the_surrogates_decide_about_a_category_that_the_node_never_saw(colour, leaf):
    """Of four colours the node saw two, red (left) and green. Of size, the surrogate, at most 5 goes left."""
    pool = ([0, 1, 1, 1], [0b0011, 0, 0], [1], [5.0], [0], [0], [False], [0.9])
    tree = make_tree(*colours()[:-1], pool)
    size = 4.0 if leaf == 1 else 6.0
    other = 4.0 if leaf == 2 else 6.0
    is_seen = colour in (0, 1)
    assert leaf_of(tree, np.array([[colour, other if is_seen else size]])).tolist() == [leaf]


def test_surrogates_stay_with_their_nodes():
    tree = with_surrogates()
    assert tree.has_surrogates
    assert not admission().has_surrogates
    kept = prune_to(tree, np.array([True, False, False, False, False]))
    check_tree(kept)
    assert kept.surrogates.start.tolist() == [0, 2, 2, 2]
    assert kept.surrogates.threshold[0] == 70.0
    assert not prune_to(tree, np.zeros(5, dtype=bool)).has_surrogates
    again = pickle.loads(pickle.dumps(tree))
    assert again.surrogates.reversed.tolist() == [True, False]
    with pytest.raises(ValueError, match="read-only"):
        again.surrogates.feature[0] = 3


@pytest.mark.parametrize(
    ("start", "says"),
    [([0, 2], "where each node's begin"), ([0, 1, 1, 1, 1, 1], "every array"), ([0, 0, 2, 2, 2, 2], "leaf 1")],
)
def test_surrogates_that_fit_no_tree_are_refused(start, says):
    tree = with_surrogates()
    broken = tree._replace(surrogates=tree.surrogates._replace(start=np.array(start)))
    with pytest.raises(ValueError, match=says):
        check_tree(broken)


@pytest.fixture(scope="module")
def grown():
    data = samples.load("wine")
    cart = CartClassifier(max_depth=4).fit(data.X, data.y).tree_
    return data, cart, CultivatedClassifier(max_depth=5).fit(data.X, data.y).tree_


def test_fractions_in_a_node_are_those_that_reach_it(grown):
    data, cart, tree = grown
    start, rows, fraction = reach(tree, data.X)
    for node in range(tree.n_nodes):
        expected = np.zeros(len(data.y))
        expected[rows[start[node] : start[node + 1]]] = fraction[start[node] : start[node + 1]]
        np.testing.assert_array_equal(predict.fractions_in(tree, data.X, node), expected)
    for node in range(cart.n_nodes):
        same = predict.fractions_in(softened(cart), data.X, node)
        np.testing.assert_array_equal(predict.fractions_in(cart, data.X, node), same)


def test_fractions_do_not_depend_on_how_many_rows_are_held_together(grown, monkeypatch):
    data, _, tree = grown
    whole_table = predict.fractions_in(tree, data.X, 2)
    monkeypatch.setattr(predict, "CHUNK", 7)
    np.testing.assert_array_equal(predict.fractions_in(tree, data.X, 2), whole_table)


def test_a_softened_tree_predicts_the_same_without_any_spread(grown):
    data, cart, tree = grown
    soft = softened(cart)
    np.testing.assert_allclose(predict.shares(soft, data.X), predict.shares(cart, data.X), atol=1e-12)
    assert (predict.classes(soft, data.X) == predict.classes(cart, data.X)).all()
    assert not predict.spreads(cart, data.X).any()
    np.testing.assert_allclose(predict.spreads(soft, data.X), 0, atol=1e-9)
    assert predict.spreads(tree, data.X).max() > 0.1
    sides = np.column_stack([cart.left, cart.right])[cart.left > 0]  # a split has the mean impurity of both sides
    means = np.average(cart.impurity[sides], axis=1, weights=cart.weight[sides])
    assert soft.decisions.impurity == pytest.approx(means)


def test_the_leaf_of_a_softened_tree_is_that_of_the_tree_and_of_a_cultivated_one_that_of_the_largest_fraction(
    grown,
):
    data, cart, _ = grown
    leaf, said = predict.leaves_and_shares(cart, data.X)
    np.testing.assert_array_equal(predict.leaves(softened(cart), data.X), leaf)
    np.testing.assert_array_equal(predict.leaves(cart, data.X), leaf)
    np.testing.assert_array_equal(said, cart.value[leaf])
    data, _, tree = grown
    expected = [np.where(is_leaf(tree), fractions_of(tree, x), 0.0).argmax() for x in data.X]
    leaf, said = predict.leaves_and_shares(tree, data.X)
    assert leaf.tolist() == predict.leaves(tree, data.X).tolist() == expected
    np.testing.assert_allclose(said, predict.shares(tree, data.X), atol=1e-12)


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(n_estimators=9, random_state=0),
        BaggedForestClassifier(CultivatedClassifier(max_depth=2), 4, random_state=0),
    ],
)
def test_a_forest_of_classes_predicts_as_its_estimator_and_as_the_votes_of_its_trees(grown, estimator):
    data, *_ = grown
    forest = estimator.fit(data.X, data.y).forest_
    np.testing.assert_allclose(predict.shares(forest, data.X), estimator.predict_proba(data.X), atol=1e-12)
    np.testing.assert_array_equal(predict.classes(forest, data.X), estimator.predict(data.X))
    np.testing.assert_array_equal(predict.predictions(forest, data.X), estimator.predict(data.X))
    together = np.einsum("t,tik->ik", forest.weight, predict.votes(forest, data.X))
    np.testing.assert_allclose(together, predict.shares(forest, data.X), atol=1e-12)
    each = predict.shares_by_tree(forest, data.X).argmax(axis=2)
    for tree, chosen in zip(forest.trees, each, strict=True):
        np.testing.assert_array_equal(predict.classes(tree, data.X), chosen)


@pytest.mark.parametrize("kind", [RandomForestRegressor, CultivatedForestRegressor])
def test_a_forest_of_numbers_predicts_as_its_estimator(kind):
    data = samples.load("sine")
    estimator = kind(n_estimators=3, random_state=0).fit(data.X, data.y)
    np.testing.assert_allclose(predict.predictions(estimator.forest_, data.X), estimator.predict(data.X))
    assert (predict.packed(estimator.forest_) is None) == (kind is CultivatedForestRegressor)


def test_a_tie_in_a_forest_goes_to_the_class_that_is_most_frequent_in_training():
    tree = admission()
    tied = tree._replace(value=np.full_like(tree.value, 0.5))
    row = np.zeros((1, 2))
    assert predict.classes(tied, row).tolist() == [0]
    assert predict.classes(make_forest((tied,), [1.0], "mean", [0.3, 0.7]), row).tolist() == [1]


# The samples in the cells of a grid

HELD = np.array([7.0, 8.0, 9.0])


@pytest.mark.parametrize(
    ("axes", "at", "expected"),
    [
        ([1], [[1, 2]], [[7, 1, 9], [7, 2, 9]]),
        ([2, 0], [[1, 2, 3], [5, 6]], [[5, 8, 1], [5, 8, 2], [5, 8, 3], [6, 8, 1], [6, 8, 2], [6, 8, 3]]),
        ([0, -1], [[1, 2], [5]], [[1, 8, 9], [2, 8, 9]]),
    ],
)
def test_the_first_axis_is_fastest_and_all_other_features_are_held(axes, at, expected):
    np.testing.assert_array_equal(predict.samples_over(axes, [np.array(a, float) for a in at], HELD), expected)
    assert HELD.tolist() == [7, 8, 9]
