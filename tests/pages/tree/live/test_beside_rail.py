"""A control of the Tree page that rests runs what stands beside the rail, and the rail only if it changes, too."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.models import learners
from tests.tools.on_page import Slider, address_of, engine, open_tree, sent_to, whole

__all__ = ["engine"]


@pytest.fixture
def rail(monkeypatch):
    """The names of the data of each run that has drawn the rail."""
    runs, draw = [], learners.draw
    monkeypatch.setattr(learners, "draw", lambda dataset: (runs.append(dataset.name), draw(dataset)))
    return runs


def rested(page, **values):
    """The page after moves of these sliders, in this order."""
    for key, value in values.items():
        whole(Slider(page, key).set_value(value).run())
    return page


def pressed(page, label):
    next(button for button in page.button if button.label == label).click()
    return whole(page.run())


def n_nodes(page):
    return len(sent_to(page, "espalier_tree")[0]["cards"]["nodes"])


def test_a_slider_and_a_box_that_come_to_rest_change_tree_and_address_and_not_the_rail(rail):
    page = rested(open_tree(held="20"), depth=4)  # the first step makes Undo possible
    before = len(rail)
    assert address_of(rested(page, depth=1)) == {"held": "20", "depth": "1"}
    assert n_nodes(page) == 3
    assert len(rail) == before
    page = whole(page.run())  # AppTest has lost the widgets that the last run did not draw
    page.number_input(key="leaf").set_value(61)
    assert address_of(whole(page.run())) == {"held": "20", "depth": "1", "leaf": "61"}
    assert n_nodes(page) == 1
    assert len(rail) == before + 1
    page = whole(page.run())
    for address in ({"held": "20", "depth": "1"}, {"held": "20", "depth": "4"}, {"held": "20"}):
        assert address_of(pressed(page, "Undo")) == address
    assert Slider(page, "depth").value == 3
    assert page.number_input(key="leaf").value == 1


@pytest.mark.parametrize(
    ("address", "moves", "state"),
    [
        ({"held": "20"}, {"depth": 4}, {}),  # Undo is possible from now on
        ({"held": "20"}, {"depth": 4}, {"share": True}),  # the link to the page follows
        ({"model": "cultivated", "data": "moons"}, {"levels": 3, "eta": 0.5}, {}),  # a preset is left
    ],
)
def test_the_rail_runs_where_the_move_changes_something_of_it(address, moves, state, rail):
    page = open_tree(**address)
    for key, value in state.items():
        page.session_state[key] = value
    whole(page.run())
    before = len(rail)
    rested(page, **moves)
    assert len(rail) == before + len(moves)


def test_a_move_after_undo_lets_redo_go(rail):
    page = pressed(rested(open_tree(held="20"), depth=4), "Undo")
    before = len(rail)
    rested(page, depth=5)
    assert len(rail) == before + 1
    assert next(button for button in page.button if button.label == "Redo").disabled


def page_with_fragment():
    import streamlit as st

    from pages.shared.app.address import Arrival
    from pages.shared.tree.live import moving

    state = st.session_state
    state["page runs"] = state.get("page runs", 0) + 1

    @st.fragment(key=moving.KEY)
    def part():
        moving.begin([])
        st.button("Click", on_click=lambda: st.rerun(moving.KEY))  # as a browser asks for it

    moving.mean(Arrival(False, []))
    part()


def test_a_click_beside_the_rail_runs_the_whole_page():
    page = AppTest.from_function(page_with_fragment).run()
    before = page.session_state["page runs"]
    whole(page.button[0].click().run())
    assert page.session_state["page runs"] == before + 1
    assert page.button[0].label == "Click"
