"""The figure of trees as good between accuracy, size and stability."""

from typing import Any

from espalier.analysis.stability.front import StablePoint, front
from espalier.views.optimal.front import front_alt, front_figure, front_table

POINTS = (StablePoint(0, 3.0, 1, 0.01), StablePoint(1, 1.0, 3, 0.05), StablePoint(0, 4.0, 3, 0.06))


def test_every_tree_is_a_point_that_knows_its_number_and_those_that_nothing_beats_are_large():
    figure: Any = front_figure(POINTS, front(POINTS), True, False)
    small, large = figure.data
    assert (list(small.customdata), list(large.customdata)) == ([2], [0, 1])
    assert (list(large.x), list(large.y)) == ([3.0, 1.0], [0.01, 0.05])
    assert small.marker.size < large.marker.size
    assert large.text[0] == "1 split, 3 errors, distance 0.01"
    assert figure.layout.xaxis.title.text == "errors"
    of_cost: Any = front_figure(POINTS, POINTS, False, True)
    assert of_cost.layout.xaxis.title.text == "cost"


def test_the_sentence_and_the_table_name_both_ends():
    kept = front(POINTS)
    assert front_alt(POINTS, kept, True) == (
        "3 trees, of which no other one beats 2: from 1 error at a distance of 0.05 to 3 errors at 0.01."
    )
    assert front_table(kept, True)["splits"].tolist() == [3, 1]
