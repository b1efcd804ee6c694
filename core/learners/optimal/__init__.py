"""Optimal trees: the least misclassification cost of all trees of a size, with a proof."""

from core.learners.optimal.classifier import OptimalClassifier
from core.learners.optimal.near import NearTree, OptimalTrees
from core.learners.optimal.search import Proof

__all__ = ["NearTree", "OptimalClassifier", "OptimalTrees", "Proof"]
