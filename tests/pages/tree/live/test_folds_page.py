"""The tree of all depths, which the browser is given beside the one on the Tree page, where that is part of it."""

import pytest

from espalier.display.theme import percent
from tests.tools import on_page
from tests.tools.on_page import engine, metric, open_tree, whole

__all__ = ["engine"]


def sent_to(page, component):
    return on_page.sent_to(page, component)[0]


def test_the_browser_is_given_the_tree_of_all_depths_where_this_one_is_part_of_it():
    fold = sent_to(whole(open_tree(depth="2")), "espalier_tree")["fold"]
    deepest = sent_to(whole(open_tree(depth="none")), "espalier_tree")["cards"]
    assert fold["cards"] == deepest
    held_out = fold["scores"][0]
    assert metric(open_tree(alpha="0.9"), "accuracy, held-out") == percent(
        1 - held_out["lost"][0] / held_out["of"]
    )


@pytest.mark.parametrize("other", [{"leaves": "5"}, {"prune": "hand", "size": "2"}])
def test_a_tree_that_is_no_part_of_the_deepest_is_not_folded(other):
    page = whole(open_tree(depth="2", data="breast-cancer", **other))
    assert "fold" not in sent_to(page, "espalier_tree")


def test_a_tree_that_a_price_has_pruned_is_folded_as_the_whole_one_is():
    page = whole(open_tree(depth="2", alpha="0.02", data="breast-cancer"))
    assert sent_to(page, "espalier_tree")["at"] == {"depth": 2, "alpha": 0.02}
    fold = sent_to(page, "espalier_tree")["fold"]
    assert fold == sent_to(whole(open_tree(depth="3", data="breast-cancer")), "espalier_tree")["fold"]
    assert [len(prices) for prices in fold["prices"][:2]] == [1, 3]


def test_nothing_is_folded_for_a_moment_while_a_slider_moves():
    page = open_tree()
    whole(on_page.Slider(page, "held").set_value(40, over=False).run())
    assert "fold" not in sent_to(page, "espalier_tree")
    whole(on_page.Slider(page, "held").set_value(40).run())
    assert "fold" in sent_to(page, "espalier_tree")


def test_a_surface_that_is_averaged_over_rows_is_folded_by_the_rows_in_each_node():
    fold = sent_to(whole(open_tree(data="wine", depth="1")), "espalier_tree")["fold"]
    assert "boxes" not in fold  # of the whole tree, which asks more columns than there are axes
    assert fold["average"]["rows"] == fold["average"]["reached"][0] == 178
    slice_of = sent_to(whole(open_tree(data="wine", depth="1", others="typical")), "espalier_tree")["fold"]
    assert slice_of["cards"] == fold["cards"]
    assert slice_of["boxes"]


def test_the_depth_itself_stays_folded_while_its_slider_moves():
    page = open_tree(data="wine")
    before = sent_to(page, "espalier_tree")["fold"]
    whole(on_page.Slider(page, "depth").set_value(2, over=False).run())
    assert sent_to(page, "espalier_tree")["fold"] == before


def test_a_cultivated_tree_is_given_with_all_its_levels_and_the_numbers_of_each():
    page = whole(open_tree(model="cultivated", depth="3"))
    fold = sent_to(page, "espalier_tree")["fold"]
    assert (fold["name"], sent_to(page, "espalier_tree")["at"]) == ("levels", {"levels": 3, "alpha": 0})
    shown = [one["value"] for one in sent_to(page, "espalier_numbers")["numbers"]]
    said = dict(fold["numbers"])[3]
    assert [mine or own for mine, own in zip(said, shown, strict=True)] == shown
    assert [mine for mine in said if mine is not None] != [mine for mine in dict(fold["numbers"])[1] if mine]


def test_a_cultivated_tree_is_given_with_the_gates_that_its_surface_needs_and_the_rows_each_level_gets_wrong():
    page = whole(open_tree(data="wine", model="cultivated", depth="3"))
    fold, surface = sent_to(page, "espalier_tree")["fold"], sent_to(page, "espalier_surface")["surface"]
    axes = [(axis["edges"][0], axis["edges"][-1]) for axis in fold["soft"]["along"]]
    assert axes == [(axis["edges"][0], axis["edges"][-1]) for axis in surface["axes"]]
    assert [int(mark) for mark in dict(fold["soft"]["wrong"])[3]] == surface["points"]["wrong"]
    assert len(fold["leaf"]) == len(surface["points"]["row"])
