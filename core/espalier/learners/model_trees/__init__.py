"""Model trees: trees whose leaves hold linear or logistic models."""

from espalier.learners.model_trees.estimators import ModelTreeClassifier, ModelTreeRegressor

__all__ = ["ModelTreeClassifier", "ModelTreeRegressor"]
