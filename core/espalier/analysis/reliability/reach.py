"""Upper bounds of a model's prediction over all samples within a set of changes.

A `Reach` follows a set of changes that shrinks step by step: a feature stays, or changes, or changes to one of
certain values. For a forest the bound is the sum over its trees of the best leaf that a change in the set leads
to; for cultivated trees, every node gives its children the best division that its gates allow. Both are exact once
only one point is left.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from espalier.analysis.cultivated.modules import gate_of_codes, gate_of_cuts
from espalier.analysis.reliability.changeable import ThresholdCells, ValueRange
from espalier.analysis.tree.rules import ALL
from espalier.analysis.tree.surrogates import refuse_surrogates
from espalier.predict import votes_at_nodes
from espalier.trees import LEAF, CultivatedTree, Forest, Tree, depths, is_leaf

MOST_ENTRIES = 20_000_000  # leaves times features in memory
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


# ---- forests whose leaves are boxes


class ReachableLeaves(NamedTuple):
    """Leaves that a change can lead to, tree after tree; features by their columns."""

    tree: np.ndarray  # (n,) int
    miss: np.ndarray  # (n, n_columns) bool: whether the sample itself is outside the leaf in this feature
    first: np.ndarray  # (n, n_columns) int32: first cell of the feature in the leaf
    last: np.ndarray
    member: dict[int, np.ndarray]  # for columns of categories: (n, n_cells) bool instead
    score: np.ndarray  # (n, n_goals)


class InBoxes(NamedTuple):
    """Leaves that a change in the set can lead to, and the number of further changes that each needs."""

    alive: np.ndarray  # (n,) int
    open: np.ndarray  # (n,) int8: features that do not change yet and in which the sample is outside the leaf
    left: int  # features that may still change


class BoxReach:
    """Reach of a forest of trees whose leaves are boxes, from a sample."""

    def __init__(self, leaves: ReachableLeaves, columns: dict[int, int]):
        self.leaves, self.columns = leaves, columns
        self.n_trees = int(leaves.tree[-1]) + 1
        self.misses = leaves.miss.sum(axis=1).astype(np.int16)

    def start(self, n_changes: int) -> InBoxes:
        """Return all changes of at most this many features."""
        alive = np.flatnonzero(self.misses <= n_changes)
        return InBoxes(alive, self.misses[alive], n_changes)

    def keep(self, state: InBoxes, f: int) -> InBoxes:
        """Restrict to changes in which feature f stays."""
        kept = ~self.leaves.miss[state.alive, self.columns[f]]
        return InBoxes(state.alive[kept], state.open[kept], state.left)

    def change(self, state: InBoxes, f: int) -> InBoxes:
        """Restrict to changes in which feature f changes."""
        column = self.columns[f]
        still = state.open - self.leaves.miss[state.alive, column]
        kept = (still <= state.left - 1) & self._meets(state.alive, column, 0, np.iinfo(np.int32).max - 1)
        return InBoxes(state.alive[kept], still[kept], state.left - 1)

    def only(self, state: InBoxes, chosen: tuple[int, ...]) -> InBoxes:
        """Return the state itself: leaves that need another feature are already gone."""
        return state

    def within(self, state: InBoxes, f: int, first: int, last: int) -> InBoxes:
        """Restrict to changes of feature f to a cell from `first` to `last`."""
        kept = self._meets(state.alive, self.columns[f], first, last)
        return InBoxes(state.alive[kept], state.open[kept], state.left)

    def _meets(self, alive: np.ndarray, column: int, first: int, last: int) -> np.ndarray:
        if column in self.leaves.member:
            return np.asarray(self.leaves.member[column][alive, first : last + 1].any(axis=1))
        start, end = self.leaves.first[alive, column], self.leaves.last[alive, column]
        return (start <= last) & (end >= first) & (start <= end)

    def best(self, state: InBoxes) -> np.ndarray:
        """Return upper bounds over the set, (n_goals,)."""
        starts = np.searchsorted(self.leaves.tree[state.alive], np.arange(self.n_trees))
        return np.maximum.reduceat(self.leaves.score[state.alive], starts, axis=0).sum(axis=0)


def box_reach(
    forest: Forest, x: np.ndarray, free: list[tuple[ValueRange, ThresholdCells]], goals: Goals
) -> BoxReach | None:
    """Return the reach of a forest of `Tree`s.

    `free` are the features that may change. None if it is too large.
    """
    columns = {room.feature: i for i, (room, _) in enumerate(free)}
    if sum(tree.n_leaves for tree in forest.trees) * max(len(columns), 1) > MOST_ENTRIES:
        return None
    parts = [_leaves(tree, t, x, columns) for t, tree in enumerate(forest.trees) if isinstance(tree, Tree)]
    tree, leaf, miss, low, high, mask = (np.concatenate(part) for part in zip(*parts, strict=True))
    first, last = np.zeros(miss.shape, np.int32), np.zeros(miss.shape, np.int32)
    member = {}
    for i, (room, cells) in enumerate(free):
        if len(room.codes):
            member[i] = _members(cells.value, low[:, i], high[:, i], mask[:, i])
        first[:, i] = np.searchsorted(cells.value, low[:, i], "right")
        last[:, i] = np.searchsorted(cells.value, high[:, i], "right") - 1
    score = np.empty((len(leaf), len(goals.needed)))
    for t, one in enumerate(forest.trees):
        here = tree == t
        score[here] = goals.of(votes_at_nodes(one, forest.combine)[leaf[here]]) * forest.weight[t]
    return BoxReach(ReachableLeaves(tree, miss, first, last, member, score), columns)


def _members(codes: np.ndarray, low: np.ndarray, high: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return which categories each leaf admits, (n, n_codes) bool."""
    bits = np.uint64(1) << codes.astype(np.uint64)
    return (mask[:, None] & bits).astype(bool) & (codes > low[:, None]) & (codes <= high[:, None])


