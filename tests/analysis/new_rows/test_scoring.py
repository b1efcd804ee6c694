"""New rows that a model scores: what it promises, and which rows it hands over."""

import numpy as np
import pandas as pd
import pytest

from espalier import predict
from espalier.analysis import ScoringRules, TableModel, score_rows
from espalier.analysis.reliability.abstention import ANSWER, Goal
from espalier.analysis.reliability.uncertainty import uncertainties
from espalier.data import HeldOut, held_out, samples
from espalier.data.errors import TableError
from espalier.learners import CartClassifier, RandomForestClassifier, RandomForestRegressor

GAMES = samples.load("tic-tac-toe")


def scored(frame, goal=1.0):
    held = held_out(GAMES, HeldOut(30))
    tree = CartClassifier(max_depth=6).fit(GAMES.X[~held], GAMES.y[~held])
    return score_rows(TableModel(tree, GAMES, ~held, held), frame, ScoringRules(Goal(ANSWER, goal)))


def game(**cells):
    return pd.DataFrame([{feature.name: "x" for feature in GAMES.features} | cells])


def test_a_category_that_the_table_does_not_have_is_for_an_expert():
    centre = next(feature.name for feature in GAMES.features if feature.name.startswith("cent"))
    assert not scored(game()).handover.is_for_expert[0]
    found = scored(game(**{centre: "z"})).handover
    assert found.is_for_expert[0]
    assert found.unknown[0].sum() == 1


def test_a_goal_that_answers_nothing_hands_every_row_over():
    assert scored(game(), goal=0.0).handover.is_for_expert.all()


def test_a_file_without_a_column_of_the_table_is_refused():
    with pytest.raises(TableError, match="No column"):
        scored(pd.DataFrame({"nonsense": [1]}))


@pytest.mark.parametrize("name", ["wine", "diabetes"])
def test_doubt_of_a_forest_is_that_of_its_trees_one_by_one(name):
    data = samples.load(name)
    kind = RandomForestClassifier if data.is_classification else RandomForestRegressor
    forest = kind(n_estimators=7, random_state=0).fit(data.X[::2], data.y[::2]).forest_
    each = np.array([predict.predictions(tree, data.X) for tree in forest.trees])
    if data.is_classification:
        answer = predict.classes(forest, data.X)
        assert np.allclose(uncertainties(forest, data.X, answer).doubt, (each != answer).mean(axis=0))
    else:
        assert np.allclose(uncertainties(forest, data.X).doubt, each.std(axis=0))
