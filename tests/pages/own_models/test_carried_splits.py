"""Splits that are chosen by hand on the page Tree are those that trees of other pages begin with, too."""

import pytest

from tests.tools.on_page import address_of, engine, open_tree, opened, until_grown, whole

__all__ = ["engine"]

BY_HAND = "c2_3~Rc4_1.5"  # iris: sepal width ≤ 3, and of the others petal width ≤ 1.5
GIVEN = ":sepal width:3,R:petal width:1.5"
SHORT = "begins with the given split sepal width ≤ 3 and 1 more"
ALONE = {"m2": "none", "m3": "none", "m4": "none"}


def captions(page):
    return " ".join(one.value for one in page.caption).replace("\\", "")


@pytest.fixture
def tree():
    return until_grown(whole(open_tree(data="iris", depth="3", edits=BY_HAND)))


def test_the_page_says_that_other_pages_keep_the_splits(tree):
    assert "CART and optimal trees on other pages also begin with the splits chosen by hand" in captions(tree)


@pytest.mark.parametrize("name", ["compare", "reliability", "stability"])
@pytest.mark.usefixtures("idle")
def test_cart_and_optimal_trees_begin_with_them_and_others_say_that_they_do_not(tree, name):
    page = opened(tree, name, data="iris", m1="cart", m2="optimal", m3="cultivated")
    assert not page.exception
    assert address_of(page)["m1-given"] == address_of(page)["m2-given"] == GIVEN
    assert captions(page).count(f"As on the page *Tree*: {SHORT}.") == 2
    assert captions(page).count(f"Set on the page *Tree*, but this model does not keep it: {SHORT}.") == 1


@pytest.mark.usefixtures("idle")
def test_an_optimal_tree_says_which_of_them_it_has_no_room_for(tree):
    page = opened(tree, "compare", data="iris", m1="optimal", **{"m1-depth": "1"}, **ALONE)
    assert "no room for these given splits: no: petal width ≤ 1.5. Allow it more depth" in captions(page)
    page = opened(tree, "compare", data="iris", m1="optimal", **ALONE)
    assert "no room" not in captions(page)


@pytest.mark.usefixtures("idle")
def test_a_split_that_is_taken_out_takes_those_below_it_along(tree):
    page = opened(tree, "compare", data="iris", m1="cart", **ALONE)
    page.multiselect(key="m1-cart-given columns").set_value(["no: petal width ≤ 1.5"])
    page = until_grown(whole(page.run()))
    assert "m1-given" not in address_of(page)
    assert "m1-given" not in address_of(until_grown(whole(page.run())))


@pytest.mark.usefixtures("idle")
def test_directions_in_the_same_place_leave_no_room_for_them():
    page = until_grown(whole(open_tree(data="diabetes", depth="3", edits="c3_30")))
    page = opened(page, "compare", data="diabetes", m1="cart", **ALONE)
    assert address_of(page)["m1-given"] == ":body mass index:30"
    page.multiselect(key="m1-cart-monotone columns").set_value(["age:rising"])
    page = until_grown(whole(page.run()))
    assert not page.exception
    assert "m1-given" not in address_of(page)
    assert "does not keep it: begins with the given split body mass index ≤ 30" in captions(page)


def test_forests_say_that_they_do_not_keep_them(tree):
    page = opened(tree, "forests", data="iris", **{"a-trees": "5", "b-trees": "5"})
    assert captions(page).count(f"does not keep it: {SHORT}") == 2


def test_a_questionnaire_asks_them_first(tree):
    page = whole(tree.switch_page("pages/questionnaire.py").run())
    page = whole(page.button_group(key="asking").set_value("cart").run())
    assert address_of(page)["given"] == GIVEN
    assert f"As on the page *Tree*: {SHORT}." in captions(page)
    assert "sepal width" in " ".join(one.value for one in page.markdown)


def test_a_questionnaire_of_an_optimal_tree_says_which_of_them_it_has_no_room_for(tree):
    page = whole(tree.switch_page("pages/questionnaire.py").run())
    page = whole(page.button_group(key="asking").set_value("optimal").run())
    assert "no room" not in captions(page)
    for small in ({"height": "1"}, {"height": "2", "splits": "1"}):
        page.query_params.update(small)
        page = whole(page.run())
        assert "no room for these given splits: no: petal width ≤ 1.5." in captions(page)


@pytest.mark.usefixtures("idle")
def test_they_are_let_go_once_they_are_taken_back_on_the_tree(tree):
    page = opened(tree, "compare", data="iris", m1="cart", **ALONE)
    page = until_grown(whole(page.switch_page("pages/tree.py").run()))
    next(one for one in page.button if one.label == "Take all changes back").click()
    page = until_grown(whole(page.run()))
    page = until_grown(whole(page.switch_page("pages/compare.py").run()))
    assert "m1-given" not in address_of(page)


@pytest.mark.usefixtures("idle")
def test_a_link_has_them_and_keeps_its_own(tree):
    page = opened(tree, "compare", data="iris", m1="cart", **{"m1-given": ":petal width:0.8"}, **ALONE)
    assert address_of(page)["m1-given"] == ":petal width:0.8"
    page = opened(page, "compare", data="iris", m1="cart", **{"m1-given": "nonsense"}, **ALONE)
    assert any("splits, each with the way to it" in one.value for one in page.warning)


@pytest.mark.usefixtures("idle")
def test_another_table_has_none_of_them(tree):
    page = opened(tree, "compare", data="two-gaussians", m1="cart", **ALONE)
    assert "m1-given" not in address_of(page)
