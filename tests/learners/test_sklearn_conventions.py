"""The learners keep scikit-learn's manners: its own checks pass."""

import inspect
from typing import Any

import pytest
from sklearn import ensemble
from sklearn.utils.estimator_checks import parametrize_with_checks

from espalier import learners
from espalier.learners import (
    ApproximationClassifier,
    ApproximationRegressor,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    ModelTreeClassifier,
    ModelTreeRegressor,
    ObliqueClassifier,
    ObliqueRegressor,
    OptimalRegressor,
)

FEW: Any = {"initial_samples": 200, "max_samples": 400, "random_state": 0}


@parametrize_with_checks(
    [
        CartClassifier(),
        CartRegressor(),
        CultivatedClassifier(),
        CultivatedRegressor(),
        ExtraTreesClassifier(n_estimators=5),
        ExtraTreesRegressor(n_estimators=5, keep_leaves=True),
        GradientBoostingClassifier(n_estimators=5),
        GradientBoostingRegressor(n_estimators=5),
        ModelTreeClassifier(),
        ModelTreeRegressor(),
        ObliqueClassifier(max_depth=3),
        ObliqueRegressor(max_depth=3),
        OptimalRegressor(max_depth=2),
        ApproximationClassifier(CartClassifier(), **FEW),
        ApproximationRegressor(CartRegressor(), **FEW),
    ]
)
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        CartClassifier(splitter="random", max_features="sqrt", random_state=0),
        CultivatedClassifier(max_features="sqrt", random_state=0, k="all"),
    ]
)
def test_scikit_learns_own_checks_pass_with_other_settings(estimator, check):
    check(estimator)


def test_what_scikit_learns_forests_take_by_position_ours_take_by_position():
    def by_position(learner):
        every = inspect.signature(learner).parameters.values()
        return [one.name for one in every if one.kind is one.POSITIONAL_OR_KEYWORD]

    for name in ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"):
        assert by_position(getattr(learners, name)) == by_position(getattr(ensemble, name)) != [], name
    assert by_position(learners.BaggedForestClassifier) == by_position(ensemble.BaggingClassifier)
