"""Names, units and meanings of columns on pages, without a browser."""

import time

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from espalier.data.class_choice import ClassChoice
from espalier.data.columns.glossary import ColumnWords, text_of
from pages.shared.app.frame import plain
from pages.shared.data import library
from pages.shared.data.naming.columns import glossary_of
from tests.tools.on_page import APP, SOON, engine, open_tree, until_grown, whole

__all__ = ["engine"]

MEANING = "Of the inner leaves of the flower."  # of both columns, either of which may be at the root
WORDS = {
    "petal length": ColumnWords("leaf", "cm", MEANING),
    "petal width": ColumnWords("breadth", "cm", MEANING),
}
TEXT = f"iris{text_of(WORDS)}"


def text(page):
    return " ".join(one.value for one in [*page.markdown, *page.caption])


def test_a_link_with_words_names_the_columns_and_tells_what_they_mean():
    page = until_grown(whole(open_tree(data=TEXT, depth="1", y="breadth (cm)")))
    assert plain(MEANING) in text(page)
    assert page.selectbox(key="y").value == "breadth (cm)"


def test_words_stand_before_a_choice_of_classes_and_a_filter():
    key = f"{TEXT}{ClassChoice((2, 0, 1)).text}~where~leaf (cm)~gt~2"
    found = library.find(key)
    assert found is not None
    assert (found.classes[0], found.features[2].name, len(found.y)) == ("virginica", "leaf (cm)", 100)
    assert library.key_of(found) == key
    assert library.own_text(key) == "iris"


def test_the_questionnaire_tells_the_meaning_below_its_question():
    page = AppTest.from_file(APP, default_timeout=300)
    for key, value in {"data": TEXT, "model": "cart", "depth": "1"}.items():
        page.query_params[key] = value
    page.switch_page("pages/questionnaire.py")
    until = time.monotonic() + SOON  # a question has a bar of progress of its own
    while plain(MEANING) not in text(whole(page.run())):
        assert time.monotonic() < until


@pytest.mark.parametrize("empty", [None, "", "  "])
def test_an_edited_table_gives_the_words_that_are_there(empty):
    lines = [("a", "age", "years", empty), ("b", empty, empty, empty)]
    edited = pd.DataFrame(lines, columns=["column", "name", "unit", "meaning"])
    assert glossary_of(edited) == {"a": ColumnWords("age", "years")}
