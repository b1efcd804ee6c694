"""The film of a tree's growth on the Tree page: its steps, its order, and the trees that have none."""

import pytest

from tests.tools import on_page
from tests.tools.on_page import address_of, engine, metric, open_tree, whole

__all__ = ["engine"]


def sent(page, component):
    return on_page.sent_to(page, component)[0]


def test_a_film_has_a_step_for_each_split_and_its_numbers_end_with_those_of_the_tree():
    page = whole(open_tree(graph="film", depth="4"))
    fold, player = sent(page, "espalier_tree")["fold"], sent(page, "espalier_player")
    first = (
        "Split 1 of 4: petal length ≤ 2.45. Mean gini of the leaves 0.333, error 33.3 % held-out, 33.3 % training."
    )
    assert player["texts"][1] == first
    assert player["texts"][0].startswith("A single leaf")
    assert len(player["texts"]) == int(metric(page, "leaves")) == len(fold["numbers"])
    shown = [one["value"] for one in sent(page, "espalier_numbers")["numbers"]]
    assert fold["numbers"][-1][1] == shown
    assert fold["numbers"][0][1][-2:] == ["1", "0"]  # a leaf, no depth


def test_a_film_of_numbers_says_how_much_is_explained():
    page = whole(open_tree(graph="film", data="sine", depth="1"))
    assert "Mean squared error of the leaves" in sent(page, "espalier_player")["texts"][1]
    assert "R² " in sent(page, "espalier_player")["texts"][1]


def test_the_order_of_growth_stands_in_the_address():
    page = whole(open_tree(graph="film", data="wine"))
    before = sent(page, "espalier_tree")["fold"]["stop"]
    page.selectbox(key="film-order").set_value("found")
    whole(page.run())
    assert address_of(page) == {"graph": "film", "data": "wine", "grows": "found"}
    assert sent(page, "espalier_tree")["fold"]["stop"] != before


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ({"model": "cultivated"}, "no film"),
        ({"data": "diabetes", "depth": "none"}, "there is a film of up to"),
    ],
)
def test_a_tree_without_a_film_says_why(address, why):
    page = whole(open_tree(graph="film", **address))
    assert not on_page.sent_to(page, "espalier_player")
    assert any(why in caption.value for caption in page.caption)


def test_the_film_of_an_optimal_tree_is_there_too():
    page = on_page.until_grown(whole(open_tree(graph="film", model="optimal", depth="2", data="monks-1")))
    assert len(sent(page, "espalier_player")["texts"]) == int(metric(page, "leaves"))
