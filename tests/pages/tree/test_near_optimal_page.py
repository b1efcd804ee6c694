"""Trees as good as an optimal one: their cards, over which thresholds they are counted, and older links."""

import pytest

from espalier.data import samples
from espalier.data.sessions import SavedSession, table_of
from espalier.learners import catalogue
from espalier.learners.catalogue.settings import NUMBERS
from espalier.learners.optimal import threshold_search
from pages.shared.tree import fits
from tests.pages.tree.test_optimal_page import known, open_and_hear, open_optimal
from tests.tools.on_page import address_of, begin_page, open_session, tree_id, whole, words_of


@pytest.fixture
def patience(monkeypatch):
    """Time to count trees however busy the machine is."""
    monkeypatch.setattr(fits, "NEAR_SECONDS", 300.0)


def test_trees_are_counted_over_every_threshold_or_where_they_are_too_many_over_some_and_the_page_says_so(
    patience, monkeypatch
):
    monkeypatch.setattr(threshold_search, "MOST_LISTED", 10)
    page = open_optimal(data="moons", depth="3")
    found = known(page)
    assert found.n_questions > 10
    assert found.is_every
    assert "Each is a tree of depth 3 over every threshold." in words_of(page)
    counted = fits.trees_as_good

    def unless_every(*counting):
        if counting[-1]:
            raise fits.StoppedEarly
        return counted(*counting)

    monkeypatch.setattr(threshold_search, "MOST_LISTED", 10)
    monkeypatch.setattr(fits, "trees_as_good", unless_every)
    page = open_optimal(data="iris", depth="3", slack="1")
    assert not known(page).is_every
    assert "these ask about ten questions of each column" in words_of(page)


BMI = "body mass index:falling"
FORMER = [
    ("lines", "line", "a model tree has a formula in each leaf"),
    ("purity", "absolute", "CART can reduce the absolute error"),
    ("monotone", BMI, "CART, forests and gradient boosting can keep them"),
]
LINK = {"data": "diabetes", "depth": "1", "cuts": "5"}


def test_an_old_link_to_any_page_opens_without_what_is_gone_and_says_what_there_is_instead():
    plain = tree_id(open_optimal(**LINK))
    for name, text, instead in FORMER:
        page, said = open_and_hear(LINK | {name: text})
        assert not page.exception
        assert [one for one in said if f"{name}={text}: " in one and instead in one]
        assert tree_id(page) == plain
        assert name not in address_of(page)
    assert not open_and_hear(LINK | {"lines": "mean", "purity": "squared"})[1]
    assert not open_and_hear({"data": "two-gaussians", "depth": "1", "monotone": "x1:falling"})[1]
    every = catalogue.find_kind("optimal").former
    assert {one.key for one in every} == {name for name, _, _ in FORMER}
    assert {one.serves for one in every} == {NUMBERS}


@pytest.mark.usefixtures("idle")
def test_so_does_an_old_link_to_a_page_of_several_models():
    for name in ["compare", "reliability", "stability", "new_rows"]:
        link = {"m1": "optimal", "m1-depth": "1", "m1-purity": "absolute", "m1-monotone": BMI, "m2": "none"}
        page = begin_page(name, data="diabetes", **link)
        [said] = [one.value for one in page.warning if "m1-purity" in one.value]
        assert all(instead in said for _, _, instead in FORMER[1:])
        assert not {"m1-purity", "m1-monotone"} & address_of(page).keys()


def test_a_saved_session_opens_without_it_and_says_so_too():
    for name, text, instead in FORMER:
        texts = {
            "learner": "optimal",
            "height": "1",
            "cuts": "5",
            "lines": "mean",
            "purity": "squared",
            "monotone": "",
        }
        page = open_session(SavedSession(table_of(samples.load("diabetes"), "diabetes"), {**texts, name: text}))
        page = whole(page.switch_page("pages/tree.py").run())
        [said] = [one.value for one in page.warning]
        assert [words in said for _, _, words in FORMER] == [words == instead for _, _, words in FORMER]
        assert address_of(page) == {"model": "optimal", **LINK}
