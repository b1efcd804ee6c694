"""The numbers that the lesson on missing values and categories says are those of the Tree page."""

import numpy as np
import pytest

from espalier.analysis.tree.missing import Removals, removal_errors
from espalier.analysis.tree.surrogates import surrogate_tests
from espalier.trees import Tree
from pages.shared.tree import fits
from tests.lessons.test_numbers import Grown, model


def test_red_jackets_are_all_members_and_stand_against_three_other_colours():
    grown = Grown("monks-1", depth=1)
    jacket = grown.data.features[4]
    assert (jacket.name, len(jacket.categories)) == ("jacket", 4)
    assert grown.tree.value[grown.tree.right[0]].tolist() == [0, 1]
    assert grown.tree.n_samples.tolist() == [302, 228, 74]
    red = grown.data.X[:, 4] == jacket.categories.index("red")
    assert int((red & ~grown.held).sum()) == 74


@pytest.mark.parametrize(
    ("data", "column", "threshold", "agreement"),
    [("wine", "flavanoids", 2.685, 0.84), ("iris", "petal width", 0.8, 1)],
)
def test_the_best_surrogates_at_the_roots_are_those_of_the_lesson(data, column, threshold, agreement):
    grown = Grown(data, depth=3, missing="surrogate")
    assert isinstance(grown.tree, Tree)
    kept = grown.tree.surrogates
    assert kept is not None
    assert len(surrogate_tests(grown.tree, 0)) == {"wine": 5, "iris": 3}[data]
    assert grown.data.features[kept.feature[0]].name == column
    assert (kept.threshold[0], kept.agreement[0]) == pytest.approx((threshold, agreement))
    assert not kept.reversed[0]


def test_surrogates_bear_gaps_in_the_wines_better_than_other_ways():
    data = Grown("wine", depth=1).data
    estimator = fits.estimator_of(model("cart", data, {"depth": 3}), data)
    found = removal_errors(estimator, data, Removals(shares=(0.0, 0.3)))
    assert found is not None
    without, at_30 = np.round(100 * found.mean, 1).T
    assert without.tolist() == [9.4] * 4
    assert dict(zip(found.ways, at_30.tolist(), strict=True)) == {
        "side": 24.7, "category": 23.0, "impute": 24.5, "surrogate": 15.5,
    }  # fmt: skip
