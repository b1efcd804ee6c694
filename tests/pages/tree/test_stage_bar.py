"""The controls at the foot of the Tree page: what runs when one rests, the depth, the drawer; the bar on top."""

import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from espalier.data.folds import HeldOut
from espalier.learners.catalogue import Model
from pages.shared.models import drawer, learners
from pages.shared.tree import report, results
from tests.tools.on_page import Slider, address_of, begin_page, open_tree, press, sent_to, whole


@pytest.fixture
def controls(monkeypatch):
    """The names of the data of each run that has drawn the controls."""
    runs, draw = [], learners.draw_choice
    monkeypatch.setattr(learners, "draw_choice", lambda data, most: (runs.append(data.name), draw(data, most)))
    return runs


def rested(page, **values):
    """The page after moves of these sliders, in this order."""
    for key, value in values.items():
        whole(Slider(page, key).set_value(value).run())
    return page


def n_nodes(page):
    return len(sent_to(page, "espalier_tree")[0]["cards"]["nodes"])


def test_a_slider_and_a_box_that_come_to_rest_change_tree_and_address_and_not_the_controls(controls):
    page = open_tree(held="20")
    page.session_state[drawer.SETTINGS] = False
    page = rested(whole(page.run()), depth=4)  # the first step makes Undo possible
    before = len(controls)
    assert address_of(rested(page, depth=1)) == {"held": "20", "depth": "1"}
    assert n_nodes(page) == 3
    assert len(controls) == before
    page.session_state[drawer.SETTINGS] = True
    page = whole(page.run())
    page.number_input(key="leaf").set_value(61)
    assert address_of(whole(page.run())) == {"held": "20", "depth": "1", "leaf": "61"}
    assert n_nodes(page) == 1
    assert len(controls) == before + 2  # its place in the drawer is part of the page
    page = whole(page.run())
    for address in ({"held": "20", "depth": "1"}, {"held": "20", "depth": "4"}, {"held": "20"}):
        assert address_of(press(page, "Undo")) == address
    assert Slider(page, "depth").value == 3
    assert page.number_input(key="leaf").value == 1


def test_the_controls_run_where_the_move_changes_something_of_them_as_redo_after_undo(controls):
    for address, moves, state in [
        ({"held": "20"}, {"depth": 4}, {}),  # Undo is possible from now on
        ({"held": "20"}, {"depth": 4}, {"share": True}),  # the link to the page follows
        ({"model": "cultivated", "data": "moons"}, {"levels": 3, "eta": 0.5}, {}),  # a preset is left
    ]:
        page = open_tree(**address)
        for key, value in state.items():
            page.session_state[key] = value
        whole(page.run())
        before = len(controls)
        rested(page, **moves)
        assert len(controls) == before + len(moves)
    page = press(rested(open_tree(held="20"), depth=4), "Undo")
    before = len(controls)
    rested(page, depth=5)
    assert len(controls) == before + 1
    assert next(button for button in page.button if button.label == "Redo").disabled


def page_with_fragment():
    import streamlit as st

    from pages.shared.app.address import Arrival
    from pages.shared.tree import moving

    state = st.session_state
    state["page runs"] = state.get("page runs", 0) + 1

    @st.fragment(key=moving.KEY)
    def part():
        moving.begin([])
        st.button("Click", on_click=lambda: st.rerun(moving.KEY))  # as a browser asks for it

    moving.mean(Arrival(False, []))
    part()


def test_a_click_beside_the_controls_runs_the_whole_page():
    page = AppTest.from_function(page_with_fragment).run()
    before = page.session_state["page runs"]
    whole(page.button[0].click().run())
    assert page.session_state["page runs"] == before + 1
    assert page.button[0].label == "Click"


def choice_alone():
    """The choice of the learner without its tree."""

    from espalier.data import samples
    from pages.shared.app import address
    from pages.shared.models import learners

    data = samples.load("iris")
    entries = learners.url_entries(data.target)
    address.begin()
    address.load("controls", entries)
    learners.draw_choice(data)
    address.save("controls", entries)


def opened_choice(**link):
    app = AppTest.from_function(choice_alone, default_timeout=60)
    for key, text in link.items():
        app.query_params[key] = text
    return app.run()


def change(app, learner):
    app.segmented_control(key="learner").set_value(learner)
    app.run()
    assert not app.exception
    return app


def test_a_depth_that_was_set_goes_along_up_to_the_greatest_and_each_learner_begins_with_its_own():
    app = change(opened_choice(depth="2"), "optimal")
    assert app.session_state["height"] == 2
    assert change(app, "cultivated").session_state["levels"] == 2
    app.session_state["levels"] = 3
    assert change(app.run(), "cart").session_state["depth"] == 3
    assert change(opened_choice(), "cultivated").session_state["levels"] == 14
    assert change(opened_choice(depth="12"), "optimal").session_state["height"] == 6


def test_the_curves_behind_the_depth_are_the_errors_of_the_trees_of_each_depth():
    for name, score in (("iris", "accuracy"), ("sine", "R²")):
        held, own = Slider(open_tree(data=name, held="40"), "depth").data["behind"]
        assert len(held) == len(own) > 3
        for depth in range(1, len(held)):
            model = Model("cart", (("depth", depth),))
            there = report.headlines(results.grown(samples.load(name), HeldOut(40), model))
            means = (there["held-out"].tree, there["training"].tree)
            if score == "accuracy":  # of numbers the spread is around the mean of the same rows
                assert [1 - held[depth], 1 - own[depth]] == pytest.approx(means)
            else:
                assert 1 - own[depth] == pytest.approx(means[1])
    assert len(Slider(open_tree(held="0"), "depth").data["behind"]) == 1


def test_the_drawer_counts_what_it_has_that_differs_from_the_defaults():
    for address, n in (
        ({}, ""),
        ({"depth": "2"}, ""),
        ({"leaf": "5"}, " · 1"),
        ({"leaf": "5", "held": "9"}, " · 2"),
    ):
        labels = [box.proto.popover.label for box in open_tree(**address).get("popover")]
        assert f"More settings{n}" in labels


def test_the_table_in_use_is_a_click_away_on_every_page():
    for name in ("tree", "lessons", "practice", "basics", "hesitation", "compare"):
        links = [link.proto for link in begin_page(name).get("page_link") if "150 rows" in link.proto.label]
        assert [link.page for link in links] == ["data"], name
