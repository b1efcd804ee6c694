"""A control says once what links, widgets and pages need of it."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.app.links.readers import OutOfRange
from pages.shared.canvas.control import Control

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


def test_a_number_beyond_its_ends_names_the_nearest():
    with pytest.raises(OutOfRange) as beyond:
        NUMBER.entry.read("99")
    assert beyond.value.nearest == 9


def test_its_place_in_links_has_its_name_and_what_undo_does():
    assert (WORDS.entry.parameter, WORDS.entry.undo, NUMBER.entry.parameter) == ("w", False, "n")


def page():
    import streamlit as st

    from tests.pages.app.test_control import NUMBER, SHARE, SWITCH, WORDS

    for control in (WORDS, NUMBER, SHARE, SWITCH):
        st.session_state.setdefault(control.key, control.default)
        control.draw()
    st.markdown(f"{WORDS.value} {NUMBER.value} {SHARE.value} {SWITCH.value}")


def test_its_widget_is_a_list_a_box_or_a_switch():
    app = AppTest.from_function(page).run()
    assert app.selectbox("way").options == ["First", "Second"]
    assert (app.number_input("n").min, app.number_input("n").max) == (1, 9)
    app.number_input("share").set_value(2.0)
    app.selectbox("way").set_value("b")
    app.toggle("on").set_value(True).run()
    assert not app.exception
    assert app.markdown[0].value == "b 3 2.0 True"
