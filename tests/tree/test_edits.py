"""Trees that were changed by hand: the record of edits and its text, the tree that it makes, and laws of both."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import Feature, make_dataset, samples
from espalier.learners import CartClassifier, CartRegressor, OptimalClassifier
from espalier.learners.forced_splits import branch_of, graft
from espalier.predict import leaves
from espalier.tree.editing import edited
from espalier.tree.edits import (
    BEST,
    COLUMN,
    CUT,
    GREEDY,
    GROW,
    MADE_LEAF,
    SET,
    WITHOUT,
    Edit,
    add_edit,
    edits_of,
    node_at,
    path_of,
    text_of,
    without_edits,
)
from espalier.trees import LEAF, parents, subtree_end
from tests.tools.cases import case
from tests.tools.forests import same_tree

PETAL_LENGTH, PETAL_WIDTH = 2, 3
paths = st.text("LR", max_size=5)
numbers = st.floats(allow_nan=False, allow_infinity=False)
columns = st.integers(0, 5_000)
ANY_EDIT = st.one_of(
    st.builds(lambda p, f, t: Edit(p, CUT, (f,), t), paths, columns, numbers),
    st.builds(lambda p, f, c: Edit(p, SET, (f,), 0.0, c), paths, columns, st.integers(0, 2**64 - 1)),
    st.builds(lambda p, f: Edit(p, COLUMN, (f,)), paths, columns),
    st.builds(lambda p, f: Edit(p, WITHOUT, tuple(f)), paths, st.lists(columns, min_size=1, max_size=4)),
    st.builds(lambda p, kind: Edit(p, kind), paths, st.sampled_from([MADE_LEAF, GROW])),
    st.builds(
        lambda p, kind, d: Edit(p, kind, depth=d), paths, st.sampled_from([GREEDY, BEST]), st.integers(1, 10)
    ),
)


def on_iris(learner, *edits):
    """The learner's tree on iris, and the same with these edits."""
    data = samples.load("iris")
    return on(data, learner, *edits)


def on(data, learner, *edits):
    training = learner.prepare(data.X, data.y).of_positive_weight()
    tree = learner.grow(training).tree_
    return tree, edited(learner, training, tree, edits)


def assert_well_formed(tree):
    """Preorder, every node but the root has one parent, and the samples of a split are those of its sides."""
    inner = np.flatnonzero(tree.feature != LEAF)
    assert (tree.left[inner] == inner + 1).all()
    assert (parents(tree)[1:] >= 0).all()
    assert (tree.n_samples[tree.left[inner]] + tree.n_samples[tree.right[inner]] == tree.n_samples[inner]).all()
    np.testing.assert_allclose(tree.weight[tree.left[inner]] + tree.weight[tree.right[inner]], tree.weight[inner])


# The record ------------------------------------------------------------------------------------------


@given(st.lists(ANY_EDIT, max_size=8))
def test_a_record_is_read_as_it_was_written(edits):
    record = ()
    for edit in edits:
        record = add_edit(record, edit)
    assert edits_of(text_of(record)) == record


@given(st.lists(ANY_EDIT, max_size=8))
def test_a_node_has_one_edit_and_none_of_those_it_had_below(edits):
    record = ()
    for edit in edits:
        record = add_edit(record, edit)
        assert edit in record
        assert [one for one in record if one.path.startswith(edit.path)] == [edit]
    assert [one.path for one in record] == sorted({one.path for one in record}, key=lambda path: (len(path), path))
    assert without_edits(record, "") == ()


def test_a_text_that_is_no_record_and_one_of_too_many_edits_are_named():
    none = "c c0_1 c1 c1_nan c1_inf Mx x3 s1_zz n g_2 r r_0 o_11 o1_2 c1_1~ ~ s1_-1"
    for text in none.split():
        with case(text), pytest.raises(ValueError, match="is none"):
            edits_of(text)
    with pytest.raises(ValueError, match="at most 64"):
        edits_of("~".join(["x"] * 65))


def test_the_way_to_a_node_leads_to_it():
    tree, _ = on_iris(CartClassifier())
    assert [node_at(tree, path_of(tree, node)) for node in range(tree.n_nodes)] == list(range(tree.n_nodes))
    assert node_at(tree, "L" * 30) is None


