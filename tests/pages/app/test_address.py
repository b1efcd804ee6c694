"""The address of a page, also of a part that runs alone, and the controls that say what stands in it."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.app import address
from pages.shared.app.links import OutOfRange
from pages.shared.canvas.control import Control
from tests.tools.on_page import address_of, press


def pages():
    """Pages, some with a number and its Undo; a run that is stopped ends before or after its values are there."""
    import streamlit as st

    from pages.shared.app import address, links
    from pages.shared.models import bar

    place, stops = st.session_state.get("goes to", "tree"), st.session_state.get("stops", "")
    entries = [address.Entry("depth", 3, links.whole(0, 9))] if place in ("tree", "compare") else []
    address.begin()
    address.come(place)
    if stops == "early":
        st.stop()
    st.session_state["arrival"] = address.load(place, entries)
    if stops == "late":
        st.stop()
    if st.session_state.get("by hand"):
        st.slider("depth", 0, 9, key="depth")
    address.save(place, entries)
    bar.undo(place)


def goes(app, place="tree", stops="", **texts):
    """The app after the browser has gone to this page with these texts in its address."""
    app.query_params.clear()
    for key, text in texts.items():
        app.query_params[key] = text
    app.session_state["goes to"], app.session_state["stops"] = place, stops
    return app.run()


def opened(depth, stops=""):
    return goes(AppTest.from_function(pages), stops=stops, depth=depth)


def test_a_link_is_one_and_what_is_wrong_with_it_is_said_until_a_run_is_through():
    app = opened("2")
    assert app.session_state["arrival"].linked
    assert app.session_state["depth"] == 2
    assert not app.run().session_state["arrival"].linked
    app = opened("2", "late").run()
    assert app.session_state["arrival"].linked
    app.session_state["stops"] = ""
    assert app.run().session_state["arrival"].linked
    assert not app.run().session_state["arrival"].linked
    app = opened("banana", "late").run()
    assert "banana" in app.session_state["arrival"].notes[0]
    app.session_state["stops"] = ""
    assert app.run().session_state["arrival"].notes
    assert not app.run().session_state["arrival"].notes


def test_a_number_beyond_its_limits_becomes_the_limit_and_strange_parameters_are_left_alone():
    app = opened("12")
    assert app.session_state["depth"] == 9
    assert app.query_params["depth"] in ("9", ["9"])
    assert "depth=12 should be a whole number from 0 to 9" in app.session_state["arrival"].notes[0]
    assert opened("-3").session_state["depth"] == 0
    app = goes(AppTest.from_function(pages), fbclid="abc")
    assert app.query_params["fbclid"] in ("abc", ["abc"])
    assert not app.session_state["arrival"].notes


def chosen(*depths):
    app = AppTest.from_function(pages)
    app.session_state["by hand"] = True
    app.run()
    for depth in depths:
        app.slider(key="depth").set_value(depth).run()
    return app


def test_redo_makes_again_what_undo_took_back_until_something_new_is_chosen():
    app = chosen(5, 7)
    seen = [press(app, label).slider(key="depth").value for label in ("Undo", "Undo", "Redo", "Redo")]
    assert seen == [5, 3, 5, 7]
    off = {button.label for button in app.button if button.disabled}
    assert off == {"Redo"}
    app = press(chosen(5, 7), "Undo")
    app.slider(key="depth").set_value(8).run()
    assert {button.label for button in app.button if button.disabled} == {"Redo"}
    assert press(app, "Undo").slider(key="depth").value == 5


def test_back_and_forward_of_the_browser_walk_along_the_steps_of_undo_and_redo():
    app = goes(chosen(5, 7), depth="5")
    assert press(app, "Undo").slider(key="depth").value == 3  # not 7, which Back had left
    assert press(app, "Redo").slider(key="depth").value == 5
    app = goes(app, depth="7")  # Forward
    assert {button.label for button in app.button if button.disabled} == {"Redo"}
    assert press(app, "Undo").slider(key="depth").value == 5


def at_depth_four():
    return goes(goes(AppTest.from_function(pages), "tree", depth="4"), "hesitation")


def test_a_page_keeps_its_values_though_a_run_is_stopped_and_two_steps_back_lead_to_the_defaults():
    for stops in ("", "early", "late"):
        app = at_depth_four()
        goes(app, "tree", stops)
        app.session_state["stops"] = ""
        assert app.run().session_state["depth"] == 4
    for stops in ("early", "late"):
        app = goes(at_depth_four(), "tree")
        goes(app, "hesitation", stops)
        assert goes(app, "tree").session_state["depth"] == 4
    for stops in ("", "early", "late"):
        app = goes(at_depth_four(), "tree", stops, depth="4")
        assert goes(app, "tree").session_state["depth"] == 3


def test_back_to_a_bare_address_brings_the_defaults_that_were_shown_there(monkeypatch):
    app = goes(at_depth_four(), "compare")
    app.session_state["depth"] = 3  # by a widget
    assert not app.run().query_params
    for elsewhere in ({}, {"depth": "7"}):
        goes(app, "tree", depth="4")
        goes(app, "hesitation")
        goes(app, "compare", **elsewhere)
        goes(app, "hesitation")
        with monkeypatch.context() as browser:
            browser.setattr(address, "is_step_of_browser", lambda: True)
            assert goes(app, "compare", stops="early").query_params == {}
        app.session_state["stops"] = ""
        assert app.run().session_state["depth"] == 3


def test_back_to_a_bare_address_brings_the_defaults_whatever_another_page_has_changed_since(monkeypatch):
    app = goes(goes(AppTest.from_function(pages), "tree"), "compare", depth="7")
    monkeypatch.setattr(address, "is_step_of_browser", lambda: True)
    assert goes(app, "tree").session_state["depth"] == 3


def test_back_wins_over_the_menu_that_was_used_a_moment_before(monkeypatch):
    app = goes(goes(AppTest.from_function(pages), "tree"), "tree", depth="4")
    goes(goes(app, "hesitation"), "tree", stops="early")
    with monkeypatch.context() as browser:
        browser.setattr(address, "is_step_of_browser", lambda: True)
        goes(app, "tree", stops="early")
    assert goes(app, "tree").session_state["depth"] == 3


def test_back_past_a_step_that_was_left_before_its_end_brings_what_was_shown_there(monkeypatch):
    app = goes(goes(AppTest.from_function(pages), "tree", depth="5"), "hesitation")
    monkeypatch.setattr(address, "is_step_of_browser", lambda: True)
    goes(app, "tree", depth="5", stops="late")
    goes(app, "tree", depth="4", stops="late")
    assert goes(app, "tree").session_state["depth"] == 3


def test_back_to_a_page_that_was_left_before_its_end_keeps_what_was_set(monkeypatch):
    app = goes(at_depth_four(), "tree", stops="late")
    goes(app, "hesitation")
    monkeypatch.setattr(address, "is_step_of_browser", lambda: True)
    assert goes(app, "tree").session_state["depth"] == 4


def test_what_a_link_or_a_person_says_is_there_on_other_pages_too_though_its_page_is_left_before_its_end():
    app = goes(AppTest.from_function(pages), "compare", stops="late", depth="4")
    assert goes(app, "tree").session_state["depth"] == 4
    assert goes(app, "compare").session_state["depth"] == 4
    app = goes(at_depth_four(), "compare")
    app.session_state["depth"] = 7  # by a widget
    app.session_state["stops"] = "late"
    app.run()
    assert goes(app, "tree").session_state["depth"] == 7
    assert goes(app, "hesitation", depth="2").session_state["depth"] == 7  # which has none
    app = goes(AppTest.from_function(pages), "compare", stops="early", depth="4")
    assert goes(app, "hesitation").query_params == {}
    assert goes(app, "compare").session_state["depth"] == 4
    app = goes(AppTest.from_function(pages), "compare", stops="early", depth="4")
    goes(app, "hesitation")
    assert goes(app, "compare", depth="5").session_state["depth"] == 5  # another link
    assert goes(goes(app, "hesitation"), "compare").session_state["depth"] == 5


def part():
    """A page with two numbers, the second of which stands in a part that runs alone."""
    import streamlit as st

    from pages.shared.app import address, links

    entries = [address.Entry(key, 1, links.whole(0, 9)) for key in ("first", "second")]

    def alone():
        address.hold(entries[1:])
        st.slider("second", 0, 9, key="second")
        address.save_again()

    address.begin()
    address.load("part", entries)
    st.slider("first", 0, 9, key="first")
    address.save("part", entries)
    st.fragment(alone)()


def test_a_part_that_runs_alone_saves_the_whole_address():
    app = AppTest.from_function(part).run()
    app.slider(key="first").set_value(4).run()
    app.slider(key="second").set_value(7).run()
    assert address_of(app) == {"first": "4", "second": "7"}


WORDS = Control("way", "a", {"a": "First", "b": "Second"}, "The way", name="w", undo=False)
NUMBER = Control("n", 3, (1, 9), "Numbers")
SHARE = Control("share", None, (0.5, 99.0), "Share", empty="all of it")
SWITCH = Control("on", False, None, "On")


@pytest.mark.parametrize(
    ("control", "text", "value"),
    [(WORDS, "b", "b"), (NUMBER, "7", 7), (SHARE, "2.5", 2.5), (SHARE, "none", None), (SWITCH, "yes", True)],
)
def test_a_link_sets_what_the_control_may_be(control, text, value):
    assert control.entry.read(text) == value


@pytest.mark.parametrize(("control", "text"), [(WORDS, "c"), (NUMBER, "2.5"), (NUMBER, "none"), (SWITCH, "maybe")])
def test_a_link_with_anything_else_says_what_is_accepted(control, text):
    with pytest.raises(ValueError, match=r"first|one of|whole number|yes|a, b"):
        control.entry.read(text)


def test_a_number_beyond_its_ends_names_the_nearest_and_its_place_in_links_has_its_name():
    with pytest.raises(OutOfRange) as beyond:
        NUMBER.entry.read("99")
    assert beyond.value.nearest == 9
    assert (WORDS.entry.parameter, WORDS.entry.undo, NUMBER.entry.parameter) == ("w", False, "n")


def controls_page():
    import streamlit as st

    from tests.pages.app.test_address import NUMBER, SHARE, SWITCH, WORDS

    for control in (WORDS, NUMBER, SHARE, SWITCH):
        st.session_state.setdefault(control.key, control.default)
        control.draw()
    st.markdown(f"{WORDS.value} {NUMBER.value} {SHARE.value} {SWITCH.value}")


def test_its_widget_is_a_list_a_box_or_a_switch():
    app = AppTest.from_function(controls_page).run()
    assert app.selectbox("way").options == ["First", "Second"]
    assert (app.number_input("n").min, app.number_input("n").max) == (1, 9)
    app.number_input("share").set_value(2.0)
    app.selectbox("way").set_value("b")
    app.toggle("on").set_value(True).run()
    assert not app.exception
    assert app.markdown[0].value == "b 3 2.0 True"
