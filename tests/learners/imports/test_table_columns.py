"""Columns of a model meet columns of a table, each kind every other; and the process that reads a file of one."""

import json
import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import espalier
from espalier.approximation.fidelity import arrange
from espalier.data import samples
from espalier.data.column_changes import ColumnWords, name_columns
from espalier.data.columns.convert import TargetPlan, to_dataset
from espalier.data.columns.kinds import ColumnPlan
from espalier.data.dataset import Feature, make_dataset
from espalier.data.options import Moment
from espalier.language import Refusal
from espalier.learners.frames import UnknownCategories
from espalier.learners.imports.categories import CategoryLists
from espalier.learners.imports.in_table import TableForest, split_codes, split_units, table_column
from espalier.learners.imports.model import ModelFacts
from espalier.learners.imports.read import _rebuilt, holds_trees, read_file, service
from tests.learners.imports.test_files import CATBOOST, LIGHTGBM, XGBOOST

DAY = 86_400
VALUES = {  # of a column: by what a tree may split it
    "number": [1, 2, 3.5, 10, 100],
    "words": ["iron", "stone", "wood"],
    "numbers as words": ["100", "2", "10", "3.5", "1"],
}
KIND = {"number": "number", "words": "category", "numbers as words": "category"}


def tree_of(kind, rng):
    """A tree of depth two that asks for the first column only, at random, as the document has it."""
    n, names = 3, VALUES[kind]
    is_split = [True, True, True, False, False, False, False]
    is_number = kind == "number"
    has_set = [one and not is_number for one in is_split]
    sets = [np.flatnonzero(rng.random(len(names)) < 0.5).tolist() if one else [] for one in has_set]
    return {
        "feature": [0] * 3 + [-1] * 4, "left": [1, 3, 5, -1, -1, -1, -1], "right": [2, 4, 6, -1, -1, -1, -1],
        "threshold": [float(rng.choice(names)) + 0.5 if one and is_number else None for one in is_split],
        "categories_left": sets, "value": [None] * n + rng.normal(size=4).round(3).tolist(),
        "n": [8, 5, 3, 4, 1, 1, 2],
    }  # fmt: skip


def document(kind, trees, feature=None):
    names = [] if kind == "number" else VALUES[kind]
    column = feature or {"name": "c", "kind": KIND[kind], "categories": names}
    features = [column, {"name": "z", "kind": "number"}]
    return {"format": "espalier-trees", "version": 2, "combine": "mean", "features": features, "trees": trees}


def answer(tree, kind, value):
    """What the tree says of a value, walked by hand; an unknown category is missing, and goes with more rows."""
    node = 0
    while tree["left"][node] >= 0:
        left, right = tree["left"][node], tree["right"][node]
        if kind == "number":
            goes = tree["n"][left] >= tree["n"][right] if value is None else value <= tree["threshold"][node]
        elif value in VALUES[kind]:
            goes = VALUES[kind].index(value) in tree["categories_left"][node]
        else:
            goes = tree["n"][left] >= tree["n"][right]
        node = left if goes else right
    return tree["value"][node]


