"""The learners keep scikit-learn's manners: its own checks pass, and what it has is here under the same names."""

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn import ensemble
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

import espalier.learners
from espalier import learners
from espalier.learners import BaggedForestClassifier, CartClassifier, OptimalClassifier, RandomForestClassifier
from espalier.trees import is_leaf, parents
from tests.tools.every_learner import every, ids

OTHERS: list[Any] = [
    CartClassifier(splitter="random", max_features="sqrt", random_state=0),
    learners.CultivatedClassifier(max_features="sqrt", random_state=0, k="all"),
    OptimalClassifier(max_depth=2, min_weight_fraction_leaf=0.05),
    OptimalClassifier(max_depth=2, max_splits=2, max_thresholds=4),
    OptimalClassifier(max_depth=2, binarisation="forest", random_state=0),
    RandomForestClassifier(),
    RandomForestClassifier(n_estimators=5, splitter="random", max_leaf_nodes=8),
    RandomForestClassifier(n_estimators=5, voting="majority", oob_score=True, n_jobs=2),
    *(kind(n_estimators=5, bootstrap=False) for kind in (RandomForestClassifier, learners.RandomForestRegressor)),
    learners.ExtraTreesRegressor(n_estimators=5, keep_leaves=True),
    learners.CultivatedForestRegressor(n_estimators=3, bootstrap=True),
    BaggedForestClassifier(n_estimators=5, voting="oob", oob_score=True, n_jobs=2),
    BaggedForestClassifier(OptimalClassifier(max_depth=2), 3, voting="validation"),
    BaggedForestClassifier(OptimalClassifier(max_depth=2), 3, decorrelated=True, max_choices=5),
    learners.SubspaceForestClassifier(n_estimators=5, draw="soft", voting="validation"),
    learners.SubspaceForestClassifier(learners.CultivatedClassifier(), 5, draw="hard"),
    learners.SubspaceForestRegressor(learners.CultivatedRegressor(), 5),
    learners.RootForestClassifier(OptimalClassifier(max_depth=2), 5),
    learners.BoostedForestClassifier(OptimalClassifier(max_depth=2), 5),
]


def not_met(estimator) -> dict[str, str]:
    """Checks that an estimator cannot pass, and why."""
    name = "check_sample_weight_equivalence_on_dense_data"  # as scikit-learn says of its own forests
    if "Bagged" in ids(estimator) or getattr(estimator, "bootstrap", False):
        return {name: "a draw of n samples differs from one of more"}
    return {name: "half of n samples differs from half of more"} if "validation" in str(estimator) else {}


@pytest.mark.parametrize(
    "estimator", [*every(), *(pytest.param(other, marks=pytest.mark.slow) for other in OTHERS)], ids=ids
)
def test_scikit_learns_own_checks_pass(estimator):
    checks = check_estimator(estimator, expected_failed_checks=not_met(estimator), on_skip=None)
    assert len(checks) > 40


def test_what_scikit_learns_forests_take_by_position_ours_take_by_position():
    def by_position(learner):
        every = inspect.signature(learner).parameters.values()
        return [one.name for one in every if one.kind is one.POSITIONAL_OR_KEYWORD]

    for name in ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"):
        assert by_position(getattr(learners, name)) == by_position(getattr(ensemble, name)) != [], name
    assert by_position(learners.BaggedForestClassifier) == by_position(ensemble.BaggingClassifier)


# What scikit-learn's trees and forests have, compared on trees without ties
X, Y = (
    np.asarray(a)
    for a in make_classification(200, 6, n_informative=4, n_classes=3, class_sep=0.5, flip_y=0.2, random_state=0)
)
NUMBERS = np.asarray(make_regression(200, 6, noise=20.0, random_state=1)[1])
WEIGHT = np.random.default_rng(0).random(200) + 0.5
SMALL: Any = {"max_depth": 4, "min_samples_leaf": 8, "random_state": 0}  # no two splits of a node are equally good
PAIRS = {
    "gini": (CartClassifier(**SMALL), DecisionTreeClassifier(**SMALL), Y),
    "entropy": (
        CartClassifier(criterion="entropy", **SMALL),
        DecisionTreeClassifier(criterion="entropy", **SMALL),
        Y,
    ),
    "squared error": (learners.CartRegressor(**SMALL), DecisionTreeRegressor(**SMALL), NUMBERS),
}


