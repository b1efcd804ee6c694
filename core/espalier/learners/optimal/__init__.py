"""Optimal trees: least misclassification cost of all trees of a size, with a proof."""

from espalier.learners.optimal.as_good import TreesAsGood, trees_as_good
from espalier.learners.optimal.classifier import OptimalClassifier
from espalier.learners.optimal.near_optimal import NearTree, OptimalTrees
from espalier.learners.optimal.tree_search import Proof

__all__ = ["NearTree", "OptimalClassifier", "OptimalTrees", "Proof", "TreesAsGood", "trees_as_good"]
