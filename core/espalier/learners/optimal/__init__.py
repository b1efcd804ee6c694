"""Optimal trees: least misclassification cost, or error of numbers, of all trees of a size, with a proof."""

from espalier.learners.optimal.classifier import OptimalClassifier
from espalier.learners.optimal.near_optimal import NearTree, OptimalTrees
from espalier.learners.optimal.rashomon import TreesAsGood, trees_as_good
from espalier.learners.optimal.regression import OptimalRegressor
from espalier.learners.optimal.tree_search import Proof

__all__ = [
    "NearTree",
    "OptimalClassifier",
    "OptimalRegressor",
    "OptimalTrees",
    "Proof",
    "TreesAsGood",
    "trees_as_good",
]
