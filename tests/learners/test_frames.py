"""DataFrames with text, categories and other types in every learner, and columns named wrongly."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from espalier.learners import CartClassifier, CartRegressor, OptimalClassifier, RootForestClassifier
from espalier.learners.description import feature_of
from espalier.learners.frames import PooledCategories, UnknownCategories, frame_of
from tests.tools.every_learner import every, ids, is_classifier

NEW_TYPES = ("Int64", "Float64", "boolean", "string", "int64[pyarrow]", "bool[pyarrow]", "string[pyarrow]")


def people(n: int = 120) -> pd.DataFrame:
    """Every type that a column may have, each with a gap where its type allows one."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "city": rng.choice(["Bonn", "Köln", "Ulm"], n),
            "pet": pd.Series(np.array(["cat", "dog", None])[rng.integers(0, 3, n)], dtype=object),
            "job": pd.Categorical(rng.choice(["nurse", "cook"], n)),
            "size": pd.Categorical(rng.choice(["small", "large"], n), ["small", "large"], ordered=True),
            "member": rng.random(n) < 0.5,
            "age": rng.integers(18, 90, n),
            "income": rng.random(n),
        }
    )
    for dtype in NEW_TYPES:
        values = rng.choice(["x", "y"], n) if dtype.startswith("str") else rng.integers(0, 2, n)
        frame[dtype] = pd.Series(values).astype("bool" if "bool" in dtype else values.dtype).astype(dtype)
        frame.loc[NEW_TYPES.index(dtype), dtype] = pd.NA
    frame.loc[9, ["job", "size"]] = np.nan
    return frame


def class_of(X: pd.DataFrame) -> np.ndarray:
    return np.where((X["city"] == "Köln") ^ (X["job"].astype(object) == "cook"), "yes", "no")


CLASSIFIERS = [one for one in every("Approximation") if is_classifier(one)]
REGRESSORS = [one for one in every("Approximation") if not is_classifier(one)]


@pytest.mark.parametrize("learner", [*CLASSIFIERS, RootForestClassifier(OptimalClassifier(max_depth=2))], ids=ids)
def test_a_table_of_any_types_is_learned_as_its_codes_are(learner: Any):
    X = people()
    y = class_of(X)
    codes: Any = frame_of(X, "from_dtype")
    is_category = codes.is_category
    coded = codes.coded(X).to_numpy()
    if getattr(learner, "estimator", "none of its own") is None:
        learner.set_params(estimator=CartClassifier(max_depth=2))
    by_hand: Any = clone(learner)
    base: Any = by_hand if "categorical_features" in by_hand.get_params(deep=False) else by_hand.estimator
    base.set_params(categorical_features=is_category)
    expected = by_hand.fit(coded, y).predict_proba(coded)
    grown: Any = clone(learner)
    grown.fit(X, y)
    assert grown.predict_proba(X).tolist() == expected.tolist()
    assert pickle.loads(pickle.dumps(grown)).predict(X).tolist() == grown.predict(X).tolist()
    assert grown.is_categorical_.tolist() == is_category.tolist()
    assert grown.feature_names_in_.tolist() == X.columns.tolist()
    for other, words in ((X.iloc[:, ::-1], "same order"), (X.rename(columns={"age": "z"}), "feature names")):
        with pytest.raises(ValueError, match=words):
            grown.predict(other)


@pytest.mark.parametrize("learner", REGRESSORS, ids=ids)
def test_numbers_are_predicted_from_text_and_text_is_no_number(learner):
    X = people()
    y = (X["city"] == "Ulm") * 10.0
    grown: Any = clone(learner)
    assert grown.fit(X, y).score(X, y) > 0.3
    words = f"the target y holds text \\('a'\\), and {type(learner).__name__} predicts numbers"
    for text in (["a", "b"] * 5, np.array(["a", "b"] * 5), pd.Series(["a", "b"] * 5)):
        with pytest.raises(ValueError, match=words):
            grown.fit(np.arange(10.0)[:, None], text)


