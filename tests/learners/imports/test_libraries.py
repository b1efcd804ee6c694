"""Models of other libraries, fitted here, say the same as forests of ours: at thresholds, with gaps, by names."""

import importlib.util
import inspect
import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble, tree
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import FixedThresholdClassifier

import espalier
from espalier.data import samples
from espalier.language import Refusal
from espalier.learners import ApproximationClassifier
from espalier.learners.imports import read_file
from espalier.learners.imports.categories import category_name
from espalier.learners.imports.model import settle_columns
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


@pytest.mark.filterwarnings("ignore:.*booster=dart:UserWarning")
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


LABELS = np.array(["a", "b", "c"])[Y]
SHALLOW = tree.DecisionTreeClassifier(max_depth=2)
WITH_GAPS = {
    "tree": tree.DecisionTreeClassifier(max_depth=6).fit(GAPS, LABELS),
    "tree grown best first": tree.DecisionTreeRegressor(max_leaf_nodes=20).fit(GAPS, NUMBER),
    "random forest": ensemble.RandomForestClassifier(5, random_state=0).fit(GAPS, LABELS),
    "extra trees": ensemble.ExtraTreesRegressor(5, random_state=0).fit(GAPS, NUMBER),
    "histograms, two classes": ensemble.HistGradientBoostingClassifier(max_iter=5).fit(GAPS, TWO),
    "histograms, three classes": ensemble.HistGradientBoostingClassifier(max_iter=3).fit(GAPS, LABELS),
    "histograms, counts": ensemble.HistGradientBoostingRegressor(loss="poisson", max_iter=5).fit(GAPS, NUMBER),
}
EXPONENTIAL = ensemble.GradientBoostingClassifier(loss="exponential", n_estimators=5)
SHARE: Any = 0.1
WITHOUT = {
    "boosting": ensemble.GradientBoostingClassifier(n_estimators=5).fit(X, TWO),
    "boosting by exponential loss": EXPONENTIAL.fit(X, TWO),
    "boosting of three classes": ensemble.GradientBoostingClassifier(n_estimators=3).fit(X, LABELS),
    "boosting from zero": ensemble.GradientBoostingRegressor(init="zero", n_estimators=5).fit(X, NUMBER),
    "AdaBoost": ensemble.AdaBoostClassifier(SHALLOW, n_estimators=5).fit(X, TWO),
    "AdaBoost of three classes": ensemble.AdaBoostClassifier(SHALLOW, n_estimators=5).fit(X, LABELS),
    "bagging of some columns": ensemble.BaggingClassifier(max_features=3, n_estimators=5).fit(X, LABELS),
    "bagging of numbers": ensemble.BaggingRegressor(max_features=2, n_estimators=5).fit(X, NUMBER),
}  # fmt: skip
ASKED = ("predict_proba", "decision_function", "score_samples", "predict")


class Reversed(ensemble.RandomForestClassifier):
    """A forest that says the first row's class of the last."""

    def predict(self, X):
        """Return the classes from the last row to the first."""
        return super().predict(X)[::-1]


@pytest.mark.parametrize("name", [*WITH_GAPS, *WITHOUT])
def test_the_forest_says_what_the_model_says(name):
    theirs = (WITH_GAPS | WITHOUT)[name]
    ours: Any = espalier.read_model(theirs)
    rows = rows_for(ours, missing=name in WITH_GAPS)
    for method in (method for method in ASKED if hasattr(theirs, method)):
        expected, said = getattr(theirs, method)(rows), getattr(ours, method)(rows)
        if expected.dtype.kind == "U":
            assert (expected == said).all()
        else:
            np.testing.assert_allclose(said, expected, rtol=1e-9, atol=1e-9)


def test_categories_go_where_histogram_boosting_sends_them_unknown_ones_too():
    columns: Any = [3]
    theirs = ensemble.HistGradientBoostingClassifier(categorical_features=columns, max_iter=5).fit(GAPS, LABELS)
    ours: Any = espalier.read_model(theirs)
    rows = rows_for(ours, codes={3: 9})  # 7 and 8 were not there
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-12)


