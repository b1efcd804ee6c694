"""Columns that act together, on the tab Importance of Forests; without a browser."""

from tests.pages.forests.test_forests_page import engine, open_forests, said
from tests.tools.on_page import address_of, whole

__all__ = ["engine"]


def test_pairs_are_drawn_said_and_chosen_and_the_choice_stands_in_the_address():
    page = open_forests(view="Importance")
    words = said(page)
    assert "Which columns act together?" in words
    assert "Together, beyond what each does by itself, they add most where petal" in words
    chosen = page.selectbox(key="together")
    assert "together" not in address_of(page)
    assert "petal length and petal width" in [
        one.replace("petal width and petal length", "petal length and petal width") for one in chosen.options
    ]
    chosen.set_value("3-4")
    assert address_of(whole(page.run()))["together"] == "3-4"


def test_a_pair_that_no_forest_has_is_let_go_and_nonsense_is_named():
    assert "together" not in address_of(open_forests(view="Importance", together="7-9"))
    page = open_forests(view="Importance", together="2-1")
    assert "a pair of columns, such as 1-2" in said(page) + " ".join(one.value for one in page.warning)


def test_trees_whose_rows_are_in_many_leaves_have_no_pairs():
    page = open_forests(view="Importance", a="cultivated-forest", a_trees="2")
    assert not page.error
    assert "There is no exact answer here" in " ".join(one.value for one in page.caption)
