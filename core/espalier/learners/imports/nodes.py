"""The nodes of all trees of a file in any order, our trees of them, exact thresholds, and common refusals."""

from __future__ import annotations

import functools
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


def join_nodes(parts: Sequence[FileNodes]) -> tuple[FileNodes, np.ndarray]:
    """Return the nodes of several trees, one after the other, and where each tree begins, (n_trees,).

    The trees have the same fields, and each the positions of its children among its own nodes.
    """
    first = np.cumsum([0, *(len(part.left) for part in parts)])
    children = [
        [np.where(side < 0, LEAF, side + at) for side in part[2:4]] for part, at in zip(parts, first, strict=False)
    ]
    shifted = [part._replace(left=left, right=right) for part, (left, right) in zip(parts, children, strict=True)]
    return concatenate_nodes(shifted), first[:-1]


def concatenate_nodes(parts: Sequence[FileNodes]) -> FileNodes:
    """Return the nodes of several parts, one after the other, as they are; all parts have the same fields."""
    arrays: list[Any] = [None if of[0] is None else np.concatenate(of) for of in zip(*parts, strict=True)]
    return FileNodes(*arrays)


def damage(text: str, **values: Any) -> Refusal:
    """Return the refusal of a file whose trees are damaged: `text` says what about them is."""
    return Refusal(DAMAGED, what=Phrase(text, values))


def check_values(*arrays: np.ndarray) -> None:
    """Raise Refusal where a number is missing."""
    if any(np.isnan(array).any() for array in arrays):
        raise damage(NO_NUMBER)


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
    order = _expand(nodes, np.asarray(root, np.int64))
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


def set_of(codes: np.ndarray) -> np.uint64:
    """Return a set of categories, from 0 to 63: a bit each."""
    return np.bitwise_or.reduce(np.uint64(1) << codes.astype(np.uint64), initial=np.uint64(0))


def _check(nodes: FileNodes, root: np.ndarray, n_features: int) -> None:
    n = len(nodes.left)
    is_split = nodes.left != LEAF
    children = np.concatenate([nodes.left[is_split], nodes.right[is_split], root])
    if len(children) and not (children.min() >= 0 and children.max() < n):
        raise damage(OUTSIDE)
    if not len(root) or (is_split != (nodes.right != LEAF)).any():
        raise damage(OUTSIDE)
    features = nodes.feature[is_split]
    if len(features) and not (features.min() >= 0 and features.max() < n_features):
        raise damage(NO_COLUMN)
    counts = [of[~is_split] for of in (nodes.n_samples, nodes.weight) if of is not None]
    if not all(np.isfinite(of).all() for of in (nodes.value[~is_split], *counts)):
        raise damage(NO_NUMBER)


def _expand(nodes: FileNodes, root: np.ndarray) -> Expanded:
    """Return all nodes in preorder: found level by level, then counted upwards and placed downwards."""
    source, left, right = _levels_of(nodes, root)
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
    places = np.empty_like(every)
    places[place] = every
    return Expanded(places, left_placed, right_placed, levels, begin)


def _levels_of(nodes: FileNodes, root: np.ndarray) -> tuple[list, list, list]:
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
            raise damage(TOO_MANY)
    return source[:-1], left, right


# ---- what a file leaves out


def _facts(nodes: FileNodes, order: Expanded) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return samples, weight, value and impurity of every node."""
    at, n = order.source, len(order.source)
    samples = np.ones(n) if nodes.n_samples is None else nodes.n_samples[at]
    if nodes.n_samples is None or np.isnan(samples).any():
        samples = _sum_way(samples, order)
    weight = np.asarray(samples if nodes.weight is None else nodes.weight[at], np.float64)
    value = np.array(nodes.value[at], np.float64)
    if np.isnan(value).any():
        mean = _mean_way(value, _sum_way(np.maximum(weight, 1e-300), order), order)
        value = np.where((order.left == LEAF)[:, None], value, mean)
    if nodes.impurity is not None:
        impurity = nodes.impurity[at]
    elif nodes.gain is not None:
        gain = np.where(order.left == LEAF, 0.0, nodes.gain[at])
        impurity = _sum_way(gain, order, with_own=True) / np.maximum(weight, 1e-300)
    else:
        impurity = _spread(value, np.maximum(weight, 1e-300), order)
    return np.round(samples).astype(np.int64), weight, value, impurity


def _sum_way(own: np.ndarray, order: Expanded, with_own: bool = False) -> np.ndarray:
    """Return the sums over the leaves below each node, or over all nodes below; `own` is (n,) or (n, k)."""
    total = np.array(own, np.float64)
    for level in reversed(order.levels):
        inner = level[order.left[level] != LEAF]
        below = total[order.left[inner]] + total[order.right[inner]]
        total[inner] = below + total[inner] if with_own else below
    return total


def _mean_way(value: np.ndarray, weight: np.ndarray, order: Expanded) -> np.ndarray:
    """Return the values, at splits the mean of the leaves below, each by its weight."""
    return _sum_way(value * weight[:, None], order) / weight[:, None]


def _spread(value: np.ndarray, weight: np.ndarray, order: Expanded) -> np.ndarray:
    """Return the variance of the leaves' values below each node, summed over outputs."""
    weight = _sum_way(weight, order)
    mean = _mean_way(value, weight, order)
    return np.maximum((_mean_way(value**2, weight, order) - mean**2).sum(axis=1), 0.0)


