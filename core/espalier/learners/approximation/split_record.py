"""Record of the split tests at every node of an approximation tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.trees import read_only

RUNNERS = 10  # splits recorded per node


class UndecidedSplits(UserWarning):
    """Warning: no split of an approximation was decided; other pseudo-samples may well give another tree."""


class StoppedGrowing(UserWarning):
    """Warning: growing an approximation exceeded the time limit; the tree is smaller than without it."""


class Runners(NamedTuple):
    """The best splits of every node, node after node: first the chosen one, then its rivals in order of merit."""

    start: np.ndarray  # (n_nodes + 1,) int64: those of node i are ``start[i]:start[i + 1]``, none where untested
    feature: np.ndarray  # (n_runners,) int32
    threshold: np.ndarray  # (n_runners,) float64; nan for categories
    categories: np.ndarray  # (n_runners,) uint64: categories that go left
    missing_left: np.ndarray  # (n_runners,) bool
    decrease: np.ndarray  # (n_runners,) float64: estimated decrease of impurity
    # (n_runners,) float64: probability that other samples prefer it to the best; nan for the best
    p_value: np.ndarray


class Considered(NamedTuple):
    """Record of the search for a split at every node; zeros and nan for nodes without a search."""

    n_prospects: np.ndarray  # (n_nodes,) int64: candidate splits tested against each other
    n_discarded: np.ndarray  # (n_nodes,) int64: candidates discarded on the way as far worse
    n_samples: np.ndarray  # (n_nodes,) int64: pseudo-samples drawn in the node
    n_rounds: np.ndarray  # (n_nodes,) int64: number of tests, each with more samples
    p_value: np.ndarray  # (n_nodes,) float64: summed over the remaining rivals; nan for nodes without a test
    decided: np.ndarray  # (n_nodes,) bool: the test found the best split; False: the limit of samples ended it
    runners: Runners

    def __reduce__(self):
        # Pickle and deepcopy would return writeable arrays.
        return make_considered, (*self[:-1], tuple(self.runners))

    @property
    def n_splits(self) -> int:
        """Number of nodes with candidates that were compared, decided or not."""
        return int(np.count_nonzero(np.diff(self.runners.start)))

    @property
    def n_decided(self) -> int:
        """Number of splits that the test decided; for exact trees, of splits without a tie."""
        return int(np.count_nonzero(self.decided & (np.diff(self.runners.start) > 0)))

    @property
    def gap(self) -> np.ndarray:
        """Return the lead of the chosen split's decrease over its best remaining rival's, (n_nodes,) float64.

        Negative where a default order chose a split that is not the best; nan without a rival.
        """
        start, decrease = self.runners.start, self.runners.decrease
        leads = np.full(len(start) - 1, np.nan)
        rivals = np.flatnonzero(np.diff(start) > 1)
        leads[rivals] = decrease[start[rivals]] - decrease[start[rivals] + 1]
        return leads


def make_considered(
    n_prospects, n_discarded, n_samples, n_rounds, p_value, decided, runners: Sequence
) -> Considered:
    """Return a read-only `Considered` of the given arrays, `runners` in the order of their fields."""
    nodes = (n_prospects, n_discarded, n_samples, n_rounds, p_value, decided)
    pools = zip(runners, ("i8", "i4", "f8", "u8", "?", "f8", "f8"), strict=True)
    counts = zip(nodes, ("i8", "i8", "i8", "i8", "f8", "?"), strict=True)
    arrays: list = [read_only(np.ascontiguousarray(a, dtype=d)) for a, d in counts]
    arrays.append(Runners._make([read_only(np.ascontiguousarray(a, dtype=d)) for a, d in pools]))
    return Considered._make(arrays)
