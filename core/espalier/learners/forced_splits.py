"""Splits that a person gives a tree to begin with, CART below them, and trees put together from parts."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from espalier.kernels.route import passes
from espalier.learners.base import TrainingData, count_of, is_number
from espalier.learners.forbidden import Columns
from espalier.progress import Progress
from espalier.trees import LEAF, Surrogates, Tree, make_tree, prune_to, subtree_end

SplitsByPath: TypeAlias = "Mapping[str, tuple[Any, ...]] | None"  # the parameter `forced_splits`
TOGETHER = "forced_splits cannot be kept together with monotonic_cst; leave one of them out"


def read_forced(forced: Mapping[str, tuple[Any, ...]], columns: Columns) -> dict[str, TreeSplit]:
    """Return the splits of `forced_splits` by path, in order. Raises ValueError for what is no split."""
    missing = [path for path in forced if path and path[:-1] not in forced]
    if missing or not all(set(path) <= set("LR") for path in forced):
        at = missing[0] if missing else next(path for path in forced if not set(path) <= set("LR"))
        raise ValueError(f"forced_splits has the path {at!r}; it must be of L and R, with a forced split above it")
    return {path: _read(path, split, columns) for path, split in forced.items()}


def _read(path: str, split: Any, columns: Columns) -> TreeSplit:
    if isinstance(split, TreeSplit):
        return split
    if not (isinstance(split, tuple) and len(split) == 2):
        raise ValueError(f"forced_splits has {split!r} at {path!r}; it must be a column and a threshold, or a set")
    feature, at = columns.number("forced_splits", split[0]), split[1]
    if not columns.is_category[feature]:
        if not (is_number(at) and np.isfinite(at)):
            raise ValueError(f"forced_splits has {at!r} at {path!r}; the column is a number: give a threshold")
        return TreeSplit(feature, float(at), 0, False)
    if isinstance(at, str) or not np.iterable(at):
        raise ValueError(f"forced_splits has {at!r} at {path!r}; the column has categories: give a list of them")
    names = None if columns.frame is None else columns.frame.categories[feature]
    codes = list(range(64)) if names is None else list(names)
    unknown = [category for category in at if category not in codes]
    if unknown:
        raise ValueError(f"forced_splits has the category {unknown[0]!r} at {path!r}; the column has no such one")
    return TreeSplit(feature, np.nan, sum({1 << codes.index(category) for category in at}), False)


def check_forced(learner: Any) -> None:
    """Raise ValueError where the learner's `forced_splits` are none, or stand beside directions."""
    if not learner.forced_splits:
        return
    if not isinstance(learner.forced_splits, dict):
        raise ValueError(
            f"forced_splits is {learner.forced_splits!r}; it must be a dict of splits by path, or None"
        )
    if learner.monotonic_cst is not None:
        raise ValueError(TOGETHER)


def among(splits: Mapping[str, TreeSplit], allowed: np.ndarray) -> dict[str, TreeSplit]:
    """Return the splits with columns numbered as in a table of the allowed ones. Raises ValueError for others."""
    wrong = next((path for path, split in splits.items() if split.feature not in allowed), None)
    if wrong is not None:
        raise ValueError(f"forced_splits ask at the path {wrong!r} about a column of forbidden_features")
    return {path: one._replace(feature=int(np.searchsorted(allowed, one.feature))) for path, one in splits.items()}


def goes_left(values: np.ndarray, split: TreeSplit) -> np.ndarray:
    """Return which values (n,) of the split's column go left, (n,) bool."""
    categories = np.uint64(split.categories)
    return np.array([passes(v, split.threshold, categories, split.missing_left) for v in values], dtype=bool)


def deal_splits(splits: int | None, share: float) -> tuple[int | None, int | None]:
    """Return how many of these splits each branch may have, after the one above them; None for no limit."""
    if splits is None:
        return None, None
    rest = max(splits - 1, 0)
    left = round(rest * share)
    return left, rest - left


def limits_of_branch(
    cart: Any, n_samples: int, depth: int, splits: int | None, part: float, at_least: int = 0
) -> dict[str, Any]:
    """Return the parameters of CART for a branch of a tree of so many samples.

    Its root has this depth, and it may have so many `splits` (None: any number), or as many as it has `at_least`;
    `part` is the weight of all samples, by that of its own.
    """
    splits = None if splits is None else max(splits, at_least, 1)
    return {
        "max_depth": None if cart.max_depth is None else max(cart.max_depth - depth, 1),
        "min_weight_fraction_leaf": cart.min_weight_fraction_leaf * part,
        "min_samples_split": max(count_of(cart.min_samples_split, n_samples), 2),
        "min_samples_leaf": count_of(cart.min_samples_leaf, n_samples),
        "min_impurity_decrease": cart.min_impurity_decrease * part,
        "ccp_alpha": cart.ccp_alpha * part,
        "max_leaf_nodes": None if splits is None else splits + 1,
        "missing": "side" if cart.missing == "impute" else cart.missing,
    }


def cart_below(cart: Any, training: TrainingData, splits: Mapping[str, TreeSplit], progress: Progress) -> Tree:
    """Return the tree that begins with these splits and that CART grows below them, within its limits.

    Given splits are made however small the limits are. One that all samples of its node go one way of is left out,
    with those below it. A missing value goes to the side that gives less impurity, or where there are none to the
    larger one.
    """
    free = copy.copy(cart).set_params(forced_splits=None)
    most = None if cart.max_leaf_nodes is None else cart.max_leaf_nodes - 1
    return GrowthBelow(free, training, splits, progress).branch("", np.arange(len(training.y)), most)


