"""Two trees, one difference: laid over each other at the least cost; each changed sample has its split."""

import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from espalier import predict
from espalier.data import Feature, samples
from espalier.display.tree import difference as words
from espalier.display.tree.difference import ComparedTrees
from espalier.language import speaking
from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    ModelTreeRegressor,
    ObliqueClassifier,
    OptimalClassifier,
)
from espalier.learners.forced_splits import branch_of
from espalier.tree import alignment
from espalier.tree.alignment import MOST_PAIRS, align
from espalier.tree.differences import distance_over_boxes, tree_difference
from espalier.trees import LEAF, is_leaf
from tests.tools import random_trees
from tests.tools.by_hand import lone_leaf, stump
from tests.tools.phrases import narrow, pseudo_language

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
TURNED = {"only A": "only B", "only B": "only A", "grown": "cut", "cut": "grown"}
CLASSES = Feature("class", "category", ("a", "b"))


def goes_left(tree, node, X):
    """Which samples X a split sends left, asked of the tree that has this split as its root."""
    branch = branch_of(tree, node)
    return predict.leaves(branch, X) < branch.right[0]


def n_splits(tree, node):
    if tree.feature[node] == LEAF:
        return 0
    return 1 + n_splits(tree, tree.left[node]) + n_splits(tree, tree.right[node])


def least_cost(a, b, X, one=0, two=0):
    """The least cost of aligning the branches at `one` and `two`."""
    if a.feature[one] == LEAF and b.feature[two] == LEAF:
        return 0.5 * float(a.value[one].argmax() != b.value[two].argmax())
    if a.feature[one] == LEAF:
        return n_splits(b, two)
    if b.feature[two] == LEAF:
        return n_splits(a, one)
    tried = []
    for stays, goes in ((a.left, a.right), (a.right, a.left)):
        tried.append(1 + n_splits(a, goes[one]) + least_cost(a, b, X, stays[one], two))
    for stays, goes in ((b.left, b.right), (b.right, b.left)):
        tried.append(1 + n_splits(b, goes[two]) + least_cost(a, b, X, one, stays[two]))
    straight = least_cost(a, b, X, a.left[one], b.left[two]) + least_cost(a, b, X, a.right[one], b.right[two])
    mirrored = least_cost(a, b, X, a.left[one], b.right[two]) + least_cost(a, b, X, a.right[one], b.left[two])
    if a.feature[one] != b.feature[two]:
        return min(*tried, 1 + straight, 1 + mirrored)
    apart = float(np.mean(goes_left(a, one, X) != goes_left(b, two, X)))
    tried.append(apart + straight)
    if np.isnan(a.threshold[one]) and np.isnan(b.threshold[two]):
        tried.append(1 - apart + mirrored)
    return min(tried)


@st.composite
def two_trees(draw, max_splits=4):
    """Two trees on the same columns, and samples at their thresholds, with missing values."""
    columns = draw(random_trees.features())
    a, b = (draw(random_trees.trees(columns, CLASSES, max_splits)) for _ in range(2))
    X = np.vstack([draw(random_trees.samples(columns, tree)) for tree in (a, b)])
    return a, b, X


def test_a_moved_threshold_a_leaf_split_further_and_a_split_between_others_are_told_and_charged_by_hand():
    X = np.arange(10.0)[:, None]
    found = tree_difference(stump(2.5), stump(5.5), X)
    root, *leaves = found.changes
    assert (root.pair.kind, root.shift, root.n_samples, root.n_parted, root.n_changed) == ("moved", 3.0, 10, 3, 3)
    assert [leaf.pair.kind for leaf in leaves] == ["leaves", "leaves"]
    assert found.cost == pytest.approx(0.3)
    assert np.flatnonzero(found.answers.differ).tolist() == [3, 4, 5]
    assert found.over_boxes == pytest.approx(3 / 9)  # of the line from 0 to 9
    shallow, deep = (CartClassifier(max_depth=depth).fit(IRIS.X, IRIS.y).tree_ for depth in (1, 2))
    found = tree_difference(shallow, deep, IRIS.X)
    grown = found.of_kind("grown")[0]
    assert (found.cost, grown.n_samples, grown.n_changed) == (1.0, 100, int(found.answers.differ.sum()))
    whole = CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y).tree_
    found = tree_difference(branch_of(whole, 2), whole, IRIS.X)
    between = found.changes[0]
    assert (between.pair.kind, between.pair.b, found.cost) == ("only B", 0, 1.0)
    assert between.n_parted == 50  # the setosas, which had to go down among the others
    assert {change.pair.kind for change in found.changes} == {"only B", "same", "leaves"}


