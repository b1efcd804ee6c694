"""Monotone columns, and splits of one category, on the pages: chosen, in the address, and said of the tree."""

import pytest

from espalier.data import samples
from espalier.learners.catalogue import CommonTerms, Model
from pages.shared.words.tree import page as words
from tests.tools.on_page import address_of, engine, open_tree, until_grown, whole

__all__ = ["engine"]

KEY = "monotone columns"


def whole_tree(**address):
    return until_grown(whole(open_tree(**address)))


def captions(app):
    return " ".join(caption.value for caption in app.caption)


@pytest.fixture(scope="module")
def numbers():
    """The Tree page of a number, opened by a link that gives two columns directions."""
    return whole_tree(
        data="diabetes", depth="2", monotone="body mass index:rising,HDL cholesterol:falling,gone:rising"
    )


def test_a_link_gives_columns_directions_and_the_page_says_so(numbers):
    assert not numbers.exception
    assert numbers.multiselect(key=KEY).value == ["body mass index:rising", "HDL cholesterol:falling"]
    assert "The prediction only rises with body mass index and only falls with HDL cholesterol" in captions(
        numbers
    )


def test_of_both_directions_the_later_one_counts_and_the_address_names_the_column(numbers):
    numbers.multiselect(key=KEY).set_value(["body mass index:rising", "body mass index:falling"]).run()
    assert address_of(numbers)["monotone"] == "body mass index:falling"
    assert numbers.multiselect(key=KEY).value == ["body mass index:falling"]
    assert "The prediction only falls with body mass index" in captions(numbers)


def test_three_classes_have_no_directions():
    app = whole_tree(data="iris", depth="2", monotone="petal length:rising")
    assert not app.exception
    assert app.multiselect(key=KEY).disabled
    assert "only rises" not in captions(app)


def test_an_optimal_tree_is_the_best_monotone_one_and_is_compared_with_such_a_greedy_tree():
    app = whole_tree(data="two-gaussians", model="optimal", height="2", monotone="x1:falling")
    said = " ".join(text.value for text in [*app.markdown, *app.caption])
    assert not app.exception
    assert "no monotone tree of depth 2 built from these 20 cuts makes fewer than" in said
    assert "The share of 1 only falls with x1" in said
    assert words.NOT_WITH_DIRECTIONS in said


def test_settings_say_which_directions_can_hold():
    terms = CommonTerms.of(samples.load("diabetes"))
    model = Model("cart", (("monotone", "body mass index:rising,gone:falling"),))
    assert model.make(terms).monotonic_cst == tuple(int(name == "body mass index") for name in terms.columns)
    assert model.with_settings(missing="surrogate").make(terms).monotonic_cst is None
    assert Model("cart").make(terms).monotonic_cst is None
    many = CommonTerms.of(samples.load("iris"))
    assert Model("random", (("monotone", "petal length:rising"),)).make(many).monotonic_cst is None
