"""A tree with all that it came from, and results that are kept between reruns: grown trees, data for drawing them.

Keys are the content digest of the data and the model, never arrays: Streamlit hashes only a sample of a
big array, so two different ones could answer for each other.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier import model_trees as formula_surface
from espalier import predict
from espalier.data.dataset import Dataset
from espalier.data.folds import held_out
from espalier.display.boundaries import plane
from espalier.display.boundaries import surface as surface_views
from espalier.display.boundaries.plane import node_average, node_raster, points, tree_raster
from espalier.display.tree import cards as card_views
from espalier.display.tree import impurity_curve as curve_views
from espalier.grown import GrownTree, class_prices
from espalier.kernels.cultivated.fractions import fractions_of
from espalier.language import say
from espalier.learners.forbidden import Columns
from espalier.learners.monotone import directions_of
from espalier.model_trees import add_formulas
from espalier.new_rows.promises import LeafAnswers, LeafPromises, promised_leaves
from espalier.settings import MAX_POINTS
from espalier.tree.impurity import SplitRules, rules_at
from espalier.tree.model_size import Prices
from espalier.tree.nodes import (
    ImpurityCurve,
    cut_of,
    has_missing,
    impurity_curves,
    most_used,
)
from espalier.trees import LEAF, path_to, subtree_end
from pages.shared.app.store import of_table

# ---- what the features on no axis of a surface have

AVERAGE = "average"  # what the address says of it


class OffAxis(NamedTuple):
    """The values of the features that are on no axis: by default typical ones."""

    row: int | None = None  # those of this row
    averaged: bool = False  # each row keeps its own, and the answers are averaged
    is_brief: bool = False  # over fewer rows, where that takes long: of a picture that the next one soon replaces


# ---- where the sliders that fold a tree stand for the tree on the page

DEPTH, LEVELS, ALPHA = "depth", "levels", "alpha"  # names of the sliders


def places(grown: GrownTree) -> dict[str, Any]:
    """The value of each slider: the browser then knows whether the tree is what it asked for."""
    model = grown.source.model
    return {LEVELS if grown.is_cultivated else DEPTH: model.value(DEPTH), ALPHA: model.value(ALPHA)}


# ---- results that are kept

MANY_ROWS, FEW_ROWS = 20_000, 24  # averaged over: of a tree with one leaf for every row, and of any other
BRIEF_ROWS = 8  # of any other, while a slider moves
LONG_CURVES = 2_000_000  # values of the features: from here on the curves may take more than a second


@of_table(max_entries=64)
def cards(grown: GrownTree) -> dict[str, Any]:
    """Cards of the tree graph, with histograms of the rows that the tree was grown on."""
    eta = grown.parameters.get("eta") if grown.parameters.get("options") else 0.0
    cards = card_views.cards(grown.tree, grown.dataset, ~grown.held, grown.impurity, eta)
    cards = card_views.add_hand_notes(cards, grown.by_hand) if grown.by_hand else cards
    return add_formulas(cards, grown.model_tree, grown.dataset) if grown.models is not None else cards


@of_table(max_entries=64)
def surface(grown: GrownTree, axes: tuple[int, ...], like: OffAxis) -> dict[str, Any]:
    """The decision surface over one or two features, the others as `held_values` has them."""
    values = held_values(grown, like)
    if grown.gridded is not None:
        return formula_surface.surface(grown.gridded, grown.table, axes, values, grown.held)
    if grown.is_cultivated or like.averaged:
        data, drawn = grown.dataset, _drawn_points(grown.rows_key, axes, grown)
        if not grown.is_cultivated:
            dots = points(data, axes, lambda X: predict.leaves_and_shares(grown.tree, X), dots=drawn)
            return plane.tree_average(grown.sharp, data, axes, values) | dots
        dots = points(data, axes, lambda _: drawn_in_leaves(grown), dots=drawn)
        return tree_raster(grown.soft, data, axes, values, like.is_brief and like.averaged) | dots
    return surface_views.surface(grown.sharp, grown.dataset, axes, values, grown.held)


@of_table(max_entries=32)
def _drawn_points(rows_key: str, axes: tuple[int, ...], _grown: GrownTree) -> dict[str, Any]:
    """Points of the rows that surfaces draw, which all trees of the same rows have in common."""
    return plane.drawn_points(_grown.dataset, axes, _grown.held)


@of_table(max_entries=32)
def drawn_in_leaves(grown: GrownTree) -> tuple[np.ndarray, np.ndarray]:
    """The leaf that has most of each row that surfaces draw, and a cultivated tree's answer to it."""
    return predict.leaves_and_shares(grown.soft, grown.dataset.X[plane.drawn_rows(len(grown.dataset.y))])


def lit(grown: GrownTree, axes: tuple[int, ...], like: OffAxis, node: int) -> dict[str, Any] | None:
    """Part of the surface whose samples are in a node below the root; None where boxes show the part."""
    is_raster = grown.is_cultivated or grown.gridded is not None or like.averaged
    return _lit(grown, axes, like, node) if is_raster else None