def test_a_table_comes_by_the_names_of_its_columns_and_with_categories_as_text():
    frame = pd.DataFrame({"size": X[:, 0], "kind": pd.Categorical(np.array(list("xyzuvwq"))[X[:, 3].astype(int)])})
    theirs = ensemble.HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=5).fit(frame, TWO)
    ours: Any = espalier.read_model(theirs)
    turned = frame[["kind", "size"]]
    np.testing.assert_allclose(ours.predict_proba(turned), theirs.predict_proba(frame), atol=1e-12)
    assert ours.features_[1].categories == tuple("quvwxyz")
    with pytest.raises(Refusal, match="lacks columns"):
        ours.predict(frame[["size"]])


def test_counts_and_impurities_of_a_tree_are_those_of_the_library():
    theirs = tree.DecisionTreeClassifier(max_depth=4).fit(X, Y)
    ours = espalier.read_model(theirs).forest_.trees[0]
    assert (ours.n_samples == theirs.tree_.n_node_samples).all()
    assert (ours.impurity == theirs.tree_.impurity).all()


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (ensemble.AdaBoostRegressor(n_estimators=2).fit(X, NUMBER), "median"),
        (ensemble.BaggingClassifier(ensemble.RandomForestClassifier(2), 2).fit(X, Y), "must be a decision tree"),
        (tree.DecisionTreeRegressor(max_depth=1).fit(X, np.c_[NUMBER, NUMBER]), "several numbers"),
        (ensemble.RandomForestClassifier(), "not fitted"),
        (object(), "no trees can be read"),
        (Reversed(2).fit(X, Y), "method predict of its own"),
        (FixedThresholdClassifier(SHALLOW, threshold=SHARE).fit(X, TWO), "no trees can be read"),
    ],
    ids=["median", "forests", "targets", "unfitted", "object", "own answer", "own threshold"],
)
def test_what_a_forest_cannot_be_is_refused_with_the_reason(model, why):
    with pytest.raises(Refusal, match=why):
        espalier.read_model(model)


def test_the_tree_that_stands_in_for_a_forest_is_the_same_whoever_holds_the_forest():
    iris = samples.load("iris")
    theirs = ensemble.RandomForestClassifier(10, random_state=0).fit(iris.X, iris.y)
    trees = []
    for model in (theirs, espalier.read_model(theirs)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grown = ApproximationClassifier(model, max_depth=2, max_samples=5_000, random_state=0).fit(iris.X)
        trees.append(grown.tree_)
    assert trees[0].feature.tolist() == trees[1].feature.tolist()
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)


def test_the_softmax_of_adaboost_is_no_mean_of_its_trees():
    """So the fast way into a forest is not taken for it: the tree stands in for the shares that it says."""
    ours = espalier.read_model(WITHOUT["AdaBoost"])
    with pytest.raises(ValueError, match="exact"):
        ApproximationClassifier(ours, method="exact", max_depth=2).fit(X)


N = 600
NEAR = 2e-6  # of sums in float32


def frame(seed=0):
    """Columns of words out of the alphabet's order, of numbers as categories, and one in an order, with gaps."""
    rng = np.random.default_rng(seed)
    levels = {
        "word": ["stone", "unused", "iron", "wood", "plain"],
        "zip": [30, 10, 5, 20],
        "size": ["S", "M", "XL"],
    }
    taken = {"word": ["stone", "iron", "wood", "plain"], "zip": levels["zip"], "size": ["S", "XL"]}
    columns: dict[str, Any] = {
        name: pd.Categorical(rng.choice(taken[name], N), categories=known, ordered=name == "size")
        for name, known in levels.items()
    }
    X = pd.DataFrame(columns | {"x": rng.normal(size=N), "flag": rng.integers(0, 2, N)})
    odd = X["word"].isin(["stone", "iron"]) ^ X["zip"].isin([30, 20]) ^ (X["size"] == "S") ^ (X["x"] > 1)
    for name in levels:
        X.loc[rng.random(N) < 0.05, name] = None
    return X, odd.to_numpy().astype(int)


def as_category(X, name, values, levels):
    """The table with other values in a column of categories."""
    kind = pd.CategoricalDtype(levels, ordered=X[name].cat.ordered)
    return X.assign(**{name: pd.Series(values, dtype=object).astype(kind)})


def tables(X):
    """The table itself, one without a level, one with its levels in another order, one with a level never seen."""
    word = X["word"].astype(object)
    known, clay = ["stone", "wood", "plain"], word.where(word != "iron", "clay")
    return {
        "itself": X, "first rows": X.head(3),
        "a level is not there": as_category(X, "word", word.where(word != "iron", "wood"), known),
        "another order": as_category(X, "word", word, ["plain", "iron", "stone", "wood"]),
        "a level that was never seen": as_category(X, "word", clay, ["clay", *known]),
        "numbers in another order": as_category(X, "zip", X["zip"].astype(object), [5, 10, 20, 30]),
    }  # fmt: skip


