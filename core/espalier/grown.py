"""A tree or a forest with all that it came from: data, rows held out, model, and the proof of how good it is."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.data.roles import class_sizes
from espalier.display.oblique_sums import TreeOfSums, tree_of_sums
from espalier.display.theme import number
from espalier.inert import plain
from espalier.language import say
from espalier.leaf_models import LeafModels, ModelTree
from espalier.learners.catalogue import OWN_MODEL, CommonTerms, Model
from espalier.learners.optimal import NearTree, Proof, TreesAsGood
from espalier.learners.optimal.near_optimal import near_tree
from espalier.learners.optimal.rashomon import (
    OpenClasses,
    Reliance,
    TreeCards,
    cards_of,
    open_classes,
    reliance,
    trees_without,
)
from espalier.learners.optimal.tree_builder import Shape
from espalier.oblique import ObliqueTree
from espalier.optimal import MeanError, Measure
from espalier.progress import Progress
from espalier.tree.edits import Edit
from espalier.tree.impurity import ALIASES
from espalier.tree.model_size import Prices, prices
from espalier.trees import AnyTree, CultivatedTree, Forest, Tree, make_forest, make_sum, read_only

SEARCH_MB = 128  # of a search: a server may keep a few
BYTES_A_NODE = 110  # of a tree, and of the packed forest that rows are sent through
NODES_A_ROW = 1.3  # of a tree that grows until every leaf is pure, at most
USUAL_TREES = 100  # for a guess, where the data decide how many there are


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
    def table(self) -> Dataset:
        """The data without the sums of an oblique tree."""
        return self.dataset if self.sums is None else self.sums.table

    @property
    def record(self) -> AnyTree | ModelTree | ObliqueTree:
        """The record that predicts from the table: the tree, the oblique tree, or tree and formulas."""
        if self.sums is not None:
            return self.sums.oblique
        return self.model_tree if self.models is not None else self.tree

    @property
    def gridded(self) -> ModelTree | ObliqueTree | None:
        """The record if its surface is drawn by the cells of a grid; None where boxes or gates draw it."""
        if self.sums is not None:
            return self.sums.oblique
        return self.model_tree if self.models is not None else None

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
    key: str,
    fitted: FittedTree,
    dataset: Dataset,
    source: TreeSource,
    estimator: Any = None,
    held: np.ndarray | None = None,
) -> GrownTree:
    """Return the tree with what it was grown on.

    `estimator` grew it, where the source's model alone does not say how; `held` are the rows held out, if known.
    """
    parameters = growing_parameters(make_estimator(source.model, dataset) if estimator is None else estimator)
    criterion = parameters.get("criterion", "gini" if dataset.is_classification else "squared_error")
    if criterion == "absolute_error":  # leaves then say a median
        dataset = dataset._replace(target=dataset.target._replace(centre="median"))
    sums = tree_of_sums(fitted.tree, dataset) if isinstance(fitted.tree, ObliqueTree) else None
    tree, data = (fitted.tree, dataset) if sums is None else (sums.tree, sums.dataset)
    return GrownTree(
        key=key,
        rows_key=f"{data.digest} {source.holdout}",
        tree=tree,
        dataset=data,
        held=held_out(dataset, source.holdout) if held is None else held,
        criterion=criterion,
        class_weight=parameters.get("class_weight"),
        parameters=parameters,
        source=source,
        proof=fitted.proof,
        models=fitted.models,
        sums=sums,
    )


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


# ---- trees as good as an optimal one


class AsGood(NamedTuple):
    """All trees within a slack of the optimal one."""

    trees: TreesAsGood
    cards: TreeCards
    without: tuple[int, ...]  # how many do not ask about each column
    reliance: Reliance
    open: OpenClasses
    is_every: bool  # whether they ask every question that the best one was looked for among
    present: np.ndarray  # codes of the classes that the rows have
    n_classes: int

    @property
    def best(self) -> float:
        """The least objective."""
        return self.trees.objective(min(self.trees.root.table))

    @property
    def n_questions(self) -> int:
        """Return how many questions they are made of."""
        return len(self.trees.questions.inputs.questions.feature)

    def near(self, number: int) -> NearTree:
        """The tree of this number, from 0."""
        return self._complete(self.trees.near(number))

    def build(self, shape: Shape) -> NearTree:
        """The tree of these questions."""
        return self._complete(near_tree(self.trees.questions.inputs, shape))

    def _complete(self, near: NearTree) -> NearTree:
        return near._replace(tree=add_absent_classes(near.tree, self.present, self.n_classes))


def survey_trees(
    trees: TreesAsGood, limit: int, n_columns: int, present: np.ndarray, n_classes: int, progress: Progress
) -> AsGood:
    """Return what is told of trees as good: cards of the first `limit`, and how they use the columns and rows."""
    return AsGood(
        trees,
        cards_of(trees, limit, progress),
        tuple(trees_without(trees, n_columns)),
        reliance(trees, n_columns),
        open_classes(trees),
        trees.is_every,
        present,
        n_classes,
    )


# ---- forests


class GrownForest(NamedTuple):
    """A forest with the data it was grown on."""

    key: str  # names data, model and the trees that grew: the key of everything that is derived from it
    forest: Forest
    dataset: Dataset
    held: np.ndarray  # (n_samples,) bool: rows held out
    in_bag: np.ndarray | None  # (n_trees, n_grown_on) uint8; None where no tree left out any row
    model: Model
    estimator: Any  # as it was fitted
    is_whole: bool  # whether it was not stopped
    may_have_seen: bool = False  # whether it is not known which rows it was trained on: all count as held out

    @property
    def is_own(self) -> bool:
        """Whether a person brought it, and nothing was grown here."""
        return self.model.name == OWN_MODEL.name

    @property
    def is_sum(self) -> bool:
        """Whether its trees are steps of a sum, and have no votes."""
        return self.forest.combine == "sum"

    @property
    def has_rounds(self) -> bool:
        """Whether each of its trees corrects the sum of the earlier ones, as the mean of log odds does not."""
        return self.is_sum and not getattr(self.estimator, "averages", False)

    @property
    def trees_a_round(self) -> int:
        """Trees that a round of a sum grows; 1 for other forests."""
        return self.estimator.n_trees_per_iteration_ if self.is_sum else 1

    @property
    def n_rounds(self) -> int:
        """Number of rounds of a sum, or of trees of other forests."""
        return self.forest.n_trees // self.trees_a_round

    @property
    def rows(self) -> np.ndarray:
        """(n_grown_on,) the rows that it was grown on; none where it is not known."""
        return np.flatnonzero(~self.held)

    @property
    def surely_held(self) -> np.ndarray:
        """(n_samples,) bool: the rows held out; none where nobody knows which it was trained on."""
        return np.zeros(len(self.held), bool) if self.may_have_seen else self.held

    def saw(self, row: int) -> np.ndarray:
        """(n_trees,) bool: which trees grew on this row."""
        if self.held[row]:
            return np.zeros(self.forest.n_trees, bool)
        if self.in_bag is None:
            return np.ones(self.forest.n_trees, bool)
        return self.in_bag[:, np.searchsorted(self.rows, row)] > 0


def complete_forest(forest: Forest, dataset: Dataset, rows: np.ndarray) -> Forest:
    """Return a forest grown on rows of the data (a mask) with all classes of these, also those that no row has."""
    y, n_classes = dataset.y[rows], len(dataset.classes)
    if not n_classes:
        return forest
    sizes = class_sizes(y, n_classes, dataset.weights_of(rows))
    prior, present = sizes / sizes.sum(), np.unique(y)
    if forest.combine == "sum":
        return _complete_sum(forest, present, prior)
    trees = [add_absent_classes(tree, present, n_classes) for tree in forest.trees]
    return make_forest(trees, forest.weight, forest.combine, prior)


def _complete_sum(forest: Forest, present: np.ndarray, prior: np.ndarray) -> Forest:
    """Return the sum with a score for each class; a class that no row has keeps the share 0."""
    if forest.n_outputs == len(prior):
        return forest._replace(prior=read_only(prior))
    start = np.full(len(prior), -np.inf)
    start[present] = [0.0, *forest.start] if forest.link == "logistic" else forest.start
    columns = present[-1:] if forest.link == "logistic" else present
    trees: Any = [add_absent_classes(tree, columns, len(prior)) for tree in forest.trees]
    return make_sum(trees, start, "softmax", prior)


def limit_depth(model: Model, n_rows: int, megabytes: float) -> Model:
    """Return the model, with the greatest depth that keeps to the memory where its depth is open and it would not.

    `n_rows` are those that it grows on. A model that fits by no depth stays as it is.
    """
    if model.depth is not None or forest_megabytes(model, n_rows) <= megabytes:
        return model
    smaller = (model.with_settings(depth=depth) for depth in range(40, 3, -1))
    return next((each for each in smaller if forest_megabytes(each, n_rows) <= megabytes), model)


def forest_megabytes(model: Model, n_rows: int) -> float:
    """Return the memory that a forest may take that grows on so many rows, guessed beforehand."""
    n_nodes = min(NODES_A_ROW * n_rows, 2.0 ** ((model.depth or 60) + 1), 2.0 * (model.value("leaves") or n_rows))
    return (model.n_trees or USUAL_TREES) * (BYTES_A_NODE * n_nodes + n_rows) / 1e6


# ---- why a model cannot learn the target of some data, in a sentence that says what to do


def why_not(model: Model, dataset: Dataset, used: Callable[[], np.ndarray] | None = None) -> str:
    """Return why the model is not for the target, Markdown; "" where it is.

    `used`, (n_samples,) bool, says which rows it learns from, and is asked only where that matters; None: all.
    """
    is_classification = dataset.is_classification
    if is_classification not in model.kind.serves:
        kind, opposite = (
            (say("a class"), say("numbers")) if is_classification else (say("a number"), say("classes"))
        )
        return say(
            "This kind is for {others} only, and the target, {target}, is {kind}. Choose another kind.",
            others=opposite,
            target=plain(dataset.target.name),
            kind=kind,
        )
    if is_classification or model.loss != "poisson":
        return ""
    if (dataset.y < 0).any():
        row = int(np.argmax(dataset.y < 0))
        return say(
            "**Poisson deviance is not for this target.** It is for counts, and the target *{target}* is {value} "
            "in {row}. Choose squared or absolute error.",
            target=plain(dataset.target.name),
            value=number(float(dataset.y[row])),
            row=plain(dataset.roles.name_of(row)),
        )
    y = dataset.y if used is None else dataset.y[used()]
    return (
        ""
        if y.any()
        else say(
            "**Poisson deviance is not for this target**: *{target}* is 0 in every row to learn from. Choose "
            "squared or absolute error.",
            target=plain(dataset.target.name),
        )
    )
