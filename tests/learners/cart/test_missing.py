"""Ways of missing values: by hand and by law. Surrogate splits have tests of their own."""

import numpy as np
import pytest
from hypothesis import given, settings

from espalier.learners import BaggedForestClassifier, CartClassifier, CartRegressor
from espalier.learners.base import TrainingData
from espalier.learners.missing import WAYS, filled, fills_of
from tests.learners.cart.test_cart import tables
from tests.tools.same_trees import are_same

NAN = np.nan


def column(*values):
    return np.array(values, dtype=float)[:, None]


def test_numbers_are_filled_with_their_mean_or_median_and_categories_with_the_most_frequent():
    X = np.array([[1, 2], [2, 2], [9, 1], [NAN, NAN]])
    y = [0, 0, 1, 1]
    for impute_with, number in (("mean", 4.0), ("median", 2.0)):
        model = CartClassifier(missing="impute", impute_with=impute_with, categorical_features=[1]).fit(X, y)
        assert model.fill_.tolist() == [number, 2.0]
    assert CartClassifier().fit(X, y).fill_ is None


def test_a_missing_value_goes_where_its_stand_in_goes():
    """The mean is 4.25, on the left of 6.5; the better side is the right."""
    X, y = column(-7, 5, 5, 5, 5, 5, 8, 8, NAN), [0, 0, 0, 0, 0, 0, 1, 1, 1]
    imputed, better = (CartClassifier(max_depth=1, missing=way).fit(X, y).tree_ for way in ("impute", "side"))
    assert imputed.missing_left[0]
    assert not better.missing_left[0]


def test_a_column_without_any_value_is_never_asked_for():
    model = CartClassifier(missing="impute").fit(np.column_stack([[NAN] * 4, [1, 2, 3, 4]]), [0, 0, 1, 1])
    assert np.isnan(model.fill_[0])
    assert model.tree_.feature[0] == 1


@settings(deadline=None, max_examples=60)
@given(table=tables(classification=True))
def test_a_weight_counts_as_so_many_rows_when_values_are_filled_in(table):
    X, y, weight, categorical = table
    is_category = np.isin(np.arange(X.shape[1]), categorical)
    many = np.repeat(np.arange(len(y)), weight.astype(int))
    for way in ("mean", "median"):
        weighed = fills_of(TrainingData(X, y, weight), is_category, way)
        repeated = fills_of(TrainingData(X[many], y[many], np.ones(len(many))), is_category, way)
        assert weighed == pytest.approx(repeated, nan_ok=True)
    for f in np.flatnonzero(~is_category & ~np.isnan(weighed)):
        assert weighed[f] == pytest.approx(np.nanmedian(X[many, f]))


@settings(deadline=None, max_examples=60)
@given(table=tables(classification=True))
def test_the_tree_alone_predicts_as_filling_in_and_then_routing(table):
    X, y, weight, categorical = table
    model = CartClassifier(missing="impute", categorical_features=categorical).fit(X, y, sample_weight=weight)
    complete = filled(X, model.fill_, model.is_categorical_)
    assert model.apply(X).tolist() == model.apply(complete).tolist()
    plain = CartClassifier(categorical_features=categorical).fit(complete, y, sample_weight=weight).tree_
    assert are_same(plain, model.tree_._replace(missing_left=plain.missing_left))


def test_as_a_category_a_missing_number_stands_beyond_all_others():
    X, y = column(1, 2, 3, 4, NAN, NAN), [0, 0, 1, 1, 0, 0]
    better = CartClassifier(max_depth=1).fit(X, y).tree_
    assert better.missing_left[0]
    category = CartClassifier(missing="category").fit(X, y)
    assert not category.tree_.missing_left.any()
    assert category.predict(X).tolist() == y
    assert np.isinf(category.tree_.threshold).any()  # missing split off by itself


@settings(deadline=None, max_examples=60)
@given(table=tables(classification=True))
def test_of_numbers_missing_is_never_less_and_of_categories_it_may_join_either_side(table):
    X, y, weight, categorical = table
    tree, side = (
        CartClassifier(missing=way, categorical_features=categorical).fit(X, y, sample_weight=weight).tree_
        for way in ("category", "side")
    )
    numbers = ~np.isin(tree.feature, categorical)
    assert not tree.missing_left[numbers].any()
    assert are_same(tree, side) or len(categorical) < X.shape[1]


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers_are_learned_in_every_way(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] > 0, 5.0, 1.0)
    X[rng.random(X.shape) < 0.1] = NAN
    for way in WAYS:
        model = CartRegressor(missing=way, criterion=criterion, max_depth=2).fit(X, y)
        assert np.abs(model.predict(X) - y).mean() < 1


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"missing": "drop"}, "missing is 'drop'; it must be one of side, category, impute, surrogate"),
        ({"missing": "impute", "impute_with": "mode"}, "impute_with is 'mode'"),
        ({"max_surrogates": -1}, "max_surrogates is -1"),
    ],
)
def test_wrong_ways_are_refused_by_name(parameters, says):
    with pytest.raises(ValueError, match=says):
        CartClassifier(**parameters).fit(column(1, 2), [0, 1])


def test_trees_of_a_forest_may_fill_in_missing_values():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    X[::5, 0] = NAN
    forest = BaggedForestClassifier(CartClassifier(missing="impute"), n_estimators=3, random_state=0).fit(X, y)
    assert forest.predict(X).shape == (80,)