def as_words(X):
    """The table as it comes from a file: words and numbers, no categories."""
    return X.assign(word=X["word"].astype(object), size=X["size"].astype(object), zip=X["zip"].astype(float))


def model_of(library, X, y, **options):
    if library == "scikit-learn":
        return HistGradientBoostingClassifier(max_iter=10, categorical_features="from_dtype").fit(X, y)
    module: Any = pytest.importorskip(library, reason=f"{library} is not installed")
    if library == "xgboost":
        if tuple(map(int, module.__version__.split(".")[:2])) < (3, 1):
            pytest.skip("this version keeps no names of categories")
        return module.XGBClassifier(n_estimators=10, max_depth=4, enable_categorical=True, n_jobs=1).fit(X, y)
    settings: Any = {"min_data_per_group": 5, "cat_smooth": 1, "n_jobs": 1, "verbose": -1}
    return module.LGBMClassifier(n_estimators=10, **settings).fit(X, y, **options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", ["word", "size", "zip", "constant"])
@pytest.mark.parametrize("library", ["xgboost", "lightgbm", "scikit-learn"])
def test_a_table_is_answered_by_the_names_of_its_categories_as_the_library_does(library, first):
    X, y = frame()
    if first == "constant":
        X.insert(0, "constant", pd.Categorical(["same"] * N))
    else:
        X.insert(0, first, X.pop(first))
    theirs = model_of(library, X, y)
    ours: Any = espalier.read_model(theirs)
    every = tables(X)
    if library == "xgboost":
        with pytest.raises(Refusal, match="not fitted to"):
            ours.predict(every.pop("a level that was never seen"))
    for name, rows in every.items():
        expected = theirs.predict_proba(rows)
        np.testing.assert_allclose(ours.predict_proba(rows), expected, atol=NEAR, err_msg=name)
        np.testing.assert_allclose(ours.predict_proba(as_words(rows)), expected, atol=NEAR, err_msg=name)


def test_categories_that_are_numbers_keep_their_numbers_also_in_an_array():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.choice([300.0, 10.0, 20.0, 0.5], N), rng.normal(size=N)])
    y = (np.isin(X[:, 0], [10, 300]) ^ (X[:, 1] > 1)).astype(int)
    columns: Any = [0]
    theirs = HistGradientBoostingClassifier(max_iter=5, categorical_features=columns).fit(X, y)
    ours: Any = espalier.read_model(theirs)
    rows = X.copy()
    rows[:50, 0] = np.repeat([7.0, np.nan], 25)
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-12)


def test_a_text_of_a_category_does_not_depend_on_its_type():
    assert {category_name(value) for value in (10, 10.0, np.int8(10), np.float32(10))} == {"10"}
    assert [category_name(value) for value in (0.1, "10.0", True, np.True_)] == ["0.1", "10.0", "True", "True"]


def test_codes_of_xgboost_without_names_are_refused_for_words_and_taken_from_an_array():
    X, y = frame()
    xgboost: Any = pytest.importorskip("xgboost", reason="xgboost is not installed")
    codes = X.assign(**{name: X[name].cat.codes.replace(-1, np.nan) for name in ("word", "zip", "size")})
    kinds = ["c", "c", "c", "q", "q"]
    array = codes.to_numpy(float)
    theirs = xgboost.XGBClassifier(n_estimators=5, enable_categorical=True, feature_types=kinds).fit(array, y)
    ours: Any = espalier.read_model(theirs)
    np.testing.assert_allclose(ours.predict_proba(array), theirs.predict_proba(array), atol=NEAR)
    for rows in (X, codes):
        with pytest.raises(Refusal, match="which number stands for which"):
            ours.predict(rows.set_axis(ours.features_, axis=1))
    with pytest.raises(Refusal, match="the codes 0 to 63"):
        ours.predict(np.where(array == 3, 70, array))


