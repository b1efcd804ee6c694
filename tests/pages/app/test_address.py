"""The address of a page: what a link says holds until a run has taken it up to its end."""

from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st

    from pages.shared.app import address

    entries = [address.Entry("node", 0, address.whole(0, 9))]
    address.count_run()
    st.session_state["arrival"] = address.load("page", entries)
    if st.session_state["finishes"]:
        address.save("page", entries)


def opened(node, finishes):
    app = AppTest.from_function(page)
    app.query_params["node"] = node
    app.session_state["finishes"] = finishes
    return app.run()


def test_a_link_is_a_link_in_one_run():
    app = opened("2", finishes=True)
    assert app.session_state["arrival"].linked
    assert app.session_state["node"] == 2
    assert not app.run().session_state["arrival"].linked


def test_a_link_whose_run_was_stopped_is_still_one_in_the_next():
    app = opened("2", finishes=False).run()
    assert app.session_state["arrival"].linked
    app.session_state["finishes"] = True
    assert app.run().session_state["arrival"].linked
    assert not app.run().session_state["arrival"].linked


def test_a_number_beyond_its_limits_becomes_the_limit_with_a_note():
    app = opened("12", finishes=True)
    assert app.session_state["node"] == 9
    assert app.query_params["node"] in ("9", ["9"])
    assert "node=12 should be a whole number from 0 to 9" in app.session_state["arrival"].notes[0]
    assert opened("-3", finishes=True).session_state["node"] == 0


def test_what_was_wrong_with_a_link_is_said_until_a_run_is_through():
    app = opened("banana", finishes=False).run()
    assert "banana" in app.session_state["arrival"].notes[0]
    app.session_state["finishes"] = True
    assert app.run().session_state["arrival"].notes
    assert not app.run().session_state["arrival"].notes
