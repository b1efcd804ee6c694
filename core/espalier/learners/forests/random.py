"""Random forests: the mean or vote of trees grown on bootstrap samples and random features (Breiman 2001)."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from espalier.kernels.cart.columns import SortedColumns, make_columns
from espalier.kernels.cart.grow import grow_from, make_work
from espalier.kernels.forest.bootstrap import draw, refill
from espalier.kernels.forest.grow import grow_coded, make_workspace
from espalier.kernels.forest.ordinal import OrdinalTable, make_coded, serves
from espalier.kernels.route import columns_of
from espalier.kernels.task import GrowthLimits, Task
from espalier.learners.base import NO_LIMIT
from espalier.learners.cart import Cart, CartClassifier, CartRegressor
from espalier.learners.forests.forest import ForestOfClasses, ForestOfNumbers, TreeForest, Used
from espalier.learners.frames import Choice
from espalier.learners.pruning import prune
from espalier.progress import Progress, Relay
from espalier.trees import CultivatedTree, Tree, make_tree

OF_COLUMNS = ("classes_", "n_features_in_", "feature_names_in_", "is_categorical_", "categories_", "_frame")
SECONDS_AT_ONCE = 0.03  # a thread grows trees for about this long before it delivers them


class ForestData(NamedTuple):
    """Training data and parameters that all trees of a forest share."""

    # made once for all trees: ordinal codes where possible, else sorted columns
    table: OrdinalTable | SortedColumns
    task: Task
    limits: GrowthLimits
    offset: float  # of the target
    bootstrap: bool
    seeds: np.ndarray  # (n_trees,) int64
    ccp_alpha: float = 0.0

    @property
    def at_once(self) -> int:
        """Return how many trees a thread grows before it delivers them; threads should end at about the same
        time.
        """
        return max(1, len(self.seeds) // 16)


class _RandomForest(TreeForest, Cart):
    """Base of the classifier and the regressor; parameters are described in `RandomForestClassifier`."""

    bootstrap: bool
    oob_score: bool

    def _grow_all(self, used: Used, progress: Progress) -> None:
        ground = self._ground(*used)
        self._seeds = ground.seeds
        _grow_trees(ground, self._n_threads(), progress, self._grown)

    @property
    def estimators_(self) -> list:
        """The trees as fitted `CartClassifier` or `CartRegressor`, with the forest's classes and columns."""
        check_is_fitted(self)
        return [self._alone(tree) for tree in self.forest_.trees]

    def _alone(self, tree: Tree | CultivatedTree) -> Cart:
        kind: Any = CartClassifier if isinstance(self, CartClassifier) else CartRegressor
        own, names = self.get_params(deep=False), kind().get_params()
        learner = kind(**{name: own[name] for name in names if name in own})
        learner.__dict__.update({name: vars(self)[name] for name in OF_COLUMNS if name in vars(self)})
        learner.tree_ = tree
        return learner

    def _seen(self) -> np.ndarray:
        if not self.bootstrap:
            return super()._seen()
        return np.stack([draw(int(self._seeds[number]), self._n_used)[0] for number in self._numbers])

    def _ground(self, X, y, weight) -> ForestData:
        task, offset = self._task(y, weight)
        limits, categorical = self._limits(X, task), self._categorical(X)
        if serves(task, X) and not categorical.any() and self._is_plain():
            table = make_coded(columns_of(X), self._n_threads())
        else:
            table = make_columns(columns_of(X), categorical)
            if self.bootstrap:  # a sample drawn twice ties with itself
                table = table._replace(distinct=np.zeros_like(table.distinct))
        seeds = np.random.default_rng(self._seed()).integers(NO_LIMIT, size=self.n_estimators or 1)
        return ForestData(table, task, limits, offset, self.bootstrap, seeds, float(self.ccp_alpha))

    def _is_plain(self) -> bool:
        """Return whether the parameters allow ordinal codes: no option needs sorted columns."""
        return self.splitter == "best" and self.max_leaf_nodes is None and self.min_impurity_decrease == 0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_forest()
        for name in ("bootstrap", "oob_score"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be True or False")
        if self.oob_score and not self.bootstrap:
            raise ValueError("oob_score needs bootstrap=True: without it every tree sees every sample")


def _grow_trees(ground: ForestData, n_threads: int, progress: Progress, trees: dict) -> None:
    """Write the trees into `trees` by number; of incomplete trees keep only the first, if no tree is complete."""
    n_threads = min(n_threads, len(ground.seeds))
    relay, numbers, cut_short = Relay(progress, n_threads), iter(range(len(ground.seeds))), {}
    with ThreadPoolExecutor(n_threads) as pool:
        relay.attend(
            [pool.submit(_grow_some, ground, numbers, mine, (trees, cut_short)) for mine in relay.threads]
        )
    if not trees:
        trees[0] = cut_short[0]


def _grow_some(ground: ForestData, numbers: Iterator[int], progress: Progress, done) -> None:
    """Grow trees until there are no more numbers: the work of one thread."""
    trees, cut_short = done
    grow = grower(ground)
    left, many = deque[int](), 1
    while True:
        left.extend(islice(numbers, max(many - len(left), 0)))
        if not left or (progress.is_stopped and 0 not in left):
            return
        start = time.perf_counter()
        grown = grow(ground.seeds[list(left)], progress)
        for tree, complete in grown:
            whole = make_tree(*tree._replace(value=tree.value + ground.offset)) if ground.offset else tree
            whole = prune(whole, ground.ccp_alpha) if ground.ccp_alpha > 0 else whole
            (trees if complete else cut_short)[left.popleft()] = whole
        seconds = (time.perf_counter() - start) / len(grown)
        many = max(1, min(int(SECONDS_AT_ONCE / max(seconds, 1e-6)), ground.at_once))


def grower(ground: ForestData) -> Callable[[np.ndarray, Progress], list[tuple[Tree, bool]]]:
    """Return a function for one thread that grows the trees of given seeds and reports which are complete."""
    table = ground.table
    if isinstance(table, OrdinalTable):
        bed = make_workspace(table, ground.task, ground.limits)
        return lambda seeds, progress: grow_coded(
            table, ground.task, ground.limits, bed, (seeds, ground.bootstrap, progress.array)
        )
    work = make_work(table, ground.task, ground.limits, 0)
    whole = work.lists[0].copy()

    def grow(seeds: np.ndarray, progress: Progress) -> list[tuple[Tree, bool]]:
        before = progress.done
        refill(work, whole, int(seeds[0]), ground.bootstrap)
        tree, decided = grow_from(work, progress.array), before + whole.shape[1]
        complete = progress.done == decided or not progress.is_stopped
        progress.done = decided if complete else progress.done  # with limited leaves some samples were not visited
        return [(tree, complete)]

    return grow


class RandomForestClassifier(ForestOfClasses, _RandomForest, CartClassifier):
    """Classification by many trees, each grown on samples drawn with replacement, each split on few features.

    Parameters
    ----------
    n_estimators : number of trees
    criterion : "gini" (by far the fastest), "entropy" (or "log_loss"), "gain_ratio", "misclassification"
    max_depth : most splits on the way to a leaf; None for no limit
    min_samples_split, min_samples_leaf : samples (int) or share of all samples (float); a sample drawn twice
        counts as two
    min_weight_fraction_leaf : least share of all weight in a leaf
    max_features : features tried at each node: int, share (float), "sqrt", "log2", None for all
    max_leaf_nodes : with a number, each tree grows best first (largest decrease of impurity)
    min_impurity_decrease : least decrease, times the node's share of its tree's weight
    ccp_alpha : price per leaf of cost-complexity pruning, of every tree
    splitter : "best", or "random": one random threshold for each feature tried, as in extremely randomised trees
    bootstrap : whether each tree grows on as many samples as there are, drawn with replacement; else on all.
        Every sample is equally likely to be drawn, and keeps its weight in the tree; scikit-learn 1.9
        draws heavy samples more often, and lets all that are drawn weigh the same
    voting : "average": the mean of the trees' class shares; "majority": each tree has one vote, for the most
        frequent class of the leaf, the first of equals
    oob_score : whether `fit` predicts every sample by the trees that did not see it
    class_weight : dict, "balanced" or None
    n_jobs : threads; None for one, -1 for as many as there are processors; the result does not depend on it
    random_state : seed
    categorical_features : which columns are categories, split as sets; as in `CartClassifier`

    Missing values (nan) go to the side that gives the better split, as in `CartClassifier`.

    Attributes
    ----------
    forest_ : Forest, whose trees' values are class shares
    classes_ : (n_classes,) the labels, in order
    oob_decision_function_ : (n_samples, n_classes) shares by the trees that did not see a sample; nan where
        every tree did, or where its weight is zero. With `oob_score` only, as the next one
    oob_errors_ : (n_trees,) share of weight (class weights included) that the first 1, 2, ... trees get wrong,
        each sample by those that did not see it; nan while there is no such sample

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = RandomForestClassifier(n_estimators=20, oob_score=True, random_state=0).fit(iris.X, iris.y)
    >>> float(model.oob_errors_[-1].round(2))
    0.06
    """

    def __init__(
        self, *, n_estimators=100, criterion="gini", splitter="best", max_depth=None, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_features: int | float | str | None = "sqrt",
        max_leaf_nodes=None, min_impurity_decrease=0.0, ccp_alpha=0.0, bootstrap=True, voting="average",
        oob_score=False, class_weight=None, n_jobs=None, random_state=None,
        categorical_features: Choice = "from_dtype",
    ):  # fmt: skip
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.bootstrap = bootstrap
        self.voting = voting
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features

    def _is_majority(self) -> bool:
        return self.voting == "majority"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.voting not in ("average", "majority"):
            raise ValueError(f"voting is {self.voting!r}; it must be average or majority")


class RandomForestRegressor(ForestOfNumbers, _RandomForest, CartRegressor):
    """Regression by the mean of many trees; parameters as in `RandomForestClassifier`, without those of classes.

    The criterion is "squared_error" (leaves predict the mean) or "absolute_error" (the median). A third of the
    features is tried at each node, as Breiman's own program does; 1.0 tries all, which is bagging.

    Attributes
    ----------
    forest_ : Forest, whose trees' values are means or medians
    oob_prediction_ : (n_samples,) mean over the trees that did not see a sample; nan where every tree did, or
        where its weight is zero. With `oob_score` only, as the next one
    oob_errors_ : (n_trees,) weighted mean squared error of the first 1, 2, ... trees

    Examples
    --------
    >>> from espalier.data import samples
    >>> sine = samples.load("sine")
    >>> model = RandomForestRegressor(n_estimators=20, oob_score=True, random_state=0).fit(sine.X, sine.y)
    >>> float(model.oob_errors_[-1].round(2))
    0.04
    """

    def __init__(
        self, *, n_estimators=100, criterion="squared_error", splitter="best", max_depth=None, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_features: int | float | str | None = 1 / 3,
        max_leaf_nodes=None, min_impurity_decrease=0.0, ccp_alpha=0.0, bootstrap=True, oob_score=False,
        n_jobs=None, random_state=None,
        categorical_features: Choice = "from_dtype",
    ):  # fmt: skip
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features
