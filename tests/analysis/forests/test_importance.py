"""What features are worth to forests of any trees, on rows of any kind."""

import numpy as np
import pytest

from espalier.analysis.forests.importance import Importance, importance_of, permutation_importance
from espalier.data import samples
from espalier.kernels.forest.out_of_bag import WeightedTarget
from espalier.learners import BaggedForestClassifier, CartClassifier, CultivatedForestClassifier


@pytest.fixture(scope="module")
def bagged():
    data = samples.load("iris")
    estimator = BaggedForestClassifier(CartClassifier(max_depth=1), n_estimators=8, random_state=0)
    return data, estimator.fit(data.X, data.y)


def test_a_feature_that_no_tree_asks_about_is_worth_nothing_and_one_that_all_ask_about_is(bagged):
    data, estimator = bagged
    asked = {int(tree.feature[0]) for tree in estimator.forest_.trees}
    found = permutation_importance(estimator, data.X, data.y)
    for feature in range(4):
        assert (found.mean[feature] > 0.05) == (feature in asked)
        assert feature in asked or not found.rises[:, feature].any()


def test_rows_that_no_tree_saw_can_be_asked_as_well(bagged):
    data, estimator = bagged
    target = WeightedTarget(data.y.astype(float), np.ones(len(data.y)), True)
    nobody = np.zeros((8, len(data.y)), np.uint8)
    found = importance_of(estimator.forest_, data.X, target, nobody)
    assert found.rises.shape == (8, 4)
    with pytest.raises(ValueError, match="every tree saw every sample"):
        importance_of(estimator.forest_, data.X, target, nobody + 1)


def test_the_rise_is_that_of_the_error_with_the_feature_shuffled(bagged):
    data, estimator = bagged
    tree = estimator.forest_.trees[0]
    feature, k = int(tree.feature[0]), len(data.classes)
    target, nobody = (
        WeightedTarget(data.y.astype(float), np.ones(len(data.y)), True),
        np.zeros((8, len(data.y)), np.uint8),
    )
    rises = [importance_of(estimator.forest_, data.X, target, nobody, s).rises[0, feature] for s in range(200)]
    goes_left = data.X[:, feature] <= tree.threshold[0]
    says = np.where(goes_left, tree.value[1].argmax(), tree.value[2].argmax())
    share = goes_left.mean()  # shuffled, a row goes left with this chance whatever its class
    left, right = (np.bincount(data.y, minlength=k)[int(tree.value[i].argmax())] / len(data.y) for i in (1, 2))
    expected = (1 - share * left - (1 - share) * right) - np.mean(says != data.y)
    assert np.mean(rises) == pytest.approx(expected, abs=5 * np.std(rises) / np.sqrt(len(rises)))


def test_trees_that_hesitate_are_refused():
    data = samples.load("iris")
    forest = CultivatedForestClassifier(n_estimators=2, max_depth=1, random_state=0).fit(data.X, data.y)
    with pytest.raises(ValueError, match="several leaves of a cultivated tree"):
        permutation_importance(forest, data.X, data.y)


def test_the_standard_error_of_the_mean_shrinks_with_the_number_of_trees_and_one_tree_has_none():
    rises = np.array([[0.1, 0.0], [0.3, 0.0]])
    few, many = (Importance(r.mean(axis=0), r.std(axis=0), r) for r in (rises, np.tile(rises, (50, 1))))
    assert few.error == pytest.approx([0.1, 0])  # ± 0.1 about 0.2: s = 0.1414, s / √2
    assert many.error[0] == pytest.approx(few.error[0] / np.sqrt(99))
    assert np.isnan(Importance(rises[0], rises[0], rises[:1]).error).all()
