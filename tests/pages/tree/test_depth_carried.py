"""The depth that a person sets goes along from one way of growing a tree to the next."""

from streamlit.testing.v1 import AppTest


def rail():
    """The choice of the learner without its tree."""
    import streamlit as st

    from espalier.data import samples
    from pages.shared.app import address
    from pages.shared.models import learners

    data = samples.load("iris")
    entries = learners.url_entries(data.target)
    address.begin()
    address.load("rail", entries)
    with st.sidebar:
        learners.draw(data)
    address.save("rail", entries)


def opened(**link):
    app = AppTest.from_function(rail, default_timeout=60)
    for key, text in link.items():
        app.query_params[key] = text
    return app.run()


def change(app, learner):
    app.segmented_control(key="learner").set_value(learner)
    app.run()
    assert not app.exception
    return app


def test_a_depth_that_was_set_goes_along_and_comes_back():
    app = change(opened(depth="2"), "optimal")
    assert app.session_state["height"] == 2
    assert change(app, "cultivated").session_state["levels"] == 2
    app.session_state["levels"] = 3
    assert change(app.run(), "cart").session_state["depth"] == 3


def test_each_learner_begins_with_its_own_depth_where_none_was_set():
    assert change(opened(), "cultivated").session_state["levels"] == 14


def test_a_depth_beyond_what_a_learner_takes_becomes_its_greatest():
    assert change(opened(depth="12"), "optimal").session_state["height"] == 6
