"""The learners keep scikit-learn's manners: its own checks pass."""

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

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

FEW: Any = {"initial_samples": 500, "max_samples": 1000, "random_state": 0}


@parametrize_with_checks(
    [
        CartClassifier(),
        CartRegressor(),
        CartClassifier(splitter="random", max_features="sqrt", random_state=0),
        CultivatedClassifier(),
        CultivatedRegressor(),
        CultivatedClassifier(max_features="sqrt", random_state=0, k="all"),
        ExtraTreesClassifier(n_estimators=5),
        ExtraTreesRegressor(n_estimators=5, keep_leaves=True),
        GradientBoostingClassifier(n_estimators=10),
        GradientBoostingRegressor(n_estimators=10),
        ModelTreeClassifier(),
        ModelTreeRegressor(),
        ObliqueClassifier(),
        ObliqueRegressor(),
        OptimalRegressor(max_depth=2),
        ApproximationClassifier(CartClassifier(), **FEW),
        ApproximationRegressor(CartRegressor(), **FEW),
    ]
)
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)