def table(cells, kind, categories=()):
    """A file's column as the page Data takes it, of this kind."""
    frame = pd.DataFrame({"c": cells, "z": np.arange(len(cells)) % 7, "y": np.arange(len(cells)) * 1.5})
    if pd.api.types.is_numeric_dtype(frame["c"]):
        frame["c"] = frame["c"].astype(np.float64)
    plans = [ColumnPlan("c", kind, categories), ColumnPlan("z", "number"), ColumnPlan("y", "number")]
    return to_dataset(frame.astype({"z": float, "y": float}), plans, TargetPlan("y", "regression"), "t")[0]


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("other", ["number", "category", "ordered"])
@pytest.mark.parametrize("missing", [False, True])
def test_every_value_of_the_table_is_that_value_for_the_model_or_is_refused(kind, other, missing):
    rng = np.random.default_rng(0)
    trees = [tree_of(kind, rng) for _ in range(20)]
    model = read_file(json.dumps(document(kind, trees)).encode())
    values = VALUES[kind] if kind == "words" else VALUES["number"]
    cells = [values[at] for at in rng.permutation(np.arange(60) % len(values))]
    if missing:
        cells[3] = cells[40] = None
    numbers_for_names = kind != "number" and other == "number"
    if numbers_for_names:
        if kind == "words":  # is no column of numbers at all
            cells = [float(at % 3) for at in range(60)]
        with pytest.raises(Refusal, match=r"takes categories in the column c .* the kind category"):
            TableForest(model, table(cells, other).features, ())
        return
    data = table(cells, other)
    assert data.features[0].kind == other
    as_texts = [None if cell is None else str(cell) for cell in cells]
    expected = [
        np.mean([answer(tree, kind, cell if kind == "number" else text) for tree in trees])
        for cell, text in zip(cells, as_texts, strict=True)
    ]
    assert np.allclose(TableForest(model, data.features, ()).predict(data.X), expected)


def test_an_order_of_the_tables_own_changes_no_answer():
    rng = np.random.default_rng(1)
    trees = [tree_of("number", rng) for _ in range(20)]
    model = read_file(json.dumps(document("number", trees)).encode())
    cells = [VALUES["number"][at % 5] for at in range(60)]
    data = table(cells, "ordered", ("10", "1", "100", "3.5", "2"))
    expected = [np.mean([answer(tree, "number", cell) for tree in trees]) for cell in cells]
    assert np.allclose(TableForest(model, data.features, ()).predict(data.X), expected)


@pytest.mark.parametrize("kind", ["words", "numbers as words"])
def test_categories_that_only_one_of_both_has_are_missing_and_a_note_says_so(kind):
    rng = np.random.default_rng(2)
    trees = [tree_of(kind, rng) for _ in range(20)]
    model = read_file(json.dumps(document(kind, trees)).encode())
    names = [*VALUES[kind][1:], "glass"]
    cells = [names[at % len(names)] for at in range(60)]
    data = table(cells, "category")
    forest = TableForest(model, data.features, ())
    expected = [np.mean([answer(tree, kind, cell) for tree in trees]) for cell in cells]
    assert np.allclose(forest.predict(data.X), expected)
    (note,) = forest.notes
    assert str(note) == "c: categories that the model does not know count as missing: glass."


def stump(feature, **split):
    nothing = {"feature": [0, -1, -1], "left": [1, -1, -1], "right": [2, -1, -1], "value": [None, 1, 2]}
    at = {name: [value, None, None] for name, value in split.items()}
    doc = document("number", [nothing | {"threshold": [None] * 3} | at], feature)
    return read_file(json.dumps(doc).encode())


NUMBER = {"name": "c", "kind": "number"}
WORDS = {"name": "c", "kind": "category", "categories": ["iron", "wood"]}
TIME, DATE = ({"name": "c", "kind": "date", "unit": unit} for unit in (1, DAY))
DURATION = {"name": "c", "kind": "duration", "unit": 60}
Z = Feature("z")


def column(kind: Any = "number", names=(), part="", unit=DAY, since=0):
    moment = Moment("c", part, unit=unit, since=since) if part else None
    return Feature("c", kind, tuple(names), moment=moment)