@pytest.mark.parametrize("form", ["json", "ubj"])
def test_both_forms_of_xgboosts_file_have_the_names(form):
    X, y = frame()
    theirs = model_of("xgboost", X, y)
    ours: Any = read_file(bytes(theirs.get_booster().save_raw(form)))
    assert [feature.categories for feature in ours.features_[:3]] == [
        tuple(map(str, X[name].cat.categories)) for name in ("word", "zip", "size")
    ]
    document = json.loads(bytes(theirs.get_booster().save_raw("json")))
    del document["learner"]["gradient_booster"]["model"]["cats"]
    with pytest.raises(Refusal, match="which number stands for which"):
        read_file(json.dumps(document).encode()).predict(X)


def test_names_that_xgboost_cuts_off_in_its_file_are_refused():
    X, y = frame()
    X["word"] = X["word"].cat.rename_categories({"stone": "größe"})
    with pytest.raises(Refusal, match="names in ASCII"):
        espalier.read_model(model_of("xgboost", X, y)).predict(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("listed", ["auto", ["zip", "word"], ["zip"]])
def test_a_list_of_lightgbm_belongs_to_the_column_that_has_its_words(listed):
    X, y = frame()
    X["zip"] = X["zip"].astype(float).fillna(5).astype(int)
    X = X[["flag", "size", "zip", "word", "x"]]
    theirs = model_of("lightgbm", X, y, categorical_feature=listed)
    words = X.assign(word=X["word"].astype(object), size=X["size"].astype(object))
    for ours in (espalier.read_model(theirs), read_apart(theirs.booster_.model_to_string().encode())):
        model: Any = ours
        np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
        np.testing.assert_allclose(model.predict_proba(words), theirs.predict_proba(X), atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_thresholds_on_the_codes_of_an_ordered_column_become_sets_of_its_categories():
    X, y = frame()
    X = X[["flag", "size", "word", "x"]]
    theirs = model_of("lightgbm", X, y)
    open_one: Any = espalier.read_model(theirs)
    known: Any = settle_columns(open_one, [None, ["S", "XL"], ["wood", "stone"], None])
    assert [feature.categories for feature in known.features_] == [
        (), ("S", "M", "XL"), ("stone", "unused", "iron", "wood", "plain"), ()
    ]  # fmt: skip
    trees = known.forest_.trees
    assert any((tree.feature == 1).any() for tree in trees)
    assert all(np.isnan(tree.threshold[tree.feature == 1]).all() for tree in trees)
    np.testing.assert_allclose(known.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_where_neither_the_file_nor_the_table_says_whose_a_list_is_the_column_is_named():
    X, _ = frame()
    X = X.assign(zip=pd.Categorical(X["flag"] * 2, ordered=True), word=np.arange(N) % 2)[["zip", "word", "x"]]
    y = (pd.Series(X["zip"]).cat.codes ^ (X["x"] > 0)).to_numpy()
    ours = espalier.read_model(model_of("lightgbm", X, y, categorical_feature=["word"]))
    assert ours.facts.lists is not None
    with pytest.raises(Refusal, match=r"belongs to the column (zip|word)"):
        settle_columns(ours, [None, None, None])


@pytest.mark.filterwarnings("ignore")
def test_a_file_of_lightgbm_that_lost_its_lists_refuses_words():
    X, y = frame()
    text = model_of("lightgbm", X, y).booster_.model_to_string().partition("\npandas_categorical")[0]
    with pytest.raises(Refusal, match="which number stands for which"):
        read_file(text.encode()).predict(X)


@pytest.mark.filterwarnings("ignore")
def test_columns_whose_names_have_blanks_or_are_numbers_are_those_of_the_table():
    X, y = frame()
    blanks: Any = ["a word", "a zip", "size", "x\ty", "flag"]
    for library, names in (("lightgbm", blanks), ("xgboost", blanks), ("xgboost", [3, 1, 0, 2, 4])):
        rows = X.set_axis(names, axis=1)
        theirs = model_of(library, rows, y)
        ours: Any = espalier.read_model(theirs)
        turned = rows.iloc[:, ::-1]
        np.testing.assert_allclose(ours.predict_proba(turned), theirs.predict_proba(rows), atol=NEAR)


def test_words_meet_no_column_of_numbers_and_numbers_no_column_of_words():
    X, y = frame()
    ours = espalier.read_model(model_of("scikit-learn", X, y))
    with pytest.raises(Refusal, match="x holds text"):
        ours.predict(X.assign(x="a"))
    with pytest.raises(Refusal, match="word holds -1"):
        ours.predict(X.assign(word=X["word"].cat.codes))
