"""Which features are on the axes of a plane where nobody chose them."""

from espalier.data.dataset import Feature
from pages.shared.canvas.axis_choice import MOST_LEVELS, legible
from pages.shared.tree import explorer as tree_explorer
from tests.tools.on_page import engine, open_tree, sent_to, whole  # noqa: F401

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
    by_itself = tree_explorer.axis_label("↕", "age", is_pinned=False)
    assert by_itself != "↕ age"
    assert by_itself.split() == ["↕", "age"]  # though it looks the same


def test_what_a_tree_asks_beside_the_plane_is_averaged_over_the_rows_unless_a_link_holds_it():
    averaged = sent_to(whole(open_tree(data="breast-cancer", node="3")), "espalier_surface")[0]
    assert averaged["surface"]["averaged"] == 569
    assert averaged["lit"]["node"] == 3
    held = sent_to(whole(open_tree(data="breast-cancer", others="typical")), "espalier_surface")[0]["surface"]
    assert held["held"]
    assert "averaged" not in held


def test_a_plane_with_all_that_the_tree_asks_is_exact():
    surface = sent_to(whole(open_tree(data="moons")), "espalier_surface")[0]["surface"]
    assert "boxes" in surface
    assert [axis["name"] for axis in surface["axes"]] == ["x1", "x2"]
