"""Gradient boosting: trees that each step down the gradient of a loss."""

from espalier.learners.boosting.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]
