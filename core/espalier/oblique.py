"""The oblique tree: a record of arrays whose splits may weigh several features against one threshold."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from espalier.trees import LEAF, read_only, subtree_end


class Terms(NamedTuple):
    """The terms of all slanted splits of an `ObliqueTree`, node after node, in the order of adding."""

    start: np.ndarray  # (n_nodes + 1,) int32: node i has terms ``start[i]:start[i + 1]``; two or more, or none
    feature: np.ndarray  # (n_terms,) int32; column of X
    coefficient: np.ndarray  # (n_terms,) float64


class ObliqueTree(NamedTuple):
    """A binary tree in preorder whose splits may be slanted: ``sum of coefficient * x <= threshold`` goes left.

    A node without terms splits on one feature as a `Tree` does: on a threshold, or on a set of categories. A
    missing value (nan), or a code that is no category, counts as the ``fill`` of its feature, so that every sample
    has a number everywhere.
    """

    feature: np.ndarray  # (n_nodes,) int32; column of X, at a slanted split that of the first term; -1 at a leaf
    threshold: np.ndarray  # (n_nodes,) float64; nan at a leaf and at a split on categories
    left: np.ndarray  # (n_nodes,) int32; node + 1, or -1 at a leaf
    right: np.ndarray  # (n_nodes,) int32; -1 at a leaf
    categories: np.ndarray  # (n_nodes,) uint64; bit c set: category c goes left; 0 elsewhere
    n_samples: np.ndarray  # (n_nodes,) int64; samples in the node
    weight: np.ndarray  # (n_nodes,) float64; the samples' summed weight
    value: np.ndarray  # (n_nodes, n_outputs) float64; class shares (rows sum to 1), or the mean (median)
    impurity: np.ndarray  # (n_nodes,) float64; of the node, per unit of weight
    fill: np.ndarray  # (n_features,) float64; the training mean, or the most frequent category
    terms: Terms

    children_left = property(attrgetter("left"), doc="``left``, as scikit-learn calls it.")
    children_right = property(attrgetter("right"), doc="``right``, as scikit-learn calls it.")
    node_count = property(attrgetter("n_nodes"), doc="``n_nodes``, as scikit-learn calls it.")
    n_node_samples = property(attrgetter("n_samples"), doc="``n_samples``, as scikit-learn calls it.")
    weighted_n_node_samples = property(attrgetter("weight"), doc="``weight``, as scikit-learn calls it.")
    max_depth = property(attrgetter("depth"), doc="``depth``, as scikit-learn calls it.")

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.left)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.left == LEAF))

    @property
    def depth(self) -> int:
        """Depth of the deepest leaf; a lone root has depth 0."""
        depth = np.zeros(self.n_nodes, np.int64)
        for node in np.flatnonzero(self.left != LEAF):
            depth[[self.left[node], self.right[node]]] = depth[node] + 1
        return int(depth.max())

    @property
    def is_slanted(self) -> np.ndarray:
        """(n_nodes,) bool: which nodes weigh several features."""
        return np.diff(self.terms.start) > 0

    def __reduce__(self):
        return make_oblique, (*self[:-1], tuple(self.terms))


def make_oblique(*fields: Any) -> ObliqueTree:
    """Return the ObliqueTree of the given arrays, in the order of its fields, each with its dtype and read-only.

    >>> none, one = [-1, -1], [1.0, 1.0]
    >>> tree = make_oblique(
    ...     [0, *none], [3.0, np.nan, np.nan], [1, *none], [2, *none], [0, 0, 0], [4, 2, 2], [4, 2, 2],
    ...     [[0.5, 0.5], [1, 0], [0, 1]], [0.5, 0, 0], [1.2, 1.8], ([0, 2, 2, 2], [0, 1], one),
    ... )
    >>> tree.depth, tree.is_slanted.tolist()
    (1, [True, False, False])
    """
    dtypes = ("i4", "f8", "i4", "i4", "u8", "i8", "f8", "f8", "f8", "f8")
    nodes = [_fixed(array, dtype) for array, dtype in zip(fields[:-1], dtypes, strict=True)]
    terms = [_fixed(array, dtype) for array, dtype in zip(fields[-1], ("i4", "i4", "f8"), strict=True)]
    return ObliqueTree._make([*nodes, Terms(*terms)])


def _fixed(array: ArrayLike, dtype: str) -> np.ndarray:
    return read_only(np.ascontiguousarray(array, dtype=dtype))


def terms_of(tree: ObliqueTree, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the features (n_terms,) and the coefficients (n_terms,) of a node; none where it is not slanted."""
    own = slice(int(tree.terms.start[node]), int(tree.terms.start[node + 1]))
    return tree.terms.feature[own], tree.terms.coefficient[own]


def prune_oblique_to(tree: ObliqueTree, keep_split: np.ndarray) -> ObliqueTree:
    """Return the tree in which every node whose ``keep_split`` (n_nodes,) bool is False has become a leaf."""
    as_any: Any = tree
    kept, node = [], 0
    while node < tree.n_nodes:
        kept.append(node)
        stays = tree.left[node] != LEAF and keep_split[node]
        node = node + 1 if stays else subtree_end(as_any, node)
    splits = (tree.left[kept] != LEAF) & keep_split[kept]
    number = np.full(tree.n_nodes + 1, LEAF)  # the last entry answers for child -1
    number[kept] = np.arange(len(kept))
    own = {name: getattr(tree, name)[kept] for name in ("n_samples", "weight", "value", "impurity")}
    own |= {name: np.where(splits, number[getattr(tree, name)[kept]], LEAF) for name in ("left", "right")}
    leaf = {"feature": LEAF, "threshold": np.nan, "categories": np.uint64(0)}
    own |= {name: np.where(splits, getattr(tree, name)[kept], value) for name, value in leaf.items()}
    terms = [terms_of(tree, node) for node in np.array(kept)[splits]]
    start = np.append(0, np.cumsum(np.where(splits, np.diff(tree.terms.start)[kept], 0)))
    pool = [np.concatenate([np.empty(0), *arrays]) for arrays in (zip(*terms, strict=True) if terms else ((), ()))]
    return make_oblique(*(own[name] for name in tree._fields[:-2]), tree.fill, (start, *pool))
