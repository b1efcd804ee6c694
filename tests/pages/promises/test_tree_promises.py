"""Promises of a tree's leaves, and the test for drift, on the Tree page without a browser."""

import pytest

from pages.shared.promises import of_tree
from tests.tools.on_page import address_of, open_page


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(of_tree, "N_SHUFFLES", 19)


def opened(**address):
    return open_page("tree", {of_tree.OPENED: True}, **address)


def leaves(page):
    return next(one.value for one in page.dataframe if "truth of new rows" in one.value)


def test_each_leaf_has_a_promise_of_its_own_rows_and_few_rows_promise_nothing():
    page = opened(data="iris", depth="2", level="90")
    table = leaves(page)
    assert len(table) == 3
    assert sum(int(n) for n in table["rows held out"]) == 45
    page = opened(data="iris", depth="2", level="95")
    assert set(leaves(page)["truth of new rows"]) == {"too few rows: 19 are needed"}


def test_a_link_asks_whether_the_rows_held_out_are_like_the_others():
    page = opened(data="iris", drift="yes", test="petal length~gt~5")
    text = " ".join(one.value for one in page.markdown)
    assert "rows held out differ" in text
    assert address_of(page)["drift"] == "yes"
