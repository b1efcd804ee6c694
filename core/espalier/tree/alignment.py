"""The cheapest way to lay one tree over another, split by split from the root.

A split of one tree alone costs 1. A split laid over one on the same feature costs the share of all samples that
the two send to different sides: nothing if they are the same, less than 1 if the threshold moved. Over a split on
another feature it costs 1. Two leaves cost half of how far their answers are apart: 1/2 for different classes, for
numbers 1/2 of their distance in parts of the range of all leaves. A leaf over a split costs as many splits as
stand there. A split that stands between others in one tree alone costs 1, and 1 for each split on its other side.

Sides may be exchanged where the features differ, or where the feature has categories. The least cost is found by
dynamic programming over all pairs of nodes, children before parents, as in Selkow (1977, The tree-to-tree editing
problem), whose insertions are of whole branches.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from espalier.tree.rules import admits, step
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree, path_to, subtree_end

NONE = -1  # in place of a node that a tree does not have
UNIT = 1.0  # cost of a split that the other tree does not have, or has on another feature
MOST_PAIRS = 1_000_000  # of nodes
ROUNDING = 1e-9  # of a share of samples
SAME, SHIFT, OTHER = "same", "moved", "other"  # of a split over a split: the same, another cut, another feature
ONLY_A, ONLY_B = "only A", "only B"
LEAVES, ANSWER = "leaves", "answer"  # of a leaf over a leaf: the same answer, or another one
SPROUT, CUT = "grown", "cut"  # a leaf of A that is split in B, a split of A that is a leaf in B
STRAIGHT, MIRROR, DROP_LEFT, DROP_RIGHT, ADD_LEFT, ADD_RIGHT = range(6)  # ways; "left" is the side that stays


class NodePair(NamedTuple):
    """A node of tree A over a node of tree B, or a node that only one of them has."""

    kind: str  # SAME, MOVED, OTHER, ONLY_A, ONLY_B, LEAVES, ANSWER, GROWN or CUT
    a: int  # node, NONE if there is none
    b: int
    mirrored: bool = False  # whether the left side of A lies over the right one of B
    stays: int = NONE  # of a split between others: its child that lies over what is in its place in the other tree
    over: int = NONE  # of a split between others: the node of the other tree that is there


class _Costs(NamedTuple):
    """What single pairs cost, (n_nodes of A, n_nodes of B) each."""

    straight: np.ndarray  # of two splits
    mirrored: np.ndarray  # inf where sides cannot be exchanged
    leaves: np.ndarray  # of two leaves


def align(a: Tree, b: Tree, X: np.ndarray) -> tuple[list[NodePair], float]:
    """Return the cheapest alignment of two trees of the same columns, parents before children, and its cost.

    X (n_samples, n_features) has the samples.
    Aligned the other way round, the same nodes lie over each other. Raises ValueError for trees of more than a
    million pairs of nodes.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> one, two = (CartClassifier(max_depth=depth).fit(iris.X, iris.y).tree_ for depth in (1, 2))
    >>> [(pair.kind, pair.a, pair.b) for pair in align(one, two, iris.X)[0]]
    [('same', 0, 0), ('leaves', 1, 1), ('grown', 2, 2), ('only B', -1, 3), ('only B', -1, 4)]
    """
    if a.n_nodes * b.n_nodes > MOST_PAIRS:
        raise ValueError(
            f"trees of {a.n_nodes:,} and {b.n_nodes:,} nodes have more than {MOST_PAIRS:,} pairs of nodes: "
            "compare shallower trees, or their answers alone"
        )
    if _order(a) > _order(b):  # ties are decided in one order of the trees, whichever is given first
        there, cost = _align(b, a, X)
        kinds = {ONLY_A: ONLY_B, ONLY_B: ONLY_A, SPROUT: CUT, CUT: SPROUT}
        return [pair._replace(kind=kinds.get(pair.kind, pair.kind), a=pair.b, b=pair.a) for pair in there], cost
    return _align(a, b, X)


def _order(tree: Tree) -> bytes:
    return b"".join(array.tobytes() for array in (tree.feature, tree.threshold, tree.categories, tree.value))


def _align(a: Tree, b: Tree, X: np.ndarray) -> tuple[list[NodePair], float]:
    costs = _costs(a, b, X)
    best, way = _least(a, b, costs)
    return list(_walk(a, b, costs, way)), float(best[0, 0])


# ---- costs


def _costs(a: Tree, b: Tree, X: np.ndarray) -> _Costs:
    apart = np.full((a.n_nodes, b.n_nodes), UNIT)
    mirror = apart.copy()
    for feature in np.intersect1d(a.feature[a.feature != LEAF], b.feature[b.feature != LEAF]).tolist():
        ours, theirs = (np.flatnonzero(tree.feature == feature) for tree in (a, b))
        place = np.ix_(ours, theirs)
        apart[place] = _apart(a, b, X[:, feature], (ours, theirs))
        has_order = ~(np.isnan(a.threshold[ours])[:, None] & np.isnan(b.threshold[theirs])[None, :])
        mirror[place] = np.where(has_order, np.inf, 1 - apart[place])
    return _Costs(apart, mirror, _between_answers(a, b))


def _apart(a: Tree, b: Tree, column: np.ndarray, nodes: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the share of the samples that each split of A sends to another side than each of B."""
    values, counts = np.unique(column, return_counts=True)
    ours, theirs = (
        np.array([admits(step(tree, int(node), True), values) for node in some])
        for tree, some in zip((a, b), nodes, strict=True)
    )
    weights = counts / counts.sum()
    return ours @ (weights * ~theirs).T + (~ours * weights) @ theirs.T


