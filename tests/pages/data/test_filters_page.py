"""Filters of rows: the builder on the Data page, the address, Undo, and every page on what is kept."""

from datetime import date

import numpy as np
import pytest

from espalier.data import Feature, make_dataset, samples
from espalier.data.options import Moment
from pages.shared.data import filters, library
from tests.tools.on_page import address_of, begin_page, open_tree, press, whole, words_of

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
    page = whole(open_tree(data=LARGE, held="0"))
    assert says(page, "petal length > 2")
    assert "100 rows" in words_of(page)
    press(page, "all rows")
    assert address_of(page) == {"data": "iris", "held": "0"}
    page = whole(open_tree(data="iris", held="0", node="2", tab="Rows"))
    press(page, "grow on rows")
    assert address_of(page)["data"] == "iris~where~petal length~gt~2.45"
    assert "100 rows" in words_of(page)
    press(page, "Undo")
    assert address_of(page)["data"] == "iris"
    page = whole(open_tree(data="iris", held="0", node="1", tab="Rows"))
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
    page = whole(open_tree(test="row number~gt~140"))
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
        page = whole(open_tree(data="iris", test=rows, depth="1"))
        assert says(page, said)
        assert [slider for slider in page.get("bidi_component") if slider.key == "held slider"]
    page = whole(open_tree(data="no such table", test="row number~gt~140", depth="1"))
    assert says(page, "Held out: row number > 140 (10 of 150 rows)")


def test_a_link_with_a_filter_that_does_not_fit_shows_all_rows_and_says_why_and_a_simulation_keeps_its_own():
    for rows, said in [
        ("mass~gt~2", "no column “mass”"),
        ("petal length~gt~9", "0 of 150 rows left"),
        ("species~in~setosa", "nothing to predict"),
        ("%~~~", "cannot be read"),
    ]:
        page = whole(open_tree(data=f"iris~where~{rows}", depth="1"))
        assert any(said in one.value.replace("\\", "") for one in page.warning)
        assert any("All rows are shown" in one.value for one in page.warning)
    page = whole(open_tree(data="moons~r100~where~x1~gt~0", depth="1"))
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
    part = library.find(key)
    assert part is not None
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
