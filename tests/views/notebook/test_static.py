"""The picture that stays in a notebook: one image for each drawing, on light and on dark paper, with its words."""

import base64
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import espalier
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.learners import (
    CartClassifier,
    CultivatedClassifier,
    GradientBoostingClassifier,
    ModelTreeRegressor,
    ObliqueClassifier,
    RandomForestClassifier,
)
from espalier.predict import record_of
from espalier.views.notebook.show import show
from espalier.views.notebook.shown import shown
from espalier.views.notebook.static import MOST_LEAVES, cut_off, html_of, unfinished_of

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
MODELS = {
    "a tree": CartClassifier(max_depth=2),
    "a cultivated tree": CultivatedClassifier(max_depth=2),
    "an oblique tree": ObliqueClassifier(max_depth=2),
    "a forest": RandomForestClassifier(n_estimators=5, random_state=0),
    "a boosted sum": GradientBoostingClassifier(n_estimators=2),
    "a model tree": ModelTreeRegressor(max_depth=2),
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
    for text in (model._repr_html_(), record._repr_html_(), html_of(shown(model, data))):
        assert text.count("<img") == len(images(text)) == len(re.findall('alt="[^"]+"', text)) > 0
        for image in images(text):
            assert {group.get("class") for group in image if group.tag.endswith("}g")} == {"light", "dark"}
        assert "<script" not in text
        assert not re.search('(?:src|href)="(?!data:)', text)


def test_an_estimator_that_is_not_fitted_has_the_diagram_of_scikit_learn():
    assert "<img" not in CartClassifier()._repr_html_()
    assert "CartClassifier" in CartClassifier()._repr_html_()


def test_the_bundle_of_an_estimator_has_the_picture_and_its_words():
    bundle = CartClassifier(max_depth=1).fit(IRIS.X, IRIS.y)._repr_mimebundle_()
    assert "2 leaves, depth 1." in bundle["text/html"]
    assert bundle["text/plain"] == "CartClassifier(max_depth=1)"


def test_a_table_is_shown_by_its_columns_and_never_by_its_rows():
    text: Any = IRIS
    text = text._repr_html_()
    assert text.count("<tr>") == 1 + len(IRIS.features)
    assert IRIS.digest in text
    assert "<script" not in text
    strange: Any = make_dataset("<b>", np.zeros((4, 1)), (Feature("<i>"),), np.array([0, 1, 0, 1]), IRIS.target)
    assert not re.search("<[bi]>", strange._repr_html_())


def test_names_of_strangers_are_no_markup():
    X, y = np.array([[0.0], [1.0]]), ["<b>", "&x"]
    text = html_of(shown(CartClassifier().fit(X, y)))
    assert "<b>" not in text
    assert len(images(text)) == 1


def test_a_large_tree_is_cut_off_and_says_where():
    rng = np.random.default_rng(0)
    tree: Any = CartClassifier().fit(rng.normal(size=(600, 3)), rng.integers(0, 2, 600)).tree_
    small = cut_off(tree)
    assert tree.n_leaves > MOST_LEAVES >= small.n_leaves
    marked = unfinished_of(tree, small)
    ends = np.flatnonzero(small.left < 0)
    assert set(marked) < set(ends.tolist())
    assert tree._repr_html_().count("(?)") == len(marked)
    assert unfinished_of(small, cut_off(small)) == []


def test_without_rows_what_is_shown_says_how_it_comes_to_life():
    still = show(CartClassifier(max_depth=1).fit(IRIS.X, IRIS.y))
    assert "show(model, X, y)" in still._repr_html_()
    assert "show(model, X, y)" in repr(still)


def test_without_anywidget_a_picture_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    still = espalier.show(CartClassifier(max_depth=1).fit(IRIS.X, IRIS.y), IRIS)
    assert "install espalier[notebook]" in still._repr_html_()
    assert len(images(still._repr_html_())) == 2
