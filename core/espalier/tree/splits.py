"""The features that trees split on, and how many trees of a set share them."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence

import numpy as np

from espalier.kernels.route import averages, shares_of_rows
from espalier.leaf_models import ModelTree, terms_at
from espalier.oblique import ObliqueTree
from espalier.predict import shares
from espalier.tree_checks import boxed
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree, depths, is_leaf


def features_of(tree: AnyTree | ObliqueTree) -> list[int]:
    """Return the features that the tree splits on, each once, ascending."""
    features = tree.decisions.feature if isinstance(tree, CultivatedTree) else tree.feature[tree.left != LEAF]
    more = tree.terms.feature if isinstance(tree, ObliqueTree) else features[:0]
    return sorted({*features.tolist(), *more.tolist()})  # quicker than np.unique of the few nodes of a page's tree


def most_used(tree: AnyTree | ModelTree | ObliqueTree, n_features: int) -> list[int]:
    """Return all features, those that the tree has most use for first.

    Judged by the impurity that their splits take away, options by their shares, and a slanted split for each
    feature that it weighs; in a model tree also by how far its formulas reach, over its leaves by their weight.
    Splits and formulas count alike.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> most_used(CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_, 4)
    [2, 3, 0, 1]
    """
    if isinstance(tree, ModelTree):
        parts = [_gains(tree.tree, n_features), _reaches(tree, n_features)]
        gain = sum((part / max(part.sum(), 1e-300) for part in parts), np.zeros(n_features))
    else:
        gain = _gains(tree, n_features)
    return np.argsort(-gain, kind="stable").tolist()


def _gains(tree: AnyTree | ObliqueTree, n_features: int) -> np.ndarray:
    """Return the weighted impurity that the splits on each feature take away, (n_features,)."""
    inner = np.flatnonzero(tree.left != LEAF)
    loss = tree.weight * tree.impurity
    gain, feature = loss[inner] - loss[tree.left[inner]] - loss[tree.right[inner]], tree.feature[inner]
    if isinstance(tree, CultivatedTree):
        feature = tree.decisions.feature
        gain = np.repeat(gain, np.diff(tree.decisions.start)[inner]) * tree.decisions.share
    if isinstance(tree, ObliqueTree):
        n_terms = np.diff(tree.terms.start)[inner]
        more = np.repeat(gain, n_terms)
        alone = n_terms == 0
        feature = np.append(feature[alone], tree.terms.feature)
        gain = np.append(gain[alone], more)
    return np.bincount(feature, gain, minlength=n_features)


def _reaches(model: ModelTree, n_features: int) -> np.ndarray:
    """Return how far the formulas of all leaves reach in each feature, by the leaves' weight, (n_features,)."""
    total = np.zeros(n_features)
    for leaf in np.flatnonzero(is_leaf(model.tree)).tolist():
        for term in terms_at(model.models, leaf):
            total[term.feature] += model.tree.weight[leaf] * term.reach
    return total


# ---- how much of a tree's answers a plane of two features shows, and the plane that shows most

MOST_ROWS = 400  # asked, spread evenly over the table
MOST_FEATURES = 6  # whose pairs are tried
NEARLY = 0.05  # of the variance of the answers: a pair that shows so much less than the best is as good


def best_plane(tree: Tree, X: np.ndarray, features: Sequence[int]) -> tuple[int, ...]:
    """Return the two features whose plane shows most of the tree's answers, in the order of the table.

    X is (n_samples, n_features); only the first `MOST_FEATURES` of `features` are tried, those that the tree has
    most use for first. Of pairs that show nearly as much as the best, the first one is returned: it has the splits
    near the root. Fewer than two features are returned as they are.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=3).fit(iris.X, iris.y).tree_
    >>> best_plane(tree, iris.X, [3, 2, 0, 1])
    (2, 3)
    """
    rows = X[np.linspace(0, len(X) - 1, min(len(X), MOST_ROWS)).astype(np.int64)]
    pairs = list(itertools.combinations(features[:MOST_FEATURES], 2))
    if not pairs:
        return tuple(features)
    scores = [share_shown(tree, rows, pair) for pair in pairs]
    pair_shown = next(pair for pair, share in zip(pairs, scores, strict=True) if share >= max(scores) - NEARLY)
    return tuple(sorted(pair_shown))