@pytest.mark.parametrize(
    ("own", "feature", "why"),
    [
        (NUMBER, column("category", ["iron", "wood"]), "takes numbers in the column c.*iron, wood"),
        (NUMBER, column("yes/no", ["no", "yes"]), "takes numbers in the column c.*no, yes"),
        (NUMBER, column("ordered", ["1", "2", "more"]), "takes numbers in the column c.*1, 2, more"),
        (NUMBER, column("category", ["1", "2", "(other)"]), r"takes numbers in the column c.*\(other\)"),
        (NUMBER, column(part="date"), "nobody knows what the numbers count.*present trees.R"),
        (NUMBER, column(part="time of day", unit=60), "nobody knows what the numbers count"),
        (NUMBER, column(part="duration"), "nobody knows what the numbers count"),
        (NUMBER, column("category", ["May", "June"], part="month"), "takes numbers in the column c.*May, June"),
        (WORDS, column(), "takes categories in the column c .*the kind category"),
        (WORDS, column(part="date"), "takes categories in the column c"),
        (WORDS, column("category", ["glass", "paper"]), "glass, paper.*knows there .*iron, wood"),
        (DATE, column(), "takes dates, times or durations in the column c"),
        (TIME, column("category", ["iron", "wood"]), "takes dates, times or durations in the column c"),
        (TIME, column(part="duration"), "takes dates, times or durations in the column c"),
        (DATE, column(part="year"), "takes dates, times or durations in the column c"),
        (DATE, column(part="date", unit=60, since=9), "takes whole days in the column c"),
        (DURATION, column(part="date"), "takes dates, times or durations in the column c"),
        (DURATION, column(), "takes dates, times or durations in the column c"),
    ],
)  # fmt: skip
def test_what_nobody_can_know_is_refused_with_the_column_and_what_to_do(own, feature, why):
    split = {"categories_left": [0]} if own is WORDS else {"threshold": 1.5}
    with pytest.raises(Refusal, match=why):
        TableForest(stump(own, **split), (feature, Z), ())


def test_a_column_that_no_split_asks_for_may_be_of_any_kind():
    other = document("number", [{"feature": [-1], "left": [-1], "right": [-1], "threshold": [None], "value": [4]}])
    model = read_file(json.dumps(other).encode())
    assert TableForest(model, (column("category", ["iron", "wood"]), Z), ()).predict([[1, 0.5]]).tolist() == [4]


def test_yes_and_no_are_numbers_where_they_are_true_and_false_whichever_stands_first():
    for names in ("False", "True"), ("FALSE", "TRUE"), ("0", "1"), ("TRUE", "FALSE"):
        forest = TableForest(stump(NUMBER, threshold=0.5), (column("yes/no", names), Z), ())
        assert forest.predict([[0, 0], [1, 0]]).tolist() == ([2, 1] if names[0] == "TRUE" else [1, 2])


def test_parts_of_dates_that_are_numbers_in_the_calendar_are_these_numbers():
    assert TableForest(stump(NUMBER, threshold=2020.5), (column(part="year"), Z), ()).predict([[2021, 0]])[0] == 2


TIMES = ["2021-03-01 00:00", "2021-03-05 23:30", "2021-03-06 00:00", "2022-01-01 12:30"]
MOMENTS = pd.Series(pd.to_datetime(TIMES))


@pytest.mark.parametrize("step", ["s", "min", "D"])
@pytest.mark.parametrize("own", ["time", "date"])
def test_dates_are_compared_as_the_model_counts_them_whatever_the_table_counts(step, own):
    cells = pd.concat([MOMENTS] * 20, ignore_index=True)
    if step == "D" or own == "date":
        cells = cells.dt.floor("D")
    elif step == "s":
        cells = cells + pd.Timedelta(seconds=7)
    seconds = (cells - pd.Timestamp("1970-01-01")) / pd.Timedelta(seconds=1)
    unit, feature = (1, TIME) if own == "time" else (DAY, DATE)
    counted = (seconds / unit).to_numpy()
    data = table(cells, "date")
    at = [feature.name for feature in data.features].index("c")
    features = tuple(Feature("z") if i == 1 else data.features[at] for i in range(2))
    X = np.column_stack([data.X[:, at], np.zeros(len(cells))])
    for threshold in (*np.unique(counted), *(np.unique(counted)[:-1] + np.diff(np.unique(counted)) / 2)):
        model = stump(feature, threshold=threshold)
        expected = np.where(counted <= threshold, 1, 2)
        assert (TableForest(model, features, ()).predict(X) == expected).all()
        frame = pd.DataFrame({"c": cells, "z": 0.0})
        assert (model.predict(frame) == expected).all()
        in_tokyo = cells.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
        assert (model.predict(frame.assign(c=in_tokyo)) == expected).all()


