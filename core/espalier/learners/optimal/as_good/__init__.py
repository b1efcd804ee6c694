"""All trees as good as the optimal one, or nearly (the Rashomon set), as an and-or graph that can be walked."""

from espalier.learners.optimal.as_good.graph import SizeCount, TreesAsGood, trees_as_good
from espalier.learners.optimal.as_good.surveys import StoppedEarly

__all__ = ["SizeCount", "StoppedEarly", "TreesAsGood", "trees_as_good"]
