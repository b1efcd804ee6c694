"""Learners with the manners of scikit-learn estimators; each keeps what it grew as ``tree_`` or ``forest_``."""

from core.learners.approximation import ApproximationClassifier, ApproximationRegressor
from core.learners.cart import CartClassifier, CartRegressor
from core.learners.cultivated import CultivatedClassifier, CultivatedRegressor
from core.learners.cultivated_forest import CultivatedForestClassifier, CultivatedForestRegressor
from core.learners.forests import (
    BaggedForestClassifier,
    BaggedForestRegressor,
    BoostedForestClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    RootForestClassifier,
    SubspaceForestClassifier,
    SubspaceForestRegressor,
)
from core.learners.optimal import OptimalClassifier

__all__ = [
    "ApproximationClassifier",
    "ApproximationRegressor",
    "BaggedForestClassifier",
    "BaggedForestRegressor",
    "BoostedForestClassifier",
    "CartClassifier",
    "CartRegressor",
    "CultivatedClassifier",
    "CultivatedForestClassifier",
    "CultivatedForestRegressor",
    "CultivatedRegressor",
    "OptimalClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RootForestClassifier",
    "SubspaceForestClassifier",
    "SubspaceForestRegressor",
]
