"""Forests: many trees that answer together."""

from core.learners.forests.random import RandomForestClassifier, RandomForestRegressor

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]
