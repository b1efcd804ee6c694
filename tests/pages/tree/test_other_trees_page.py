"""Other trees on the Tree page: models, sums, counts, categories, monotone columns, tuned settings."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier import predict
from espalier.data import Feature, HeldOut, make_dataset, samples
from espalier.data.columns.kinds import ColumnPlan, ColumnSummary
from espalier.data.dataset import ClassChoice, with_classes
from espalier.export import from_json
from espalier.learners import ObliqueClassifier
from espalier.learners.catalogue import CommonTerms, Model
from espalier.tuning import search
from pages.shared.app.frame import plain
from pages.shared.data import library
from pages.shared.data.draft import Draft
from pages.shared.data.new_table import editor_frame
from pages.shared.tree import exports, growing, report, results
from pages.shared.tree.results import OffAxis
from tests.tools.by_hand import admission
from tests.tools.on_page import (
    address_of,
    captions,
    click_bar,
    metric,
    open_page,
    open_tree,
    sent_to,
    until_grown,
    whole,
    words_of,
)

SINE, IRIS = samples.load("sine"), samples.load("iris")


def open_model_tree(**address):
    return open_tree(model="model-tree", **address)


def grown_model(dataset, **settings):
    return growing.grow(dataset, HeldOut(30, 0), Model("model-tree", tuple(settings.items())))


def leaves_of(page):
    return [node for node in sent_to(page, "espalier_tree")[0]["cards"]["nodes"] if "f" not in node]


def test_a_link_opens_a_model_tree_with_a_formula_on_each_leaf():
    page = open_model_tree(data="sine", depth="2", leaf="8", shrinkage="1")
    assert address_of(page) == {
        "model": "model-tree", "data": "sine", "depth": "2", "leaf": "8", "shrinkage": "1",
    }  # fmt: skip
    assert int(metric(page, "leaves")) == len(leaves_of(page)) > 2
    assert any("× x" in node["formula"] for node in leaves_of(page))
    assert "cells" in sent_to(page, "espalier_surface")[0]["surface"]


def test_the_formula_of_a_leaf_is_read_in_its_tab_and_each_learner_keeps_its_own_rows_in_a_leaf():
    leaf = leaves_of(open_model_tree(data="sine"))[0]
    page = open_model_tree(data="sine", node=str(leaf["id"]), tab="Formula")
    assert f"**{plain(leaf['formulas'][0])}**" in words_of(page)
    assert "x" in page.dataframe[0].value["Column"].tolist()
    assert "A split has no formula: select a leaf to read its own." in words_of(
        open_model_tree(data="sine", tab="Formula")
    )
    page = open_model_tree(data="sine", depth="2", leaf="8")
    whole(page.segmented_control(key="learner").set_value("cart").run())
    assert address_of(page) == {"data": "sine", "depth": "2"}
    page.segmented_control(key="learner").set_value("model-tree")
    assert address_of(whole(page.run())) == {"model": "model-tree", "data": "sine", "depth": "2", "leaf": "8"}


def test_classes_have_scores_that_no_row_without_rows_has_and_a_tree_of_one_formula_says_why_it_has_no_split():
    page = open_model_tree(data="iris", tab="Formula")
    assert all(plain(f"score of {name} = ") in words_of(page) for name in IRIS.classes)
    assert "a lone root" in page.info[0].value
    tabs = ["Why this split", "Rule", "Rows", "Target", "Error by size", "Formula"]
    assert [tab.label for tab in page.tabs] == tabs
    assert not [text for text in page.markdown if "as good" in text.value]
    target = IRIS.target._replace(categories=(*IRIS.classes, "other"))
    data = make_dataset("iris and others", IRIS.X, IRIS.features, IRIS.y, target)
    tree = grown_model(data)
    answers = results.answers(tree)
    assert answers.shape[1] == 4
    assert not answers[:, 3].any()
    assert results.cards(tree)["nodes"][0]["formulas"][3] == "score of other = −∞"


def test_what_the_page_scores_draws_lights_and_exports_are_the_formulas_answers():
    tree = grown_model(SINE)
    answers = predict.shares(tree.model_tree, SINE.X)
    assert (results.answers(tree) == answers).all()
    assert (results.answers_of(tree, np.arange(5)) == answers[:5]).all()
    for form in exports.FORMATS:
        assert "cannot be written" not in exports.source(tree, form)
    read = from_json(exports.source(tree, next(form for form in exports.FORMATS if form.ending == "json")))[0]
    assert (predict.shares(read, SINE.X) == answers).all()
    assert "R²" in report.scores_in_short(tree)
    lit = results.lit(tree, (0,), OffAxis(), 1)
    assert lit is not None
    assert lit["node"] == 1
    assert lit["cells"]["high"] == 1


def open_oblique(**address):
    return open_tree(model="oblique", **address)


def grown_oblique(dataset, **settings):
    return growing.grow(dataset, HeldOut(30, 0), Model("oblique", tuple(settings.items())))


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


def test_a_link_opens_an_oblique_tree_whose_cards_have_its_sums_and_a_row_is_in_its_leaf():
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
    assert "a sum only where it gains more than each column alone" in words_of(page)
    page = open_oblique(data="iris", row="61", tab="Rule")
    tree = grown_oblique(IRIS, depth=4)
    leaf = int(results.leaves(tree)[60])
    assert page.session_state["node"] == leaf
    assert "row 61" in words_of(page)


def test_columns_of_the_table_are_listed_and_not_the_sums_of_other_nodes_which_share_nothing():
    tree = grown_oblique(IRIS, depth=4)
    n = len(IRIS.features)
    for node in range(tree.tree.n_nodes):
        extra = {curve.feature for curve in results.curves(tree, node)}.difference(range(n))
        assert extra <= {int(tree.tree.feature[node])}
    assert tree.table is IRIS
    assert results.surface(tree, (0, 1), OffAxis())["axes"][0]["name"] == IRIS.features[0].name
    trees = [grown_oblique(IRIS, depth=4), grown_oblique(IRIS, depth=4, terms=2), grown_oblique(IRIS, terms=1)]
    sums = [tree.dataset.features for tree in trees]
    assert len({tree.rows_key for tree in trees}) == len(set(sums)) > 1
    assert trees[2].dataset is IRIS
    lit = results.lit(grown_oblique(IRIS), (2, 3), OffAxis(), 1)
    assert lit is not None
    assert lit["cells"]["high"] == 1


def test_what_the_page_scores_draws_and_exports_are_the_oblique_trees_answers():
    for name in ["iris", "diabetes"]:
        data = samples.load(name)
        tree = grown_oblique(data)
        answers = predict.shares(tree.record, data.X)
        assert tree.sums is not None
        assert tree.sums.oblique.is_slanted.any()
        assert (results.answers(tree) == answers).all()
        assert (results.leaves(tree) == predict.leaves(tree.record, data.X)).all()
        for form in exports.FORMATS:
            assert "cannot be written" not in exports.source(tree, form)
        read = from_json(exports.source(tree, next(form for form in exports.FORMATS if form.ending == "json")))[0]
        assert (predict.shares(read, data.X) == answers).all()


def counts(shift=0.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    data = make_dataset(
        "counts", X, [Feature("a"), Feature("b")], rng.poisson(np.exp(X[:, 0])) + shift, Feature("n")
    )
    library.store().put(data)
    return data


def test_a_tree_of_counts_grows_by_poisson_deviance_and_negative_targets_are_refused_by_name():
    address = {"data": counts().digest, "criterion": "poisson", "depth": "2", "node": "1"}
    page = open_page("tree", {"scores": True}, **address)
    assert metric(page, "leaves") == "4"
    assert "poisson" in str(sent_to(page, "espalier_tree"))
    rows = next(frame.value.index for frame in page.dataframe if "R² ↑" in frame.value.index)
    assert "D², Poisson ↑" in rows
    assert "D², absolute error ↑" not in rows
    data = counts(-1.0)
    row = int(np.argmax(data.y < 0)) + 1
    page = open_tree(data=data.digest, criterion="poisson")
    assert any(f"is −1 in row {row}." in info.value for info in page.info)


def test_very_many_categories_are_warned_of():
    plans = (ColumnPlan("town", "category", (), "words"), ColumnPlan("size", "number", (), "numbers"))
    summaries = (ColumnSummary("town", 0, 30, "a, b"), ColumnSummary("size", 0, 30, "1, 2"))
    table: Any = SimpleNamespace(frame=pd.DataFrame({"town": range(200), "size": range(200)}))
    draft = Draft(1, b"", "t.csv", None, table, None, plans, summaries)
    notes = editor_frame(plans, draft)["note"].tolist()
    assert "by chance" in notes[0]
    assert notes[0].endswith("words")
    assert notes[1] == "numbers"


KEY = "monotone columns"


def whole_tree(**address):
    return until_grown(open_tree(**address))


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


@pytest.fixture
def small(monkeypatch):
    """A space of two combinations, so that the search ends soon."""
    monkeypatch.setattr(search, "space_of", lambda model, variance=None: {"depth": (1, 2), "leaf": (1,)})


def button(page, label):
    return next(one for one in page.button if one.label == label)


def test_a_link_begins_no_search_and_what_is_found_is_taken_and_taken_back(small):
    page = open_tree(depth="1", tune="yes", **{"tune-seconds": "300"})
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
