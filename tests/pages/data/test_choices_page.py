"""What is chosen of the table in use: names of columns, the class that counts, points drawn by hand, draws."""

import re
import time

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data import samples
from espalier.data.dataset import ClassChoice
from espalier.data.features import ColumnWords, text_of
from espalier.data.samples.redrawn import painted
from pages.shared.app.frame import plain
from pages.shared.data import columns, library
from pages.shared.data.columns import glossary_of
from pages.shared.data.painting import drawn_points
from pages.shared.models import bar
from tests.tools import on_page
from tests.tools.on_page import (
    SOON,
    address_of,
    begin_page,
    open_tree,
    press,
    sent_to,
    until_grown,
    whole,
    words_of,
)

PAIN = "age,pain,state\n" + "".join(
    f"{20 + i},{('low', 'medium', 'high')[i % 3]},{('well', 'sick')[i % 5 == 0]}\n" for i in range(30)
)


def data_page(**address):
    return begin_page("data", **address)


def with_draft():
    page = data_page()
    page.text_area(key="pasted").set_value(PAIN)
    return press(page, "Read the pasted table")


def test_the_class_that_counts_is_said_and_another_one_stands_in_the_address_and_a_number_has_none():
    page = data_page(data="breast-cancer")
    control = page.selectbox(key=columns.COUNTS)
    assert control.options[0] == columns.guessed_class("malignant", "name")
    control.set_value("benign")
    whole(page.run())
    assert address_of(page)["data"] == "breast-cancer~p2"
    whole(page.selectbox(key=columns.COUNTS).set_value("").run())
    assert address_of(page)["data"] == "breast-cancer"
    assert not [control for control in data_page(data="diabetes").selectbox if control.key == columns.COUNTS]


def test_the_tree_has_the_classes_in_the_order_of_the_link_each_in_its_colour_also_when_drawn_again():
    cards = [sent_to(whole(open_tree(data=key, depth="1")), "espalier_tree")[0] for key in ("iris", "iris~c3-1-2")]
    colours = [{one["name"]: one["light"] for one in card["cards"]["classes"]} for card in cards]
    assert list(colours[1]) == ["virginica", "setosa", "versicolor"]
    assert colours[0] == colours[1]
    page = whole(open_tree(data="moons~c2-1"))
    press(page, "draw-again")
    assert address_of(page)["data"] == "moons~d1~c2-1"


def test_the_table_of_a_draft_has_words_with_an_order_in_it_as_classes_and_the_class_that_counts_is_chosen_then():
    page = with_draft()
    whole(page.selectbox(key="target 1").set_value("pain").run())
    press(page, "use")
    table = library.store().find(page.session_state[library.CHOSEN])
    assert table is not None
    assert table.classes == ("low", "medium", "high")
    page.switch_page("pages/data.py")
    page = whole(page.run())
    whole(page.selectbox(key=columns.COUNTS).set_value("low").run())
    assert address_of(page)["data"] == f"{table.digest}~p1"


def test_a_choice_of_a_page_that_has_gone_changes_nothing(monkeypatch):
    """The browser's last word may come when the page's controls are no more in the session."""
    monkeypatch.setattr(st, "session_state", {})
    bar._take("tree", [])
    columns._take_class("iris", ("setosa", "versicolor", "virginica"), [])
    assert st.session_state == {}


MEANING = "Of the inner leaves of the flower."  # of both columns, either of which may be at the root
WORDS = {"petal length": ColumnWords("leaf", "cm", MEANING), "petal width": ColumnWords("breadth", "cm", MEANING)}
TEXT = f"iris{text_of(WORDS)}"


def test_a_link_with_words_names_the_columns_and_tells_what_they_mean_also_below_a_question():
    page = until_grown(whole(open_tree(data=TEXT, depth="1", y="breadth (cm)")))
    assert plain(MEANING) in words_of(page)
    assert page.selectbox(key="y").value == "breadth (cm)"
    page = begin_page("questionnaire", data=TEXT, model="cart", depth="1")
    until = time.monotonic() + SOON  # a question has a bar of progress of its own
    while plain(MEANING) not in words_of(whole(page.run())):
        assert time.monotonic() < until
    for empty in [None, "", "  "]:
        lines = [("a", "age", "years", empty), ("b", empty, empty, empty)]
        edited = pd.DataFrame(lines, columns=["column", "name", "unit", "meaning"])
        assert glossary_of(edited) == {"a": ColumnWords("age", "years")}


def test_words_stand_before_a_choice_of_classes_and_a_filter_and_all_lead_back_to_the_table():
    key = f"{TEXT}{ClassChoice((2, 0, 1)).text}~where~leaf (cm)~gt~2"
    found = library.find(key)
    assert found is not None
    assert (found.classes[0], found.features[2].name, len(found.y)) == ("virginica", "leaf (cm)", 100)
    assert library.key_of(found) == key
    assert library.own_text(key) == "iris"
    again, iris = library.find("iris~c3-1-2~p1"), samples.load("iris")
    assert again is not None
    assert library.key_of(again) == "iris~c3-1-2~p1"
    assert np.array_equal(np.array(again.classes)[again.y], np.array(iris.classes)[iris.y])
    assert again.target.positive == 1  # setosa, the first of the sample, is the second of this order


def test_points_of_the_browser_are_taken_as_they_are_and_a_link_of_them_opens_their_tree():
    assert drawn_points({"points": [[1, 2.5, 0], [10, 0, 3]], "at": 5}) == [(1.0, 2.5, 0), (10.0, 0.0, 3)]
    assert drawn_points({"points": []}) == []
    cases = [
        None, 7, {}, {"points": 3}, {"points": [[1, 2]]}, {"points": [[1, 2, 4]]}, {"points": [[1, 2, True]]},
        {"points": [[11, 2, 0]]}, {"points": [[float("nan"), 2, 0]]}, {"points": [["1", 2, 0]]},
        {"points": [[1, 2, 0]] * 2001},
    ]  # fmt: skip
    for sent in cases:
        assert drawn_points(sent) is None, sent
    corners = [(1.0, 1.0, 0), (2.0, 2.0, 0), (8.0, 8.0, 1), (9.0, 9.0, 1)]
    page = whole(open_tree(data=painted("Four corners", corners).text, held="0"))
    assert "Four corners** :small[4 rows" in words_of(page)


def test_draw_again_takes_the_next_seed_or_holds_out_other_rows_and_one_that_cannot_be_is_said():
    page = whole(open_tree(data="moons~r100~t45"))
    assert re.search("turned by 45.*100 rows", words_of(page))
    press(page, "draw-again")
    assert address_of(page)["data"] == "moons~r100~t45~d1"
    page = press(whole(open_tree(data="iris")), "draw-again")
    assert address_of(page) == {"data": "iris", "seed": "1"}
    page = whole(open_tree(data="moons~n99"))
    assert page.warning
    assert "Iris" in words_of(page)


def test_a_slider_of_the_simulation_changes_the_data_of_the_address_alone_once_it_rests():
    page = whole(open_tree(data="xor", depth="2"))
    whole(on_page.Slider(page, "redraw-turn").set_value(30).run())
    assert address_of(page) == {"data": "xor~t30", "depth": "2"}
    press(page, "As it was")
    assert address_of(page) == {"data": "xor", "depth": "2"}
    page = whole(open_tree(data="xor"))
    whole(on_page.Slider(page, "redraw-rows").set_value(100, over=False).run())
    assert address_of(page) == {"data": "xor"}
    assert "100 rows" in words_of(page)
    whole(on_page.Slider(page, "redraw-rows").set_value(100).run())
    assert address_of(page) == {"data": "xor~r100"}
