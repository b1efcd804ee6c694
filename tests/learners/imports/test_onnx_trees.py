"""Ensembles of trees in ONNX files say what onnxruntime says, and those of ours come back as they were saved."""

from typing import Any

import numpy as np
import pytest

import espalier
from espalier import learners, predict
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.export import forest_to_onnx
from espalier.language import Refusal
from espalier.learners import BaggedForestClassifier, GradientBoostingClassifier, GradientBoostingRegressor
from espalier.learners.imports import read_file
from espalier.learners.imports.read import _rebuilt, read_apart, service
from espalier.predict import winners
from tests.learners.imports.at_thresholds import rows_for

onnx: Any = pytest.importorskip("onnx", reason="onnx is not installed")
helper, FLOAT, DOUBLE = onnx.helper, onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
N = len(MODES)


def file(nodes, outputs, kind=FLOAT, version=3):
    """The bytes of a model of five columns; outputs are names with a type."""
    ports = [helper.make_tensor_value_info(name, of, None) for name, of in outputs]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("X", kind, [None, 5])], ports)
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", version)]
    name = "p" * 128  # whose length takes two bytes, the first of them 128
    return helper.make_model(graph, opset_imports=domains, ir_version=8, producer_name=name).SerializeToString()


def stumps(tracks, modes=MODES):
    """Attributes of a stump a mode, each about another column, whose node 0 is the root."""
    n = len(modes)
    return {
        "nodes_treeids": np.repeat(range(n), 3), "nodes_nodeids": [0, 1, 2] * n,
        "nodes_featureids": np.repeat(np.arange(n) % 5, 3), "nodes_values": [0.5] * 3 * n,
        "nodes_modes": [name for mode in modes for name in (mode, "LEAF", "LEAF")],
        "nodes_truenodeids": [1, 0, 0] * n, "nodes_falsenodeids": [2, 0, 0] * n,
        "nodes_missing_value_tracks_true": [tracks] * 3 * n,
    }  # fmt: skip


def leaves(of, ids, weights):
    """Attributes of the leaves 1 and 2 of each tree."""
    n = len(weights) // 2
    return {
        f"{of}_treeids": np.repeat(range(n), 2),
        f"{of}_nodeids": [1, 2] * n,
        f"{of}_ids": ids,
        f"{of}_weights": weights,
    }


def said(data, rows, output):
    runtime: Any = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    session = runtime.InferenceSession(data, providers=["CPUExecutionProvider"])
    kind = np.float32 if "float" in session.get_inputs()[0].type else np.float64
    return session.run([output], {"X": rows.astype(kind)})[0]


@pytest.mark.parametrize("tracks", [0, 1])
def test_every_question_has_the_same_answer_as_in_onnxruntime(tracks):
    weights = [float(10**tree * leaf) for tree in range(N) for leaf in (1, 2)]
    facts = stumps(tracks) | leaves("target", [0] * 2 * N, weights)
    node = helper.make_node("TreeEnsembleRegressor", ["X"], ["Y"], domain="ai.onnx.ml", n_targets=1, **facts)
    data = file([node], [("Y", FLOAT)])
    model = read_file(data)
    rows = rows_for(model)
    assert (model.predict(rows) == said(data, rows, "Y")[:, 0]).all()


@pytest.mark.parametrize("tracks", [0, 1])
def test_version_5_holds_its_leaves_apart(tracks):
    tensor = onnx.numpy_helper.from_array
    weights = np.array([10.0**tree * leaf for tree in range(N) for leaf in (1, 2)], np.float32)
    facts = {
        "n_targets": 1, "aggregate_function": 1, "post_transform": 0, "tree_roots": list(range(N)),
        "nodes_splits": tensor(np.full(N, 0.5, np.float32)), "nodes_modes": tensor(np.arange(N).astype(np.uint8)),
        "nodes_featureids": [mode % 5 for mode in range(N)], "nodes_trueleafs": [1] * N,
        "nodes_falseleafs": [1] * N,
        "nodes_truenodeids": [2 * n for n in range(N)], "nodes_falsenodeids": [2 * n + 1 for n in range(N)],
        "nodes_missing_value_tracks_true": [tracks] * N, "leaf_targetids": [0] * 2 * N,
        "leaf_weights": tensor(weights),
    }  # fmt: skip
    node = helper.make_node("TreeEnsemble", ["X"], ["Y"], domain="ai.onnx.ml", **facts)
    data = file([node], [("Y", FLOAT)], version=5)
    model = read_file(data)
    rows = rows_for(model)
    assert (model.predict(rows) == said(data, rows, "Y")[:, 0]).all()


CLASSIFIERS: Any = {
    "shares of three": ([0, 1], [0.25, 0.25] * 2, ["a", "b", "c"], "NONE", "mean"),
    "one score": ([0, 0], [-1.0, 2.0] * 2, [0, 1], "LOGISTIC", "sum"),
    "one share": ([0, 0], [0.5, 0.125] * 2, [0, 1], "NONE", "mean"),
    "softmax": ([0, 2], [-1.0, 2.0] * 2, [3, 5, 8], "SOFTMAX", "sum"),
}


