"""Forests: many trees that answer together."""

from core.learners.forests.bagged import BaggedForestClassifier, BaggedForestRegressor
from core.learners.forests.boosted import BoostedForestClassifier
from core.learners.forests.random import RandomForestClassifier, RandomForestRegressor
from core.learners.forests.root import RootForestClassifier
from core.learners.forests.subspace import SubspaceForestClassifier, SubspaceForestRegressor

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
