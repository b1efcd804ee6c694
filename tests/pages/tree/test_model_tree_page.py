"""The Tree page with model trees: formulas on cards and in the inspector, exports, surface, CART beside them."""

import numpy as np

from espalier import predict
from espalier.data import HeldOut, make_dataset, samples
from espalier.export import from_json
from espalier.learners.catalogue import Model
from pages.shared.app.frame import plain
from pages.shared.tree import report, results
from pages.shared.tree.exports import menu as exports
from pages.shared.tree.grown.off_axis import OffAxis
from tests.tools.on_page import address_of, engine, metric, open_tree, sent_to, whole

__all__ = ["engine"]

SINE, IRIS = samples.load("sine"), samples.load("iris")


def open_model_tree(**address):
    return whole(open_tree(model="model-tree", **address))


def grown(dataset, **settings):
    return results.grown(dataset, HeldOut(30, 0), Model("model-tree", tuple(settings.items())))


def leaves_of(page):
    return [node for node in sent_to(page, "espalier_tree")[0]["cards"]["nodes"] if "f" not in node]


def texts(page) -> str:
    return "\n".join(text.value for text in [*page.markdown, *page.caption])


def test_a_link_opens_a_model_tree_with_a_formula_on_each_leaf():
    page = open_model_tree(data="sine", depth="2", leaf="8", shrinkage="1")
    assert address_of(page) == {
        "model": "model-tree", "data": "sine", "depth": "2", "leaf": "8", "shrinkage": "1",
    }  # fmt: skip
    assert int(metric(page, "leaves")) == len(leaves_of(page)) > 2
    assert any("× x" in node["formula"] for node in leaves_of(page))
    assert "cells" in sent_to(page, "espalier_surface")[0]["surface"]
    assert "#### Beside a CART tree of the same size" in texts(page)


def test_the_formula_of_a_leaf_is_read_in_its_tab_and_a_split_says_that_it_has_none():
    leaf = leaves_of(open_model_tree(data="sine"))[0]
    page = open_model_tree(data="sine", node=str(leaf["id"]), tab="Formula")
    assert f"**{plain(leaf['formulas'][0])}**" in texts(page)
    assert "x" in page.dataframe[0].value["Column"].tolist()
    assert "A split has no formula: each leaf below it has one. Select a leaf to read its formula." in texts(
        open_model_tree(data="sine", tab="Formula")
    )


def test_each_learner_keeps_its_own_rows_in_a_leaf_and_the_depth_goes_along():
    page = open_model_tree(data="sine", depth="2", leaf="8")
    page.segmented_control(key="learner").set_value("cart")
    whole(page.run())
    assert address_of(page) == {"data": "sine", "depth": "2"}
    page.segmented_control(key="learner").set_value("model-tree")
    assert address_of(whole(page.run())) == {"model": "model-tree", "data": "sine", "depth": "2", "leaf": "8"}


def test_classes_have_scores_and_a_tree_of_one_formula_says_why_it_has_no_split():
    page = open_model_tree(data="iris", tab="Formula")
    assert all(plain(f"score of {name} = ") in texts(page) for name in IRIS.classes)
    assert "a lone root with a formula" in page.info[0].value


def test_what_the_page_scores_draws_and_exports_are_the_formulas_answers():
    tree = grown(SINE)
    answers = predict.shares(tree.model_tree, SINE.X)
    assert (results.answers(tree) == answers).all()
    assert (results.answers_of(tree, np.arange(5)) == answers[:5]).all()
    for form in exports.FORMATS:
        assert "cannot be written" not in exports.source(tree, form)
    read = from_json(exports.source(tree, next(form for form in exports.FORMATS if form.ending == "json")))[0]
    assert (predict.shares(read, SINE.X) == answers).all()
    assert "R²" in report.scores_in_short(tree)


def test_the_part_of_the_surface_in_a_node_is_lit():
    tree = grown(SINE)
    lit = results.lit(tree, (0,), OffAxis(), 1)
    assert lit is not None
    assert lit["node"] == 1
    assert lit["cells"]["high"] == 1


def test_a_class_that_no_row_has_is_never_said():
    target = IRIS.target._replace(categories=(*IRIS.classes, "other"))
    data = make_dataset("iris and others", IRIS.X, IRIS.features, IRIS.y, target)
    tree = grown(data)
    answers = results.answers(tree)
    assert answers.shape[1] == 4
    assert not answers[:, 3].any()
    assert results.cards(tree)["nodes"][0]["formulas"][3] == "score of other = −∞"


def test_pruning_and_near_optimal_trees_are_not_offered():
    page = open_model_tree(data="sine")
    assert [tab.label for tab in page.tabs] == [
        "Why this split",
        "Rule",
        "Rows",
        "Target",
        "Error by size",
        "Formula",
    ]
    assert not [text for text in page.markdown if "as good" in text.value]
