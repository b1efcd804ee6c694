"""New rows in words: how columns are matched, why an expert looks, and how right answers are."""

from typing import Any

import numpy as np
import pandas as pd

from espalier.data import HeldOut, held_out, make_dataset, samples
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.columns.new_rows import ColumnSources, new_rows
from espalier.data.dataset import Feature
from espalier.data.roles import RowRoles, row_groups
from espalier.display.theme import number
from espalier.learners import CartClassifier, CartRegressor
from espalier.new_rows import words
from espalier.new_rows.answers import TableModel
from espalier.new_rows.scoring import ScoringRules, score_rows
from espalier.new_rows.words import matters_most, why_expert
from espalier.reliability.reliability import ANSWER, Goal

IRIS = samples.load("iris")
HELD = held_out(IRIS, HeldOut(30))
TREE = CartClassifier(max_depth=2).fit(IRIS.X[~HELD], IRIS.y[~HELD])
MODEL = TableModel(TREE, IRIS, ~HELD, HELD)
ALL = ScoringRules(Goal(ANSWER, 1.0))


def scored(frame, rules=ALL, model=MODEL, sources=None):
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
    tree = CartClassifier(max_depth=1, categorical_features=[True]).fit(table.X, table.y)
    found = scored({"colour": ["red", "teal"]}, model=TableModel(tree, table, every, ~every))
    assert words.matching(found.rows, table)[1] == [
        "“colour” cannot be read in 1 of 2 rows, such as “teal”: it counts as missing."
    ]
    assert why_expert(found, table, np.arange(2)) == [[], ["colour cannot be read: “teal”"]]


def test_numbers_outside_and_missing_ones_are_reasons_of_the_columns_that_are_asked():
    frame = {"petal length": [1.4, 9.0, None], "petal width": [0.2, 2.0, 1.0], "sepal length": [99.0, 5.0, 5.0]}
    found = scored(frame)
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


def test_answers_are_counted_right_only_where_the_file_has_the_truth():
    frame = {"petal length": [1.4, 5.5, 9.0, 1.4], "petal width": [0.2, 2.0, 2.0, 0.2]}
    assert list(words.outcomes_table(scored(frame), IRIS)) == ["rows"]
    found = scored(frame | {"species": ["setosa", "setosa", "virginica", None]})
    assert found.said.prediction.tolist() == [0, 2, 2, 0]
    assert words.outcomes_table(found, IRIS)["right"].tolist() == ["1 of 2", "1 of 1", "66.7 % (3 rows)"]


def test_the_promise_says_how_many_rows_have_one_class_and_what_is_lacking_for_one():
    frame = {"petal length": [1.4, 5.0], "petal width": [0.2, 1.7]}
    sets: Any = scored(frame).sets
    assert f"{sets.sum(axis=1).tolist().count(1)} of 2 have one." in (words.promise_of_rows(scored(frame), 0.9))
    few = np.zeros(150, bool)
    few[:3] = True
    assert words.promise_of_rows(scored(frame, model=MODEL._replace(judges=few)), 0.9) == (
        "Too few rows judge the model to promise 90 %: that takes 9."
    )
    patients = RowRoles(row_groups("patient", np.arange(150) % 8))  # however many rows each has
    assert words.promise_of_rows(
        scored(frame, model=MODEL._replace(dataset=IRIS._replace(roles=patients))), 0.9
    ) == ("Too few groups of rows judge the model to promise 90 %: that takes 9.")
    none = scored(frame, model=MODEL._replace(judges=~HELD & HELD))
    assert words.promise_of_rows(none, 0.9).startswith("Too few rows judge")


def test_the_table_has_the_label_in_brackets_where_its_name_is_taken_and_all_columns_and_chances_are_saved():
    sources = ColumnSources(("", "", "petal length", ""), label="row")
    table = words.scored_table(scored({"row": ["a"], "petal length": [1.4]}, sources=sources), IRIS, np.arange(1))
    assert table["row"].tolist() == [1]
    assert table["(row)"].tolist() == ["a"]
    found = scored(
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
    tree = CartRegressor(max_depth=3).fit(data.X[~held], data.y[~held])
    frame = pd.DataFrame(data.X[held], columns=[feature.name for feature in data.features])
    frame[data.target.name] = data.y[held]
    found = score_rows(TableModel(tree, data, ~held, held), frame, ALL)
    table = words.scored_table(found, data, np.arange(5))
    np.testing.assert_allclose(table["to"] - table["answer"], found.limit)
    np.testing.assert_allclose(table["answer"] - table["from"], found.limit)
    np.testing.assert_allclose(table["off by"], np.abs(table["answer"] - data.y[held][:5]))
    assert words.promise_of_rows(found, 0.9).startswith("Answers ± ")
    assert "off by" in words.outcomes_table(found, data)


def test_the_columns_that_matter_most_come_with_their_values():
    found = scored({"petal length": [1.4], "petal width": [0.2]})
    first = matters_most(found, IRIS, np.arange(1))[0][0]
    assert first.startswith(("petal length 1.4 (+", "petal width 0.2 (+"))