@of_table(max_entries=64)
def _lit(grown: GrownTree, axes: tuple[int, ...], like: OffAxis, node: int) -> dict[str, Any]:
    values = held_values(grown, like)
    if grown.gridded is not None:
        return formula_surface.node_cells(grown.gridded, grown.table, axes, values, node)
    if grown.is_cultivated:
        return node_raster(grown.soft, grown.dataset, axes, values, node)
    return node_average(grown.sharp, grown.dataset, axes, values, node)


def held_values(grown: GrownTree, like: OffAxis) -> np.ndarray:
    """Values of features that stand on no axis, (n_features,).

    For an average (n_rows, n_features): all rows up to a limit, or some where that would take long.
    """
    if like.averaged:
        is_quick = grown.gridded is None and not grown.is_cultivated
        most = MANY_ROWS if is_quick else BRIEF_ROWS if like.is_brief else FEW_ROWS
        n = len(grown.table.X)
        return grown.table.X[np.linspace(0, n - 1, min(n, most)).astype(np.int64)]
    return _typical(grown.table) if like.row is None else grown.table.X[like.row]


@of_table(max_entries=32)
def _typical(dataset: Dataset) -> np.ndarray:
    return plane.typical(dataset)


@of_table(max_entries=32)
def leaves(grown: GrownTree) -> np.ndarray:
    """(n_samples,) int32: the leaf of every row. Raises TypeError where rows are in several leaves."""
    return predict.leaves(grown.sharp, grown.dataset.X)


