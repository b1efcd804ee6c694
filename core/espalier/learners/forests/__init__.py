"""Forests: many trees that predict together."""

from espalier.learners.forests.bagged import (
    BaggedForestClassifier,
    BaggedForestRegressor,
    SubspaceForestClassifier,
    SubspaceForestRegressor,
)
from espalier.learners.forests.boosted import BoostedForestClassifier, RootForestClassifier
from espalier.learners.forests.random import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

__all__ = [
    "BaggedForestClassifier",
    "BaggedForestRegressor",
    "BoostedForestClassifier",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RootForestClassifier",
    "SubspaceForestClassifier",
    "SubspaceForestRegressor",
]
