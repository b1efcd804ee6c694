"""What errors cost, worked out by hand."""

import numpy as np
import pytest

from espalier.analysis.tree.costs import mistakes, prices, row_weights

TRUTH = np.array([0, 0, 0, 1, 1, 2])
SAID = np.array([0, 1, 2, 1, 0, 2])


def test_where_all_errors_are_alike_the_cost_is_their_number():
    equal = prices(TRUTH, 3, balanced=False)
    assert equal.are_equal
    assert mistakes(TRUTH, SAID, equal) == (6, 3, 3.0)


def test_a_class_that_is_worse_to_mistake_costs_more_and_only_when_it_is_the_truth():
    cost = np.array([[0, 5, 5], [1, 0, 1], [1, 1, 0]])
    unequal = prices(TRUTH, 3, balanced=False, cost=cost)
    assert not unequal.are_equal
    assert mistakes(TRUTH, SAID, unequal) == (6, 3, 11.0)
    assert row_weights(unequal).tolist() == [5, 1, 1]


def test_balanced_classes_weigh_the_same_together():
    balanced = prices(TRUTH, 4, balanced=True)  # the fourth class does not occur
    assert balanced.weight[:3].tolist() == pytest.approx([6 / (3 * 3), 6 / (3 * 2), 6 / 3])
    assert (balanced.weight[:3] * np.bincount(TRUTH)).tolist() == pytest.approx([2, 2, 2])
    assert mistakes(TRUTH, SAID, balanced).cost == pytest.approx(2 * 2 / 3 + 1)


def test_classes_of_equal_size_weigh_the_same_anyway():
    assert prices(np.array([0, 1, 0, 1]), 2, balanced=True).are_equal


def test_no_rows_make_no_mistakes():
    assert mistakes(TRUTH[:0], SAID[:0], prices(TRUTH, 3, balanced=False)) == (0, 0, 0.0)
