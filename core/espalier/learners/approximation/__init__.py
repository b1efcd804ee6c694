"""Approximation trees: one stable tree for any model, with splits chosen by a statistical test."""

from espalier.learners.approximation.asking import StoppedAsking
from espalier.learners.approximation.classifier import ApproximationClassifier, ApproximationRegressor
from espalier.learners.approximation.split_test import Considered, Runners, StoppedGrowing, UndecidedSplits

__all__ = [
    "ApproximationClassifier",
    "ApproximationRegressor",
    "Considered",
    "Runners",
    "StoppedAsking",
    "StoppedGrowing",
    "UndecidedSplits",
]
