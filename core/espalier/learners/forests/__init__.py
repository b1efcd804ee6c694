"""Forests: many trees that predict together."""

from espalier.learners.forests.extra import ExtraTreesClassifier, ExtraTreesRegressor
from espalier.learners.forests.of_any.bagged import BaggedForestClassifier, BaggedForestRegressor
from espalier.learners.forests.of_any.boosted import BoostedForestClassifier
from espalier.learners.forests.of_any.root import RootForestClassifier
from espalier.learners.forests.of_any.subspace import SubspaceForestClassifier, SubspaceForestRegressor
from espalier.learners.forests.random import RandomForestClassifier, RandomForestRegressor

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
