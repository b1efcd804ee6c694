"""The samples in the cells of a grid, typed by hand."""

import numpy as np
import pytest

from espalier.predict import samples_over

HELD = np.array([7.0, 8.0, 9.0])


@pytest.mark.parametrize(
    ("axes", "at", "expected"),
    [
        ([1], [[1, 2]], [[7, 1, 9], [7, 2, 9]]),
        ([2, 0], [[1, 2, 3], [5, 6]], [[5, 8, 1], [5, 8, 2], [5, 8, 3], [6, 8, 1], [6, 8, 2], [6, 8, 3]]),
        ([0, -1], [[1, 2], [5]], [[1, 8, 9], [2, 8, 9]]),
    ],
)
def test_the_first_axis_is_fastest_and_all_other_features_are_held(axes, at, expected):
    np.testing.assert_array_equal(samples_over(axes, [np.array(a, float) for a in at], HELD), expected)
    assert HELD.tolist() == [7, 8, 9]
