"""What the browser sends is checked, and what Python pushes is sent once: both canvases on a page."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.canvas.surface import chosen_spot
from pages.shared.canvas.tree import chosen_node
from tests.tools.on_page import data_of

CARDS = {"id": "t1", "nodes": [{"id": 0}, {"id": 1}, {"id": 4}]}
SURFACE = {
    "id": "s1",
    "axes": [{"low": 0.0, "high": 10.0}, {"low": -1.0, "high": 1.0}],
    "points": {"row": [3, 5, 8]},
}


def test_only_a_node_of_these_cards_is_a_selection():
    cases = [
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
    ]
    for sent, node in cases:
        assert chosen_node(sent, CARDS) == node, sent


def test_only_a_drawn_sample_or_a_place_on_the_axes_is_a_click():
    cases = [
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
    ]
    for sent, spot in cases:
        assert chosen_spot(sent, SURFACE) == spot, sent


def test_one_axis_needs_no_second_number():
    one = {**SURFACE, "axes": SURFACE["axes"][:1]}
    assert chosen_spot({"surface": "s1", "x": 2}, one) == {"x": 2.0}


def page():
    import streamlit as st

    from pages.shared.canvas.tree import tree_canvas
    from pages.shared.tree.node_line import Selected, node_line

    cards = {"id": "t1", "nodes": [{"id": 0}, {"id": 1}, {"id": 4}]}
    node = st.session_state.setdefault("wanted", 0)

    def chosen(node):
        st.session_state["wanted"] = st.session_state["heard"] = node

    node_line(["Node"], "rule", Selected("t1", node, node + 1, None), channel="c", canvases=["tree"])
    st.session_state["got"] = tree_canvas(cards, key="tree", channel="c", on_select=chosen)


def run(at, **state):
    for key, value in state.items():
        at.session_state[key] = value
    at.run()
    assert not at.exception
    return [data_of(found) for found in at.get("bidi_component")]


def sent(node, at):
    return {"selected": {"tree": "t1", "id": node, "at": at}}


def test_a_click_changes_nothing_of_what_the_tree_is_sent():
    at = AppTest.from_function(page)
    _, before = run(at)
    assert run(at, tree=sent(4, 7), wanted=4)[1] == before
    assert at.session_state["got"] == 4


def test_the_line_tells_what_is_selected_and_which_click_it_knows_of():
    at = AppTest.from_function(page)
    assert run(at)[0]["state"] == {"tree": "t1", "id": 0, "end": 1, "row": None, "at": 0}
    line, _ = run(at, tree=sent(4, 7), wanted=4)
    assert (line["state"]["id"], line["state"]["at"]) == (4, 7)
    line, _ = run(at, wanted=1)  # by another way than a click
    assert (line["state"]["id"], line["state"]["at"]) == (1, 7)


@pytest.mark.parametrize("time", [True, "7", None, -1, 2**60, float("nan")])
def test_a_time_that_is_none_counts_as_never(time):
    at = AppTest.from_function(page)
    assert run(at, tree=sent(4, time))[0]["state"]["at"] == 0
