"""What the browser has of the Tree page to move by itself: the tree of all depths, and pictures of sliders."""

import pytest

from espalier.display.theme import percent
from pages.shared.tree import moving
from tests.tools import on_page
from tests.tools.on_page import Slider, data_for, metric, open_tree, whole


def test_the_browser_is_given_the_tree_of_all_depths_where_this_one_is_part_of_it_though_a_price_pruned_it():
    fold = data_for(whole(open_tree(depth="2")), "espalier_tree")["fold"]
    deepest = data_for(whole(open_tree(depth="none")), "espalier_tree")["cards"]
    assert fold["cards"] == deepest
    held_out = fold["scores"][0]
    assert metric(open_tree(alpha="0.9"), "accuracy, held-out") == percent(
        1 - held_out["lost"][0] / held_out["of"]
    )
    for other in [{"leaves": "5"}, {"prune": "hand", "size": "2"}]:
        page = whole(open_tree(depth="2", data="breast-cancer", **other))
        assert "fold" not in data_for(page, "espalier_tree")
    page = whole(open_tree(depth="2", alpha="0.02", data="breast-cancer"))
    assert data_for(page, "espalier_tree")["at"] == {"depth": 2, "alpha": 0.02}
    fold = data_for(page, "espalier_tree")["fold"]
    assert fold == data_for(whole(open_tree(depth="3", data="breast-cancer")), "espalier_tree")["fold"]
    assert [len(prices) for prices in fold["prices"][:2]] == [1, 3]


def test_nothing_is_folded_for_a_moment_while_a_slider_moves_but_the_depth_itself():
    page = open_tree()
    whole(on_page.Slider(page, "held").set_value(40, over=False).run())
    assert "fold" not in data_for(page, "espalier_tree")
    whole(on_page.Slider(page, "held").set_value(40).run())
    assert "fold" in data_for(page, "espalier_tree")
    before = data_for(page, "espalier_tree")["fold"]
    whole(on_page.Slider(page, "depth").set_value(2, over=False).run())
    assert data_for(page, "espalier_tree")["fold"] == before


def test_a_surface_that_is_averaged_over_rows_is_folded_by_the_rows_in_each_node():
    fold = data_for(whole(open_tree(data="wine", depth="1")), "espalier_tree")["fold"]
    assert "boxes" not in fold  # of the whole tree, which asks more columns than there are axes
    assert fold["average"]["rows"] == fold["average"]["reached"][0] == 178
    slice_of = data_for(whole(open_tree(data="wine", depth="1", others="typical")), "espalier_tree")["fold"]
    assert slice_of["cards"] == fold["cards"]
    assert slice_of["boxes"]


def test_a_cultivated_tree_is_given_with_all_levels_their_numbers_the_gates_of_its_surface_and_the_wrong_rows():
    page = whole(open_tree(data="wine", model="cultivated", depth="3"))
    fold = data_for(page, "espalier_tree")["fold"]
    assert (fold["name"], data_for(page, "espalier_tree")["at"]) == ("levels", {"levels": 3, "alpha": 0})
    shown = [one["value"] for one in data_for(page, "espalier_numbers")["numbers"]]
    said = dict(fold["numbers"])[3]
    assert [mine or own for mine, own in zip(said, shown, strict=True)] == shown
    assert [mine for mine in said if mine is not None] != [mine for mine in dict(fold["numbers"])[1] if mine]
    fold, surface = data_for(page, "espalier_tree")["fold"], data_for(page, "espalier_surface")["surface"]
    axes = [(axis["edges"][0], axis["edges"][-1]) for axis in fold["soft"]["along"]]
    assert axes == [(axis["edges"][0], axis["edges"][-1]) for axis in surface["axes"]]
    assert [int(mark) for mark in dict(fold["soft"]["wrong"])[3]] == surface["points"]["wrong"]
    assert len(fold["leaf"]) == len(surface["points"]["row"])


@pytest.mark.few(3)  # one of each learner
@pytest.mark.parametrize(
    ("address", "key", "value"),
    [
        ({"model": "cultivated", "data": "moons"}, "eta", 0.5),
        ({"model": "cultivated", "data": "moons"}, "k", 0),
        ({"model": "optimal", "data": "monks-1"}, "height", 2),
        ({"model": "optimal", "costly": "yes", "data": "monks-1"}, "times", 3.0),
        ({}, "held", 40),
    ],
)
def test_the_picture_is_what_the_page_shows_once_the_slider_rests(address, key, value, monkeypatch):
    monkeypatch.setattr(moving, "MOMENT_SECONDS", 60)
    page = on_page.until_grown(whole(open_tree(**address)))
    whole(Slider(page, key).set_value(value, over=False).run())
    picture = Slider(page, key).data["picture"]
    page = on_page.until_grown(whole(Slider(page, key).set_value(value).run()))
    assert "picture" not in Slider(page, key).data
    assert picture["cards"] == data_for(page, "espalier_tree")["cards"]
    assert picture["surface"] == data_for(page, "espalier_surface")["surface"]
    assert picture["numbers"] == data_for(page, "espalier_numbers")["numbers"]


def test_where_the_page_shows_another_tree_than_that_of_the_controls_the_whole_page_runs():
    for address in [{"graph": "film"}, {"edits": "Rx"}, {"prune": "hand", "size": "2"}]:
        page = whole(open_tree(**address))
        whole(Slider(page, "held").set_value(40, over=False).run())
        assert "picture" not in Slider(page, "held").data
        assert Slider(page, "held").value == 40


def test_while_a_slider_moves_a_search_shows_its_best_tree_and_a_slow_surface_is_averaged_over_fewer_rows(
    monkeypatch,
):
    page = whole(open_tree(model="cultivated"))
    rested = data_for(page, "espalier_surface")["surface"]["averaged"]
    whole(Slider(page, "eta").set_value(0.5, over=False).run())
    assert 1 < Slider(page, "eta").data["picture"]["surface"]["averaged"] < rested
    monkeypatch.setattr(moving, "MOMENT_SECONDS", 0)
    page = whole(open_tree(model="optimal", data="questionnaire", height="2"))
    whole(Slider(page, "height").set_value(5, over=False).run())
    picture = Slider(page, "height").data["picture"]
    assert picture["note"] == "best tree so far"
    assert picture["cards"]["nodes"]