def test_text_and_categories_are_sets_ordered_categories_numbers_in_their_order_and_truth_values_0_and_1():
    X = people()
    frame: Any = frame_of(X, "from_dtype")
    of = dict(zip(X.columns, zip(frame.is_category, frame.categories, strict=True), strict=True))
    assert [name for name in X if of[name][0]] == ["city", "pet", "job", "string", "string[pyarrow]"]
    assert of["city"][1].tolist() == ["Bonn", "Köln", "Ulm"]
    assert of["size"][1].tolist() == ["small", "large"]
    assert of["age"][1] is None
    whole = ["member", "age", "Int64", "boolean", "int64[pyarrow]", "bool[pyarrow]"]
    assert [one.name for one in map(feature_of, frame.columns) if one.is_whole] == whole
    coded = frame.coded(X)
    assert coded["member"].tolist() == X["member"].astype(float).tolist()
    assert coded["size"][:3].tolist() == [["small", "large"].index(size) for size in X["size"][:3]]
    assert np.isnan(coded.to_numpy()).tolist() == X.isna().to_numpy().tolist()


def test_codes_become_the_same_table_again_with_its_types_and_gaps_and_other_numbers_stay():
    X = people()
    frame: Any = frame_of(X, "from_dtype")
    pd.testing.assert_frame_equal(frame.plain(frame.coded(X).to_numpy()), X)
    X = people()[["age", "Int64"]]
    frame: Any = frame_of(X, "from_dtype")
    assert frame.plain(np.array([[20.5, 1.0]]))["age"].tolist() == [20.5]


def test_a_category_that_fit_did_not_see_counts_as_missing():
    X = pd.DataFrame({"city": ["Bonn", "Köln", None] * 20})
    y = [0, 1, 1] * 20
    tree = CartClassifier().fit(X, y)
    asked = pd.DataFrame({"city": ["Rome", None, "Bonn"]})
    assert tree.predict_proba(asked)[0].tolist() == tree.predict_proba(asked)[1].tolist()
    assert tree.predict(asked).tolist() == [1, 1, 0]


def test_more_categories_than_a_split_can_tell_apart_are_pooled_with_a_warning():
    names = [f"city {i:02d}" for i in range(80)]
    X = pd.DataFrame({"city": np.repeat(names, [3] * 63 + [2] * 17)})
    y = X["city"].isin(names[63:])
    with pytest.warns(PooledCategories, match="'city' has 80 categories.* the 17 others, 15.2% of the samples"):
        tree: Any = CartClassifier().fit(X, y)
    assert list(tree.categories_[0]) == [*names[:63], "(other)"]
    assert tree.score(X, y) == 1
    assert tree.tree_.n_nodes == 3
    assert not tree.predict(pd.DataFrame({"city": ["never seen"]})).any()  # as the larger side does


def test_columns_can_be_named_as_categories_whatever_they_hold():
    X = pd.DataFrame({"zip": [53111, 50667, 89073, 53111] * 10, "x": np.arange(40.0)})
    y = (X["zip"] == 53111).to_numpy()
    tree: Any = CartClassifier(categorical_features=["zip"]).fit(X, y)
    assert tree.is_categorical_.tolist() == [True, False]
    assert list(tree.categories_[0]) == [50667, 53111, 89073]
    assert tree.score(X, y) == 1
    assert tree.tree_.n_nodes == 3


def test_codes_of_a_column_that_is_named_stay_as_they_are():
    X = pd.DataFrame({"gender": [0, 2, 2, 0] * 5, "x": np.arange(20.0)})
    by_name = CartClassifier(categorical_features=["gender"]).fit(X, X["gender"] == 2)
    by_mask = CartClassifier(categorical_features=[True, False]).fit(X.to_numpy(), X["gender"] == 2)
    assert by_name.tree_.categories.tolist() == by_mask.tree_.categories.tolist()
    assert by_name.categories_ == [None, None]


