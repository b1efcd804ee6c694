"""Roles of columns: which rows belong together, and in which order of time they stand."""

from typing import Any

import numpy as np
import pytest

from espalier.data import Feature, RowRoles, filter_of, make_dataset, row_groups, row_times, samples, subset
from espalier.data.rows.roles import useful

IRIS = samples.load("iris")


def iris_with(**roles):
    return make_dataset(IRIS.name, IRIS.X, IRIS.features, IRIS.y, IRIS.target, roles=RowRoles(**roles))


def test_a_row_without_a_group_is_a_group_of_its_own():
    groups = row_groups("school", ["a", None, float("nan"), "", "a"])
    assert groups.codes.tolist() == [0, 1, 2, 3, 0]
    assert groups.names == ("a", "", "", "")


def test_one_group_of_all_rows_is_refused():
    with pytest.raises(ValueError, match="all rows are of one group of “school”"):
        row_groups("school", ["a", "a"])


@pytest.mark.parametrize(
    ("values", "said"),
    [([1.0, np.nan], "missing in 1 of 2 rows, first in row 2"), ([3.0, 3.0], "the same in every")],
)
def test_times_that_order_nothing_are_refused(values, said):
    with pytest.raises(ValueError, match=said):
        row_times("year", np.array(values))


def test_roles_of_another_number_of_rows_are_refused():
    with pytest.raises(ValueError, match="there are 2 groups, but 150 targets"):
        iris_with(groups=row_groups("plot", ["a", "b"]))


def test_groups_that_all_reach_to_the_last_time_are_refused():
    groups = row_groups("plot", np.arange(150) % 2)
    times = row_times("day", np.repeat(np.arange(75.0), 2))
    with pytest.raises(ValueError, match="choose a group or a time, not both"):
        iris_with(groups=groups, times=times)


def test_the_digest_of_data_tells_their_roles():
    plain, by_plot = iris_with(), iris_with(groups=row_groups("plot", np.arange(150) // 5))
    assert plain.digest == IRIS.digest != by_plot.digest
    assert by_plot.digest != iris_with(groups=row_groups("patient", np.arange(150) // 5)).digest
    assert by_plot.digest != iris_with(times=row_times("plot", np.arange(150) // 5)).digest


def test_some_rows_have_their_own_roles():
    roles = iris_with(groups=row_groups("plot", np.arange(150) // 5), times=row_times("day", np.arange(150))).roles
    some: Any = roles.of(np.array([7, 3]))
    assert some.groups.codes.tolist() == [1, 0]
    assert some.times.values.tolist() == [7.0, 3.0]


def test_times_that_put_no_group_before_another_are_left_out_of_a_part():
    groups, days = row_groups("patient", ["a", "b", "a", "b", "c"]), np.array([1.0, 2.0, 3.0, 3.0, 4.0])
    roles = RowRoles(groups, row_times("day", days))
    part = useful(roles.of(np.arange(4)))
    assert part.times is None
    assert part.groups is not None
    assert useful(roles) == roles
    ill = Feature("ill", "category", ("no", "yes"))
    data = make_dataset("Visits", days[:, None], [Feature("x")], np.arange(5) % 2, ill, None, roles)
    assert subset(data, filter_of("x~lt~4")).roles.times is None
