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


@pytest.fixture
def xgboost() -> Any:
    return pytest.importorskip("xgboost", reason="xgboost is not installed")


@pytest.fixture
def lightgbm() -> Any:
    return pytest.importorskip("lightgbm", reason="lightgbm is not installed")


@pytest.fixture
def catboost() -> Any:
    return pytest.importorskip("catboost", reason="catboost is not installed")


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


XGBOOST: Any = {
    "two classes": ("XGBClassifier", {}, TWO), "three classes": ("XGBClassifier", {}, Y),
    "numbers": ("XGBRegressor", {}, NUMBER), "counts": ("XGBRegressor", {"objective": "count:poisson"}, NUMBER),
    "dropout": ("XGBClassifier", {"booster": "dart", "rate_drop": 0.3}, Y),
    "several trees a round": ("XGBClassifier", {"num_parallel_tree": 2, "base_score": 0.3}, TWO),
}  # fmt: skip


@pytest.mark.parametrize("name", XGBOOST)
def test_xgboost_says_the_same(name, xgboost):
    kind, settings, y = XGBOOST[name]
    theirs = getattr(xgboost, kind)(n_estimators=4, max_depth=4, n_jobs=1, **settings).fit(GAPS, y)
    ours = same(theirs)
    binary = espalier.read_model(bytes(theirs.get_booster().save_raw("ubj")))
    rows = rows_for(ours)
    np.testing.assert_allclose(binary.decision_function(rows), ours.decision_function(rows), rtol=1e-6, atol=1e-6)


def test_categories_of_xgboost(xgboost):
    settings = {"enable_categorical": True, "feature_types": ["q", "q", "q", "c", "q"], "max_cat_to_onehot": 3}
    theirs = xgboost.XGBClassifier(n_estimators=4, n_jobs=1, **settings).fit(X, Y)
    ours = same(theirs, codes={3: 7})
    assert ours.features_[3].kind == "category"


def test_rounds_after_the_best_one_are_left_out_as_xgboosts_classifier_does(xgboost):
    theirs = xgboost.XGBClassifier(n_estimators=60, early_stopping_rounds=2, n_jobs=1)
    theirs.fit(X[:250], TWO[:250], eval_set=[(X[250:], TWO[250:])], verbose=0)
    ours = same(theirs)
    assert ours.forest_.n_trees == theirs.best_iteration + 1
    assert "are not used" in str(ours.unused_[0])


LIGHTGBM: Any = {
    "two classes": ("LGBMClassifier", {"sigmoid": 2.0}, TWO), "three classes": ("LGBMClassifier", {}, Y),
    "numbers": ("LGBMRegressor", {}, NUMBER), "counts": ("LGBMRegressor", {"objective": "poisson"}, NUMBER),
    "zeros as missing": ("LGBMClassifier", {"zero_as_missing": True}, Y),
    "nothing as missing": ("LGBMRegressor", {"use_missing": False}, NUMBER),
    "a forest": ("LGBMClassifier", {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}, TWO),
    # what it is told beside its trees: the share of a class alone shows whether it was read
    "dropout": ("LGBMClassifier", {"boosting_type": "dart", "drop_rate": 0.5}, TWO),
    "weights of classes": ("LGBMClassifier", {"class_weight": "balanced"}, TWO),
    "a weight of one class": ("LGBMClassifier", {"scale_pos_weight": 3}, TWO),
    "two unequal classes": ("LGBMClassifier", {"is_unbalance": True}, TWO),
    "directions": ("LGBMClassifier", {"monotone_constraints": [1, 0, 0, 0, 0]}, TWO),
    "one side": ("LGBMClassifier", {"boosting_type": "goss"}, TWO),
}  # fmt: skip


@pytest.mark.parametrize("name", LIGHTGBM)
def test_lightgbm_says_the_same(name, lightgbm):
    kind, settings, y = LIGHTGBM[name]
    theirs = getattr(lightgbm, kind)(n_estimators=5, verbose=-1, n_jobs=1, num_leaves=12, **settings).fit(GAPS, y)
    same(theirs)


def test_the_log_odds_of_a_forest_of_lightgbm_are_a_mean_also_when_it_is_read_apart(lightgbm):
    forest = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}
    for settings, is_mean in ((forest, True), ({}, False)):
        theirs = lightgbm.LGBMClassifier(n_estimators=2, verbose=-1, n_jobs=1, **settings).fit(GAPS, TWO)
        ours = read_apart(theirs.booster_.model_to_string().encode())
        assert ours.facts.averages is is_mean


def test_categories_of_lightgbm(lightgbm):
    theirs = lightgbm.LGBMClassifier(n_estimators=4, verbose=-1, n_jobs=1, min_data_per_group=5, cat_smooth=1)
    theirs.fit(GAPS, Y, categorical_feature=[3])
    same(theirs, codes={3: 7})


