"""Agreement, strength and correlation: by hand, beside naive loops, and as laws."""

from itertools import combinations
from math import nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.forests.agreement import (
    agreement,
    agreement_of,
    likeness_order,
    mean_agreement,
    residual_correlation,
    strength_and_correlation,
    votes,
)
from espalier.learners import CultivatedClassifier, RandomForestClassifier, RandomForestRegressor
from espalier.trees import make_forest
from tests.tools.naive import cart as naive
from tests.tools.voters import tellers, voters

untimed = settings(deadline=None, max_examples=60)

HAND = [[0, 0, 1, 1], [0, 1, 1, 1], [1, 0, 1, 0]]  # three trees, four samples
TRUTH = np.array([0, 0, 1, 1])


@st.composite
def elections(draw):
    """Votes (n_trees, n_samples), the truth, weights of the trees, the number of classes, and who was in bag."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_trees, n, n_classes = draw(st.integers(2, 7)), draw(st.integers(1, 30)), draw(st.integers(2, 4))
    truth = rng.integers(0, n_classes, n)
    right = rng.random((n_trees, n)) < draw(st.sampled_from([0.3, 0.6, 0.9]))
    cast = np.where(right, truth, rng.integers(0, n_classes, (n_trees, n)))
    weight = rng.uniform(0.5, 2, n_trees) if draw(st.booleans()) else np.ones(n_trees)
    in_bag = rng.integers(0, 2, (n_trees, n)).astype(np.uint8)
    in_bag[0, 0] = 0
    return cast, truth, weight / weight.sum(), n_classes, in_bag


# ---- by hand


def test_agreement_strength_correlation_and_residuals_by_hand_out_of_bag_by_the_trees_that_did_not_see_a_sample():
    forest, X = voters(HAND)
    assert votes(forest, X).tolist() == HAND
    matrix = agreement(forest, X)
    assert matrix.tolist() == [[1, 0.75, 0.5], [0.75, 1, 0.25], [0.5, 0.25, 1]]
    assert mean_agreement(matrix) == 0.5
    found = strength_and_correlation(*voters(HAND), TRUTH)
    assert found.margin == pytest.approx([1 / 3, 1 / 3, 1, 1 / 3])
    assert found.strength == pytest.approx(0.5)
    sd = (0 + sqrt(0.75) + 1) / 3  # raw margins: always 1; 1, -1, 1, 1; -1, 1, 1, -1
    assert found.correlation == pytest.approx((1 / 12) / sd**2)
    assert found.bound == pytest.approx(3 * found.correlation)
    assert found.error == 0
    in_bag = np.array([[0, 1, 1, 1], [1, 0, 1, 2], [0, 1, 1, 0]])
    found = strength_and_correlation(*voters(HAND), TRUTH, in_bag)
    assert found.margin == pytest.approx([0, -1, nan, -1], nan_ok=True)
    assert found.strength == pytest.approx(-2 / 3)
    assert found.error == pytest.approx(2 / 3)
    assert np.isnan(found.bound), "the theorem is about forests that are more often right than wrong"
    found = residual_correlation(*tellers([[1, 2], [3, 2]]), np.array([2.0, 1.0]))
    # residuals: 1, -1 and -1, -1
    assert found.tree_error == 1
    assert found.error == pytest.approx((0 + 1) / 2)
    assert found.correlation == pytest.approx((1 * -1 + -1 * -1) / 2)
    assert found.fall.of(np.array([1, 2])) == pytest.approx([1, 0.5])


# ---- naive loops


def naive_strength(cast, truth, weight, n_classes, in_bag):
    """Breiman (2001), appendix II, a sum at a time; with the minus that his formula of sd wants."""
    margins, rivals = {}, {}
    for i, right in enumerate(truth):
        unseen = [t for t in range(len(cast)) if not in_bag[t, i]]
        if not unseen:
            continue
        q = [sum(weight[t] for t in unseen if cast[t, i] == j) / sum(weight[t] for t in unseen)
             for j in range(n_classes)]  # fmt: skip
        others = [j for j in range(n_classes) if j != right]
        rivals[i] = max(others, key=lambda j, q=q: q[j])
        margins[i] = q[right] - q[rivals[i]]
    s = np.mean(list(margins.values()))
    sds, weights = [], []
    for t in range(len(cast)):
        rows = [i for i in range(len(truth)) if not in_bag[t, i]]
        if rows:
            p1 = np.mean([cast[t, i] == truth[i] for i in rows])
            p2 = np.mean([cast[t, i] == rivals[i] for i in rows])
            sds.append(sqrt(max(p1 + p2 - (p1 - p2) ** 2, 0)))
            weights.append(weight[t])
    return margins, s, np.var(list(margins.values())), np.average(sds, weights=weights)


@untimed
@given(elections(), st.booleans())
def test_strength_and_correlation_are_those_of_the_naive_loops(election, out_of_bag):
    cast, truth, weight, n_classes, in_bag = election
    forest, X = voters(cast, n_classes, weight)
    found = strength_and_correlation(forest, X, truth, in_bag if out_of_bag else None)
    bag = in_bag if out_of_bag else np.zeros_like(in_bag)
    margins, s, variance, sd = naive_strength(cast, truth, weight, n_classes, bag)
    expected = [margins.get(i, nan) for i in range(len(truth))]
    assert found.margin == pytest.approx(expected, nan_ok=True, abs=1e-12)
    assert found.strength == pytest.approx(s, abs=1e-12)
    if sd > 1e-6:
        assert found.correlation == pytest.approx(variance / sd**2, abs=1e-9)
    else:
        assert np.isnan(found.correlation)


@untimed
@given(elections())
def test_agreement_is_that_of_the_naive_loops(election):
    cast = election[0]
    expected = [[np.mean([a == b for a, b in zip(x, y, strict=True)]) for x in cast] for y in cast]
    np.testing.assert_allclose(agreement_of(cast), expected, atol=1e-15)


@pytest.mark.parametrize("out_of_bag", [False, True])
def test_residual_moments_are_those_of_the_naive_loops(out_of_bag):
    rng = np.random.default_rng(0)
    said, y = rng.normal(size=(4, 40)), rng.normal(size=40)
    in_bag = rng.integers(0, 2, (4, 40)) * out_of_bag
    found = residual_correlation(*tellers(said), y, in_bag if out_of_bag else None)
    off, free = y - said, in_bag == 0
    moment = {
        (a, b): np.mean([off[a, i] * off[b, i] for i in range(40) if free[a, i] and free[b, i]])
        for a in range(4) for b in range(4)
    }  # fmt: skip
    own = [moment[a, a] for a in range(4)]
    pairs = [(a, b) for a in range(4) for b in range(4) if a != b]
    together = np.mean([moment[pair] for pair in pairs])
    assert found.tree_error == pytest.approx(np.mean(own))
    assert found.fall.floor == pytest.approx(together)
    assert found.correlation == pytest.approx(together / np.mean([sqrt(own[a] * own[b]) for a, b in pairs]))
    mean = [off[free[:, i], i].mean() for i in range(40) if free[:, i].any()]
    assert found.error == pytest.approx(np.mean(np.square(mean)))


# ---- laws


@untimed
@given(elections())
def test_the_formula_is_the_variance_of_the_mean_of_every_few_trees_on_average(election):
    cast, truth, _, n_classes, _ = election
    found = strength_and_correlation(*voters(cast, n_classes), truth)
    rival = [naive_strength(cast, truth, np.full(len(cast), 1 / len(cast)), n_classes, np.zeros_like(cast))]
    assert rival[0][1] == pytest.approx(found.strength)
    raw = _raw_margins(cast, truth, n_classes)
    for size in range(1, len(cast) + 1):
        spread = np.mean([raw[list(few)].mean(axis=0).var() for few in combinations(range(len(cast)), size)])
        assert found.fall.of(size) == pytest.approx(spread, abs=1e-9)


def _raw_margins(cast, truth, n_classes):
    raw = np.zeros(cast.shape)
    for i, right in enumerate(truth):
        counts = [np.sum(cast[:, i] == j) if j != right else -1 for j in range(n_classes)]
        raw[:, i] = (cast[:, i] == right) * 1.0 - (cast[:, i] == int(np.argmax(counts)))
    return raw


def test_a_large_forest_of_numbers_is_no_worse_than_its_bound_and_trees_that_agree_stand_side_by_side():
    data = samples.load("diabetes")
    forest = RandomForestRegressor(n_estimators=40, random_state=0, n_jobs=2).fit(data.X, data.y)
    found = residual_correlation(forest.forest_, data.X, data.y, forest.in_bag())
    assert 0 < found.correlation < 1
    assert found.fall.floor <= found.bound + 1e-9
    assert found.fall.floor < found.error < found.tree_error
    matrix = np.array([[1, 0.2, 0.9, 0.1], [0.2, 1, 0.1, 0.8], [0.9, 0.1, 1, 0.2], [0.1, 0.8, 0.2, 1]])
    order = likeness_order(matrix).tolist()
    assert sorted(order) == [0, 1, 2, 3]
    assert {frozenset(order[:2]), frozenset(order[2:])} == {frozenset({0, 2}), frozenset({1, 3})}
    assert likeness_order(np.ones((1, 1))).tolist() == [0]


# ---- real forests


def test_the_votes_of_real_trees_are_their_greatest_shares():
    data = samples.load("wine")
    forest = RandomForestClassifier(n_estimators=5, max_depth=2, random_state=0).fit(data.X, data.y).forest_
    grown = [CultivatedClassifier(max_depth=2, max_features=5, random_state=s).fit(data.X, data.y) for s in (0, 1)]
    soft = make_forest([model.tree_ for model in grown], np.ones(2), "mean", forest.prior)
    assert np.array_equal(votes(soft, data.X), [model.predict(data.X) for model in grown])
    cast = votes(forest, data.X, n_jobs=2)
    assert cast.dtype == np.int64
    for tree, own in zip(forest.trees, cast, strict=True):
        for leaf, rows in enumerate(naive.rows_by_node(tree, data.X)):
            if tree.feature[leaf] < 0:
                assert (own[rows] == tree.value[leaf].argmax()).all()


# ---- what cannot be


def test_what_has_no_answer_is_refused():
    numbers, X = tellers([[1, 2], [3, 4]])
    classes, Z = voters(HAND)
    with pytest.raises(ValueError, match="predict numbers and have no votes"):
        votes(numbers, X)
    with pytest.raises(ValueError, match="vote for classes"):
        residual_correlation(classes, Z, TRUTH)
    with pytest.raises(ValueError, match="no rows"):
        agreement(classes, Z[:0])
    with pytest.raises(ValueError, match="every tree saw every sample"):
        strength_and_correlation(classes, Z, TRUTH, np.ones((3, 4)))
    with pytest.raises(ValueError, match="every tree saw every sample"):
        residual_correlation(numbers, X, np.zeros(2), np.ones((2, 2)))