def test_sides_are_exchanged_where_categories_are_named_from_the_other_side():
    red = stump(values=([1, 0], [0, 1]), categories=0b001)
    not_red = stump(values=([0, 1], [1, 0]), categories=0b110)
    found = tree_difference(red, not_red, np.array([[0.0], [1.0], [2.0]]), (3,))
    assert found.is_none
    assert (found.cost, found.changes[0].pair.mirrored, found.over_boxes) == (0.0, True, 0.0)


@pytest.mark.parametrize("dataset", [IRIS, DIABETES], ids=["classes", "numbers"])
def test_a_tree_does_not_differ_from_itself(dataset):
    kind = CartClassifier if dataset.is_classification else CartRegressor
    tree = kind(max_depth=5).fit(dataset.X, dataset.y).tree_
    found = tree_difference(tree, tree, dataset.X)
    assert found.is_none
    assert (found.cost, found.over_boxes) == (0.0, 0.0)
    assert [change.pair.a for change in found.changes] == [change.pair.b for change in found.changes]


@settings(deadline=None, max_examples=60, phases=[Phase.generate])
@given(two_trees())
def test_the_difference_the_other_way_round_is_its_mirror_image(case):
    a, b, X = case
    there, back = tree_difference(a, b, X), tree_difference(b, a, X)
    mirrored = [
        (TURNED.get(one.pair.kind, one.pair.kind), one.pair.b, one.pair.a, one.n_parted, one.n_changed)
        for one in back.changes
    ]
    ahead = [(one.pair.kind, one.pair.a, one.pair.b, one.n_parted, one.n_changed) for one in there.changes]
    assert sorted(ahead) == sorted(mirrored)
    assert there.cost == pytest.approx(back.cost)
    assert there.over_boxes == pytest.approx(back.over_boxes, nan_ok=True)


@settings(deadline=None, max_examples=60, phases=[Phase.generate])
@given(two_trees())
def test_the_cost_is_the_least_of_all_ways_to_align_the_trees(case):
    a, b, X = case
    assert align(a, b, X)[1] == pytest.approx(least_cost(a, b, X))


@settings(deadline=None, max_examples=60, phases=[Phase.generate])
@given(two_trees(max_splits=7))
def test_every_sample_changes_at_one_place_and_every_node_is_laid_somewhere_once(case):
    a, b, X = case
    found = tree_difference(a, b, X)
    assert np.array_equal(found.answers.differ, predict.predictions(a, X) != predict.predictions(b, X))
    assert sum(change.n_changed for change in found.changes) == found.answers.differ.sum()
    assert (found.answers.place >= 0).all()
    assert not any(change.n_changed for change in found.of_kind("same", "leaves"))
    for tree, nodes in ((a, [c.pair.a for c in found.changes]), (b, [c.pair.b for c in found.changes])):
        assert sorted(node for node in nodes if node >= 0) == list(range(tree.n_nodes))


@settings(deadline=None, max_examples=40, phases=[Phase.generate])
@given(two_trees(max_splits=7))
def test_ways_that_part_nowhere_end_in_leaves_that_lie_over_each_other(case):
    a, b, X = case
    found = tree_difference(a, b, X)
    leaf_a, leaf_b = predict.leaves(a, X), predict.leaves(b, X)
    for row, at in enumerate(found.answers.place.tolist()):
        pair = found.changes[at].pair
        if pair.kind in (alignment.LEAVES, alignment.ANSWER):
            assert (pair.a, pair.b) == (leaf_a[row], leaf_b[row])
            assert is_leaf(a)[pair.a]
            assert is_leaf(b)[pair.b]


