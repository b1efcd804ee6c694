"""Monotone columns, and splits of one category, on the pages: chosen, in the address, and said of the tree."""

import numpy as np

from espalier.data import Feature, make_dataset, samples
from espalier.data.dataset import ClassChoice, with_classes
from espalier.learners.catalogue import CommonTerms, Model
from pages.shared.data import library
from tests.tools.on_page import address_of, captions, open_tree, until_grown, whole

KEY = "monotone columns"


def whole_tree(**address):
    return until_grown(whole(open_tree(**address)))


def test_a_link_gives_columns_directions_of_both_the_later_counts_and_the_page_and_the_address_say_so():
    link = "body mass index:rising,HDL cholesterol:falling,gone:rising"
    numbers = whole_tree(data="diabetes", depth="2", monotone=link)
    assert numbers.multiselect(key=KEY).value == ["body mass index:rising", "HDL cholesterol:falling"]
    assert "The prediction only rises with body mass index and only falls with HDL cholesterol" in captions(
        numbers
    )
    numbers.multiselect(key=KEY).set_value(["body mass index:rising", "body mass index:falling"]).run()
    assert address_of(numbers)["monotone"] == "body mass index:falling"
    assert numbers.multiselect(key=KEY).value == ["body mass index:falling"]
    assert "The prediction only falls with body mass index" in captions(numbers)


def test_directions_are_about_the_class_that_counts_and_three_classes_have_none():
    link = {"data": "two-gaussians", "depth": "3", "monotone": "x1:falling"}
    usual, first = (whole_tree(**link | {"data": f"two-gaussians{choice}"}) for choice in ("", "~p1"))
    assert "The share of 1 only falls with x1" in captions(usual)
    assert "The share of 0 only falls with x1" in captions(first)
    app = whole_tree(data="iris", depth="2", monotone="petal length:rising")
    assert not app.exception
    assert app.multiselect(key=KEY).disabled
    assert "only rises" not in captions(app)


def test_the_directions_of_one_class_are_the_opposite_of_the_other_and_settings_say_which_can_hold():
    data, model = samples.load("two-gaussians"), Model("cart", (("monotone", "x1:falling,x2:rising"),))
    counted = with_classes(data, ClassChoice((), 0))
    own, other = (model.make(CommonTerms.of(one)).monotonic_cst for one in (data, counted))
    assert own == (-1, 1)
    assert other == (1, -1)
    turned = with_classes(data, ClassChoice((1, 0), 0))  # the class that counts is now the second
    assert model.make(CommonTerms.of(turned)).monotonic_cst == own
    terms = CommonTerms.of(samples.load("diabetes"))
    model = Model("cart", (("monotone", "body mass index:rising,gone:falling"),))
    assert model.make(terms).monotonic_cst == tuple(int(name == "body mass index") for name in terms.columns)
    assert model.with_settings(missing="surrogate").make(terms).monotonic_cst is None
    assert Model("cart").make(terms).monotonic_cst is None
    many = CommonTerms.of(samples.load("iris"))
    assert Model("random", (("monotone", "petal length:rising"),)).make(many).monotonic_cst is None


def with_a_category():
    """A number, and a column of five categories, two of which are of one class."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=80).round(2), rng.integers(0, 5, 80)]
    features = [Feature("age"), Feature("region", "category", tuple("abcde"))]
    y = np.isin(X[:, 1], [1, 3]).astype(int)
    return make_dataset("regions", X, features, y, Feature("y", "category", ("no", "yes")))


def test_beside_monotone_columns_an_optimal_tree_parts_single_categories():
    for sets in [{}, {"categories": "subset"}, {"categories": "one-vs-rest"}]:
        library.store().put(data := with_a_category())
        link = {"data": data.digest, "model": "optimal", "height": "2", **sets}
        app = whole_tree(**link, monotone="age:rising")
        assert not app.exception
        assert not [box for box in app.selectbox if box.key in ("categories", "optimal-categories")]
        assert "set of categories" not in " ".join(text.value for text in app.markdown)
    app = whole_tree(data=data.digest, model="optimal", height="2")
    assert "over every threshold and set of categories" in " ".join(text.value for text in app.markdown)
    app = whole_tree(data=data.digest, model="cart", categories="one-vs-rest", monotone="age:rising")
    assert not app.exception
    assert app.query_params["categories"] in ("one-vs-rest", ["one-vs-rest"])
    assert app.session_state["categories"] == "one-vs-rest"


def test_an_optimal_tree_is_the_best_monotone_one_and_is_compared_with_such_a_greedy_tree():
    app = whole_tree(data="two-gaussians", model="optimal", height="2", monotone="x1:falling")
    said = " ".join(text.value for text in [*app.markdown, *app.caption])
    assert not app.exception
    assert "no monotone tree of depth 2 over every threshold makes fewer than" in said
    assert "The share of 1 only falls with x1" in said
    assert "no column monotone" in said
