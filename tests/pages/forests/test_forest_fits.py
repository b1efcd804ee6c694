"""Forests of the page: the depth that fits into the memory, and the rows that are held out."""

import pytest

from espalier.data import HeldOut, samples
from espalier.learners.catalogue import Model
from espalier.progress import Progress
from pages.shared.forests.forest_job import ForestJob, _megabytes, fitting


def forest(trees=100, depth=None, *others):
    return Model("random", (("trees", trees), ("depth", depth), *others))


def test_a_small_table_has_no_end_of_depth():
    assert fitting(forest(), 10_000, 750) == forest()


@pytest.mark.parametrize("n_rows", [200_000, 350_000, 500_000, 1_000_000])
def test_the_default_forest_of_a_large_table_fits_and_one_level_more_would_not(n_rows):
    found = fitting(forest(), n_rows, 750)
    assert _megabytes(found, n_rows) <= 750
    assert found.depth is not None
    assert _megabytes(forest(100, found.depth + 1), n_rows) > 750


def test_a_depth_that_was_asked_for_stays():
    assert fitting(forest(100, 40), 1_000_000, 750) == forest(100, 40)


def test_a_forest_that_fits_by_no_depth_stays_to_be_refused():
    assert fitting(forest(100_000), 1_000_000, 750) == forest(100_000)


def test_other_settings_stay():
    found = fitting(forest(100, None, ("leaf", 5)), 500_000, 750)
    assert ("leaf", 5) in found.settings
    assert ("trees", 100) in found.settings


def test_no_row_is_surely_held_out_where_nobody_knows_what_a_forest_was_trained_on():
    grown = ForestJob(samples.load("iris"), HeldOut(30), forest(trees=3))(Progress())
    assert grown.surely_held.sum() == grown.held.sum() == 45
    assert not grown._replace(may_have_seen=True).surely_held.any()
