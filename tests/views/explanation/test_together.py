"""Pairs of columns that act together, as bars, as rows and in words."""

from typing import Any

import numpy as np
import pytest

from espalier.data.dataset import Feature
from espalier.language import speaking
from espalier.views.explanation import together as views
from espalier.views.explanation.together import ColumnPairs, Corner

FEATURES = [Feature("age"), Feature("sex", "category", ("f", "m")), Feature("<b>dose")]
SIDE, COST = Feature("side", "category", ("left", "right")), Feature("cost")
NUMBERS = np.arange(40.0)
SEX = np.tile([0.0, 1.0], 20)


def look(**changes: Any) -> ColumnPairs:
    added = np.zeros((40, 3, 3))
    old = np.where(NUMBERS > 19.5, 0.3, -0.1)
    added[:, 0, 1] = added[:, 1, 0] = np.where(SEX == 1, old, 0.01)
    added[:, 0, 2] = added[:, 2, 0] = 0.05
    X = np.column_stack([NUMBERS, SEX, NUMBERS[::-1]])
    each = {
        "added": added,
        "pairs": [(0, 1), (0, 2)],
        "X": X,
        "features": FEATURES,
        "columns": np.array([4, 2, 7]),
    }
    return ColumnPairs(**(each | {"link": "identity", "target": SIDE} | changes))


def test_bars_are_in_order_and_count_percentage_points():
    figure: Any = views.pairs_figure(look(), dark=False)
    (bars,) = figure.data
    assert list(bars.x) == pytest.approx([100 * np.mean([0.3, 0.1, 0.01, 0.01]), 5.0])
    assert figure.layout.yaxis.ticktext[1].startswith("age and &lt;b&gt;dose")
    assert "percentage points" in figure.layout.xaxis.title.text


@pytest.mark.parametrize(("link", "words"), [("logistic", "log odds"), ("log", "logarithm")])
def test_scores_keep_their_own_unit(link, words):
    figure: Any = views.pairs_figure(look(link=link), dark=True)
    assert list(figure.data[0].x)[1] == pytest.approx(0.05)
    assert words in figure.layout.xaxis.title.text


def test_rows_point_up_where_the_pair_adds_and_are_larger_for_more():
    figure: Any = views.pair_figure(look(), (0, 1), dark=False)
    up, down = figure.data
    assert (up.marker.symbol, down.marker.symbol) == ("triangle-up", "triangle-down")
    assert (len(up.x), len(down.x)) == (30, 10)
    assert set(np.round(up.y)) == {0, 1}
    assert figure.layout.yaxis.ticktext == ("f", "m")
    assert np.abs(up.y - np.round(up.y)).max() <= views.SPREAD / 2
    assert up.marker.size[list(up.customdata).index(30.0)] == up.marker.size.max() == views.MOST_DOT


def test_words_say_where_the_pair_adds_most_and_least():
    corner = views.corners_of(look(), (0, 1))[3]
    assert corner == Corner((1, 1), corner.added, 10)
    assert corner.added == pytest.approx(30)
    words = views.pair_words(look(), (0, 1), str)
    assert "most where age is above 19.5 and the value of sex is m (**+30** on average, 10 rows)" in words
    assert "least where age is at most 19.5 and the value of sex is m (**−10**, 10 rows)" in words


def test_the_picture_of_a_pair_is_said_without_marks():
    assert views.pair_alt(look(), (0, 1)).startswith("Rows at their values of age and sex. Together")
    assert "**" not in views.pair_alt(look(), (0, 1))


def test_the_strongest_pairs_are_named_and_none_is_said_to_be_none():
    assert views.pairs_alt(look()).endswith(": age and sex 10; age and <b>dose 5.")
    assert views.pairs_alt(look(pairs=[])) == (
        "No two columns act together: each adds its part whatever the others are."
    )


def test_too_few_rows_are_said_to_be_too_few():
    few = look()
    few = few._replace(added=few.added[:6], X=few.X[:6])
    assert views.pair_words(few, (0, 1), str).startswith("There are too few rows")


def test_missing_values_and_rare_categories_are_in_no_corner():
    X = look().X.copy()
    X[:4, 0] = np.nan
    missing = look(X=X)
    assert sum(corner.n for corner in views.corners_of(missing, (0, 1))) == 36
    figure: Any = views.pair_figure(missing, (0, 1), dark=False)
    assert sum(np.isnan(trace.x).sum() for trace in figure.data) == 4


def test_the_table_has_both_columns_and_the_size():
    table = views.pair_table(look())
    assert table.iloc[:, 0].tolist() == ["age", "age"]
    assert table.iloc[:, 1].tolist() == ["sex", "<b>dose"]
    assert table.iloc[1, 2] == pytest.approx(5.0)


def test_columns_have_their_numbers_in_the_table():
    assert look().in_table((0, 1)) == (2, 4)


def test_words_are_german_in_german():
    with speaking("de"):
        assert "am meisten bei, wo age über 19,5 liegt und der Wert von sex m ist" in views.pair_words(
            look(), (0, 1), str
        )
