"""Optimal regression trees: least squared error of all trees of a size, with a proof."""

from espalier.learners.optimal.regression.regressor import OptimalRegressor

__all__ = ["OptimalRegressor"]
