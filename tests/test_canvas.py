"""What the browser sends is checked, and what Python pushes is sent once: both canvases on a page."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.surface_canvas import chosen_spot
from pages.shared.tree_canvas import chosen_node

CARDS = {"id": "t1", "nodes": [{"id": 0}, {"id": 1}, {"id": 4}]}
SURFACE = {
    "id": "s1",
    "axes": [{"low": 0.0, "high": 10.0}, {"low": -1.0, "high": 1.0}],
    "points": {"row": [3, 5, 8]},
}


@pytest.mark.parametrize(
    ("sent", "node"),
    [
        ({"tree": "t1", "id": 4, "at": 2}, 4),
        ({"tree": "t1", "id": None}, None),
        ({"tree": "t1", "id": 2}, None),  # no such card
        ({"tree": "t0", "id": 1}, None),  # a tree that has gone
        ({"tree": "t1", "id": True}, None),
        ({"tree": "t1", "id": 1.0}, None),
        ({"tree": "t1", "id": "1"}, None),
        ({"tree": "t1", "id": [1]}, None),
        ({"tree": ["t1"], "id": 1}, None),
        ({"id": 1}, None),
        ("t1", None),
        (None, None),
    ],
)
def test_only_a_node_of_these_cards_is_a_selection(sent, node):
    assert chosen_node(sent, CARDS) == node


@pytest.mark.parametrize(
    ("sent", "spot"),
    [
        ({"surface": "s1", "row": 5}, {"row": 5}),
        ({"surface": "s1", "x": 2, "y": 0.5}, {"x": 2.0, "y": 0.5}),
        ({"surface": "s1", "row": 4}, None),  # not drawn
        ({"surface": "s1", "row": True}, None),
        ({"surface": "s1", "row": "5"}, None),
        ({"surface": "s1", "row": {}}, None),
        ({"surface": "s0", "row": 5}, None),
        ({"surface": "s1", "x": 2}, None),
        ({"surface": "s1", "x": 11, "y": 0}, None),
        ({"surface": "s1", "x": float("nan"), "y": 0}, None),
        ({"surface": "s1", "x": "2", "y": 0}, None),
        ({"surface": "s1", "x": True, "y": 0}, None),
        ([], None),
        (None, None),
    ],
)
def test_only_a_drawn_sample_or_a_place_on_the_axes_is_a_click(sent, spot):
    assert chosen_spot(sent, SURFACE) == spot


def test_one_axis_needs_no_second_number():
    one = {**SURFACE, "axes": SURFACE["axes"][:1]}
    assert chosen_spot({"surface": "s1", "x": 2}, one) == {"x": 2.0}


def page():
    import streamlit as st

    from pages.shared.tree_canvas import tree_canvas

    cards = {"id": "t1", "nodes": [{"id": 0}, {"id": 1}, {"id": 4}]}
    st.session_state.setdefault("wanted", None)

    def chosen(node):
        st.session_state["heard"] = node

    st.session_state["got"] = tree_canvas(cards, key="tree", selected=st.session_state["wanted"], on_select=chosen)


def run(at, **state):
    for key, value in state.items():
        at.session_state[key] = value
    at.run()
    assert not at.exception
    data = json.loads(at.get("bidi_component")[0].proto.json)
    return at.session_state["got"], data["force"]


def sent(node, at):
    return {"selected": {"tree": "t1", "id": node, "at": at}}


def test_a_click_comes_back_and_is_not_echoed():
    at = AppTest.from_function(page)
    assert run(at) == (None, None)
    assert run(at, tree=sent(4, 1)) == (4, None)
    assert run(at, tree=sent(4, 1), wanted=4) == (4, None)


def test_a_push_is_sent_once_and_holds_until_the_next_click():
    at = AppTest.from_function(page)
    run(at)
    first = {"tree": "t1", "id": 1, "rev": 1}
    assert run(at, wanted=1) == (1, first)
    assert run(at, wanted=1) == (1, first)
    assert run(at, tree=sent(4, 1), wanted=4) == (4, first)
    assert run(at, tree=sent(4, 1), wanted=0) == (0, {"tree": "t1", "id": 0, "rev": 2})
    assert run(at, tree=sent(4, 2), wanted=4) == (4, {"tree": "t1", "id": 0, "rev": 2})


def test_nothing_clears_the_selection():
    at = AppTest.from_function(page)
    run(at)
    assert run(at, tree=sent(4, 1), wanted=-1) == (None, {"tree": "t1", "id": None, "rev": 1})
