"""The ways of missing values wherever CART grows: on Compare, Stability, Reliability and Forests."""

import numpy as np

from espalier.data import samples
from espalier.trees import read_only
from pages.shared.data import library
from tests.tools.gaps import removed
from tests.tools.on_page import address_of, open_page, open_tree, whole


def with_gaps():
    iris = samples.load("iris")
    X = read_only(np.asfortranarray(removed(iris.X, 0.2, 4)))
    data = iris._replace(X=X, name="iris with gaps", digest="of iris with gaps")
    library.store().put(data)
    return data.digest


def open_gaps(name, **address):
    return open_page(name, **({"data": with_gaps()} | address))


def drawn(page):
    return {one.key for one in [*page.selectbox, *page.number_input]}


def test_the_tree_page_and_its_address_have_a_setting_only_where_the_way_asks_for_it():
    links: list[dict[str, str]] = [{}, {"missing": "impute"}, {"missing": "surrogate"}]
    plain, impute, surrogate = (open_tree(data="iris", **link) for link in links)
    dependent = {"impute-with", "surrogates"}
    assert drawn(whole(plain)) & dependent == set()
    assert drawn(whole(impute)) & dependent == {"impute-with"}
    assert drawn(whole(surrogate)) & dependent == {"surrogates"}
    link = {"data": "iris", "missing": "surrogate", "surrogates": "2"}
    page = whole(open_tree(**link))
    assert address_of(page) == link
    page.selectbox(key="missing").set_value("side")
    assert address_of(whole(page.run())) == {"data": "iris"}


def test_pages_of_several_models_offer_every_way():
    for name, address in (
        ("compare", {"folds": "3", "m1": "cart", "m2": "none", "m3": "none", "m4": "none"}),
        ("stability", {"draws": "6", "m1": "cart", "m2": "none", "m3": "none", "down": "2"}),
        ("reliability", {"folds": "3", "m1": "cart", "m2": "none", "m3": "none"}),
    ):
        for chosen in ({"m1-missing": "surrogate", "m1-surrogates": "1"}, {"m1-missing": "impute"}):
            page = open_gaps(name, **address, **chosen)
            assert chosen.items() <= address_of(page).items()
            assert not page.error


def test_trees_of_forests_have_three_ways():
    for kind in ["bagged", "boosted"]:
        few = {"a": kind, "a-trees": "5", "b": kind, "b-trees": "5"}
        page = open_gaps("forests", **few, **{"a-missing": "impute", "a-impute-with": "median"})
        way = page.selectbox(key=f"a-{kind}-missing")
        assert len(way.options) == 3
        assert f"a-{kind}-impute-with" in drawn(page)
        assert f"b-{kind}-impute-with" not in drawn(page)
        assert not page.error


def test_the_story_of_a_row_with_gaps_asks_a_tree_with_surrogate_splits():
    """Its leaves are no boxes for such a row: other columns decide."""
    gaps = np.isnan(removed(samples.load("iris").X, 0.2, 4)).any(axis=1)
    row = str(int(np.flatnonzero(gaps)[0]) + 1)
    address = {"folds": "3", "m1": "cart", "m2": "none", "m3": "none", "m1-missing": "surrogate"}
    page = open_gaps("reliability", **address, row=row)
    assert any("Because" in one.value for one in page.markdown)
