"""Points drawn on a plane: the table and the text of them, and texts that name no table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data.samples.painted import LONGEST, MOST_POINTS, USUAL_NAME, painted, painted_of
from tests.tools.cases import case

places = st.floats(0, 10, allow_nan=False)
POINTS = st.lists(st.tuples(places, places, st.integers(0, 3)), min_size=1, max_size=60)


@given(POINTS)
def test_a_text_gives_the_table_back_that_it_was_written_of(points):
    table = painted("My points", points)
    again = painted_of(table.text)
    assert again is not None
    assert again.dataset.digest == table.dataset.digest
    np.testing.assert_allclose(table.x, np.array(points)[:, :2], atol=0.002)


def test_only_classes_that_have_points_are_classes():
    data = painted("x", [(1, 1, 1), (2, 2, 3), (3, 3, 1)]).dataset
    assert data.classes == ("B", "D")
    assert data.y.tolist() == [0, 1, 0]


def test_seven_hundred_points_fit_into_a_link():
    assert len(painted("My points", [(1, 2, 0)] * 700).text) <= LONGEST
    assert len(painted("My points", [(1, 2, 0)] * 5000).y) == MOST_POINTS


def test_a_name_that_would_not_stand_in_a_link_gives_way():
    assert painted("a~b", [(1, 1, 0)]).name == USUAL_NAME
    assert painted("  ", [(1, 1, 0)]).name == USUAL_NAME


def test_no_point_is_no_table():
    with pytest.raises(ValueError, match="no point"):
        _ = painted("x", []).dataset


NO_TABLES = ["", "iris", "drawn", "drawn~x", "drawn~x~", "drawn~x~AA", "drawn~x~????", "drawn~x~_____w"]


def test_a_text_that_names_no_table_is_none():
    for text in [*NO_TABLES, "drawn~<b>~AAAAAA", "drawn~x~" + "A" * 5000]:
        with case(text):
            assert painted_of(text) is None
