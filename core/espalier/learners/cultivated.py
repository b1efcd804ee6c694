"""Cultivated trees: one tree with soft splits that represents a forest (Nalenz & Augustin 2021)."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from espalier.kernels.cart.columns import SortedColumns, make_columns
from espalier.kernels.cart.grow import grow_tree
from espalier.kernels.cultivated.grow import cultivate
from espalier.kernels.cultivated.module import CultivatedParameters, ModuleData
from espalier.kernels.route import columns_of
from espalier.kernels.task import GrowthLimits, Task
from espalier.language import Refusal
from espalier.learners.base import (
    NO_LIMIT,
    Classifier,
    Regressor,
    TrainingData,
    TreeLearner,
    centre,
    check_numbers,
    check_whole,
    features_tried,
    is_number,
)
from espalier.learners.cart import task_of_classes, task_of_numbers
from espalier.learners.conventions import OneTree
from espalier.learners.frames import Choice
from espalier.learners.pruning import prune
from espalier.predict import leaves, spreads
from espalier.progress import Progress
from espalier.trees import CultivatedTree, Tree, read_only, softened, subtree_end

PRESETS = {
    "CRF-full": {},
    "CRF-split": {"options": False},
    "CRF-option": {"robust_splits": False},
    "CRF-shallow": {"max_depth": 6},
}
WIDTHS = {"sqrt": (1.0, 0.5), "cbrt": (1.0, 1 / 3), "all": (1.0, 1.0)}  # k = scale * W ** power
THRESHOLDS = ("midpoint", "data")
MOST_LEAVES = 100_000  # that limits may allow a tree, if it has fewer samples


class Cultivated(OneTree, TreeLearner):
    """Base of the classifier and the regressor; parameters are described in `CultivatedClassifier`."""

    reaches_many_leaves = True  # a sample may reach several leaves
    tree_: CultivatedTree

    def __init__(
        self, *, max_depth: int | None = 14, min_node_weight: float = 6, eta=0.3, k: str | float = "sqrt",
        robust_splits=True, options=True, min_fraction=0.0, share_power=0.0, max_features=None,
        neighbourhoods=1, thresholds="midpoint", min_weight_fraction_leaf=0.0, ccp_alpha=0.0, random_state=None,
        categorical_features: Choice = "from_dtype",
        forbidden_features=None,
    ):  # fmt: skip
        self.max_depth = max_depth
        self.min_node_weight = min_node_weight
        self.eta = eta
        self.k = k
        self.robust_splits = robust_splits
        self.options = options
        self.min_fraction = min_fraction
        self.share_power = share_power
        self.max_features = max_features
        self.neighbourhoods = neighbourhoods
        self.thresholds = thresholds
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.ccp_alpha = ccp_alpha
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.forbidden_features = forbidden_features

    @classmethod
    def preset(cls, name: str, **parameters) -> Self:
        """Return a learner of one of the paper's four versions (section 4), with further parameters.

        Names are CRF-full, CRF-split, CRF-option and CRF-shallow; raises ValueError for any other.
        """
        if name not in PRESETS:
            raise ValueError(f"there is no preset {name!r}; there are {', '.join(PRESETS)}")
        return cls(**{**PRESETS[name], **parameters})

    def _grow(self, training: TrainingData, progress: Progress) -> Self:
        self.tree_ = self._tree_of(self._module_data(training), training, self._seed(), progress)
        return self

    def predict_spread(self, X) -> np.ndarray:
        """Return the spread sigma of each prediction over its leaves, (n_samples,); see `kernels.cultivated`."""
        samples = self._samples(X)
        return spreads(self.tree_, samples)

    def _module_data(self, training: TrainingData) -> ModuleData:
        """Return the training data in the form that modules need."""
        X, y, weight = training
        targets, factor, unit = self._targets(y, weight)
        moments = weight * np.vstack([np.ones(len(y)), targets, (targets**2).sum(axis=0)])
        moments = np.ascontiguousarray(moments.T)  # the layout that the kernels are compiled for
        columns, ends = make_columns(columns_of(X), self.is_categorical_), (targets.min(), targets.max())
        return ModuleData(columns, moments, factor, unit, *map(float, ends))

    def _tree_of(
        self, module_data: ModuleData, training: TrainingData, seed: int, progress: Progress
    ) -> CultivatedTree:
        least = float(self.min_weight_fraction_leaf * training.weight.sum())
        habit = self._habit(len(module_data.columns.kind), least)
        if habit.k == 0 and habit.eta == 0:  # one cut of one feature in every node: CART
            tree = softened(self._cart(module_data.columns, training, habit, seed, progress))
        else:
            _check_size(training, habit)
            tree = cultivate(module_data, habit, seed, progress.array)
            tree = tree._replace(value=read_only(self._values(tree.value)))
        return prune(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree

    def _cart(
        self, columns: SortedColumns, training: TrainingData, habit: CultivatedParameters, seed: int,
        progress: Progress,
    ) -> Tree:  # fmt: skip
        """Grow a CART tree within the limits of `habit`."""
        task, offset = self._task(training.y, training.weight)
        least = habit.min_leaf_weight
        fewest = max(math.ceil(least), 1) if task.unit else 1
        limits = GrowthLimits(
            habit.max_depth, 2, fewest, least, 0.0, 0, habit.max_features, False, habit.min_weight
        )  # fmt: skip
        tree = grow_tree(columns, task, limits, seed, progress.array)
        tree = tree._replace(value=read_only(tree.value + offset))
        return tree if habit.midway else _on_data(tree, columns.values)

    def _habit(self, n_features: int, min_leaf_weight: float) -> CultivatedParameters:
        scale, power = WIDTHS[self.k] if isinstance(self.k, str) else (float(self.k), 0.0)
        return CultivatedParameters(
            self.max_depth or NO_LIMIT,
            float(self.min_node_weight),
            float(self.eta) if self.options else 0.0,
            scale if self.robust_splits else 0.0,
            power,
            float(self.min_fraction),
            float(self.share_power),
            features_tried(self.max_features, n_features),
            self.neighbourhoods,
            self.thresholds == "midpoint",
            min_leaf_weight,
        )

    def _check_parameters(self) -> None:
        check_whole("max_depth", self.max_depth, least=1, optional=True)
        check_whole("neighbourhoods", self.neighbourhoods, least=1)
        if not (self.k in WIDTHS if isinstance(self.k, str) else is_number(self.k) and self.k >= 0):
            raise ValueError(f"k is {self.k!r}; it must be one of {', '.join(WIDTHS)}, or a number of at least 0")
        if self.thresholds not in THRESHOLDS:
            raise ValueError(f"thresholds is {self.thresholds!r}; it must be one of {', '.join(THRESHOLDS)}")
        names = ("min_node_weight", "eta", "min_fraction", "share_power", "min_weight_fraction_leaf", "ccp_alpha")
        check_numbers(self, names)
        if self.min_fraction > 0.5:
            raise ValueError(f"min_fraction is {self.min_fraction!r}; more than 0.5 would leave a sample nowhere")

    def _targets(self, y, weight) -> tuple[np.ndarray, float, float]:
        """Return the targets (n_targets, n_samples), and factor and unit of `ModuleData`."""
        raise NotImplementedError

    def _task(self, y, weight) -> tuple[Task, float]:
        """Return CART's task, and the offset to add to its values."""
        raise NotImplementedError

    def _values(self, means: np.ndarray) -> np.ndarray:
        """Return the values of nodes from the means of the targets."""
        raise NotImplementedError


