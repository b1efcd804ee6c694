"""Random forests (Breiman 2001), and extremely randomised trees (Geurts, Ernst & Wehenkel 2006)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from espalier.kernels.forest.bootstrap import draw
from espalier.learners.base import NO_LIMIT, TrainingData, check_bool, is_number, is_whole
from espalier.learners.cart import Cart, CartClassifier, CartRegressor
from espalier.learners.forests.ensemble import draw_units, fit_part, make_part_learner
from espalier.learners.forests.forest import ForestOfClasses, Quantiles, TreeForest
from espalier.learners.forests.growing import (
    BALANCED_SUBSAMPLE,
    GrowthPlan,
    forest_data,
    grow_each,
    grow_in_tasks,
    grow_in_threads,
    grow_trees,
    grow_trees_in_tasks,
)
from espalier.learners.frames import Choice
from espalier.learners.monotone import Directions
from espalier.progress import Progress
from espalier.trees import CultivatedTree, Tree

COLUMN_ATTRIBUTES = ("classes_", "n_features_in_", "feature_names_in_", "is_categorical_", "categories_", "frame_")


def grow_on_units(
    learner: Any,
    training: TrainingData,
    unit: np.ndarray,
    seeds: list[int],
    share: float,
    number: int,
    own: Progress,
) -> Any:
    """Return the tree of a number, on samples that are drawn with all of their unit.

    `unit` (n_samples,) int64 says what each is drawn together with; there are `share` draws per unit. The last two
    arguments are those of `Grow`.
    """
    times = draw_units(seeds[number], unit, share)
    weight = training.weight * times
    return fit_part(learner, training, seeds[number], own, rows=np.flatnonzero(times), weight=weight).tree_


class _RandomForest(TreeForest, Cart):
    """Base of the classifier and the regressor; parameters are described in `RandomForestClassifier`.

    It is a sequence of fitted estimators, one for each tree, as scikit-learn's ensembles are.
    """

    forest_: Any  # `Forest` of a `Tree` each
    _bags: list[tuple[int, int]]  # of each tree its seed, and how many samples are drawn; 0: all of them once

    def __init__(
        self, n_estimators=100, *, criterion="squared_error", splitter="best", max_depth=None, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_features: int | float | str | None = None,
        max_leaf_nodes=None, min_impurity_decrease=0.0, ccp_alpha=0.0, bootstrap=True,
        max_samples: int | float | None = None, oob_score: bool | Callable = False, warm_start=False, n_jobs=None,
        random_state=None, categorical_features: Choice = "from_dtype", monotonic_cst: Directions = None,
        forbidden_features=None,
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
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.forbidden_features = forbidden_features

    def _grow_all(self, training: TrainingData, progress: Progress, executor: Executor | None) -> None:
        n_threads, n_draws = self._n_threads(), self._n_draws(len(training.y))
        seeds = np.random.default_rng(self._seed()).integers(NO_LIMIT, size=self.n_estimators or 1)
        earlier = self._bags if self._grown else []
        self._bags = earlier + [(int(seed), n_draws) for seed in seeds[len(earlier) :]]
        if self._unit is not None and n_draws:
            self._grow_on_units(training, progress, executor)
            return
        inputs = forest_data(self, training, n_draws, n_threads)
        inputs = inputs._replace(seeds=np.array([seed for seed, _ in self._bags]))
        if executor is not None:
            plan = GrowthPlan(len(seeds), len(training.y), n_threads)
            grow_trees_in_tasks(inputs, plan, executor, progress, self._grown)
        if len(self._grown) < len(self._bags) and not (progress.is_stopped and self._grown):
            grow_trees(inputs, n_threads, progress, self._grown)

    def _grow_on_units(self, training: TrainingData, progress: Progress, executor: Executor | None) -> None:
        """Grow trees on whole groups; a sample that is drawn twice is one of double weight in its tree."""
        if getattr(self, "class_weight", None) == BALANCED_SUBSAMPLE:
            raise ValueError(
                f"class_weight is {BALANCED_SUBSAMPLE!r}, which is not made for groups; use 'balanced'"
            )
        assert self._unit is not None
        learner = make_part_learner(self.estimator_, getattr(self, "classes_", None), self.is_categorical_)
        seeds, share = [seed for seed, _ in self._bags], self._bags[0][1] / self._n_used
        growth = grow_on_units, learner, training, self._unit, seeds, share
        plan = GrowthPlan(len(self._bags), len(training.y), self._n_threads())
        if executor is not None:
            self._grown.update(grow_in_tasks(executor, grow_each, growth, plan, progress))
        if len(self._grown) < len(self._bags) and not (progress.is_stopped and self._grown):
            grow_in_threads(partial(*growth), plan, progress, self._grown)

    # ---- the trees as estimators

    @property
    def estimators_(self) -> list:
        """The trees as fitted `CartClassifier` or `CartRegressor`, with the forest's classes and columns."""
        return [self[number] for number in range(len(self))]

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """For each tree, numbers of the samples it grew on, (n_drawn,) int32; one drawn twice stands twice."""
        check_is_fitted(self)
        return [np.repeat(np.arange(len(times), dtype=np.int32), times) for times in self.in_bag()]

    def __len__(self) -> int:
        check_is_fitted(self)
        return self.forest_.n_trees

    def __getitem__(self, number: int) -> Any:
        """Return a fitted estimator with the tree at this place."""
        check_is_fitted(self)
        place, learner = range(self.forest_.n_trees)[number], self.estimator_
        learner.random_state = self._bags[self._numbers[place]][0]
        learner.__dict__.update({name: vars(self)[name] for name in COLUMN_ATTRIBUTES if name in vars(self)})
        learner.tree_ = self.forest_.trees[place]
        return learner

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    @property
    def estimator_(self) -> Cart:
        """A `CartClassifier` or `CartRegressor` with the forest's parameters, not fitted."""
        kind: Any = CartClassifier if isinstance(self, CartClassifier) else CartRegressor
        own = {name: getattr(self, name) for name in kind().get_params() if hasattr(self, name)}
        if own.get("class_weight") == BALANCED_SUBSAMPLE:
            own["class_weight"] = "balanced"
        return kind(**own)

    # ---- what each tree has drawn

    def _draw_counts(self) -> np.ndarray:
        return np.stack([self._counts(*self._bags[number]) for number in self._numbers])

    def _counts(self, seed: int, n_draws: int) -> np.ndarray:
        """Return how often a tree has each sample, (n_used,) uint8."""
        if not n_draws:
            return np.ones(self._n_used, np.uint8)
        if self._unit is None:
            return draw(seed, self._n_used, n_draws)[0]
        return draw_units(seed, self._unit, n_draws / self._n_used)

    # ---- going on from an earlier fit

    def _earlier_trees(self) -> dict[int, Tree | CultivatedTree]:
        if not self.warm_start or not hasattr(self, "forest_"):
            return {}
        n, earlier = self.n_estimators or 1, len(self._bags)
        if n < earlier:
            raise ValueError(
                f"n_estimators is {n}; with warm_start it must be at least {earlier}, as for the last fit, since "
                "trees are only added. For fewer, fit with warm_start=False"
            )
        if n == len(self._numbers):
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=3
            )
        return dict(zip(self._numbers, self.forest_.trees, strict=True))

    def _training_data(self, X, y, sample_weight) -> TrainingData:
        earlier = self._form() if self.warm_start and hasattr(self, "forest_") else None
        training = super()._training_data(X, y, sample_weight)
        if earlier not in (None, self._form()):
            raise ValueError(
                "warm_start goes on with the table of the last fit, but its samples, features or classes are "
                f"others: (samples, features, classes) were {earlier} and are {self._form()}. Fit with "
                "warm_start=False"
            )
        return training

    def _form(self) -> tuple[int, int, list]:
        return self._n_used, self.n_features_in_, np.asarray(getattr(self, "classes_", ())).tolist()

    # ---- the data of all trees

    def _n_draws(self, n_samples: int) -> int:
        """Return how many samples are drawn for each tree, 0 without bootstrap."""
        if not self.bootstrap or self.max_samples is None:
            return n_samples if self.bootstrap else 0
        if is_whole(self.max_samples):
            return min(int(self.max_samples), n_samples)
        return max(int(n_samples * self.max_samples), 1)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_forest()
        self._check_bootstrap(self.bootstrap)
        check_bool("warm_start", self.warm_start)
        self._check_max_samples()

    def _check_max_samples(self) -> None:
        most = self.max_samples
        if most is None:
            return
        if not self.bootstrap:
            raise ValueError(
                f"max_samples is {most!r}, but bootstrap=False, so that every tree grows on all samples; set "
                "bootstrap=True or max_samples=None"
            )
        is_share = is_number(most) and not is_whole(most) and 0 < most <= 1
        if not (is_share or (is_whole(most) and most >= 1)):
            raise ValueError(
                f"max_samples is {most!r}; it must be an int in the range [1, inf) or a float in the range "
                "(0.0, 1.0], the share of the samples that is drawn"
            )


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
    max_samples : samples drawn for each tree: int, or share of all (float); None for as many as there are, and no
        more are drawn
    voting : "average": the mean of the trees' class shares; "majority": each tree has one vote, for the most
        frequent class of the leaf, the first of equals
    oob_score : whether `fit` predicts every sample by the trees that did not see it; or a function of the targets
        and these predictions, for ``oob_score_``
    warm_start : whether `fit` keeps the trees it has, and grows what `n_estimators` lets it grow in addition
    class_weight : dict, "balanced", "balanced_subsample" (classes weigh the same in each tree's own draw), or None
    n_jobs : threads; None for one, -1 for as many as there are processors; the result does not depend on it
    random_state : seed
    categorical_features : which columns are categories, split as sets; as in `CartClassifier`
    forbidden_features : columns, by name or number from 0 on, that no split asks about; None for no such column
    monotonic_cst : directions of the columns, as in `CartClassifier`; all trees, and so the forest, keep them

    Missing values (nan) go to the side that gives the better split, as in `CartClassifier`.

    Attributes
    ----------
    forest_ : Forest, whose trees' values are class shares
    estimators_ : its trees as fitted `CartClassifier`; ``forest[0]`` is the first, ``len(forest)`` their number
    classes_ : (n_classes,) the labels, in order
    oob_decision_function_ : (n_samples, n_classes) shares by the trees that did not see a sample; nan where
        every tree did, or where its weight is zero. With `oob_score` only, as the next one
    oob_score_ : accuracy of these shares' classes, or what the function `oob_score` gives
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
        self, n_estimators=100, *, criterion="gini", splitter="best", max_depth=None, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_features: int | float | str | None = "sqrt",
        max_leaf_nodes=None, min_impurity_decrease=0.0, ccp_alpha=0.0, bootstrap=True, max_samples=None,
        voting="average", oob_score: bool | Callable = False, warm_start=False, class_weight=None, n_jobs=None,
        random_state=None, categorical_features: Choice = "from_dtype", monotonic_cst: Directions = None,
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            n_estimators, criterion=criterion, splitter=splitter, max_depth=max_depth,
            min_samples_split=min_samples_split, min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf, max_features=max_features,
            max_leaf_nodes=max_leaf_nodes, min_impurity_decrease=min_impurity_decrease, ccp_alpha=ccp_alpha,
            bootstrap=bootstrap, max_samples=max_samples, oob_score=oob_score, warm_start=warm_start,
            n_jobs=n_jobs, random_state=random_state, categorical_features=categorical_features,
            monotonic_cst=monotonic_cst, forbidden_features=forbidden_features,
        )  # fmt: skip
        self.voting = voting
        self.class_weight = class_weight

    def _class_weights(self, y) -> np.ndarray | float:
        if self.class_weight != BALANCED_SUBSAMPLE:
            return super()._class_weights(y)
        return 1.0 if self.bootstrap else compute_sample_weight("balanced", y)

    def _combine(self) -> str:
        return "votes" if self.voting == "majority" else "mean"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.voting not in ("average", "majority"):
            raise ValueError(f"voting is {self.voting!r}; it must be average or majority")


