"""The tree page with optimal trees of numbers: monotone columns, and lines in leaves; without a browser."""

from tests.pages.tree.test_optimal_page import open_optimal, said, tree_id
from tests.tools.on_page import address_of, engine, sent_to

__all__ = ["engine"]


def test_columns_of_a_tree_of_a_number_may_be_monotone():
    page = open_optimal(data="diabetes", depth="2", cuts="5", monotone="body mass index:falling")
    assert "no monotone tree of depth 2 built from these" in said(page)
    assert "only falls with body mass index" in said(page)
    assert address_of(page)["monotone"] == "body mass index:falling"


def test_leaves_of_a_tree_of_a_number_may_answer_by_lines():
    """Settings without an effect there are gone, and whatever a link says of them does no harm."""
    link = {"lines": "line", "purity": "absolute", "monotone": "body mass index:falling"}
    page = open_optimal(data="diabetes", depth="1", cuts="5", **link)
    words = said(page)
    assert "no tree of depth 1 with lines in its leaves built from these" in words
    assert "(the price of its slopes included) on the training rows" in words
    assert "a mean squared error of" in words.split("Greedy beside optimal")[1]
    cards = sent_to(page, "espalier_tree")[0]["cards"]
    assert any("×" in str(card) for card in cards["nodes"])
    assert {one.key for one in page.selectbox}.isdisjoint({"purity"})
    assert "monotone columns" not in {one.key for one in page.multiselect}
    again = open_optimal(**{key: value for key, value in address_of(page).items() if key != "model"})
    assert tree_id(again) == tree_id(page)
