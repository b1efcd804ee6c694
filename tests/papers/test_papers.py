"""What papers say of their trees, by hand: Nalenz & Augustin 2021, Zhou & Hooker 2016, Molhoek 2021."""

import math
from typing import Any

import numpy as np
import pytest

from espalier.data.samples.redrawn import five_covariate_logit
from espalier.kernels.cultivated.fractions import fractions_of, log_ensemble_size, predict
from espalier.learners import ApproximationClassifier, CultivatedClassifier, RandomForestClassifier
from espalier.learners.optimal import OptimalClassifier
from espalier.trees import LEAF, make_cultivated, make_tree, softened
from tests.tools.by_hand import NAN, neighbourhoods, options
from tests.tools.naive.optimal import Case, function_of, problem

POINT = np.array([5.0, 4.0])  # (x1, x2) of figure 2
M1, M2, M3 = (4, 5, 6), (2, 3, 4), (3, 4, 5)  # supplement A


def psi(x, cuts):
    """Mean of d(x) = I(x <= t) over a module."""
    return sum(x <= t for t in cuts) / len(cuts)


def figure_2b():
    """The standard tree: x1 <= 5, then x2 <= 3 or x2 <= 4 (supplement A's paths through figure 1a)."""
    return make_tree(
        [0, 1, -1, -1, 1, -1, -1],
        [5, 3, NAN, NAN, 4, NAN, NAN],
        [1, 2, -1, -1, 5, -1, -1],
        [4, 3, -1, -1, 6, -1, -1],
        [0] * 7,
        [False] * 7,
        [12, 6, 3, 3, 6, 3, 3],
        [12, 6, 3, 3, 6, 3, 3],
        [[0.5], [0.2], [0], [0.4], [0.8], [0.6], [1]],
        [0.25, 0.16, 0, 0.24, 0.16, 0.24, 0],
    )


def test_a_leaf_is_the_product_of_the_gates_on_its_path_as_for_the_point_of_figure_2_and_nine_trees_each():
    for x1 in range(3, 8):
        for x2 in range(1, 7):
            first, second, third = psi(x1, M1), psi(x2, M2), psi(x2, M3)
            leaves = (first * second, first * (1 - second), (1 - first) * third, (1 - first) * (1 - third))
            found = fractions_of(neighbourhoods(), np.array([x1, x2], dtype=float))
            assert found[[2, 3, 5, 6]].tolist() == pytest.approx(leaves, abs=1e-15)
    found = fractions_of(neighbourhoods(), POINT)
    assert found.tolist() == pytest.approx([1, 2 / 3, 2 / 9, 4 / 9, 1 / 3, 2 / 9, 1 / 9])
    assert fractions_of(softened(figure_2b()), POINT).tolist() == [1, 1, 0, 1, 0, 0, 0]
    assert log_ensemble_size(neighbourhoods()) == pytest.approx(3 * math.log10(3))
    # Equation (1) for the second leaf: of the 9 pairs of cuts the point fulfils x1 <= t and x2 > u in 4.
    fulfilled = [POINT[0] <= t and POINT[1] > u for t in M1 for u in M2]
    assert len(fulfilled) == 9
    assert fractions_of(neighbourhoods(), POINT)[3] == pytest.approx(sum(fulfilled) / 9)
    assert fractions_of(options(), POINT).tolist() == pytest.approx([1, 5 / 6, 1 / 6])
    assert fractions_of(options(), np.array([5.0, 3.0])).tolist() == pytest.approx([1, 1 / 3, 2 / 3])
    assert log_ensemble_size(options()) == pytest.approx(math.log10(4))


def halves(*values):
    """A tree that sends half of every missing value to leaves with these two values."""
    return make_cultivated(
        [1, -1, -1],
        [2, -1, -1],
        [2, 1, 1],
        [2, 1, 1],
        [[0.5], *([v] for v in values)],
        [0.25, 0, 0],
        ([0, 1, 1, 1], [0], [0], [False], [1], [0.5], [0]),
        ([0, 1], [0], [1]),
    )


