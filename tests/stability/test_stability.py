"""Stability: pure data give one structure and noise gives many; counts, intervals and differences by hand."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from espalier.data.dataset import Feature, make_dataset
from espalier.learners import CartClassifier, CultivatedClassifier, OptimalClassifier
from espalier.stability import structures
from espalier.stability.replicates import Plan, replicate
from espalier.stability.resampling import Redraw
from espalier.stability.splits import difference
from espalier.stability.structures import Equality, levels, structures_of
from espalier.trees import LEAF, softened
from tests.stability.test_structures import grown, hesitating
from tests.tools.cases import case

YES = Feature("y", "category", ("no", "yes"))


def table(X, y):
    return make_dataset("t", X, [Feature(f"x{i}") for i in range(X.shape[1])], y, YES)


def pure():
    """Two clouds far apart in one feature: every bootstrap sample parts them, and nothing else."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    return table(np.column_stack([y * 10.0, rng.normal(size=100)]), y)


def noise():
    rng = np.random.default_rng(0)
    return table(rng.normal(size=(100, 4)), rng.integers(0, 2, 100))


LEARNERS = [CartClassifier(max_depth=3), CultivatedClassifier(max_depth=3), OptimalClassifier(max_depth=2)]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("kind", [name for name, _, _ in structures.EQUALITIES])
def test_pure_data_give_one_structure_and_noise_gives_many(learner, kind):
    for data, few in ((pure(), True), (noise(), False)):
        trees = replicate(learner, data, Plan(Redraw("bootstrap"), 20)).trees
        bars = levels(structures_of(trees, 2, Equality(kind, 0.01), data.X))
        assert (bars[-1].n_structures == 1) == few
        assert (bars[-1].entropy == 0) == few


# ---- histograms


def signature(tree, depth, node=0):
    if tree.left[node] == LEAF or depth == 0:
        return None
    below = (signature(tree, depth - 1, child) for child in (int(tree.left[node]), int(tree.right[node])))
    return int(tree.feature[node]), float(tree.threshold[node]), *below


def test_bars_are_what_counting_signatures_gives():
    trees = replicate(CartClassifier(max_depth=3), table(np.random.default_rng(1).integers(0, 3, (40, 3)) * 1.0,
                      np.arange(40) % 2), Plan(Redraw("bootstrap"), 60)).trees  # fmt: skip
    bars = levels(structures_of(trees, 3, Equality("exact")))
    for bar in bars:
        signatures = [signature(tree, bar.depth) for tree in trees]
        counted = Counter(signatures)
        assert bar.counts.tolist() == sorted(counted.values(), reverse=True)
        assert [counted[signatures[first]] for first in bar.first] == bar.counts.tolist()
        assert all(signatures.index(signatures[first]) == first for first in bar.first)
        assert bar.n_structures == len(counted)
        assert bar.top_share == max(counted.values()) / 60
        assert bar.unseen == sum(count == 1 for count in counted.values()) / 60
        assert bar.interval[0] < bar.top_share < bar.interval[1] or bar.top_share == 1


@given(st.integers(1, 60), st.data())
def test_the_interval_is_where_the_count_is_two_deviations_off(n, data):
    count = data.draw(st.integers(0, n))
    low, high = structures.wilson(count, n, 2.0)

    def off(p):
        return (count / n - p) ** 2 - 4 * p * (1 - p) / n

    for end, inside in ((low, (0.0, count / n)), (high, (count / n, 1.0))):
        if 0 < count < n:
            assert end == pytest.approx(brentq(off, *inside))
        assert off(end) == pytest.approx(0, abs=1e-12)
    assert low <= count / n <= high


def test_plain_trees_are_compared_by_the_tolerance_of_neighbourhoods_and_an_unknown_equality_is_named():
    trees = [grown({"": (0, t, 0)}) for t in (1.0, 1.4, 9.0)]
    assert structures_of(trees, 1, Equality("neighbourhood", [0.5])).label.tolist() == [[0, 0, 1]]
    assert difference(trees[0], trees[1], 1, Equality("neighbourhood", [0.5])) is None
    with pytest.raises(ValueError, match="no equality 'shape'; there are features, exact"):
        structures_of([grown({})], 1, Equality("shape"))
    with pytest.raises(ValueError, match="no rows"):
        structures_of([grown({})], 1, Equality("function"))


# ---- differences


BASE = {"": (0, 1.0, 0), "l": (1, 2.0, 0), "r": (2, 3.0, 0), "rl": (1, 4.0, 0)}


def test_the_first_difference_is_found_from_the_root_down_and_from_the_left():
    for changed, what, way in [
        ({"": (3, 1.0, 0)}, "feature", ()),
        ({"": (0, 1.5, 0), "l": (9, 2.0, 0)}, "threshold", ()),
        ({"l": (1, 2.5, 0), "r": (9, 2.0, 0)}, "threshold", (True,)),
        ({"rl": (1, 4.5, 0)}, "threshold", (False, True)),
        ({"rl": None}, "leaf", (False, True)),
        ({"ll": (0, 0.0, 0)}, "split", (True, True)),
        ({"r": (2, np.nan, 5)}, "categories", (False,)),
    ]:
        with case((changed, what, way)):
            tree, other = grown({k: v for k, v in {**BASE, **changed}.items() if v}), grown(BASE)
            found: Any = difference(tree, other, 3, Equality("exact"))
            assert (found.what, found.way, found.depth) == (what, way, len(way))
            for one, node in ((tree, found.node), (other, found.other)):
                at = 0
                for left in way:
                    at = int(one.left[at] if left else one.right[at])
                assert node == at


def test_what_an_equality_overlooks_is_no_difference():
    tree, other = grown({**BASE, "l": (1, 2.5, 0)}), grown(BASE)
    assert difference(tree, other, 3, Equality("features")) is None
    assert difference(tree, other, 3, Equality("tolerance", 0.5)) is None
    assert difference(tree, other, 3, Equality("tolerance", [0, 0.5, 0])) is None
    assert difference(tree, other, 3, Equality("tolerance", [9, 0.4, 9])) is not None
    assert difference(tree, other, 1, Equality("exact")) is None
    assert difference(other, softened(other), 3, Equality("exact")) is None
    near, far = hesitating(3, 1, 5), hesitating(3.5, 3.2, 3.9)
    assert difference(hesitating(2, 0, 4), near, 1, Equality("neighbourhood")) is None
    found: Any = difference(hesitating(2, 0, 4), far, 1, Equality("neighbourhood"))
    assert found.what == "threshold"


@pytest.mark.parametrize("kind", ["features", "exact"])
def test_trees_of_one_structure_do_not_differ_and_of_two_do(kind):
    trees = replicate(CartClassifier(max_depth=2), noise(), Plan(Redraw("folds", 10), 30)).trees
    label = structures_of(trees, 2, Equality(kind)).label[-1]
    for tree, own in zip(trees, label, strict=True):
        assert (difference(tree, trees[0], 2, Equality(kind)) is None) == (own == label[0])
