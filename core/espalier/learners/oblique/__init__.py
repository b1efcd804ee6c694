"""Oblique trees, whose splits may weigh several features."""

from espalier.learners.oblique.estimators import ObliqueClassifier, ObliqueRegressor

__all__ = ["ObliqueClassifier", "ObliqueRegressor"]
