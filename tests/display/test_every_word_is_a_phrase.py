"""In a language whose phrases are in letters of their own, what views write in other letters is data.

So no word is in English where a page speaks something else. Exports are in English all the same.
"""

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from espalier import export, optimal
from espalier.approximation.words import SplitFacts, runners_table, sureness, verdict
from espalier.data import samples
from espalier.display.cultivated import module_words, options_table, way_words
from espalier.display.oblique_sums import tree_of_sums
from espalier.display.tables import left_off, listed
from espalier.display.text.trees import describe, rule, says
from espalier.display.tree import figures, impurity_curve, small_tree
from espalier.display.tree.cards import cards
from espalier.learners import (
    ApproximationClassifier,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    ModelTreeClassifier,
    ObliqueClassifier,
    OptimalClassifier,
)
from espalier.model_trees import code_words, formula_lines, short_formula, term_table
from espalier.optimal import SearchGoal, proof_words, search_words
from espalier.tree.nodes import impurity_curves
from tests.tools.phrases import narrow, pseudo_language

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
SIGNS = {"n", "s"}  # symbols: of a number of rows, and of seconds
TEXTS_OF_CARDS = {"criterion", "test", "percent", "says", "impurity", "weight", "cuts", "tolerance", "h"}
EVERY = np.ones(len(IRIS.y), bool)


@pytest.fixture(autouse=True)
def speaking(monkeypatch):
    """The pseudo-language is spoken."""
    with pseudo_language(monkeypatch):
        yield


def words_of_data(dataset):
    names = [feature.name for feature in (*dataset.features, dataset.target)]
    return set(narrow(" ".join((*names, *dataset.classes)))) | SIGNS


def left_over(texts, dataset=IRIS):
    """Words that are neither phrases nor data; abbreviations of data are short."""
    return [word for word in narrow(" ".join(texts)) if word not in words_of_data(dataset)]


def texts_of(svg):
    return [text for element in ET.fromstring(svg).iter() for text in (element.text, element.tail) if text]


def texts_in(card: Any, key=""):
    """Texts of a card that a person reads."""
    if isinstance(card, dict):
        return [text for name, value in card.items() for text in texts_in(value, name)]
    if isinstance(card, list):
        return [text for value in card for text in texts_in(value, key)]
    return [card] if isinstance(card, str) and key in TEXTS_OF_CARDS else []


def fitted(learner, dataset=IRIS):
    return learner.fit(dataset.X, dataset.y)


def test_a_tree_of_classes_and_one_of_numbers():
    for learner, dataset in ((CartClassifier(max_depth=2), IRIS), (CartRegressor(max_depth=2), DIABETES)):
        tree, features, target = fitted(learner, dataset).tree_, dataset.features, dataset.target
        criterion = "gini" if dataset is IRIS else "squared_error"
        drawn = cards(tree, dataset, np.ones(len(dataset.y), bool), criterion)
        texts = [describe(tree, features, target, node) for node in range(tree.n_nodes)]
        texts += [says(tree, target, 1), *rule(tree, features, 2), says(tree, target, 0)]
        texts += [small_tree.alt(tree, features, target), *texts_in(drawn)]
        assert not left_over(texts, dataset)


def test_the_classical_drawing_and_not_its_export():
    tree = fitted(CartClassifier(max_depth=2)).tree_
    drawn = export.drawing(tree, IRIS.features, IRIS.target).source
    assert '"all rows"' not in drawn
    assert "all rows" in export.to_dot(tree, IRIS.features, IRIS.target)
    assert "Decision tree for species" in export.to_rules(tree, IRIS.features, IRIS.target)


def test_figures_of_a_node():
    shares, root = np.array([0.0, 0.5, 0.5]), np.full(3, 1 / 3)
    matrix = np.array([[9, 1, 0], [0, 8, 2], [0, 0, 9]])
    curve = impurity_curves(IRIS, EVERY, None, "gini")[2]
    look = impurity_curve.curve_inputs(IRIS, EVERY, None, curve, curve.threshold[curve.best])
    texts = [figures.class_bars(shares, root, IRIS.target).alt, figures.confusion_picture(matrix, IRIS.target).alt]
    texts += [impurity_curve.alt(look), *texts_in(impurity_curve.card(look, "gini"))]
    y, inside = DIABETES.y, DIABETES.y > 100
    assert not left_over(texts)
    assert not left_over([figures.target_histogram(y, inside, DIABETES.target).alt], DIABETES)


def test_a_cultivated_tree():
    tree = fitted(CultivatedClassifier(max_depth=2)).tree_
    texts = [*module_words(tree, IRIS.features, 0), *way_words(tree, IRIS.features, 1)]
    texts += [*options_table(tree, IRIS.features, 0, most=1), *texts_in(cards(tree, IRIS, EVERY, "gini"))]
    assert not left_over(texts)


def test_an_optimal_tree_and_its_search():
    trace = [(0.0, 40.0, 0.0), (1.0, 14.0, 9.0)]
    learner = fitted(OptimalClassifier(max_depth=2))
    texts = [proof_words(learner.proof_, SearchGoal(2, 3, True)), search_words(14, 9, True)]
    texts += [optimal.trace_picture(trace, 2.0).alt, *texts_of(optimal.trace_picture(trace, 2.0).draw(False))]
    assert not left_over(texts)


def test_an_oblique_tree_and_a_model_tree():
    sums = tree_of_sums(fitted(ObliqueClassifier(max_depth=2)).tree_, IRIS)
    texts = texts_in(cards(sums.tree, sums.dataset, EVERY, "gini"))
    model = fitted(ModelTreeClassifier(max_depth=1)).model_tree_
    leaf = model.tree.n_nodes - 1
    texts += [*formula_lines(model, IRIS.features, IRIS.target, leaf), short_formula(model, IRIS.features, leaf)]
    texts += [*term_table(model, IRIS.features, IRIS.target, leaf), *code_words(IRIS.features, [0])]
    assert not left_over(texts)


def test_an_approximation_tree_and_its_splits():
    learner = fitted(
        ApproximationClassifier(fitted(CartClassifier()), max_depth=2, max_samples=500, random_state=0)
    )
    nothing_missing = np.zeros(len(IRIS.features), bool)
    facts = SplitFacts(learner.tree_, learner.considered_, IRIS.features, nothing_missing, learner.alpha)
    texts = [verdict(facts, node) for node in range(learner.tree_.n_nodes)] + [sureness(facts)]
    texts += [*runners_table(facts, 0).columns]
    assert not left_over(texts)


def test_a_table_of_rows():
    table = listed(IRIS, np.arange(3), EVERY, fraction=np.ones(3))
    assert not left_over([*table.columns, left_off(4_000)])
