"""Random forests and extremely randomised trees: by hand, against naive versions and scikit-learn, and by laws."""

import pickle
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import chisquare, kstest
from sklearn import ensemble
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine, make_regression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import ShuffleSplit, cross_val_score, train_test_split

from espalier import learners
from espalier.data import samples
from espalier.forests.growth import permutation_importance
from espalier.kernels.forest.bootstrap import draw
from espalier.kernels.forest.grow_random import draw_set, draw_threshold
from espalier.kernels.forest.packed import pack_forest
from espalier.kernels.randomness import below, child_seed
from espalier.kernels.route import leaf_of
from espalier.learners import CartClassifier, ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier
from espalier.learners.forests.predictor import ForestPredictor
from espalier.trees import LEAF, make_forest
from tests.tools.forests import MIXED, X, y
from tests.tools.same_trees import same_but_for_rounding

NUMBERS_X, NUMBERS = (np.asarray(a) for a in make_regression(120, 5, noise=5, random_state=0))


def small(**parameters) -> RandomForestClassifier:
    return RandomForestClassifier(n_estimators=8, random_state=0).set_params(**parameters)


def small_of_numbers(**parameters) -> learners.RandomForestRegressor:
    return learners.RandomForestRegressor(n_estimators=8, random_state=0).set_params(**parameters)


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
    extra = learners.ExtraTreesClassifier(n_estimators=8, bootstrap=True, random_state=0)
    for forest in (extra.fit(X, y), small().fit(X, y)):
        for tree, seen in zip(forest.forest_.trees, forest.in_bag(), strict=True):
            assert seen.sum() == tree.n_samples[0] == len(X)
            assert tree.value[0] == pytest.approx(np.bincount(y, weights=seen) / len(X))
    assert 0.55 < (forest.in_bag() > 0).mean() < 0.72  # 1 - 1/e
    counts = sum(draw(seed, 20)[0].astype(int) for seed in range(2000))
    assert counts == pytest.approx(np.full(20, 2000), abs=5 * np.sqrt(2000))


def grown_on(forest, X, y, times: np.ndarray):
    """CART with all features on the drawn samples, written out one after the other."""
    rows = np.repeat(np.arange(len(X)), times)
    learner = CartClassifier if isinstance(forest, RandomForestClassifier) else learners.CartRegressor
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
    rows = np.vstack([MIXED, MIXED])
    rows[len(MIXED) :, [0, 4]] = np.nan, 63  # missing, and a category that was never seen
    shares = [tree.value[leaf_of(tree, rows)] for tree in forest.forest_.trees]
    if voting == "majority":
        shares = [np.eye(3)[share.argmax(axis=1)] for share in shares]
    assert forest.predict_proba(rows) == pytest.approx(np.mean(shares, axis=0), abs=1e-12)


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


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["moons", "iris", "wine", "breast-cancer", "questionnaire", "tic-tac-toe"])
def test_accuracy_and_area_under_the_curve_are_within_noise_of_scikit_learns_over_twenty_seeds(name):
    data = samples.load(name)
    differences = []
    for seed in range(20):
        split = train_test_split(data.X, data.y, test_size=0.4, random_state=seed, stratify=data.y)
        ours, theirs = (scores_of(kind.RandomForestClassifier, seed, *split) for kind in (learners, ensemble))
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
        ours = learners.RandomForestRegressor(n_estimators=50, random_state=seed).fit(train, known)
        theirs = ensemble.RandomForestRegressor(50, max_features=1 / 3, random_state=seed).fit(train, known)
        ratios.append(np.mean((ours.predict(test) - hidden) ** 2) / np.mean((theirs.predict(test) - hidden) ** 2))
    assert np.mean(ratios) == pytest.approx(1, abs=0.02)


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


def test_a_record_of_trees_survives_pickling_with_shares_for_weights():
    record = make_forest(small().fit(X, y).forest_.trees, [2] * 8, "mean", [1 / 3] * 3)
    assert record.n_trees == 8
    assert pickle.loads(pickle.dumps(record)).weight.tolist() == [1 / 8] * 8


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


RNG = np.random.default_rng(0)
PRODUCTS = X[:, 0] * X[:, 2] + RNG.normal(size=len(X))


def few(**parameters) -> ExtraTreesClassifier:
    return ExtraTreesClassifier(n_estimators=8, random_state=0).set_params(**parameters)


def few_of_numbers(**parameters) -> ExtraTreesRegressor:
    return ExtraTreesRegressor(n_estimators=8, random_state=0).set_params(**parameters)


def stumps(column, n: int) -> list:
    """Trees of one split on one column, whose two halves have other classes."""
    classes = np.arange(len(column)) >= len(column) // 2
    forest = ExtraTreesClassifier(n_estimators=n, max_depth=1, random_state=0)
    return list(forest.fit(np.asarray(column, dtype=float)[:, None], classes).forest_.trees)