# Grafts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["side", "surrogate"])
def test_a_branch_put_back_where_it_was_is_the_same_tree(missing):
    data = samples.load("iris")
    X = data.X.copy()
    X[::7, PETAL_WIDTH] = np.nan
    tree = CartClassifier(missing=missing).fit(X, data.y).tree_
    for node in range(tree.n_nodes):
        branch = branch_of(tree, node)
        assert branch.n_nodes == subtree_end(tree, node) - node
        same_tree(graft(tree, node, branch), tree)


# The tree --------------------------------------------------------------------------------------------


def test_a_threshold_of_ones_own_parts_the_rows_there_and_the_learner_grows_both_sides():
    data = samples.load("iris")
    _, own = on_iris(CartClassifier(max_depth=2), Edit("", CUT, (PETAL_LENGTH,), 4.5))
    left = data.X[:, PETAL_LENGTH] <= 4.5
    below = [CartClassifier(max_depth=1).fit(data.X[side], data.y[side]).tree_ for side in (left, ~left)]
    assert (own.tree.feature[0], own.tree.threshold[0]) == (PETAL_LENGTH, 4.5)
    assert own.tree.n_samples[own.tree.left[0]] == left.sum()
    np.testing.assert_array_equal(own.tree.feature[1:], np.concatenate([tree.feature for tree in below]))
    np.testing.assert_array_equal(own.tree.threshold[1:], np.concatenate([tree.threshold for tree in below]))
    np.testing.assert_array_equal(own.tree.n_samples[1:], np.concatenate([tree.n_samples for tree in below]))
    assert list(own.by_hand) == [0]


def test_without_edits_the_tree_is_the_same_bit_for_bit():
    for learner in (CartClassifier(), CartClassifier(missing="impute"), OptimalClassifier(max_depth=2)):
        tree, own = on_iris(learner)
        same_tree(own.tree, tree)
        assert (own.by_hand, own.refused) == ({}, ())


@pytest.mark.parametrize(
    "learner", [CartClassifier(max_depth=4), CartClassifier(criterion="entropy"), OptimalClassifier()]
)
def test_the_learners_own_split_chosen_by_hand_changes_nothing(learner):
    tree, _ = on_iris(learner)
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        edit = Edit(path_of(tree, node), CUT, (int(tree.feature[node]),), float(tree.threshold[node]))
        _, own = on_iris(learner, edit)
        same_tree(own.tree, tree)
        assert own.by_hand == {node: edit}


def test_a_column_that_cart_would_choose_is_split_where_cart_does_and_a_branch_grown_again_is_the_same():
    for data, learner in (
        (samples.load("iris"), CartClassifier()),
        (samples.load("diabetes"), CartRegressor(max_depth=3)),
    ):
        tree, _ = on(data, learner)
        for node in np.flatnonzero(tree.feature != LEAF).tolist():
            _, own = on(data, learner, Edit(path_of(tree, node), COLUMN, (int(tree.feature[node]),)))
            same_tree(own.tree, tree)
    tree, _ = on_iris(CartClassifier(max_depth=4))
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        _, own = on_iris(CartClassifier(max_depth=4), Edit(path_of(tree, node), GROW))
        same_tree(own.tree, tree)
    tree, own = on_iris(CartClassifier(max_depth=1), Edit("R", GROW))
    assert (tree.depth, own.tree.depth, own.tree.n_leaves) == (1, 2, 3)


@pytest.mark.parametrize("learner", [CartClassifier(), OptimalClassifier(max_depth=2)])
def test_a_column_that_is_forbidden_is_asked_neither_there_nor_below(learner):
    _, own = on_iris(learner, Edit("", WITHOUT, (PETAL_LENGTH, PETAL_WIDTH)), Edit("L", COLUMN, (0,)))
    assert not np.isin(own.tree.feature, [PETAL_LENGTH, PETAL_WIDTH]).any()
    assert own.tree.n_leaves > 2


def test_a_node_made_a_leaf_keeps_its_rows_and_its_answer():
    tree, own = on_iris(CartClassifier(), Edit("R", MADE_LEAF))
    assert own.tree.n_leaves == 2
    np.testing.assert_array_equal(own.tree.value[2], tree.value[tree.right[0]])


