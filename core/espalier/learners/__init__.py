"""Decision trees and forests as scikit-learn estimators, fitted as ``tree_`` or ``forest_``."""

from espalier.learners.approximation import ApproximationClassifier, ApproximationRegressor
from espalier.learners.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from espalier.learners.cart import CartClassifier, CartRegressor
from espalier.learners.cultivated import CultivatedClassifier, CultivatedRegressor
from espalier.learners.forests import (
    BaggedForestClassifier,
    BaggedForestRegressor,
    BoostedForestClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RootForestClassifier,
    SubspaceForestClassifier,
    SubspaceForestRegressor,
)
from espalier.learners.forests.cultivated import CultivatedForestClassifier, CultivatedForestRegressor
from espalier.learners.model_trees import ModelTreeClassifier, ModelTreeRegressor
from espalier.learners.oblique import ObliqueClassifier, ObliqueRegressor
from espalier.learners.optimal import OptimalClassifier, OptimalRegressor

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
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "ModelTreeClassifier",
    "ModelTreeRegressor",
    "ObliqueClassifier",
    "ObliqueRegressor",
    "OptimalClassifier",
    "OptimalRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RootForestClassifier",
    "SubspaceForestClassifier",
    "SubspaceForestRegressor",
]