def test_thresholds_are_uniform_between_the_least_and_the_greatest_value():
    thresholds = [tree.threshold[0] for tree in stumps([3.0, 3.1, 3.5, 7.0], 2000)]
    assert kstest(thresholds, "uniform", (3.0, 4.0)).pvalue > 0.01


def test_neighbouring_numbers_and_very_far_ones_are_parted():
    for low, high in ((1.0, np.nextafter(1.0, 2.0)), (-1e99, 1e99), (0.0, 5e-324)):
        (tree,) = stumps([low, high], 1)
        assert low <= tree.threshold[0] < high
        assert tree.n_leaves == 2


def test_every_proper_set_of_categories_is_as_likely_and_unseen_ones_go_either_way():
    codes = np.arange(60) % 3
    forest = ExtraTreesClassifier(n_estimators=1200, max_depth=1, random_state=0, categorical_features=[0])
    trees = forest.fit(codes[:, None], np.arange(60) >= 30).forest_.trees
    drawn = Counter(int(tree.categories[0]) & 7 for tree in trees)
    assert set(drawn) == {1, 2, 3, 4, 5, 6}
    assert chisquare(list(drawn.values())).pvalue > 0.01
    forest = ExtraTreesClassifier(n_estimators=400, max_depth=1, random_state=0, categorical_features=[0])
    trees = forest.fit(np.arange(60)[:, None] % 3, np.arange(60) >= 30).forest_.trees
    left = sum(int(tree.categories[0]) >> 5 & 1 for tree in trees)
    assert abs(left - 200) < 4 * np.sqrt(400 / 4)


def test_missing_values_go_to_the_better_side_and_are_parted_from_a_single_value():
    column = np.array([0.0, 1.0, np.nan, np.nan])[:, None]
    for classes, on_left in (([0, 1, 0, 0], True), ([0, 1, 1, 1], False)):
        tree = few(n_estimators=1, max_depth=1).fit(column, classes).forest_.trees[0]
        assert 0.0 <= tree.threshold[0] < 1.0
        assert tree.missing_left[0] == on_left
        assert tree.impurity[1:].tolist() == [0.0, 0.0]
    tree = few(n_estimators=1).fit([[1.0], [np.nan], [1.0]], [0, 1, 0]).forest_.trees[0]
    assert tree.threshold[0] == np.inf
    assert not tree.missing_left[0]


# ---- Extremely randomised trees, naively: node by node, with the kernels' random numbers and no speed.
# Geurts, Ernst & Wehenkel (2006), table 1. Every function takes the samples of one node.


class Split(NamedTuple):
    feature: int
    threshold: float  # nan for categories
    categories: int
    left: np.ndarray  # (n,) bool
    loss: float  # weighted impurity of both sides


def sum_of_squares(y: np.ndarray, weight: np.ndarray) -> float:
    """Weight times impurity of a node; for classes, each a column of 0 and 1, that is the gini impurity."""
    total = weight.sum()
    mean = (weight[:, None] * y).sum(axis=0) / total
    return float((weight[:, None] * (y - mean) ** 2).sum())


def candidates(x: np.ndarray, is_category: bool, state: np.ndarray) -> list[tuple[float, int, np.ndarray]]:
    """The random cut of one feature, missing values on the right and on the left."""
    known = ~np.isnan(x)
    if not known.any() or (known.all() and x.min() == x.max()):
        return []
    values = x[known]
    threshold, categories = np.inf, 0
    if is_category:
        threshold, present = np.nan, sum(1 << int(code) for code in np.unique(values))
        some = len(np.unique(values)) > 1
        categories = int(draw_set(np.uint64(present), state)) if some else present
        left = np.array([code == code and bool(categories >> int(code) & 1) for code in np.nan_to_num(x)]) & known
    else:
        if values.min() < values.max():
            threshold = float(draw_threshold(values.min(), values.max(), state))
        left = x <= threshold
    both = [(threshold, categories, left)]
    return both if known.all() else [*both, (threshold, categories, left | ~known)]


def best_split(X: np.ndarray, y: np.ndarray, weight: np.ndarray, about: Any, seed: np.uint64) -> Split | None:
    """The best of the random cuts; `about` has is_category, max_features and min_leaf."""
    p, state, best, varied = X.shape[1], np.array([seed], np.uint64), None, False
    order = np.arange(p)
    for i in range(p):
        if i >= (1 if len(X) == 2 else about["max_features"]) and varied:
            break
        j = i + below(state, p - i)
        order[i], order[j] = order[j], order[i]
        feature = int(order[i])
        cuts = candidates(X[:, feature], bool(about["is_category"][feature]), state)
        varied = varied or bool(cuts)
        for threshold, categories, left in cuts:
            if min(left.sum(), (~left).sum()) < max(about["min_leaf"], 1):
                continue
            loss = sum_of_squares(y[left], weight[left]) + sum_of_squares(y[~left], weight[~left])
            if best is None or loss < best.loss * (1 - 1e-12):
                best = Split(feature, threshold, categories, left, loss)
    return best