def share_shown(tree: Tree, X: np.ndarray, axes: Sequence[int]) -> float:
    """Return how much of the variance of the tree's answers to the rows of X the plane of `axes` shows.

    1 where the tree's answer averaged over the other features is everywhere its own answer, 0 where it tells no
    more than the mean of all answers; it may be negative. Of classes, the variances of all shares are added up.
    """
    says = shares(tree, X)
    off = says - averages(tree, X, axes, shares_of_rows(tree, X, axes))
    variance = float(np.square(says - says.mean(axis=0)).sum())
    return 1.0 - float(np.square(off).sum()) / variance if variance > 0 else 1.0


# ---- the order in which a tree comes about, one split after the other


def growth_order(tree: AnyTree, order: str = "gain") -> np.ndarray:
    """Return (n_nodes,) int64: the place of each split in the order of growth, from 0 on; -1 at a leaf.

    A node is split after its parent. "gain": of the nodes that may be split next, the one whose split takes most
    off the impurity of the whole tree, as a tree with a limit of leaves grows; "depth": level by level, from left
    to right; "found": down to the leftmost leaf first, as CART finds its splits. Raises ValueError for another
    order, and TypeError for trees without boxes.

    >>> import numpy as np
    >>> from espalier.learners import CartClassifier
    >>> X = np.arange(6.0)[:, None]
    >>> tree = CartClassifier().fit(X, [0, 1, 1, 2, 2, 2]).tree_
    >>> tree.left.tolist()
    [1, 2, -1, -1, -1]
    >>> growth_order(tree).tolist()
    [0, 1, -1, -1, -1]
    """
    tree = boxed(tree, "the order of growth")
    splits = np.flatnonzero(~is_leaf(tree))
    if order == "found":
        sequence = splits.tolist()
    elif order == "depth":
        sequence = splits[np.argsort(depths(tree)[splits], kind="stable")].tolist()
    elif order == "gain":
        sequence = _best_first(tree)
    else:
        raise ValueError(f"order={order!r}: a tree grows by gain, by depth, or as found")
    places = np.full(tree.n_nodes, LEAF, np.int64)
    places[sequence] = np.arange(len(sequence))
    return places


def impurity_left(tree: AnyTree, places: np.ndarray) -> np.ndarray:
    """Return (n_leaves,) float64: the mean impurity of the leaves, by weight, after 0, 1, … splits.

    `places` is the order of growth (`growth_order`).

    >>> import numpy as np
    >>> from espalier.learners import CartClassifier
    >>> tree = CartClassifier().fit(np.arange(4.0)[:, None], [0, 0, 1, 1]).tree_
    >>> impurity_left(tree, growth_order(tree)).tolist()
    [0.5, 0.0]
    """
    tree = boxed(tree, "the impurity that is left")
    rest = tree.weight * tree.impurity
    sequence = np.flatnonzero(places != LEAF)
    sequence = sequence[np.argsort(places[sequence])]
    gain = rest[sequence] - rest[tree.left[sequence]] - rest[tree.right[sequence]]
    left = rest[0] - np.append(0.0, np.cumsum(gain))
    return np.maximum(left, 0.0) / tree.weight[0]


def _best_first(tree: AnyTree) -> list[int]:
    rest = tree.weight * tree.impurity
    gain = rest - rest[tree.left] - rest[tree.right]  # of a leaf it means nothing, and is not asked for
    waiting, sequence = [(-gain[0], 0)], []
    while waiting:
        _, node = heapq.heappop(waiting)
        if tree.left[node] != LEAF:
            sequence.append(node)
            for child in (int(tree.left[node]), int(tree.right[node])):
                heapq.heappush(waiting, (-gain[child], child))
    return sequence
