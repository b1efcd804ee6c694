"""A tree with all that it came from: the data, the rows held out, the model, and the proof of how good it is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.display.oblique_sums import TreeOfSums, tree_of_sums
from espalier.leaf_models import LeafModels, ModelTree
from espalier.learners.catalogue import CommonTerms, Model
from espalier.learners.optimal import Proof
from espalier.oblique import ObliqueTree
from espalier.optimal import MeanError, Measure
from espalier.tree.edits import Edit
from espalier.tree.impurity import ALIASES
from espalier.tree.model_size import Prices, prices
from espalier.trees import AnyTree, CultivatedTree, Tree, read_only

SEARCH_MB = 128  # of a search: a server may keep a few


class FittedTree(NamedTuple):
    """A tree, and what is known of how good a tree can be."""

    tree: AnyTree
    proof: Proof | None  # only of searches for the best tree
    models: LeafModels | None = None  # of a model tree, the formulas of its leaves

    @property
    def is_open(self) -> bool:
        """Whether a search has not come to its end."""
        return self.proof is not None and not self.proof.proved


class TreeSource(NamedTuple):
    """Origin of a tree, beside the data."""

    holdout: HeldOut
    model: Model  # of a tree of a forest, the forest


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


def tree_key(dataset: Dataset, holdout: HeldOut, model: Model) -> str:
    """Return a digest of all that a tree depends on."""
    name = repr((dataset.digest, holdout, model))
    return hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


def join_data(
    key: str, fitted: FittedTree, dataset: Dataset, source: TreeSource, estimator: Any = None
) -> GrownTree:
    """Return the tree with what it was grown on.

    `estimator` grew it, where the source's model alone does not say how.
    """
    parameters = growing_parameters(make_estimator(source.model, dataset) if estimator is None else estimator)
    criterion = parameters.get("criterion", "gini" if dataset.is_classification else "squared_error")
    dataset = name_centre(dataset, criterion)
    sums = tree_of_sums(fitted.tree, dataset) if isinstance(fitted.tree, ObliqueTree) else None
    tree, data = (fitted.tree, dataset) if sums is None else (sums.tree, sums.dataset)
    return GrownTree(
        key=key,
        rows_key=f"{data.digest} {source.holdout}",
        tree=tree,
        dataset=data,
        held=held_out(dataset, source.holdout),
        criterion=criterion,
        class_weight=parameters.get("class_weight"),
        parameters=parameters,
        source=source,
        proof=fitted.proof,
        models=fitted.models,
        sums=sums,
    )


def name_centre(dataset: Dataset, criterion: str) -> Dataset:
    """Return the data, whose target knows what leaves of a tree with this criterion say: a mean, or a median."""
    if criterion != "absolute_error":
        return dataset
    return dataset._replace(target=dataset.target._replace(centre="median"))


def make_estimator(model: Model, dataset: Dataset, codes: Sequence[int] | None = None) -> Any:
    """Return the estimator of a model, not fitted; `codes` are the classes of its rows, if not all."""
    terms = CommonTerms.of(dataset, megabytes=SEARCH_MB)
    if codes is not None:
        terms = terms._replace(classes=tuple(dataset.classes[k] for k in codes), codes=tuple(codes))
    return model.make(terms)


def growing_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters that an estimator grows trees with: its own, and of a forest its base tree's, too."""
    base = getattr(estimator, "estimator", None)
    return ({} if base is None else base.get_params(deep=False)) | estimator.get_params(deep=False)


def add_absent_classes(tree: Any, present: np.ndarray, n_classes: int) -> Any:
    """Return the tree with a share for every class, where it has shares only of those that are present."""
    if not n_classes or tree.value.shape[1] == n_classes:
        return tree
    value = np.zeros((tree.n_nodes, n_classes))
    value[:, present] = tree.value
    return tree._replace(value=read_only(value))


def class_prices(y: np.ndarray, n_classes: int, parameters: dict[str, Any]) -> Prices:
    """Return the costs of errors for an estimator of these parameters that is fitted to classes y."""
    weights = parameters.get("class_weight")
    costs = prices(y, n_classes, weights == "balanced", parameters.get("misclassification_cost"))
    if isinstance(weights, dict):
        return costs._replace(weight=np.array([weights.get(k, 1.0) for k in range(n_classes)]))
    return costs


def objective_measure(
    dataset: Dataset, y: np.ndarray, weight: np.ndarray | None, parameters: dict[str, Any]
) -> Measure:
    """Return what an objective stands for on rows of these targets and weights (None: 1)."""
    if dataset.is_classification:
        return class_prices(y, len(dataset.classes), parameters).are_equal
    return MeanError(float(len(y) if weight is None else np.sum(weight)))
