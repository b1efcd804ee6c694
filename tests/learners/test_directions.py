"""Columns with directions, along which predictions only rise or fall, and columns that no split may ask about."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from espalier import learners
from espalier.learners import CartClassifier, CartRegressor, GradientBoostingRegressor, RandomForestRegressor
from espalier.learners.pruning import prune, pruning_path
from espalier.trees import LEAF, CultivatedTree
from tests.tools.every_learner import answers, is_classifier, trees_of, unfitted
from tests.tools.naive import cart as naive
from tests.tools.same_trees import are_same
from tests.tools.selection import seeds

SEEDS = st.integers(0, 2**32 - 1)
FEW = {"n_estimators": 3}
STEPS: Any = {"n_estimators": 8, "min_samples_leaf": 1, "max_leaf_nodes": 8, "learning_rate": 0.5}
OF_CLASSES: list[tuple[Any, dict]] = [
    (CartClassifier, {"criterion": "gini"}),
    (CartClassifier, {"criterion": "entropy", "missing": "category"}),
    (CartClassifier, {"criterion": "gain_ratio"}),
    (CartClassifier, {"criterion": "misclassification", "missing": "impute"}),
    (CartClassifier, {"splitter": "random", "ccp_alpha": 0.01}),
    (learners.RandomForestClassifier, FEW),
    (learners.RandomForestClassifier, FEW | {"voting": "majority"}),
    (learners.ExtraTreesClassifier, FEW),
    (learners.GradientBoostingClassifier, STEPS),
]
OF_NUMBERS: list[tuple[Any, dict]] = [
    (CartRegressor, {"criterion": "squared_error"}),
    (CartRegressor, {"criterion": "absolute_error"}),
    (CartRegressor, {"criterion": "poisson", "max_leaf_nodes": 6}),
    (CartRegressor, {"splitter": "random", "ccp_alpha": 0.01}),
    (RandomForestRegressor, FEW),
    (learners.ExtraTreesRegressor, FEW),
    (GradientBoostingRegressor, STEPS),
    (GradientBoostingRegressor, STEPS | {"l2_regularization": 2}),
    (GradientBoostingRegressor, STEPS | {"loss": "absolute_error"}),
    (GradientBoostingRegressor, STEPS | {"loss": "poisson"}),
]


def table(rng, n=60):
    """(X, y, weight): two columns of numbers, one of few numbers, one of categories; some values are missing."""
    X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 5, (n, 2))]).round(1)
    y = np.sin(3 * X[:, 0]) - X[:, 1] + X[:, 3] % 2 + rng.normal(size=n)
    if rng.random() < 0.5:
        X[rng.random(X.shape) < 0.15] = np.nan
    weight = np.ones(n) if rng.random() < 0.5 else rng.uniform(0.1, 3, n)
    return X, y, weight


def over(X, column):
    """(n_values, n, p): every row of X over many values of a column."""
    values = np.linspace(np.nanmin(X[:, column]) - 1, np.nanmax(X[:, column]) + 1, 15)
    found = np.repeat(X[None], len(values), axis=0)
    found[:, :, column] = values[:, None]
    return found


def scores_of(model, X):
    return model.predict_proba(X)[:, 1] if hasattr(model, "classes_") else model.predict(X)


def keep_to(model, X, directions):
    """Assert that the predictions for all rows go in the directions of the columns."""
    for column, direction in enumerate(directions):
        rows = over(X, column)
        said = scores_of(model, rows.reshape(-1, X.shape[1])).reshape(rows.shape[:2])
        assert (direction * np.diff(said, axis=0) >= 0).all()


@pytest.mark.parametrize("at", range(len(OF_CLASSES) + len(OF_NUMBERS)))
@settings(max_examples=12)
@given(seed=SEEDS)
def test_predictions_go_in_the_direction_of_a_column_for_every_row(at, seed):
    rng = np.random.default_rng(seed)
    X, y, weight = table(rng)
    kind, parameters = (OF_CLASSES + OF_NUMBERS)[at]
    y = y > 0 if at < len(OF_CLASSES) else np.maximum(y, 0) if "poisson" in parameters.values() else y
    directions = [int(rng.choice([-1, 1])), int(rng.integers(-1, 2)), int(rng.integers(-1, 2)), 0]
    model = kind(monotonic_cst=directions, random_state=seed, categorical_features=[3], **parameters)
    keep_to(model.fit(X, y, sample_weight=weight), X, directions)


@pytest.mark.parametrize(
    "criterion", ["gini", "entropy", "misclassification", "squared_error", "absolute_error", "poisson"]
)
@settings(max_examples=30)
@given(seed=SEEDS)
def test_the_split_is_the_best_one_that_has_the_direction(criterion, seed):
    rng = np.random.default_rng(seed)
    X, y, weight = table(rng, n=int(rng.integers(5, 25)))
    X, directions, least = X[:, :3], rng.integers(-1, 2, 3), int(rng.integers(1, 4))
    is_class = criterion in ("gini", "entropy", "misclassification")
    y = (y > 0).astype(int) if is_class else y.round(1)
    y = np.maximum(y, 0) if criterion == "poisson" else y
    if len(np.unique(y)) == 1:
        return
    kind: Any = CartClassifier if is_class else CartRegressor
    model = kind(criterion=criterion, monotonic_cst=directions, max_depth=1, min_samples_leaf=least)
    tree = model.fit(X, y, sample_weight=weight).tree_
    best = naive.best_directed_cost(X, y, weight, criterion, directions, min_leaf=least)
    said = (tree.impurity * tree.weight)[1:].sum() if tree.n_leaves > 1 else np.inf
    assert said == pytest.approx(best, abs=1e-9)


def test_a_split_against_the_direction_is_not_made():
    X, y = np.array([[0.0], [0], [1], [1]]), [2.0, 2, 1, 1]
    for kind, parameters in ((CartRegressor, {}), (GradientBoostingRegressor, STEPS)):
        against, along = (kind(monotonic_cst=[direction], **parameters).fit(X, y) for direction in (1, -1))
        assert {tree.n_leaves for tree in trees_of(against)} == {1}
        assert along.predict(X) == pytest.approx(y, abs=0.01)


def test_leaves_and_steps_below_a_split_stay_on_their_side_of_its_middle():
    """The root parts 0 3 1 2 | 6 4, with means 1.5 and 5: no leaf of the left side may pass 3.25."""
    X, y = np.arange(6.0)[:, None], [0.0, 3, 1, 2, 6, 4]
    assert CartRegressor(monotonic_cst=[1]).fit(X, y).predict(X).tolist() == [0, 2, 2, 2, 5, 5]
    step = STEPS | {"n_estimators": 1, "learning_rate": 1}
    said = GradientBoostingRegressor(monotonic_cst=[1], **step).fit(X, y).predict(X)
    assert said[:4].max() <= 3.25 <= said[4:].min()
    assert (np.diff(said) >= 0).all()


@pytest.mark.parametrize("kind", [GradientBoostingRegressor, CartRegressor, RandomForestRegressor])
@pytest.mark.parametrize("direction", [1, -1])
def test_a_split_of_missing_values_from_all_others_goes_either_way(kind, direction):
    """No answer for a missing value breaks the promise, in one tree, a forest and boosting alike."""
    X, y = np.array([[0.0], [1], [np.nan], [np.nan]]), np.array([1.0, 2, 9, 9])
    more: dict = {"bootstrap": False, "n_estimators": 2} if kind is RandomForestRegressor else {}
    if kind is GradientBoostingRegressor:
        more = STEPS | {"n_estimators": 40}
    for sign in (1, -1):
        said = kind(monotonic_cst=[direction], **more).fit(X, sign * y).predict(X)
        known = sign * y[:2] if sign == direction else [sign * 1.5] * 2
        assert said == pytest.approx([*known, sign * 9, sign * 9], abs=1e-6)


def test_boosting_grows_on_below_a_split_of_missing_values_from_all_others():
    """Values past all known ones stay with these: the threshold is infinite, and the promise holds beyond it."""
    rng = np.random.default_rng(5)
    X, y, _ = table(rng)
    X[rng.random(X.shape) < 0.3] = np.nan
    directions = [-1, 1, 0, 0]
    model = GradientBoostingRegressor(monotonic_cst=directions, **STEPS | {"n_estimators": 20})
    model.fit(X, y + 8 * np.isnan(X[:, 0]))
    assert any(np.isinf(tree.threshold[tree.feature == 0]).any() for tree in trees_of(model))
    keep_to(model, np.nan_to_num(X), directions)


@settings(max_examples=5)
@given(seed=SEEDS)
def test_every_pruned_subtree_keeps_the_directions(seed):
    X, y, weight = table(np.random.default_rng(seed), n=40)
    model = CartRegressor(monotonic_cst=[1, -1, 1, 0], categorical_features=[3]).fit(X, y, sample_weight=weight)
    whole = model.tree_
    for alpha in pruning_path(whole).alpha[::4]:
        model.tree_ = prune(whole, alpha)
        keep_to(model, X, [1, -1, 1, 0])


@pytest.mark.parametrize(("kind", "parameters"), OF_NUMBERS[4:])
def test_directions_of_0_leave_every_bit_as_it_is(kind, parameters):
    for seed in range(3):
        X, y, weight = table(np.random.default_rng(seed))
        free, zero = (
            kind(monotonic_cst=choice, random_state=0, **parameters).fit(X, np.abs(y), sample_weight=weight)
            for choice in (None, [0] * 4)
        )
        assert np.array_equal(free.predict(X), zero.predict(X))
        assert all(are_same(*pair) for pair in zip(trees_of(free), trees_of(zero), strict=True))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("direction", [[1, 0, 0], [1, -1, 0], [0, 1, 1]])
@pytest.mark.parametrize("is_classification", [False, True], ids=["numbers", "two classes"])
def test_predictions_are_those_of_scikit_learn(seed, direction, is_classification):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3))
    y = X[:, 0] ** 2 - X[:, 1] + rng.normal(size=120)
    y = y > 0.5 if is_classification else y
    ours: Any = learners.GradientBoostingClassifier if is_classification else GradientBoostingRegressor
    theirs: Any = HistGradientBoostingClassifier if is_classification else HistGradientBoostingRegressor
    own = ours(monotonic_cst=direction, **STEPS | {"min_samples_leaf": 5}).fit(X, y)
    other = theirs(monotonic_cst=direction, max_iter=8, min_samples_leaf=5, max_leaf_nodes=8, learning_rate=0.5)
    other.fit(X, y)
    if is_classification:
        assert own.predict_proba(X) == pytest.approx(other.predict_proba(X), abs=1e-4)
    else:
        assert own.predict(X) == pytest.approx(other.predict(X), abs=1e-4)


def test_columns_are_named_or_numbered():
    X, y, _ = table(np.random.default_rng(1))
    frame = pd.DataFrame(X, columns=list("abcd"))
    classes = learners.OptimalClassifier, y > 0
    for kind, goal in ((CartRegressor, y), (GradientBoostingRegressor, y), classes):
        named, numbered = (kind(monotonic_cst=choice, max_depth=2) for choice in ({"b": -1}, [0, -1, 0, 0]))
        assert np.array_equal(named.fit(frame, goal).predict(frame), numbered.fit(X, goal).predict(X))


def test_directions_that_cannot_hold_are_refused_by_name():
    X, y, _ = table(np.random.default_rng(2))
    frame, three = pd.DataFrame(X, columns=list("abcd")), np.arange(len(y)) % 3
    for learner, choice, rows, goal, words in (
        (GradientBoostingRegressor(), [1], X, y, "monotonic_cst has 1 entries; X has 4 features"),
        (learners.ExtraTreesRegressor(), [1], X, y, "has 1 entries; X has 4 features"),
        (GradientBoostingRegressor(), [2, 0, 0, 0], X, y,
         r"the entry 2; it must be 1 \(may only rise\), -1 \(fall\) or 0"),
        (GradientBoostingRegressor(), "rise", X, y, "it must be a list of 1, -1 and 0, or a dict"),
        (GradientBoostingRegressor(), {"a": 1}, X, y, "X has no column names"),
        (GradientBoostingRegressor(), {"e": 1}, frame, y, "names a column that X does not have: 'e'"),
        (GradientBoostingRegressor(categorical_features=[1]), [0, 1, 0, 0], np.abs(X).round(), y,
         "gives column 1 a direction, but its categories have no order"),
        (RandomForestRegressor(categorical_features=[3]), [0, 0, 0, 1], X, y,
         "column 3 a direction, but its categories have no order"),
        (learners.GradientBoostingClassifier(), [1, 0, 0, 0], X, three, "y has 3 classes"),
        (CartClassifier(), [1, 0, 0, 0], X, three, "y has 3 classes"),
        (CartRegressor(missing="surrogate"), [1, 0, 0, 0], X, y, "does not go with missing='surrogate'"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            learner.set_params(monotonic_cst=choice).fit(rows, goal)


N, P = 120, 5
ALLOWED, FORBIDDEN = [0, 2, 4], [1, 3]
CATEGORY = np.array([False, True, True, False, False])


def crowded_table(seed, of_classes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, P)).round(2)
    X[:, CATEGORY] = rng.integers(0, 4, (N, 2))
    X[rng.random((N, P)) < 0.05] = np.nan
    full = np.nan_to_num(X)
    y = full[:, 1] + full[:, 3] + (full[:, 2] > 1) + 0.7 * full[:, 0] - 0.5 * full[:, 4]
    return X, np.digitize(y, [0.5, 2.0]) if of_classes else y


def both(name):
    return [getattr(learners, name + kind) for kind in ("Classifier", "Regressor")]


DEEP = {"max_depth": 4, "random_state": 3}
SEVEN = {"n_estimators": 7, "random_state": 3}
CASES = [
    *((make, DEEP) for make in both("Cart")),
    *((make, DEEP | {"max_features": "sqrt"}) for make in both("Cart")),
    *((make, DEEP | {"missing": "surrogate"}) for make in both("Cart")),
    *((make, DEEP | {"missing": "impute"}) for make in both("Cart")),
    *((make, DEEP) for make in both("Cultivated")),
    *((make, {"max_depth": 3}) for make in both("Oblique")),
    *((make, {"max_depth": 3}) for make in both("ModelTree")),
    *((make, {"max_depth": 2, "max_thresholds": 5}) for make in both("Optimal")),
    *((make, SEVEN | {"bootstrap": True, "oob_score": True}) for make in both("RandomForest")),
    *((make, SEVEN) for make in both("ExtraTrees")),
    *((make, SEVEN) for make in both("CultivatedForest")),
    *((make, SEVEN | {"min_samples_leaf": 5, "subsample": 0.7}) for make in both("GradientBoosting")),
]
WITH_CLASSES = [learners.BaggedForestClassifier, learners.SubspaceForestClassifier, learners.RootForestClassifier]
WITH_NUMBERS = [learners.BaggedForestRegressor, learners.SubspaceForestRegressor]
BASES = ("Cart", "Cultivated", "Optimal")
OF_ANY = [*product(WITH_CLASSES, BASES), *product(WITH_NUMBERS, BASES[:2])]


def in_formulas(model):
    formulas = getattr(model, "models_", None)
    return set() if formulas is None else {*formulas.feature.tolist()}


def asked(tree):
    if isinstance(tree, CultivatedTree):
        return {*tree.decisions.feature.tolist()}
    slanted = tree.terms.feature.tolist() if hasattr(tree, "terms") else []
    stand_ins = tree.surrogates.feature.tolist() if hasattr(tree, "surrogates") else []
    return {*tree.feature[tree.feature != LEAF].tolist(), *slanted, *stand_ins}


def fitted_both(model, X, y, category=CATEGORY):
    """The model with forbidden columns, and one of the crowded_table without them."""
    own = unfitted(model).set_params(forbidden_features=FORBIDDEN, categorical_features=category)
    other = unfitted(model).set_params(categorical_features=category[ALLOWED])
    return own.fit(X, y), other.fit(X[:, ALLOWED], y)


@seeds(1, 3)
@pytest.mark.parametrize(("make", "parameters"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_a_model_with_forbidden_columns_is_that_of_the_table_without_them(make, parameters, seeds):
    for seed in seeds:
        X, y = crowded_table(seed, is_classifier(make))
        own, other = fitted_both(make(**parameters), X, y)
        np.testing.assert_array_equal(answers(own, X), answers(other, X[:, ALLOWED]))
        used = in_formulas(own).union(*(asked(tree) for tree in trees_of(own)))
        assert used
        assert used <= set(ALLOWED)
        assert [tree.n_nodes for tree in trees_of(own)] == [tree.n_nodes for tree in trees_of(other)]
        assert own.forbidden_features == FORBIDDEN
        assert own.n_features_in_ == P
        assert len(own.is_categorical_) == P


@pytest.mark.few(7)
@pytest.mark.parametrize(("make", "base"), OF_ANY)
def test_a_forest_of_any_trees_does_without_the_columns_that_its_estimator_may_not_ask(make, base):
    of_classes = is_classifier(make)
    X, y = crowded_table(1, of_classes)
    tree = getattr(learners, base + ("Classifier" if of_classes else "Regressor"))(max_depth=2)
    forest = make(tree, random_state=2, **({} if "Root" in make.__name__ else {"n_estimators": 5}))
    own = unfitted(forest).set_params(
        estimator__forbidden_features=FORBIDDEN, estimator__categorical_features=CATEGORY
    )
    other = unfitted(forest).set_params(estimator__categorical_features=CATEGORY[ALLOWED])
    own.fit(X, y)
    other.fit(X[:, ALLOWED], y)
    np.testing.assert_array_equal(answers(own, X), answers(other, X[:, ALLOWED]))
    assert own.estimator.forbidden_features == FORBIDDEN
    if hasattr(own, "subspaces"):
        assert [one.tolist() for one in own.subspaces()] == [
            [ALLOWED[i] for i in one] for one in other.subspaces()
        ]
    if hasattr(own, "questions_"):
        assert own.questions_.feature.tolist() == [ALLOWED[i] for i in other.questions_.feature]


def test_directions_of_the_allowed_columns_hold_as_on_the_table_without_the_others():
    X, y = crowded_table(4, of_classes=False)
    X = np.nan_to_num(X)
    for make in (learners.CartRegressor, learners.RandomForestRegressor, learners.GradientBoostingRegressor):
        model = make(random_state=0, max_depth=4)
        own = unfitted(model).set_params(monotonic_cst=[1, 1, 0, 0, -1])
        other = unfitted(model).set_params(monotonic_cst=[1, 0, -1])
        own.set_params(forbidden_features=FORBIDDEN).fit(X, y)
        other.fit(X[:, ALLOWED], y)
        np.testing.assert_array_equal(own.predict(X), other.predict(X[:, ALLOWED]))


def test_forbidden_columns_are_named_or_numbered_and_an_unknown_one_is_refused():
    X, y = crowded_table(0, of_classes=True)
    frame = pd.DataFrame(X, columns=list("abcde"))
    named = learners.CartClassifier(max_depth=3, forbidden_features=["b", "d"]).fit(frame, y)
    numbered = learners.CartClassifier(max_depth=3, forbidden_features=FORBIDDEN).fit(X, y)
    np.testing.assert_array_equal(named.predict_proba(frame), numbered.predict_proba(X))
    for wrong in (["f"], [5], [True], "b"):
        with pytest.raises(ValueError, match="forbidden_features"):
            learners.CartClassifier(forbidden_features=wrong).fit(frame, y)


@pytest.mark.parametrize(("make", "parameters"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_where_every_column_is_forbidden_no_tree_has_a_split(make, parameters):
    X, y = crowded_table(2, is_classifier(make))
    model = make(**parameters).set_params(forbidden_features=list(range(P))).fit(X, y)
    assert {tree.n_nodes for tree in trees_of(model)} == {1}
    assert len(np.unique(answers(model, X), axis=0)) == 1


def test_trees_can_be_looked_at_while_a_forest_grows_and_are_numbered_as_the_table_is():
    X, y = crowded_table(5, of_classes=True)
    seen = []

    class Watched(learners.RandomForestClassifier):
        def _grow_all(self, training, progress, executor):
            super()._grow_all(training, progress, executor)
            seen.append(self.trees_so_far())

    model = Watched(n_estimators=4, random_state=0, forbidden_features=FORBIDDEN).fit(X, y)
    for early, late in zip(seen[0].values(), model.forest_.trees, strict=True):
        np.testing.assert_array_equal(early.feature, late.feature)


def test_a_forest_that_goes_on_keeps_the_numbers_of_its_first_trees():
    X, y = crowded_table(6, of_classes=True)
    forest = learners.RandomForestClassifier(
        n_estimators=3, random_state=0, forbidden_features=FORBIDDEN, warm_start=True
    )
    forest.fit(X, y)
    forest.set_params(n_estimators=6).fit(X, y)
    whole = learners.RandomForestClassifier(n_estimators=6, random_state=0, forbidden_features=FORBIDDEN).fit(X, y)
    np.testing.assert_array_equal(forest.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("method", ["sampled", "exact"])
def test_an_approximation_tree_asks_about_allowed_columns_alone_and_its_model_about_all(method):
    X, y = crowded_table(7, of_classes=True)
    X = np.nan_to_num(X)
    model = learners.RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    free = learners.ApproximationClassifier(model, max_depth=3, max_samples=5000, method=method, random_state=0)
    tree = unfitted(free).set_params(forbidden_features=FORBIDDEN).fit(X).tree_
    assert asked(tree)
    assert asked(tree) <= set(ALLOWED)
    assert asked(free.fit(X).tree_) & set(FORBIDDEN)
