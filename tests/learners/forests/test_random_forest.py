"""Random forests: by hand, against naive versions and scikit-learn, and by laws."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_regression
from sklearn.ensemble import RandomForestClassifier as TheirClassifier
from sklearn.ensemble import RandomForestRegressor as TheirRegressor
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from espalier.data import samples
from espalier.forests.growth import permutation_importance
from espalier.kernels.forest.bootstrap import draw
from espalier.kernels.forest.packed import pack_forest
from espalier.kernels.route import leaf_of
from espalier.learners import (
    CartClassifier,
    CartRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.learners.forests.predictor import ForestPredictor
from espalier.trees import make_forest
from tests.tools.same_trees import same_but_for_rounding

X, y = (np.asarray(a) for a in load_iris(return_X_y=True))
NUMBERS_X, NUMBERS = (np.asarray(a) for a in make_regression(120, 5, noise=5, random_state=0))
GAPS = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
MIXED = np.column_stack([GAPS, np.arange(len(X)) % 7, np.floor(X[:, 0])])


def small(**parameters) -> RandomForestClassifier:
    return RandomForestClassifier(n_estimators=8, random_state=0).set_params(**parameters)


def small_of_numbers(**parameters) -> RandomForestRegressor:
    return RandomForestRegressor(n_estimators=8, random_state=0).set_params(**parameters)


# ---- by hand


def test_three_stumps_by_hand_vote_and_average():
    """Shares of class 1 on the left and right of each stump: (1, 0), (0.4, 1), (0.4, 0)."""
    cart = CartClassifier(max_depth=1)
    shares = [(1.0, 0.0), (0.4, 1.0), (0.4, 0.0)]
    trees = []
    for left, right in shares:
        tree = cart.fit([[0.0], [1.0]], [0, 1]).tree_
        value = np.array([[0.5, 0.5], [1 - left, left], [1 - right, right]])
        trees.append(tree._replace(value=value))
    for voting, expected in (("average", [1.8 / 3, 1 / 3]), ("majority", [1 / 3, 1 / 3])):
        forest = small(voting=voting, bootstrap=False).fit([[0.0], [1.0]], [0, 1])
        forest.predictor_ = ForestPredictor(
            pack_forest(make_forest(trees, [1, 1, 1], "votes" if voting == "majority" else "mean", [0.5, 0.5]))
        )
        assert forest.predict_proba([[0.0], [1.0]])[:, 1] == pytest.approx(expected)


def test_of_two_equal_classes_a_leaf_votes_for_the_first():
    forest = small(voting="majority", bootstrap=False).fit([[1.0], [1.0]], ["b", "a"])
    assert forest.predict_proba([[1.0]]).tolist() == [[1.0, 0.0]]
    assert forest.predict([[1.0]]) == "a"


def test_every_sample_is_drawn_as_often_as_any_other_and_stands_in_the_root_of_its_tree():
    extra = ExtraTreesClassifier(n_estimators=8, bootstrap=True, random_state=0)
    for forest in (extra.fit(X, y), small().fit(X, y)):
        for tree, seen in zip(forest.forest_.trees, forest.in_bag(), strict=True):
            assert seen.sum() == tree.n_samples[0] == len(X)
            assert tree.value[0] == pytest.approx(np.bincount(y, weights=seen) / len(X))
    assert 0.55 < (forest.in_bag() > 0).mean() < 0.72  # 1 - 1/e
    counts = sum(draw(seed, 20)[0].astype(int) for seed in range(2000))
    assert counts == pytest.approx(np.full(20, 2000), abs=5 * np.sqrt(2000))


# ---- naive versions


def grown_on(forest, X, y, times: np.ndarray):
    """CART with all features on the drawn samples, written out one after the other."""
    rows = np.repeat(np.arange(len(X)), times)
    learner = CartClassifier if isinstance(forest, RandomForestClassifier) else CartRegressor
    common = learner().get_params().keys() & forest.get_params().keys()
    return learner(**{name: forest.get_params()[name] for name in common}).fit(X[rows], y[rows]).tree_


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
@pytest.mark.parametrize("labels", [y, (y > 0).astype(int)], ids=["three classes", "two classes"])
def test_tree_of_a_bootstrap_sample_is_cart_of_the_samples_written_out(criterion, labels):
    forest = small(criterion=criterion, max_features=None, categorical_features=[4], min_samples_leaf=2)
    forest.fit(MIXED, labels)
    for tree, seen in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        same_but_for_rounding(tree, grown_on(forest, MIXED, labels, seen))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_regression_tree_of_a_bootstrap_sample_is_cart_of_the_samples_written_out(criterion):
    depth = 6 if criterion == "squared_error" else 4  # deeper, features that part a node alike differ by rounding
    forest = small_of_numbers(criterion=criterion, max_features=None, max_depth=depth).fit(NUMBERS_X, NUMBERS)
    for tree, seen in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        same_but_for_rounding(tree, grown_on(forest, NUMBERS_X, NUMBERS, seen))


@pytest.mark.parametrize("voting", ["average", "majority"])
def test_forest_predicts_the_mean_of_its_trees_or_of_their_votes(voting):
    forest = small(voting=voting, categorical_features=[4], max_depth=3).fit(MIXED, y)
    shares = [tree.value[leaf_of(tree, MIXED)] for tree in forest.forest_.trees]
    if voting == "majority":
        shares = [np.eye(3)[share.argmax(axis=1)] for share in shares]
    assert forest.predict_proba(MIXED) == pytest.approx(np.mean(shares, axis=0), abs=1e-12)


def test_apply_says_the_leaf_of_every_tree():
    forest = small().fit(X, y)
    leaves = forest.apply(X)
    assert leaves.shape == (len(X), 8)
    assert all(np.array_equal(leaves[:, i], leaf_of(tree, X)) for i, tree in enumerate(forest.forest_.trees))


def naive_judgement(forest, X, y, weight, errors_of):
    """Prediction of each sample by the trees that did not see it, and the error after each tree."""
    value = np.zeros((len(X), forest.forest_.trees[0].value.shape[1]))
    votes, errors = np.zeros(len(X)), []
    for tree, seen in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        for row in np.flatnonzero(seen == 0):
            value[row] += tree.value[leaf_of(tree, X[[row]])[0]]
            votes[row] += 1
        judged = np.flatnonzero(votes)
        means = value[judged] / votes[judged, None]
        errors.append(np.average(errors_of(means, y[judged]), weights=weight[judged]))
    value[votes > 0] /= votes[votes > 0, None]
    value[votes == 0] = np.nan
    return value, np.array(errors)


def test_out_of_bag_values_and_errors_are_those_of_a_naive_version():
    weight = np.linspace(0.5, 1.5, len(X))
    forest = small(oob_score=True, max_depth=2, categorical_features=[4]).fit(MIXED, y, weight)
    value, errors = naive_judgement(forest, MIXED, y, weight, lambda means, y: means.argmax(axis=1) != y)
    assert np.isnan(value).any()
    assert forest.oob_decision_function_ == pytest.approx(value, abs=1e-12, nan_ok=True)
    assert forest.oob_errors_ == pytest.approx(errors, abs=1e-12)
    weight = np.linspace(0.5, 1.5, len(NUMBERS))
    forest = small_of_numbers(oob_score=True).fit(NUMBERS_X, NUMBERS, weight)
    value, errors = naive_judgement(forest, NUMBERS_X, NUMBERS, weight, lambda m, y: (m[:, 0] - y) ** 2)
    assert forest.oob_prediction_ == pytest.approx(value[:, 0], abs=1e-9, nan_ok=True)
    assert forest.oob_errors_ == pytest.approx(errors, rel=1e-9)


def test_importance_is_zero_for_what_no_tree_asks_and_largest_for_what_decides():
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(300, 2)), np.ones(300)])
    labels = table[:, 1] > 0
    forest = small(n_estimators=50, max_features=None, max_depth=1).fit(table, labels)
    found = permutation_importance(forest, table, labels)
    assert found.mean[[0, 2]].tolist() == [0, 0]  # every tree asks about feature 1 alone
    assert found.mean[1] == pytest.approx(0.5, abs=0.05)  # shuffled, it is right half of the time
    assert found.spread[1] == pytest.approx(found.rises[:, 1].std())
    assert found.rises.shape == (50, 3)


def test_importance_is_near_that_of_a_naive_version():
    forest = small_of_numbers(n_estimators=60).fit(NUMBERS_X, NUMBERS)
    rng, rises = np.random.default_rng(1), []
    for tree, seen in zip(forest.forest_.trees, forest.in_bag(), strict=True):
        table, numbers = NUMBERS_X[seen == 0], NUMBERS[seen == 0]
        shuffled = [table.copy() for _ in range(5)]
        for feature in range(5):
            shuffled[feature][:, feature] = rng.permutation(table[:, feature])
        errors = [np.mean((tree.value[leaf_of(tree, t), 0] - numbers) ** 2) for t in [table, *shuffled]]
        rises.append(np.array(errors[1:]) - errors[0])
    naive, ours = np.stack(rises), permutation_importance(forest, NUMBERS_X, NUMBERS)
    noise = 5 * np.hypot(naive.std(axis=0), ours.spread) / np.sqrt(60)
    assert (np.abs(naive.mean(axis=0) - ours.mean) < noise).all()
    assert ours.spread == pytest.approx(naive.std(axis=0), rel=0.5)
    on_threads = permutation_importance(forest.set_params(n_jobs=3), NUMBERS_X, NUMBERS)
    assert np.array_equal(on_threads.rises, ours.rises)


# ---- against scikit-learn


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["moons", "iris", "wine", "breast-cancer", "questionnaire", "tic-tac-toe"])
def test_accuracy_and_area_under_the_curve_are_within_noise_of_scikit_learns_over_twenty_seeds(name):
    data = samples.load(name)
    differences = []
    for seed in range(20):
        split = train_test_split(data.X, data.y, test_size=0.4, random_state=seed, stratify=data.y)
        ours, theirs = (scores_of(learner, seed, *split) for learner in (RandomForestClassifier, TheirClassifier))
        differences.append(np.subtract(ours, theirs))
    noise = np.std(differences, axis=0, ddof=1) / np.sqrt(20)
    assert (np.abs(np.mean(differences, axis=0)) < 3 * noise + 0.002).all()


def scores_of(learner: Any, seed: int, *split) -> tuple[float, float]:
    train, test, known, hidden = split
    model = learner(n_estimators=31, random_state=seed).fit(train, known)  # odd: ties are broken differently
    shares = model.predict_proba(test)
    of_one = shares[:, 1] if shares.shape[1] == 2 else shares
    return model.score(test, hidden), float(roc_auc_score(hidden, of_one, multi_class="ovr"))


def test_error_on_diabetes_is_within_noise_of_scikit_learns_over_ten_seeds():
    table, numbers = load_diabetes(return_X_y=True)
    ratios = []
    for seed in range(10):
        train, test, known, hidden = train_test_split(table, numbers, test_size=0.4, random_state=seed)
        ours = RandomForestRegressor(n_estimators=50, random_state=seed).fit(train, known)
        theirs = TheirRegressor(n_estimators=50, max_features=1 / 3, random_state=seed).fit(train, known)
        ratios.append(np.mean((ours.predict(test) - hidden) ** 2) / np.mean((theirs.predict(test) - hidden) ** 2))
    assert np.mean(ratios) == pytest.approx(1, abs=0.02)


def test_out_of_bag_error_is_near_scikit_learns():
    table, labels = load_breast_cancer(return_X_y=True)
    ours = RandomForestClassifier(oob_score=True, random_state=0).fit(table, labels)
    theirs = TheirClassifier(oob_score=True, random_state=0).fit(table, labels)
    assert ours.oob_errors_[-1] == pytest.approx(1 - theirs.oob_score_, abs=0.015)
    assert np.abs(ours.oob_decision_function_ - theirs.oob_decision_function_).mean() < 0.04


# ---- laws


def test_samples_of_weight_zero_are_not_judged():
    weight = (np.arange(len(X)) % 3 > 0).astype(float)
    here = weight > 0
    forest = small(oob_score=True).fit(X, y, sample_weight=weight)
    without = small(oob_score=True).fit(X[here], y[here])
    assert np.isnan(forest.oob_decision_function_[~here]).all()
    assert np.array_equal(forest.oob_decision_function_[here], without.oob_decision_function_, equal_nan=True)
    assert np.array_equal(
        permutation_importance(forest, X, y, weight).rises, permutation_importance(without, X[here], y[here]).rises
    )


def test_classes_of_equal_weight_take_part_equally():
    few = np.flatnonzero((y > 0) | (np.arange(len(y)) < 10))
    forest = small(class_weight="balanced", n_estimators=60).fit(X[few], y[few])
    roots = np.mean([tree.value[0] for tree in forest.forest_.trees], axis=0)
    assert roots == pytest.approx(np.full(3, 1 / 3), abs=0.06)


def test_missing_values_and_unknown_categories_are_predicted():
    forest = small(categorical_features=[4]).fit(MIXED, y)
    assert forest.score(MIXED, y) > 0.9
    strange = MIXED.copy()
    strange[:, 4] = 63
    strange[:, 0] = np.nan
    assert np.isfinite(forest.predict_proba(strange)).all()


def test_a_record_of_trees_survives_pickling_with_shares_for_weights():
    record = make_forest(small().fit(X, y).forest_.trees, [2] * 8, "mean", [1 / 3] * 3)
    assert record.n_trees == 8
    assert pickle.loads(pickle.dumps(record)).weight.tolist() == [1 / 8] * 8


# ---- progress and errors


def test_fitting_again_forgets_the_estimates_of_the_earlier_fit():
    forest = small(oob_score=True).fit(X, y)
    assert not hasattr(forest.set_params(oob_score=False).fit(X, y), "oob_errors_")
    assert not hasattr(clone(forest), "forest_")


def test_importance_says_what_does_not_fit_the_forest():
    forest = small().fit(X, y)
    with pytest.raises(ValueError, match=r"grew on X of shape \(150, 4\)"):
        permutation_importance(forest, X[:9], y[:9])
    with pytest.raises(ValueError, match="y has the shape"):
        permutation_importance(forest, X, y[:9], np.ones(150))
    with pytest.raises(ValueError, match="y has classes"):
        permutation_importance(forest, X, y + 1)
    with pytest.raises(ValueError, match="bootstrap=True"):
        permutation_importance(small(bootstrap=False).fit(X, y), X, y)