# ---- what several readers say of models that a forest here cannot be

OBJECTIVE = to_say("the model's objective is {name}, which a forest here cannot stand for")
CATEGORIES = to_say("the model splits a column of more than {n} categories, and a split here tells {n} apart")
SEVERAL_NUMBERS = to_say("the model predicts several numbers for a row; a forest here predicts one")
QUESTION = to_say("the model asks a question of the kind {name}, which no split here stands for")
MOST_CODES = 64  # categories that a split can tell apart
MANY_COLUMNS = to_say("the file says that its model takes {n} columns; up to {most} can be read")
MOST_COLUMNS = 100_000  # of a file, which may say any number of them without naming one


def check_width(n: int) -> None:
    """Raise Refusal for more columns than a file may say that it has."""
    if n > MOST_COLUMNS:
        raise Refusal(MANY_COLUMNS, n=n, most=MOST_COLUMNS)


# ---- thresholds of libraries that compare float32, for our rule: float64, and left on ``x <= threshold``

BEYOND = 2.0**128  # from halfway between the greatest float32 and here, doubles round to infinity


# A value is rounded to float32 before it is compared. The greatest double that still rounds to the greatest
# float32 on the left separates all doubles as the library does: those halfway to the next float32 round to the
# even one.
@functools.cache
def is_sklearn_float32() -> bool:
    """Return whether trees of the installed scikit-learn round values to float32 before they compare them.

    It is asked of a stump, since versions may differ. Raises Refusal if a value at a threshold does not go left.
    """
    from sklearn.tree import DecisionTreeClassifier

    stump = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    state = stump.tree_.__getstate__()
    state["nodes"]["threshold"][0] = 1.0
    stump.tree_.__setstate__(state)
    at, just_above, above = stump.predict(np.array([[1.0], [1.0 + 2.0**-40], [1.5]])).tolist()
    if (at, above) != (0, 1) or state["nodes"]["threshold"].dtype != np.float64:
        raise Refusal("the installed version of scikit-learn compares numbers in a way that is not known here")
    return just_above == 0


def sklearn_thresholds(threshold: np.ndarray) -> np.ndarray:
    """Return for thresholds (n,) of scikit-learn those of ours that send every double the same way."""
    return at_most_as_float32(threshold) if is_sklearn_float32() else np.asarray(threshold, np.float64)


def rounded_down(values: np.ndarray) -> np.ndarray:
    """Return the greatest float32 that is at most each value (n,), as float64; infinities stay.

    >>> rounded_down(np.array([0.5, 0.8]))
    array([0.5       , 0.79999995])
    """
    with np.errstate(over="ignore", under="ignore"):
        nearest = values.astype(np.float32)
        lower = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > values, lower, nearest).astype(np.float64)


def at_most_as_float32(threshold: np.ndarray) -> np.ndarray:
    """Return the greatest double whose float32 is at most each threshold (n,); nan and inf stay.

    >>> float(at_most_as_float32(np.array([1.0]))[0]) == 1 + 2.0**-24
    True
    """
    last = rounded_down(np.asarray(threshold, np.float64)).astype(np.float32)
    with np.errstate(over="ignore", under="ignore"):
        after = np.nextafter(last, np.float32(np.inf)).astype(np.float64)
    ends = np.clip(last.astype(np.float64), -BEYOND, BEYOND), np.clip(after, -BEYOND, BEYOND)
    middle = (ends[0] + ends[1]) / 2
    is_even = last.view(np.uint32) % 2 == 0
    greatest = np.where(is_even, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isfinite(last) | (last < 0), greatest, last)


def below_as_float32(threshold: np.ndarray) -> np.ndarray:
    """Return the greatest double whose float32 is below each threshold (n,), which is itself a float32.

    >>> float(below_as_float32(np.array([1.0]))[0]) < 1.0
    True
    """
    with np.errstate(over="ignore", under="ignore"):
        return at_most_as_float32(np.nextafter(np.asarray(threshold, np.float32), np.float32(-np.inf)))


def below(threshold: np.ndarray) -> np.ndarray:
    """Return the greatest double below each threshold (n,), for a library that compares doubles by ``<``."""
    return np.nextafter(np.asarray(threshold, np.float64), -np.inf)