def grown(X: np.ndarray, y: np.ndarray, weight: np.ndarray, about: Any, seed: np.uint64) -> list[tuple]:
    """The nodes in preorder: feature, threshold, categories that go left and are there, samples."""
    pure = bool((y == y[0]).all())
    found = None if pure else best_split(X, y, weight, about, seed)
    if found is None:
        return [(-1, np.nan, 0, len(X))]
    nodes: list[tuple] = [(found.feature, found.threshold, found.categories, len(X))]
    for side, rows in ((True, found.left), (False, ~found.left)):
        nodes += grown(X[rows], y[rows], weight[rows], about, np.uint64(child_seed(seed, side) % 2**64))
    return nodes


def nodes_of(tree) -> list[tuple]:
    return list(zip(tree.feature, tree.threshold, tree.categories.tolist(), tree.n_samples, strict=True))


@pytest.mark.parametrize("least", [1, 4])
@pytest.mark.parametrize("tried", [1, 2, 5])
@pytest.mark.parametrize("by_class", [True, False])
def test_trees_are_those_of_the_naive_version(by_class, tried, least):
    make = few if by_class else few_of_numbers
    goal = y if by_class else PRODUCTS
    weight = 1.0 + np.arange(len(X)) % 3
    forest = make(max_features=tried, min_samples_leaf=least, categorical_features=[4], n_estimators=3)
    forest.fit(MIXED[:, :5], goal, sample_weight=weight)
    outputs = np.eye(3)[y] if by_class else (PRODUCTS - PRODUCTS.mean())[:, None]
    about = {"is_category": np.arange(5) == 4, "max_features": tried, "min_leaf": least}
    for number, tree in enumerate(forest.forest_.trees):
        seed = np.uint64(forest.estimators_[number].random_state)
        expected = grown(MIXED[:, :5], outputs, weight, about, seed)
        for ours, theirs in zip(nodes_of(tree), expected, strict=True):
            assert ours == pytest.approx(theirs, nan_ok=True)


@pytest.mark.few(2)
@pytest.mark.parametrize("data", [load_iris, load_wine, load_breast_cancer, load_diabetes])
def test_predictions_are_as_good_as_scikit_learns(data):
    table, goal = data(return_X_y=True)
    of_numbers = (ExtraTreesRegressor, ensemble.ExtraTreesRegressor)
    pair = of_numbers if data is load_diabetes else (ExtraTreesClassifier, ensemble.ExtraTreesClassifier)
    folds = ShuffleSplit(12, test_size=0.3, random_state=0)
    ours, theirs = (cross_val_score(m(n_estimators=30, random_state=1), table, goal, cv=folds) for m in pair)
    noise = np.std(ours - theirs, ddof=1) / np.sqrt(len(ours))
    assert abs(np.mean(ours - theirs)) < 4 * noise + 1e-3


def test_without_bootstrap_every_tree_has_all_samples():
    forest = few().fit(X, y)
    assert (forest.in_bag() == 1).all()
    assert all(tree.n_samples[0] == len(X) for tree in forest.forest_.trees)
    assert forest.score(X, y) == 1.0  # trees end in pure leaves
    with pytest.raises(ValueError, match="bootstrap=True"):
        few(oob_score=True).fit(X, y)


def test_other_criteria_grow_trees():
    for criterion in ("entropy", "misclassification", "gain_ratio"):
        assert few(criterion=criterion).fit(MIXED[:, :5], y).score(MIXED[:, :5], y) > 0.9
    for criterion in ("absolute_error", "poisson"):
        assert few_of_numbers(criterion=criterion).fit(X, y + 1.0).score(X, y + 1.0) > 0.9


def test_limits_hold_in_every_tree():
    weight = 1.0 + np.arange(len(X)) % 2
    forest = few(max_depth=4, min_samples_split=20, min_weight_fraction_leaf=0.05, min_impurity_decrease=0.01)
    for tree in forest.fit(X, y, sample_weight=weight).forest_.trees:
        inner = tree.feature != LEAF
        assert tree.depth <= 4
        assert tree.n_samples[inner].min() >= 20
        assert tree.weight.min() >= 0.05 * weight.sum() * (1 - 1e-12)
        after = tree.weight * tree.impurity / weight.sum()
        assert (after[inner] - after[tree.left[inner]] - after[tree.right[inner]] > 0.01 - 1e-9).all()
    assert max(tree.n_leaves for tree in few(max_leaf_nodes=5).fit(X, y).forest_.trees) == 5


def test_a_tree_alone_is_a_tree_of_random_thresholds():
    forest = few().fit(X, y)
    assert isinstance(forest[0], CartClassifier)
    assert forest[0].splitter == "random"
    assert np.array_equal(forest[0].apply(X), forest.apply(X)[:, 0])
