"""New rows that a model scores: what it promises, and which rows it hands over, also where a column is absent."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier import predict
from espalier.analysis import ScoringRules, TableModel, score_rows
from espalier.data import HeldOut, held_out, samples
from espalier.data.errors import TableError
from espalier.display.tables import named
from espalier.learners import (
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    GradientBoostingClassifier,
    ModelTreeRegressor,
    ObliqueClassifier,
    OptimalClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.new_rows.answers import fill_rows, judge_answers
from espalier.new_rows.figures import certainty_picture
from espalier.new_rows.words import CHANCE, outcomes_table, scored_table, why_expert
from espalier.progress import Progress
from espalier.reliability.reliability import ANSWER, Goal, uncertain_answers
from espalier.reliability.uncertainty import uncertainties

GAMES = samples.load("tic-tac-toe")


def of_games():
    held = held_out(GAMES, HeldOut(30))
    return TableModel(CartClassifier(max_depth=6).fit(GAMES.X[~held], GAMES.y[~held]), GAMES, ~held, held)


def scored(frame, goal=1.0):
    return score_rows(of_games(), frame, ScoringRules(Goal(ANSWER, goal)))


def game(**cells):
    return pd.DataFrame([{feature.name: "x" for feature in GAMES.features} | cells])


def test_a_category_that_the_table_does_not_have_is_for_an_expert_and_a_file_without_its_columns_is_refused():
    centre = next(feature.name for feature in GAMES.features if feature.name.startswith("cent"))
    assert not scored(game()).handover.is_for_expert[0]
    found = scored(game(**{centre: "z"})).handover
    assert found.is_for_expert[0]
    assert found.unknown[0].sum() == 1
    assert scored(game(), goal=0.0).handover.is_for_expert.all()
    with pytest.raises(TableError, match="no column"):
        scored(pd.DataFrame({"nonsense": [1]}))


def test_no_answers_judge_a_model_without_such_rows_or_if_it_was_stopped():
    assert judge_answers(of_games()._replace(judges=np.zeros(len(GAMES.y), bool))) is None
    assert judge_answers(of_games(), Progress(is_stopped=True)) is None


def test_a_strip_has_a_mark_for_every_row_and_another_shape_for_those_of_an_expert():
    games = pd.concat([game()] * 4)
    games.iloc[3, :] = "z"
    found = scored(games)
    drawn, n = certainty_picture(found, GAMES).draw(False), int(found.handover.is_for_expert.sum())
    discs, triangles = 1 + len(GAMES.classes), 1  # of the legend
    assert (drawn.count("<circle") - discs, drawn.count(" Z") - triangles) == (4 - n, n)
    assert outcomes_table(found, GAMES)["rows"].tolist() == [str(4 - n), str(n), "4"]


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


ANSWERS_ALL = ScoringRules(Goal(ANSWER, 1.0))


def iris_with_holes():
    """Iris without half of its long petals: that a length is missing says a lot, and the trees learn it."""
    iris, X = samples.load("iris"), samples.load("iris").X.copy(order="F")
    X[100::2, 2] = np.nan
    return iris._replace(X=X)


def without(data, *columns):
    cells = {feature.name: named(feature, data.X[:, f]) for f, feature in enumerate(data.features)}
    return pd.DataFrame(cells).drop(columns=list(columns))


def by_brute_force(estimator, data, seen, absent):
    """Return which rows get another answer with some value of the columns that the model learned from."""
    columns = [f for f, feature in enumerate(data.features) if feature.name in absent]
    X = data.X.copy(order="F")
    X[:, columns] = np.nan
    own = uncertain_answers(estimator, data, X)[1]
    is_other = np.zeros(len(X), bool)
    for values in np.unique(data.X[seen][:, columns], axis=0):
        X[:, columns] = values
        other = uncertain_answers(estimator, data, X)[1]
        is_other |= (other != own) if data.is_classification else ~np.isclose(other, own, rtol=1e-9)
    return is_other


CASES = [
    (CartClassifier(max_depth=3), iris_with_holes, ("petal length",)),
    (CartClassifier(max_depth=3), iris_with_holes, ("petal length", "petal width")),
    (CartClassifier(max_depth=2), lambda: samples.load("iris"), ("petal width",)),
    (CartClassifier(max_depth=6), lambda: samples.load("tic-tac-toe"), ("centre", "top left")),
    (RandomForestClassifier(n_estimators=9, random_state=0), iris_with_holes, ("petal length",)),
    (GradientBoostingClassifier(n_estimators=5), iris_with_holes, ("petal width", "sepal width")),
    (CultivatedClassifier(max_depth=3), iris_with_holes, ("petal length",)),
    (ObliqueClassifier(max_depth=2), lambda: samples.load("iris"), ("petal length",)),
    (OptimalClassifier(max_depth=2), lambda: samples.load("iris"), ("petal width",)),
    (CartRegressor(max_depth=3), lambda: samples.load("diabetes"), ("body mass index",)),
    (RandomForestRegressor(n_estimators=5, random_state=0), lambda: samples.load("diabetes"), ("age", "sex")),
    (ModelTreeRegressor(max_depth=1), lambda: samples.load("diabetes"), ("body mass index",)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{type(case[0]).__name__} without {' '.join(case[2])}")
def test_an_answer_is_an_experts_exactly_if_some_value_of_an_absent_column_changes_it(case):
    estimator, load, absent = case
    data = load()
    seen = np.arange(len(data.y)) % 3 > 0
    estimator.fit(data.X[seen], data.y[seen])
    found = score_rows(
        TableModel(estimator, data, seen, ~seen), without(data, *absent), ANSWERS_ALL, reasons=False
    )
    hanging = by_brute_force(estimator, data, seen, absent)
    assert found.handover.absent.any(axis=1).tolist() == hanging.tolist()
    assert not found.handover.missing[:, [f.name in absent for f in data.features]].any()
    assert found.handover.is_for_expert[hanging].all()
    reasons = why_expert(found, data, np.arange(len(data.y)))
    assert [any("which the file lacks" in text for text in row) for row in reasons] == hanging.tolist()
    if data.is_classification:
        table = scored_table(found, data, np.arange(len(data.y)))
        assert np.isnan(table[CHANCE]).tolist() == hanging.tolist()


def test_what_is_said_of_an_answer_that_stays_holds_for_every_value_of_the_column():
    data = iris_with_holes()
    seen = np.arange(len(data.y)) % 2 > 0
    forest = RandomForestClassifier(n_estimators=9, random_state=1).fit(data.X[seen], data.y[seen])
    model, column = TableModel(forest, data, seen, ~seen), 1
    found: Any = score_rows(model, without(data, "sepal width"), ANSWERS_ALL, reasons=False)
    values = np.unique(data.X[seen][:, [column]], axis=0)
    frame = pd.DataFrame(fill_rows(data.X, np.array([column]), values), columns=[f.name for f in data.features])
    every: Any = score_rows(model, frame, ANSWERS_ALL, reasons=False)
    shape = len(data.y), len(values)
    assert (found.said.doubt[:, None] >= every.said.doubt.reshape(shape)).all()
    assert (found.sets[:, None, :] >= every.sets.reshape(*shape, -1)).all()


def test_an_interval_covers_those_of_every_value_of_an_absent_column():
    data = samples.load("diabetes")
    seen = np.arange(len(data.y)) % 2 > 0
    tree = CartRegressor(max_depth=3).fit(data.X[seen], data.y[seen])
    model, column = TableModel(tree, data, seen, ~seen), [f.name for f in data.features].index("body mass index")
    found: Any = score_rows(model, without(data, "body mass index"), ANSWERS_ALL, reasons=False)
    values = np.unique(data.X[seen][:, [column]], axis=0)
    frame = pd.DataFrame(fill_rows(data.X, np.array([column]), values), columns=[f.name for f in data.features])
    each: Any = score_rows(model, frame, ANSWERS_ALL, reasons=False).ends
    ends = each.reshape(len(data.y), len(values), 2)
    assert (found.ends[:, 0] <= ends[:, :, 0].min(axis=1)).all()
    assert (found.ends[:, 1] >= ends[:, :, 1].max(axis=1)).all()


def test_trees_as_good_that_ask_an_absent_column_unsettle_an_answer():
    """Two columns are copies of each other: the tree asks one, and trees as good the other."""
    x = np.arange(20.0)
    iris = samples.load("iris")
    data = iris._replace(
        X=np.asfortranarray(np.stack((x, x), axis=1)), y=(x > 9).astype(np.int64), features=iris.features[:2],
        target=iris.target._replace(categories=("a", "b")),
    )  # fmt: skip
    every = np.ones(20, bool)
    tree = OptimalClassifier(max_depth=1).fit(data.X, data.y)
    kept, other = (data.features[0], data.features[1]) if tree.tree_.feature[0] == 0 else data.features[1::-1]
    frame = pd.DataFrame({kept.name: x})
    found = score_rows(TableModel(tree, data, every, ~every), frame, ANSWERS_ALL, reasons=False)
    assert not found.handover.absent.any(), other.name
    assert found.handover.unsettled.all()