def test_durations_and_times_of_day_count_from_nothing():
    minutes = stump(DURATION, threshold=90)
    for part in ("duration", "time of day"):
        hours = column(part=part, unit=3600)
        assert TableForest(minutes, (hours, Z), ()).predict([[1.5, 0], [1.51, 0]]).tolist() == [1, 2]
    frame = pd.DataFrame({"c": pd.to_timedelta([90, 91], unit="min"), "z": 0.0})
    assert minutes.predict(frame).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("own", "cells", "why"),
    [
        (NUMBER, pd.to_datetime(["2021-03-01"]), "takes numbers there"),
        (NUMBER, pd.to_timedelta([3], unit="h"), "takes numbers there"),
        (DATE, [18_807.0], "takes dates or times there; make it datetime64"),
        (TIME, ["2021-03-01"], "takes dates or times there; make it datetime64"),
        (TIME, pd.to_timedelta([3], unit="h"), "takes dates or times there"),
        (DATE, pd.to_datetime(["2021-03-01 12:00"]), "takes whole days there"),
        (DURATION, [90.0], "takes durations there; make it timedelta64"),
        (WORDS, [3.0], "holds 3, and the model knows the categories iron, wood"),
        (WORDS | {"categories": ["3", "4"]}, ["iron"], "holds iron, and the model knows the categories 3, 4"),
    ],
)
def test_a_column_of_a_frame_that_counts_otherwise_is_refused(own, cells, why):
    split: Any = {"categories_left": [0]} if "categories" in own else {"threshold": 1.5}
    with pytest.raises(Refusal, match=why):
        stump(own, **split).predict(pd.DataFrame({"c": cells, "z": 0.0}))


def test_a_threshold_in_other_units_is_passed_by_the_same_whole_numbers():
    rng = np.random.default_rng(3)
    for own, unit, since in ((1, 60, 18_687 * DAY), (1, DAY, 0), (60, 1, 0), (7 * DAY, DAY, 0), (3600, 60, 0)):
        x = rng.integers(-10_000, 10_000, 2_000)
        seconds = x * unit + since
        threshold = float(rng.choice(seconds)) / own
        for t in (threshold, math.nextafter(threshold, math.inf), math.nextafter(threshold, -math.inf)):
            ours, bits = split_units(own, unit, since, t, 0, False)
            exact = [Fraction(int(one), own) <= Fraction(t) for one in seconds]
            assert ((x <= ours) == exact).all()
            assert bits == 0


def test_codes_in_order_are_passed_by_a_threshold_also_where_they_are_many_and_those_of_a_set_by_a_set():
    assert split_codes(np.arange(100.0), False, 70.5, 0, False) == (70.5, 0)
    assert str(split_codes(np.arange(64.0), True, 1.5, 0, False)) == f"(nan, {0b011})"
    with pytest.raises(Refusal, match="64"):  # bits are in a set
        split_codes(np.arange(65.0), True, 1.5, 0, False)


def test_the_process_of_a_strangers_file_hands_over_what_a_column_counts():
    data = json.dumps(document("number", [tree_of("number", np.random.default_rng(0))], TIME)).encode()
    answer = service()({"file": np.frombuffer(data, np.uint8)}, print)
    assert answer["features"][0] == ["c", "number", [], ["c", "date", "ymd", 1, 0]]


