"""New rows that a model scores: what it promises, which rows it hands over, and how that is said."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier import learners
from espalier.analysis import ScoringRules, TableModel, score_rows
from espalier.data import HeldOut, held_out, make_dataset, samples
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.columns.new_rows import ColumnSources, new_rows
from espalier.data.dataset import Feature
from espalier.data.errors import TableError
from espalier.data.roles import RowRoles, row_groups
from espalier.display.tables import named
from espalier.display.theme import number
from espalier.new_rows import words
from espalier.new_rows.answers import fill_rows, judge_answers
from espalier.new_rows.figures import LETTER, PHONE, WIDTH, certainty_picture
from espalier.new_rows.words import CHANCE, matters_most, outcomes_table, scored_table, why_expert
from espalier.progress import Progress
from espalier.reliability.reliability import ANSWER, Goal, uncertain_answers

GAMES = samples.load("tic-tac-toe")


def of_games():
    held = held_out(GAMES, HeldOut(30))
    return TableModel(learners.CartClassifier(max_depth=6).fit(GAMES.X[~held], GAMES.y[~held]), GAMES, ~held, held)


def scored(frame, goal=1.0):
    return score_rows(of_games(), frame, ScoringRules(Goal(ANSWER, goal)))


def game(**cells):
    return pd.DataFrame([{feature.name: "x" for feature in GAMES.features} | cells])


def test_a_new_category_is_for_an_expert_a_file_without_columns_is_refused_and_no_answers_judge_without_rows():
    centre = next(feature.name for feature in GAMES.features if feature.name.startswith("cent"))
    assert not scored(game()).handover.is_for_expert[0]
    found = scored(game(**{centre: "z"})).handover
    assert found.is_for_expert[0]
    assert found.unknown[0].sum() == 1
    assert scored(game(), goal=0.0).handover.is_for_expert.all()
    with pytest.raises(TableError, match="no column"):
        scored(pd.DataFrame({"nonsense": [1]}))
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


def test_what_is_written_on_the_strip_is_not_cut_where_a_phone_ends_wherever_rows_of_an_expert_begin():
    rows, doubt = scored(pd.concat([game()] * 25)), np.linspace(0.1, 0.5, 25)
    for n_sure in range(25):
        handover = rows.handover._replace(threshold=doubt[n_sure] - 0.001, doubted=np.arange(25) >= n_sure)
        drawn = certainty_picture(
            rows._replace(said=rows.said._replace(doubt=doubt), handover=handover), GAMES
        ).draw(False)
        [written] = re.findall(r"<text [^>]*>for an expert above[^<]*", drawn)
        [x], way = map(float, re.findall(r' x="([^"]+)"', written)), -1 if 'text-anchor="end"' in written else 1
        begin, end = sorted((x, x + way * LETTER * len(written.split(">")[1])))
        assert 0 < begin < end < WIDTH
        assert end <= PHONE or begin >= PHONE


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
    (learners.CartClassifier(max_depth=3), iris_with_holes, ("petal length",)),
    (learners.CartClassifier(max_depth=3), iris_with_holes, ("petal length", "petal width")),
    (learners.CartClassifier(max_depth=2), lambda: samples.load("iris"), ("petal width",)),
    (learners.CartClassifier(max_depth=6), lambda: samples.load("tic-tac-toe"), ("centre", "top left")),
    (learners.RandomForestClassifier(n_estimators=9, random_state=0), iris_with_holes, ("petal length",)),
    (learners.GradientBoostingClassifier(n_estimators=5), iris_with_holes, ("petal width", "sepal width")),
    (learners.CultivatedClassifier(max_depth=3), iris_with_holes, ("petal length",)),
    (learners.ObliqueClassifier(max_depth=2), lambda: samples.load("iris"), ("petal length",)),
    (learners.OptimalClassifier(max_depth=2), lambda: samples.load("iris"), ("petal width",)),
    (learners.CartRegressor(max_depth=3), lambda: samples.load("diabetes"), ("body mass index",)),
    (learners.RandomForestRegressor(5, random_state=0), lambda: samples.load("diabetes"), ("age", "sex")),
    (learners.ModelTreeRegressor(max_depth=1), lambda: samples.load("diabetes"), ("body mass index",)),
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
    forest = learners.RandomForestClassifier(n_estimators=9, random_state=1).fit(data.X[seen], data.y[seen])
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
    tree = learners.CartRegressor(max_depth=3).fit(data.X[seen], data.y[seen])
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
    tree = learners.OptimalClassifier(max_depth=1).fit(data.X, data.y)
    kept, other = (data.features[0], data.features[1]) if tree.tree_.feature[0] == 0 else data.features[1::-1]
    frame = pd.DataFrame({kept.name: x})
    found = score_rows(TableModel(tree, data, every, ~every), frame, ANSWERS_ALL, reasons=False)
    assert not found.handover.absent.any(), other.name
    assert found.handover.unsettled.all()


IRIS = samples.load("iris")
HELD = held_out(IRIS, HeldOut(30))
TREE = learners.CartClassifier(max_depth=2).fit(IRIS.X[~HELD], IRIS.y[~HELD])
MODEL = TableModel(TREE, IRIS, ~HELD, HELD)
ALL = ScoringRules(Goal(ANSWER, 1.0))


def score_frame(frame, rules=ALL, model=MODEL, sources=None):
    return score_rows(model, new_rows(pd.DataFrame(frame), model.dataset, sources), rules)


def test_numbers_without_a_unit_are_told_to_be_in_that_of_the_model():
    frame = pd.DataFrame({"mass": ["1 kg", "500 g", "2 kg"], "x": [1.5, 2.5, 9.0], "y": list("aba")}, dtype="str")
    frame["x"] = [1.5, 2.5, 9.0]
    data, _ = to_dataset(frame, guess_kinds(frame), "y", "T")
    said = "“mass” is taken to be in kg."
    bare, measured = (pd.DataFrame({"mass": cells}) for cells in ([1.0, 2.0], ["1 kg", "250 g"]))
    assert said in words.matching(new_rows(bare, data), data)[0]
    assert said not in words.matching(new_rows(measured.astype("str"), data), data)[0]


def test_columns_that_are_there_renamed_missing_extra_and_strange_are_each_named():
    frame = {"Petal_Length": [1.4, 5.0], "petal width": ["0.2", "wide"], "colour": ["red", "blue"]}
    sentences, warnings = words.matching(new_rows(pd.DataFrame(frame), IRIS), IRIS)
    assert sentences == [
        "2 of 4 columns of the model are in the file.",
        "By another name: “petal length” from “Petal_Length”.",
        "Not used: “colour”.",
    ]
    assert warnings == [
        "No column for “sepal length” and “sepal width”: rows whose answer hangs on that go to an expert.",
        "“petal width” cannot be read in 1 of 2 rows, such as “wide”: it counts as missing.",
    ]


def test_units_that_changed_by_a_hundred_or_a_thousand_are_told_and_of_a_file_that_fits_nothing():
    frame = pd.DataFrame(IRIS.X, columns=[feature.name for feature in IRIS.features]).iloc[::7]
    for factor, text in ((100, "a factor of 100"), (1_000, "a factor of 1,000"), (0.01, "a factor of 100")):
        changed = frame.assign(**{"petal length": frame["petal length"] * factor})
        rows = new_rows(changed, IRIS)
        (warning,) = words.matching(rows, IRIS)[1]
        assert warning.startswith("“petal length” may have another unit")
        medians = changed["petal length"].median(), float(np.median(IRIS.X[:, 2]))
        assert all(number(median) in warning for median in medians)
        assert text in warning
        assert rows.X[:, 2].tolist() == changed["petal length"].tolist()
    for factor in (1, 2, 10, 40, -100, 10_000):  # other rows, no other unit; zeros say nothing
        other = frame.assign(**{"petal length": frame["petal length"] * factor, "petal width": 0.0})
        assert not words.matching(new_rows(other, IRIS), IRIS)[1], factor
    data = make_dataset("lengths", IRIS.X[:, :2], IRIS.features[:2], IRIS.X[:, 2], Feature("petal length"))
    frame = pd.DataFrame(IRIS.X[::5, :3] * [1, 1, 1_000], columns=[f.name for f in IRIS.features[:3]])
    (warning,) = words.matching(new_rows(frame, data), data)[1]
    assert warning.startswith("“petal length” may have another unit")
    frame = pd.DataFrame(IRIS.X, columns=[feature.name for feature in IRIS.features])
    assert words.matching(new_rows(frame, IRIS), IRIS) == (
        ["4 of 4 columns of the model are in the file."],
        [],
    )


def test_a_category_that_the_column_does_not_have_is_a_warning_and_a_reason():
    features = (Feature("colour", "category", ("red", "blue")),)
    table = make_dataset("t", np.array([[0.0], [1.0]] * 10), features, np.array([0, 1] * 10), IRIS.target)
    every = np.ones(20, bool)
    tree = learners.CartClassifier(max_depth=1, categorical_features=[True]).fit(table.X, table.y)
    found = score_frame({"colour": ["red", "teal"]}, model=TableModel(tree, table, every, ~every))
    assert words.matching(found.rows, table)[1] == [
        "“colour” cannot be read in 1 of 2 rows, such as “teal”: it counts as missing."
    ]
    assert why_expert(found, table, np.arange(2)) == [[], ["colour cannot be read: “teal”"]]


def test_numbers_outside_and_missing_ones_are_reasons_of_the_columns_that_are_asked():
    frame = {"petal length": [1.4, 9.0, None], "petal width": [0.2, 2.0, 1.0], "sepal length": [99.0, 5.0, 5.0]}
    found = score_frame(frame)
    ends = IRIS.X[~HELD, 2].min(), IRIS.X[~HELD, 2].max()
    assert why_expert(found, IRIS, np.arange(3)) == [
        [],
        [f"petal length 9 is outside of what it learned from ({ends[0]:g} to {ends[1]:g})"],
        ["petal length is missing"],
    ]
    assert (
        words.handover_words(found) == "Of 3 rows the model answers **1**; **2** (66.7 %) should go to an expert."
    )
    assert words.reasons_words(found, IRIS) == [
        "1: a number outside of what it learned from (“petal length”)",
        "1: a value is missing that was always there (“petal length”)",
    ]


def test_answers_are_counted_right_where_the_file_has_the_truth_and_the_columns_that_matter_come_with_values():
    frame = {"petal length": [1.4, 5.5, 9.0, 1.4], "petal width": [0.2, 2.0, 2.0, 0.2]}
    assert list(words.outcomes_table(score_frame(frame), IRIS)) == ["rows"]
    found = score_frame(frame | {"species": ["setosa", "setosa", "virginica", None]})
    assert found.said.prediction.tolist() == [0, 2, 2, 0]
    assert words.outcomes_table(found, IRIS)["right"].tolist() == ["1 of 2", "1 of 1", "66.7 % (3 rows)"]
    found = score_frame({"petal length": [1.4], "petal width": [0.2]})
    first = matters_most(found, IRIS, np.arange(1))[0][0]
    assert first.startswith(("petal length 1.4 (+", "petal width 0.2 (+"))


def test_the_promise_says_how_many_rows_have_one_class_and_what_is_lacking_for_one():
    frame = {"petal length": [1.4, 5.0], "petal width": [0.2, 1.7]}
    sets: Any = score_frame(frame).sets
    assert f"{sets.sum(axis=1).tolist().count(1)} of 2 have one." in (
        words.promise_of_rows(score_frame(frame), 0.9)
    )
    few = np.zeros(150, bool)
    few[:3] = True
    assert words.promise_of_rows(score_frame(frame, model=MODEL._replace(judges=few)), 0.9) == (
        "Too few rows judge the model to promise 90 %: that takes 9."
    )
    patients = RowRoles(row_groups("patient", np.arange(150) % 8))  # however many rows each has
    assert words.promise_of_rows(
        score_frame(frame, model=MODEL._replace(dataset=IRIS._replace(roles=patients))), 0.9
    ) == ("Too few groups of rows judge the model to promise 90 %: that takes 9.")
    none = score_frame(frame, model=MODEL._replace(judges=~HELD & HELD))
    assert words.promise_of_rows(none, 0.9).startswith("Too few rows judge")


def test_the_table_has_the_label_in_brackets_where_its_name_is_taken_and_all_columns_and_chances_are_saved():
    sources = ColumnSources(("", "", "petal length", ""), label="row")
    table = words.scored_table(
        score_frame({"row": ["a"], "petal length": [1.4]}, sources=sources), IRIS, np.arange(1)
    )
    assert table["row"].tolist() == [1]
    assert table["(row)"].tolist() == ["a"]
    found = score_frame(
        {"petal length": [1.4, 5.0], "petal width": [0.2, 1.5], "answer": ["x", "y"], "species": ["setosa", None]}
    )
    table = words.scored_file(found, IRIS, np.arange(2))
    chances = table[[f"chance of {name}" for name in IRIS.classes]].to_numpy()
    np.testing.assert_allclose(chances, found.said.answers)
    assert table["(answer)"].tolist() == ["x", "y"]
    assert table["petal length"].tolist() == [1.4, 5.0]
    assert table["is right"].tolist() == [True, None]


def test_numbers_have_intervals_whose_ends_are_as_far_from_the_answer_as_promised():
    data = samples.load("diabetes")
    held = held_out(data, HeldOut(30))
    tree = learners.CartRegressor(max_depth=3).fit(data.X[~held], data.y[~held])
    frame = pd.DataFrame(data.X[held], columns=[feature.name for feature in data.features])
    frame[data.target.name] = data.y[held]
    found = score_rows(TableModel(tree, data, ~held, held), frame, ALL)
    table = words.scored_table(found, data, np.arange(5))
    np.testing.assert_allclose(table["to"] - table["answer"], found.limit)
    np.testing.assert_allclose(table["answer"] - table["from"], found.limit)
    np.testing.assert_allclose(table["off by"], np.abs(table["answer"] - data.y[held][:5]))
    assert words.promise_of_rows(found, 0.9).startswith("Answers ± ")
    assert "off by" in words.outcomes_table(found, data)
