"""Black boxes: the thresholds that they are asked for, models that are ready, and models from ONNX files."""

import importlib.util
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import espalier
from espalier.analysis import Folds, ask, validate
from espalier.data import Feature, make_dataset, samples
from espalier.data.binarise import answers, chosen_questions
from espalier.data.dataset import Origin
from espalier.data.options import Moment
from espalier.export.onnx import forest_to_onnx
from espalier.language import Refusal
from espalier.learners import ApproximationClassifier, ApproximationRegressor, CartRegressor
from espalier.learners.black_boxes import models
from espalier.learners.black_boxes import ready as onnx_models
from espalier.learners.black_boxes import thresholds as proposals
from espalier.learners.black_boxes.ready import read_onnx
from espalier.learners.black_boxes.thresholds import boosted_thresholds, forest_thresholds
from espalier.trees import make_forest
from tests.tools import onnx_files
from tests.tools.onnx_files import FLOAT, STRING, classifier, linear, shares_by_hand

NAN, INF = math.nan, math.inf
BOTH = pytest.mark.parametrize("thresholds", [forest_thresholds, boosted_thresholds])


def two_steps(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Class 1 between 0.3 and 0.7 of the first column; the second says nothing, the third never changes."""
    X = np.random.default_rng(0).uniform(size=(n, 3))
    X[:, 2] = 5
    return X, ((X[:, 0] > 0.3) & (X[:, 0] <= 0.7)).astype(int)


def decrease_by_threshold(X: np.ndarray, y: np.ndarray) -> list[dict[float, float]]:
    """For each column of ranks what the forest of seed 7 gains at each threshold, node by node."""
    forest = models.random_forest(7, proposals.ASKED_TREES).set_params(max_depth=proposals.FOREST_DEPTH).fit(X, y)
    found: list[dict[float, float]] = [{} for _ in X.T]
    for tree in (e.tree_ for e in forest.estimators_):
        for node in np.flatnonzero(tree.feature >= 0):
            children = tree.children_left[node], tree.children_right[node]
            loss = [tree.weighted_n_node_samples[i] * tree.impurity[i] for i in (node, *children)]
            cut = math.floor(tree.threshold[node]) + 0.5
            of_column = found[tree.feature[node]]
            of_column[cut] = of_column.get(cut, 0) + loss[0] - loss[1] - loss[2]
    return found


def naive_choice(decrease: dict[float, float], n: int, most: int) -> list[float]:
    """The best thresholds with more than a quarter of an even share of the n ranks between them, then any."""
    by_decrease = sorted(decrease, key=lambda cut: (-decrease[cut], cut))
    chosen: list[float] = []
    for least in (n / (4 * most), 0):
        for cut in by_decrease:
            if len(chosen) < most and all(abs(cut - other) > least for other in chosen):
                chosen.append(cut)
    return sorted(chosen)


@pytest.mark.parametrize(("n", "most"), [(30, 4), (60, 4), (60, 3), (40, 30)])
def test_the_thresholds_with_the_greatest_decrease_of_impurity_that_stand_apart_are_taken(n, most):
    rng = np.random.default_rng(n)
    X = np.column_stack([rng.permutation(n).astype(float) for _ in range(3)])
    y = (X[:, 0] > n / 2) + (X[:, 1] > n / 3) * rng.integers(0, 2, n)
    found = [cuts.tolist() for cuts in forest_thresholds(X, y, None, 7, most)]
    assert found == [naive_choice(decrease, n, most) for decrease in decrease_by_threshold(X, y)]


@BOTH
def test_the_thresholds_are_where_the_classes_change_also_of_heavy_missing_and_infinite_samples(thresholds):
    X, y = two_steps()
    found = thresholds(X, y, None, 0, 2)
    assert np.abs(found[0] - [0.3, 0.7]).max() < 0.02
    assert len(found[2]) == 0
    x = np.arange(90.0)
    y = ((x > 29) & (x <= 59)).astype(int)
    for heavy, border in ((x < 45, 29.5), (x > 45, 59.5)):
        found = thresholds(x[:, None], y, np.where(heavy, 20.0, 0.1), 0, 1)
        assert found[0].tolist() == [border]
    x = np.array([-INF, 1, 2, 3, 4, INF] * 20)
    X = np.column_stack([np.where(np.arange(120) % 5 == 0, NAN, x), np.full(120, NAN)])
    found = thresholds(X, (x > 2).astype(int), None, 0, 1)
    assert [cuts.tolist() for cuts in found] == [[2.5], []]
    found = thresholds(np.arange(6.0).reshape(3, 2), np.zeros(3, dtype=int), None, 0, 3)
    assert [cuts.tolist() for cuts in found] == [[], []]


@BOTH
def test_the_same_seed_gives_the_same_thresholds_and_no_limit_all_of_them(thresholds):
    X, y = two_steps(150)
    y[:20] = 1 - y[:20]
    once, again, all_of_them = (thresholds(X, y, np.arange(150.0) + 1, 3, most) for most in (5, 5, None))
    for a, b, c in zip(once, again, all_of_them, strict=True):
        assert a.tolist() == b.tolist()
        assert set(a) <= set(c)
        assert c.tolist() == sorted(set(c))
    assert len(all_of_them[0]) > 5


@BOTH
def test_neighbouring_floats_that_single_precision_takes_for_equal_are_parted(thresholds):
    values = 1 + np.arange(4) * 2.0**-52
    X = np.repeat(values, 10)[:, None]
    y = np.repeat([0, 0, 1, 1], 10)
    found = thresholds(X, y, None, 0, 1)
    yes = answers(chosen_questions(X, np.array([False]), found), X)
    assert yes[:, 0].tolist() == (y == 0).tolist()


@BOTH
def test_of_many_samples_a_part_is_enough_and_keeps_the_rarest_class(thresholds):
    x = np.arange(20_000.0)
    y = (x >= 19_998).astype(int)
    found = thresholds(x[:, None], y, None, 0, 1)[0]
    assert len(found) == 1
    assert 19_000 < found[0] < 19_999


@pytest.mark.parametrize("box", models.BLACK_BOXES, ids=lambda box: box.name)
@pytest.mark.parametrize("is_classification", [True, False])
def test_every_black_box_learns_a_table_with_categories_and_gaps(box, is_classification):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(240), rng.integers(0, 3, 240), 100 * rng.random(240)])
    signal = (X[:, 0] > 0.5) ^ (X[:, 1] == 2) if box.name != "linear" else X[:, 0] + (X[:, 1] == 2) > 0.8
    y = signal.astype(int) if is_classification else 1e6 + 1e3 * signal
    X[rng.random(X.shape) < 0.02] = NAN
    setup = models.Setup(is_classification, np.array([False, True, False]), seed=1)
    model = models.black_box(box.name).make(setup).fit(X, y)
    assert model.score(X, y) > (0.85 if is_classification else 0.5)
    if is_classification:
        assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(240))


@pytest.mark.parametrize("box", models.BLACK_BOXES, ids=lambda box: box.name)
def test_every_black_box_can_be_approximated(box):
    X, y = two_steps(200)
    model = box.make(models.Setup(True, np.zeros(3, dtype=bool))).fit(X, y)
    tree = ApproximationClassifier(model, max_depth=2, initial_samples=2000, max_samples=4000, random_state=0)
    assert (tree.fit(X).predict(X) == model.predict(X)).mean() > 0.8


def test_an_ensemble_is_grown_once_for_the_same_samples_and_anew_for_others(monkeypatch):
    grown, boosting = [], proposals.GradientBoostingClassifier
    monkeypatch.setattr(
        proposals, "GradientBoostingClassifier", lambda *args, **how: grown.append(1) or boosting(*args, **how)
    )
    X, y = two_steps(100)
    first = boosted_thresholds(X, y, None, 11, 3)
    first[0][:] = 0  # whoever gets them may change them
    again = boosted_thresholds(X.copy(), y.copy(), None, 11, 3)
    assert len(grown) == 1
    assert again[0][0] > 0.2
    for other in ((X, 1 - y, None, 11, 3), (X, y, np.linspace(1, 2, 100), 11, 3), (X, y, None, 11, 2)):
        boosted_thresholds(*other)
    assert len(grown) == 4


# Any fitted model, or a function, judged beside others without being fitted again
IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
PLAN = Folds(n_folds=5)
RNG = np.random.default_rng(0)
SIZE, COLOUR = RNG.normal(size=300), RNG.integers(0, 3, 300)
TARGET = Feature("state", "category", ("well", "ill"))
ILL = (SIZE + (COLOUR == 2) > 0.5).astype(np.int64)
PATIENTS = make_dataset(
    "patients", np.column_stack([SIZE, COLOUR]),
    [Feature("size"), Feature("colour", "category", ("red", "green", "blue"))], ILL, TARGET,
)  # fmt: skip
FRAME = pd.DataFrame({"colour": np.array(["red", "green", "blue"])[COLOUR], "size": SIZE})


def pipeline(labels):
    columns = make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough")
    return make_pipeline(columns, LogisticRegression()).fit(FRAME, labels)


@pytest.mark.parametrize("labels", [ILL, np.array(["well", "ill"])[ILL]])
def test_a_pipeline_gets_columns_by_name_and_categories_as_text_and_its_classes_are_known_by_name(labels):
    theirs = pipeline(labels)
    ready = espalier.ready_model(theirs, PATIENTS)
    at = [
        list(map(str, theirs.classes_)).index(name)
        for name in (("0", "1") if labels is ILL else TARGET.categories)
    ]
    np.testing.assert_array_equal(ready.predict_proba(PATIENTS.X), theirs.predict_proba(FRAME)[:, at])
    assert validate(ready, PATIENTS, PLAN).scores("accuracy").mean() > 0.9


@pytest.mark.parametrize(
    "function",
    [
        lambda rows: np.column_stack([rows[:, 0] <= 0.5, rows[:, 0] > 0.5]).astype(float),
        lambda rows: (rows[:, 0] > 0.5).astype(float),
        lambda rows: (rows[:, 0] > 0.5).astype(int),
    ],
    ids=["shares", "chance of the second", "classes"],
)
def test_a_function_is_compared_and_asked_for_its_doubts(function):
    ready = espalier.ready_model(function, PATIENTS)
    assert ready.predict(np.array([[0.4, 0.0], [0.6, 0.0]])).tolist() == [0, 1]
    found = ask(ready, PATIENTS, PLAN)
    right = np.mean([np.mean(one.prediction == PATIENTS.y[one.rows]) for one in found.tried])
    assert right == pytest.approx(validate(ready, PATIENTS, PLAN).scores("accuracy").mean())


def test_a_model_of_numbers_keeps_its_numbers():
    theirs = RandomForestRegressor(10, random_state=0).fit(DIABETES.X, DIABETES.y)
    ready = espalier.ready_model(theirs, DIABETES)
    np.testing.assert_array_equal(ready.predict(DIABETES.X), theirs.predict(DIABETES.X))
    assert not hasattr(ready, "predict_proba")


def test_a_model_that_was_read_stays_a_forest():
    theirs = RandomForestClassifier(10, random_state=0).fit(IRIS.X, np.array(IRIS.classes)[IRIS.y])
    ready = espalier.ready_model(espalier.read_model(theirs), IRIS)
    assert ready.forest_.n_trees == 10
    order = [theirs.classes_.tolist().index(name) for name in IRIS.classes]
    np.testing.assert_allclose(ready.predict_proba(IRIS.X), theirs.predict_proba(IRIS.X)[:, order], atol=1e-12)


def test_classes_in_another_order_are_said_or_else_warned_of():
    turned = pipeline(1 - ILL)  # 0 is ill
    with pytest.warns(UserWarning, match="less often than always"):
        espalier.ready_model(turned, PATIENTS)
    ready = espalier.ready_model(turned, PATIENTS, classes=["ill", "well"])
    np.testing.assert_array_equal(ready.predict_proba(PATIENTS.X), turned.predict_proba(FRAME)[:, ::-1])


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(Refusal, match="LogisticRegression is not fitted"):
        espalier.ready_model(LogisticRegression(), PATIENTS)
    with pytest.raises(Refusal, match=r"the table does not have: .*colour"):
        espalier.ready_model(pipeline(ILL), IRIS)
    other = pipeline(np.array(["sick", "fine"])[ILL])
    with pytest.raises(Refusal, match="say which is which"):
        espalier.ready_model(other, PATIENTS)
    with pytest.raises(Refusal, match="say which is which"):
        espalier.ready_model(other, PATIENTS, classes=["ill", "ill"])


FEATURES = (Feature("width"), Feature("height"))
X = np.random.default_rng(0).random((50, 2))


def test_a_model_of_numbers_says_what_its_nodes_come_to_also_in_batches_and_so_does_a_copy():
    model = read_onnx(linear([2.0, -1.0], 0.5), FEATURES)
    for rows in (X, np.random.default_rng(1).random((onnx_models.BATCH + 7, 2))):
        assert model.predict(rows) == pytest.approx(2 * rows[:, 0] - rows[:, 1] + 0.5, abs=1e-6)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize("zipmap", [True, False])
@pytest.mark.parametrize("labels", [["a", "b", "c"], [0, 1, 2]])
def test_class_shares_stand_in_the_order_of_the_table(labels, zipmap):
    model = read_onnx(classifier(labels, zipmap), FEATURES, ("b", "c", "a"))
    by_hand = shares_by_hand(X, 3)  # of a, b, c by name; by number those of the table's first, second, third
    expected = by_hand[:, [1, 2, 0]] if labels[0] == "a" else by_hand
    assert model.predict_proba(X) == pytest.approx(expected, abs=1e-6)
    assert np.array_equal(model.predict(X), expected.argmax(axis=1))


def test_one_column_of_shares_is_the_chance_of_the_second_class():
    model = read_onnx(linear([0.5, 0.25], 0.1), FEATURES, ("no", "yes"))
    second = X @ [0.5, 0.25] + 0.1
    assert model.predict_proba(X) == pytest.approx(np.column_stack([1 - second, second]), abs=1e-6)


@pytest.mark.parametrize("size", [Feature("size"), Feature("height (cm)", origin=Origin("size", 0))])
def test_a_column_for_each_input_is_found_by_name_and_categories_are_text(size):
    features = (size, Feature("colour", "category", ("green", "red")))
    model = read_onnx(onnx_files.by_column(["colour", "size"], [STRING, FLOAT]), features)
    assert model.predict(np.array([[1.5, 0.0], [1.5, 1.0], [2.0, np.nan]])).tolist() == [1.5, 11.5, 2.0]


def test_such_models_are_approximated_like_any_other():
    few: Any = {"initial_samples": 1000, "max_samples": 1000, "random_state": 0, "max_depth": 2}
    model = read_onnx(classifier(["a", "b"], zipmap=False), FEATURES, ("a", "b"))
    tree = ApproximationClassifier(model, **few).fit(X)
    assert (tree.predict(X) == model.predict(X)).mean() > 0.9
    model = read_onnx(linear([5.0, 0.0], 0.0), FEATURES)
    assert set(ApproximationRegressor(model, **few).fit(X).tree_.feature) == {0, -1}


@pytest.mark.parametrize(
    ("file", "classes", "words"),
    [
        (b"nonsense", (), "is not an ONNX model"),
        (b"", (), "is not an ONNX model"),
        (linear([1.0, 1.0, 1.0], 0.0), (), r"takes 3 columns; the table has 2 features: width, height"),
        (classifier(["a", "b", "c"], zipmap=False), ("a", "b"), "knows 3 classes; the table has 2: a, b"),
        (classifier(["a", "x"], zipmap=True), ("a", "b"), "knows a class “x”; the table has a, b"),
        (onnx_files.by_column(["u", "v", "w"], [FLOAT] * 3), (), "takes 3 columns"),
        (onnx_files.peeping("etc/hostname"), (), "is not an ONNX model that this server can run"),
        (onnx_files.peeping("/etc/hostname"), (), "is not an ONNX model that this server can run"),
    ],
)
def test_what_does_not_fit_is_named(file, classes, words):
    with pytest.raises(ValueError, match=words):
        read_onnx(file, FEATURES, classes)


def test_a_file_too_large_is_not_opened_and_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(onnx_models, "MAX_ONNX_MB", 1)
    with pytest.raises(ValueError, match="has 2 MB; this server takes ONNX models up to 1 MB"):
        read_onnx(bytes(2 * 2**20), FEATURES)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install \"\.\[onnx\]\""):
        read_onnx(b"", FEATURES)


# Categories are what they mean, or refused
def size(kind: Any, names):
    return (Feature("size", kind, tuple(names)), Feature("height"))


@pytest.mark.parametrize("kind", ["category", "ordered", "yes/no"])
def test_categories_that_are_numbers_are_these_numbers_for_an_input_of_numbers(kind):
    names = ["40", "10"] if kind == "yes/no" else ["10", "2.5", "40"]
    codes = np.array([[0, 0.0], [1, 1.0], [np.nan, 1.0]])
    numbers = [float(names[0]), float(names[1]), np.nan]
    model = read_onnx(linear([2.0, -1.0], 0.0), size(kind, names))
    assert model.predict(codes) == pytest.approx(2 * np.array(numbers) - codes[:, 1], nan_ok=True)
    assert model.arranged(columns=(1, 0)).predict(codes) == pytest.approx(
        2 * codes[:, 1] - np.array(numbers), nan_ok=True
    )


def test_true_and_false_are_numbers_and_numbers_for_an_input_of_text_are_refused():
    model = read_onnx(linear([2.0, 0.0], 0.0), size("yes/no", ["FALSE", "TRUE"]))
    assert model.predict([[0, 0], [1, 0]]).tolist() == [0, 2]
    with pytest.raises(Refusal, match=r"takes text in the column colour.*the kind category"):
        read_onnx(onnx_files.by_column(["colour", "size"], [STRING, FLOAT]), (Feature("colour"), Feature("size")))


@pytest.mark.parametrize(
    ("features", "why"),
    [
        (size("category", ["low", "high"]), "takes numbers in the column size.*low, high"),
        (size("yes/no", ["no", "yes"]), "takes numbers in the column size.*no, yes"),
        (
            (Feature("size", moment=Moment("size", "date")), Feature("height")),
            "nobody knows what the numbers count",
        ),
    ],
)
def test_words_and_dates_for_an_input_of_numbers_are_refused(features, why):
    with pytest.raises(Refusal, match=why):
        read_onnx(linear([2.0, -1.0], 0.0), features)


def test_a_forest_that_espalier_wrote_says_which_category_is_which_code():
    names = ("green", "red", "blue")
    colour = np.random.default_rng(0).integers(0, 3, 90)
    X = np.column_stack([colour, np.arange(90) % 7]).astype(float)
    own = (Feature("colour", "category", names), Feature("size"))
    data = make_dataset("t", X, own, np.array([1.0, 2.0, 4.0])[colour], Feature("y"))
    learner = CartRegressor(categorical_features=[0]).fit(data.X, data.y)
    file = forest_to_onnx(make_forest((learner.tree_,), np.ones(1), "mean", []), data.features, data.target)
    table = (Feature("size"), Feature("colour", "category", ("blue", "green", "pink", "red")))
    rows = np.array([[3.0, 0.0], [3.0, 1.0], [3.0, 3.0]])
    assert read_onnx(file, table).predict(rows).tolist() == [4, 1, 2]
    missing = read_onnx(file, table).predict([[3.0, np.nan]])
    assert read_onnx(file, table).predict([[3.0, 2.0]]).tolist() == missing.tolist()