class RandomForestRegressor(Quantiles, _RandomForest, CartRegressor):
    """Regression by the mean of many trees; parameters as in `RandomForestClassifier`, without those of classes.

    The criterion is "squared_error" (leaves predict the mean), "absolute_error" (the median) or "poisson". A
    third of the features is tried at each node, as Breiman's own program does; 1.0 tries all, which is bagging.
    With `keep_leaves` the forest keeps which samples are in which leaf, for quantiles and intervals.

    Attributes
    ----------
    forest_ : Forest, whose trees' values are means or medians
    estimators_ : its trees as fitted `CartRegressor`
    oob_prediction_ : (n_samples,) mean over the trees that did not see a sample; nan where every tree did, or
        where its weight is zero. With `oob_score` only, as the next one
    oob_score_ : coefficient of determination of this mean, or what the function `oob_score` gives
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
        self, n_estimators=100, *, criterion="squared_error", splitter="best", max_depth=None, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_features: int | float | str | None = 1 / 3,
        max_leaf_nodes=None, min_impurity_decrease=0.0, ccp_alpha=0.0, bootstrap=True, max_samples=None,
        oob_score: bool | Callable = False, warm_start=False, n_jobs=None, random_state=None,
        categorical_features: Choice = "from_dtype", keep_leaves=False, monotonic_cst: Directions = None,
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            n_estimators, criterion=criterion, splitter=splitter, max_depth=max_depth,
            min_samples_split=min_samples_split, min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf, max_features=max_features,
            max_leaf_nodes=max_leaf_nodes, min_impurity_decrease=min_impurity_decrease, ccp_alpha=ccp_alpha,
            bootstrap=bootstrap, max_samples=max_samples, oob_score=oob_score, warm_start=warm_start,
            n_jobs=n_jobs, random_state=random_state, categorical_features=categorical_features,
            monotonic_cst=monotonic_cst, forbidden_features=forbidden_features,
        )  # fmt: skip
        self.keep_leaves = keep_leaves


# ---- extremely randomised trees: random thresholds on random features (Geurts, Ernst & Wehenkel 2006)


class ExtraTreesClassifier(RandomForestClassifier):
    """Classification by many extremely randomised trees, each grown on all samples.

    At every node one threshold is drawn for each of a few random features, uniformly between the least and the
    greatest value of the node's samples; the best of these splits is made (Geurts, Ernst & Wehenkel 2006, table
    1). Of categories a random set goes left. Growing needs no sorting, and the trees resemble each other less than
    those of a random forest.

    Parameters
    ----------
    bootstrap : whether each tree grows on as many samples as there are, drawn with replacement; else on all

    All others are those of `RandomForestClassifier`, without `splitter`. Under "gain_ratio", and with
    `max_leaf_nodes`, trees grow from sorted columns, which takes longer.

    Missing values (nan) go to the side that gives the better split, as in `CartClassifier`.

    Attributes
    ----------
    As of `RandomForestClassifier`; ``estimators_`` are of `CartClassifier` with ``splitter="random"``.

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = ExtraTreesClassifier(n_estimators=20, random_state=0).fit(iris.X, iris.y)
    >>> model.predict(iris.X[[0, 50, 100]])
    array([0, 1, 2])
    """

    splitter = "random"

    def __init__(
        self, n_estimators=100, *, criterion="gini", max_depth=None, min_samples_split=2, min_samples_leaf=1,
        min_weight_fraction_leaf=0.0, max_features: int | float | str | None = "sqrt", max_leaf_nodes=None,
        min_impurity_decrease=0.0, ccp_alpha=0.0, bootstrap=False, max_samples=None, voting="average",
        oob_score: bool | Callable = False, warm_start=False, class_weight=None, n_jobs=None, random_state=None,
        categorical_features: Choice = "from_dtype", monotonic_cst: Directions = None,
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            n_estimators=n_estimators, criterion=criterion, max_depth=max_depth,
            min_samples_split=min_samples_split, min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf, max_features=max_features,
            max_leaf_nodes=max_leaf_nodes, min_impurity_decrease=min_impurity_decrease, ccp_alpha=ccp_alpha,
            bootstrap=bootstrap, max_samples=max_samples, voting=voting, oob_score=oob_score,
            warm_start=warm_start, class_weight=class_weight, n_jobs=n_jobs, random_state=random_state,
            categorical_features=categorical_features, splitter="random", monotonic_cst=monotonic_cst,
            forbidden_features=forbidden_features,
        )  # fmt: skip


class ExtraTreesRegressor(RandomForestRegressor):
    """Regression by the mean of many extremely randomised trees, each grown on all samples.

    Thresholds are drawn as in `ExtraTreesClassifier`; a threshold is drawn for every feature, as Geurts, Ernst &
    Wehenkel (2006, section 2.2) recommend for numbers.

    Parameters
    ----------
    bootstrap : whether each tree grows on as many samples as there are, drawn with replacement; else on all

    All others are those of `RandomForestRegressor`, without `splitter`. Under "absolute_error" and "poisson", and
    with `max_leaf_nodes`, trees grow from sorted columns, which takes longer.

    Attributes
    ----------
    As of `RandomForestRegressor`; ``estimators_`` are of `CartRegressor` with ``splitter="random"``.

    Examples
    --------
    >>> from espalier.data import samples
    >>> sine = samples.load("sine")
    >>> model = ExtraTreesRegressor(n_estimators=50, min_samples_leaf=5, random_state=0).fit(sine.X, sine.y)
    >>> model.predict([[0.25]]).round(1)
    array([0.3])
    """

    splitter = "random"

    def __init__(
        self, n_estimators=100, *, criterion="squared_error", max_depth=None, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_features: int | float | str | None = 1.0,
        max_leaf_nodes=None, min_impurity_decrease=0.0, ccp_alpha=0.0, bootstrap=False, max_samples=None,
        oob_score: bool | Callable = False, warm_start=False, n_jobs=None, random_state=None,
        categorical_features: Choice = "from_dtype", keep_leaves=False, monotonic_cst: Directions = None,
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            n_estimators=n_estimators, criterion=criterion, max_depth=max_depth,
            min_samples_split=min_samples_split, min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf, max_features=max_features,
            max_leaf_nodes=max_leaf_nodes, min_impurity_decrease=min_impurity_decrease, ccp_alpha=ccp_alpha,
            bootstrap=bootstrap, max_samples=max_samples, oob_score=oob_score, warm_start=warm_start,
            n_jobs=n_jobs, random_state=random_state, categorical_features=categorical_features,
            splitter="random", keep_leaves=keep_leaves, monotonic_cst=monotonic_cst,
            forbidden_features=forbidden_features,
        )  # fmt: skip
