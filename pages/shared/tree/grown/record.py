"""A tree with the data, parameters and held-out rows that it came from; the Tree page is a function of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut
from espalier.display.oblique_sums import TreeOfSums
from espalier.leaf_models import LeafModels, ModelTree
from espalier.learners.catalogue import Model
from espalier.learners.optimal import Proof
from espalier.oblique import ObliqueTree
from espalier.tree.edits import Edit
from espalier.tree.impurity import ALIASES
from espalier.trees import AnyTree, CultivatedTree, Tree


class TreeSource(NamedTuple):
    """Origin of a tree, beside the data."""

    holdout: HeldOut
    model: Model  # of a tree of a forest, the forest


def said_as(dataset: Dataset, criterion: str) -> Dataset:
    """The data, whose target knows what the leaves of a tree with this criterion say: a mean, or a median."""
    if criterion != "absolute_error":
        return dataset
    return dataset._replace(target=dataset.target._replace(centre="median"))


class GrownTree(NamedTuple):
    """A tree with the data it was grown on."""

    key: str  # digest of data and model: the key of everything that is derived from the tree
    rows_key: str  # names the rows that it was grown on
    tree: AnyTree
    dataset: Dataset
    held: np.ndarray  # (n_samples,) bool: rows held out
    criterion: str  # that chose its splits
    class_weight: Any  # None; "balanced", where every class counts the same; or the weight of each class, by code
    parameters: dict[str, Any]  # of the estimator
    source: TreeSource
    proof: Proof | None = None  # of the best tree that this learner looks for, if it does
    times: np.ndarray | None = None  # (n_samples,) float64: how often each row was drawn, where that was by chance
    by_chance: bool = False  # whether splits may have been chosen among a few features
    pruned_from: int = 0  # leaves of the tree that it was pruned from; 0: it is whole
    models: LeafModels | None = None  # of a model tree, the formulas of its leaves
    sums: TreeOfSums | None = None  # of an oblique tree, whose `tree` and `dataset` have its sums as features
    by_hand: Mapping[int, Edit] | None = None  # by node: what was changed there by hand; None: nothing
    proofs: Mapping[int, Proof] | None = None  # by node: of branches that were regrown optimally by hand
    given: Proof | None = None  # of a tree with splits by hand, among those that begin with them

    @property
    def impurity(self) -> str:
        """Name of the impurity of its nodes."""
        return ALIASES.get(self.criterion, self.criterion)

    @property
    def is_cultivated(self) -> bool:
        """Whether rows are in several leaves, by fractions."""
        return isinstance(self.tree, CultivatedTree)

    @property
    def has_formulas(self) -> bool:
        """Whether it is a model tree, whose leaves have formulas."""
        return self.models is not None

    @property
    def table(self) -> Dataset:
        """The data without the sums of an oblique tree."""
        return self.dataset if self.sums is None else self.sums.table

    @property
    def record(self) -> AnyTree | ModelTree | ObliqueTree:
        """The record that predicts from the table: the tree, the oblique tree, or tree and formulas."""
        if self.sums is not None:
            return self.sums.oblique
        return self.model_tree if self.has_formulas else self.tree

    @property
    def gridded(self) -> ModelTree | ObliqueTree | None:
        """The record if its surface is drawn by the cells of a grid; None where boxes or gates draw it."""
        if self.sums is not None:
            return self.sums.oblique
        return self.model_tree if self.has_formulas else None

    @property
    def model_tree(self) -> ModelTree:
        """The model tree. Raises TypeError for any other."""
        if self.models is None:
            raise TypeError("the leaves of this tree have no formulas")
        return ModelTree(self.sharp, self.models)

    @property
    def sharp(self) -> Tree:
        """The tree, where every row is in one leaf. Raises TypeError for a cultivated one."""
        if isinstance(self.tree, CultivatedTree):
            raise TypeError("a row is in several leaves of a cultivated tree")
        return self.tree

    @property
    def soft(self) -> CultivatedTree:
        """The cultivated tree. Raises TypeError for any other."""
        if isinstance(self.tree, CultivatedTree):
            return self.tree
        raise TypeError("a row is in one leaf of this tree")


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
