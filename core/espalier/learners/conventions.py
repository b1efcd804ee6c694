"""What people expect of trees and forests in scikit-learn, under the names that it has there.

Leaves and paths are those of trees with one leaf for every sample. Cultivated trees have none to name: there these
methods are absent, as `hasattr` tells; their depth, number of leaves and importances mean the same as elsewhere.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from espalier.learners.pruning import pruning_path
from espalier.trees import AnyTree, CultivatedTree, Tree, is_leaf, parents


class _Learner(Protocol):
    def predict_proba(self, X) -> np.ndarray: ...


class LogShares:
    """What every classifier has beside its shares."""

    def predict_log_proba(self: _Learner, X) -> np.ndarray:
        """(n_samples, n_classes): natural logarithms of the shares of `predict_proba`; -inf where one is zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def _has_one_tree(learner: Any) -> bool:
    return not isinstance(learner, ManyTrees)


def has_leaves(learner: Any) -> bool:
    """Whether each sample falls into one leaf of every tree. Raises AttributeError, saying why, where not."""
    forest = getattr(learner, "forest_", None)
    trees = () if forest is None else forest.trees
    if getattr(learner, "_spreads", False) or any(isinstance(tree, CultivatedTree) for tree in trees):
        raise AttributeError("a sample falls into several leaves of a cultivated tree, so there is none to name")
    return True


class OneTree:
    """What a learner of one tree, ``tree_``, has in scikit-learn. Forests of the same kind of tree have it not."""

    tree_: Any
    n_features_in_: int

    @available_if(_has_one_tree)
    def get_depth(self) -> int:
        """Most splits on the way to a leaf; of a tree that is a lone root, 0."""
        check_is_fitted(self)
        return self.tree_.depth

    @available_if(_has_one_tree)
    def get_n_leaves(self) -> int:
        """Number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """(n_features,) float64: what the splits on each feature take away of the impurity, as parts of 1.

        Gini importance, or mean decrease of impurity (Breiman et al. 1984, section 5.3, without surrogates); all
        zeros for a tree without splits. In a cultivated tree the options of a module have their shares of what it
        takes away. It favours features with many values, and is measured on the training samples.
        """
        check_is_fitted(self)
        return _as_parts(gains_of(self.tree_, self.n_features_in_))


class Paths:
    """What a learner of one tree with one leaf for every sample has besides; it has `apply` itself."""

    tree_: Tree

    @available_if(_has_one_tree)
    def decision_path(self, X) -> sparse.csr_matrix:
        """(n_samples, n_nodes) int64, compressed rows: 1 for every node that a sample passes, also its leaf."""
        learner: Any = self
        leaves = learner.apply(X)  # which checks that the learner is fitted
        return _paths(self.tree_, leaves)


class Pruned:
    """What CART has besides."""

    @available_if(_has_one_tree)
    def cost_complexity_pruning_path(self, X, y, sample_weight=None) -> Bunch:
        """The effective alphas of pruning by cost and complexity (Breiman et al. 1984, section 3.3).

        The tree is grown on X (n_samples, n_features) and y (n_samples,) without pruning, by a copy of this
        learner. Of the result ``ccp_alphas`` (n_trees,), ascending from 0, are the prices per leaf from which the
        next smaller tree is best, and ``impurities`` (n_trees,) its leaves' mean impurity by weight. Splits whose
        prices are equal fall together, where scikit-learn lists each.
        """
        learner: Any = clone(self).set_params(ccp_alpha=0.0)  # type: ignore[arg-type]
        path = pruning_path(learner.fit(X, y, sample_weight=sample_weight).tree_)
        return Bunch(ccp_alphas=path.alpha, impurities=path.impurity)


class ManyTrees:
    """What a forest, ``forest_``, has in scikit-learn."""

    forest_: Any
    n_features_in_: int

    @property
    def feature_importances_(self) -> np.ndarray:
        """(n_features,) float64: the mean importances of the trees, by the weight of their votes, as parts of 1.

        Those of a tree as in `CartClassifier`; trees without splits do not count.
        """
        check_is_fitted(self)
        parts = [_as_parts(gains_of(tree, self.n_features_in_)) for tree in self.forest_.trees]
        return _as_parts(self.forest_.weight @ np.array(parts))

    @available_if(has_leaves)
    def decision_path(self, X) -> tuple[sparse.csr_matrix, np.ndarray]:
        """The nodes that each sample passes, of all trees side by side, and where each tree's begin.

        (n_samples, n_nodes of all trees) int64, compressed rows, with a 1 for every node; and (n_trees + 1,): the
        columns of tree i are those from the i-th of these numbers up to the next.
        """
        learner: Any = self
        leaves = learner.apply(X)
        paths: Any = [_paths(tree, of_tree) for tree, of_tree in zip(self.forest_.trees, leaves.T, strict=True)]
        start = np.append(0, np.cumsum([tree.n_nodes for tree in self.forest_.trees]))
        return sparse.csr_matrix(sparse.hstack(paths)), start


def gains_of(tree: AnyTree, n_features: int) -> np.ndarray:
    """(n_features,): how much impurity the splits on each feature take away, by their share of the weight.

    Breiman et al. (1984), section 5.3, without surrogates; the options of a module have their shares of it.
    """
    inner = np.flatnonzero(~is_leaf(tree))
    loss = tree.weight * tree.impurity / tree.weight[0]
    gain = loss[inner] - loss[tree.left[inner]] - loss[tree.right[inner]]
    if not isinstance(tree, CultivatedTree):
        return np.bincount(tree.feature[inner], gain, minlength=n_features)
    options = np.repeat(gain, np.diff(tree.decisions.start)[inner]) * tree.decisions.share
    return np.bincount(tree.decisions.feature, options, minlength=n_features)


def _as_parts(gains: np.ndarray) -> np.ndarray:
    """The gains as parts of their sum; without any, zeros.

    None is negative: where a node's impurity was measured on other samples than its children's, it may rise.
    """
    gains = np.maximum(gains, 0.0)
    return gains / gains.sum() if gains.sum() > 0 else gains


def _paths(tree: Tree, leaves: np.ndarray) -> sparse.csr_matrix:
    """(n_samples, n_nodes): the nodes on the way to each sample's leaf, given the leaves (n_samples,)."""
    parent, ways = parents(tree), {}
    for node in range(tree.n_nodes):  # preorder: a parent stands before its children
        ways[node] = [*ways.get(int(parent[node]), []), node]
    lengths = np.array([len(ways[node]) for node in range(tree.n_nodes)])
    columns = np.concatenate([np.empty(0, np.int64), *(ways[leaf] for leaf in leaves.tolist())]).astype(np.int64)
    start = np.append(0, np.cumsum(lengths[leaves]))
    return sparse.csr_matrix((np.ones(len(columns), np.int64), columns, start), (len(leaves), tree.n_nodes))
