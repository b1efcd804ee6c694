"""Growing a model tree: at each node the kind of model by which the information criterion falls most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels.model_trees import BENT, CONSTANT, LINE, LINES, STEP, ModelTask, best_models, best_turns
from espalier.leaf_models import LeafModels, make_leaf_models
from espalier.learners.model_trees.fits import (
    FeatureLine,
    Responses,
    Target,
    fit_bent,
    fit_line,
    fit_mean,
    parameters_of,
    parameters_of_turns,
)
from espalier.progress import Progress
from espalier.trees import LEAF, Tree, make_tree

MOST_LINES = 100  # fitted to a node one after the other
HALVINGS = 5  # of a step that would not lower the loss
LEAST_GAIN = 1e-4  # part of the loss that a further line must remove
SPLITS = (STEP, BENT, LINES)
MOST_PAIRED = 300  # features of which every pair is tried: time grows with their square
TRIM = 0.1  # part of a node's weight on each side of a split that turns a feature, as in MOB


class ChosenModel(NamedTuple):
    """The model that a node gets."""

    kind: int
    feature: int
    threshold: float
    categories: int
    partner: int  # the feature of its lines; another one where the split turns its effect


class GrowingNode(NamedTuple):
    """A node that is to grow: its samples, once for each feature as it ascends, and its formula so far."""

    orders: np.ndarray  # (n_features, n) int64
    formula: np.ndarray  # (n_features + 1, n_scores) float64: coefficients, and last the intercept
    depth: int


class ModelTreeGrower:
    """Grows one tree, depth first; columns have no missing values (n_features, n_samples)."""

    def __init__(
        self, columns: np.ndarray, is_categorical: np.ndarray, target: Target, weight: np.ndarray, *,
        max_depth: int, min_leaf_weight: float, shrinkage: float,
    ):  # fmt: skip
        self.columns, self.is_categorical = columns, is_categorical
        self._max_depth, self._min_leaf_weight = max_depth, min_leaf_weight
        self.target, self.weight = target, weight
        self.score = np.repeat(target.start()[:, np.newaxis], columns.shape[1], axis=1)
        self.splits: list[list] = []  # in preorder: feature, threshold, left, right, categories
        self.rows: list[np.ndarray] = []  # samples of each node
        self.formulas: list[np.ndarray | None] = []  # of each leaf
        means = np.average(columns, axis=1, weights=weight)
        variance = np.average((columns - means[:, np.newaxis]) ** 2, axis=1, weights=weight)
        self._ridge = shrinkage * variance
        self._parameters = parameters_of(target.n_scores)

    def grow(self, progress: Progress) -> None:
        """Grow the tree to its end; once stopped, what is left becomes leaves."""
        self._progress = progress
        formula = np.zeros((len(self.columns) + 1, self.target.n_scores))
        formula[-1] = self.target.start()
        root = GrowingNode(np.argsort(self.columns, axis=1, kind="stable"), formula, 0)
        stack = [(root, LEAF)]
        while stack:  # the left child is on top, so that nodes come in preorder
            node, parent = stack.pop()
            if parent != LEAF:
                self.splits[parent][3] = len(self.splits)
            children = self._children(node)
            at = len(self.splits) - 1
            if children:
                left, right = children
                stack += [(right, at), (left, LEAF)]
        self._drop_idle_splits()

    def _drop_idle_splits(self) -> None:
        """Make leaves of splits whose two leaves say the same: nothing followed that they were to prepare."""
        for node in range(len(self.splits) - 1, -1, -1):
            if self.splits[node][0] == LEAF:
                continue
            left, right = self.formulas[node + 1 : node + 3]
            if left is None or right is None or not np.array_equal(left, right):
                continue
            self.splits[node], self.formulas[node] = [LEAF, np.nan, LEAF, LEAF, 0], left
            for items in (self.splits, self.rows, self.formulas):
                del items[node + 1 : node + 3]
            for split in self.splits:
                split[2:4] = [child - 2 if child > node else child for child in split[2:4]]

    def _children(self, node: GrowingNode) -> tuple[GrowingNode, GrowingNode] | None:
        """Write down the node, and return its children; None of a leaf."""
        rows = np.sort(node.orders[0])
        self.rows.append(rows)
        choice, node = self._choose(node, rows)
        children = None if choice is None else self._split(node, choice, rows)
        if choice is None or children is None:
            self.splits.append([LEAF, np.nan, LEAF, LEAF, 0])
            self.formulas.append(node.formula)
            self._progress.advance(len(rows))
            return None
        own = [choice.feature, choice.threshold, len(self.splits) + 1, LEAF, choice.categories]
        self.splits.append(own)
        self.formulas.append(None)
        return children

    def _choose(self, node: GrowingNode, rows: np.ndarray) -> tuple[ChosenModel | None, GrowingNode]:
        """Add lines to the node's formula as long as they pay; then return the split that pays most, if any."""
        if len(rows) < 2 or self.weight[rows].sum() < 2 * self._min_leaf_weight:
            return None, node
        for _ in range(MOST_LINES):
            choice = self._best(node, rows, (LINE,))
            before = self._loss(node, rows)
            if choice.kind == CONSTANT or self._progress.is_stopped:
                break
            line = fit_line(
                self.columns[choice.feature, rows], self._responses(rows), *self._penalty(node, choice)
            )
            node = self._add_line(node, line, choice.feature, rows)
            if before - self._loss(node, rows) < LEAST_GAIN * before:
                break
        if self._progress.is_stopped or node.depth >= self._max_depth:
            return None, node
        choice = self._best(node, rows, SPLITS)
        return (self._best_turn(node, rows) if choice.kind == CONSTANT else choice), node

    def _best(self, node: GrowingNode, rows: np.ndarray, kinds: tuple[int, ...]) -> ChosenModel:
        """Return the constant or a model of these kinds, by the information criterion; of equals the simpler."""
        models = best_models(self._task(node, self._min_leaf_weight), node.orders)
        parameters = np.repeat(self._parameters[np.newaxis], len(self.columns), axis=0)
        parameters[node.formula[:-1].any(axis=1), LINE] = self._parameters[
            CONSTANT
        ]  # its slope is counted already
        criterion = self.target.information(models.error, parameters, float(self.weight[rows].sum()))
        choice = criterion[:, [CONSTANT, *kinds]]
        at = int(choice.min(axis=0).argmin())
        kind, feature = (CONSTANT, *kinds)[at], int(choice[:, at].argmin())
        threshold, categories = float(models.threshold[feature, kind]), int(models.categories[feature])
        return ChosenModel(kind, feature, threshold, categories, feature)

    def _best_turn(self, node: GrowingNode, rows: np.ndarray) -> ChosenModel | None:
        """Return the split that best turns another feature, by the information criterion; None if none pays.

        It has to pay 2 ln(d - 1) more, as there are so many features to turn (as Chen & Chen 2008 extend the
        criterion). Categories that are turned get no formula: the splits of both children follow them, if any may.
        """
        is_last = node.depth + 1 >= self._max_depth
        partners = np.flatnonzero(~self.is_categorical) if is_last else np.arange(len(self.columns))
        if not len(partners) or not 2 <= len(self.columns) <= MOST_PAIRED:
            return None
        weight = float(self.weight[rows].sum())
        task = self._task(node, max(self._min_leaf_weight, TRIM * weight))
        turns = best_turns(task, node.orders, partners, self._progress.stop_flag)
        if self._progress.is_stopped:
            return None
        n_coefficients = [len(np.unique(self.columns[f, rows])) if self.is_categorical[f] else 2 for f in partners]
        parameters = parameters_of_turns(self.target.n_scores, np.array(n_coefficients))
        criterion = self.target.information(turns.error, parameters, weight) + 2 * np.log(len(self.columns) - 1)
        feature, at = np.unravel_index(criterion.argmin(), criterion.shape)
        z, weights = self._responses(rows)
        mean = fit_mean((z, weights)).intercept[:, np.newaxis]
        error = (weights * (z - mean) ** 2).sum()
        if criterion[feature, at] >= self.target.information(error, self._parameters[CONSTANT], weight):
            return None
        threshold, categories = float(turns.threshold[feature, at]), int(turns.categories[feature, at])
        return ChosenModel(LINES, int(feature), threshold, categories, int(partners[at]))

    def _task(self, node: GrowingNode, least: float) -> ModelTask:
        responses, slopes = self.target.responses(self.score), node.formula[:-1]
        return ModelTask(self.columns, self.is_categorical, *responses, self._ridge, slopes, self.weight, least)

    def _loss(self, node: GrowingNode, rows: np.ndarray) -> float:
        """Return the loss of the node's samples and the penalty of its slopes."""
        penalty = self._ridge @ (node.formula[:-1] ** 2).sum(axis=1)
        return self.target.loss(self.score, rows) + float(penalty)

    def _penalty(self, node: GrowingNode, choice: ChosenModel) -> tuple[float, np.ndarray]:
        return float(self._ridge[choice.partner]), node.formula[choice.partner]

    def _responses(self, rows: np.ndarray) -> Responses:
        z, weight = self.target.responses(self.score)
        return z[:, rows], weight[:, rows]

    def _add_line(self, node: GrowingNode, line: FeatureLine, feature: int, rows: np.ndarray) -> GrowingNode:
        """Add a line to the node's formula and its samples' scores, halved until the loss falls, or not at all."""
        score, loss, x = self.score[:, rows], self._loss(node, rows), self.columns[feature, rows]
        for halving in range(HALVINGS):
            shrunk = line.shrunk(0.5**halving)
            formula = node.formula.copy()
            formula[feature] += shrunk.slope
            formula[-1] += shrunk.intercept
            after = node._replace(formula=formula)
            self.score[:, rows] = score + shrunk.at(x)
            if self._loss(after, rows) < loss:
                return after
        self.score[:, rows] = score
        return node

    def _split(
        self, node: GrowingNode, choice: ChosenModel, rows: np.ndarray
    ) -> tuple[GrowingNode, GrowingNode] | None:
        """Return the children with their formulas; None where no formula on either side lowers the loss."""
        goes_left = _goes_left(self.columns[choice.feature, rows], choice)
        is_left = np.zeros(self.columns.shape[1], dtype=bool)
        is_left[rows[goes_left]] = True
        members, n_features = is_left[node.orders], len(node.orders)
        sides = [
            GrowingNode(node.orders[side].reshape(n_features, -1), node.formula, node.depth + 1)
            for side in (members, ~members)
        ]
        if choice.partner != choice.feature and self.is_categorical[choice.partner]:
            return sides[0], sides[1]
        lines = self._fit_sides(node, choice, rows, goes_left)
        left, right = (
            self._add_line(side, line, choice.partner, rows[at])
            for side, line, at in zip(sides, lines, (goes_left, ~goes_left), strict=True)
        )
        is_better = any((side.formula != node.formula).any() for side in (left, right))
        return (left, right) if is_better else None

    def _fit_sides(
        self, node: GrowingNode, choice: ChosenModel, rows: np.ndarray, goes_left: np.ndarray
    ) -> tuple[FeatureLine, FeatureLine]:
        """Return the lines of both sides of a split of these rows, of which `goes_left` (n,) go left."""
        x, (ridge, slope) = self.columns[choice.partner, rows], self._penalty(node, choice)
        z, weight = self._responses(rows)
        if choice.kind == BENT:
            return fit_bent(x, (z, weight), choice.threshold, ridge)

        def fit_side(at: np.ndarray) -> FeatureLine:
            own = z[:, at], weight[:, at]
            return fit_mean(own) if choice.kind == STEP else fit_line(x[at], own, ridge, slope)

        return fit_side(goes_left), fit_side(~goes_left)


