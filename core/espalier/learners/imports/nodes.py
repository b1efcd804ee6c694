"""The nodes of all trees of a file, in any order, and our trees of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from espalier.language import Phrase, Refusal, to_say
from espalier.trees import LEAF, Tree, make_tree

MOST_NODES = 10_000_000
MOST_LEVELS = 10_000
MOST_TIMES = 64  # nodes here for one of a file, whose nodes with two parents are doubled
DAMAGED = to_say("the file's trees are damaged: {what}")
OUTSIDE = to_say("a node has a child that is not there")
NO_COLUMN = to_say("a node asks for a column that is not there")
NO_NUMBER = to_say("a leaf or a threshold is no number")
TOO_MANY = to_say("they have too many nodes, or some lead back to themselves")


class FileNodes(NamedTuple):
    """The nodes of all trees, one after the other; a child may have two parents, and is then there twice."""

    feature: np.ndarray  # (n,) column of X, at a split
    threshold: np.ndarray  # (n,) float64; nan at a split on categories
    left: np.ndarray  # (n,) position of the left child, among all; -1 at a leaf
    right: np.ndarray  # (n,)
    missing_left: np.ndarray  # (n,) bool
    value: np.ndarray  # (n, n_outputs) float64; at splits nan, if the file has none there
    categories: np.ndarray | None = None  # (n,) uint64
    n_samples: np.ndarray | None = None  # (n,), nan at splits that have none; None: each leaf counts as one
    weight: np.ndarray | None = None  # (n,); None: the number of samples
    impurity: np.ndarray | None = None  # (n,)
    gain: np.ndarray | None = None  # (n,) decrease of what the library minimises, from which impurity follows


def joined(parts: Sequence[FileNodes]) -> FileNodes:
    """Return the nodes of several parts, one after the other; all parts have the same fields."""
    arrays: list[Any] = [None if of[0] is None else np.concatenate(of) for of in zip(*parts, strict=True)]
    return FileNodes(*arrays)


def check_values(*arrays: np.ndarray) -> None:
    """Raise Refusal where a number is missing."""
    if any(np.isnan(array).any() for array in arrays):
        raise Refusal(DAMAGED, what=Phrase(NO_NUMBER, {}))


class Expanded(NamedTuple):
    """All nodes in preorder, tree after tree."""

    source: np.ndarray  # (n,) position in `FileNodes`
    left: np.ndarray  # (n,) position of the left child in these arrays; -1 at a leaf
    right: np.ndarray  # (n,)
    levels: list[np.ndarray]  # positions of the nodes at depth 0, 1, …
    root: np.ndarray  # (n_trees + 1,) where each tree begins, and the end


def trees_of(nodes: FileNodes, root: np.ndarray, n_features: int) -> tuple[Tree, ...]:
    """Return the tree at each root (n_trees,), in preorder. Raises Refusal for nodes that make no trees."""
    _check(nodes, root, n_features)
    order = _expanded(nodes, np.asarray(root, np.int64))
    facts = _facts(nodes, order)
    is_split = order.left != LEAF
    at = order.source
    categories = np.zeros(len(at), np.uint64) if nodes.categories is None else nodes.categories[at]
    begin = order.root[np.searchsorted(order.root, np.arange(len(at)), side="right") - 1]
    arrays = (
        np.where(is_split, nodes.feature[at], LEAF),
        np.where(is_split, nodes.threshold[at], np.nan),
        np.where(is_split, order.left - begin, LEAF),
        np.where(is_split, order.right - begin, LEAF),
        np.where(is_split, categories, np.uint64(0)),
        is_split & nodes.missing_left[at],
        *facts,
    )
    spans = [slice(a, b) for a, b in pairwise(order.root)]
    return tuple(make_tree(*(array[span] for array in arrays)) for span in spans)


def _check(nodes: FileNodes, root: np.ndarray, n_features: int) -> None:
    n = len(nodes.left)
    is_split = nodes.left != LEAF
    children = np.concatenate([nodes.left[is_split], nodes.right[is_split], root])
    if len(children) and not (children.min() >= 0 and children.max() < n):
        raise Refusal(DAMAGED, what=Phrase(OUTSIDE, {}))
    if not len(root) or (is_split != (nodes.right != LEAF)).any():
        raise Refusal(DAMAGED, what=Phrase(OUTSIDE, {}))
    asked = nodes.feature[is_split]
    if len(asked) and not (asked.min() >= 0 and asked.max() < n_features):
        raise Refusal(DAMAGED, what=Phrase(NO_COLUMN, {}))
    counts = [of[~is_split] for of in (nodes.n_samples, nodes.weight) if of is not None]
    if not all(np.isfinite(of).all() for of in (nodes.value[~is_split], *counts)):
        raise Refusal(DAMAGED, what=Phrase(NO_NUMBER, {}))


def _expanded(nodes: FileNodes, root: np.ndarray) -> Expanded:
    """Return all nodes in preorder: found level by level, then counted upwards and placed downwards."""
    source, left, right = _by_level(nodes, root)
    starts = np.cumsum([0, *map(len, source)])
    every = np.concatenate(source)
    left_of, right_of = np.concatenate(left), np.concatenate(right)
    size = np.ones(len(every), np.int64)
    for level in reversed(range(len(source))):
        inner = starts[level] + np.flatnonzero(left[level] != LEAF)
        size[inner] += size[left_of[inner]] + size[right_of[inner]]
    place = np.empty(len(every), np.int64)
    begin = np.append(0, np.cumsum(size[: len(root)]))
    place[: len(root)] = begin[:-1]
    for level in range(len(source)):
        inner = starts[level] + np.flatnonzero(left[level] != LEAF)
        place[left_of[inner]] = place[inner] + 1
        place[right_of[inner]] = place[inner] + 1 + size[left_of[inner]]
    split = np.flatnonzero(left_of != LEAF)
    left_placed, right_placed = np.full(len(every), LEAF), np.full(len(every), LEAF)
    left_placed[place[split]] = place[left_of[split]]
    right_placed[place[split]] = place[right_of[split]]
    levels = [place[a:b] for a, b in pairwise(starts)]
    placed = np.empty_like(every)
    placed[place] = every
    return Expanded(placed, left_placed, right_placed, levels, begin)


def _by_level(nodes: FileNodes, root: np.ndarray) -> tuple[list, list, list]:
    """Return for each level its nodes, and where their children stand once all levels follow each other."""
    source, left, right = [root], [], []
    most, total = min(MOST_TIMES * len(nodes.left), MOST_NODES), len(root)
    while len(source[-1]):
        inner = nodes.left[source[-1]] != LEAF
        parents = source[-1][inner]
        n = len(parents)
        sides = np.full((2, len(inner)), LEAF)
        sides[:, inner] = total + np.arange(2 * n).reshape(2, n)
        left.append(sides[0])
        right.append(sides[1])
        source.append(np.concatenate([nodes.left[parents], nodes.right[parents]]).astype(np.int64))
        total += 2 * n
        if total > most or len(source) > MOST_LEVELS:
            raise Refusal(DAMAGED, what=Phrase(TOO_MANY, {}))
    return source[:-1], left, right


# ---- what a file leaves out


def _facts(nodes: FileNodes, order: Expanded) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return samples, weight, value and impurity of every node."""
    at, n = order.source, len(order.source)
    samples = np.ones(n) if nodes.n_samples is None else nodes.n_samples[at]
    if nodes.n_samples is None or np.isnan(samples).any():
        samples = _summed(samples, order)
    weight = np.asarray(samples if nodes.weight is None else nodes.weight[at], np.float64)
    value = np.array(nodes.value[at], np.float64)
    if np.isnan(value).any():
        mean = _averaged(value, _summed(np.maximum(weight, 1e-300), order), order)
        value = np.where((order.left == LEAF)[:, None], value, mean)
    if nodes.impurity is not None:
        impurity = nodes.impurity[at]
    elif nodes.gain is not None:
        gain = np.where(order.left == LEAF, 0.0, nodes.gain[at])
        impurity = _summed(gain, order, with_own=True) / np.maximum(weight, 1e-300)
    else:
        impurity = _spread(value, np.maximum(weight, 1e-300), order)
    return np.round(samples).astype(np.int64), weight, value, impurity


def _summed(own: np.ndarray, order: Expanded, with_own: bool = False) -> np.ndarray:
    """Return the sums over the leaves below each node, or over all nodes below; `own` is (n,) or (n, k)."""
    total = np.array(own, np.float64)
    for level in reversed(order.levels):
        inner = level[order.left[level] != LEAF]
        below = total[order.left[inner]] + total[order.right[inner]]
        total[inner] = below + total[inner] if with_own else below
    return total


def _averaged(value: np.ndarray, weight: np.ndarray, order: Expanded) -> np.ndarray:
    """Return the values, at splits the mean of the leaves below, each by its weight."""
    return _summed(value * weight[:, None], order) / weight[:, None]


def _spread(value: np.ndarray, weight: np.ndarray, order: Expanded) -> np.ndarray:
    """Return the variance of the leaves' values below each node, summed over outputs."""
    weight = _summed(weight, order)
    mean = _averaged(value, weight, order)
    return np.maximum((_averaged(value**2, weight, order) - mean**2).sum(axis=1), 0.0)
