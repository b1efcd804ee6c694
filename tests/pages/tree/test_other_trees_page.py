"""Other trees on the Tree page: cultivated, model and oblique ones, counts, categories, directions, settings."""

import math
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier import predict
from espalier.data import Feature, HeldOut, held_out, make_dataset, samples
from espalier.data.columns.kinds import ColumnPlan, ColumnSummary
from espalier.data.dataset import ClassChoice, with_classes
from espalier.display.boundaries.surface import surface
from espalier.export import from_json
from espalier.kernels.cultivated.fractions import fractions_of
from espalier.learners import CartClassifier, CultivatedClassifier, ObliqueClassifier
from espalier.learners.catalogue import CommonTerms, Model
from espalier.stability.replicates import replicate
from espalier.stability.splits import split_recurrence
from espalier.tree.alignment import find_counterpart
from espalier.trees import is_leaf, softened
from espalier.tuning import search
from pages.shared.app.frame import plain
from pages.shared.data import library
from pages.shared.data.draft import Draft
from pages.shared.data.new_table import editor_frame
from pages.shared.jobs import compilation as engine_start
from pages.shared.models import settings
from pages.shared.models.learners import LEARNERS
from pages.shared.tree import exports, growing, hesitation, recurrence, report, results
from pages.shared.tree.results import OffAxis
from tests.tools import on_page
from tests.tools.by_hand import admission
from tests.tools.on_page import (
    address_of,
    captions,
    click_bar,
    metric,
    open_page,
    open_tree,
    press,
    sent_to,
    tree_id,
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
    assert (results.answers(tree, np.arange(5)) == answers[:5]).all()
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


FULL = Model("cultivated")


def open_cultivated(**address):
    return open_tree(model="cultivated", **address)


def choose(page, **values):
    for key, value in values.items():
        page.segmented_control(key=key).set_value(value)
    return whole(page.run())


def test_choosing_cultivated_trees_shows_one_and_undo_brings_the_other_learner_back():
    page = choose(open_tree(), learner="cultivated")
    assert address_of(page) == {"model": "cultivated"}
    assert int(metric(page, "modules")) > 1
    assert metric(page, "trees represented").startswith("10")
    assert sent_to(page, "espalier_tree")[0]["cards"]["cultivated"]
    assert "cells" in sent_to(page, "espalier_surface")[0]["surface"]
    whole(on_page.Slider(page, "eta").set_value(0.1).run())
    assert address_of(press(page, "Reset")) == {"model": "cultivated"}
    press(press(page, "Undo"), "Undo")
    assert address_of(press(page, "Undo")) == {}
    assert page.segmented_control(key="learner").value == "cart"


def test_each_learner_keeps_its_settings_while_the_other_is_used_and_data_axes_row_and_depth_go_along():
    there = {"data": "wine", "x": "ash", "y": "hue", "row": "7", "depth": "5"}
    page = open_tree(**there)
    before = tree_id(page)
    choose(page, learner="cultivated")
    whole(on_page.Slider(page, "eta").set_value(0.1).run())
    assert address_of(page).items() >= (there | {"model": "cultivated", "eta": "0.1"}).items()
    choose(page, learner="cart")
    assert tree_id(page) == before
    assert (on_page.Slider(page, "depth").value, page.session_state["row"]) == (5, 7)
    assert on_page.Slider(choose(page, learner="cultivated"), "eta").value == 0.1


def test_every_learner_has_words_and_settings_that_it_reads_itself_and_no_two_share_a_key_that_one_would_lose():
    for name, learner in LEARNERS.items():
        assert learner.kind.title
        assert learner.kind.words.endswith("."), name
        for target in (Feature("kind", "category", ("a", "b")), Feature("size")):
            for entry in learner.entries(target):
                is_written = entry.default not in (None, "", ()) and not isinstance(entry.default, bool)
                if is_written:
                    assert entry.read(str(entry.default)) == entry.default, entry.key
    for target in (Feature("kind", "category", ("a", "b")), Feature("size")):
        entries = [entry for learner in LEARNERS.values() for entry in learner.entries(target)]
        only = {entry.key: entry.only for entry in entries}
        assert [entry.key for entry in entries if entry.only != only[entry.key]] == []


def test_every_control_changes_the_tree_and_its_address_and_a_link_sets_all_of_them():
    page = open_cultivated()
    controls = [
        ("slider", "eta", 0.0, "0"),
        ("slider", "eta", 1.0, "1"),
        ("slider", "k", 0, "0"),
        ("slider", "k", 20, "20"),
        ("slider", "k", "all", "all"),
        ("selectbox", "sharing", "gain2", "gain2"),
        ("slider", "alpha", 0.01, "0.01"),
        ("number_input", "fraction", 0.2, "0.2"),
        ("selectbox", "hesitates", "feature", "feature"),
        ("selectbox", "hesitates", "threshold", "threshold"),
        ("selectbox", "features", "one", "one"),
        ("number_input", "weight", 30.0, "30"),
        ("slider", "levels", 1, "1"),
    ]
    for kind, key, value, text in controls:
        before = tree_id(page)
        on_page.control(page, kind, key).set_value(value)
        whole(page.run())
        assert address_of(page)["depth" if key == "levels" else key] == text, key
        assert tree_id(page) != before, key
    again = open_cultivated(**{k: v for k, v in address_of(page).items() if k != "model"})
    values = {(kind, key): value for kind, key, value, _ in controls}
    assert {at: on_page.control(again, *at).value for at in values} == values
    assert tree_id(again) == tree_id(page)


@given(st.integers(1, 10**6), st.one_of(st.integers(0, 10**6), st.sampled_from(["sqrt", "all"])))
def test_the_slider_of_k_runs_from_one_cut_to_all_with_the_root_at_its_place(n_rows, chosen):
    offered = settings.widths(n_rows, chosen)
    assert offered[0] == 0
    assert offered[-1] == "all"
    assert chosen in offered
    sizes = [math.sqrt(n_rows) if k == "sqrt" else k for k in offered[:-1]]
    assert sizes == sorted(sizes)
    assert len(set(offered)) == len(offered)


def test_a_wrong_value_in_a_link_falls_back_with_a_note():
    every = {"k": "1.5", "eta": "nan", "hesitates": "perhaps", "weight": "inf", "node": "100000"}
    for link in ({"model": "oak"}, {"model": "cultivated"} | every, {"model": "cultivated", "k": "root"}):
        page = open_tree(**link)
        said = " ".join(one.value for one in page.warning)
        wrong = link.keys() & every.keys() or {"model"}
        assert all(f"{name}={link[name]}" in said for name in wrong), said
        assert not wrong & address_of(page).keys()


def test_no_limit_of_depth_can_be_linked_to_and_spread_is_shown_of_a_tree_that_hesitates():
    page = open_cultivated(data="diabetes", depth="none", weight="1")
    assert on_page.Slider(page, "levels").value is None
    assert int(metric(page, "depth")) > 14
    assert open_tree(show="spread").session_state["show"] == "probability"
    assert open_cultivated(show="spread").session_state["show"] == "spread"
    assert open_cultivated(data="diabetes", show="uncertainty").session_state["show"] == "probability"


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["diabetes", "tic-tac-toe", "sine", "questionnaire", "monks-1"])
def test_samples_of_every_kind_make_a_page(name):
    page = open_cultivated(data=name, node="1", row="3")
    assert int(metric(page, "leaves")) > 1
    assert sent_to(page, "espalier_surface")[0]["lit"]["node"] == page.session_state["node"]


