"""The numbers that the lesson on missing values and categories says are those of the Tree page."""

import numpy as np
import pytest

from espalier.analysis.tree.surrogates import surrogate_tests
from espalier.data import HeldOut, held_out
from espalier.learners import CartClassifier
from espalier.learners.missing import WAYS
from espalier.trees import Tree
from tests.lessons.test_numbers import Grown
from tests.tools.gaps import removed


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


def error_with_gaps(data, way, share, seed):
    """Share of wrong classes, in per cent, where values are missing in rows that grow the tree and in others."""
    tested, X = held_out(data, HeldOut(30, seed)), removed(data.X, share, seed)
    tree = CartClassifier(max_depth=3, missing=way).fit(X[~tested], data.y[~tested])
    return 100 * np.mean(tree.predict(X[tested]) != data.y[tested])


def test_surrogates_bear_gaps_in_the_wines_better_than_other_ways():
    data = Grown("wine", depth=1).data
    means = {
        share: [
            round(float(np.mean([error_with_gaps(data, way, share, seed) for seed in range(10)])), 1)
            for way in WAYS
        ]
        for share in (0.0, 0.3)
    }
    assert list(WAYS) == ["side", "category", "impute", "surrogate"]
    assert means == {0.0: [9.4] * 4, 0.3: [24.7, 23.0, 24.5, 15.5]}