@pytest.mark.parametrize("seed", range(30))
def test_a_column_may_have_the_lists_that_it_has_in_some_way_of_giving_them_out_in_order(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(0, 4)), int(rng.integers(1, 6))
    fits, needs = rng.random((n, m)) < 0.8, rng.random(m) < 0.3
    ways = [
        way
        for way in combinations(range(m), n)
        if fits[range(n), way].all() and needs.sum() == needs[[*way]].sum()
    ]
    expected = [{way.index(j) if j in way else -1 for way in ways} for j in range(m)]
    assert CategoryLists((), fits).owners(fits, needs) == expected


def test_codes_alone_are_no_names():
    facts = ModelFacts("X", (), codes="unknown")
    with pytest.raises(Refusal, match="c"):
        table_column(Feature("c", "category"), column("category", ["iron", "wood"]), facts)


def test_columns_in_an_order_that_the_model_cannot_take_are_not_tried():
    model = stump(WORDS | {"name": "x1"}, categories_left=[1])
    model.facts = model.facts._replace(has_names=False)
    features = (column("category", ["iron", "wood"]), Feature("a"))  # the alphabet would put the numbers first
    X = np.column_stack([np.arange(60) % 2, np.linspace(0, 1, 60)])
    data = make_dataset("t", X, features, 2.0 - X[:, 0], Feature("y"))
    own, arranged = arrange(TableForest(model, data.features, ()), data)
    assert (arranged.columns, arranged.right) == ((0, 1), 1.0)
    with pytest.raises(Refusal, match="takes categories in the column x1"):
        own.arranged(columns=(1, 0))


def test_the_page_hears_what_a_model_does_not_know_and_what_of_its_file_is_not_used():
    feature = column("category", ["iron", "glass"])
    data = make_dataset("t", np.arange(60.0).reshape(30, 2) % 2, (feature, Z), np.arange(30.0), Feature("y"))
    split = {"feature": [0, -1, -1], "left": [1, -1, -1], "right": [2, -1, -1], "threshold": [None] * 3,
             "categories_left": [[0], [], []], "value": [None, 1, 2], "n": [3, 1, 2]}  # fmt: skip
    doc = document("words", [split], WORDS) | {"library": "R, rpart"}
    _, arranged = arrange(TableForest(read_file(json.dumps(doc).encode()), data.features, ()), data)
    unused, unknown = map(str, arranged.notes)
    assert "surrogate splits are not read" in unused
    assert unknown == "c: categories that the model does not know count as missing: glass."


@pytest.mark.parametrize("form", [int, float, str, lambda x: f"{x}.0"])
def test_a_category_of_a_frame_is_known_however_its_number_is_written(form):
    model = stump(WORDS | {"categories": ["30", "5", "10"]}, categories_left=[0, 2])
    frame = pd.DataFrame({"c": [form(value) for value in (5, 10, 30)], "z": 0.0})
    assert model.predict(frame).tolist() == [2, 1, 1]


def test_a_frame_none_of_whose_categories_is_known_is_missing_there_and_a_warning_says_so():
    model = stump(WORDS, categories_left=[0])
    frame = pd.DataFrame({"c": ["glass", "paper"], "z": 0.0})
    with pytest.warns(UnknownCategories, match="'glass', 'paper'.*'iron', 'wood'"):
        assert (model.predict(frame) == model.predict([[np.nan, 0]] * 2)).all()
    assert model.predict(frame.assign(c=["glass", "iron"]))[1] == 1
    assert (model.predict(frame.assign(c="glass")) == model.predict([[np.nan, 0]] * 2)).all()  # one may be new


# A forest from a file in the terms of a table; and the process that reads the file
IRIS = samples.load("iris")
TWO = IRIS.y[50:] - 1


def boosted(columns, classes=None):
    """A model of iris's last two species on some columns, its classes named so."""
    names = np.array(["versicolor", "virginica"] if classes is None else classes)
    model = GradientBoostingClassifier(n_estimators=5).fit(IRIS.X[50:, columns], names[TWO])
    ours: Any = espalier.read_model(model)
    features = tuple(IRIS.features[column] for column in columns)
    ours.features_, ours.facts = features, ours.facts._replace(features=features, has_names=True)
    return model, ours


