"""What may change in the smallest change goes from page to page, with its columns, in links and in sessions."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.tools.on_page import address_of, open_tree, opened, until_grown, whole

LINK = {"keep": "1", "up": "3", "toward": "1"}  # of iris


@pytest.fixture
def tree():
    """The Tree page with the section on the chosen row open; its tree asks about both columns of the petal."""
    return until_grown(whole(open_tree(data="iris", depth="2", row="71", **LINK)))


def of_change(page):
    return {key: value for key, value in address_of(page).items() if key in LINK}


def test_a_link_brings_all_of_it_to_the_tree_and_it_goes_to_reliability_and_back_past_other_pages(tree):
    assert of_change(tree) == LINK
    page = opened(tree, "compare", data="iris")
    page = opened(page, "reliability", data="iris")
    assert of_change(page) == LINK
    page = until_grown(whole(page.switch_page("pages/tree.py").run()))
    assert of_change(page) == LINK


def followed():
    import streamlit as st

    from espalier.data import samples
    from espalier.data.dataset import make_dataset
    from pages.shared.reliability import changing

    state, iris = st.session_state, samples.load("iris")
    if "may-keep" not in state:
        state.update({"may-keep": "2", "may-up": "3.4", "may-down": "", "may-toward": "2"})
    kept = state["columns"]
    target = iris.target if state["same"] else iris.target._replace(categories=("a", "b", "c"))
    data = make_dataset(iris.name, iris.X[:, kept], [iris.features[f] for f in kept], iris.y, target)
    state["notes"] = changing.follow(data, state["linked"])
    state["all"] = (changing.allowed(), changing.toward())


def after(columns, linked=False, same=True):
    """What may change, and the notes, once the table of iris has these columns alone."""
    app = AppTest.from_function(followed)
    for now, is_linked, is_same in (([0, 1, 2, 3], False, True), (columns, linked, same)):
        for key, value in (("columns", now), ("linked", is_linked), ("same", is_same)):
            app.session_state[key] = value
        app.run()
        assert not app.exception
    return *app.session_state["all"], app.session_state["notes"]


def test_a_choice_is_let_go_with_a_note_where_the_table_has_other_columns_and_a_link_is_taken_as_it_is():
    allowed, toward, notes = after([0, 1, 2, 3])
    assert (allowed.fixed, allowed.up, toward, notes) == ((1,), (2, 3), 1, [])
    for columns, same in (([3, 1, 2], True), ([0, 1, 2, 3], False)):
        allowed, toward, notes = after(columns, same=same)
        assert not any(allowed)
        assert toward is None
        assert notes == ["Limits on changes are gone: the table has other columns."]
    assert after([3, 1, 2], linked=True)[0].up == (2, 3)
