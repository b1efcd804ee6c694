"""A notebook's widget after a click, what it shows of estimators and tables, and the picture that stays there."""

import base64
import json
import re
import subprocess
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import espalier
from espalier import learners, predict
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.notebook import show as showing
from espalier.notebook.shown import model_to_show
from espalier.notebook.static import MOST_LEAVES, cut_off, html_of, unfinished_of
from espalier.notebook.widget import widget_script
from espalier.predict import record_of
from espalier.trees import subtree_end
from tests.tools.cases import case
from tests.tools.node import node

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
TREE = learners.CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y)
FOREST = learners.RandomForestClassifier(n_estimators=4, random_state=0).fit(IRIS.X, IRIS.y)


def show(*shown, **options):
    pytest.importorskip("anywidget", reason="anywidget is not installed: pip install 'espalier[notebook]'")
    return showing.show(*shown, **options)


@pytest.fixture
def widget():
    return show(TREE, IRIS)


def test_a_click_on_a_node_or_a_row_selects_python_does_as_well_and_what_is_drawn_can_travel_as_json(widget):
    said = []
    widget.observe(lambda change: said.append(change["new"]), "node")
    widget.clicked = {"tree": widget.state["tree"], "id": 2, "at": 7.0}
    assert (widget.node, widget.sample, said) == (2, None, [2])
    assert (widget.state["id"], widget.state["end"], widget.state["at"]) == (2, subtree_end(TREE.tree_, 2), 7.0)
    surface = widget.pictures["surface"]["surface"]["id"]
    widget.clicked = {"surface": surface, "row": 100, "at": 1.0}
    leaf = int(predict.leaves(TREE.tree_, IRIS.X[[100]])[0])
    assert (widget.sample, widget.node) == (100, leaf)
    assert widget.state["row"]["row"] == 100
    widget.clicked = {"surface": surface, "x": 1.5, "y": 0.2, "at": 2.0}
    assert (widget.sample, widget.node) == (None, 1)  # setosa


def test_python_selects_as_a_click_does_and_its_word_is_new(widget):
    widget.sample = 0
    assert (widget.node, widget.state["row"]["row"], widget.state["at"]) == (1, 0, 0.0)
    widget.node = 4
    assert (widget.state["id"], widget.state["at"]) == (4, 0.0)


NONSENSE = [
    {"tree": "another", "id": 1}, {"id": 1}, {"row": 3}, {"tree": None, "id": 10_000}, {"tree": None, "id": True},
    {"surface": None, "row": -1}, {"surface": None, "row": "3"}, {"surface": None, "x": float("nan"), "y": 1},
    {"surface": None, "x": "1", "y": 2}, {"surface": None},
]  # fmt: skip


@pytest.mark.parametrize("sent", NONSENSE, ids=str)
def test_a_click_on_what_is_not_there_selects_nothing(widget, sent):
    ids = {"tree": widget.state["tree"], "surface": widget.pictures["surface"]["surface"]["id"]}
    widget.clicked = {key: ids[key] if key in ids and value is None else value for key, value in sent.items()}
    assert (widget.node, widget.sample) == (None, None)


@pytest.mark.parametrize(
    ("trait", "value", "words"),
    [("node", 99, "there are 9 nodes"), ("sample", -1, "there are 150 samples"), ("tree", 1, "there are 1 trees")],
)
def test_a_trait_refuses_what_is_not_there(widget, trait, value, words):
    import traitlets

    with pytest.raises(traitlets.TraitError, match=f"{trait} is {value}; {words}, from 0"):
        setattr(widget, trait, value)


def test_of_a_forest_one_tree_is_drawn_and_the_surface_is_that_of_all():
    widget = show(FOREST, IRIS)
    before = widget.pictures
    assert (widget.n_trees, before["surface"]["tree"]) == (4, None)
    widget.sample = 5
    widget.tree = 2
    assert widget.pictures["tree"]["cards"]["id"] != before["tree"]["cards"]["id"]
    assert widget.pictures["surface"]["surface"] == before["surface"]["surface"]
    assert (widget.node, widget.sample, widget.state["tree"]) == (
        None,
        None,
        widget.pictures["tree"]["cards"]["id"],
    )


def test_a_row_of_a_cultivated_tree_is_in_several_nodes_a_sum_has_no_tree_and_other_axes_are_refused():
    widget = show(learners.CultivatedClassifier(max_depth=3, random_state=0).fit(IRIS.X, IRIS.y), IRIS)
    widget.sample = 70
    assert widget.state["row"]["fractions"]["0"] == 1000
    assert len(widget.state["row"]["fractions"]) > 3
    widget = show(learners.GradientBoostingClassifier(n_estimators=2).fit(IRIS.X, IRIS.y), IRIS)
    assert widget.pictures["tree"] is None
    assert widget.pictures["surface"]["surface"]["cells"]
    with pytest.raises(ValueError, match="no feature is named 'petals': axes are some of sepal length"):
        show(TREE, IRIS, axes=["petals"])
    with pytest.raises(ValueError, match="one or two different features"):
        show(TREE, IRIS, axes=[1, 1])