@pytest.fixture(params=PAIRS)
def pair(request):
    """Our tree and theirs, fitted alike, and what they were fitted to."""
    ours, theirs, y = PAIRS[request.param]
    return ours.fit(X, y, sample_weight=WEIGHT), theirs.fit(X, y, sample_weight=WEIGHT), y


def test_a_tree_has_the_numbers_of_scikit_learns(pair):
    ours, theirs, _ = pair
    for name in ("children_left", "children_right", "n_node_samples", "weighted_n_node_samples", "impurity"):
        assert getattr(ours.tree_, name) == pytest.approx(getattr(theirs.tree_, name)), name
    for name in ("node_count", "max_depth", "n_leaves"):
        assert getattr(ours.tree_, name) == getattr(theirs.tree_, name)
    assert (ours.get_depth(), ours.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())


def test_importances_and_paths_are_scikit_learns(pair):
    ours, theirs, _ = pair
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_)
    assert np.array_equal(ours.apply(X), theirs.apply(X))
    mine, other = ours.decision_path(X), theirs.decision_path(X)
    assert sparse.issparse(mine)
    assert (mine.format, mine.dtype) == ("csr", other.dtype)
    assert (mine != other).nnz == 0


def test_the_pruning_path_is_scikit_learns(pair):
    ours, theirs, y = pair
    mine = ours.cost_complexity_pruning_path(X, y, sample_weight=WEIGHT)
    other = theirs.cost_complexity_pruning_path(X, y, sample_weight=WEIGHT)
    assert mine.ccp_alphas == pytest.approx(other.ccp_alphas)
    assert mine.impurities == pytest.approx(other.impurities)
    pruned = type(ours)(ccp_alpha=mine.ccp_alphas[-1] * 1.01, **SMALL).fit(X, y)
    assert pruned.cost_complexity_pruning_path(X, y).ccp_alphas[0] == 0  # of the tree before it is pruned


@pytest.mark.parametrize("model", [
    CartClassifier(max_depth=2), learners.CultivatedClassifier(max_depth=2), OptimalClassifier(max_depth=2),
    RandomForestClassifier(n_estimators=3, random_state=0),
])  # fmt: skip
def test_log_shares_are_the_logarithms_of_the_shares_of_no_share_without_a_warning(model):
    model.fit(X, Y)
    assert np.exp(model.predict_log_proba(X)) == pytest.approx(model.predict_proba(X))
    pure = CartClassifier().fit([[0], [1]], [0, 1])
    assert pure.predict_log_proba([[0]]).tolist() == [[0, -np.inf]]


@pytest.mark.parametrize(
    "forest", [RandomForestClassifier(n_estimators=5, random_state=0), BaggedForestClassifier(n_estimators=3)]
)
def test_a_forest_has_the_leaves_paths_and_importances_of_its_trees(forest):
    forest.fit(X, Y)
    paths, start = forest.decision_path(X)
    leaves, trees = forest.apply(X), forest.forest_.trees
    assert paths.shape == (200, sum(tree.n_nodes for tree in trees)) == (200, start[-1])
    for number, tree in enumerate(trees):
        own = paths[:, start[number] : start[number + 1]].toarray()
        assert (own[np.arange(200), leaves[:, number]] == 1).all()
        assert (own[:, is_leaf(tree)].sum(axis=1) == 1).all()
        child = np.arange(1, tree.n_nodes)
        assert (own[:, child] <= own[:, parents(tree)[child]]).all()
    assert forest.feature_importances_.sum() == pytest.approx(1)