def test_data_with_missing_values_and_categories_make_a_page():
    iris = samples.load("iris")
    X = iris.X.copy()
    X[::4, 2] = np.nan
    X[:, 0] = np.where(np.arange(150) % 7, np.arange(150) // 40, np.nan)
    features = [Feature("colour", "category", ("red", "green", "blue", "grey")), *iris.features[1:]]
    key = library.TableStore.put(library.store(), data := make_dataset("holed", X, features, iris.y, iris.target))
    assert key is None
    for row in ("1", "8"):
        assert int(metric(open_cultivated(data=data.digest, row=row), "leaves")) > 1


def test_a_selected_row_selects_the_leaf_that_has_most_of_it_and_shows_its_fractions_which_cart_has_not():
    page = open_cultivated(row="77")
    tree = growing.grow(samples.load("iris"), HeldOut(30), FULL).soft
    fraction = fractions_of(tree, samples.load("iris").X[76])
    best = np.where(is_leaf(tree), fraction, 0).argmax()
    assert page.session_state["node"] == best
    found = sent_to(page, "espalier_line")[0]["state"]["row"]["fractions"]
    assert found["0"] == 1000
    assert sum(found.get(str(leaf), 0) for leaf in np.flatnonzero(is_leaf(tree))) == pytest.approx(1000, abs=20)
    assert all(abs(1000 * fraction[int(node)] - part) <= 0.5 for node, part in found.items())
    assert "fractions" not in sent_to(open_tree(row="77"), "espalier_line")[0]["state"]["row"]


def test_the_classical_drawing_shows_the_first_modules_and_scores_and_exports_open():
    page = open_cultivated(graph="classical")
    drawing = page.get("graphviz_chart")[0].proto.spec
    assert len(re.findall(r"^\tn\d+ \[", drawing, re.MULTILINE)) == 7
    assert "25 %: petal length ≲ 2.45" in drawing
    assert any("the DOT export has the whole tree" in caption.value for caption in page.caption)
    page.session_state["scores"] = True
    page.session_state["export menu"] = True
    assert len(whole(page.run()).get("plotly_chart")) == 2


def test_a_lone_root_says_why_and_for_how_many_trees_one_stands_is_a_power_of_ten():
    assert "no split is worth while" in open_cultivated(weight="500").info[0].value
    page = open_cultivated(data="two-gaussians", k="0", eta="0")
    assert metric(page, "modules") == "0"
    assert metric(page, "trees represented") == "1"
    assert report.ensemble(0.0) == "1"
    assert report.ensemble(math.log10(12)) == "12"
    assert report.ensemble(4684.4) == "10⁴⁶⁸⁴"


def test_the_score_of_a_large_table_is_measured_on_some_of_its_rows(monkeypatch):
    all_rows = metric(open_cultivated(data="diabetes"), "training")
    monkeypatch.setattr(report, "MAX_JUDGED", 100)
    report.headlines.clear()
    page = open_cultivated(data="diabetes")
    assert metric(page, "training") != all_rows
    assert any("one row in 5" in one["help"] for one in sent_to(page, "espalier_numbers")[0]["numbers"])
    report.headlines.clear()


def test_while_the_engine_compiles_a_cultivated_tree_waits_and_cart_does_not(monkeypatch):
    monkeypatch.setattr(engine_start, "is_ready", lambda _stage: False)
    page = open_cultivated(data="xor", held="10")
    assert not on_page.sent_to(page, "espalier_tree")
    assert "Preparing the engine" in page.get("progress")[0].proto.text
    monkeypatch.undo()
    assert int(metric(whole(page.run()), "leaves")) > 1


def test_what_surfaces_ask_of_a_tree_answers_for_the_rows_too_also_where_they_are_too_many_to_draw(monkeypatch):
    for name in ["wine", "monks-1", "diabetes"]:
        data = samples.load(name)
        grown = growing.grow(data, HeldOut(30), FULL.with_settings(depth=4))
        np.testing.assert_allclose(results.answers(grown), predict.shares(grown.tree, data.X), atol=1e-12)
        kept = results.surface(grown, (0, 1), OffAxis())
        assert kept == surface(grown.tree, data, (0, 1), results.held_values(grown, OffAxis()), grown.held)
        assert results.surface(grown, (1, 0), OffAxis())["points"]["leaf"] == kept["points"]["leaf"]
    data = samples.load("wine")
    grown = growing.grow(data, HeldOut(30), FULL.with_settings(depth=5))
    monkeypatch.setattr(results, "MAX_POINTS", 100)
    rows = np.arange(0, 178, 7)
    expected = predict.shares(grown.tree, data.X)
    np.testing.assert_array_equal(results.answers(grown, rows), expected[rows])
    np.testing.assert_array_equal(results.answers(grown), expected)


def grown_pair(name="wine"):
    data = samples.load(name)
    cart = CartClassifier(max_depth=4).fit(data.X, data.y).tree_
    return data, cart, CultivatedClassifier(max_depth=5).fit(data.X, data.y).tree_


def test_a_node_finds_itself_when_a_tree_becomes_soft_and_the_weights_of_its_rows_sum_to_its_own():
    _, cart, tree = grown_pair()
    assert [find_counterpart(tree, tree, n) for n in range(tree.n_nodes)] == list(range(tree.n_nodes))
    soft = softened(cart)
    assert [find_counterpart(cart, soft, n) for n in range(cart.n_nodes)] == list(range(cart.n_nodes))
    turned = soft._replace(decisions=soft.decisions._replace(reversed=~soft.decisions.reversed))
    assert find_counterpart(cart, turned, int(cart.left[0])) == turned.right[0]
    grown = growing.grow(samples.load("wine"), HeldOut(30), FULL.with_settings(depth=4, weights="balanced"))
    for node in range(grown.tree.n_nodes):
        assert results.weights(grown, node).sum() == pytest.approx(grown.tree.weight[node], rel=1e-6)


def surfaces(page):
    return [sent["surface"] for sent in sent_to(page, "espalier_surface")]


def test_figure_3_is_one_click_from_the_gallery_and_none_of_its_models_is_much_better_than_the_best_border():
    links = [link.proto for link in open_page("data", data="two-gaussians").get("page_link")]
    assert [link.page for link in links if link.label == "The paper's Figure 3"] == ["hesitation"]
    page = open_page("hesitation", k="wide")
    assert "k=wide" in page.warning[0].value
    assert "Back to your tree" in on_page.words_of(page)
    assert "What hesitation looks like" in on_page.words_of(on_page.open_tree(model="cultivated"))
    widest = max(panel.accuracy for k in (0, "sqrt", 100) for panel in hesitation.panels(k))
    noise = math.sqrt(hesitation.BEST * (1 - hesitation.BEST) / hesitation.N_FRESH)
    assert 0.9 < widest < hesitation.BEST + 4 * noise


def test_dots_say_how_often_each_surface_is_right_in_their_order_and_the_page_follows_the_width():
    page = open_page("hesitation")
    soft, forest, sharp = hesitation.panels("sqrt")
    assert forest.accuracy > soft.accuracy > sharp.accuracy
    order = hesitation.accuracies([soft, forest, sharp]).alt
    assert re.fullmatch(r"Right on the new rows: a 94.7 %, b [\d.]+ %, c 91 %. The best border: 97 %.", order)
    assert order in on_page.pictures(page)[0]
    assert all(panel.size.startswith("1 split") for panel in (soft, sharp))
    soft, forest, sharp = surfaces(page)
    assert "cells" in soft
    assert "cells" in forest
    assert "boxes" in sharp
    on_page.Slider(page, "k").set_value(100)
    again = surfaces(whole(page.run()))
    assert page.query_params["k"] in ("100", ["100"])
    assert again[0]["id"] != soft["id"]
    assert again[1:] == [forest, sharp]


def expected(depth):
    iris = samples.load("iris")
    rows = ~held_out(iris, HeldOut(30))
    data = make_dataset(iris.name, iris.X[rows], iris.features, iris.y[rows], iris.target)
    learner = CartClassifier(max_depth=depth)
    trees = replicate(learner, data, recurrence.PLAN).trees
    return split_recurrence(learner.fit(data.X, data.y).tree_, trees).times.tolist()


def sent(page):
    return sent_to(page, "espalier_tree")[-1]


def test_cards_have_no_numbers_unless_they_are_asked_for():
    page = open_tree(depth="2")
    assert "again" not in sent(page)
    page.toggle(key=recurrence.TOGGLE.key).set_value(True)
    until_grown(whole(page.run()))
    times = expected(2)
    assert sent(page)["again"]["n"] == 100
    assert sent(page)["again"]["times"] == {str(node): n for node, n in enumerate(times) if n}
    assert address_of(page)["recurrence"] == "yes"
    assert f"came back in **{times[0]} of 100** trees" in captions(page)


def test_a_pruned_tree_shows_the_counts_of_the_whole_one_a_leaf_asks_nothing_and_the_best_tree_takes_too_long():
    page = until_grown(open_tree(depth="3", recurrence="yes", prune="hand", size="3", node="2"))
    times = expected(3)
    shown = sent(page)["again"]["times"]
    assert shown == {"0": times[0], "2": times[2]}
    assert f"came back in **{times[2]} of 100** trees" in captions(page)
    page = until_grown(open_tree(depth="1", recurrence="yes", node="1"))
    assert "A leaf asks nothing" in captions(page)
    page = until_grown(open_tree(model="optimal", recurrence="yes"))
    assert not [toggle for toggle in page.toggle if toggle.key == recurrence.TOGGLE.key]
    assert "again" not in sent(page)
