"""Forests and boosted sums as Python, SQL and ONNX say what they say here: each is run, beside `predict`."""

import contextlib
import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier import predict, read_model
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.export import forest_from_json, forest_to_json, forest_to_onnx, forest_to_python, forest_to_sql
from espalier.export.columns import answers
from espalier.export.node_sources import bytes_of
from espalier.learners import (
    BaggedForestClassifier,
    BaggedForestRegressor,
    BoostedForestClassifier,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedForestClassifier,
    CultivatedForestRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    OptimalClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    RootForestClassifier,
    SubspaceForestClassifier,
)
from espalier.predict import winners
from espalier.trees import CultivatedTree, make_forest, make_sum
from tests.tools.by_hand import lone_leaf
from tests.tools.exported import scope_of


def table(n=150):
    """Rows with categories, gaps and whole numbers."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 5, n), rng.integers(0, 40, n)]).astype(float)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 2)
    X[rng.random(X.shape) < 0.1] = np.nan
    features = [Feature("size"), Feature("it's", "category", ("a", "b", "c'c", 'd"', "e")), Feature("age")]
    return make_dataset("mixed", X, features, y, Feature("kind", "category", ("low", "mid", "high")))


IRIS, DIABETES, CANCER = map(samples.load, ("iris", "diabetes", "breast-cancer"))
MIXED = table()
FEW: dict[str, Any] = {"n_estimators": 5, "random_state": 0}
MODELS = {
    "means of shares": (RandomForestClassifier(**FEW), IRIS),
    "two classes": (RandomForestClassifier(**FEW, max_depth=4), CANCER),
    "numbers": (RandomForestRegressor(**FEW, max_depth=5), DIABETES),
    "votes": (BaggedForestClassifier(CartClassifier(max_depth=3), **FEW, voting="equal"), IRIS),
    "categories and gaps": (RandomForestClassifier(**FEW, categorical_features=MIXED.categorical), MIXED),
    "a sum of numbers": (GradientBoostingRegressor(n_estimators=4, max_depth=3), DIABETES),
    "log odds": (GradientBoostingClassifier(n_estimators=4, max_depth=3), CANCER),
    "cultivated": (CultivatedForestClassifier(n_estimators=3, max_depth=2, random_state=0), IRIS),
    "cultivated votes": (BaggedForestClassifier(CultivatedClassifier(max_depth=1), **FEW, voting="equal"), MIXED),
    "cultivated numbers": (CultivatedForestRegressor(n_estimators=2, max_depth=2, random_state=0), DIABETES),
    "softmax": (GradientBoostingClassifier(n_estimators=3, max_depth=3), MIXED),
    "medians": (GradientBoostingRegressor(n_estimators=4, max_depth=3, loss="absolute_error"), DIABETES),
    "counts": (GradientBoostingRegressor(n_estimators=4, max_depth=3, loss="poisson"), DIABETES),
    "extremely randomised": (ExtraTreesClassifier(**FEW, categorical_features=MIXED.categorical), MIXED),
    "extremely randomised numbers": (ExtraTreesRegressor(**FEW, max_depth=4), DIABETES),
    "subspaces": (SubspaceForestClassifier(CartClassifier(max_depth=3), **FEW), CANCER),
    "roots": (RootForestClassifier(CartClassifier(max_depth=3), **FEW), CANCER),
    "AdaBoost": (BoostedForestClassifier(CartClassifier(max_depth=2), **FEW), IRIS),
    "weighted votes": (BaggedForestClassifier(CartClassifier(max_depth=3), **FEW, voting="validation"), CANCER),
    "optimal trees": (BaggedForestClassifier(OptimalClassifier(max_depth=2), 3, random_state=0), IRIS),
    "bagged numbers": (BaggedForestRegressor(CartRegressor(max_depth=3), **FEW), DIABETES),
}


@pytest.fixture(scope="module", params=MODELS)
def case(request):
    """A forest, its rows and what it says of them."""
    model, data = MODELS[request.param]
    forest = model.fit(data.X, data.y).forest_
    return forest, data, predict.shares(forest, data.X)


def cells(data):
    """The rows of the table as a file would have them."""
    columns = {}
    for feature, values in zip(data.features, data.X.T, strict=True):
        named = [feature.categories[int(v)] if feature.categories and v == v else v for v in values]
        columns[feature.name] = [None if v != v else v for v in named]
    return pd.DataFrame(columns, dtype=object)


def as_python(forest, data):
    predict = scope_of(forest_to_python(forest, data.features, data.target))["predict"]
    return [predict(row) for row in cells(data).to_dict("records")]


def as_sqlite(forest, data):
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        cells(data).to_sql("rows", base, index=False)
        expressions = forest_to_sql(forest, data.features, data.target, "sqlite")
        return np.array(base.execute(f"SELECT {expressions} FROM rows AS t").fetchall(), dtype=float)


def in_sql(shares):
    """The columns that SQL has: of two classes only the share of the second."""
    return shares[:, [1]] if shares.shape[1] == 2 else shares


def test_python_says_what_the_forest_says(case):
    forest, data, says = case
    said = as_python(forest, data)
    if not data.is_classification:
        np.testing.assert_allclose(said, says[:, 0], rtol=1e-12)
        return
    np.testing.assert_allclose([shares for _, shares in said], says, atol=1e-12)
    assert [name for name, _ in said] == [answers(data.target)[k] for k in winners(says, forest.prior)]


def test_json_reads_back_as_the_same_forest(case):
    forest, data, says = case
    again, *others = forest_from_json(forest_to_json(forest, data.features, data.target))
    np.testing.assert_array_equal(predict.shares(again, data.X), says)
    assert others == [data.features, data.target]
    assert (again.combine, again.link, again.n_trees) == (forest.combine, forest.link, forest.n_trees)
    assert all(
        np.array_equal(one.value, other.value) for one, other in zip(again.trees, forest.trees, strict=True)
    )


def test_sqlite_says_what_the_forest_says(case):
    forest, data, says = case
    np.testing.assert_allclose(as_sqlite(forest, data), in_sql(says), rtol=1e-12, atol=1e-12)


@pytest.mark.few(11)
def test_duckdb_says_what_the_forest_says(case):
    duckdb = pytest.importorskip("duckdb")
    forest, data, says = case
    rows = cells(data).infer_objects()
    expressions = forest_to_sql(forest, data.features, data.target, "duckdb")
    said = duckdb.sql(f"SELECT {expressions} FROM rows AS t").df().to_numpy(float)
    assert len(rows) == len(said)
    np.testing.assert_allclose(said, in_sql(says), rtol=1e-12, atol=1e-12)


def outputs(file, X) -> list[Any]:
    """What a runtime of ONNX says: onnxruntime, else the evaluator of onnx itself."""
    try:
        import onnxruntime
    except ImportError:
        evaluator: Any = pytest.importorskip("onnx.reference")
        return evaluator.ReferenceEvaluator(file).run(None, {"X": X})
    return list(onnxruntime.InferenceSession(file).run(None, {"X": X}))


def test_onnx_says_what_the_forest_says(case):
    pytest.importorskip("onnx")
    forest, data, says = case
    if isinstance(forest.trees[0], CultivatedTree):
        pytest.skip("ONNX has no trees in which a row is in several leaves")
    said = outputs(forest_to_onnx(forest, data.features, data.target), np.ascontiguousarray(data.X))
    if not data.is_classification:
        np.testing.assert_allclose(said[0], says[:, 0], rtol=1e-12)
        return
    np.testing.assert_allclose(said[1], says, atol=1e-12)
    assert said[0].tolist() == [answers(data.target)[k] for k in winners(says, forest.prior)]


def test_the_evaluator_of_onnx_says_the_same():
    reference: Any = pytest.importorskip("onnx.reference")
    forest = RandomForestClassifier(**FEW, max_depth=3).fit(IRIS.X, IRIS.y).forest_
    file: Any = pytest.importorskip("onnx").load_from_string(forest_to_onnx(forest, IRIS.features, IRIS.target))
    said = reference.ReferenceEvaluator(file).run(None, {"X": np.ascontiguousarray(IRIS.X[::10])})
    np.testing.assert_allclose(said[1], predict.shares(forest, IRIS.X[::10]), atol=1e-12)


def test_a_model_of_another_library_is_exported_alike():
    from sklearn.ensemble import GradientBoostingClassifier as Theirs

    theirs = Theirs(n_estimators=4, random_state=0).fit(CANCER.X, CANCER.y)
    forest = read_model(theirs).forest_
    shares = [shares for _, shares in as_python(forest, CANCER)]
    np.testing.assert_allclose(shares, theirs.predict_proba(CANCER.X), atol=1e-9)
    np.testing.assert_allclose(as_sqlite(forest, CANCER)[:, 0], theirs.predict_proba(CANCER.X)[:, 1], atol=1e-9)


def test_of_equal_shares_the_class_that_was_the_most_frequent_wins():
    forest = make_forest([lone_leaf(1.0, 0.0), lone_leaf(0.0, 1.0)], [1, 1], "mean", [0.3, 0.7])
    data = MIXED._replace(target=Feature("kind", "category", ("no", "yes")))
    assert {name for name, _ in as_python(forest, data)} == {"yes"}
    assert set(outputs(forest_to_onnx(forest, data.features, data.target), data.X.copy())[0].tolist()) == {"yes"}


def test_trees_of_a_single_leaf_and_a_class_without_rows_are_written():
    forest = make_sum([lone_leaf(0.5, 0.0, 0.0)], [0.1, 0.2, -np.inf], "softmax", [0.5, 0.5, 0.0])
    says = predict.shares(forest, MIXED.X[:3])
    data = MIXED._replace(X=MIXED.X[:3])
    np.testing.assert_allclose([shares for _, shares in as_python(forest, data)], says)
    np.testing.assert_allclose(as_sqlite(forest, data), says)
    np.testing.assert_allclose(outputs(forest_to_onnx(forest, data.features, data.target), data.X.copy())[1], says)


def test_trees_too_deep_for_brackets_in_brackets_are_written(monkeypatch):
    forest = RandomForestClassifier(**FEW, categorical_features=MIXED.categorical).fit(MIXED.X, MIXED.y).forest_
    monkeypatch.setattr("espalier.export.sql.MAX_NESTED", 2)
    np.testing.assert_allclose(as_sqlite(forest, MIXED), predict.shares(forest, MIXED.X), atol=1e-12)


@pytest.mark.parametrize("write", [forest_to_python, forest_to_sql, forest_to_onnx])
def test_what_cannot_be_written_is_refused_with_a_reason(write, monkeypatch):
    monkeypatch.setattr("espalier.export.node_sources.MAX_NODES", 10)
    large = RandomForestClassifier(**FEW).fit(IRIS.X, IRIS.y).forest_
    with pytest.raises(ValueError, match=r"nodes are too many for code; the limit is 10\. Grow fewer"):
        write(large, IRIS.features, IRIS.target)


def test_onnx_has_no_cultivated_trees_and_those_too_large_for_an_expression_are_refused_with_the_way_out():
    cultivated = CultivatedForestClassifier(n_estimators=2, random_state=0).fit(IRIS.X, IRIS.y).forest_
    with pytest.raises(
        ValueError, match=r"in several leaves of a tree, with a fraction in each\. Save it as Python, SQL"
    ):
        forest_to_onnx(cultivated, IRIS.features, IRIS.target)
    deep = CultivatedForestClassifier(n_estimators=5, random_state=0).fit(IRIS.X, IRIS.y).forest_
    with pytest.raises(ValueError, match=r"cases, more than databases take.*or save the forest as Python"):
        forest_to_sql(deep, IRIS.features, IRIS.target)
    said = [shares for _, shares in as_python(deep, IRIS)]
    np.testing.assert_allclose(said, predict.shares(deep, IRIS.X), atol=1e-12)


def test_more_cuts_than_a_file_and_more_cases_than_a_database_has_room_for_are_refused(monkeypatch):
    monkeypatch.setattr("espalier.export.node_sources.MAX_CUTS", 10)
    cultivated = CultivatedForestClassifier(n_estimators=2, random_state=0).fit(IRIS.X, IRIS.y).forest_
    with pytest.raises(ValueError, match=r"cuts are too many for code; the limit is 10\."):
        forest_to_python(cultivated, IRIS.features, IRIS.target)
    monkeypatch.setattr("espalier.export.sql.MAX_CASES", 10)
    forest = RandomForestClassifier(**FEW).fit(IRIS.X, IRIS.y).forest_
    with pytest.raises(ValueError, match="cases is more than databases take; the limit is 10"):
        forest_to_sql(forest, IRIS.features, IRIS.target)


def test_a_hundred_trees_are_one_expression_that_sqlite_takes():
    model = GradientBoostingClassifier(n_estimators=100, max_depth=3).fit(CANCER.X, CANCER.y)
    rows = CANCER._replace(X=CANCER.X[:20])
    says = predict.shares(model.forest_, rows.X)
    np.testing.assert_allclose(as_sqlite(model.forest_, rows), says[:, [1]], atol=1e-12)


@pytest.mark.parametrize("write", [forest_to_python, forest_to_sql, forest_to_onnx])
def test_the_size_of_a_file_is_known_to_a_tenth_before_it_is_written(write):
    forest = RandomForestClassifier(n_estimators=30, random_state=0, max_depth=4).fit(CANCER.X, CANCER.y).forest_

    def written(one):
        text = write(one, CANCER.features, CANCER.target)
        return text.encode() if isinstance(text, str) else text

    assert bytes_of(written, forest) == pytest.approx(len(written(forest)), rel=0.1)
