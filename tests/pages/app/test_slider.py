"""The app's own slider: what the browser says is checked, and a move is one step."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.canvas.slider import Move, chosen_move, with_value
from tests.tools.on_page import Slider, address_of, engine, open_tree, whole

__all__ = ["engine"]


def test_only_a_number_of_one_of_its_values_is_a_move():
    cases = [
        ({"at": 4, "over": True, "n": 2}, Move(4, True)),
        ({"at": 0, "over": False}, Move(0, False)),
        ({"at": 5, "over": True}, None),  # the slider has five values
        ({"at": -1, "over": True}, None),
        ({"at": True, "over": True}, None),
        ({"at": 1.0, "over": True}, None),
        ({"at": "1", "over": True}, None),
        ({"at": 1, "over": 1}, None),
        ({"at": 1}, None),
        ([1, True], None),
        (None, None),
    ]
    for sent, move in cases:
        assert chosen_move(sent, 5) == move, sent


@pytest.mark.parametrize(
    ("value", "values"),
    [
        (5, [0, 5, 10, None]),
        (None, [0, 5, 10, None]),
        (7, [0, 5, 7, 10, None]),
        (-1, [-1, 0, 5, 10, None]),
        (12.5, [0, 5, 10, 12.5, None]),
        ("all", [0, 5, 10, None, "all"]),
    ],
)
def test_a_value_between_those_offered_has_its_place(value, values):
    assert with_value([0, 5, 10, None], value) == values


def page():
    import streamlit as st

    from pages.shared.canvas.slider import slider

    st.session_state["got"] = slider("Depth", key="depth", options=range(1, 6), default=3, disabled=False)


def test_a_slider_begins_at_its_default_and_takes_what_the_browser_says():
    at = AppTest.from_function(page).run()
    assert at.session_state["got"] == 3
    Slider(at, "depth").set_value(5).run()
    assert at.session_state["got"] == Slider(at, "depth").value == 5


def test_a_value_set_by_the_page_wins_over_the_last_message():
    at = Slider(AppTest.from_function(page).run(), "depth").set_value(5).run()
    at.session_state["depth"] = 2
    at.run()
    assert at.session_state["got"] == Slider(at, "depth").value == 2


def test_a_message_that_makes_no_sense_changes_nothing():
    at = AppTest.from_function(page).run()
    at.session_state["depth slider"] = {"moved": {"at": 99, "over": True, "n": float("nan")}}
    at.run()
    assert not at.exception
    assert (at.session_state["got"], Slider(at, "depth").data["n"]) == (3, 0)


def test_a_move_over_many_values_is_one_step_of_undo_and_of_the_address():
    page = open_tree()
    for depth in (4, 5, 6):
        whole(Slider(page, "depth").set_value(depth, over=False).run())
        assert address_of(page) == {}
        assert Slider(page, "depth").value == depth
    whole(Slider(page, "depth").set_value(6).run())
    assert address_of(page) == {"depth": "6"}
    next(b for b in page.button if b.label == "Undo").click()
    whole(page.run())
    assert address_of(page) == {}
    assert Slider(page, "depth").value == 3


def test_a_click_after_a_move_that_never_ended_is_a_step_with_its_value():
    page = open_tree()
    whole(Slider(page, "depth").set_value(4, over=False).run())
    page.segmented_control(key="graph").set_value("classical")
    whole(page.run())
    assert address_of(page) == {"depth": "4", "graph": "classical"}


def page_with_pictures():
    import streamlit as st

    from pages.shared.canvas.slider import answered_by, slider

    state = st.session_state
    state["page runs"] = state.get("page runs", 0) + 1
    with answered_by(lambda: state["picture of"](state["depth"])):
        slider("Depth", key="depth", options=range(1, 6), default=3)


def with_pictures(picture):
    at = AppTest.from_function(page_with_pictures)
    at.session_state["picture of"] = picture
    return at.run()


def test_a_slider_brings_the_picture_of_each_value_along_while_it_moves():
    at = Slider(with_pictures(lambda depth: {"depth": depth}), "depth").set_value(5, over=False).run()
    assert Slider(at, "depth").data["picture"] == {"depth": 5}
    at = Slider(at, "depth").set_value(4).run()
    assert "picture" not in Slider(at, "depth").data  # the page itself shows what is there
    assert Slider(at, "depth").value == 4


def test_without_a_picture_the_whole_page_runs_for_a_value_that_the_slider_passes():
    at = with_pictures(lambda depth: None)
    before = at.session_state["page runs"]
    at = Slider(at, "depth").set_value(5, over=False).run()
    assert at.session_state["page runs"] == before + 2  # AppTest runs the page, too, where a browser asks less
    assert "picture" not in Slider(at, "depth").data
    assert Slider(at, "depth").value == 5
