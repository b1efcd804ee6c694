"""Models of XGBoost, LightGBM and CatBoost, fitted here, say the same as forests of ours."""

import importlib.util
import inspect
from typing import Any

import numpy as np
import pytest

import espalier
from espalier.language import Refusal
from espalier.learners.imports.read import read_apart
from tests.learners.imports.at_thresholds import rows_for, table

X, GAPS, Y, NUMBER = table()
TWO = (Y > 0).astype(int)
# of LightGBM up to 4.6 beside newer versions of scikit-learn
pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")
RAW: Any = {  # by the package: how it is asked for raw scores, and how exact they are
    "xgboost": ({"output_margin": True}, 2e-5),  # sums in float32
    "lightgbm": ({"raw_score": True}, 1e-9), "catboost": ({"prediction_type": "RawFormulaVal"}, 1e-9),
}  # fmt: skip
SMALL: Any = {
    "xgboost": {"n_estimators": 4, "max_depth": 4, "n_jobs": 1},
    "lightgbm": {"n_estimators": 5, "num_leaves": 12, "n_jobs": 1, "verbose": -1},
    "catboost": {"iterations": 4, "depth": 3, "thread_count": 1, "verbose": 0, "allow_writing_files": False},
}


def installed(library) -> Any:
    return pytest.importorskip(library, reason=f"{library} is not installed")


def fitted(library, kind, X, y, **settings):
    """A small and quiet model."""
    return getattr(installed(library), kind)(**SMALL[library] | settings).fit(X, y)


@pytest.fixture(autouse=True)
def old_argument(monkeypatch):
    """LightGBM 4.5 calls checks of scikit-learn with an argument that now has another name."""
    if importlib.util.find_spec("lightgbm") is None:
        return
    module = importlib.import_module("lightgbm.sklearn")
    for name in ("_LGBMCheckXY", "_LGBMCheckArray"):
        check = getattr(module, name, None)
        if check is not None and "ensure_all_finite" in inspect.signature(check).parameters:
            monkeypatch.setattr(module, name, with_new_name(check))


def with_new_name(check):
    def called(*args, **rest):
        new = {"ensure_all_finite" if name == "force_all_finite" else name: value for name, value in rest.items()}
        return check(*args, **new)

    return called


def same(theirs, **rows):
    """Read a model, compare its shares or numbers, and raw scores where the forest is a sum."""
    raw, tolerance = RAW[type(theirs).__module__.partition(".")[0]]
    ours: Any = espalier.read_model(theirs)
    X = rows_for(ours, **rows)
    ask = "predict_proba" if hasattr(theirs, "predict_proba") else "predict"
    np.testing.assert_allclose(getattr(ours, ask)(X), getattr(theirs, ask)(X), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(ours.decision_function(X), theirs.predict(X, **raw), rtol=tolerance, atol=tolerance)
    return ours


FOREST = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}  # of LightGBM
MODELS: Any = [
    ("xgboost", "XGBClassifier", {}, TWO), ("xgboost", "XGBClassifier", {}, Y),
    ("xgboost", "XGBRegressor", {}, NUMBER), ("xgboost", "XGBRegressor", {"objective": "count:poisson"}, NUMBER),
    ("xgboost", "XGBClassifier", {"booster": "dart", "rate_drop": 0.3}, Y),
    ("xgboost", "XGBClassifier", {"num_parallel_tree": 2, "base_score": 0.3}, TWO),
    ("lightgbm", "LGBMClassifier", {"sigmoid": 2.0}, TWO), ("lightgbm", "LGBMClassifier", {}, Y),
    ("lightgbm", "LGBMRegressor", {}, NUMBER), ("lightgbm", "LGBMRegressor", {"objective": "poisson"}, NUMBER),
    ("lightgbm", "LGBMClassifier", {"zero_as_missing": True}, Y),
    ("lightgbm", "LGBMRegressor", {"use_missing": False}, NUMBER), ("lightgbm", "LGBMClassifier", FOREST, TWO),
    # what it is told beside its trees: the share of a class alone shows whether it was read
    ("lightgbm", "LGBMClassifier", {"boosting_type": "dart", "drop_rate": 0.5}, TWO),
    ("lightgbm", "LGBMClassifier", {"class_weight": "balanced"}, TWO),
    ("lightgbm", "LGBMClassifier", {"scale_pos_weight": 3}, TWO),
    ("lightgbm", "LGBMClassifier", {"is_unbalance": True}, TWO),
    ("lightgbm", "LGBMClassifier", {"monotone_constraints": [1, 0, 0, 0, 0]}, TWO),
    ("lightgbm", "LGBMClassifier", {"boosting_type": "goss"}, TWO),
    ("catboost", "CatBoostClassifier", {}, TWO), ("catboost", "CatBoostClassifier", {}, Y),
    ("catboost", "CatBoostRegressor", {"nan_mode": "Max"}, NUMBER),
    ("catboost", "CatBoostRegressor", {"grow_policy": "Lossguide"}, NUMBER),
]  # fmt: skip