def test_a_set_of_categories_goes_left_as_chosen():
    data = samples.load("monks-1")
    f = next(
        i for i, feature in enumerate(data.features) if feature.kind == "category" and len(feature.categories) == 3
    )
    learner = CartClassifier(max_depth=2, categorical_features=data.categorical)
    _, own = on(data, learner, Edit("", SET, (f,), 0.0, 0b101))
    goes_left = np.isin(leaves(own.tree, data.X), np.arange(1, own.tree.right[0]))
    known = ~np.isnan(data.X[:, f])
    np.testing.assert_array_equal(goes_left[known], np.isin(data.X[known, f], [0, 2]))


def test_missing_values_go_to_the_side_where_they_do_less_harm():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan], [np.nan]])
    y = np.array([0, 0, 1, 1, 1, 1])
    learner = CartClassifier(max_depth=1)
    training = learner.prepare(X, y)
    own = edited(learner, training, learner.grow(training).tree_, (Edit("", CUT, (0,), 1.5),))
    assert not own.tree.missing_left[0]
    assert_well_formed(own.tree)


def test_a_limit_on_leaves_holds_for_the_tree_with_edits():
    for edit in (Edit("", CUT, (PETAL_LENGTH,), 4.5), Edit("R", COLUMN, (0,)), Edit("R", WITHOUT, (3,))):
        _, own = on_iris(CartClassifier(max_leaf_nodes=4), edit)
        assert own.tree.n_leaves <= 4
    _, own = on_iris(OptimalClassifier(max_depth=3, max_splits=3), Edit("", CUT, (PETAL_LENGTH,), 4.5))
    assert own.tree.n_leaves <= 4


def errors(tree, data):
    return int((tree.value[leaves(tree, data.X)].argmax(axis=1) != data.y).sum())


def test_a_leaf_regrown_greedily_is_the_branch_that_cart_had_there():
    whole, own = on_iris(CartClassifier(max_depth=3), Edit("R", GREEDY, depth=2))
    same_tree(own.tree, whole)
    _, made_leaf = on_iris(CartClassifier(max_depth=1), Edit("R", GREEDY, depth=2))
    same_tree(made_leaf.tree, whole)
    assert made_leaf.by_hand == {2: Edit("R", GREEDY, depth=2)}


def test_the_best_branch_is_the_optimal_tree_of_its_rows_with_its_proof():
    data = samples.load("xor")
    _, own = on(data, CartClassifier(max_depth=1), Edit("", BEST, depth=2))
    alone = OptimalClassifier(max_depth=2).fit(data.X, data.y)
    same_tree(own.tree, alone.tree_)
    assert own.proofs[0]._replace(seconds=0) == alone.proof_._replace(seconds=0)
    assert own.proofs[0].proved
    assert own.proofs[0].objective == errors(own.tree, data)


def test_the_best_branch_below_a_split_makes_as_many_errors_as_its_proof_says():
    data = samples.load("wine")
    tree, own = on(data, CartClassifier(max_depth=1, criterion="entropy"), Edit("R", BEST, depth=2))
    assert_well_formed(own.tree)
    at = node_at(own.tree, "R")
    assert at is not None
    rows = np.flatnonzero(leaves(own.tree, data.X) >= at)
    wrong = own.tree.value[leaves(own.tree, data.X[rows])].argmax(axis=1) != data.y[rows]
    assert own.proofs[at].objective == wrong.sum()
    np.testing.assert_allclose(own.tree.impurity[at], tree.impurity[2])  # entropy, like the rest of the tree


def test_the_best_branch_keeps_to_the_least_rows_of_a_leaf_and_then_parts_one_category_from_all_others():
    data = samples.load("wine")
    _, own = on(data, CartClassifier(max_depth=1, min_samples_leaf=20), Edit("L", BEST, depth=3))
    assert not own.refused
    assert own.tree.n_leaves > 2
    assert own.tree.n_samples[own.tree.feature == LEAF].min() >= 20
    rng = np.random.default_rng(0)
    X = np.c_[np.arange(80) % 5, rng.normal(size=80)]
    data = make_dataset(
        "t", X, [Feature("c", "category", tuple("abcde")), Feature("x")],
        np.isin(X[:, 0], [1, 3]).astype(int), Feature("y", "category", ("n", "p")),
    )  # fmt: skip
    for least, every_set in ((1, True), (5, False)):
        cart = CartClassifier(max_depth=1, min_samples_leaf=least, categorical_features=[0])
        _, own = on(data, cart, Edit("", BEST, depth=2))
        assert (own.refused, own.proofs[0].every_set) == ((), every_set)


