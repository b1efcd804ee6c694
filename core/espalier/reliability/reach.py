"""Upper bounds of the prediction of cultivated trees over all samples within a set of changes.

A `Reach` follows a set of changes that shrinks step by step: a feature stays, or changes, or changes to one of
certain values. Every node gives its children the best division that its gates allow. The bound is exact once only
one point is left.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from espalier.reliability.changeable import ThresholdCells, ValueRange
from espalier.tree.modules import gate_of_codes, gate_of_cuts
from espalier.trees import CultivatedTree, Forest, depths, is_leaf

MOST_GATES, MOST_DECISIONS = 4_000_000, 20_000  # decisions times cells; decisions of all trees


class Goals(NamedTuple):
    """Goals of a search: any one of several sums over the trees must be at least as great as needed."""

    of: Any  # values (n, n_outputs) -> (n, n_goals), linear
    needed: np.ndarray  # (n_goals,)


class Reach(Protocol):
    """Bounds over sets of changes; a state is an immutable set."""

    def start(self, n_changes: int) -> Any:
        """Return all changes of at most this many features."""
        ...

    def keep(self, state: Any, f: int) -> Any:
        """Restrict to changes in which feature f stays."""
        ...

    def change(self, state: Any, f: int) -> Any:
        """Restrict to changes in which feature f changes."""
        ...

    def only(self, state: Any, chosen: tuple[int, ...]) -> Any:
        """Restrict to changes of exactly the chosen features."""
        ...

    def within(self, state: Any, f: int, first: int, last: int) -> Any:
        """Restrict to changes of feature f to a cell from `first` to `last`."""
        ...

    def best(self, state: Any) -> np.ndarray:
        """Return upper bounds over the set, (n_goals,)."""
        ...


class Gates(NamedTuple):
    """The decisions on one feature: the part sent left, of the sample and in every cell."""

    decision: np.ndarray  # (n,) int
    own: np.ndarray  # (n,)
    at: np.ndarray  # (n, n_cells)


class ByGates(NamedTuple):
    """Least and greatest part that each decision may send left."""

    least: np.ndarray  # (n_decisions,)
    most: np.ndarray


class GateReach:
    """Reach of cultivated trees, from a sample."""

    def __init__(self, trees: list[CultivatedTree], gates: dict[int, Gates], own: np.ndarray, score: np.ndarray):
        self.gates, self.own, self.score = gates, own, score
        sizes = np.cumsum([0, *(tree.n_nodes for tree in trees)])
        self.roots = sizes[:-1]
        inner = [np.flatnonzero(~is_leaf(tree)) for tree in trees]
        moved = list(zip(trees, inner, sizes[:-1], strict=True))
        self.node = np.concatenate([here + first for _, here, first in moved])
        self.left = np.concatenate([tree.left[here] + first for tree, here, first in moved])
        self.right = np.concatenate([tree.right[here] + first for tree, here, first in moved])
        counts = np.concatenate([np.diff(tree.decisions.start)[here] for tree, here, _ in moved])
        self.start_of = np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(counts) else counts
        self.share = np.concatenate([tree.decisions.share for tree in trees])
        depth = np.concatenate([depths(tree)[here] for tree, here, _ in moved])
        self.levels = [np.flatnonzero(depth == d) for d in range(int(depth.max(initial=-1)), -1, -1)]

    def start(self, n_changes: int) -> ByGates:
        """Return all changes; the bounds do not depend on their number."""
        state = ByGates(self.own.copy(), self.own.copy())
        for gates in self.gates.values():
            state.least[gates.decision] = np.minimum(gates.own, gates.at.min(axis=1))
            state.most[gates.decision] = np.maximum(gates.own, gates.at.max(axis=1))
        return state

    def keep(self, state: ByGates, f: int) -> ByGates:
        """Restrict to changes in which feature f stays."""
        gates = self.gates[f]
        return self._with(state, gates, gates.own, gates.own)

    def change(self, state: ByGates, f: int) -> ByGates:
        """Restrict to changes in which feature f changes."""
        return self.within(state, f, 0, self.gates[f].at.shape[1] - 1)

    def only(self, state: ByGates, chosen: tuple[int, ...]) -> ByGates:
        """Restrict to changes of no other feature."""
        made = ByGates(self.own.copy(), self.own.copy())
        for f in chosen:
            d = self.gates[f].decision
            made.least[d], made.most[d] = state.least[d], state.most[d]
        return made

    def within(self, state: ByGates, f: int, first: int, last: int) -> ByGates:
        """Restrict to changes of feature f to a cell from `first` to `last`."""
        here = self.gates[f].at[:, first : last + 1]
        return self._with(state, self.gates[f], here.min(axis=1), here.max(axis=1))

    def _with(self, state: ByGates, gates: Gates, least: np.ndarray, most: np.ndarray) -> ByGates:
        made = ByGates(state.least.copy(), state.most.copy())
        made.least[gates.decision], made.most[gates.decision] = least, most
        return made

    def best(self, state: ByGates) -> np.ndarray:
        """Return upper bounds over the set, (n_goals,)."""
        score = self.score.copy()
        if not len(self.node):
            return score[self.roots].sum(axis=0)
        least = np.add.reduceat(self.share * state.least, self.start_of)[:, None]
        most = np.add.reduceat(self.share * state.most, self.start_of)[:, None]
        for level in self.levels:
            left, right = score[self.left[level]], score[self.right[level]]
            part = np.where(left > right, most[level], least[level])
            score[self.node[level]] = part * left + (1 - part) * right
        return score[self.roots].sum(axis=0)


def gate_reach(
    forest: Forest, x: np.ndarray, free: list[tuple[ValueRange, ThresholdCells]], goals: Goals
) -> GateReach | None:
    """Return the reach of a forest of cultivated trees. None if it is too large or votes by majority."""
    trees = [tree for tree in forest.trees if isinstance(tree, CultivatedTree)]
    cells = {room.feature: tried.value for room, tried in free}
    feature = np.concatenate([tree.decisions.feature for tree in trees])
    entries = sum(int(np.count_nonzero(feature == f)) * len(value) for f, value in cells.items())
    if (
        forest.combine == "votes"
        or len(trees) < forest.n_trees
        or entries > MOST_GATES
        or len(feature) > MOST_DECISIONS
    ):
        return None
    d = [(tree, i) for tree in trees for i in range(len(tree.decisions.feature))]
    own = np.array([_sent(tree, i, x[[tree.decisions.feature[i]]])[0] for tree, i in d])
    gates = {}
    for f, value in cells.items():
        here = np.flatnonzero(feature == f)
        at = np.stack([_sent(*d[i], value) for i in here]) if len(here) else np.zeros((0, len(value)))
        gates[f] = Gates(here, own[here], at)
    score = np.concatenate([goals.of(tree.value) * w for tree, w in zip(trees, forest.weight, strict=True)])
    return GateReach(trees, gates, own, score)


def _sent(tree: CultivatedTree, d: int, values: np.ndarray) -> np.ndarray:
    """Return the part that decision d sends left of samples with these values of its feature, (n,)."""
    if np.isnan(tree.decisions.threshold[d]):
        parts = gate_of_codes(tree, d, int(max(values[~np.isnan(values)].max(initial=0), 0)) + 1)
        known = parts[np.nan_to_num(values).astype(int)]
    else:
        cut, part = gate_of_cuts(tree, d)
        known = part[np.searchsorted(cut, values, "left")]
    return np.where(np.isnan(values), tree.decisions.missing_left[d], known)
