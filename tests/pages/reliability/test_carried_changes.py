"""What may change in the smallest change goes from page to page, with its columns, in links and in sessions."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.reliability import changing as reliability_changing
from pages.shared.reliability import sentences
from tests.tools.on_page import address_of, open_tree, opened, settle, until_grown, whole

LINK = {"keep": "1", "up": "3", "within": "4~0.1~2", "toward": "1"}  # of iris


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


def test_a_choice_on_one_page_leaves_columns_that_only_the_other_page_s_model_asks_about(tree):
    assert 0 not in tree.multiselect(key="keep-features").value  # the sepal, which this tree does not ask about
    said = " ".join(one.value for one in tree.caption)
    assert sentences.unused_columns_note(["sepal length"]) in said
    tree.multiselect(key="keep-features").set_value([3])
    page = settle(tree)
    assert of_change(page) == LINK | {"keep": "1.4"}
    page = settle(page.number_input(key="within-3-high").set_value(1.5))
    assert of_change(page)["within"] == "4~0.1~1.5"


def test_ranges_of_columns_that_are_not_asked_about_stay_when_others_are_typed():
    page = until_grown(whole(open_tree(data="iris", depth="2", row="71", within="1~5~6*4~0.1~2")))
    page.number_input(key="within-3-high").set_value(1.5)
    assert of_change(settle(page)) == {"within": "1~5~6*4~0.1~1.5"}


def followed():
    import streamlit as st

    from espalier.data import samples
    from espalier.data.dataset import make_dataset
    from pages.shared.reliability import changing, sentences

    state, iris = st.session_state, samples.load("iris")
    if "may-keep" not in state:
        state.update({"may-keep": "2", "may-up": "3.4", "may-down": "", "may-toward": "2", sentences.KEY: "4~~2"})
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


def test_columns_are_followed_by_their_names_and_let_go_with_a_note_and_a_link_is_taken_as_it_is():
    allowed, toward, notes = after([3, 1, 2])
    assert (allowed.fixed, allowed.up, toward) == ((1,), (0, 2), 1)
    assert [one.feature for one in allowed.within] == [0]
    assert not notes
    allowed, _, notes = after([2, 0])
    assert (allowed.fixed, allowed.up, allowed.within) == ((), (0,), ())
    assert notes == [reliability_changing.lost_limits_note(["sepal width", "petal width"])]
    assert after([3, 1, 2], linked=True)[0].fixed == (1,)
    assert after([3, 1, 2], linked=True)[0].up == (2, 3)
    assert after([0, 1, 2, 3], same=False)[1] is None
