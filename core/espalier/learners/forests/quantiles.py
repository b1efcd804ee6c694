"""Quantiles and intervals of regression forests, beside their trees (Meinshausen 2006)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from espalier.kernels.forest.out_of_bag import LeafSamples, quantiles_of_rows
from espalier.kinds import are_cultivated
from espalier.language import Refusal
from espalier.learners.base import TrainingData, check_bool, is_number
from espalier.learners.forests.forest import ForestOfNumbers
from espalier.predict import leaves
from espalier.trees import AnyTree, Forest

BLOCK = 4096  # rows whose leaves are in memory together


def leaf_samples(forest: Forest, training: TrainingData, in_bag: np.ndarray) -> LeafSamples:
    """Return the samples in every leaf, as often as in_bag (n_trees, n_samples) says that each tree has them.

    Raises ValueError for a forest of cultivated trees: a sample reaches several leaves of those.
    """
    if are_cultivated(forest):
        raise Refusal(
            "the trees of this forest are cultivated: a sample reaches several leaves, so that no leaf has "
            "samples of its own. Take CART trees, or predict_spread of a cultivated forest"
        )
    target, rank = np.unique(training.y, return_inverse=True)
    X, parts = np.asfortranarray(training.X), []
    for tree, times in zip(forest.trees, in_bag, strict=True):
        parts.append(_in_tree(leaves(tree, X), tree.n_nodes, rank, training.weight * times))
    sizes, ranks, shares = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    first = np.cumsum([0, *(tree.n_nodes for tree in forest.trees[:-1])])
    start = np.append(0, np.cumsum(sizes))
    return LeafSamples(
        first, start, ranks.astype(np.int32), shares, target, np.asarray(forest.weight, dtype=float)
    )


def _in_tree(
    leaf: np.ndarray, n_nodes: int, rank: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many samples each node has as a leaf, and their ranks and shares, leaf after leaf."""
    drawn = np.flatnonzero(weight > 0)
    drawn = drawn[np.argsort(leaf[drawn], kind="stable")]
    share = weight[drawn] / np.bincount(leaf[drawn], weight[drawn], n_nodes)[leaf[drawn]]
    return np.bincount(leaf[drawn], minlength=n_nodes), rank[drawn], share


def quantiles_by(
    forest: Forest, samples: LeafSamples, X: np.ndarray, levels: np.ndarray, seen: np.ndarray | None = None
) -> np.ndarray:
    """Return the quantiles of each row of X, (n_rows, n_levels), at levels (n_levels,) from 0 to 1.

    Of `seen` (n_trees, n_rows) only the trees count that have 0 for a row; nan where none has.
    """
    X, order = np.asfortranarray(X, dtype=np.float64), np.argsort(levels, kind="stable")
    out = np.empty((len(X), len(levels)))
    for begin in range(0, len(X), BLOCK):
        rows = slice(begin, min(begin + BLOCK, len(X)))
        of_rows = np.stack([np.asarray(leaves(tree, X[rows]), dtype=np.int32) for tree in forest.trees])
        hidden = np.zeros(of_rows.shape, np.uint8) if seen is None else np.ascontiguousarray(seen[:, rows])
        quantiles_of_rows(of_rows, samples, hidden, levels[order], out[rows])
    return out[:, np.argsort(order)]


class Quantiles(ForestOfNumbers):
    """Base of regression forests that keep, with `keep_leaves`, the samples of their leaves."""

    keep_leaves: bool
    leaf_samples_: LeafSamples | None

    def predict_quantiles(self, X, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> np.ndarray:
        """Return quantiles of the target for each sample, (n_samples, n_quantiles).

        A training sample counts by its share of the sample's leaf, averaged over the trees; a quantile is the
        least target up to which these shares sum to its level (Meinshausen 2006, equations 4 to 6). Raises
        ValueError for levels outside 0 to 1, and unless ``keep_leaves=True``.
        """
        samples = self._samples(X)
        return quantiles_by(self.forest_, self._kept_leaves(), samples, check_levels(quantiles))

    def predict_interval(self, X, coverage: float = 0.9) -> np.ndarray:
        """Return the least and the greatest value of an interval for each sample, (n_samples, 2).

        Half of the share that is not covered lies on either side. Raises ValueError as `predict_quantiles`.
        """
        return self.predict_quantiles(X, interval_levels(coverage))

    def _kept_leaves(self) -> LeafSamples:
        check_is_fitted(self)
        if self.leaf_samples_ is None:
            raise ValueError(
                "this forest has not kept which samples are in which leaf; fit it with keep_leaves=True for "
                "quantiles and intervals"
            )
        return self.leaf_samples_

    def _assemble(self, trees: list[AnyTree], training: TrainingData) -> None:
        super()._assemble(trees, training)
        self.leaf_samples_ = None
        if self.keep_leaves:
            self.leaf_samples_ = leaf_samples(self.forest_, training, self._seen())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_bool("keep_leaves", self.keep_leaves)


def check_levels(levels: Sequence[float]) -> np.ndarray:
    """Return the levels of quantiles as (n_levels,) float64. Raises ValueError for others than 0 to 1."""
    found = np.atleast_1d(np.asarray(levels, dtype=np.float64))
    if found.ndim != 1 or not ((found >= 0) & (found <= 1)).all():
        raise ValueError(f"quantiles are {levels!r}; they must be numbers from 0 to 1, such as [0.05, 0.5, 0.95]")
    return found


def interval_levels(coverage: float) -> tuple[float, float]:
    """Return the levels of the quantiles at both ends of an interval of this coverage. Raises ValueError.

    >>> interval_levels(0.5)
    (0.25, 0.75)
    """
    if not (is_number(coverage) and 0 < coverage < 1):
        raise ValueError(f"coverage is {coverage!r}; it must be a number between 0 and 1, such as 0.9")
    return (1 - coverage) / 2, (1 + coverage) / 2
