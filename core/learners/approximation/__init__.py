"""Approximation trees: one stable tree for any model, its splits chosen by a test."""

from core.learners.approximation.classifier import ApproximationClassifier, ApproximationRegressor
from core.learners.approximation.considered import Considered, Runners, StoppedGrowing, UndecidedSplits

__all__ = [
    "ApproximationClassifier",
    "ApproximationRegressor",
    "Considered",
    "Runners",
    "StoppedGrowing",
    "UndecidedSplits",
]