def answers(grown: GrownTree, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
    """(n_samples, n_outputs): the class shares, or the mean, that the tree gives every row, or each of `rows`.

    No others are asked where that takes time.
    """
    if not (grown.is_cultivated or grown.models is not None):
        return grown.tree.value[leaves(grown)[rows]]
    if grown.is_cultivated and not isinstance(rows, slice) and not _all_drawn(grown):
        return predict.shares(grown.soft, grown.dataset.X[rows])
    return _answers(grown)[rows]


@of_table(max_entries=32)
def _answers(grown: GrownTree) -> np.ndarray:
    if grown.is_cultivated and _all_drawn(grown):
        return drawn_in_leaves(grown)[1]
    return predict.shares(grown.record, grown.dataset.X)


def _all_drawn(grown: GrownTree) -> bool:
    """Whether surfaces draw every row, so that what they ask of the tree answers for all."""
    return len(grown.dataset.y) <= MAX_POINTS


def fractions(grown: GrownTree, node: int) -> np.ndarray:
    """(n_samples,) float64: the fraction of every row, held-out ones too, that is in the node."""
    if grown.is_cultivated:
        return _fractions(grown, node)
    return rows_in(grown, node).astype(np.float64)


@of_table(max_entries=64)
def _fractions(grown: GrownTree, node: int) -> np.ndarray:
    return predict.fractions_in(grown.tree, grown.dataset.X, node)


@of_table(max_entries=64)
def fractions_of_row(grown: GrownTree, row: int) -> dict[str, int]:
    """Fractions of a row of a cultivated tree's data in its nodes, per mille; what rounds to 0 is left out."""
    fractions = np.round(1000 * fractions_of(grown.soft, grown.dataset.X[row])).astype(int)
    return {str(node): int(fractions[node]) for node in np.flatnonzero(fractions)}


def rows_in(grown: GrownTree, node: int) -> np.ndarray:
    """(n_samples,) bool: rows, held-out ones too, of which any part passes through the node."""
    if grown.is_cultivated:
        return fractions(grown, node) > 0
    leaf = leaves(grown)
    return np.logical_and(leaf >= node, leaf < subtree_end(grown.tree, node))


def weights(grown: GrownTree, node: int) -> np.ndarray:
    """(n_samples,) float64: what every row counts in the node as it was grown: nothing, if held out."""
    counts = fractions(grown, node) * ~grown.held
    weight = _weight(grown)
    return counts if weight is None else counts * weight


def curves(grown: GrownTree, node: int) -> list[ImpurityCurve]:
    """Impurity against threshold for every feature, over the node's rows that the tree was grown on."""
    is_slow = grown.dataset.X.size > LONG_CURVES / 2  # else a spinner would take longer than the curves
    with st.spinner(say("Trying every threshold …")) if is_slow else contextlib.nullcontext():
        return _curves(node_key(grown, node), node, grown)


@of_table(max_entries=256)
def _curves(place: str, _node: int, _grown: GrownTree) -> list[ImpurityCurve]:
    rows = np.logical_and(rows_in(_grown, _node), ~_grown.held)
    found = impurity_curves(_grown.dataset, rows, _weight(_grown), _grown.criterion, _rules(_grown, _node))
    n, own = len(_grown.table.features), _grown.tree.feature[_node]
    return [curve for curve in found if curve.feature < n or curve.feature == own]  # no sums of other nodes


def _rules(grown: GrownTree, node: int) -> SplitRules:
    """The rules of the splits at a node: the way of missing values, and the directions of columns."""
    choice, data = grown.parameters.get("monotonic_cst"), grown.dataset
    if choice is None or grown.proof is not None:  # an optimal tree may give up gain here for what it gets below
        return rules_at(grown.sharp, node, grown.parameters.get("missing", "side"))
    columns = Columns([feature.name for feature in data.features], data.categorical)
    directions = directions_of(choice, columns, len(data.classes))
    return rules_at(grown.sharp, node, grown.parameters.get("missing", "side"), directions)


def curve_card(grown: GrownTree, node: int, curve: ImpurityCurve) -> tuple[dict[str, Any], str, float]:
    """Data of a node's curve for the browser, the curve in words, and the weight of its samples.

    The tree's own split is on it where it is on this feature.
    """
    threshold = cut_of(grown.sharp, node, curve)
    return _curve_card(node_key(grown, node), curve.feature, threshold, grown, node, curve)


@of_table(max_entries=256)
def _curve_card(
    place: str, feature: int, threshold: float | None, _grown: GrownTree, _node: int, _curve: ImpurityCurve
) -> tuple[dict[str, Any], str, float]:
    rows = np.logical_and(rows_in(_grown, _node), ~_grown.held)
    look = curve_views.curve_inputs(_grown.dataset, rows, _weight(_grown), _curve, threshold)
    return curve_views.card(look, _grown.impurity), curve_views.alt(look), look.total


def node_key(grown: GrownTree, node: int) -> str:
    """A key of a node's samples: data, rows grown on, the way down, and the weights.

    Trees of other parameters share it where the same questions lead to the node, and the same splits are allowed.
    """
    tree, steps = grown.sharp, path_to(grown.tree, node)
    pool, fields = tree.surrogates, (tree.feature, tree.threshold, tree.categories, tree.missing_left)
    questions = [  # all that decides about the way of a row at each node, surrogate splits included
        (
            [own[at] for own in (*fields, pool.own_seen)],
            [more[slice(*pool.start[at : at + 2])] for more in pool[2:]],
        )
        for at in steps
    ]
    sides = [tree.left[at] == child for at, child in itertools.pairwise(steps)]
    rules = grown.parameters.get("missing"), grown.parameters.get("monotonic_cst")
    return repr((grown.rows_key, grown.criterion, grown.class_weight, questions, sides, rules))


def _weight(grown: GrownTree) -> np.ndarray | None:
    of_class = None if grown.class_weight is None else _of_class(grown)
    parts = [part for part in (of_class, grown.times, _own_weight(grown)) if part is not None]
    return np.prod(parts, axis=0) if parts else None


def _own_weight(grown: GrownTree) -> np.ndarray | None:
    """(n_samples,) weight of each row in the data, in the unit of the tree's own; None: all count the same."""
    weight = grown.dataset.weights
    if weight is None:
        return None
    return (
        weight / weight[~held_out(grown.dataset, grown.source.holdout)].mean() if grown.is_cultivated else weight
    )


def prices(grown: GrownTree) -> Prices:
    """Costs of errors for the learner of a tree of classes."""
    return class_prices(grown.dataset.y[~grown.held], len(grown.dataset.classes), grown.parameters)


@of_table(max_entries=8)
def _of_class(grown: GrownTree) -> np.ndarray:
    """(n_samples,) weight of each row by its class."""
    y = grown.dataset.y
    return class_prices(y[~grown.held], len(grown.dataset.classes), grown.parameters).weight[y]


@of_table(max_entries=32)
def missing(dataset: Dataset) -> np.ndarray:
    """(n_features,) bool: features with missing values."""
    return has_missing(dataset.X)


def features_used(grown: GrownTree) -> list[int]:
    """Features by how much the tree has use for them, the most useful first."""
    return most_used(grown.record, len(grown.table.features))


# ---- what the leaves promise for new rows, by the rows held out

LEVEL = 90  # percent, unless another is chosen


def can_promise(grown: GrownTree) -> bool:
    """Whether each row is in one leaf, which has one answer, and rows are held out."""
    return bool(grown.held.any()) and not grown.is_cultivated and grown.models is None


@of_table(max_entries=64)
def promised(grown: GrownTree, percent: int) -> LeafPromises:
    """The promises at a level in percent; `key` is the tree's."""
    tree, data, held = grown.sharp, grown.dataset, grown.held
    node = np.flatnonzero(tree.feature == LEAF)
    row_leaf = leaves(grown)[held]
    unit = None if data.roles.groups is None else data.roles.groups.codes[held]
    answers_of_rows = LeafAnswers(node, tree.value[node], row_leaf, data.y[held], data.weights_of(held), unit)
    return promised_leaves(answers_of_rows, percent / 100)