def test_a_model_of_some_columns_finds_them_by_name_in_any_order():
    theirs, ours = boosted([3, 1])
    model = TableForest(ours, IRIS.features, ["versicolor", "virginica"])
    np.testing.assert_allclose(model.predict_proba(IRIS.X), theirs.predict_proba(IRIS.X[:, [3, 1]]))
    assert model.names_columns
    assert model.names_classes


def test_a_model_knows_columns_by_their_names_in_the_file_however_a_person_calls_them():
    theirs, ours = boosted([3, 1])
    for words in (
        {"petal width": ColumnWords("leaf", "cm")},
        {"petal width": ColumnWords("leaf", "cm"), "sepal width": ColumnWords("petal width")},
        {"petal width": ColumnWords("sepal width"), "sepal width": ColumnWords("petal width")},
    ):
        model = TableForest(ours, name_columns(IRIS, words).features, ["versicolor", "virginica"])
        assert model.names_columns
        np.testing.assert_allclose(model.predict_proba(IRIS.X), theirs.predict_proba(IRIS.X[:, [3, 1]]))


def test_classes_of_other_names_are_matched_by_what_is_right_most_often():
    theirs, ours = boosted([0, 1, 2, 3], ["b", "a"])
    data = IRIS._replace(X=IRIS.X[50:], y=TWO, target=IRIS.target._replace(categories=("versicolor", "virginica")))
    model, arranged = arrange(TableForest(ours, data.features, data.classes), data)
    assert arranged.classes == (1, 0)
    np.testing.assert_allclose(model.predict_proba(data.X), theirs.predict_proba(data.X)[:, ::-1])


def test_codes_of_categories_are_those_of_the_table():
    model = read_file(LIGHTGBM.encode())
    model.features_ = (Feature("a"), Feature("b", "category", ("u", "v", "w")))  # u and w go left
    table = (Feature("b", "category", ("w", "v")), Feature("a"))
    assert TableForest(model, table, ()).predict([[0, 1], [1, 1]]).tolist() == [2, 4]


def test_a_model_of_another_table_is_refused():
    model = read_file(json.dumps(XGBOOST).encode())
    with pytest.raises(Refusal, match="says a number"):
        TableForest(model, (Feature("a"), Feature("b")), ("no", "yes"))
    with pytest.raises(Refusal, match="does not have by these names"):
        TableForest(model, IRIS.features, ())


def test_a_forest_of_votes_keeps_its_votes_whatever_the_order_of_classes():
    theirs = RandomForestClassifier(5, random_state=0).fit(IRIS.X, IRIS.y)
    model = TableForest(espalier.read_model(theirs), IRIS.features, IRIS.classes).arranged((2, 0, 1), (3, 2, 1, 0))
    turned = theirs.predict_proba(IRIS.X[:, ::-1])
    np.testing.assert_allclose(model.predict_proba(IRIS.X)[:, [2, 0, 1]], turned)


def test_what_the_other_process_hands_over_is_the_same_forest_or_a_phrase_that_refuses():
    """The process itself runs where models of our own are read."""
    apart: Any = _rebuilt(service()({"file": np.frombuffer(json.dumps(XGBOOST).encode(), np.uint8)}, print))
    assert apart.predict([[0.4, 0], [0.6, 0]]).tolist() == [-0.5, 2.5]
    assert apart.features_ == (Feature("a"), Feature("b"))
    answer = service()({"file": np.frombuffer(b"{nonsense", np.uint8)}, print)
    assert "no model that can be read" in answer["wrong"]


def test_files_of_trees_are_told_from_others_by_how_they_begin():
    files = [json.dumps(XGBOOST).encode(), json.dumps(CATBOOST).encode(), LIGHTGBM.encode()]
    assert all(map(holds_trees, files))
    assert not holds_trees(b"\x08\x07onnx")
