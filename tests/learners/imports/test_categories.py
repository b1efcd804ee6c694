"""Categories mean in a forest of ours what they mean in their library, or the forest refuses them."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

import espalier
from espalier.language import Refusal
from espalier.learners.imports import read_file
from espalier.learners.imports.categories import category_name
from espalier.learners.imports.model import settle_columns
from espalier.learners.imports.read import read_apart

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


def fitted(library, X, y, **options):
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
    theirs = fitted(library, X, y)
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
    for table in (X, codes):
        with pytest.raises(Refusal, match="which number stands for which"):
            ours.predict(table.set_axis(ours.features_, axis=1))
    with pytest.raises(Refusal, match="the codes 0 to 63"):
        ours.predict(np.where(array == 3, 70, array))


@pytest.mark.parametrize("form", ["json", "ubj"])
def test_both_forms_of_xgboosts_file_have_the_names(form):
    X, y = frame()
    theirs = fitted("xgboost", X, y)
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
        espalier.read_model(fitted("xgboost", X, y)).predict(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("listed", ["auto", ["zip", "word"], ["zip"]])
def test_a_list_of_lightgbm_belongs_to_the_column_that_has_its_words(listed):
    X, y = frame()
    X["zip"] = X["zip"].astype(float).fillna(5).astype(int)
    X = X[["flag", "size", "zip", "word", "x"]]
    theirs = fitted("lightgbm", X, y, categorical_feature=listed)
    words = X.assign(word=X["word"].astype(object), size=X["size"].astype(object))
    for ours in (espalier.read_model(theirs), read_apart(theirs.booster_.model_to_string().encode())):
        model: Any = ours
        np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
        np.testing.assert_allclose(model.predict_proba(words), theirs.predict_proba(X), atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_thresholds_on_the_codes_of_an_ordered_column_become_sets_of_its_categories():
    X, y = frame()
    X = X[["flag", "size", "word", "x"]]
    theirs = fitted("lightgbm", X, y)
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
    ours = espalier.read_model(fitted("lightgbm", X, y, categorical_feature=["word"]))
    assert ours.facts.lists is not None
    with pytest.raises(Refusal, match=r"belongs to the column (zip|word)"):
        settle_columns(ours, [None, None, None])


@pytest.mark.filterwarnings("ignore")
def test_a_file_of_lightgbm_that_lost_its_lists_refuses_words():
    X, y = frame()
    text = fitted("lightgbm", X, y).booster_.model_to_string().partition("\npandas_categorical")[0]
    with pytest.raises(Refusal, match="which number stands for which"):
        read_file(text.encode()).predict(X)


@pytest.mark.filterwarnings("ignore")
def test_columns_whose_names_have_blanks_or_are_numbers_are_those_of_the_table():
    X, y = frame()
    blanks: Any = ["a word", "a zip", "size", "x\ty", "flag"]
    for library, names in (("lightgbm", blanks), ("xgboost", blanks), ("xgboost", [3, 1, 0, 2, 4])):
        rows = X.set_axis(names, axis=1)
        theirs = fitted(library, rows, y)
        ours: Any = espalier.read_model(theirs)
        turned = rows.iloc[:, ::-1]
        np.testing.assert_allclose(ours.predict_proba(turned), theirs.predict_proba(rows), atol=NEAR)


def test_words_meet_no_column_of_numbers_and_numbers_no_column_of_words():
    X, y = frame()
    ours = espalier.read_model(fitted("scikit-learn", X, y))
    with pytest.raises(Refusal, match="x holds text"):
        ours.predict(X.assign(x="a"))
    with pytest.raises(Refusal, match="word holds -1"):
        ours.predict(X.assign(word=X["word"].cat.codes))
