"""Rows count by their weights in whatever is fitted and measured.

Two laws hold all of it: weights of 1 change nothing, and rows of weight 2 are the same as rows listed twice.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone as clone_any
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from espalier import boosting as pictures
from espalier import learners
from espalier.analysis import Folds, Plan, Redraw, answered, area, ask, replicate, subtree_errors, validate
from espalier.approximation.fidelity import class_agreement, fidelity
from espalier.comparison.class_rates import rates
from espalier.comparison.scores import calibration, class_scores, confusion, mean_scores, paired_scores, roc
from espalier.data import RowWeights, make_dataset, samples
from espalier.fitting import fit, takes_weights
from espalier.forests import growth
from espalier.forests.growth import JudgedSamples, interval_coverage
from espalier.learners.catalogue import KINDS, CommonTerms, Model
from espalier.learners.pruning import reduced_error
from espalier.reliability.reliability import ANSWER, COST, RISK, Goal, curve, operate
from espalier.stability.resampling import redrawn
from espalier.tree.model_size import cost_of_errors, prices
from espalier.tree.pruning import pruning_sequence
from tests.tools.by_hand import told_from_others
from tests.tools.same_trees import are_same

clone: Any = clone_any  # whose result has no type of its own
IRIS, SINE = samples.load("iris"), samples.load("sine")
RNG = np.random.default_rng(7)
TIMES = RNG.integers(1, 4, 150)
LISTED = np.repeat(np.arange(150), TIMES)
MIXED = RNG.permutation(150)


def weighed(data, values) -> Any:
    return make_dataset(data.name, data.X, data.features, data.y, data.target, RowWeights("w", values))


def ones(data):
    return weighed(data, np.ones(len(data.y)))


def noisy_shares(y, n_classes, seed=0):
    shares = np.random.default_rng(seed).dirichlet(np.ones(n_classes), len(y))
    return (shares + np.eye(n_classes)[y]) / 2


def alike(one, other):
    """The same splits and values, up to the rounding of sums."""
    asked = ("feature", "threshold") if hasattr(one, "threshold") else ()
    for name in ("left", "right", "weight", "value", *asked):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12)


# ---- fitting


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name != "baseline"], ids=lambda kind: kind.name)
def test_every_kind_of_model_takes_weights_and_weights_of_1_change_nothing(kind):
    data = IRIS if True in kind.serves else SINE
    few = {setting.key for setting in kind.settings} & {"trees", "rounds"}
    model = Model(kind.name, tuple((key, 3) for key in few))
    rows = np.arange(0, len(data.y), 2)
    plain, same = (fit(model.make(CommonTerms.of(data)), one, rows).predict(data.X) for one in (data, ones(data)))
    assert np.array_equal(plain, same)
    other = weighed(data, np.where(data.y == 2, 50.0, 1.0))
    estimator = fit(model.make(CommonTerms.of(data)), other, rows)
    assert takes_weights(estimator)


def test_what_takes_no_weights_is_refused_by_its_name():
    scaled = make_pipeline(StandardScaler(), KNeighborsClassifier())
    data = weighed(IRIS, np.arange(1.0, 151.0))
    for estimator in (scaled, learners.ApproximationClassifier(scaled)):
        with pytest.raises(ValueError, match="weight “w”, and KNeighborsClassifier takes no weights"):
            fit(estimator, data, slice(None))
    assert fit(scaled, IRIS, slice(None)).score(IRIS.X, IRIS.y) > 0.9


# ---- scores: `Y` by weights `TIMES`, against every row listed as often

Y, SHARES = IRIS.y[MIXED], noisy_shares(IRIS.y[MIXED], 3)
NUMBERS, SAID = RNG.normal(size=150), RNG.normal(size=150)
GUESS = SHARES.argmax(axis=1)


def agree(by_weight, listed):
    np.testing.assert_allclose(np.asarray(by_weight, float), np.asarray(listed, float), rtol=1e-9, atol=1e-12)


def test_scores_by_weight_are_those_of_rows_listed_as_often():
    agree(class_scores(Y, SHARES, weight=TIMES)[1:], class_scores(Y[LISTED], SHARES[LISTED])[1:])
    two = np.column_stack([SHARES[:, 0], 1 - SHARES[:, 0]])
    agree(class_scores(Y // 2, two, weight=TIMES)[1:], class_scores(Y[LISTED] // 2, two[LISTED])[1:])
    agree(mean_scores(NUMBERS, SAID, TIMES)[1:], mean_scores(NUMBERS[LISTED], SAID[LISTED])[1:])
    both = paired_scores(Y, SHARES, Y, TIMES, TIMES), paired_scores(Y[LISTED], SHARES[LISTED], Y[LISTED])
    agree(both[0][1][1:], both[1][1][1:])
    agree(confusion(Y, GUESS, 3, TIMES), confusion(Y[LISTED], GUESS[LISTED], 3))
    agree(rates(Y, GUESS, 3, weight=TIMES).balanced, rates(Y[LISTED], GUESS[LISTED], 3).balanced)
    cost = prices(Y, 3, balanced=False, cost=np.array([[0, 1, 4], [2, 0, 3], [1, 1, 0]]))
    agree(cost_of_errors(Y, GUESS, cost, TIMES), cost_of_errors(Y[LISTED], GUESS[LISTED], cost))


def test_calibration_and_roc_by_weight_are_those_of_rows_listed_as_often():
    one, other = calibration(Y, SHARES, 1, None, TIMES), calibration(Y[LISTED], SHARES[LISTED], 1)
    for name in ("predicted_share", "observed_share", "weight", "error"):
        agree(getattr(one, name), getattr(other, name))
    curves: Any = roc(Y, SHARES, 2, TIMES), roc(Y[LISTED], SHARES[LISTED], 2)
    agree(*(area for _, _, area in curves))


def test_fidelity_by_weight_is_that_of_rows_listed_as_often():
    tree = noisy_shares(Y, 3, seed=1)
    agree(fidelity(SHARES, tree, True, weight=TIMES)[1:], fidelity(SHARES[LISTED], tree[LISTED], True)[1:])
    said, told = SAID[:, None], NUMBERS[:, None]
    agree(fidelity(said, told, False, weight=TIMES)[1:], fidelity(said[LISTED], told[LISTED], False)[1:])
    one, other = class_agreement(SHARES, tree, weight=TIMES), class_agreement(SHARES[LISTED], tree[LISTED])
    agree([share for _, share in one], [share for _, share in other])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=12))
def test_rows_of_weight_0_count_as_absent_in_scores(rows):
    y, said, weight = np.array(rows).T
    there = weight > 0
    shares = np.eye(3)[said]
    agree(class_scores(y, shares, weight=weight), class_scores(y[there], shares[there], weight=weight[there]))
    agree(mean_scores(y * 1.0, said * 1.0, weight), mean_scores(y[there] * 1.0, said[there] * 1.0, weight[there]))


# ---- forests


@pytest.mark.parametrize("make", [learners.RandomForestClassifier, learners.GradientBoostingClassifier])
def test_errors_of_a_forest_by_weight_are_those_of_rows_listed_as_often(make):
    model = make(n_estimators=4, random_state=0).fit(IRIS.X[::2], IRIS.y[::2])
    forest, X, y = model.forest_, IRIS.X[MIXED], IRIS.y[MIXED]
    agree(growth.judge(forest, X, y, None, TIMES).errors, growth.judge(forest, X[LISTED], y[LISTED]).errors)
    if forest.combine == "sum":
        score = pictures.stages(forest, X, 3)
        agree(pictures.losses(forest, score, y, TIMES), pictures.losses(forest, score[:, LISTED], y[LISTED]))
    else:
        own = growth.own_errors(forest, X[LISTED], y[LISTED])
        agree(growth.own_errors(forest, X, y, None, TIMES), own)


def test_coverage_of_intervals_by_weight_is_that_of_rows_listed_as_often():
    model: Any = learners.RandomForestRegressor(n_estimators=5, keep_leaves=True, random_state=0).fit(
        SINE.X, SINE.y
    )
    times = RNG.integers(1, 4, len(SINE.y))
    listed = np.repeat(np.arange(len(SINE.y)), times)
    y = SINE.y + RNG.normal(size=len(SINE.y))
    judged = JudgedSamples(SINE.X, y, None, times), JudgedSamples(SINE.X[listed], y[listed])
    one, other = (interval_coverage(model.forest_, model.leaf_samples_, part, (0.5, 0.9)) for part in judged)
    agree(one.measured, other.measured)
    agree(one.width, other.width)


# ---- folds, replicates, pruning


def test_scores_of_folds_count_by_weight_in_fitting_and_in_scoring():
    data, plan = weighed(IRIS, np.where(IRIS.y == 1, 5.0, 1.0)), Folds(4)
    found: Any = validate(learners.CartClassifier(max_depth=1), data, plan)
    same = validate(learners.CartClassifier(max_depth=1), ones(IRIS), plan)
    assert np.array_equal(found.weight, data.weights)
    assert (found.scores("accuracy") > same.scores("accuracy")).all()  # the weighty class gets a leaf
    plain = validate(learners.CartClassifier(max_depth=1), IRIS, plan)
    assert [one.scores for one in same.tried] == [one.scores for one in plain.tried]


def test_uncertainty_and_its_goals_are_as_before_for_weights_of_1_and_count_others():
    plan, estimator = Folds(3), learners.CartClassifier(max_depth=2)
    plain, same = (answered(ask(estimator, data, plan)) for data in (IRIS, ones(IRIS)))
    weighty = answered(ask(estimator, weighed(IRIS, np.full(150, 4.0)), plan))
    for goal in (Goal(ANSWER, 0.7), Goal(RISK, 0.02), Goal(COST)):
        for other in (same, weighty):  # whatever the unit of the weights
            np.testing.assert_equal(operate(plain, goal, plan)[3:], operate(other, goal, plan)[3:])
    assert area(plain) == area(same)
    np.testing.assert_array_equal(curve(plain, plan), curve(same, plan))
    heavy = np.where(np.isin(plain.row, plain.row[plain.loss > 0]), 9.0, 1.0)
    counted = plain._replace(weight=heavy)
    assert area(counted).chance == pytest.approx(np.average(plain.loss, weights=heavy))
    assert curve(counted, plan).risk[-1] == pytest.approx(area(counted).chance)


@pytest.mark.parametrize(
    "learner",
    [
        learners.CartClassifier(max_depth=3),
        learners.CartClassifier(max_depth=3, max_leaf_nodes=5),
        learners.CultivatedClassifier(max_depth=2, random_state=0),
    ],
)
@pytest.mark.parametrize("redraw", [Redraw(), Redraw("subsample", 0.7)], ids=lambda redraw: redraw.kind)
def test_replicates_grow_on_redrawn_rows_with_their_weights(learner, redraw):
    weights = RNG.integers(1, 9, 150) / 2
    data = weighed(IRIS, weights / weights.mean())
    found = replicate(learner, data, Plan(redraw, 3, seed=4))
    for number, tree in zip(found.numbers, found.trees, strict=True):
        drawn = redrawn(redraw, data, 4, number)
        expected = clone(learner).set_params(random_state=drawn.seed)
        rows = drawn.rows
        alike(tree, expected.fit(data.X[rows], data.y[rows], data.weights_of(rows)).tree_)


def test_the_unit_of_the_weights_does_not_decide_how_far_a_cultivated_tree_grows():
    learner, unequal = learners.CultivatedClassifier(max_depth=4, random_state=0), 1.0 + (IRIS.y == 2)
    one, other = (fit(learner, weighed(IRIS, unit * unequal), slice(None)).tree_ for unit in (1.0, 1000.0))
    alike(one, other)
    assert one.weight[0] == pytest.approx(150)


def test_pruning_counts_errors_by_weight():
    times = RNG.integers(1, 4, 150)
    listed = np.repeat(np.arange(150), times)
    tree = learners.CartClassifier().fit(IRIS.X[::2], IRIS.y[::2]).tree_
    agree(
        subtree_errors(tree, IRIS.X, IRIS.y, weight=times).error,
        subtree_errors(tree, IRIS.X[listed], IRIS.y[listed]).error,
    )
    assert are_same(
        reduced_error(tree, IRIS.X, IRIS.y, times), reduced_error(tree, IRIS.X[listed], IRIS.y[listed])
    )
    folds = [np.arange(0, 150, 2), np.arange(1, 150, 2)]
    among = told_from_others([np.flatnonzero(np.isin(listed, rows)) for rows in folds], len(listed))
    folds = told_from_others(folds, 150)
    one: Any = pruning_sequence(learners.CartClassifier(), IRIS.X, IRIS.y, folds, sample_weight=times)
    other: Any = pruning_sequence(learners.CartClassifier(), IRIS.X[listed], IRIS.y[listed], among)
    agree(one.validated.error, other.validated.error)
    agree(one.path.alpha, other.path.alpha)
