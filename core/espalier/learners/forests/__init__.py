"""Forests: many trees that predict together."""

from espalier.learners.forests.bagged import BaggedForestClassifier, BaggedForestRegressor
from espalier.learners.forests.boosted import BoostedForestClassifier
from espalier.learners.forests.random import RandomForestClassifier, RandomForestRegressor
from espalier.learners.forests.root import RootForestClassifier
from espalier.learners.forests.subspace import SubspaceForestClassifier, SubspaceForestRegressor

__all__ = [
    "BaggedForestClassifier",
    "BaggedForestRegressor",
    "BoostedForestClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RootForestClassifier",
    "SubspaceForestClassifier",
    "SubspaceForestRegressor",
]
