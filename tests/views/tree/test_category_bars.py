"""Categories in order: a bar for each, the cut between them, and the search in words."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier.analysis.tree.category_splits import MEAN, CategorySearch
from espalier.data.dataset import Feature
from espalier.views.tree.category_bars import (
    CategoryBars,
    category_bars,
    category_bars_alt,
    many_levels_words,
    search_words,
)

COLOUR = Feature("colour", "category", ("blue", "green", "<red>"))
GRADE = Feature("grade", "category", ("bad", "good"))
SEARCH = CategorySearch(
    np.array([1, 0, 2]), np.array([0.1, 0.5, 0.9]), np.array([10, 20, 30]), 1, 1, True, 2, 0.2, 1, 0.1
)


def bars(target=GRADE, **changes):
    return CategoryBars(SEARCH._replace(**changes), COLOUR, target)


@pytest.mark.parametrize("dark", [True, False])
def test_each_category_has_a_bar_and_higher_shares_have_longer_ones(dark):
    drawn = ET.fromstring(category_bars(bars(), dark))
    heights = [float(e.get("height") or 0) for e in drawn.iter() if e.tag.endswith("rect")]
    assert len(heights) == 3
    assert heights == sorted(heights)


def test_the_cut_stands_between_left_and_right_and_names_are_escaped():
    drawn = category_bars(bars(), False)
    assert ">left<" in drawn
    assert "&lt;red&gt;" in drawn


def test_where_only_missing_values_are_parted_there_is_no_cut_among_categories():
    assert ">left<" not in category_bars(bars(n_left=3), False)


def test_the_words_count_the_sets_and_the_cuts_that_are_tried():
    first, second = search_words(bars())
    assert first.startswith("3 categories can be parted into two sets in 3 ways. In order of the share of good")
    assert "only 2 cuts" in first
    assert "one category against the rest, at best green, gains 0.1" in second


def test_with_more_classes_the_words_say_that_a_better_set_may_exist():
    grade = Feature("grade", "category", ("bad", "fair", "good"))
    words = search_words(bars(grade, n_orders=3, is_exact=False))[0]
    assert "6 in all" in words
    assert "A better set may exist." in words


def test_means_below_zero_can_be_drawn_and_said():
    found = bars(Feature("y"), ordered_by=MEAN, level=np.array([-2.0, 0.0, 1.0]))
    assert "<svg" in category_bars(found, True)
    assert category_bars_alt(found) == "Categories of colour by mean y: green −2, blue 0, <red> 1."


def test_a_lone_category_has_nothing_to_part():
    found = bars(codes=np.array([1]), level=np.array([0.1]), n_samples=np.array([9]), n_left=1)
    assert "nothing to part" in search_words(found)[0]
    assert "<svg" in category_bars(found, False)


def test_only_many_categories_on_few_rows_are_warned_of():
    assert "by chance" in many_levels_words(30, 200)
    assert many_levels_words(3, 20) == ""
