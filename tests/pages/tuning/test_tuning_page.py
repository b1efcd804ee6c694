"""“Tune for me” on the Tree page: the search is asked for, shows what it found, and its settings can be taken."""

import pytest

from espalier.tuning import search
from tests.tools.on_page import address_of, click_bar, open_tree, until_grown, whole


@pytest.fixture
def small(monkeypatch):
    """A space of two combinations, so that the search ends soon."""
    monkeypatch.setattr(search, "space_of", lambda model, variance=None: {"depth": (1, 2), "leaf": (1,)})


def button(page, label):
    return next(one for one in page.button if one.label == label)


def test_a_link_begins_no_search_and_what_is_found_is_taken_and_taken_back(small):
    page = whole(open_tree(depth="1", tune="yes", **{"tune-seconds": "300"}))
    assert page.button(key="tune for me").disabled
    until_grown(whole(button(page, "Search").click().run()))
    assert any("2 of 2 combinations of settings were tried in 5 folds" in text.value for text in page.caption)
    assert [one.label for one in page.metric if one.value != "–"].count("On new rows") == 3
    whole(page.button(key="use best").click().run())
    assert address_of(page)["depth"] == "2"
    assert page.button(key="use best").disabled
    whole(button(page, "Undo").click().run())
    assert address_of(page)["depth"] == "1"
    whole(click_bar(page, "1").run())
    assert address_of(page)["depth"] == "2"