def _check_size(training: TrainingData, habit: CultivatedParameters) -> None:
    """Raise ValueError for weights that let a tree grow on and on: fractions of samples end only by weight."""
    weight, deepest = float(training.weight.sum()), 2.0 ** min(habit.max_depth, 1000)
    n_nodes = weight / habit.min_weight if habit.min_weight > 0 else math.inf
    if min(n_nodes, deepest) > max(MOST_LEAVES, len(training.y)):
        raise Refusal(
            "the samples weigh {weight}: with min_node_weight {least} and this max_depth a tree may have more "
            "than {most} leaves. Divide sample_weight by its mean, raise min_node_weight, or lower max_depth",
            weight=f"{weight:.4g}",
            least=habit.min_weight,
            most=MOST_LEAVES,
        )


def _on_data(tree: Tree, columns: np.ndarray) -> Tree:
    """Move each threshold to the greatest value that goes left; columns are (n_features, n_samples)."""
    leaf = leaves(tree, columns.T)
    rows = np.argsort(leaf, kind="stable")
    start = np.searchsorted(leaf[rows], np.arange(tree.n_nodes + 1))
    threshold = tree.threshold.copy()
    for node in np.flatnonzero(np.isfinite(threshold)):
        end = subtree_end(tree, int(tree.left[node]))
        x = columns[tree.feature[node], rows[start[tree.left[node]] : start[end]]]
        threshold[node] = np.nanmax(x)
    return tree._replace(threshold=read_only(threshold))


