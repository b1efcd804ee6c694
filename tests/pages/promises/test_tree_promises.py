"""Promises of a tree's leaves on the Tree page without a browser."""

from pages.shared.promises import section
from tests.tools.on_page import address_of, open_page


def opened(**address):
    return open_page("tree", {section.OPENED: True}, **address)


def leaves(page):
    return next(one.value for one in page.dataframe if "truth of new rows" in one.value)


def test_each_leaf_has_a_promise_of_its_own_rows_and_few_rows_promise_nothing():
    page = opened(data="iris", depth="2", level="90")
    table = leaves(page)
    assert len(table) == 3
    assert sum(int(n) for n in table["rows held out"]) == 45
    page = opened(data="iris", depth="2", level="95")
    assert set(leaves(page)["truth of new rows"]) == {"too few rows: 19 are needed"}


def test_a_link_to_the_test_for_drift_says_where_it_is():
    page = opened(data="iris", drift="yes")
    assert any("Ask it, under Use" in one.value for one in page.warning)
    assert "drift" not in address_of(page)
