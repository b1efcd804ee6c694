"""What the browser sends is checked, and what Python pushes is sent once: tree, surface and slider on a page."""

from streamlit.testing.v1 import AppTest

from pages.shared.canvas.components import chosen_node, chosen_spot
from pages.shared.canvas.control import chosen_move, with_value
from tests.tools.on_page import Slider, address_of, data_of, open_tree, press, whole

CARDS = {"id": "t1", "nodes": [{"id": 0}, {"id": 1}, {"id": 4}]}
SURFACE = {
    "id": "s1",
    "axes": [{"low": 0.0, "high": 10.0}, {"low": -1.0, "high": 1.0}],
    "points": {"row": [3, 5, 8]},
}


def test_only_a_node_of_these_cards_is_a_selection_and_a_drawn_row_or_a_place_on_the_axes_a_click():
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
    one = {**SURFACE, "axes": SURFACE["axes"][:1]}
    assert chosen_spot({"surface": "s1", "x": 2}, one) == {"x": 2.0}


def page():
    import streamlit as st

    from pages.shared.canvas.components import Selected, chosen_node, node_line, reported, tree_canvas

    cards = {"id": "t1", "nodes": [{"id": 0}, {"id": 1}, {"id": 4}]}
    node = st.session_state.setdefault("wanted", 0)

    def chosen(node):
        st.session_state["wanted"] = st.session_state["heard"] = node

    node_line(["Node"], "rule", Selected("t1", node, node + 1, None), channel="c", canvases=["tree"])
    tree_canvas(cards, key="tree", channel="c", on_select=chosen)
    st.session_state["got"] = chosen_node(reported("tree", "selected"), cards)


def run(at, **state):
    for key, value in state.items():
        at.session_state[key] = value
    at.run()
    assert not at.exception
    return [data_of(found) for found in at.get("bidi_component")]


def sent(node, at):
    return {"selected": {"tree": "t1", "id": node, "at": at}}


def test_the_line_tells_what_is_selected_and_which_click_it_knows_of_and_nothing_changes_for_the_tree():
    at = AppTest.from_function(page)
    _, before = run(at)
    assert run(at, tree=sent(4, 7), wanted=4)[1] == before
    assert at.session_state["got"] == 4
    at = AppTest.from_function(page)
    assert run(at)[0]["state"] == {"tree": "t1", "id": 0, "end": 1, "row": None, "at": 0}
    line, _ = run(at, tree=sent(4, 7), wanted=4)
    assert (line["state"]["id"], line["state"]["at"]) == (4, 7)
    line, _ = run(at, wanted=1)  # by another way than a click
    assert (line["state"]["id"], line["state"]["at"]) == (1, 7)
    for time in [True, "7", None, -1, 2**60, float("nan")]:
        at = AppTest.from_function(page)
        assert run(at, tree=sent(4, time))[0]["state"]["at"] == 0


def test_only_a_number_of_one_of_its_values_is_a_move_and_a_value_between_them_has_its_place():
    cases = [
        ({"at": 4, "over": True, "n": 2}, (4, True)),
        ({"at": 0, "over": False}, (0, False)),
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
    for value, values in [
        (7, [0, 5, 7, 10, None]),
        (-1, [-1, 0, 5, 10, None]),
        (12.5, [0, 5, 10, 12.5, None]),
        ("all", [0, 5, 10, None, "all"]),
    ]:
        assert with_value([0, 5, 10, None], value) == values


def page_of_slider():
    import streamlit as st

    from pages.shared.canvas.control import slider

    st.session_state["got"] = slider("Depth", key="depth", options=range(1, 6), default=3, disabled=False)


def test_a_slider_begins_at_its_default_takes_what_the_browser_says_and_what_the_page_sets():
    at = AppTest.from_function(page_of_slider).run()
    assert at.session_state["got"] == 3
    Slider(at, "depth").set_value(5).run()
    assert at.session_state["got"] == Slider(at, "depth").value == 5
    at.session_state["depth"] = 2
    at.run()
    assert at.session_state["got"] == Slider(at, "depth").value == 2
    at = AppTest.from_function(page_of_slider).run()
    at.session_state["depth slider"] = {"moved": {"at": 99, "over": True, "n": float("nan")}}
    at.run()
    assert not at.exception
    assert (at.session_state["got"], Slider(at, "depth").data["n"]) == (3, 0)


def test_a_move_over_many_values_is_one_step_also_where_a_click_follows_before_its_end():
    page = open_tree()
    for depth in (4, 2, 5):
        whole(Slider(page, "depth").set_value(depth, over=False).run())
        assert address_of(page) == {}
        assert Slider(page, "depth").value == depth
    whole(Slider(page, "depth").set_value(5).run())
    assert address_of(page) == {"depth": "5"}
    press(page, "Undo")
    assert address_of(page) == {}
    assert Slider(page, "depth").value == 3
    whole(Slider(page, "depth").set_value(4, over=False).run())
    whole(page.segmented_control(key="graph").set_value("classical").run())
    assert address_of(page) == {"depth": "4", "graph": "classical"}


def page_with_pictures():
    import streamlit as st

    from pages.shared.canvas.control import answered_by, slider

    state = st.session_state
    state["page runs"] = state.get("page runs", 0) + 1
    with answered_by(lambda: state["picture of"](state["depth"])):
        slider("Depth", key="depth", options=range(1, 6), default=3)


def with_pictures(picture):
    at = AppTest.from_function(page_with_pictures)
    at.session_state["picture of"] = picture
    return at.run()


def test_a_slider_brings_the_picture_of_each_value_along_while_it_moves_or_the_whole_page_runs():
    at = Slider(with_pictures(lambda depth: {"depth": depth}), "depth").set_value(5, over=False).run()
    assert Slider(at, "depth").data["picture"] == {"depth": 5}
    at = Slider(at, "depth").set_value(4).run()
    assert "picture" not in Slider(at, "depth").data  # the page itself shows what is there
    assert Slider(at, "depth").value == 4
    at = with_pictures(lambda depth: None)
    before = at.session_state["page runs"]
    at = Slider(at, "depth").set_value(5, over=False).run()
    assert at.session_state["page runs"] == before + 2  # AppTest runs the page, too, where a browser asks less
    assert "picture" not in Slider(at, "depth").data
    assert Slider(at, "depth").value == 5
