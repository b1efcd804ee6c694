"""Filters of rows, names of columns, the class that counts, points drawn by hand: on the Data page."""

import re
import time
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from espalier.data import Feature, make_dataset, samples
from espalier.data.column_changes import ColumnWords, text_of
from espalier.data.dataset import ClassChoice
from espalier.data.options import Moment
from espalier.data.samples.redrawn import painted
from pages.shared.app.frame import plain
from pages.shared.data import columns, filters, library
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

LARGE = "iris~where~petal length~gt~2"


def open_builder(data):
    """The Data page at this address, with the drawer of the filter open."""
    return begin_page("data", {filters.OPEN: True}, data=data)


def widget(page, kind, ending):
    """The last widget of this kind whose key ends so."""
    return [one for one in getattr(page, kind) if one.key.endswith(ending)][-1]


def says(page, text):
    return any(text in one.value.replace("\\", "") for one in [*page.markdown, *page.caption, *page.warning])


def test_a_condition_is_built_counted_kept_and_taken_back():
    page = open_builder("iris")
    widget(page, "selectbox", "column").set_value("petal length")
    whole(page.run())
    widget(page, "number_input", "True").set_value(2.0)
    assert says(whole(page.run()), "**100 of 150 rows**")
    press(page, "keep rows")
    assert address_of(page)["data"] == LARGE
    assert "100 of 150 rows" in page.subheader[0].value
    widget(page, "selectbox", "column").set_value("species")
    assert says(whole(page.run()), "Choose a value")
    widget(page, "multiselect", "False").set_value(["setosa"])
    assert says(whole(page.run()), "0 of 150 rows")
    assert page.button(key="keep rows").disabled
    widget(page, "multiselect", "False").set_value(["versicolor", "virginica"])
    whole(page.run())
    press(page, "keep rows")
    assert address_of(page)["data"] == f"{LARGE}~and~species~in~versicolor,virginica"
    press(page, "Undo")
    assert address_of(page)["data"] == LARGE
    press(page, "all rows")
    assert address_of(page).get("data", "iris") == "iris"


def test_a_tree_grows_on_the_rows_of_a_filter_or_a_node_where_there_is_something_to_predict_and_back():
    page = open_tree(data=LARGE, held="0")
    assert says(page, "petal length > 2")
    assert "100 rows" in words_of(page)
    press(page, "all rows")
    assert address_of(page) == {"data": "iris", "held": "0"}
    page = open_tree(data="iris", held="0", node="2", tab="Rows")
    press(page, "grow on rows")
    assert address_of(page)["data"] == "iris~where~petal length~gt~2.45"
    assert "100 rows" in words_of(page)
    press(page, "Undo")
    assert address_of(page)["data"] == "iris"
    page = open_tree(data="iris", held="0", node="1", tab="Rows")
    assert page.button(key="grow on rows").disabled
    assert "nothing to predict" in page.button(key="grow on rows").help


def test_rows_of_a_condition_are_held_out_until_chance_does_again():
    page = open_builder("iris")
    widget(page, "selectbox", "column").set_value("row number")
    whole(page.run())
    widget(page, "number_input", "True").set_value(140.0)
    whole(page.run())
    press(page, "hold out rows")
    assert address_of(page)["test"] == "row number~gt~140"
    page = open_tree(test="row number~gt~140")
    assert says(page, "Held out: row number > 140 (10 of 150 rows)")
    press(page, "by chance")
    assert "test" not in address_of(page)


def test_rows_that_cannot_be_held_out_are_left_to_chance_with_a_reason_or_are_those_of_the_table_in_its_stead():
    for rows, said in [
        ("mass~gt~2", "no column “mass”"),
        ("row number~gt~2", "2 of 150 rows"),
        ("row number~gt~150", "No row"),
        ("%~", "should be a filter"),
    ]:
        page = open_tree(data="iris", test=rows, depth="1")
        assert says(page, said)
        assert [slider for slider in page.get("bidi_component") if slider.key == "held slider"]
    page = open_tree(data="no such table", test="row number~gt~140", depth="1")
    assert says(page, "Held out: row number > 140 (10 of 150 rows)")


