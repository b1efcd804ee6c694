"""What was considered at every node of an approximation tree, beside the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.trees import read_only

RUNNERS = 10  # splits of a node that are remembered


class UndecidedSplits(UserWarning):
    """No split of an approximation was decided: other pseudo-samples may well give another tree."""


class StoppedGrowing(UserWarning):
    """Growing an approximation took longer than allowed: the tree is smaller than it would be."""


class Runners(NamedTuple):
    """The best splits of every node, node after node: the one taken, then its rivals, the best first."""

    start: np.ndarray  # (n_nodes + 1,) int64: those of node i are ``start[i]:start[i + 1]``, none where untested
    feature: np.ndarray  # (n_runners,) int32
    threshold: np.ndarray  # (n_runners,) float64; nan for categories
    categories: np.ndarray  # (n_runners,) uint64: those that go left
    missing_left: np.ndarray  # (n_runners,) bool
    decrease: np.ndarray  # (n_runners,) float64: of the impurity, as estimated
    p_value: np.ndarray  # (n_runners,) float64: how likely other samples prefer it to the best; nan of the best


class Considered(NamedTuple):
    """How the split of every node of a tree was found; zeros and nan where none was looked for."""

    n_prospects: np.ndarray  # (n_nodes,) int64: splits that were tested against each other
    n_discarded: np.ndarray  # (n_nodes,) int64: of them, given up on the way as far worse
    n_samples: np.ndarray  # (n_nodes,) int64: pseudo-samples drawn in the node
    n_rounds: np.ndarray  # (n_nodes,) int64: how often the splits were tested, each time with more samples
    p_value: np.ndarray  # (n_nodes,) float64: summed over the rivals left; nan where nothing was tested
    decided: np.ndarray  # (n_nodes,) bool: the test found the best split; else the limit of samples ended it
    runners: Runners

    def __reduce__(self):
        # Pickle and deepcopy would hand back writeable arrays.
        return make_considered, (*self[:-1], tuple(self.runners))

    @property
    def n_splits(self) -> int:
        """Splits whose best was sought, and found or not: nodes with runners."""
        return int(np.count_nonzero(np.diff(self.runners.start)))

    @property
    def n_decided(self) -> int:
        """How many of them the test decided; of exact trees, how many are no ties."""
        return int(np.count_nonzero(self.decided & (np.diff(self.runners.start) > 0)))

    @property
    def gap(self) -> np.ndarray:
        """(n_nodes,) float64: by how much more the split taken lowers the impurity than its best rival left.

        Negative where a default order took a split that is not the best; nan where there is no rival.
        """
        start, decrease = self.runners.start, self.runners.decrease
        found = np.full(len(start) - 1, np.nan)
        rivals = np.flatnonzero(np.diff(start) > 1)
        found[rivals] = decrease[start[rivals]] - decrease[start[rivals] + 1]
        return found


def make_considered(
    n_prospects, n_discarded, n_samples, n_rounds, p_value, decided, runners: Sequence
) -> Considered:
    """Considered of the given arrays, `runners` in the order of their fields; read-only."""
    nodes = (n_prospects, n_discarded, n_samples, n_rounds, p_value, decided)
    pools = zip(runners, ("i8", "i4", "f8", "u8", "?", "f8", "f8"), strict=True)
    counts = zip(nodes, ("i8", "i8", "i8", "i8", "f8", "?"), strict=True)
    arrays: list = [read_only(np.ascontiguousarray(a, dtype=d)) for a, d in counts]
    arrays.append(Runners._make([read_only(np.ascontiguousarray(a, dtype=d)) for a, d in pools]))
    return Considered._make(arrays)