CATBOOST: Any = {
    "two classes": ("CatBoostClassifier", {}, TWO), "three classes": ("CatBoostClassifier", {}, Y),
    "numbers, missing last": ("CatBoostRegressor", {"nan_mode": "Max"}, NUMBER),
    "trees of any shape": ("CatBoostRegressor", {"grow_policy": "Lossguide"}, NUMBER),
}  # fmt: skip


@pytest.mark.parametrize("name", CATBOOST)
def test_catboost_says_the_same(name, catboost):
    kind, settings, y = CATBOOST[name]
    quiet = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
    theirs = getattr(catboost, kind)(iterations=4, depth=3, **quiet, **settings).fit(GAPS, y)
    same(theirs)


def test_categories_that_catboost_counts_are_refused(catboost):
    rows = [[str(code), number] for code, number in zip(X[:, 3].astype(int), X[:, 0], strict=True)]
    quiet = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
    theirs = catboost.CatBoostClassifier(iterations=2, **quiet).fit(rows, TWO, cat_features=[0])
    with pytest.raises(Refusal, match="numbers of its own"):
        espalier.read_model(theirs)


def test_labels_of_a_fitted_classifier_are_its_own_and_a_text_of_lightgbm_says_that_it_has_none(lightgbm):
    for labels in (["no", "yes"], [2, 1], [3.0, -1.0], [True, False]):
        y = np.array(labels)[TWO]
        theirs = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1).fit(X, y)
        ours: Any = espalier.read_model(theirs)
        assert (ours.predict(X) == theirs.predict(X)).all()
        assert not ours.unused_
        from_text: Any = espalier.read_model(theirs.booster_.model_to_string().encode())
        assert "no labels" in str(from_text.unused_[0])
        assert from_text.classes_.tolist() == [0, 1]


def test_labels_of_catboost_stand_in_its_file(catboost):
    for labels in (["no", "yes"], [2, 1], [0.5, -1.0], [True, False]):
        y = np.array(labels)[TWO]
        theirs = catboost.CatBoostClassifier(iterations=3, verbose=0, allow_writing_files=False).fit(X, y)
        ours: Any = espalier.read_model(theirs)
        assert (ours.predict(X).astype(str) == np.ravel(theirs.predict(X)).astype(str)).all()


def test_a_classifier_that_decides_by_another_share_than_the_greatest_is_refused(catboost):
    theirs = catboost.CatBoostClassifier(iterations=3, verbose=0, allow_writing_files=False).fit(X, TWO)
    theirs.set_probability_threshold(0.9)
    with pytest.raises(Refusal, match=r"from a share of 0\.9 on"):
        espalier.read_model(theirs)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set'")
def test_lightgbm_predicts_by_its_best_round(lightgbm):
    theirs = lightgbm.LGBMClassifier(n_estimators=60, learning_rate=0.5, verbose=-1, n_jobs=1)
    stops = [lightgbm.early_stopping(2, verbose=False)]
    theirs.fit(X[:250], TWO[:250], eval_set=[(X[250:], TWO[250:])], callbacks=stops)
    ours = same(theirs)
    assert ours.forest_.n_trees == theirs.best_iteration_ < 60


LIGHTGBM_REFUSED: Any = {
    "linear leaves": ("LGBMRegressor", {"linear_tree": True}, NUMBER, "linear formulas"),
    "roots": ("LGBMRegressor", {"reg_sqrt": True}, NUMBER, "sqrt"),
    "one class against the rest": ("LGBMClassifier", {"objective": "multiclassova"}, Y, "multiclassova"),
    "an early end of sums": ("LGBMClassifier", {"pred_early_stop": True}, TWO, "pred_early_stop"),
}


@pytest.mark.parametrize("name", LIGHTGBM_REFUSED)
def test_what_no_forest_here_decides_as_lightgbm_does_is_refused(name, lightgbm):
    kind, settings, y, why = LIGHTGBM_REFUSED[name]
    theirs = getattr(lightgbm, kind)(n_estimators=3, verbose=-1, n_jobs=1, **settings).fit(X, y)
    with pytest.raises(Refusal, match=why):
        espalier.read_model(theirs)


XGBOOST_REFUSED: Any = {
    "raw scores as classes": ({"objective": "binary:logitraw"}, TWO, "logitraw"),
    "hinges": ({"objective": "binary:hinge"}, TWO, "hinge"),
    "leaves of several numbers": ({"multi_strategy": "multi_output_tree"}, Y, "several numbers"),
}


@pytest.mark.parametrize("name", XGBOOST_REFUSED)
def test_what_no_forest_here_decides_as_xgboost_does_is_refused(name, xgboost):
    settings, y, why = XGBOOST_REFUSED[name]
    theirs = xgboost.XGBClassifier(n_estimators=3, n_jobs=1, **settings).fit(X, y)
    with pytest.raises(Refusal, match=why):
        espalier.read_model(theirs)
