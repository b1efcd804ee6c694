"""The film of a tree's growth on the Tree page, split by split, and the picture of a search that has ended."""

from tests.tools import on_page
from tests.tools.on_page import address_of, data_for, metric, open_tree, pictures, until_grown, whole


def test_a_film_has_a_step_for_each_split_and_its_numbers_end_with_those_of_the_tree():
    page = whole(open_tree(graph="film", depth="4"))
    fold, player = data_for(page, "espalier_tree")["fold"], data_for(page, "espalier_player")
    first = (
        "Split 1 of 4: petal length ≤ 2.45. Mean gini of the leaves 0.333, error 33.3 % held-out, 33.3 % training."
    )
    assert player["texts"][1] == first
    assert player["texts"][0].startswith("A single leaf")
    assert len(player["texts"]) == int(metric(page, "leaves")) == len(fold["numbers"])
    shown = [one["value"] for one in data_for(page, "espalier_numbers")["numbers"]]
    assert fold["numbers"][-1][1] == shown
    assert fold["numbers"][0][1][-2:] == ["1", "0"]  # a leaf, no depth


def test_a_film_of_numbers_says_how_much_is_explained_and_that_of_an_optimal_tree_is_there_too():
    page = whole(open_tree(graph="film", data="sine", depth="1"))
    assert "Mean squared error of the leaves" in data_for(page, "espalier_player")["texts"][1]
    assert "R² " in data_for(page, "espalier_player")["texts"][1]
    page = on_page.until_grown(whole(open_tree(graph="film", model="optimal", depth="2", data="monks-1")))
    assert len(data_for(page, "espalier_player")["texts"]) == int(metric(page, "leaves"))


def test_a_tree_without_a_film_says_why_and_a_former_order_of_growth_what_there_is_now():
    for address, why in [
        ({"model": "cultivated"}, "no film"),
        ({"data": "diabetes", "depth": "none"}, "There is a film of up to"),
    ]:
        page = whole(open_tree(graph="film", **address))
        assert not on_page.sent_to(page, "espalier_player")
        assert any(why in caption.value for caption in page.caption)
    page = whole(open_tree(grows="found"))
    assert "films grow the best split first" in page.warning[0].value
    assert address_of(page) == {}


def test_the_race_of_a_search_that_has_ended_is_drawn_where_it_is_opened():
    page = until_grown(whole(open_tree(model="optimal", data="monks-3", depth="3")))
    before = len(pictures(page))
    page.session_state["search-film"] = True
    assert len(pictures(whole(page.run()))) == before + 1