@pytest.mark.parametrize(
    ("model", "data"),
    [(learners.ObliqueClassifier(max_depth=2), IRIS), (learners.ModelTreeRegressor(max_depth=2), DIABETES)],
    ids=["oblique", "model tree"],
)
def test_trees_of_other_kinds_are_drawn_too(model, data):
    widget = show(model.fit(data.X, data.y), data, axes=[0, data.features[2].name])
    assert [axis["feature"] for axis in widget.pictures["surface"]["surface"]["axes"]] == [0, 2]
    widget.sample = 1
    record: Any = predict.record_of(model)
    assert widget.node == predict.leaves(record, data.X[[1]])[0]


def test_what_is_drawn_can_travel_as_json(widget):
    assert json.loads(json.dumps(widget.pictures)) == widget.pictures
    assert np.isfinite(widget.state["at"])


def test_a_saved_notebook_has_a_picture_beside_the_widget(widget, monkeypatch):
    import IPython.display

    shown = []
    monkeypatch.setattr(IPython.display, "display", lambda data, **options: shown.append(data))
    widget._ipython_display_()
    assert f'data-espalier="{widget.uid}"' in shown[0]["text/html"]
    assert shown[0]["text/html"].count("<img") == 2
    assert "application/vnd.jupyter.widget-view+json" in shown[1]


