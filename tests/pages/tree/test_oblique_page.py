"""The Tree page with oblique trees: sums on cards, in rules and curves, slanted borders, exports."""

import pytest

from espalier import predict
from espalier.data import HeldOut, samples
from espalier.export import from_json
from espalier.learners import ObliqueClassifier
from espalier.learners.catalogue import Model
from pages.shared.tree import growing, results
from pages.shared.tree.exports import menu as exports
from pages.shared.tree.grown.off_axis import OffAxis
from tests.tools.by_hand import admission
from tests.tools.on_page import address_of, engine, metric, open_tree, sent_to, whole

__all__ = ["engine"]

IRIS = samples.load("iris")


def open_oblique(**address):
    return whole(open_tree(model="oblique", **address))


def grown(dataset, **settings):
    return results.grown(dataset, HeldOut(30, 0), Model("oblique", tuple(settings.items())))


def splits_of(page):
    cards = sent_to(page, "espalier_tree")[0]["cards"]
    return [cards["scales"][str(node["f"])]["name"] for node in cards["nodes"] if "f" in node]


def test_an_oblique_tree_whose_sums_would_not_fit_into_memory_is_refused_with_what_to_do(monkeypatch):
    tree = ObliqueClassifier(max_depth=3).fit(IRIS.X, IRIS.y).tree_
    assert growing.too_wide(tree, IRIS) is None
    monkeypatch.setattr(growing, "MAX_SUMS_MB", 0.001)
    said = str(growing.too_wide(tree, IRIS))
    assert "a sum for each of 150 rows would take" in said
    assert said.endswith("Choose a smaller depth.")
    assert growing.too_wide(admission(), IRIS) is None


def texts(page) -> str:
    return "\n".join(text.value for text in [*page.markdown, *page.caption])


def test_a_link_opens_an_oblique_tree_whose_cards_have_the_sums_that_it_weighs():
    page = open_oblique(data="iris", depth="3", leaf="2", terms="2", purity="entropy")
    assert address_of(page) == {
        "model": "oblique", "data": "iris", "depth": "3", "leaf": "2", "terms": "2", "purity": "entropy",
    }  # fmt: skip
    assert int(metric(page, "leaves")) == len(splits_of(page)) + 1 > 2
    assert any(" + " in name or " − " in name for name in splits_of(page))
    surface = sent_to(page, "espalier_surface")[0]["surface"]
    assert "cells" in surface
    assert {axis["name"] for axis in surface["axes"]} <= {feature.name for feature in IRIS.features}
    assert [tab.label for tab in page.tabs] == ["Why this split", "Rule", "Rows", "Target", "Error by size"]
    assert (
        "✓ is what the tree splits on. A weighted sum of columns is taken only where it "
        "gains more than every column alone, and enough for its coefficients. Tick another "
        "column to see its curve." in texts(page)
    )


def test_the_columns_of_the_table_are_listed_and_not_the_sums_of_other_nodes():
    tree = grown(IRIS, depth=4)
    n = len(IRIS.features)
    for node in range(tree.tree.n_nodes):
        extra = {curve.feature for curve in results.curves(tree, node)}.difference(range(n))
        assert extra <= {int(tree.tree.feature[node])}
    assert tree.table is IRIS
    assert results.surface(tree, (0, 1), OffAxis())["axes"][0]["name"] == IRIS.features[0].name


@pytest.mark.parametrize("name", ["iris", "diabetes"])
def test_what_the_page_scores_draws_and_exports_are_the_oblique_trees_answers(name):
    data = samples.load(name)
    tree = grown(data)
    answers = predict.shares(tree.record, data.X)
    assert tree.sums is not None
    assert tree.sums.oblique.is_slanted.any()
    assert (results.answers(tree) == answers).all()
    assert (results.leaves(tree) == predict.leaves(tree.record, data.X)).all()
    for form in exports.FORMATS:
        assert "cannot be written" not in exports.source(tree, form)
    read = from_json(exports.source(tree, next(form for form in exports.FORMATS if form.ending == "json")))[0]
    assert (predict.shares(read, data.X) == answers).all()


def test_the_part_of_the_surface_in_a_node_is_lit():
    lit = results.lit(grown(IRIS), (2, 3), OffAxis(), 1)
    assert lit is not None
    assert lit["cells"]["high"] == 1


def test_a_selected_row_is_in_its_leaf_with_the_value_of_the_sum_beside_the_rule():
    page = open_oblique(data="iris", row="61", tab="Rule")
    tree = grown(IRIS, depth=4)
    leaf = int(results.leaves(tree)[60])
    assert page.session_state["node"] == leaf
    assert "row 61" in texts(page)


def test_trees_of_other_sums_do_not_share_what_is_kept_of_their_nodes():
    trees = [grown(IRIS, depth=4), grown(IRIS, depth=4, terms=2), grown(IRIS, terms=1)]
    sums = [tree.dataset.features for tree in trees]
    assert len({tree.rows_key for tree in trees}) == len(set(sums)) > 1
    assert trees[2].dataset is IRIS