def test_a_change_below_the_best_branch_takes_its_proof_away_and_columns_left_out_stay_out_below():
    _, own = on_iris(CartClassifier(max_depth=1), Edit("R", BEST, depth=2), Edit("RL", MADE_LEAF))
    assert len(own.by_hand) == 2
    assert own.proofs == {}
    for kind in (GREEDY, BEST):
        edits = Edit("R", WITHOUT, (PETAL_WIDTH,)), Edit("RL", kind, depth=2)
        _, own = on_iris(CartClassifier(max_depth=2), *edits)
        at = node_at(own.tree, "R")
        assert at is not None
        assert PETAL_WIDTH not in own.tree.feature[at : subtree_end(own.tree, at)]


def test_a_branch_of_numbers_is_regrown_greedily_alone():
    data = samples.load("diabetes")
    _, own = on(data, CartRegressor(max_depth=1), Edit("L", BEST, depth=2), Edit("R", GREEDY, depth=1))
    assert list(own.by_hand.values()) == [Edit("R", GREEDY, depth=1)]
    assert "classes" in str(own.refused[0])


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (Edit("LLL", MADE_LEAF), "no such node"),
        (Edit("", CUT, (9,), 1.0), "no column 10"),
        (Edit("", CUT, (0,), 99.0), "same side"),
        (Edit("", SET, (0,), 0.0, 3), "numbers"),
    ],
)  # fmt: skip
def test_an_edit_that_does_not_fit_is_left_out_and_says_why(edit, reason):
    tree, own = on_iris(CartClassifier(max_depth=2), edit)
    same_tree(own.tree, tree)
    assert own.refused[0].edit == edit
    assert reason in str(own.refused[0])


def test_columns_with_a_direction_leave_no_room_for_edits():
    _, own = on_iris(CartClassifier(max_depth=2), Edit("", MADE_LEAF))
    data = samples.load("diabetes")
    learner = CartRegressor(max_depth=2, monotonic_cst=[1] + [0] * (data.X.shape[1] - 1))
    tree, directed = on(data, learner, Edit("", MADE_LEAF))
    assert own.tree.n_leaves == 1
    assert "direction" in str(directed.refused[0])
    same_tree(directed.tree, tree)


near, of_iris = st.text("LR", max_size=3), st.integers(0, 3)
SMALL = st.lists(
    st.one_of(
        st.builds(lambda p, f, t: Edit(p, CUT, (f,), t), near, of_iris, st.floats(0, 8)),
        st.builds(lambda p, f: Edit(p, COLUMN, (f,)), near, of_iris),
        st.builds(lambda p, f: Edit(p, WITHOUT, (f,)), near, of_iris),
        st.builds(lambda p, kind: Edit(p, kind), near, st.sampled_from([MADE_LEAF, GROW])),
    ),
    max_size=4,
)  # fmt: skip


@settings(deadline=None, max_examples=40)
@given(SMALL)
def test_edits_give_the_same_tree_twice_and_its_leaves_part_the_rows(edits):
    record = ()
    for edit in edits:
        record = add_edit(record, edit)
    data, learner = samples.load("iris"), CartClassifier(max_depth=4)
    training = learner.prepare(data.X, data.y)
    tree = learner.grow(training).tree_
    first, second = (edited(learner, training, tree, record) for _ in range(2))
    same_tree(first.tree, second.tree)
    assert_well_formed(first.tree)
    counted = np.bincount(leaves(first.tree, data.X), minlength=first.tree.n_nodes)
    is_leaf = first.tree.feature == LEAF
    np.testing.assert_array_equal(counted[is_leaf], first.tree.n_samples[is_leaf])
    assert len(first.by_hand) + len(first.refused) <= len(record)