def _goes_left(x: np.ndarray, choice: ChosenModel) -> np.ndarray:
    if np.isnan(choice.threshold):
        return (np.uint64(choice.categories) >> x.astype(np.uint64)) & np.uint64(1) == 1
    return x <= choice.threshold


def tree_of(grower: ModelTreeGrower, fill: np.ndarray, values: tuple[np.ndarray, np.ndarray]) -> Tree:
    """Return the tree, whose missing values go where the `fill` of their feature goes.

    `values` are those of the nodes without their formulas, (n_nodes, n_outputs), and their impurities (n_nodes,).
    """
    feature, threshold, left, right, categories = zip(*grower.splits, strict=True)
    missing_left = [
        f != LEAF and bool(_goes_left(fill[[f]], ChosenModel(0, f, t, c, f))[0])
        for f, t, c in zip(feature, threshold, categories, strict=True)
    ]
    n_samples = [len(rows) for rows in grower.rows]
    weight = [grower.weight[rows].sum() for rows in grower.rows]
    masks = np.array(categories, dtype=np.uint64)
    return make_tree(feature, threshold, left, right, masks, missing_left, n_samples, weight, *values)


def models_of(grower: ModelTreeGrower, fill: np.ndarray, range_of_scores: np.ndarray) -> LeafModels:
    """Return the formulas of the leaves; scores are kept within the range (2, n_scores)."""
    n_scores = grower.target.n_scores
    intercept, counts, terms = np.full((len(grower.rows), n_scores), np.nan), [], []
    for node, (rows, formula) in enumerate(zip(grower.rows, grower.formulas, strict=True)):
        features = [] if formula is None else np.flatnonzero(formula[:-1].any(axis=1)).tolist()
        counts.append(len(features))
        if formula is not None:
            intercept[node] = formula[-1]
            x = grower.columns[features][:, rows]
            terms += list(zip(features, formula[features], x.min(axis=1), x.max(axis=1), strict=True))
    feature, coefficient, low, high = zip(*terms, strict=True) if terms else ([], np.empty((0, n_scores)), [], [])
    start = np.append(0, np.cumsum(counts))
    return make_leaf_models(
        intercept, start, feature, coefficient, low, high, fill, *range_of_scores, grower.target.link
    )
