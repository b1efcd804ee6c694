"""Curves of Poisson deviance: against the obvious version, and as trees grow by it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.analysis.tree.nodes import category_curve, impurity_curve
from espalier.learners import CartRegressor

untimed = settings(deadline=None, max_examples=40)


def half_deviance(y, weight):
    """Half the mean Poisson deviance from the mean; infinite for later events where there were none."""
    mean = np.average(y, weights=weight)
    terms = [v * math.log(v / mean) if v > 0 else 0.0 for v in y]
    return float(np.average(terms, weights=weight))


@untimed
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.5, 3.0]), st.sampled_from([1.0, 2.5])), min_size=2
    )
)
def test_a_curve_is_the_obvious_one_and_cuts_without_events_on_a_side_gain_nothing(rows):
    x, y, weight = map(np.array, zip(*rows, strict=True))
    curve = impurity_curve(x.astype(float), y, weight, "poisson")
    assert curve.node_impurity == pytest.approx(half_deviance(y, weight) if y.any() else 0.0, abs=1e-12)
    for threshold, found in zip(curve.threshold, curve.impurity, strict=True):
        left = x <= threshold
        if y[left].any() and y[~left].any():
            parts = [half_deviance(y[side], weight[side]) * weight[side].sum() for side in (left, ~left)]
            assert found == pytest.approx(sum(parts) / weight.sum(), abs=1e-12)
        else:
            assert found == pytest.approx(curve.node_impurity, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_root_of_a_tree_by_poisson_deviance_is_the_best_cut_of_its_curves(seed):
    rng = np.random.default_rng(seed)
    x, weight = rng.integers(0, 9, 60).astype(float), rng.choice([1.0, 2.0], 60)
    y = rng.poisson(np.exp(0.3 * x - 1)).astype(float)
    tree = CartRegressor(criterion="poisson", max_depth=1).fit(x[:, None], y, weight).tree_
    curve = impurity_curve(x, y, weight, "poisson")
    assert curve.threshold[curve.best] == tree.threshold[0]
    assert curve.node_impurity == pytest.approx(tree.impurity[0])
    assert curve.impurity[curve.best] == pytest.approx(tree.weight[1:] @ tree.impurity[1:] / tree.weight[0])


def test_categories_are_ordered_by_their_rate_of_events():
    codes, y = np.array([0.0, 0, 1, 1, 2, 2]), np.array([5.0, 7, 1, 0, 3, 2])
    assert category_curve(codes, y, None, "poisson").order.tolist() == [1, 2, 0]