class GrowthBelow(NamedTuple):
    """Grows the branches below given splits."""

    learner: Any  # CART without given splits
    training: TrainingData
    splits: Mapping[str, TreeSplit]
    progress: Progress

    def branch(self, path: str, rows: np.ndarray, most: int | None) -> Tree:
        """Return the branch at a path, with so many splits at most."""
        split = self.splits.get(path)
        if split is None:
            return self._grow(path, rows, most)
        values = self.training.X[rows, split.feature]
        split = split._replace(missing_left=self._missing_left(rows, values, split))
        left = goes_left(values, split)
        if left.all() or not left.any():
            return self._grow(path, rows, most)
        sides = zip("LR", (left, ~left), deal_splits(most, float(left.mean())), strict=True)
        return split_node(
            self._root(rows), split, *(self.branch(path + step, rows[side], n) for step, side, n in sides)
        )

    def _grow(self, path: str, rows: np.ndarray, most: int | None) -> Tree:
        depth, weight = self.learner.max_depth, self.training.weight
        part = float(weight.sum() / weight[rows].sum())
        limits = limits_of_branch(self.learner, len(weight), len(path), most, part)
        own = copy.copy(self.learner).set_params(**limits)
        tree = own.grow(self._part(rows), self.progress).tree_
        is_over = most == 0 or (depth is not None and depth <= len(path))
        return _lone(tree) if is_over else tree

    def _root(self, rows: np.ndarray) -> Tree:
        """Return these samples as a tree without splits."""
        stump = copy.copy(self.learner).set_params(max_depth=1, max_leaf_nodes=None, missing="side")
        return _lone(stump.grow(self._part(rows)).tree_)

    def _missing_left(self, rows: np.ndarray, values: np.ndarray, split: TreeSplit) -> bool:
        has_value, weight = ~np.isnan(values), self.training.weight[rows]
        left = goes_left(values, split)
        larger = bool(weight[left & has_value].sum() >= weight[~left & has_value].sum())
        if has_value.all():
            return larger
        both = [
            self._impurity(rows, goes_left(values, split._replace(missing_left=side))) for side in (True, False)
        ]
        return larger if both[0] == both[1] else both[0] < both[1]

    def _impurity(self, rows: np.ndarray, left: np.ndarray) -> float:
        roots = [self._root(rows[side]) for side in (left, ~left) if side.any()]
        return float(sum(root.weight[0] * root.impurity[0] for root in roots))

    def _part(self, rows: np.ndarray) -> TrainingData:
        X, y, weight = self.training
        return TrainingData(np.asfortranarray(X[rows]), y[rows], weight[rows])


def _lone(tree: Tree) -> Tree:
    return prune_to(tree, np.zeros(tree.n_nodes, dtype=bool))


# ---- trees put together from parts


class TreeSplit(NamedTuple):
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
    return _join([_Slice(tree, node, subtree_end(tree, node), -node)])


def graft(tree: Tree, node: int, branch: Tree) -> Tree:
    """Return the tree with the branch in place of its subtree at the node."""
    end = subtree_end(tree, node)
    change = branch.n_nodes - (end - node)
    above, below = _Slice(tree, 0, node, 0), _Slice(tree, end, tree.n_nodes, change)
    joint = _join([above, _Slice(branch, 0, branch.n_nodes, node), below])
    fields = joint._asdict()
    for side in ("left", "right"):  # of the nodes above, those children that stand after the branch
        child = fields[side].copy()
        child[:node] = np.where(child[:node] >= end, child[:node] + change, child[:node])
        fields[side] = child
    return make_tree(*fields.values())


def split_node(node: Tree, split: TreeSplit, left: Tree, right: Tree) -> Tree:
    """Return the tree whose root is that of `node`, split in this way, above the two branches."""
    parts = [
        _Slice(node, 0, 1, 0),
        _Slice(left, 0, left.n_nodes, 1),
        _Slice(right, 0, right.n_nodes, 1 + left.n_nodes),
    ]
    fields = _join(parts, own_surrogates=False)._asdict()
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


def _join(parts: list[_Slice], own_surrogates: bool = True) -> Tree:
    """Return a tree of these nodes, one part after the other; the first may go without its surrogates."""
    fields = {name: np.concatenate([_values(part, name) for part in parts]) for name in Tree._fields[:-1]}
    pools = [_surrogates(part, bool(i) or own_surrogates) for i, part in enumerate(parts)]
    sizes = np.concatenate([np.diff(pool.start) for pool in pools])
    own_seen, *rest = (np.concatenate(arrays) for arrays in zip(*(pool[1:] for pool in pools), strict=True))
    return make_tree(*fields.values(), [np.append(0, np.cumsum(sizes)), own_seen, *rest])


def _values(part: _Slice, name: str) -> np.ndarray:
    values = getattr(part.tree, name)[part.start : part.end]
    return np.where(values == LEAF, LEAF, values + part.shift) if name in ("left", "right") else values


def _surrogates(part: _Slice, are_kept: bool) -> Surrogates:
    pool, n = part.tree.surrogates, part.end - part.start
    if not are_kept:
        return Surrogates(np.zeros(n + 1, np.int32), np.zeros(n, np.uint64), *(array[:0] for array in pool[2:]))
    start = pool.start[part.start : part.end + 1]
    places = slice(int(start[0]), int(start[-1]))
    return Surrogates(
        start - start[0], pool.own_seen[part.start : part.end], *(array[places] for array in pool[2:])
    )
