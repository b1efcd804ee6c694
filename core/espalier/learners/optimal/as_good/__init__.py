"""All trees as good as the optimal one, or nearly (the Rashomon set), as an and-or graph that can be walked."""

from espalier.learners.optimal.as_good.anywhere import least_objectives
from espalier.learners.optimal.as_good.building import ClosedAnswer, ClosedFeature, NodeChoice, TreeBuilding
from espalier.learners.optimal.as_good.cards import TreeCard, TreeCards, cards_of
from espalier.learners.optimal.as_good.graph import SizeCount, TreesAsGood, most_trees_as_good, trees_as_good
from espalier.learners.optimal.as_good.reliance import Reliance, reliance
from espalier.learners.optimal.as_good.settled import OpenClasses, open_classes
from espalier.learners.optimal.as_good.surveys import StoppedEarly
from espalier.learners.optimal.as_good.without import trees_without

__all__ = [
    "ClosedAnswer",
    "ClosedFeature",
    "NodeChoice",
    "OpenClasses",
    "Reliance",
    "SizeCount",
    "StoppedEarly",
    "TreeBuilding",
    "TreeCard",
    "TreeCards",
    "TreesAsGood",
    "cards_of",
    "least_objectives",
    "most_trees_as_good",
    "open_classes",
    "reliance",
    "trees_as_good",
    "trees_without",
]
