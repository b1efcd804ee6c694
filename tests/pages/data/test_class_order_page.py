"""The class that counts and the order of classes: chosen on the Data page, in the address, and kept everywhere."""

import numpy as np
import streamlit as st
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from pages.shared.data import class_order, library
from pages.shared.data import class_order as data_class_order
from pages.shared.models import rail
from tests.tools.on_page import APP, address_of, engine, open_tree, sent_to, whole

__all__ = ["engine"]

PAIN = "age,pain,state\n" + "".join(
    f"{20 + i},{('low', 'medium', 'high')[i % 3]},{('well', 'sick')[i % 5 == 0]}\n" for i in range(30)
)


def data_page(**address):
    page = AppTest.from_file(APP, default_timeout=120)
    page.query_params.update(address)
    page.switch_page("pages/data.py")
    return whole(page.run())


def with_draft():
    page = data_page()
    page.text_area(key="pasted").set_value(PAIN)
    return press(page, "Read the pasted table")


def press(page, label):
    next(button for button in page.button if button.label == label).click()
    return whole(page.run())


def test_the_class_that_counts_is_said_and_another_one_stands_in_the_address():
    page = data_page(data="breast-cancer")
    control = page.selectbox(key=class_order.COUNTS)
    assert control.options[0] == data_class_order.guessed_class("malignant", "name")
    control.set_value("benign")
    whole(page.run())
    assert address_of(page)["data"] == "breast-cancer~p2"
    page.selectbox(key=class_order.COUNTS).set_value("")
    whole(page.run())
    assert address_of(page)["data"] == "breast-cancer"


def test_the_order_of_classes_stands_in_the_address_beside_how_a_sample_was_drawn():
    page = data_page(data="moons~n0.3")
    page.multiselect(key=class_order.ORDER).set_value(["upper"])
    whole(page.run())
    assert address_of(page)["data"] == "moons~n0.3~c2-1"
    assert page.multiselect(key=class_order.ORDER).value == ["upper", "lower"]


def test_a_number_has_no_class_that_counts():
    assert not [control for control in data_page(data="diabetes").selectbox if control.key == class_order.COUNTS]


def test_a_choice_that_does_not_fit_the_table_is_said_and_the_table_shown_as_it_was_read():
    page = data_page(data="iris~p7")
    assert [warning.value for warning in page.warning] == [
        "The order of classes in this link does not fit the table: its classes stand as they were read."
    ]
    assert page.multiselect(key=class_order.ORDER).value == []


def test_the_tree_has_the_classes_in_the_order_of_the_link_each_in_its_colour():
    cards = [sent_to(whole(open_tree(data=key, depth="1")), "espalier_tree")[0] for key in ("iris", "iris~c3-1-2")]
    colours = [{one["name"]: one["light"] for one in card["cards"]["classes"]} for card in cards]
    assert list(colours[1]) == ["virginica", "setosa", "versicolor"]
    assert colours[0] == colours[1]


def test_simulated_data_that_are_drawn_again_keep_the_choice():
    page = whole(open_tree(data="moons~c2-1"))
    page.button(key="draw-again").click()
    whole(page.run())
    assert address_of(page)["data"] == "moons~d1~c2-1"


def test_a_draft_has_both_and_its_table_keeps_them():
    page = with_draft()
    assert page.selectbox(key="class-counts 1 state").options[0] == data_class_order.guessed_class("sick", "name")
    page.selectbox(key="class-counts 1 state").set_value("well")
    page.multiselect(key="class-order 1 state").set_value(["well"])
    whole(page.run())
    press(page, "Use this table")
    table = library.store().find(page.session_state[library.CHOSEN])
    assert table is not None
    assert table.classes == ("well", "sick")
    assert (table.target.positive, table.target.marks.by) == (0, "choice")
    page.switch_page("pages/data.py")
    again = whole(page.run()).selectbox(key=class_order.COUNTS)
    assert again.options[0] == data_class_order.guessed_class("well", "choice")


def test_words_with_an_order_have_it_as_classes_too():
    page = with_draft()
    page.selectbox(key="target 1").set_value("pain")
    whole(page.run())
    order = page.multiselect(key="class-order 1 pain")
    assert order.placeholder == data_class_order.usual_order(("low", "medium", "high"))


def test_what_the_address_names_has_the_codes_of_the_order():
    again, iris = library.find("iris~c3-1-2~p1"), samples.load("iris")
    assert again is not None
    assert library.key_of(again) == "iris~c3-1-2~p1"
    assert np.array_equal(np.array(again.classes)[again.y], np.array(iris.classes)[iris.y])
    assert again.target.positive == 1  # setosa, the first of the sample, is the second of this order


def test_a_choice_of_a_page_that_has_gone_changes_nothing(monkeypatch):
    """The browser's last word may come when the page's controls are no more in the session."""
    monkeypatch.setattr(st, "session_state", {})
    rail._take_data("tree", [])
    class_order._take("iris", ("setosa", "versicolor", "virginica"))
    assert st.session_state == {}