def test_a_link_with_a_filter_that_does_not_fit_shows_all_rows_and_says_why_and_a_simulation_keeps_its_own():
    for rows, said in [
        ("mass~gt~2", "no column “mass”"),
        ("petal length~gt~9", "0 of 150 rows left"),
        ("species~in~setosa", "nothing to predict"),
        ("%~~~", "cannot be read"),
    ]:
        page = open_tree(data=f"iris~where~{rows}", depth="1")
        assert any(said in one.value.replace("\\", "") for one in page.warning)
        assert any("All rows are shown" in one.value for one in page.warning)
    page = open_tree(data="moons~r100~where~x1~gt~0", depth="1")
    press(page, "draw-again")
    assert address_of(page)["data"] == "moons~r100~d1~where~x1~gt~0"


def test_the_text_of_a_data_set_has_its_filter_behind_a_choice_of_classes_and_leads_back_to_it():
    part = library.find(LARGE)
    assert part is not None
    assert library.key_of(part) == LARGE
    assert library.find("iris~where~petal length~gt~0") is samples.load("iris")
    assert library.key_of(samples.load("iris")) == "iris"
    assert library.with_rows(LARGE, "") == "iris"
    key = "iris~c3-1-2~p1~where~species~in~setosa,virginica"
    part: Any = library.find(key)
    assert library.own_text(key) == "iris"
    assert part.classes == ("virginica", "setosa", "versicolor")
    assert len(part.y) == 100
    assert library.key_of(part) == key


@pytest.mark.usefixtures("idle")
def test_every_page_takes_the_rows_of_the_filter_also_without_one_of_the_classes():
    for path in ["forests", "compare", "stability", "reliability", "approximate", "questionnaire"]:
        assert says(begin_page(path, data=LARGE), "petal length > 2")


def test_a_condition_on_dates_is_built_with_a_calendar():
    sent = Feature("sent", is_whole=True, moment=Moment("sent", "date"))
    days = np.arange(18700.0, 18730)[:, None]
    data = make_dataset("Letters", days, [sent], np.arange(30) % 2, Feature("read", "category", ("no", "yes")))
    library.store().put(data)
    page = open_builder(data.digest)
    widget(page, "date_input", "True").set_value(date(2021, 3, 31))
    assert says(whole(page.run()), "**12 of 30 rows**")
    press(page, "keep rows")
    assert address_of(page)["data"] == f"{data.digest}~where~sent~gt~2021-03-31"
    assert widget(page, "date_input", "True").value == date(2021, 3, 31)


PAIN = "age,pain,state\n" + "".join(
    f"{20 + i},{('low', 'medium', 'high')[i % 3]},{('well', 'sick')[i % 5 == 0]}\n" for i in range(30)
)


def data_page(**address):
    return begin_page("data", **address)


def with_draft():
    return on_page.paste(data_page(), PAIN)


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
    cards = [sent_to(open_tree(data=key, depth="1"), "espalier_tree")[0] for key in ("iris", "iris~c3-1-2")]
    colours = [{one["name"]: one["light"] for one in card["cards"]["classes"]} for card in cards]
    assert list(colours[1]) == ["virginica", "setosa", "versicolor"]
    assert colours[0] == colours[1]
    page = open_tree(data="moons~c2-1")
    press(page, "draw-again")
    assert address_of(page)["data"] == "moons~d1~c2-1"


def test_the_table_of_a_draft_has_words_with_an_order_in_it_as_classes_and_the_class_that_counts_is_chosen_then():
    page = with_draft()
    whole(page.selectbox(key="target 1").set_value("pain").run())
    press(page, "use")
    table: Any = library.store().find(page.session_state[library.CHOSEN])
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
    found: Any = library.find(key)
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
    page = open_tree(data="moons~r100~t45")
    assert re.search("turned by 45.*100 rows", words_of(page))
    press(page, "draw-again")
    assert address_of(page)["data"] == "moons~r100~t45~d1"
    page = press(open_tree(data="iris"), "draw-again")
    assert address_of(page) == {"data": "iris", "seed": "1"}
    page = open_tree(data="moons~n99")
    assert page.warning
    assert "Iris" in words_of(page)


def test_a_slider_of_the_simulation_changes_the_data_of_the_address_alone_once_it_rests():
    page = open_tree(data="xor", depth="2")
    whole(on_page.Slider(page, "redraw-turn").set_value(30).run())
    assert address_of(page) == {"data": "xor~t30", "depth": "2"}
    press(page, "As it was")
    assert address_of(page) == {"data": "xor", "depth": "2"}
    page = open_tree(data="xor")
    whole(on_page.Slider(page, "redraw-rows").set_value(100, over=False).run())
    assert address_of(page) == {"data": "xor"}
    assert "100 rows" in words_of(page)
    whole(on_page.Slider(page, "redraw-rows").set_value(100).run())
    assert address_of(page) == {"data": "xor~r100"}