def test_the_script_of_the_widget_is_one_module_that_renders(tmp_path):
    file = tmp_path / "widget.mjs"
    head = "class CSSStyleSheet { replaceSync() {} }\n"
    file.write_text(head + widget_script(), encoding="utf-8")
    print_parts = "console.log(Object.keys(all.default), typeof all.default.render)"
    ask = f"import({file.as_uri()!r}).then((all) => {print_parts})"
    ran = subprocess.run([node(), "-e", ask], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.split() == ["[", "'render'", "]", "function"]


FRUIT = pd.DataFrame({"weight": [1.2, 0.4, 1.1, 0.3], "colour": ["red", "blue", "red", None]})
KINDS = pd.Series(["apple", "plum", "apple", "plum"], name="kind")


def test_a_table_gives_names_categories_and_classes():
    one: Any = model_to_show(learners.CartClassifier().fit(FRUIT, KINDS), FRUIT, KINDS)
    assert [(f.name, f.kind, f.categories) for f in one.features] == [
        ("weight", "number", ()), ("colour", "category", ("blue", "red")),
    ]  # fmt: skip
    assert (one.target.name, one.target.categories) == ("kind", ("apple", "plum"))
    assert one.data.X[:, 1].tolist()[:3] == [1.0, 0.0, 1.0]
    assert np.isnan(one.data.X[3, 1])
    assert one.data.y.tolist() == [0, 1, 0, 1]


def test_an_estimator_alone_knows_its_names_and_whole_numbers_and_a_model_tree_what_it_answers_by():
    model = learners.CartClassifier(max_depth=1).fit(IRIS.X, [IRIS.classes[k] for k in IRIS.y])
    one = model_to_show(model)
    assert (one.title, one.target.categories) == ("CartClassifier(max_depth=1)", IRIS.classes)
    assert [feature.name for feature in one.features] == ["x0", "x1", "x2", "x3"]  # also those it does not ask
    alone = model_to_show(model.tree_)
    assert (alone.title, alone.target.categories) == ("", ("0", "1", "2"))
    assert [feature.name for feature in alone.features][:2] == ["x0", "x1"]
    ages = np.array([[30.0], [40.0], [50.0]])
    one = model_to_show(learners.CartRegressor().fit(ages, [1.0, 2.0, 3.0]), ages, [1.0, 2.0, 3.0])
    assert one.features[0].is_whole
    assert not one.target.categories
    assert (
        type(model_to_show(learners.ModelTreeRegressor().fit(DIABETES.X, DIABETES.y)).record).__name__
        == "ModelTree"
    )


FITTED = learners.CartClassifier().fit(IRIS.X, IRIS.y)
OF_TEN = learners.RandomForestClassifier(n_estimators=2).fit(DIABETES.X, DIABETES.y > 100)
WRONG = {
    "not fitted": ((learners.CartClassifier(),), "there is no tree in CartClassifier: .* after fit"),
    "no tree": ((42,), "there is no tree in int"),
    "no targets": ((FITTED, IRIS.X), "give y"),
    "too few columns": ((FITTED, IRIS.X[:, :2], IRIS.y), r"shape \(150, 2\), and the model asks about 4"),
    "a strange class": ((FITTED, IRIS.X, IRIS.y + 1), "y has 3, which is none of the model's classes"),
    "other classes": ((FITTED.tree_, IRIS.X, IRIS.y > 0), "y has 2 classes, and the tree tells 3 apart"),
    "another target": ((FITTED, DIABETES), "3 outputs, and the target .* 0 classes"),
    "a small table": ((OF_TEN, IRIS), "the rows have 4 features"),
}  # fmt: skip


def test_what_does_not_fit_is_refused_with_a_reason():
    for name in WRONG:
        with case(name):
            arguments, words = WRONG[name]
            with pytest.raises(ValueError, match=words):
                model_to_show(*arguments)


MODELS = {
    "a tree": learners.CartClassifier(max_depth=2),
    "a cultivated tree": learners.CultivatedClassifier(max_depth=2),
    "an oblique tree": learners.ObliqueClassifier(max_depth=2),
    "a forest": learners.RandomForestClassifier(n_estimators=5, random_state=0),
    "a boosted sum": learners.GradientBoostingClassifier(n_estimators=2),
    "a model tree": learners.ModelTreeRegressor(max_depth=2),
}


def fitted(name):
    data = DIABETES if name == "a model tree" else IRIS
    return MODELS[name].fit(data.X, data.y), data


def images(text):
    """The images of the HTML, as XML."""
    return [ElementTree.fromstring(base64.b64decode(data)) for data in re.findall('base64,([^"]+)"', text)]


@pytest.mark.parametrize("name", MODELS)
def test_every_estimator_and_record_has_pictures_of_both_themes_with_words(name):
    model, data = fitted(name)
    record: Any = record_of(model)
    for text in (model._repr_html_(), record._repr_html_(), html_of(model_to_show(model, data))):
        assert text.count("<img") == len(images(text)) == len(re.findall('alt="[^"]+"', text)) > 0
        for image in images(text):
            assert {group.get("class") for group in image if group.tag.endswith("}g")} == {"light", "dark"}
            places = [float(each.get("x") or 0) for each in image.iter() if each.tag.endswith(("}text", "}rect"))]
            assert 0 <= min(places) < max(places) < float(image.get("width") or 0)
        assert "<script" not in text
        assert not re.search('(?:src|href)="(?!data:)', text)


def test_the_bundle_of_an_estimator_has_the_picture_and_its_words_or_before_fit_the_diagram_of_scikit_learn():
    assert "<img" not in learners.CartClassifier()._repr_html_()
    assert "CartClassifier" in learners.CartClassifier()._repr_html_()
    bundle = learners.CartClassifier(max_depth=1).fit(IRIS.X, IRIS.y)._repr_mimebundle_()
    assert "2 leaves, depth 1." in bundle["text/html"]
    assert bundle["text/plain"] == "CartClassifier(max_depth=1)"


def test_a_table_is_shown_by_its_columns_and_never_by_its_rows_and_names_are_no_markup():
    text: Any = IRIS
    text = text._repr_html_()
    assert text.count("<tr>") == 1 + len(IRIS.features)
    assert IRIS.digest in text
    assert "<script" not in text
    strange: Any = make_dataset("<b>", np.zeros((4, 1)), (Feature("<i>"),), np.array([0, 1, 0, 1]), IRIS.target)
    assert not re.search("<[bi]>", strange._repr_html_())
    X, y = np.array([[0.0], [1.0]]), ["<b>", "&x"]
    text = html_of(model_to_show(learners.CartClassifier().fit(X, y)))
    assert "<b>" not in text
    assert len(images(text)) == 1


def test_a_large_tree_is_cut_off_and_says_where():
    rng = np.random.default_rng(0)
    tree: Any = learners.CartClassifier().fit(rng.normal(size=(600, 3)), rng.integers(0, 2, 600)).tree_
    small = cut_off(tree)
    assert tree.n_leaves > MOST_LEAVES >= small.n_leaves
    marked = unfinished_of(tree, small)
    ends = np.flatnonzero(small.left < 0)
    assert set(marked) < set(ends.tolist())
    assert tree._repr_html_().count("(?)") == len(marked)
    assert unfinished_of(small, cut_off(small)) == []


def test_without_rows_what_is_shown_says_how_it_comes_to_life_and_without_anywidget_what_to_install(monkeypatch):
    still = show(learners.CartClassifier(max_depth=1).fit(IRIS.X, IRIS.y))
    assert "show(model, X, y)" in still._repr_html_()
    assert "show(model, X, y)" in repr(still)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    still = espalier.show(learners.CartClassifier(max_depth=1).fit(IRIS.X, IRIS.y), IRIS)
    assert "install espalier[notebook]" in still._repr_html_()
    assert len(images(still._repr_html_())) == 2