class CultivatedClassifier(Classifier, Cultivated):
    """Classification by a cultivated tree. Defaults are the paper's CRF-full, except for the position of cuts.

    Parameters
    ----------
    max_depth : most modules on the way to a leaf; None for no limit
    min_node_weight : least summed weight of a node that is split. Limits that allow more than 100,000 leaves
        and more leaves than samples are refused: fractions of heavy samples would be split on and on
    eta : tolerance of the root's option module in units of gini, eta_0; at depth s (the root has 1) it is
        ``eta / s**3``. Features join whose mean impurity h_j is within it of the least
    k : weight of the samples on either side of t0 that a robust split takes into its neighbourhood: "sqrt" of
        the node's weight, "cbrt", "all", or a number; 0 leaves the one cut t0
    robust_splits, options : whether there are robust splits, and option modules
    min_fraction : while growing, a sample of which a child would get less than this fraction goes wholly to the
        child that gets more; saves time where nodes overlap much. Predictions use all fractions. 0: the paper's
    share_power : options share a module in proportion to ``gain ** share_power``; 0: equally, as in the paper
    max_features : features tried at each node: int, share (float), "sqrt", "log2", None for all
    neighbourhoods : most neighbourhoods of one feature in a module. The paper has one; with more, another cut
        joins with its own if its impurity is within the tolerance too, and if between the two the gain falls to
        half: for impurities with several minima, which the paper names as its weakness (section 5)
    thresholds : "midpoint": each cut lies midway between the values of the node that it parts, as CART's do, and
        the one above the greatest value of a node on that value; "data": every cut lies on the value below it, as
        the paper writes it. Trees part their training samples alike either way; new ones between two values not
    min_weight_fraction_leaf : least share of all weight in a leaf, fractions counted as such: t0 and its
        neighbourhood are sought among the cuts that leave as much on either side
    ccp_alpha : price per leaf of cost-complexity pruning, fractions counted as such
    class_weight : dict, "balanced" or None
    random_state : seed of the features tried
    categorical_features : which columns are categories, as in `CartClassifier`; a robust split cuts their order
        by mean target
    forbidden_features : columns, by name or number from 0 on, that no split asks about; None for no such column

    For more than two classes impurity is gini, and the best decision of a module gives the direction: its right
    child has the larger mean class number, and any other decision is turned so that the class shares change
    from left to right as in the best one (their changes have a positive product). For two classes that is the
    paper's rule: the right child has the larger share of the second class. Missing values (nan) are divided
    between the children as the known ones are. Impurities that differ by less than 1e-10 (of gini; of a number, of
    twice its variance) are tied: the first feature and the least cut win. A feature that gains no more than 1e-9
    never joins a module, whatever eta, and a node in which none gains is a leaf.

    With one cut and no options (`robust_splits` False or k 0, and `options` False or eta 0) the tree is that of
    `CartClassifier` with the same limits, node for node: with its thresholds, its rule of ties, its sets of
    categories, a side for missing values instead of parts, and splits that gain nothing where they part the
    samples. `min_node_weight` is CART's ``min_samples_split`` where all weights are one.

    Attributes
    ----------
    tree_ : CultivatedTree, whose values are class shares
    classes_ : (n_classes,) the labels, in order

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = CultivatedClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> round(model.score(iris.X, iris.y), 2)
    0.97
    """

    def __init__(
        self, *, max_depth: int | None = 14, min_node_weight: float = 6, eta=0.3, k: str | float = "sqrt",
        robust_splits=True, options=True, min_fraction=0.0, share_power=0.0, max_features=None,
        neighbourhoods=1, thresholds="midpoint", min_weight_fraction_leaf=0.0, ccp_alpha=0.0, class_weight=None,
        random_state=None,
        categorical_features: Choice = "from_dtype",
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            max_depth=max_depth, min_node_weight=min_node_weight, eta=eta, k=k, robust_splits=robust_splits,
            options=options, min_fraction=min_fraction, share_power=share_power, max_features=max_features,
            neighbourhoods=neighbourhoods, thresholds=thresholds,
            min_weight_fraction_leaf=min_weight_fraction_leaf, ccp_alpha=ccp_alpha, random_state=random_state,
            categorical_features=categorical_features, forbidden_features=forbidden_features,
        )  # fmt: skip
        self.class_weight = class_weight

    def _targets(self, y, weight):
        n_classes = len(self.classes_)
        if n_classes <= 2:
            return y.astype(np.float64)[None, :], 2.0, 1.0
        return (np.arange(n_classes)[:, None] == y).astype(np.float64), 1.0, 1.0

    def _task(self, y, weight):
        return task_of_classes(y, weight, "gini", len(self.classes_)), 0.0

    def _values(self, means):
        if len(self.classes_) > 2:
            return means
        return np.hstack([1 - means, means]) if len(self.classes_) == 2 else np.ones_like(means)


class CultivatedRegressor(Regressor, Cultivated):
    """Regression by a cultivated tree: impurity is variance, and the right child has the larger mean.

    Parameters as in `CultivatedClassifier`, without `class_weight`; `eta` is in units of twice the target's
    variance, so that two balanced classes as 0 and 1 give the same tree either way.

    Attributes
    ----------
    tree_ : CultivatedTree, whose values are means

    Examples
    --------
    >>> from espalier.data import samples
    >>> sine = samples.load("sine")
    >>> CultivatedRegressor(max_depth=2).fit(sine.X, sine.y).predict([[0.25]]).round(2)
    array([0.58])
    """

    def _targets(self, y, weight):
        self._centre = centre(y)
        y = np.ascontiguousarray(y, dtype=np.float64) - self._centre
        mean = np.average(y, weights=weight)
        return y[None, :], 1.0, 2 * float(np.average((y - mean) ** 2, weights=weight))

    def _task(self, y, weight):
        return task_of_numbers(y, weight, "squared_error")

    def _values(self, means):
        return means + self._centre
