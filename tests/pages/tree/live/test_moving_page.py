"""The picture that the sliders of the Tree page bring along while they move."""

import pytest

from pages.shared.tree.live import moving
from tests.tools import on_page
from tests.tools.on_page import Slider, engine, open_tree, whole

__all__ = ["engine"]


def sent(page, component):
    return on_page.sent_to(page, component)[0]


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
    assert picture["cards"] == sent(page, "espalier_tree")["cards"]
    assert picture["surface"] == sent(page, "espalier_surface")["surface"]
    assert picture["numbers"] == sent(page, "espalier_numbers")["numbers"]


@pytest.mark.parametrize("address", [{"graph": "film"}, {"edits": "Rx"}, {"prune": "hand", "size": "2"}])
def test_where_the_page_shows_another_tree_than_that_of_the_controls_the_whole_page_runs(address):
    page = whole(open_tree(**address))
    whole(Slider(page, "held").set_value(40, over=False).run())
    assert "picture" not in Slider(page, "held").data
    assert Slider(page, "held").value == 40


def test_a_search_that_has_not_ended_shows_its_best_tree_so_far_and_says_so(monkeypatch):
    monkeypatch.setattr(moving, "MOMENT_SECONDS", 0)
    page = whole(open_tree(model="optimal", data="questionnaire", height="2"))
    whole(Slider(page, "height").set_value(5, over=False).run())
    picture = Slider(page, "height").data["picture"]
    assert picture["note"] == "best tree so far"
    assert picture["cards"]["nodes"]


def test_a_surface_that_takes_long_is_averaged_over_fewer_rows_while_the_slider_moves():
    page = whole(open_tree(model="cultivated"))
    rested = sent(page, "espalier_surface")["surface"]["averaged"]
    whole(Slider(page, "eta").set_value(0.5, over=False).run())
    assert 1 < Slider(page, "eta").data["picture"]["surface"]["averaged"] < rested