def _between_answers(a: Tree, b: Tree) -> np.ndarray:
    if a.value.shape[1] > 1:
        return 0.5 * (a.value.argmax(axis=1)[:, None] != b.value.argmax(axis=1)[None, :])
    ends = np.concatenate([tree.value[tree.feature == LEAF, 0] for tree in (a, b)])
    ours, theirs = np.meshgrid(a.value[:, 0], b.value[:, 0], indexing="ij")
    return np.where(np.isclose(ours, theirs), 0.0, 0.5 * np.abs(ours - theirs) / (np.ptp(ends) or 1.0))


def splits_below(tree: Tree) -> np.ndarray:
    """(n_nodes,) float64: splits in the branch of each node, its own included."""
    return np.array([(subtree_end(tree, node) - node - 1) // 2 for node in range(tree.n_nodes)], float)


# ---- the least cost


def _least(a: Tree, b: Tree, costs: _Costs) -> tuple[np.ndarray, np.ndarray]:
    """Return the least cost of each pair of branches, and which of the six ways leads to it."""
    size_a, size_b = splits_below(a), splits_below(b)
    best = np.where((a.feature == LEAF)[:, None], size_b[None, :], size_a[:, None])
    both = np.ix_(a.feature == LEAF, b.feature == LEAF)
    best[both] = costs.leaves[both]
    way = np.full(best.shape, STRAIGHT, np.int8)
    splits = np.flatnonzero(b.feature != LEAF)
    left, right = b.left[splits], b.right[splits]
    for node in np.flatnonzero(a.feature != LEAF)[::-1].tolist():
        left_a, right_a = int(a.left[node]), int(a.right[node])
        ways = np.array([
            costs.straight[node, splits] + best[left_a, left] + best[right_a, right],
            costs.mirrored[node, splits] + best[left_a, right] + best[right_a, left],
            UNIT + best[left_a, splits] + size_a[right_a],
            UNIT + best[right_a, splits] + size_a[left_a],
        ])  # fmt: skip
        way[node, splits] = ways.argmin(axis=0)
        best[node, splits] = ways.min(axis=0)
        _add_splits(b, best[node], way[node], size_b)
    return best, way


def _add_splits(b: Tree, best: np.ndarray, way: np.ndarray, size: np.ndarray) -> None:
    """Let splits that B alone has stand above a node of A, where that costs less; children come first."""
    for node in np.flatnonzero(b.feature != LEAF)[::-1].tolist():
        left, right = int(b.left[node]), int(b.right[node])
        for kind, stays, goes in ((ADD_LEFT, left, right), (ADD_RIGHT, right, left)):
            if (cost := UNIT + best[stays] + size[goes]) < best[node]:
                best[node], way[node] = cost, kind


# ---- the pairs


def _walk(a: Tree, b: Tree, costs: _Costs, way: np.ndarray) -> Iterator[NodePair]:
    todo = [(0, 0)]
    while todo:
        i, j = todo.pop()
        if LEAF in (a.feature[i], b.feature[j]):
            yield from _at_leaf(a, b, costs, i, j)
        elif way[i, j] in (STRAIGHT, MIRROR):
            is_mirrored = bool(way[i, j] == MIRROR)
            yield NodePair(_kind(a, b, costs, i, j, is_mirrored), i, j, is_mirrored)
            sides = (b.right[j], b.left[j]) if is_mirrored else (b.left[j], b.right[j])
            todo += [(int(a.right[i]), int(sides[1])), (int(a.left[i]), int(sides[0]))]
        elif way[i, j] in (DROP_LEFT, DROP_RIGHT):
            stays, goes = _sides(a, i, way[i, j] == DROP_LEFT)
            yield NodePair(ONLY_A, i, NONE, stays=stays, over=j)
            yield from _branch(a, goes, ONLY_A)
            todo.append((stays, j))
        else:
            stays, goes = _sides(b, j, way[i, j] == ADD_LEFT)
            yield NodePair(ONLY_B, NONE, j, stays=stays, over=i)
            yield from _branch(b, goes, ONLY_B)
            todo.append((i, stays))


def _sides(tree: Tree, node: int, left_stays: bool) -> tuple[int, int]:
    left, right = int(tree.left[node]), int(tree.right[node])
    return (left, right) if left_stays else (right, left)


def _at_leaf(a: Tree, b: Tree, costs: _Costs, i: int, j: int) -> Iterator[NodePair]:
    if a.feature[i] == b.feature[j]:
        yield NodePair(ANSWER if costs.leaves[i, j] else LEAVES, i, j)
    elif a.feature[i] == LEAF:
        yield NodePair(SPROUT, i, j)
        yield from _branch(b, j, ONLY_B, below=True)
    else:
        yield NodePair(CUT, i, j)
        yield from _branch(a, i, ONLY_A, below=True)


def _branch(tree: Tree, node: int, kind: str, below: bool = False) -> Iterator[NodePair]:
    for own in range(node + below, subtree_end(tree, node)):
        yield NodePair(kind, own, NONE) if kind == ONLY_A else NodePair(kind, NONE, own)


def _kind(a: Tree, b: Tree, costs: _Costs, i: int, j: int, mirrored: bool) -> str:
    if a.feature[i] != b.feature[j]:
        return OTHER
    is_same = np.array_equal(a.threshold[i], b.threshold[j], equal_nan=True)
    is_same = is_same and (not np.isnan(a.threshold[i]) or mirrored or a.categories[i] == b.categories[j])
    cost = (costs.mirrored if mirrored else costs.straight)[i, j]
    return SAME if is_same and cost <= ROUNDING else SHIFT


# ---- the same node in another tree


def find_counterpart(old: AnyTree, new: AnyTree, node: int) -> int | None:
    """Return the node of the new tree that the same questions lead to as to `node` of the old one, if any.

    Where one of the trees hesitates, questions are the same if they are first of all about the same feature.
    """
    at = 0
    steps = path_to(old, node) if node < old.n_nodes else [0]
    for parent, child in itertools.pairwise(steps):
        if not _same_split(old, new, parent, at):
            return None
        is_left = bool(child == old.left[parent])
        if _is_reversed(old, parent) != _is_reversed(new, at):
            is_left = not is_left
        at = int(new.left[at] if is_left else new.right[at])
    return at


def _same_split(old: AnyTree, new: AnyTree, node: int, other: int) -> bool:
    if old.feature[node] != new.feature[other]:
        return False
    if not (isinstance(old, Tree) and isinstance(new, Tree)):
        return True
    same_threshold = np.array_equal(old.threshold[node], new.threshold[other], equal_nan=True)
    return same_threshold and old.categories[node] == new.categories[other]


def _is_reversed(tree: AnyTree, node: int) -> bool:
    """Whether the node's first decision sends values up to its threshold to the right."""
    return isinstance(tree, CultivatedTree) and bool(tree.decisions.reversed[tree.decisions.start[node]])
