"""Build your own says what is not possible any more, and what is known of what would make it so; no browser."""

import pytest

from espalier.learners.optimal import threshold_search
from pages.shared.tree import fits
from tests.pages.tree.test_optimal_page import known, open_optimal, said
from tests.tools.on_page import engine, whole

__all__ = ["engine"]


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Time to count trees however busy the machine is."""
    monkeypatch.setattr(fits, "NEAR_SECONDS", 300.0)


def opened(page):
    """The page, with the drawer of what is not possible open."""
    page.session_state["own closed"] = True
    return whole(page.run())


def test_a_column_that_is_too_dear_says_from_which_slack_on_it_is_possible():
    page = opened(open_optimal(data="iris", depth="2"))
    assert "more than allowed. Allow" in said(page)
    assert "For that, at least" not in said(page)


def test_where_only_a_bound_is_known_it_says_below_which_slack_a_column_is_not_possible():
    page = opened(open_optimal(data="wine", depth="2"))
    assert "has at least" in said(page)
    assert "For that, at least" in said(page)


def test_however_many_questions_there_are_trees_are_counted_over_every_threshold(monkeypatch):
    monkeypatch.setattr(threshold_search, "MOST_LISTED", 10)
    page = open_optimal(data="moons", depth="3")
    found = known(page)
    assert found.n_questions > 10
    assert found.is_every
    assert "Counted exactly; each is a tree of depth 3 over every threshold." in said(page)


def test_where_they_are_too_many_some_questions_are_asked_and_the_page_says_so(monkeypatch):
    counted = fits.trees_as_good

    def unless_every(*counting):
        if counting[-1]:
            raise fits.StoppedEarly
        return counted(*counting)

    monkeypatch.setattr(threshold_search, "MOST_LISTED", 10)
    monkeypatch.setattr(fits, "trees_as_good", unless_every)
    page = open_optimal(data="iris", depth="3", slack="1")
    assert not known(page).is_every
    assert "about ten other questions of each column" in said(page)