def test_half_in_a_leaf_of_0_and_half_in_one_of_1_is_most_uncertain_and_two_leaves_of_one_half_leave_the_outcome():
    mean, spread = predict(halves(0, 1), np.array([[np.nan]]))
    assert (mean[0, 0], spread[0]) == (0.5, 0.5)
    mean, spread = predict(halves(0.5, 0.5), np.array([[np.nan]]))
    assert (mean[0, 0], spread[0]) == (0.5, 0)


def grown(x, y, weight=None, **parameters):
    model = CultivatedClassifier(max_depth=1, thresholds="data", **parameters)  # as the paper writes t0
    return model.fit(np.array(x, dtype=float)[:, None], y, sample_weight=weight).tree_


def test_equation_2_takes_k_full_samples_on_either_side_and_the_rest_of_the_outermost():
    tree = grown([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 1, 1, 1, 1], k=1.5)
    assert tree.decisions.threshold.tolist() == [4]
    assert tree.cuts.value.tolist() == [2, 3, 4, 5, 6]
    assert tree.cuts.weight.tolist() == [0.5, 1, 1, 1, 0.5]  # their sum is 2 k + phi(t0) = 4
    # Gini after the cut at 4 is 0; at 3 and 5 it is 5/8 of 2 (1/5) (4/5); at 2 and 6 it is 6/8 of 2 (1/3) (2/3).
    assert tree.decisions.impurity[0] == pytest.approx((0.5 / 3 + 0.2 + 0 + 0.2 + 0.5 / 3) / 4)
    left = [fractions_of(tree, np.array([float(x)]))[1] for x in range(1, 9)]
    assert left == pytest.approx([1, 1, 3.5 / 4, 2.5 / 4, 1.5 / 4, 0.5 / 4, 0, 0])


def test_fractional_samples_are_fractional_cuts_sides_end_k_is_the_root_of_the_weight_and_the_right_is_higher():
    weight = [2, 2, 0.5, 1, 0.5, 0.5, 0.5, 2]
    tree = grown([1, 2, 3, 4, 4, 5, 6, 7], [0, 0, 0, 0, 0, 1, 1, 1], weight, k=1)
    assert tree.cuts.value.tolist() == [2, 3, 4, 5, 6]
    assert tree.cuts.weight.tolist() == [0.5, 0.5, 1.5, 0.5, 0.5]
    tree = grown([1, 2, 3, 4, 5, 6], [0, 1, 1, 1, 1, 1], k=3)
    assert tree.cuts.value.tolist() == [1, 2, 3, 4]
    assert tree.cuts.weight.tolist() == [1, 1, 1, 1]
    tree = grown(range(16), [0] * 8 + [1] * 8)
    assert tree.cuts.weight.tolist() == [1] * 9  # t0 and 4 on either side
    assert tree.cuts.value.tolist() == list(range(3, 12))
    tree = grown([1, 2, 3, 4, 5, 6], [1, 1, 1, 0, 0, 0])
    assert tree.decisions.reversed.tolist() == [True]
    assert tree.value[1, 1] < tree.value[2, 1]


def test_options_are_the_features_within_eta_over_s_cubed_of_the_best():
    # One cut each (k = 0): the first feature is pure (h = 0); the second has one sample of six on the wrong
    # side: 4/6 of 2 (1/4) (3/4) = 0.25; the third 2 (1/3) (2/3) = 4/9.
    X = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 1], [1, 1, 1]], dtype=float)
    y = [0, 0, 0, 1, 1, 1]
    for eta, chosen in ((0, [0]), (0.2, [0]), (0.25, [0, 1]), (0.4, [0, 1]), (0.45, [0, 1, 2])):
        decisions = CultivatedClassifier(max_depth=1, k=0, eta=eta).fit(X, y).tree_.decisions
        assert decisions.feature.tolist() == chosen
        assert decisions.share.tolist() == pytest.approx([1 / len(chosen)] * len(chosen))
        assert decisions.impurity.tolist() == pytest.approx([0, 0.25, 4 / 9][: len(chosen)], abs=1e-15)


