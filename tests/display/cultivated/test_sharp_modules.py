"""A cultivated tree that is CART's, and whose split parts known values from missing ones: told and exported."""

import json
import re
from typing import Any

import numpy as np
import pytest

from espalier.data.dataset import Feature, make_dataset
from espalier.display.cultivated import decision_words, gate_of
from espalier.display.tree import impurity_curve
from espalier.export import from_json, to_json, to_python, to_sql
from espalier.learners import CultivatedClassifier
from espalier.predict import fractions_in
from espalier.tree.modules import Habits, module

FEATURES = [Feature("age"), Feature("noise")]
TARGET = Feature("ill", "category", ("no", "yes"))


def grown():
    """Whoever's age is missing is ill: the best split has an infinite threshold."""
    age = np.where(np.arange(40) % 4 == 0, np.nan, np.arange(40.0))
    X = np.column_stack([age, np.arange(40) % 7])
    data = make_dataset("t", X, FEATURES, np.isnan(age).astype(int), TARGET)
    return data, CultivatedClassifier(robust_splits=False, options=False).fit(data.X, data.y).tree_


def test_a_split_on_what_is_known_says_so_reads_back_from_json_and_no_export_has_an_infinite_number():
    _, tree = grown()
    assert tree.decisions.threshold.tolist() == [np.inf]
    assert decision_words(tree, FEATURES, 0) == "age is known"
    assert decision_words(tree, FEATURES, 0, left=False) == "age is missing"
    assert gate_of(tree, 0).cut.tolist() == []
    data, tree = grown()
    text = to_json(tree, FEATURES, TARGET)
    json.loads(text, parse_constant=pytest.fail)
    again: Any = from_json(text)[0]
    assert again.cuts.value.tolist() == [np.inf]
    assert again.decisions.threshold.tolist() == [np.inf]
    assert data.y.sum() == 10
    _, tree = grown()
    for text in (to_python(tree, FEATURES, TARGET), to_sql(tree, FEATURES, TARGET)):
        assert not re.search(r"(?<![\w(|])[-+]?inf\b", text)  # but as a word that a helper refuses


def test_the_inspector_finds_the_split_that_the_tree_makes():
    data, tree = grown()
    weight = fractions_in(tree, data.X, 0)
    made = module(data, tree, 0, weight, Habits(0.0, 0.0))
    assert made.offers[0].value[made.offers[0].at] == np.inf
    card = impurity_curve.band_card(impurity_curve.band(data, weight, made, 0), data, "gini")
    json.dumps(card, allow_nan=False)
    assert card["known"] == [0, 30]
    assert impurity_curve.best_cut(made.offers[0], False, FEATURES) == "age is known"
