"""Trees put together from parts: a branch in place of another, two branches under a split."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.trees import LEAF, Surrogates, Tree, make_tree, subtree_end


class HandSplit(NamedTuple):
    """A split of a node, as the fields of `Tree` say it."""

    feature: int
    threshold: float  # nan for a set of categories
    categories: int
    missing_left: bool


def branch_of(tree: Tree, node: int) -> Tree:
    """Return the subtree at the node as a tree of its own.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> branch_of(CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_, 2).n_leaves
    2
    """
    return _joined([_Slice(tree, node, subtree_end(tree, node), -node)])


def grafted(tree: Tree, node: int, branch: Tree) -> Tree:
    """Return the tree with the branch in place of its subtree at the node."""
    end = subtree_end(tree, node)
    change = branch.n_nodes - (end - node)
    above, below = _Slice(tree, 0, node, 0), _Slice(tree, end, tree.n_nodes, change)
    whole = _joined([above, _Slice(branch, 0, branch.n_nodes, node), below])
    fields = whole._asdict()
    for side in ("left", "right"):  # of the nodes above, those children that stand after the branch
        child = fields[side].copy()
        child[:node] = np.where(child[:node] >= end, child[:node] + change, child[:node])
        fields[side] = child
    return make_tree(*fields.values())


def split_node(node: Tree, split: HandSplit, left: Tree, right: Tree) -> Tree:
    """Return the tree whose root is that of `node`, split in this way, above the two branches."""
    parts = [
        _Slice(node, 0, 1, 0),
        _Slice(left, 0, left.n_nodes, 1),
        _Slice(right, 0, right.n_nodes, 1 + left.n_nodes),
    ]
    fields = _joined(parts, own_surrogates=False)._asdict()
    root: dict[str, Any] = split._asdict() | {"left": 1, "right": 1 + left.n_nodes}
    for name, value in root.items():
        fields[name] = fields[name].copy()
        fields[name][0] = value
    return make_tree(*fields.values())


class _Slice(NamedTuple):
    """Some nodes of a tree, which stand together, and by how much their numbers change."""

    tree: Tree
    start: int
    end: int
    shift: int


def _joined(parts: list[_Slice], own_surrogates: bool = True) -> Tree:
    """Return a tree of these nodes, one part after the other; the first may go without its surrogates."""
    fields = {name: np.concatenate([_values(part, name) for part in parts]) for name in Tree._fields[:-1]}
    pools = [_surrogates(part, bool(i) or own_surrogates) for i, part in enumerate(parts)]
    sizes = np.concatenate([np.diff(pool.start) for pool in pools])
    seen, *rest = (np.concatenate(arrays) for arrays in zip(*(pool[1:] for pool in pools), strict=True))
    return make_tree(*fields.values(), [np.append(0, np.cumsum(sizes)), seen, *rest])


def _values(part: _Slice, name: str) -> np.ndarray:
    values = getattr(part.tree, name)[part.start : part.end]
    return np.where(values == LEAF, LEAF, values + part.shift) if name in ("left", "right") else values


def _surrogates(part: _Slice, are_kept: bool) -> Surrogates:
    pool, n = part.tree.surrogates, part.end - part.start
    if not are_kept:
        return Surrogates(np.zeros(n + 1, np.int32), np.zeros(n, np.uint64), *(array[:0] for array in pool[2:]))
    start = pool.start[part.start : part.end + 1]
    taken = slice(int(start[0]), int(start[-1]))
    return Surrogates(
        start - start[0], pool.own_seen[part.start : part.end], *(array[taken] for array in pool[2:])
    )
