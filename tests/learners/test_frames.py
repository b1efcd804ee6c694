"""Tables that learners are given: DataFrames of all types, arrays, what is refused, and what they compile."""

import pickle
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numba.core.registry import CPUDispatcher
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from espalier import learners
from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, OptimalClassifier
from espalier.learners.base import is_plain
from espalier.learners.description import feature_of
from espalier.learners.frames import PooledCategories, UnknownCategories, frame_of
from espalier.predict import shares
from espalier.reliability.changeable import other_class
from espalier.reliability.counterfactuals import change_search, seek
from tests.tools.every_learner import NAMES, every, ids, is_classifier, small
from tests.tools.same_trees import are_same

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


@pytest.mark.parametrize(
    "learner", [*CLASSIFIERS, learners.RootForestClassifier(OptimalClassifier(max_depth=2))], ids=ids
)
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


# Categories that are asked for in another form
def keyed(levels, values) -> Any:
    """A learner of which category is "a": those at odd places."""
    y = np.where(np.isin(values, levels[1::2]), "a", "b")
    X = pd.DataFrame({"key": pd.Categorical(values, categories=levels), "x": np.linspace(0, 1, len(values))})
    return CartClassifier(categorical_features=["key"]).fit(X, y), X, y


KEYS = np.array([11, 3, 9, 7])[np.arange(80) % 4]


def test_a_category_made_of_a_number_or_its_text_is_known_however_the_number_is_written():
    learner, X, y = keyed([11, 3, 9, 7], KEYS)
    for form in (float, str, lambda x: f"{x}.0", lambda x: f"{x}e0"):
        assert (learner.predict(X.assign(key=[form(value) for value in KEYS])) == y).all()
    learner, X, y = keyed(["11", "3", "9", "7"], KEYS.astype(str))
    for form in (int, float, lambda x: pd.NA if x == 11 else int(x)):
        answers = learner.predict(X.assign(key=pd.Series([form(value) for value in KEYS], dtype=object)))
        known = np.array([form(value) is not pd.NA for value in KEYS])
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


RNG = np.random.default_rng(4)
X, LABELS, NUMBERS = RNG.normal(size=(60, 3)), RNG.integers(0, 2, 60), RNG.normal(size=60)
HUGE = np.full((60, 3), 1e308)
ROWS = np.arange(12.0)[:, None] % 5
BIG = 2**53 + 1
NAMES_OF_REGRESSORS = [name for name in NAMES if name.endswith("Regressor")]
EVERY = pytest.mark.parametrize("model", every(), ids=ids)


def test_arrays_of_finite_numbers_are_plain_and_nothing_else_is():
    for y in (LABELS, LABELS > 0, NUMBERS, NUMBERS.astype(np.float32)):
        for table in (X, np.asfortranarray(X), X[::2], HUGE / 200):
            assert is_plain(table, y[: len(table)])
    for bad in (np.nan, np.inf, -np.inf):
        table, numbers = X.copy(), NUMBERS.copy()
        table[3, 1] = numbers[5] = bad
        assert not is_plain(table, NUMBERS)
        assert not is_plain(X, numbers)
    for number, (table, y) in enumerate([
        (X.tolist(), LABELS), (X, LABELS.tolist()), (pd.DataFrame(X), LABELS), (X, pd.Series(LABELS)),
        (X.astype(np.float32), LABELS), (X[0], LABELS[:3]), (X, LABELS[:-1]), (X, LABELS[:, None]),
        (X[:0], LABELS[:0]), (X[:, :0], LABELS), (X, LABELS.astype(str)), (X, LABELS.astype(object)),
        (X, NUMBERS.astype(complex)), (X, None), (HUGE, LABELS), (np.ma.masked_array(X), LABELS),
    ]):  # fmt: skip
        assert not is_plain(table, y), number


def test_trees_of_plain_arrays_are_those_of_lists():
    for learner, y in ((CartClassifier(), LABELS), (CartRegressor(), NUMBERS)):
        plain = learner.fit(X, y).tree_
        assert learner.n_features_in_ == 3
        assert are_same(plain, learner.fit(X.tolist(), y.tolist()).tree_)


def test_names_of_an_earlier_table_are_forgotten():
    model = CartClassifier().fit(pd.DataFrame(X, columns=["a", "b", "c"]), LABELS)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert not hasattr(model.fit(X, LABELS), "feature_names_in_")
    assert model.predict(X).tolist() == LABELS.tolist()


@EVERY
def test_what_is_infinite_or_of_another_length_is_refused(model):
    infinite = X.copy()
    infinite[2, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.fit(infinite, LABELS)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, LABELS[:-1])


# Numbers that floating point would round, and weights whose powers are infinite
@EVERY
def test_whole_numbers_that_would_be_rounded_are_refused_where_they_are(model):
    rows = [[1, BIG + 2 * i] for i in range(8)]
    for kind in (np.array, list, pd.DataFrame):
        with pytest.raises(ValueError, match=rf"column 1.* holds {BIG}; whole numbers beyond 2\*\*53"):
            model.fit(kind(rows), [0, 1] * 4)
        model.fit(kind([[1, i] for i in range(8)]), [0, 1] * 4)
        with pytest.raises(ValueError, match="would be rounded"):
            model.predict(kind(rows))


def test_large_whole_numbers_that_are_exact_are_taken():
    X = np.array([[2**60], [2**61], [-(2**62)], [0]])
    assert CartClassifier().fit(X, [0, 1, 1, 0]).predict(X).tolist() == [0, 1, 1, 0]
    CartClassifier().fit(np.array([[2**63], [2**63 + 2**12]], np.uint64), [0, 1])