def test_importances_of_a_forest_are_the_mean_of_its_trees_as_in_scikit_learn():
    for kind in (RandomForestClassifier, ensemble.RandomForestClassifier):
        forest = kind(n_estimators=5, random_state=0, max_depth=3).fit(X, Y)
        mean = np.mean([one.feature_importances_ for one in forest.estimators_], axis=0)
        assert forest.feature_importances_ == pytest.approx(mean / mean.sum())


def test_what_a_model_has_no_meaning_for_it_has_not():
    cultivated = learners.CultivatedClassifier(max_depth=3).fit(X, Y)
    assert not any(hasattr(cultivated, n) for n in ("apply", "decision_path", "cost_complexity_pruning_path"))
    assert cultivated.get_n_leaves() == cultivated.tree_.n_leaves
    assert cultivated.feature_importances_.sum() == pytest.approx(1)
    forests = (
        RandomForestClassifier(n_estimators=2),
        learners.CultivatedForestClassifier(n_estimators=2),
        BaggedForestClassifier(learners.CultivatedClassifier(max_depth=2), n_estimators=2),
    )
    for forest in forests:
        forest.fit(X, Y)
        one_tree = ("get_depth", "get_n_leaves", "cost_complexity_pruning_path")
        assert not any(hasattr(forest, name) for name in one_tree)
        assert hasattr(forest, "apply") == hasattr(forest, "decision_path") == (forest is forests[0])
        assert forest.feature_importances_.sum() == pytest.approx(1)
    with pytest.raises(AttributeError, match="apply"):
        forests[1].apply(X)
    assert not hasattr(learners.CultivatedForestClassifier(), "apply")


@pytest.mark.parametrize(
    "model", [OptimalClassifier(max_depth=2), learners.ApproximationClassifier(CartClassifier(), max_depth=2)]
)
def test_optimal_trees_and_approximations_have_what_trees_have(model):
    with pytest.raises(NotFittedError):
        model.get_depth()
    model.fit(X, Y)
    assert (model.get_depth(), model.get_n_leaves()) == (model.tree_.depth, model.tree_.n_leaves)
    assert model.decision_path(X).sum(axis=1).max() == model.tree_.depth + 1
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert (model.feature_importances_ >= 0).all()


def test_a_tree_without_splits_gives_no_feature_importance():
    for model in (CartClassifier(), RandomForestClassifier(n_estimators=2)):
        assert model.fit(X, np.zeros(200, int)).feature_importances_.tolist() == [0] * 6


# Whoever gives a learner a parameter that it no longer has reads what to use instead
REMOVED: list[tuple[Any, str]] = [
    (learners.OptimalRegressor, name) for name in ("criterion", "leaf_model", "shrinkage", "monotonic_cst")
]
LEARNERS = dict(REMOVED)


@pytest.mark.parametrize(("learner", "name"), REMOVED)
def test_a_removed_parameter_names_what_to_use_instead(learner, name):
    for give in (lambda: learner(**{name: None}), lambda: learner().set_params(**{name: None})):
        with pytest.raises(TypeError, match=f"no longer has the parameter {name}: ") as error:
            give()
        others = [other for other in espalier.learners.__all__ if other in str(error.value)]
        assert set(others) - {learner.__name__}


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_parameter_that_never_was_is_unknown_as_for_every_learner(learner):
    with pytest.raises(TypeError, match="unexpected keyword argument 'never'"):
        learner(never=2)
    with pytest.raises(ValueError, match="Invalid parameter 'never'"):
        learner().set_params(never=2)


@pytest.mark.parametrize(("learner", "name"), REMOVED)
def test_a_removed_parameter_is_none_of_those_that_a_copy_takes_over(learner, name):
    assert name not in inspect.signature(learner).parameters
    model = learner().set_params(max_depth=2)
    assert name not in model.get_params()
    copies: Any = clone(model), pickle.loads(pickle.dumps(model))
    for copy in copies:
        assert copy.get_params() == model.get_params()
