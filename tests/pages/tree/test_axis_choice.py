"""Which features are on the axes of a plane where nobody chose them."""

from espalier.data.dataset import Feature
from pages.shared.canvas.axis_choice import MOST_LEVELS, legible
from pages.shared.words.tree import page as words

CITY = Feature("city", "category", tuple(f"city {i}" for i in range(64)))
FEW = Feature("colour", "category", tuple("abc"))
FULL = Feature("month", "category", tuple(f"month {i}" for i in range(MOST_LEVELS)))
AGE, PAY = Feature("age"), Feature("pay")


def test_a_column_of_very_many_categories_comes_last_where_two_others_are_asked():
    assert legible([CITY, AGE, PAY], [0, 2, 1], {0, 1, 2}) == [2, 1, 0]
    assert legible([CITY, AGE, FEW], [0, 2, 1], {0, 1, 2}) == [2, 1, 0]


def test_it_stays_where_the_tree_asks_little_else():
    assert legible([CITY, AGE, PAY], [0, 2, 1], {0, 2}) == [0, 2, 1]
    assert legible([CITY, CITY, AGE], [1, 0, 2], {0, 1, 2}) == [1, 0, 2]


def test_columns_of_few_categories_keep_their_places():
    assert legible([AGE, FEW, FULL, PAY], [2, 1, 0, 3], {0, 1, 2, 3}) == [2, 1, 0, 3]


def test_no_axis_that_a_person_chooses_has_the_text_of_the_axis_that_the_tree_chooses():
    by_itself = words.chosen_axis("↕", "age", is_pinned=False)
    assert by_itself != "↕ age"
    assert by_itself.split() == ["↕", "age"]  # though it looks the same
