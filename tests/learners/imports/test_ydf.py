"""Models of ydf, fitted here, say the same as forests of ours, with gaps and categories that were never seen."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import espalier
from espalier.language import Refusal
from espalier.trees import LEAF

ydf: Any = pytest.importorskip("ydf", reason="ydf is not installed")
ydf.verbose(0)
REGRESSION = {"task": ydf.Task.REGRESSION}
ROUNDING = 2e-6  # of sums in float32
BOOSTING, FOREST = "GradientBoostedTreesLearner", "RandomForestLearner"
KINDS: Any = {
    "one tree": ("CartLearner", "two", {}),
    "votes": (FOREST, "three", {"num_trees": 7}),
    "a mean of shares": (FOREST, "two", {"num_trees": 7, "winner_take_all": False}),
    "a forest of numbers": (FOREST, "number", {"num_trees": 7, **REGRESSION}),
    "boosting of two classes": (BOOSTING, "two", {"num_trees": 9}),
    "boosting of three classes": (BOOSTING, "three", {"num_trees": 9}),
    "boosting of numbers": (BOOSTING, "number", {"num_trees": 9, **REGRESSION}),
    "boosting of counts": (BOOSTING, "count", {"num_trees": 9, "loss": "POISSON", **REGRESSION}),
    "gaps filled at each node": (BOOSTING, "two", {"num_trees": 9, "missing_value_policy": "LOCAL_IMPUTATION"}),
    "gaps asked for": (BOOSTING, "two", {"num_trees": 9, "allow_na_conditions": True}),
    "numbers in bins": (BOOSTING, "two", {"num_trees": 9, "discretize_numerical_columns": True}),
    "no values at splits": (FOREST, "two", {"num_trees": 7, "keep_non_leaf_label_distribution": False}),
}


def table(n=600, seed=0, names=("u", "v", "w", "x")):
    """Rows with numbers, categories, yes or no and gaps; three targets and a number, by name."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)).round(2), columns=["a", "b", "c"])
    X["kind"] = rng.choice(names, n)
    X["flag"] = rng.integers(0, 2, n).astype(float)
    score = X["a"].to_numpy() + (X["kind"] == "u") * X["b"].to_numpy() + X["flag"].to_numpy() + rng.normal(size=n)
    for name in ("a", "kind", "flag"):
        X[name] = X[name].where(rng.random(n) > 0.1, None if name == "kind" else np.nan)
    targets = {
        "two": np.where(score > 0, "yes", "no"), "three": np.select([score < -1, score < 1], ["a", "b"], "c"),
        "number": np.asarray(score), "count": rng.poisson(np.exp(np.clip(score, -2, 2))),
    }  # fmt: skip
    return X, targets


def rows_at_thresholds(ours):
    """Rows with a category that the model does not know, half of them at a threshold or beside it."""
    X, _ = table(3_000, 1, ("u", "v", "w", "x", "never seen"))
    rng = np.random.default_rng(2)
    feature, cut = (
        np.concatenate([getattr(t, name) for t in ours.forest_.trees]) for name in ("feature", "threshold")
    )
    for column, name in enumerate(["a", "b", "c"]):
        cuts = cut[(feature == column) & (feature != LEAF) & np.isfinite(cut)]
        if len(cuts):
            chosen = rng.choice(cuts, 500)
            beside = np.concatenate([chosen, np.nextafter(chosen, np.inf), np.nextafter(chosen, -np.inf)])
            X.loc[rng.choice(3_000, 1_500, replace=False), name] = beside
    return X


@pytest.mark.parametrize("name", KINDS)
def test_ydf_says_the_same(name):
    learner, target, settings = KINDS[name]
    X, targets = table()
    theirs = getattr(ydf, learner)(label="y", **settings).train(X.assign(y=targets[target]))
    ours: Any = espalier.read_model(theirs)
    rows = rows_at_thresholds(ours)
    expected = theirs.predict(rows, use_slow_engine="gaps" in name)
    said = ours.predict(rows) if target in ("number", "count") else ours.predict_proba(rows)
    said = said[:, 1] if target == "two" else said
    np.testing.assert_allclose(said, expected, rtol=ROUNDING, atol=ROUNDING)


def test_the_columns_have_their_names_and_the_first_category_stands_for_those_never_seen():
    X, targets = table()
    theirs = ydf.CartLearner(label="y").train(X.assign(y=targets["two"]))
    ours: Any = espalier.read_model(theirs)
    assert [feature.name for feature in ours.features_] == ["a", "b", "c", "kind", "flag"]
    assert set(ours.features_[3].categories) == {"<OOD>", "u", "v", "w", "x"}
    seen = ours.rows(X.head(3).assign(kind=["never seen", "", None]))[:, 3]
    assert seen[0] == 0
    assert np.isnan(seen[1:]).all()


def test_sums_of_columns_and_sets_of_words_are_refused():
    X, targets = table()
    boosting = ydf.GradientBoostedTreesLearner(label="y", num_trees=3, split_axis="SPARSE_OBLIQUE")
    with pytest.raises(Refusal, match="NumericalSparseObliqueCondition"):
        espalier.read_model(boosting.train(X.assign(y=targets["two"])))
    words = X.assign(y=targets["two"], text=[["red", "green"][: i % 3] for i in range(len(X))])
    learner = ydf.RandomForestLearner(label="y", num_trees=3, features=["text"])
    with pytest.raises(Refusal, match="text is of the kind CATEGORICAL_SET"):
        espalier.read_model(learner.train(words))


def test_differences_between_treatments_and_more_categories_than_a_split_tells_apart_are_refused():
    X, targets = table()
    rows = X.assign(treated=targets["two"], y=(targets["number"] > 0).astype(int))
    learner = ydf.RandomForestLearner(
        label="y", uplift_treatment="treated", task=ydf.Task.CATEGORICAL_UPLIFT, num_trees=3
    )
    with pytest.raises(Refusal, match="CATEGORICAL_UPLIFT"):
        espalier.read_model(learner.train(rows))
    rng = np.random.default_rng(0)
    names = rng.choice([f"city {number}" for number in range(90)], 3_000)
    learner = ydf.CartLearner(label="y", min_vocab_frequency=1)
    with pytest.raises(Refusal, match="64"):
        espalier.read_model(learner.train({"city": names, "y": rng.choice(["no", "yes"], 3_000)}))
