"""What is worth keeping between reruns: grown trees and what is drawn of them.

Keys are the content digest of the data and the parameters, never arrays: Streamlit hashes only a sample of a
big array, so two different ones could answer for each other.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import logging
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, TypeVar

import numpy as np
import streamlit as st

from core.analysis.nodes import Curve, cut_of, has_missing, impurity_curves
from core.data.dataset import Dataset, held_out
from core.kernels.route import leaf_of
from core.learners import CartClassifier, CartRegressor, uncompiled
from core.settings import MAX_CACHED_TREES
from core.trees import LEAF, Tree, path_to, read_only, subtree_end
from core.views import cards as card_views
from core.views import curve as curve_views
from core.views import surface as surface_views
from core.views.curve import Look
from pages.shared import warm

BIG = 1_000_000  # values of the features: from here on growing can take a noticeable time
Parameters = tuple[tuple[str, Any], ...]
Cart = TypeVar("Cart", CartClassifier, CartRegressor)

_log = logging.getLogger("espalier")


class Grown(NamedTuple):
    """A tree with the data it was grown on."""

    key: str  # digest of data and parameters: the key of everything that is derived from the tree
    rows_key: str  # names the rows that it was grown on
    tree: Tree
    dataset: Dataset
    held: np.ndarray  # (n_samples,) bool: rows held out
    criterion: str  # name of the impurity
    balanced: bool  # whether every class counts the same


def grown(
    dataset: Dataset, percent_held: int, seed: int, parameters: Parameters, ready: Tree | None = None
) -> Grown:
    """The tree of these parameters, grown on the rows that are not held out; `ready` if it is there already."""
    key = key_of(dataset, percent_held, seed, parameters)
    with _patience(dataset, "Growing the tree …", not warm.is_ready()):
        return _grown(key, dataset, percent_held, seed, parameters, ready)


def key_of(dataset: Dataset, percent_held: int, seed: int, parameters: Parameters) -> str:
    """Digest of all that a tree depends on."""
    name = repr((dataset.digest, percent_held, seed, parameters))
    return hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def _patience(dataset: Dataset, words: str, slow: bool = False) -> AbstractContextManager[Any]:
    """A spinner where the data may take a while; it costs a millisecond, which small data do without."""
    return st.spinner(words) if slow or dataset.X.size > BIG else contextlib.nullcontext()


@st.cache_resource(max_entries=MAX_CACHED_TREES, show_spinner=False)
def _grown(
    key: str, _dataset: Dataset, _percent_held: int, _seed: int, _parameters: Parameters, _ready: Tree | None
) -> Grown:
    tree = _ready or grow(_dataset, _percent_held, _seed, _parameters)
    return with_data(key, tree, _dataset, (_percent_held, _seed), dict(_parameters))


def with_data(key: str, tree: Tree, dataset: Dataset, rows: tuple[int, int], parameters: dict[str, Any]) -> Grown:
    """The tree with what it was grown on: `rows` are the percentage held out and the seed."""
    held = held_out(dataset, rows[0] / 100, rows[1])
    rows_key = f"{dataset.digest} {rows[0]} {rows[1]}"
    balanced = parameters.get("class_weight") is not None
    return Grown(key, rows_key, tree, dataset, held, parameters["criterion"], balanced)


def grow(
    dataset: Dataset, percent_held: int, seed: int, parameters: Parameters, signals: np.ndarray | None = None
) -> Tree:
    """The tree, grown anew; `signals` as in `CartClassifier.fit`."""
    rows = ~held_out(dataset, percent_held / 100, seed)
    X, y = dataset.X[rows], dataset.y[rows]
    chosen: dict[str, Any] = {**dict(parameters), "categorical_features": dataset.categorical}
    if not dataset.is_classification:
        return _fit(CartRegressor(**chosen), X, y, signals).tree_
    cart = _fit(CartClassifier(**chosen), X, y, signals)
    return _all_classes(cart.tree_, cart.classes_, len(dataset.classes))


def can_grow(dataset: Dataset) -> bool:
    """Whether a tree can be grown now: while the engine is being compiled, only of a small table."""
    return warm.is_ready() or uncompiled.is_small(*dataset.X.shape)


def _fit(cart: Cart, X: np.ndarray, y: np.ndarray, signals: np.ndarray | None) -> Cart:
    if not warm.is_ready():
        try:
            return uncompiled.fit(cart, X, y)
        except RuntimeError:
            _log.exception("growing without the compiler failed")
            warm.wait()
    return cart.fit(X, y, signals=signals)


def _all_classes(tree: Tree, present: np.ndarray, n_classes: int) -> Tree:
    """The tree with a share for every class of the data, also for one that no row it was grown on has."""
    if len(present) == n_classes:
        return tree
    value = np.zeros((tree.n_nodes, n_classes))
    value[:, present] = tree.value
    return tree._replace(value=read_only(value))


@st.cache_resource(max_entries=64, show_spinner=False)
def _cards(key: str, _grown: Grown) -> dict[str, Any]:
    return card_views.cards(_grown.tree, _grown.dataset, ~_grown.held, _grown.criterion)


def cards(grown: Grown) -> dict[str, Any]:
    """What the tree graph shows: histograms of the rows that the tree was grown on."""
    return _cards(grown.key, grown)


def surface(grown: Grown, axes: tuple[int, ...], like: int | None) -> dict[str, Any]:
    """The decision surface over one or two features, the others at typical values or as in row `like`."""
    return _surface(grown.key, axes, like, grown)


@st.cache_resource(max_entries=64, show_spinner=False)
def _surface(key: str, axes: tuple[int, ...], like: int | None, _grown: Grown) -> dict[str, Any]:
    return surface_views.surface(_grown.tree, _grown.dataset, axes, held_values(_grown, like), _grown.held)


def held_values(grown: Grown, like: int | None) -> np.ndarray:
    """(n_features,) values of features that stand on no axis: those of row `like`, or typical ones."""
    return _typical(grown.dataset.digest, grown.dataset) if like is None else grown.dataset.X[like]


@st.cache_resource(max_entries=32, show_spinner=False)
def _typical(digest: str, _dataset: Dataset) -> np.ndarray:
    return surface_views.typical(_dataset)


@st.cache_resource(max_entries=32, show_spinner=False)
def _leaves(key: str, _grown: Grown) -> np.ndarray:
    return leaf_of(_grown.tree, _grown.dataset.X)


def leaves(grown: Grown) -> np.ndarray:
    """(n_samples,) int32: the leaf of every row."""
    return _leaves(grown.key, grown)


def rows_in(grown: Grown, node: int) -> np.ndarray:
    """(n_samples,) bool: rows, held-out ones too, that pass through the node."""
    leaf = leaves(grown)
    return np.logical_and(leaf >= node, leaf < subtree_end(grown.tree, node))


def curves(grown: Grown, node: int) -> list[Curve]:
    """Impurity against threshold for every feature, over the node's rows that the tree was grown on."""
    with _patience(grown.dataset, "Trying every threshold …"):
        return _curves(_place(grown, node), node, grown)


