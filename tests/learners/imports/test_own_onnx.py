"""A forest of ours that was saved as ONNX comes back as the same forest."""

from typing import Any

import numpy as np
import pytest

import espalier
from espalier import predict
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.language import Refusal
from espalier.learners import (
    BaggedForestClassifier,
    CartClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.learners.imports.apart import _rebuilt, read_apart, service
from espalier.ties import winners
from espalier.views.export import forest_to_onnx

onnx: Any = pytest.importorskip("onnx", reason="onnx is not installed")
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
    "shares": (RandomForestClassifier(**FEW, categorical_features=MIXED.categorical), MIXED),
    "votes": (BaggedForestClassifier(CartClassifier(max_depth=2), **FEW, voting="equal"), IRIS),
    "numbers": (RandomForestRegressor(**FEW, max_depth=4), DIABETES),
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
