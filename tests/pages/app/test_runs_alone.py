"""Parts of a page that run alone, such as the curves along a column on Forests; without a browser."""

from streamlit.testing.v1 import AppTest

from tests.tools.on_page import address_of


def part():
    """A page with two numbers, the second of which stands in a part that runs alone."""
    import streamlit as st

    from pages.shared.app import address
    from pages.shared.app.links import readers

    entries = [address.Entry(key, 1, readers.whole(0, 9)) for key in ("first", "second")]

    def alone():
        address.hold(entries[1:])
        st.slider("second", 0, 9, key="second")
        address.save_again()

    address.begin()
    address.load("part", entries)
    st.slider("first", 0, 9, key="first")
    address.save("part", entries)
    st.fragment(alone)()


def test_a_part_that_runs_alone_saves_the_whole_address():
    app = AppTest.from_function(part).run()
    app.slider(key="first").set_value(4).run()
    app.slider(key="second").set_value(7).run()
    assert address_of(app) == {"first": "4", "second": "7"}