def test_the_distance_over_the_boxes_is_that_of_a_fine_grid_and_a_column_of_no_known_value_has_none():
    X = IRIS.X[:, 2:]
    one, two = (CartClassifier(max_depth=depth).fit(X, IRIS.y).tree_ for depth in (2, 4))
    ends = [
        np.linspace(low, high, 801)[:-1] + (high - low) / 1600
        for low, high in zip(X.min(0), X.max(0), strict=True)
    ]
    grid = np.stack(np.meshgrid(*ends), axis=-1).reshape(-1, 2)
    differ = (predict.classes(one, grid) != predict.classes(two, grid)).mean()
    assert distance_over_boxes(one, two, X, (0, 0)) == pytest.approx(differ, abs=2e-3)
    assert math.isnan(distance_over_boxes(stump(1.0), stump(2.0), np.full((3, 1), math.nan), (0,)))


@pytest.mark.parametrize(
    "learner", [CultivatedClassifier(max_depth=2), ObliqueClassifier(max_depth=2)], ids=["cultivated", "oblique"]
)
def test_trees_without_single_splits_are_compared_by_their_answers_alone(learner):
    cart = CartClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    other = learner.fit(IRIS.X, IRIS.y).tree_
    found = tree_difference(cart, other, IRIS.X)
    assert not found.has_splits
    assert math.isnan(found.cost)
    said = predict.predictions(cart, IRIS.X) != predict.predictions(other, IRIS.X)
    assert np.array_equal(found.answers.differ, said)


def test_other_learners_with_splits_are_laid_over_a_cart_tree():
    cart = CartClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    optimal = OptimalClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    assert tree_difference(cart, optimal, IRIS.X).has_splits
    one, two = (ModelTreeRegressor(max_depth=depth).fit(DIABETES.X, DIABETES.y).model_tree_ for depth in (1, 2))
    found = tree_difference(one, two, DIABETES.X)
    assert found.has_splits
    assert math.isnan(found.over_boxes)
    assert tree_difference(one, one, DIABETES.X).is_none


def test_what_cannot_be_compared_is_refused_in_words():
    tree = stump(1.0)
    with pytest.raises(ValueError, match="at least one row"):
        tree_difference(tree, tree, np.empty((0, 1)))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 2))
    big = CartClassifier().fit(X, rng.integers(0, 2, 2_000)).tree_
    assert big.n_nodes**2 > MOST_PAIRS
    with pytest.raises(ValueError, match="compare shallower trees"):
        align(big, big, X)


NAN = np.nan


IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
AGE = Feature("age", is_whole=False)
TARGET = Feature("loan", "category", ("no", "yes"))
AGES = np.arange(20.0, 30.0)[:, None]


def compared(a, b, X=AGES, features=(AGE,), target=TARGET):
    return ComparedTrees(a, b, features, target, tree_difference(a, b, X))


def of_sample(dataset, kind):
    """CART trees of depths 2 and 4, the second on every other row."""
    one = kind(max_depth=2).fit(dataset.X, dataset.y).tree_
    two = kind(max_depth=4).fit(dataset.X[::2], dataset.y[::2]).tree_
    return compared(one, two, dataset.X, dataset.features, dataset.target)


SAMPLES = {"classes": (IRIS, CartClassifier), "numbers": (DIABETES, CartRegressor)}


def test_a_moved_threshold_in_words():
    both = compared(stump(22.5), stump(25.5))
    (change,) = words.changes_to_tell(both)
    assert words.change_words(both, change) == (
        "“age ≤ 22.5” became “age ≤ 25.5”: the threshold moved by +3. It sends 3 of 10 rows another way and "
        "changes the answer of 3."
    )
    assert words.counts_words(both) == ("Splits, 1 in A and 1 in B: 1 moved.")
    assert words.answers_words(both.difference, TARGET) == (
        "The answer changes for 3 of 10 rows (30 %): 3 from yes to no."
    )
    assert words.place_words(both, int(both.difference.answers.place[4])) == "age ≤ 22.5, moved"


def test_another_answer_and_a_new_branch_in_words():
    both = compared(stump(22.5), stump(22.5, ((0, 1), (0, 1))))
    (change,) = words.changes_to_tell(both)
    assert words.change_words(both, change) == (
        "A leaf answers yes in place of no. It changes the answer of 3 of 3 rows."
    )
    leaf = lone_leaf(0.6, 0.4, n=10)
    both = compared(leaf, stump(22.5))
    assert words.change_words(both, words.changes_to_tell(both)[0]) == (
        "A leaf of A (no) is split further in B: “age ≤ 22.5”. It changes the answer of 7 of 10 rows."
    )
    both = compared(stump(22.5), leaf)
    assert words.change_words(both, words.changes_to_tell(both)[0]).startswith(
        "The split “age ≤ 22.5” of A is a leaf in B (no)."
    )


