"""All trees as good as the optimal one, or nearly (the Rashomon set), as an and-or graph that can be walked."""

from espalier.learners.optimal.near_optimal import StoppedEarly
from espalier.learners.optimal.rashomon.building import NodeChoice, TreeBuilding
from espalier.learners.optimal.rashomon.graph import SizeCount, TreesAsGood, most_trees_as_good, trees_as_good
from espalier.learners.optimal.rashomon.summaries import (
    OpenClasses,
    Reliance,
    TreeCard,
    TreeCards,
    cards_of,
    least_objectives,
    open_classes,
    reliance,
    trees_without,
)

__all__ = [
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