def test_with_k_of_all_samples_the_gate_is_the_empirical_distribution_function():
    x = np.array([3, 1, 1, 7, 4, 9, 2, 6], dtype=float)
    weight = np.array([1, 2, 1, 0.5, 1, 3, 1, 1])
    tree = grown(x, [0, 0, 1, 1, 1, 1, 0, 0], weight, k="all")
    for t in (0.5, 1, 3, 3.5, 6, 9, 9.5):
        to_left = fractions_of(tree, np.array([t]))[1]
        assert to_left == pytest.approx(weight[x >= t].sum() / weight.sum())


WIDTH = [0.05] * 5  # the kernel of the authors' scripts; the paper does not state it


def simulated(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 5))
    return X, (rng.random(n) < 1 / (1 + np.exp(-five_covariate_logit(X)))).astype(int)


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(n_estimators=100, random_state=0).fit(*simulated(1000, 1))


def test_the_log_odds_are_those_of_the_table():
    rows = [
        (0.6, 0.8, 0, 0, 0), (0.6, 0.7, 0, 0, 0), (0.6, 0.2, 0, 0, 0), (0.5, 0, 0.4, 1, 0.5),
        (0.5, 0, 0.25, 0.5, 0.5), (0.5, 0, 0.24, 0.5, 0.5), (0.5, 0, 0, 0, 0.6),
    ]  # fmt: skip
    assert five_covariate_logit(np.array(rows)).tolist() == [2, -3, -4, 3, 2, -2, 2]


@pytest.mark.parametrize("parameters", [{"max_samples": 20_000}, {"method": "exact"}])
def test_the_tree_of_five_layers_agrees_with_the_forest_on_95_percent(forest, parameters):
    X, _ = simulated(1000, 1)
    tree = ApproximationClassifier(forest, max_depth=4, bandwidth=WIDTH, random_state=0, **parameters).fit(X)
    fresh, _ = simulated(10_000, 2)
    assert (tree.predict(fresh) == forest.predict(fresh)).mean() > 0.95
    assert np.abs(tree.predict_proba(fresh) - forest.predict_proba(fresh))[:, 1].mean() < 0.1


def test_the_first_layers_find_the_thresholds_of_the_simulation(forest):
    X, _ = simulated(1000, 1)
    tree = ApproximationClassifier(forest, max_depth=2, bandwidth=WIDTH, method="exact").fit(X).tree_
    assert tree.feature[0] == 0
    assert tree.threshold[0] == pytest.approx(0.5, abs=0.02)
    assert tree.feature[tree.right[0]] == 1
    assert tree.threshold[tree.right[0]] == pytest.approx(0.7, abs=0.02)


def test_the_trees_of_other_pseudo_samples_have_the_same_first_splits(forest):
    X, _ = simulated(1000, 1)
    roots = [
        ApproximationClassifier(forest, max_depth=2, bandwidth=WIDTH, random_state=seed).fit(X).tree_
        for seed in range(3)
    ]
    assert len({tuple(tree.feature.tolist()) for tree in roots}) == 1
    assert np.ptp([tree.threshold[0] for tree in roots]) < 0.05


A_AND_B = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)  # columns A and B: every feature vector once
B_AND_NOT_A = np.array([0, 1, 0, 0])


def fit(X, y, **parameters) -> Any:
    return OptimalClassifier(**parameters).fit(X, y)