def test_equal_trees_have_nothing_to_tell_and_a_difference_is_told_in_german_too():
    both = compared(stump(22.5), stump(22.5))
    assert words.changes_to_tell(both) == []
    assert words.answers_words(both.difference, TARGET) == "Both trees give the same answer to 10 rows."
    both = compared(stump(22.5), stump(25.5))
    with speaking("de"):
        said = words.change_words(both, words.changes_to_tell(both)[0])
    assert said.startswith("Aus „age ≤ 22,5“ wurde „age ≤ 25,5“: Die Schwelle hat sich um +3 verschoben.")


@pytest.mark.parametrize(("dataset", "kind"), SAMPLES.values(), ids=SAMPLES)
def test_the_changed_rows_of_all_sentences_are_all_rows_that_change(dataset, kind):
    both = of_sample(dataset, kind)
    assert sum(change.n_changed for change in words.changes_to_tell(both)) == both.difference.answers.differ.sum()


@pytest.mark.parametrize(("dataset", "kind"), SAMPLES.values(), ids=SAMPLES)
def test_each_split_that_differs_has_a_sign_in_the_picture_and_a_word_in_its_alt(dataset, kind):
    both = of_sample(dataset, kind)
    for is_a in (True, False):
        side = words.side_of(both, is_a)
        texts = [one.text for one in ET.fromstring(words.marked_picture(both, is_a).draw(False)).iter()]
        for sign in set(words.SIGNS.values()):
            wanted = sum(words.sign_of(side, node) == sign for node in side.changes)
            assert texts.count(sign) == wanted
        assert words.marked_picture(both, is_a).alt.count("(") == side.tree.n_leaves - 1


def test_the_way_of_a_row_is_lit_and_equal_numbers_have_equal_colours_in_both_pictures():
    both = of_sample(IRIS, CartClassifier)
    for is_a, tree in ((True, both.a), (False, both.b)):
        plain, lit = (words.marked_picture(both, is_a, leaf).draw(False) for leaf in (-1, tree.n_nodes - 1))
        assert lit.count('stroke-width="4"') > plain.count('stroke-width="4"') == 0
    tree = CartRegressor(max_depth=3).fit(DIABETES.X, DIABETES.y).tree_
    both = compared(branch_of(tree, 1), tree, DIABETES.X, DIABETES.features, DIABETES.target)
    fills = [
        set(re.findall(r'height="20" rx="3" fill="(#\w+)"', words.marked_picture(both, is_a).draw(False)))
        for is_a in (True, False)
    ]
    assert len(fills[0]) == both.a.n_leaves
    assert fills[0] < fills[1]


def test_the_table_has_both_answers_and_the_split_at_fault():
    both = of_sample(DIABETES, CartRegressor)
    found = both.difference
    changed = words.changed_rows(found)
    gaps = np.abs(found.answers.b - found.answers.a)[changed]
    assert (np.diff(gaps) <= 0).all()
    table = words.rows_table(DIABETES, found, both.target, both, changed[:5])
    assert table["row"].tolist() == (changed[:5] + 1).tolist()
    assert table["B says"].tolist() == found.answers.b[changed[:5]].tolist()
    assert table["because of"].str.len().min() > 5


@pytest.mark.parametrize(("dataset", "kind"), SAMPLES.values(), ids=SAMPLES)
def test_no_word_is_in_english_where_a_page_speaks_something_else(dataset, kind, monkeypatch):
    both = of_sample(dataset, kind)
    with pseudo_language(monkeypatch):
        texts = [words.change_words(both, change) for change in words.changes_to_tell(both)]
        texts += [words.counts_words(both), words.answers_words(both.difference, dataset.target)]
        texts += [
            words.marked_picture(both, True).alt,
            *words.rows_table(dataset, both.difference, both.target, both, np.arange(9)),
        ]
        names = " ".join([*(one.name for one in (*dataset.features, dataset.target)), *dataset.classes])
        assert not set(narrow(" ".join(texts))) - set(narrow(names)) - {"A", "B"}
