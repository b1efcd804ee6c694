"""Methods and attributes that scikit-learn's trees and forests have, under the same names.

Leaves and paths belong to trees with one leaf per sample. Cultivated trees do not have one: they lack these
methods, and `hasattr` is False; their depth, number of leaves and importances mean the same as elsewhere. And
parameters that a learner had once: whoever gives one is told what to use instead.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from espalier.kinds import are_cultivated
from espalier.learners.pruning import pruning_path
from espalier.oblique import ObliqueTree, terms_of
from espalier.predict import leaves
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree, parents

Class = TypeVar("Class", bound=type)


def has_one_tree(learner: Any) -> bool:
    """Return whether the learner grows a single tree."""
    return not getattr(learner, "has_many_trees", False)


def has_leaves(learner: Any) -> bool:
    """Return True if each sample falls into one leaf of every tree. Raises AttributeError with the reason if
    not.
    """
    if getattr(learner, "reaches_many_leaves", False) or are_cultivated(getattr(learner, "forest_", None)):
        raise AttributeError("a sample falls into several leaves of a cultivated tree, so there is none to name")
    return True


class OneTree:
    """scikit-learn's attributes of a learner with one tree, ``tree_``. Forests of the same trees do not have
    them.
    """

    tree_: Any
    n_features_in_: int

    @available_if(has_one_tree)
    def get_depth(self) -> int:
        """Return the most splits on the way to a leaf; 0 for a lone root."""
        check_is_fitted(self)
        return self.tree_.depth

    @available_if(has_one_tree)
    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importances (n_features,) float64: decrease of impurity by splits on each feature, normalised to sum 1.

        Gini importance, or mean decrease of impurity (Breiman et al. 1984, section 5.3, without surrogates); all
        zeros for a tree without splits. In a cultivated tree the options of a module share its decrease. The
        measure favours features with many values, and is computed on the training samples.
        """
        check_is_fitted(self)
        return as_parts(gains_of(self.tree_, self.n_features_in_))


class Paths:
    """Leaves and paths of a learner whose one tree has one leaf per sample."""

    tree_: Any  # Tree or ObliqueTree
    _samples: Callable[[Any], Any]

    def apply(self, X) -> np.ndarray:
        """Return the leaf of each sample, (n_samples,) int32."""
        samples = self._samples(X)  # checks that the learner is fitted
        return leaves(self.tree_, samples)

    @available_if(has_one_tree)
    def decision_path(self, X) -> sparse.csr_matrix:
        """Return (n_samples, n_nodes) int64, compressed rows: 1 for every node on a sample's path, its leaf
        included.
        """
        return path_nodes(self.tree_, self.apply(X))


class Pruned:
    """Pruning path of CART."""

    @available_if(has_one_tree)
    def cost_complexity_pruning_path(self, X, y, sample_weight=None) -> Bunch:
        """Return the effective alphas of cost-complexity pruning (Breiman et al. 1984, section 3.3).

        A copy of this learner grows the tree on X (n_samples, n_features) and y (n_samples,) without pruning.
        ``ccp_alphas`` (n_trees,), ascending from 0, are the prices per leaf from which the next smaller tree is
        best, and ``impurities`` (n_trees,) the weighted mean impurity of its leaves. Splits with equal prices are
        removed together, where scikit-learn lists each.
        """
        learner: Any = clone(self).set_params(ccp_alpha=0.0)  # type: ignore[arg-type]
        path = pruning_path(learner.fit(X, y, sample_weight=sample_weight).tree_)
        return Bunch(ccp_alphas=path.alpha, impurities=path.cost)


def removed_parameters(**instead: str) -> Callable[[Class], Class]:
    """Return a decorator of a learner that had these parameters once, by name with what to use instead.

    Its `__init__` and `set_params` then raise TypeError for each of them, with that sentence. Its signature is
    that of the parameters it has.
    """

    def decorate(learner: Class) -> Class:
        for name in ("__init__", "set_params"):
            setattr(learner, name, _refusing(getattr(learner, name), instead))
        return learner

    return decorate


def _refusing(method: Callable[..., Any], instead: Mapping[str, str]) -> Callable[..., Any]:
    @functools.wraps(method)
    def refuse(self: Any, *arguments: Any, **parameters: Any) -> Any:
        for name in instead.keys() & parameters.keys():
            raise TypeError(f"{type(self).__name__} no longer has the parameter {name}: {instead[name]}")
        return method(self, *arguments, **parameters)

    return refuse


def gains_of(tree: AnyTree | ObliqueTree, n_features: int) -> np.ndarray:
    """Return the decrease of impurity by the splits on each feature, (n_features,), weighted by share of all
    weight.

    Breiman et al. (1984), section 5.3, without surrogates; the options of a module, and the terms of a slanted
    split, share its decrease.
    """
    inner = np.flatnonzero(tree.left != LEAF)
    loss = tree.weight * tree.impurity / tree.weight[0]
    gain = loss[inner] - loss[tree.left[inner]] - loss[tree.right[inner]]
    if isinstance(tree, ObliqueTree):
        return _gains_of_terms(tree, gain, n_features)
    if not isinstance(tree, CultivatedTree):
        return np.bincount(tree.feature[inner], gain, minlength=n_features)
    options = np.repeat(gain, np.diff(tree.decisions.start)[inner]) * tree.decisions.share
    return np.bincount(tree.decisions.feature, options, minlength=n_features)


def _gains_of_terms(tree: ObliqueTree, gain: np.ndarray, n_features: int) -> np.ndarray:
    """Return the gains of the inner nodes, shared equally by the features that each weighs, (n_features,)."""
    inner = np.flatnonzero(tree.left != LEAF)
    features = [
        terms_of(tree, node)[0] if tree.is_slanted[node] else tree.feature[[node]] for node in inner.tolist()
    ]
    share = np.concatenate(
        [np.empty(0), *(np.full(len(f), g / len(f)) for f, g in zip(features, gain, strict=True))]
    )
    return np.bincount(np.concatenate([np.empty(0, np.int32), *features]), share, minlength=n_features)


def as_parts(gains: np.ndarray) -> np.ndarray:
    """Return the gains divided by their sum; zeros if there are none.

    Negative ones become 0: impurity may rise if a node and its children were measured on different samples.
    """
    gains = np.maximum(gains, 0.0)
    return gains / gains.sum() if gains.sum() > 0 else gains


def path_nodes(tree: Tree, leaf: np.ndarray) -> sparse.csr_matrix:
    """Return the nodes on the way to each sample's leaf, (n_samples, n_nodes), given the `leaf` (n_samples,)."""
    parent, ways = parents(tree), {}
    for node in range(tree.n_nodes):  # preorder: a parent comes before its children
        ways[node] = [*ways.get(int(parent[node]), []), node]
    lengths = np.array([len(ways[node]) for node in range(tree.n_nodes)])
    columns = np.concatenate([np.empty(0, np.int64), *(ways[node] for node in leaf.tolist())]).astype(np.int64)
    start = np.append(0, np.cumsum(lengths[leaf]))
    return sparse.csr_matrix((np.ones(len(columns), np.int64), columns, start), (len(leaf), tree.n_nodes))