@pytest.mark.parametrize(("library", "kind", "settings", "y"), MODELS)
def test_a_model_of_another_library_says_the_same(library, kind, settings, y):
    theirs = fitted(library, kind, GAPS, y, **settings)
    ours = same(theirs)
    if library == "xgboost":
        binary, rows = espalier.read_model(bytes(theirs.get_booster().save_raw("ubj"))), rows_for(ours)
        said = binary.decision_function(rows)
        np.testing.assert_allclose(said, ours.decision_function(rows), rtol=1e-6, atol=1e-6)


def test_categories_of_xgboost():
    settings = {"enable_categorical": True, "feature_types": ["q", "q", "q", "c", "q"], "max_cat_to_onehot": 3}
    theirs = fitted("xgboost", "XGBClassifier", X, Y, **settings)
    ours = same(theirs, codes={3: 7})
    assert ours.features_[3].kind == "category"


def test_rounds_after_the_best_one_are_left_out_as_xgboosts_classifier_does():
    theirs = installed("xgboost").XGBClassifier(n_estimators=60, early_stopping_rounds=2, n_jobs=1)
    theirs.fit(X[:250], TWO[:250], eval_set=[(X[250:], TWO[250:])], verbose=0)
    ours = same(theirs)
    assert ours.forest_.n_trees == theirs.best_iteration + 1
    assert "are not used" in str(ours.unused_[0])


def test_the_log_odds_of_a_forest_of_lightgbm_are_a_mean_also_when_it_is_read_apart():
    for settings, is_mean in ((FOREST, True), ({}, False)):
        theirs = fitted("lightgbm", "LGBMClassifier", GAPS, TWO, **settings)
        ours = read_apart(theirs.booster_.model_to_string().encode())
        assert ours.facts.averages is is_mean


def test_categories_of_lightgbm():
    theirs = installed("lightgbm").LGBMClassifier(
        n_estimators=4, verbose=-1, n_jobs=1, min_data_per_group=5, cat_smooth=1
    )
    theirs.fit(GAPS, Y, categorical_feature=[3])
    same(theirs, codes={3: 7})


def test_categories_that_catboost_counts_are_refused():
    rows = [[str(code), number] for code, number in zip(X[:, 3].astype(int), X[:, 0], strict=True)]
    theirs = installed("catboost").CatBoostClassifier(**SMALL["catboost"]).fit(rows, TWO, cat_features=[0])
    with pytest.raises(Refusal, match="numbers of its own"):
        espalier.read_model(theirs)


@pytest.mark.parametrize(("library", "kind"), [("lightgbm", "LGBMClassifier"), ("catboost", "CatBoostClassifier")])
def test_labels_of_a_fitted_classifier_are_its_own_and_a_text_of_lightgbm_says_that_it_has_none(library, kind):
    numbers = [0.5 if library == "catboost" else 3.0, -1.0]  # LightGBM takes none with fractions for classes
    for labels in (["no", "yes"], [2, 1], numbers, [True, False]):
        theirs = fitted(library, kind, X, np.array(labels)[TWO])
        ours: Any = espalier.read_model(theirs)
        assert (ours.predict(X).astype(str) == np.ravel(theirs.predict(X)).astype(str)).all()
        assert not ours.unused_
        if library == "lightgbm":
            from_text: Any = espalier.read_model(theirs.booster_.model_to_string().encode())
            assert "no labels" in str(from_text.unused_[0])
            assert from_text.classes_.tolist() == [0, 1]


def test_a_classifier_that_decides_by_another_share_than_the_greatest_is_refused():
    theirs = fitted("catboost", "CatBoostClassifier", X, TWO)
    theirs.set_probability_threshold(0.9)
    with pytest.raises(Refusal, match=r"from a share of 0\.9 on"):
        espalier.read_model(theirs)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set'")
def test_lightgbm_predicts_by_its_best_round():
    lightgbm = installed("lightgbm")
    theirs = lightgbm.LGBMClassifier(n_estimators=60, learning_rate=0.5, verbose=-1, n_jobs=1)
    stops = [lightgbm.early_stopping(2, verbose=False)]
    theirs.fit(X[:250], TWO[:250], eval_set=[(X[250:], TWO[250:])], callbacks=stops)
    ours = same(theirs)
    assert ours.forest_.n_trees == theirs.best_iteration_ < 60


REFUSED: Any = [
    ("lightgbm", "LGBMRegressor", {"linear_tree": True}, NUMBER, "linear formulas"),
    ("lightgbm", "LGBMRegressor", {"reg_sqrt": True}, NUMBER, "sqrt"),
    ("lightgbm", "LGBMClassifier", {"objective": "multiclassova"}, Y, "multiclassova"),
    ("lightgbm", "LGBMClassifier", {"pred_early_stop": True}, TWO, "pred_early_stop"),
    ("xgboost", "XGBClassifier", {"objective": "binary:logitraw"}, TWO, "logitraw"),
    ("xgboost", "XGBClassifier", {"objective": "binary:hinge"}, TWO, "hinge"),
    ("xgboost", "XGBClassifier", {"multi_strategy": "multi_output_tree"}, Y, "several numbers"),
]


@pytest.mark.parametrize(("library", "kind", "settings", "y", "why"), REFUSED)
def test_what_no_forest_here_decides_as_its_library_does_is_refused(library, kind, settings, y, why):
    theirs = fitted(library, kind, X, y, **settings)
    with pytest.raises(Refusal, match=why):
        espalier.read_model(theirs)