@st.cache_resource(max_entries=256, show_spinner=False)
def _curves(place: str, _node: int, _grown: Grown) -> list[Curve]:
    rows = np.logical_and(rows_in(_grown, _node), ~_grown.held)
    return impurity_curves(_grown.dataset, rows, _weight(_grown), _grown.criterion)


def look(grown: Grown, node: int, curve: Curve) -> Look:
    """What the picture of a node's curve needs, with the tree's own split where it is on this feature."""
    threshold = cut_of(grown.tree, node, curve)
    return _look(_place(grown, node), curve.feature, threshold, (grown, node, curve))


@st.cache_resource(max_entries=256, show_spinner=False)
def _look(place: str, feature: int, threshold: float | None, _of: tuple[Grown, int, Curve]) -> Look:
    grown, node, curve = _of
    rows = np.logical_and(rows_in(grown, node), ~grown.held)
    return curve_views.look(grown.dataset, rows, _weight(grown), curve, threshold)


def curve_card(grown: Grown, look: Look) -> dict[str, Any]:
    """What the browser draws of a curve."""
    return curve_views.card(look, grown.criterion)


def _place(grown: Grown, node: int) -> str:
    """What tells a node's samples from all others: data, rows grown on, the way down, and how they count.

    Trees of other parameters share it where the same questions lead to the node.
    """
    tree, steps = grown.tree, path_to(grown.tree, node)
    way = [
        (tree.feature[n], tree.threshold[n], tree.categories[n], tree.missing_left[n], tree.left[n] == child)
        for n, child in itertools.pairwise(steps)
    ]
    split = tree.feature[node], tree.threshold[node], tree.categories[node]
    return repr((grown.rows_key, grown.criterion, grown.balanced, way, split))


def _weight(grown: Grown) -> np.ndarray | None:
    return _balanced(grown.key, grown) if grown.balanced else None


@st.cache_resource(max_entries=8, show_spinner=False)
def _balanced(key: str, _grown: Grown) -> np.ndarray:
    """(n_samples,) weight that makes all classes of the training rows weigh the same."""
    y = _grown.dataset.y
    count = np.bincount(y[~_grown.held], minlength=len(_grown.dataset.classes))
    return (len(y) - _grown.held.sum()) / (np.count_nonzero(count) * np.maximum(count, 1))[y]


@st.cache_resource(max_entries=32, show_spinner=False)
def _missing(digest: str, _dataset: Dataset) -> np.ndarray:
    return has_missing(_dataset.X)


def missing(grown: Grown) -> np.ndarray:
    """(n_features,) bool: features with missing values."""
    return _missing(grown.dataset.digest, grown.dataset)


def features_used(grown: Grown) -> list[int]:
    """Features by how much impurity their splits take away, the most useful first."""
    tree = grown.tree
    inner = np.flatnonzero(tree.feature != LEAF)
    left, right = tree.left[inner], tree.right[inner]
    loss = tree.weight * tree.impurity
    gain = np.bincount(
        tree.feature[inner], loss[inner] - loss[left] - loss[right], minlength=len(grown.dataset.features)
    )
    return np.argsort(-gain, kind="stable").tolist()