def test_nullable_columns_and_targets_are_looked_at_too():
    frame = pd.DataFrame({"size": [1.0, 2.0], "id": pd.array([BIG, None], dtype="Int64")})
    with pytest.raises(ValueError, match=f"the column 'id' holds {BIG}"):
        CartClassifier().fit(frame, [0, 1])
    with pytest.raises(ValueError, match=f"the target y holds {BIG}"):
        CartRegressor().fit([[0.0], [1.0]], [BIG, BIG + 2])
    labels = CartClassifier().fit([[0.0], [1.0]], [BIG, BIG + 1]).classes_  # classes are not computed with
    assert labels.tolist() == [BIG, BIG + 1]


@EVERY
def test_weights_with_infinite_powers_are_refused(model):
    for weight in (1e200, 1e-200, 1e308):
        with pytest.raises(
            ValueError, match=r"the weights sum to .*; their sum must be between 1e-100 and 1e\+100"
        ):
            model.fit([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=[weight] * 3)


@pytest.mark.parametrize("learner", [CartClassifier(), CultivatedClassifier(k="all", min_node_weight=0)])
@pytest.mark.parametrize("unit", [1e90, 1e-90])
def test_weights_within_the_limit_are_what_their_ratios_are(learner, unit):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 3)), rng.integers(1, 4, 60).astype(float)
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    near = learner.fit(X, y, sample_weight=weight).predict_proba(X)
    assert learner.fit(X, y, sample_weight=weight * unit).predict_proba(X) == pytest.approx(near)


# Numbers whose squares are infinite, or all but zero, cannot be learned: every regressor says so, and which
def regressor(name, says):
    """A regressor, and what an approximation is asked to follow."""
    return small(name, model=says) if "Approximation" in name else small(name)


@pytest.mark.parametrize("name", NAMES_OF_REGRESSORS)
def test_targets_near_the_ends_of_all_numbers_are_refused_with_a_sentence(name):
    for size, words in (
        (1.7e308, r"as large as 1\.7e\+308; the limit is 1e\+150"),
        (1e-160, "further from 0 than 1e-160, and of numbers below 1e-150 the squares"),
    ):
        y = size * np.sign(ROWS[:, 0] - 2)
        with pytest.raises(ValueError, match=words):
            regressor(name, lambda rows, y=y: np.resize(y, len(rows))).fit(ROWS, y)


def test_targets_that_are_all_zero_or_up_to_the_limits_are_learned():
    for size in (0.0, 1e150, 1e-150):
        y = size * np.sign(ROWS[:, 0] - 2.5)
        assert CartRegressor().fit(ROWS, y).predict(ROWS) == pytest.approx(y, rel=1e-12, abs=0)


@pytest.mark.parametrize("name", NAMES_OF_REGRESSORS)
def test_a_step_far_from_zero_is_learned_as_one_near_it_but_for_the_rounding_of_its_mean(name):
    """Sums are centred before they are squared, and small steps added before what is far from 0."""
    rows, far = np.arange(60.0)[:, None], 1e15

    def predicted(start):
        def step(rows):
            return start + 8.0 * (rows[:, 0] > 20)

        return regressor(name, step).fit(rows, step(rows)).predict(rows)

    assert predicted(far) - far == pytest.approx(predicted(0.0), abs=32 * np.spacing(far))


# What pandas and files hand over may be read-only or have gaps: no kernel is compiled anew for that
def compiled() -> dict[str, int]:
    """Return for how many kinds of arguments each kernel is compiled here."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("espalier.kernels")]
    kernels = {
        f"{one.py_func.__module__}.{one.py_func.__qualname__}": len(one.signatures)
        for module in modules
        for one in vars(module).values()
        if isinstance(one, CPUDispatcher)
    }
    return {name: n for name, n in kernels.items() if n}


def hard_to_write(values: np.ndarray, step: int) -> np.ndarray:
    """Return the same numbers, read-only, each so many places after the one before it."""
    view = np.repeat(values, step)[::step]
    view.flags.writeable = False
    return view


@EVERY
def test_read_only_targets_and_weights_with_or_without_gaps_need_no_other_kernels(model):
    weight, y = RNG.random(60) + 0.5, LABELS if is_classifier(model) else NUMBERS
    plain = model.fit(X, y, sample_weight=weight).predict(X)
    before = compiled()
    for step in (1, 2):
        model.fit(X, hard_to_write(y, step), sample_weight=hard_to_write(weight, step))
        assert compiled() == before
        assert np.array_equal(model.predict(X), plain)


def test_a_row_of_a_table_needs_no_other_kernels_for_the_search_of_its_smallest_change():
    iris = samples.load("iris")
    forest = (
        learners.RandomForestClassifier(n_estimators=4, max_depth=3, random_state=0).fit(iris.X, iris.y).forest_
    )
    tell = (lambda X: shares(forest, X), other_class(0, forest.prior))

    def least(x: np.ndarray) -> Any:
        return seek(change_search(iris, forest, x, tell), forest, shares(forest, x[np.newaxis])[0], 0)

    plain = least(iris.X[0].copy())
    before = compiled()
    assert least(iris.X[0]) == plain
    assert compiled() == before


@pytest.mark.parametrize("n", [3_000, 40_000])
def test_of_a_column_and_its_negative_which_part_alike_the_first_is_asked_however_many_samples_are_summed(n):
    for values in (7, 300, 10**6):
        rng = np.random.default_rng(0)
        x, y = rng.integers(0, values, n).astype(float), rng.normal(size=n)
        both = np.stack([x, -x], axis=1)
        forest = learners.RandomForestRegressor(
            n_estimators=2, max_features=None, max_depth=6, random_state=0
        ).fit(both, y)
        for tree in (CartRegressor(max_depth=6).fit(both, y).tree_, *forest.forest_.trees):
            assert (tree.feature < 1).all()
            assert tree.n_leaves > 1