def figure_2(first, leaf_first, labels):
    """A tree that asks the columns `first` and then the other, on the side where the first leaf is not."""
    then = 1 - first
    feature = [first, -1, then, -1, -1] if leaf_first else [first, then, -1, -1, -1]
    left = [1, -1, 3, -1, -1] if leaf_first else [1, 2, -1, -1, -1]
    right = [2, -1, 4, -1, -1] if leaf_first else [4, 3, -1, -1, -1]
    shares = [[0.75, 0.25]] * 5
    for node, label in zip([n for n in range(5) if feature[n] == LEAF], labels, strict=True):
        shares[node] = [1 - label, label]
    threshold = [NAN if f == LEAF else 0.5 for f in feature]
    return make_tree(
        feature, threshold, left, right, [0] * 5, [False] * 5, [4, 2, 2, 1, 1], [1] * 5, shares, [0] * 5
    )


def test_the_two_trees_of_figure_2_are_one_function_of_which_a_set_of_optimal_trees_has_one():
    case = Case(A_AND_B, B_AND_NOT_A, np.ones(4), 1 - np.eye(2))
    question = problem(A_AND_B <= 0.5, case, 2)
    a_first = figure_2(0, False, [0, 1, 0])
    b_first = figure_2(1, True, [0, 1, 0])
    assert function_of(a_first, A_AND_B, question) == function_of(b_first, A_AND_B, question)
    model = fit(A_AND_B, B_AND_NOT_A, max_depth=2)
    trees = list(model.optimal_trees())
    assert [(t.objective, t.n_splits) for t in trees] == [(0, 2)]
    assert model.predict(A_AND_B).tolist() == B_AND_NOT_A.tolist()


def test_the_depth_counts_predicates_on_a_path_and_the_size_counts_them_all():
    # Section 3.3: a maximum depth d and a maximum number of predicate nodes n; section 3.2: leaves do not count.
    for depth, splits, errors in ((1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 2, 0), (2, 3, 0)):
        model = fit(A_AND_B, B_AND_NOT_A, max_depth=depth, max_splits=splits)
        assert model.proof_.objective == errors
        assert model.tree_.depth <= depth
        assert np.count_nonzero(model.tree_.feature != LEAF) <= splits


def patients():
    """One sign that says little of a rare illness: 40 without it, 2 of them ill; 18 with it, 6 of them ill."""
    sign = np.repeat([0.0, 1.0], [40, 18])[:, None]
    ill = np.repeat([0, 1, 0, 1], [38, 2, 12, 6])
    return sign, np.where(ill == 1, "ill", "healthy")


@pytest.mark.parametrize(
    ("times", "objective", "says"),
    [
        (1, 8, ["healthy", "healthy"]),  # all eight ill are missed
        (2, 16, ["healthy", "healthy"]),  # 12 healthy invited for 6 missed costs the same: the lone leaf it is
        (5, 10 + 12, ["healthy", "ill"]),  # two missed at 5, and 12 invited
        (18, 36 + 12, ["healthy", "ill"]),
        (20, 38 + 12, ["ill", "ill"]),  # nobody is sent home: 50 invited; a leaf and no split
    ],
)
def test_the_worse_it_is_to_miss_the_ill_the_more_healthy_are_invited(times, objective, says):
    # Section 8.1: the sum of weights of misclassified instances is what is least.
    X, y = patients()
    model = fit(X, y, max_depth=2, misclassification_cost=[[0, 1], [times, 0]])
    assert model.proof_.objective == objective
    assert model.predict([[0.0], [1.0]]).tolist() == says
    assert model.tree_.n_leaves == len(set(says))


def test_equal_weights_are_the_original_as_a_special_case():
    # Section 8.1: where all weights are equal, the number of misclassifications is what is least.
    rng = np.random.default_rng(8)
    for _ in range(10):
        X, y = rng.integers(0, 2, (30, 5)).astype(float), rng.integers(0, 2, 30)
        original = fit(X, y, max_depth=3)
        weighted = OptimalClassifier(max_depth=3).fit(X, y, sample_weight=np.full(30, 4.0))
        priced = fit(X, y, max_depth=3, misclassification_cost=[[0, 4], [4, 0]])
        assert weighted.proof_.objective == priced.proof_.objective == 4 * original.proof_.objective
        assert weighted.tree_.n_leaves == priced.tree_.n_leaves == original.tree_.n_leaves
