"""How much models doubt, which rows they leave unsettled, and what features add to an answer."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier import learners
from espalier.analysis import Folds
from espalier.data import samples
from espalier.kernels.cultivated import fractions as gate
from espalier.kernels.cultivated.fractions import predict
from espalier.predict import classes
from espalier.reliability import reliability, uncertainty
from espalier.reliability.reliability import SLACK, ask, possible_classes
from espalier.trees import make_forest, make_tree, softened
from tests.tools import by_hand
from tests.tools.voters import tellers, voters


def test_every_model_has_a_measure_of_its_own():
    tree, forest = by_hand.admission(), voters([[0, 1]])[0]
    mixed = make_forest([by_hand.options(), softened(by_hand.admission())], [1, 1], "mean", [0.5, 0.5])
    found = [uncertainty.measure_of(model) for model in (tree, forest, by_hand.options(), mixed, None)]
    assert found == [
        uncertainty.LEAF_DOUBT,
        uncertainty.VOTES,
        uncertainty.SPREAD,
        uncertainty.SPREAD,
        uncertainty.NONE,
    ]


def test_leaves_are_doubted_with_one_more_sample_of_each_class_forests_by_their_votes_and_others_by_their_spread():
    # Leaves of 4, 2 and 4 samples, all of one class: (4 + 1) / (4 + 2), (2 + 1) / (2 + 2) and 5 / 6 are told.
    X = np.array([[2.0, 90], [3.5, 60], [3.5, 90]])
    found: Any = uncertainty.uncertainties(by_hand.admission(), X, np.array([0, 0, 1]))
    assert found.doubt == pytest.approx([1 / 6, 1 / 4, 1 / 6])
    assert found.leaf_weight.tolist() == [4, 2, 4]
    tree = make_tree([0, -1, -1], [1, np.nan, np.nan], [1, -1, -1], [2, -1, -1], [0] * 3, [False] * 3,
                     [6, 3, 3], [6, 3, 3], [[2], [1], [3]], [4, 0, 2])  # fmt: skip
    found = uncertainty.uncertainties(tree, np.array([[0.0], [2.0]])).doubt
    assert found == pytest.approx([1.0, np.sqrt((3 * 2 + 4) / 4)])
    forest, X = voters([[0, 1, 1], [0, 1, 0], [0, 0, 0], [0, 1, 2]], 3, [1, 1, 1, 2])
    found = uncertainty.uncertainties(forest, X, np.array([0, 1, 2]))
    assert found.doubt == pytest.approx([0, 1 / 5, 3 / 5])
    assert found.votes == pytest.approx(np.array([[1, 0, 0], [1 / 5, 4 / 5, 0], [2 / 5, 1 / 5, 2 / 5]]))
    forest, X = tellers([[1, 5], [3, 5]])
    assert uncertainty.uncertainties(forest, X).doubt == pytest.approx([1, 0])
    X = np.array([[4.5, 3.0], [9.0, 1.0], [0.0, 9.0]])
    assert uncertainty.uncertainties(by_hand.options(), X).doubt == pytest.approx(predict(by_hand.options(), X)[1])
    assert uncertainty.uncertainties(None, np.zeros((3, 1))).doubt.tolist() == [0, 0, 0]
    assert uncertainty.share_doubt(np.array([[0.7, 0.3], [0.2, 0.8]])) == pytest.approx([0.3, 0.2])


def test_a_forest_of_cultivated_trees_spreads_over_the_leaves_of_all_its_trees():
    first, second = by_hand.neighbourhoods(), by_hand.options()
    forest, x = make_forest([first, second], [3, 1], "mean", [0.5, 0.5]), np.array([5.0, 3.0])
    weight, value = [], []
    for tree, vote in ((first, 0.75), (second, 0.25)):
        leaves = np.flatnonzero(tree.left == -1)
        weight += (vote * gate.fractions_of(tree, x)[leaves]).tolist()
        value += tree.value[leaves, 1].tolist()
    mean = np.average(value, weights=weight)
    found: Any = uncertainty.uncertainties(forest, x[None, :])
    assert found.doubt[0] == pytest.approx(np.sqrt(np.average((value - mean) ** 2, weights=weight)))
    assert 0 < found.between[0] < 1


@given(st.floats(0, 10), st.floats(0, 10), st.booleans())
def test_the_modules_parts_of_a_spread_make_all_of_it(a, b, small):
    tree, x = by_hand.options() if small else by_hand.neighbourhoods(), np.array([a, b])
    sigma = float(predict(tree, x[None, :])[1][0])
    found = uncertainty.conflicts(tree, x)
    assert bool(found) == (sigma > 1e-9)
    fraction, total = gate.fractions_of(tree, x), 0.0
    for one in found:  # each node's part again, from the leaves below its two sides
        sides = [_said_below(tree, fraction, int(child)) for child in (tree.left[one.node], tree.right[one.node])]
        total += fraction[one.node] * one.left * (1 - one.left) * (sides[0] - sides[1]) ** 2
        assert 0 <= uncertainty.hesitation(tree, x, one.node) <= 1
    assert np.sqrt(total) == pytest.approx(sigma, abs=1e-12)
    assert sum(one.part for one in found) == pytest.approx(1 if found else 0)


def _said_below(tree, fraction, node):
    leaves = [n for n in range(node, tree.n_nodes) if tree.left[n] == -1 and _is_below(tree, n, node)]
    return np.average(tree.value[leaves, 1], weights=fraction[leaves])


def _is_below(tree, node, top):
    while node > top:
        node = int(np.flatnonzero((tree.left == node) | (tree.right == node))[0])
    return node == top


def test_options_that_contradict_each_other_are_told_from_one_that_hesitates():
    # Feature 0 = 9 is above all its cuts: right. Feature 1 = 9, "> 3" is left: left. Each is sure of it.
    (sure,) = uncertainty.conflicts(by_hand.options(), np.array([9.0, 9.0]))
    assert sure.left == pytest.approx(0.5)
    assert uncertainty.hesitation(by_hand.options(), np.array([9.0, 9.0]), 0) == pytest.approx(0)
    # Feature 0 = 4.5 is above one cut of three. Both options alone: psi 2/3 and 1.
    (near,) = uncertainty.conflicts(by_hand.options(), np.array([4.5, 9.0]))
    assert near.left == pytest.approx(5 / 6)
    found = uncertainty.hesitation(by_hand.options(), np.array([4.5, 9.0]), 0)
    assert found == pytest.approx((2 / 3 * 1 / 3 / 2) / (5 / 6 * 1 / 6))


def test_a_decision_by_itself_divides_a_sample_as_the_kernel_does():
    tree = by_hand.options()
    for x in ([4.0, 3.0], [4.5, 3.5], [7.0, np.nan], [np.nan, 1.0]):
        parts = [uncertainty.goes_left(tree, d, np.array(x)) for d in range(2)]
        assert tree.decisions.share @ parts == pytest.approx(gate.fractions_of(tree, np.array(x))[1])
    colours = by_hand.soft_colours()
    for code in (0.0, 1.0, 2.0, 3.0, 7.0, np.nan):
        x = np.array([code])
        assert uncertainty.goes_left(colours, 0, x) == pytest.approx(gate.fractions_of(colours, x)[1])


IRIS = samples.load("iris")
FOLDS = Folds(n_folds=3)


def test_the_possible_classes_are_those_that_a_list_of_all_trees_gives():
    fold: Any = ask(learners.OptimalClassifier(max_depth=2), IRIS, FOLDS).tried[0]
    inside = np.isin(np.arange(150), fold.rows)
    model = learners.OptimalClassifier(max_depth=2).fit(IRIS.X[~inside], IRIS.y[~inside])
    every = model.optimal_trees(slack=SLACK * 100, limit=10_000)
    given = np.array([classes(near.tree, IRIS.X[fold.rows]) for near in every])
    expected = np.array([[(given[:, row] == label).any() for label in range(3)] for row in range(len(fold.rows))])
    assert every.is_complete
    found = possible_classes(model, IRIS, np.flatnonzero(~inside), fold.rows)
    assert found is not None
    assert (found >= expected).all()  # the list has one tree of several that part the training rows alike
    assert found[np.arange(len(fold.rows)), fold.prediction].all()


def test_trees_as_good_are_counted_of_optimal_trees_alone_and_not_too_many_of_them(monkeypatch):
    assert (
        possible_classes(learners.CartClassifier().fit(IRIS.X, IRIS.y), IRIS, np.arange(150), np.arange(3)) is None
    )
    model, rows = learners.OptimalClassifier(max_depth=2, max_splits=1).fit(IRIS.X, IRIS.y), np.arange(150)
    found: Any = possible_classes(model, IRIS, rows, rows)
    assert found[rows, model.predict(IRIS.X)].all()
    assert found[50:, 1:].all()  # one split parts setosa; the others share a leaf, in which both are as many
    monkeypatch.setattr(reliability, "MOST_SPLITS", 5)
    rows = np.arange(150)
    model = learners.OptimalClassifier(max_depth=2).fit(IRIS.X, IRIS.y)
    assert possible_classes(model, IRIS, rows, rows) is None


DIABETES = samples.load("diabetes")


def test_an_applicant_owes_her_answer_to_both_questions_and_single_votes_cannot_be_taken_apart():
    tree = by_hand.admission()
    found: Any = uncertainty.contributions(tree, np.array([3.5, 60.0]))
    assert found.base.tolist() == tree.value[0].tolist()
    assert found.added[0].tolist() == (tree.value[2] - tree.value[0]).tolist()
    assert found.added[1].tolist() == (tree.value[3] - tree.value[2]).tolist()
    forest = learners.RandomForestClassifier(n_estimators=3, random_state=0).fit(IRIS.X, IRIS.y).forest_
    assert (
        uncertainty.contributions(make_forest(forest.trees, forest.weight, "votes", forest.prior), IRIS.X[0])
        is None
    )


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (learners.CultivatedClassifier(max_depth=4), IRIS),
        (learners.RandomForestClassifier(n_estimators=9, random_state=0), IRIS),
        (learners.CultivatedForestClassifier(n_estimators=3, max_depth=3, random_state=0), IRIS),
        (learners.CartRegressor(max_depth=4), DIABETES),
        (learners.RandomForestRegressor(n_estimators=9, random_state=0), DIABETES),
    ],
)
def test_all_parts_together_are_the_answer(model, data):
    model.fit(data.X, data.y)
    answers = model.predict_proba(data.X) if data.is_classification else model.predict(data.X)[:, None]
    for row in (0, 70, 120):
        found: Any = uncertainty.contributions(getattr(model, "forest_", None) or model.tree_, data.X[row])
        assert found.base + found.added.sum(axis=0) == pytest.approx(answers[row])