@pytest.mark.parametrize("kind", [FLOAT, DOUBLE])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_shares_of_classes_are_those_of_onnxruntime(name, kind):
    ids, weights, labels, transform, _ = CLASSIFIERS[name]
    facts = stumps(0, ["BRANCH_LEQ", "BRANCH_LT"]) | leaves("class", ids * 2, weights)
    key = "classlabels_strings" if isinstance(labels[0], str) else "classlabels_int64s"
    node = helper.make_node(
        "TreeEnsembleClassifier", ["X"], ["label", "shares"], domain="ai.onnx.ml", post_transform=transform,
        **facts, **{key: labels},
    )  # fmt: skip
    outputs = [("label", onnx.TensorProto.STRING if key.endswith("strings") else onnx.TensorProto.INT64)]
    data = file([node], [*outputs, ("shares", FLOAT)], kind)
    model: Any = read_file(data)
    rows = rows_for(model)
    np.testing.assert_allclose(model.predict_proba(rows), said(data, rows, "shares"), atol=1e-6)
    assert model.classes_.tolist() == labels


def test_scores_of_two_classes_with_values_to_begin_with_which_onnxruntime_turns_round_are_refused():
    first, second = (leaves("class", [k] * 2 * N, [1.0 - 2 * k] * 2 * N) for k in (0, 1))
    facts = stumps(0) | {key: [*first[key], *second[key]] for key in first} | {"classlabels_int64s": [0, 1]}
    for start in ({}, {"base_values": [0.5, -0.5]}):
        node = helper.make_node(
            "TreeEnsembleClassifier", ["X"], ["label", "Y"], domain="ai.onnx.ml", post_transform="LOGISTIC",
            **facts, **start,
        )  # fmt: skip
        data = file([node], [("label", onnx.TensorProto.INT64), ("Y", FLOAT)])
        if start:
            with pytest.raises(Refusal, match="base values"):
                read_file(data)
        else:
            model: Any = read_file(data)
            rows = rows_for(model)
            np.testing.assert_allclose(model.predict_proba(rows), said(data, rows, "Y"), atol=1e-6)


def test_a_step_that_changes_rows_or_answers_is_named():
    facts = stumps(0) | leaves("target", [0] * 2 * N, [1.0] * 2 * N)
    node = helper.make_node("TreeEnsembleRegressor", ["X"], ["S"], domain="ai.onnx.ml", n_targets=1, **facts)
    after = file([node, helper.make_node("Exp", ["S"], ["Y"])], [("Y", FLOAT)])
    with pytest.raises(Refusal, match="Exp"):
        read_file(after)
    with pytest.raises(Refusal, match="only ensembles of trees"):
        read_file(file([helper.make_node("Exp", ["X"], ["Y"])], [("Y", FLOAT)]))
    with pytest.raises(Refusal, match="no model that can be read"):
        read_file(b"\x08\x07junk")


# A forest of ours that was saved as ONNX comes back as the same forest
IRIS, DIABETES, CANCER = (samples.load(name) for name in ("iris", "diabetes", "breast-cancer"))


def mixed(n=150):
    """Rows with categories and gaps."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 5, n), rng.integers(0, 40, n)]).astype(float)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] % 2 > 0)
    X[rng.random(X.shape) < 0.1] = np.nan
    features = [Feature("size"), Feature("it's", "category", ("ä", "b", "c'c", 'd"', "e")), Feature("age")]
    return make_dataset("mixed", X, features, y, Feature("kind", "category", ("low", "mid", "high")))


MIXED = mixed()
FEW: Any = {"n_estimators": 4, "random_state": 0}
MODELS: Any = {
    "shares": (learners.RandomForestClassifier(**FEW, categorical_features=MIXED.categorical), MIXED),
    "votes": (BaggedForestClassifier(learners.CartClassifier(max_depth=2), **FEW, voting="equal"), IRIS),
    "numbers": (learners.RandomForestRegressor(**FEW, max_depth=4), DIABETES),
    "log odds": (GradientBoostingClassifier(n_estimators=3, max_depth=2), CANCER),
    "softmax": (GradientBoostingClassifier(n_estimators=2, max_depth=2), MIXED),
    "counts": (GradientBoostingRegressor(n_estimators=3, max_depth=2, loss="poisson"), DIABETES),
    "a sum": (GradientBoostingRegressor(n_estimators=3, max_depth=2), DIABETES),
}


@pytest.mark.parametrize("name", MODELS)
def test_it_answers_as_the_forest_that_was_saved(name):
    model, data = MODELS[name]
    forest = model.fit(data.X, data.y).forest_
    file = forest_to_onnx(forest, data.features, data.target)
    arrays = service()({"file": np.frombuffer(file, np.uint8)}, print)  # all that the other process hands over
    ours: Any
    for ours in (espalier.read_model(file), _rebuilt(arrays)):
        expected = predict.shares(forest, data.X)
        if data.classes:
            np.testing.assert_allclose(ours.predict_proba(data.X), expected, atol=1e-12)
            labels = np.array(data.classes)[winners(expected, forest.prior)]
            assert (ours.predict(data.X) == labels).all()  # with as many votes for each, too
        else:
            np.testing.assert_allclose(ours.predict(data.X), expected[:, 0], rtol=1e-12)
        assert [(f.name, f.kind, f.categories) for f in ours.features_] == [
            (f.name, f.kind, f.categories) for f in data.features
        ]
    if name == "shares":
        apart: Any = read_apart(file)
        assert (apart.predict_proba(data.X) == ours.predict_proba(data.X)).all()


def test_steps_that_espalier_does_not_write_are_refused_under_its_name_too():
    forest = MODELS["a sum"][0].fit(DIABETES.X, DIABETES.y).forest_
    proto = onnx.load_from_string(forest_to_onnx(forest, DIABETES.features, DIABETES.target))
    proto.graph.node[2].op_type = "Abs"
    with pytest.raises(Refusal, match="has the step"):
        espalier.read_model(proto.SerializeToString())
