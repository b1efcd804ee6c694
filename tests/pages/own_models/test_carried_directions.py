"""Directions set on the page Tree hold in the places for models of other pages, too, and can be changed there."""

import pytest

from tests.tools.on_page import address_of, engine, open_tree, opened, until_grown, whole

__all__ = ["engine"]

RISING = "body mass index:rising"


def captions(page):
    return " ".join(one.value for one in page.caption)


@pytest.fixture
def tree():
    return until_grown(whole(open_tree(data="diabetes", depth="2", monotone=RISING)))


@pytest.mark.parametrize("name", ["compare", "reliability", "stability"])
@pytest.mark.usefixtures("idle")
def test_the_same_learner_keeps_them_on_other_pages_and_the_address_has_them(tree, name):
    page = opened(tree, name, data="diabetes", m1="cart", m2="none", m3="none")
    assert not page.exception
    assert address_of(page)["m1-monotone"] == RISING
    assert "As on the page *Tree*: prediction rises with body mass index." in captions(page)


@pytest.mark.usefixtures("idle")
def test_a_link_with_others_keeps_its_own(tree):
    link = {"m1": "cart", "m1-monotone": "age:falling", "m2": "none", "m3": "none", "m4": "none"}
    page = opened(tree, "compare", data="diabetes", **link)
    assert address_of(page)["m1-monotone"] == "age:falling"
    assert "As on the page" not in captions(page)


@pytest.mark.usefixtures("idle")
def test_whoever_changes_them_there_has_them_as_chosen_there(tree):
    page = opened(tree, "compare", data="diabetes", m1="cart", m2="none", m3="none", m4="none")
    widget = next(one for one in page.multiselect if one.value == [RISING])
    widget.set_value([])
    page = until_grown(whole(page.run()))
    assert "m1-monotone" not in address_of(page)
    assert "m1-monotone" not in address_of(until_grown(whole(page.run())))


@pytest.mark.usefixtures("idle")
def test_without_directions_on_the_tree_a_link_keeps_its_own():
    page = until_grown(whole(open_tree(data="diabetes", depth="2")))
    link = {"data": "diabetes", "m1": "cart", "m1-monotone": RISING, "m2": "none", "m3": "none", "m4": "none"}
    page = opened(page, "compare", **link)
    assert address_of(page)["m1-monotone"] == RISING
    assert "As on the page" not in captions(page)
