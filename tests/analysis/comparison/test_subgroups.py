"""The groups of the rows by a column, by hand and by laws."""

import numpy as np
import pytest

from espalier.analysis.comparison.subgroups import MOST_GROUPS, subgroups
from espalier.data import FilterError, RowRoles, make_dataset, row_groups
from espalier.data.dataset import Feature

YES = Feature("answer", "category", ("no", "yes"))


def table(kind, roles=None):
    """400 rows with a number x and a kind, which repeats the given codes."""
    rng = np.random.default_rng(1)
    kind, x = np.resize(np.asarray(kind, float), 400), rng.random(400)
    features = [Feature("x"), Feature("kind", "category", ("a", "b"))]
    y = (x > 0.5).astype(int)
    return make_dataset("Planted", np.column_stack([x, kind]), features, y, YES, None, roles or RowRoles())


def test_a_column_that_is_no_feature_has_groups_too():
    patients = RowRoles(groups=row_groups("patient", np.arange(400) % 2))
    assert [one.rows.text for one in subgroups(table([0, 1], roles=patients), "patient").groups] == [
        "patient~in~0",
        "patient~in~1",
    ]


@pytest.mark.parametrize("n_ranges", [2, 3, 6])
def test_every_row_is_in_one_range_and_ranges_are_about_equal(n_ranges):
    data = table([0, 1])
    x = data.X[:, 0].copy()
    x[:40] = np.nan
    data = make_dataset("", np.column_stack([x, data.X[:, 1]]), data.features, data.y, YES)
    *ranges, missing = subgroups(data, "x", n_ranges).groups
    sizes = [group.taken.sum() for group in ranges]
    assert len(ranges) == n_ranges
    assert max(sizes) - min(sizes) <= 1
    assert np.array_equal(sum(group.taken.astype(int) for group in (*ranges, missing)), np.ones(400))
    assert missing.rows.words == "x is missing"
    assert missing.taken.sum() == 40


def test_few_different_numbers_are_groups_of_their_own():
    data = make_dataset(
        "", np.resize([1.0, 2.0, 2.0], 60)[:, None], [Feature("cylinders")], np.arange(60) % 2, YES
    )
    assert [one.rows.words for one in subgroups(data, "cylinders").groups] == ["cylinders is 1", "cylinders is 2"]


def test_one_number_that_most_rows_have_does_not_make_an_empty_range():
    x = np.r_[np.zeros(90), np.arange(1, 11)]
    data = make_dataset("", x[:, None], [Feature("x")], np.arange(100) % 2, YES)
    assert [one.rows.words for one in subgroups(data, "x").groups] == ["x ≤ 0", "x > 0"]


def test_the_largest_groups_are_compared_and_the_others_counted():
    codes = np.repeat(np.arange(12), np.arange(12, 0, -1))
    data = make_dataset(
        "", codes[:, None].astype(float), [Feature("town", "category", tuple("abcdefghijkl"))], codes % 2, YES
    )
    found = subgroups(data, "town")
    assert [one.rows.text for one in found.groups] == [f"town~in~{name}" for name in "abcdefgh"]
    assert (len(found.groups), found.n_others) == (MOST_GROUPS, 4)


def test_a_column_that_there_is_not_is_refused_by_name():
    with pytest.raises(FilterError, match="no column “age”"):
        subgroups(table([0, 1]), "age")