def test_columns_that_are_not_there_or_hold_what_is_not_learned_are_refused_in_a_sentence():
    two, whole = pd.DataFrame({"gender": ["f", "m"], "x": [0.0, 1.0]}), people()
    for chosen, X, words in (
        (["gendre"], two, "features names 'gendre', which X does not have; its columns are 'gender', 'x'"),
        ([2], two, "features names a column that X does not have: 2; they are 0 to 1"),
        ([0.5], two, r"features is \[0.5\]; it must be a mask, column numbers, or names"),
        ([True], two, "features has 1 entries; X has 2 features"),
        (["gender"], np.zeros((2, 2)), "names the columns 'gender', but X has no column names"),
        (None, whole, r"the column 'city' holds text \('\w+'\), and categorical_features=None"),
        ("from_dtype", whole.assign(born=pd.Timestamp("2001-02-03")),
         r"'born' holds values of type datetime64.*turn it into numbers"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            CartClassifier(categorical_features=chosen).fit(X, np.arange(len(X)) % 2)
    tree = CartClassifier().fit(whole, class_of(whole))
    with pytest.raises(ValueError, match="the column 'age' holds text \\('old'\\), where `fit` saw numbers"):
        tree.predict(whole.assign(age="old"))


def test_pipelines_grids_and_cross_validation_take_text():
    X = people()
    y = class_of(X)
    same: Any = FunctionTransformer()
    grid = GridSearchCV(make_pipeline(same, CartClassifier()), {"cartclassifier__max_depth": [1, 3]}, cv=2)
    assert grid.fit(X, y).best_params_ == {"cartclassifier__max_depth": 3}
    assert cross_val_score(CartClassifier(), X, y, cv=2).mean() > 0.9


# ---- categories that are asked for in another form


def keyed(levels, values) -> Any:
    """A learner of which category is "a": those at odd places."""
    y = np.where(np.isin(values, levels[1::2]), "a", "b")
    X = pd.DataFrame({"key": pd.Categorical(values, categories=levels), "x": np.linspace(0, 1, len(values))})
    return CartClassifier(categorical_features=["key"]).fit(X, y), X, y


NUMBERS = np.array([11, 3, 9, 7])[np.arange(80) % 4]


def test_a_category_made_of_a_number_or_its_text_is_known_however_the_number_is_written():
    learner, X, y = keyed([11, 3, 9, 7], NUMBERS)
    for form in (float, str, lambda x: f"{x}.0", lambda x: f"{x}e0"):
        assert (learner.predict(X.assign(key=[form(value) for value in NUMBERS])) == y).all()
    learner, X, y = keyed(["11", "3", "9", "7"], NUMBERS.astype(str))
    for form in (int, float, lambda x: pd.NA if x == 11 else int(x)):
        answers = learner.predict(X.assign(key=pd.Series([form(value) for value in NUMBERS], dtype=object)))
        known = np.array([form(value) is not pd.NA for value in NUMBERS])
        assert (answers[known] == y[known]).all()


def test_a_number_that_two_categories_write_is_neither():
    learner, X, _ = keyed(["7", "07", "x", "y"], np.array(["7", "07", "x", "y"])[np.arange(80) % 4])
    coded = learner.frame_.coded(X.assign(key=["07", "7", "7.0", "x"] * 20))
    assert coded["key"][:4].fillna(-1).tolist() == [1, 0, -1, 2]


@pytest.mark.parametrize(
    ("levels", "asked"), [(["apple", "plum"], [1, 2]), ([1, 2], ["apple", "plum"]), (["apple", "plum"], [2.5, 3])]
)
def test_numbers_for_words_and_words_for_numbers_are_refused_with_the_column_and_one_of_each(levels, asked):
    learner, X, _ = keyed(levels, np.array(levels)[np.arange(80) % 2])
    some = X[:2].assign(key=pd.Series(asked, dtype=object))
    with pytest.raises(ValueError, match=f"'key' holds {asked[0]!r}, and `fit` saw {levels[0]!r}"):
        learner.predict(some)


def test_a_column_of_several_categories_all_of_them_new_is_missing_and_a_warning_says_so():
    learner, X, _ = keyed(["apple", "plum"], np.array(["apple", "plum"])[np.arange(80) % 2])
    strange, missing = X.assign(key=["Apfel", "Pflaume"] * 40), X.assign(key=None)
    with pytest.warns(UnknownCategories, match="'Apfel'.*'apple'"):
        answers = learner.predict_proba(strange)
    assert (answers == learner.predict_proba(missing)).all()
    assert np.isnan(learner.frame_.coded(X.assign(key=["apple", "Apfel"] * 40))["key"][1])  # some: as it was


@pytest.mark.parametrize("gap", [list, np.array, pd.Series, pd.Categorical, "Int64", "string"])
def test_a_target_or_a_class_that_is_missing_is_named(gap):
    make: Any = (lambda y: pd.Series(y, dtype=gap)) if isinstance(gap, str) else gap
    X = np.arange(4.0)[:, None]
    for learner in (CartClassifier(), CartRegressor()) if gap != "string" else ():
        with pytest.raises(ValueError, match="y is missing in 1 of 4 samples, first in sample 2"):
            learner.fit(X, make([0, 1, None, 1]))
    if gap not in (pd.Categorical, "Int64"):
        with pytest.raises(ValueError, match="y is missing in 2 of 4 samples, first in sample 0"):
            CartClassifier().fit(X, make([None, "a", None, "b"]))
