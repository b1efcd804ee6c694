"""Columns that no split may ask about: each learner then does what it does on the table without them."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from espalier import learners
from espalier.trees import LEAF, CultivatedTree
from tests.tools.every_learner import answers, is_classifier, trees_of, unfitted
from tests.tools.selection import seeds

N, P = 120, 5
ALLOWED, FORBIDDEN = [0, 2, 4], [1, 3]
CATEGORY = np.array([False, True, True, False, False])


def table(seed, of_classes):
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
FEW = {"n_estimators": 7, "random_state": 3}
CASES = [
    *((make, DEEP) for make in both("Cart")),
    *((make, DEEP | {"max_features": "sqrt"}) for make in both("Cart")),
    *((make, DEEP | {"missing": "surrogate"}) for make in both("Cart")),
    *((make, DEEP | {"missing": "impute"}) for make in both("Cart")),
    *((make, DEEP) for make in both("Cultivated")),
    *((make, {"max_depth": 3}) for make in both("Oblique")),
    *((make, {"max_depth": 3}) for make in both("ModelTree")),
    *((make, {"max_depth": 2, "max_thresholds": 5}) for make in both("Optimal")),
    *((make, FEW | {"bootstrap": True, "oob_score": True}) for make in both("RandomForest")),
    *((make, FEW) for make in both("ExtraTrees")),
    *((make, FEW) for make in both("CultivatedForest")),
    *((make, FEW | {"min_samples_leaf": 5, "subsample": 0.7}) for make in both("GradientBoosting")),
]
OF_CLASSES = [learners.BaggedForestClassifier, learners.SubspaceForestClassifier, learners.RootForestClassifier]
OF_NUMBERS = [learners.BaggedForestRegressor, learners.SubspaceForestRegressor]
OF_ANY = [*product(OF_CLASSES, ["Cart", "Cultivated", "Optimal"]), *product(OF_NUMBERS, ["Cart", "Cultivated"])]


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
    """The model with forbidden columns, and one of the table without them."""
    own = unfitted(model).set_params(forbidden_features=FORBIDDEN, categorical_features=category)
    other = unfitted(model).set_params(categorical_features=category[ALLOWED])
    return own.fit(X, y), other.fit(X[:, ALLOWED], y)


@seeds(1, 3)
@pytest.mark.parametrize(("make", "parameters"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_a_model_with_forbidden_columns_is_that_of_the_table_without_them(make, parameters, seeds):
    for seed in seeds:
        X, y = table(seed, is_classifier(make))
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
    X, y = table(1, of_classes)
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
    X, y = table(4, of_classes=False)
    X = np.nan_to_num(X)
    for make in (learners.CartRegressor, learners.RandomForestRegressor, learners.GradientBoostingRegressor):
        model = make(random_state=0, max_depth=4)
        own = unfitted(model).set_params(monotonic_cst=[1, 1, 0, 0, -1])
        other = unfitted(model).set_params(monotonic_cst=[1, 0, -1])
        own.set_params(forbidden_features=FORBIDDEN).fit(X, y)
        other.fit(X[:, ALLOWED], y)
        np.testing.assert_array_equal(own.predict(X), other.predict(X[:, ALLOWED]))


def test_columns_are_named_or_numbered_and_an_unknown_one_is_refused():
    X, y = table(0, of_classes=True)
    frame = pd.DataFrame(X, columns=list("abcde"))
    named = learners.CartClassifier(max_depth=3, forbidden_features=["b", "d"]).fit(frame, y)
    numbered = learners.CartClassifier(max_depth=3, forbidden_features=FORBIDDEN).fit(X, y)
    np.testing.assert_array_equal(named.predict_proba(frame), numbered.predict_proba(X))
    for wrong in (["f"], [5], [True], "b"):
        with pytest.raises(ValueError, match="forbidden_features"):
            learners.CartClassifier(forbidden_features=wrong).fit(frame, y)


@pytest.mark.parametrize(("make", "parameters"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_where_every_column_is_forbidden_no_tree_has_a_split(make, parameters):
    X, y = table(2, is_classifier(make))
    model = make(**parameters).set_params(forbidden_features=list(range(P))).fit(X, y)
    assert {tree.n_nodes for tree in trees_of(model)} == {1}
    assert len(np.unique(answers(model, X), axis=0)) == 1


def test_trees_can_be_looked_at_while_a_forest_grows_and_are_numbered_as_the_table_is():
    X, y = table(5, of_classes=True)
    seen = []

    class Watched(learners.RandomForestClassifier):
        def _grow_all(self, training, progress, executor):
            super()._grow_all(training, progress, executor)
            seen.append(self.trees_so_far())

    model = Watched(n_estimators=4, random_state=0, forbidden_features=FORBIDDEN).fit(X, y)
    for early, late in zip(seen[0].values(), model.forest_.trees, strict=True):
        np.testing.assert_array_equal(early.feature, late.feature)


def test_a_forest_that_goes_on_keeps_the_numbers_of_its_first_trees():
    X, y = table(6, of_classes=True)
    forest = learners.RandomForestClassifier(
        n_estimators=3, random_state=0, forbidden_features=FORBIDDEN, warm_start=True
    )
    forest.fit(X, y)
    forest.set_params(n_estimators=6).fit(X, y)
    whole = learners.RandomForestClassifier(n_estimators=6, random_state=0, forbidden_features=FORBIDDEN).fit(X, y)
    np.testing.assert_array_equal(forest.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("method", ["sampled", "exact"])
def test_an_approximation_tree_asks_about_allowed_columns_alone_and_its_model_about_all(method):
    X, y = table(7, of_classes=True)
    X = np.nan_to_num(X)
    model = learners.RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    free = learners.ApproximationClassifier(model, max_depth=3, max_samples=5000, method=method, random_state=0)
    tree = unfitted(free).set_params(forbidden_features=FORBIDDEN).fit(X).tree_
    assert asked(tree)
    assert asked(tree) <= set(ALLOWED)
    assert asked(free.fit(X).tree_) & set(FORBIDDEN)
