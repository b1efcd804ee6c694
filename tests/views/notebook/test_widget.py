"""The widget of a notebook: what its traits say after a click, and what it draws when they are set."""

import json
import subprocess
from typing import Any

import numpy as np
import pytest

from espalier import predict
from espalier.data import samples
from espalier.learners import (
    CartClassifier,
    CultivatedClassifier,
    GradientBoostingClassifier,
    ModelTreeRegressor,
    ObliqueClassifier,
    RandomForestClassifier,
)
from espalier.trees import subtree_end
from espalier.views.notebook.script import widget_script
from espalier.views.notebook.show import show
from tests.tools.node import node

pytest.importorskip("anywidget", reason="anywidget is not installed: pip install 'espalier[notebook]'")

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
TREE = CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y)
FOREST = RandomForestClassifier(n_estimators=4, random_state=0).fit(IRIS.X, IRIS.y)


@pytest.fixture
def widget():
    return show(TREE, IRIS)


def test_a_click_on_a_node_selects_it(widget):
    said = []
    widget.observe(lambda change: said.append(change["new"]), "node")
    widget.clicked = {"tree": widget.state["tree"], "id": 2, "at": 7.0}
    assert (widget.node, widget.sample, said) == (2, None, [2])
    assert (widget.state["id"], widget.state["end"], widget.state["at"]) == (2, subtree_end(TREE.tree_, 2), 7.0)


def test_a_click_on_a_row_selects_the_leaf_it_is_in(widget):
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


def test_a_row_of_a_cultivated_tree_is_in_several_nodes():
    widget = show(CultivatedClassifier(max_depth=3, random_state=0).fit(IRIS.X, IRIS.y), IRIS)
    widget.sample = 70
    assert widget.state["row"]["fractions"]["0"] == 1000
    assert len(widget.state["row"]["fractions"]) > 3


def test_steps_of_a_sum_are_no_tree_to_select_in_and_its_surface_is_there():
    widget = show(GradientBoostingClassifier(n_estimators=2).fit(IRIS.X, IRIS.y), IRIS)
    assert widget.pictures["tree"] is None
    assert widget.pictures["surface"]["surface"]["cells"]


@pytest.mark.parametrize(
    ("model", "data"),
    [(ObliqueClassifier(max_depth=2), IRIS), (ModelTreeRegressor(max_depth=2), DIABETES)],
    ids=["oblique", "model tree"],
)
def test_trees_of_other_kinds_are_drawn_too(model, data):
    widget = show(model.fit(data.X, data.y), data, axes=[0, data.features[2].name])
    assert [axis["feature"] for axis in widget.pictures["surface"]["surface"]["axes"]] == [0, 2]
    widget.sample = 1
    record: Any = predict.record_of(model)
    assert widget.node == predict.leaves(record, data.X[[1]])[0]


def test_axes_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="no feature is named 'petals': axes are some of sepal length"):
        show(TREE, IRIS, axes=["petals"])
    with pytest.raises(ValueError, match="one or two different features"):
        show(TREE, IRIS, axes=[1, 1])


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