def _leaves(tree: Tree, t: int, x: np.ndarray, columns: dict[int, int]) -> tuple[np.ndarray, ...]:
    """Return the leaves that some change of these features leads to, level by level, with their bounds."""
    column = np.full(len(x), -1)
    column[list(columns)] = list(columns.values())
    n, at = len(columns), np.zeros(1, np.int64)
    box = [
        np.zeros((1, n), bool),
        np.full((1, n), -np.inf),
        np.full((1, n), np.inf),
        np.full((1, n), ALL, np.uint64),
    ]
    refuse_surrogates(tree, "what changes lead to", x)
    done = []
    goes = _goes_left(tree, x)
    while len(at):
        ends = tree.feature[at] == LEAF
        done.append((at[ends], *(part[ends] for part in box)))
        at, box = at[~ends], [part[~ends] for part in box]
        sides = [_side(tree, at, box, goes, column, left) for left in (True, False)]
        at = np.concatenate([side[0] for side in sides])
        box = [np.concatenate(parts) for parts in zip(*(side[1] for side in sides), strict=True)]
    leaf, *rest = (np.concatenate(parts) for parts in zip(*done, strict=True))
    return np.full(len(leaf), t), leaf, *rest


def _goes_left(tree: Tree, x: np.ndarray) -> np.ndarray:
    """Return whether the sample would go left at each node, (n_nodes,) bool.

    A test compares it with the kernel.
    """
    value = x[np.maximum(tree.feature, 0)]
    known = np.isfinite(value)
    code = np.where(known & (value >= 0) & (value < 64), value, 0).astype(np.uint64)
    in_set = (tree.categories >> code & np.uint64(1)).astype(bool)
    left = np.where(np.isnan(tree.threshold), in_set, value <= tree.threshold)
    return np.where(np.isnan(value), tree.missing_left, left)


def _side(
    tree: Tree, at: np.ndarray, box: list[np.ndarray], goes: np.ndarray, column: np.ndarray, left: bool
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the left (right) children of some nodes, with bounds, without those that a fixed feature excludes."""
    c, beyond = column[tree.feature[at]], goes[at] != left
    kept = ~beyond | (c >= 0)
    at, c, beyond = at[kept], c[kept], beyond[kept]
    miss, low, high, mask = (part[kept] for part in box)
    rows = np.flatnonzero(c >= 0)
    cut, sets, c = tree.threshold[at][rows], tree.categories[at][rows], c[rows]
    number = ~np.isnan(cut)
    miss[rows, c] |= beyond[rows]
    if left:
        high[rows[number], c[number]] = np.minimum(high[rows[number], c[number]], cut[number])
        mask[rows[~number], c[~number]] &= sets[~number]
    else:
        low[rows[number], c[number]] = np.maximum(low[rows[number], c[number]], cut[number])
        mask[rows[~number], c[~number]] &= ~sets[~number]
    return (tree.left if left else tree.right)[at].astype(np.int64), [miss, low, high, mask]


# ---- cultivated trees


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
