"""Base of all forests: combined predictions, out-of-bag estimates, and quantiles of regression forests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from espalier.kernels.forest.out_of_bag import LeafSamples, OutOfBag, WeightedTarget, judge, quantiles_of_rows
from espalier.kernels.forest.packed import PackedForest, rows_of
from espalier.kinds import are_cultivated
from espalier.language import Refusal
from espalier.learners.base import (
    Classifier,
    Learner,
    Regressor,
    TrainingData,
    check_bool,
    check_jobs,
    check_whole,
    is_number,
    n_threads_of,
)
from espalier.learners.conventions import as_parts, gains_of, has_leaves, path_nodes
from espalier.learners.forbidden import narrow, number_as_table, part_of
from espalier.learners.forests.predictor import ForestPredictor
from espalier.predict import check_votes, leaves, linked, packed, vote, winners
from espalier.progress import Progress
from espalier.trees import AnyTree, CultivatedTree, Forest, Tree, make_forest


class TreeForest(Learner):
    """Base of learners with a ``forest_``. Each kind of forest grows its trees in `_grow_all`."""

    has_many_trees = True
    n_estimators: int | None
    n_jobs: int | None
    oob_score: bool | Callable = False
    forest_: Forest
    n_features_in_: int
    _columns: np.ndarray | None = None  # numbers of those that trees grow on; None: of all
    _unit: np.ndarray | None = None  # (n_used,) int64: what each sample is drawn together with; None: with none

    def fit(
        self,
        X,
        y,
        sample_weight=None,
        progress: Progress | None = None,
        executor: Executor | None = None,
        groups=None,
    ):
        """Grow the trees on X (n_samples, n_features) and y (n_samples,).

        `progress` is shared with another thread: it counts the samples whose leaf is decided, summed over the
        trees; once it is stopped, growing stops. Incomplete trees are then
        discarded, unless none is complete: the first stays, as far as it has grown. Trees that do not depend on
        each other grow on the `executor` (`espalier.executors`), if there is one, instead of on `n_jobs` threads;
        they are the same. Raises ValueError for parameters or data that cannot be used, and for an executor
        where a tree depends on the earlier ones (`grows_in_order`), with the reason.

        `groups` (n_samples,) say which samples belong together, such as the visits of a patient: a tree draws
        whole groups, in place of samples, so that what is out of bag is of none that the tree knows.
        """
        if executor is not None and self.grows_in_order:
            raise ValueError(
                f"no executor can share the trees of this {type(self).__name__}: each depends on those before it, "
                "so that they grow one after the other; fit it with executor=None"
            )
        training = self._training_data(X, y, sample_weight)
        self._unit = None if groups is None else self._units(groups)
        self._grown = self._earlier_trees()
        self._grow_allowed(training, progress or Progress(), executor)
        trees = self.trees_so_far()
        self._numbers = list(trees)
        self._assemble(list(trees.values()), training)
        self._forget_judgement()
        if self.oob_score:
            self._judge(training)
        return self

    def trees_so_far(self) -> dict[int, Tree | CultivatedTree]:
        """Return the complete trees by number, in order; also while `fit` runs in another thread."""
        trees = dict(getattr(self, "_grown", {}))
        return {number: self._as_table(number, trees[number]) for number in sorted(trees)}

    def in_bag(self) -> np.ndarray:
        """Return how often each tree saw each sample given to `fit`, (n_trees, n_samples) uint8."""
        counts = self._draw_counts()
        return counts if self._kept is None else self._among_all(counts.T, np.uint8(0)).T

    @available_if(has_leaves)
    def apply(self, X) -> np.ndarray:
        """Return the leaf of each sample in each tree, (n_samples, n_trees) int32.

        Forests of cultivated trees do not have this method, because a sample reaches several leaves.
        """
        samples = np.asfortranarray(self._samples(X))
        with self._threads() as pool:
            return np.stack(list(pool.map(lambda tree: leaves(tree, samples), self.forest_.trees)), axis=1)

    @available_if(has_leaves)
    def decision_path(self, X) -> tuple[sparse.csr_matrix, np.ndarray]:
        """Return the nodes on each sample's paths, all trees side by side, and the first column of each tree.

        (n_samples, n_nodes of all trees) int64, compressed rows, with a 1 for every node; and (n_trees + 1,): the
        columns of tree i are those from the i-th of these numbers up to the next.
        """
        trees: Any = self.forest_.trees
        paths: Any = [path_nodes(tree, leaf) for tree, leaf in zip(trees, self.apply(X).T, strict=True)]
        start = np.append(0, np.cumsum([tree.n_nodes for tree in trees]))
        return sparse.csr_matrix(sparse.hstack(paths)), start

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importances (n_features,) float64: mean over the trees, weighted by their votes, normalised to sum 1.

        Importances of a tree as in `CartClassifier`; trees without splits do not count.
        """
        check_is_fitted(self)
        parts = [as_parts(gains_of(tree, self.n_features_in_)) for tree in self.forest_.trees]
        return as_parts(self.forest_.weight @ np.array(parts))

    @property
    def grows_in_order(self) -> bool:
        """Whether a tree depends on the earlier ones, so that they grow one after the other."""
        return False

    # ---- growing: hooks of the kinds of forests

    def _earlier_trees(self) -> dict[int, Tree | CultivatedTree]:
        """Return the trees of an earlier fit that this one goes on from, by number."""
        return {}

    def _grow_allowed(self, training: TrainingData, progress: Progress, executor: Executor | None) -> None:
        """Grow the trees on the columns that are not forbidden."""
        self._columns, self._wide = self.allowed_features(), frozenset(self._grown)
        if self._columns is None:
            self._grow_all(training, progress, executor)
            return
        part = training._replace(X=part_of(training.X, self._columns))
        with narrow(self, self._part_attributes(self._columns)):
            self._grow_all(part, progress, executor)

    def _as_table(self, number: int, tree: Tree | CultivatedTree) -> Tree | CultivatedTree:
        """Return a tree with its columns numbered as in the table; those of an earlier fit are."""
        return tree if self._columns is None or number in self._wide else number_as_table(tree, self._columns)

    def _grow_all(self, training: TrainingData, progress: Progress, executor: Executor | None) -> None:
        """Write each tree into ``self._grown[number]`` as soon as it is complete."""
        raise NotImplementedError

    def _draw_counts(self) -> np.ndarray:
        """Return how often each tree of ``forest_`` saw each sample grown on, (n_trees, n_used) uint8."""
        return np.ones((len(self._numbers), self._n_used), np.uint8)

    def _votes(self, trees: list[Tree | CultivatedTree], training: TrainingData) -> np.ndarray | None:
        """Return the weights of the trees' votes, (n_trees,); None for equal ones."""
        return None

    def _combine(self) -> str:
        """Return how the trees combine: "votes" if each votes for one class, "mean" if values are averaged."""
        return "mean"

    def _prior(self, training: TrainingData) -> np.ndarray:
        """Return the share of each class, (n_classes,); empty for regression."""
        return np.empty(0)

    # ---- gathering

    def _training_data(self, X, y, sample_weight) -> TrainingData:
        whole = self.prepare(X, y, sample_weight)
        training = whole.of_positive_weight()
        self._kept = None if training is whole else np.flatnonzero(whole.weight > 0)
        self._n_given, self._n_used = len(whole.y), len(training.y)
        return training

    def _units(self, groups: Any) -> np.ndarray:
        """Return what each sample grown on is drawn together with, (n_used,) int64. Raises ValueError."""
        groups = np.asarray(groups)
        if groups.shape != (self._n_given,):
            raise ValueError(f"groups have the shape {groups.shape}; give one for each of {self._n_given} samples")
        unit = np.unique(groups, return_inverse=True)[1]
        return unit if self._kept is None else unit[self._kept]

    def _assemble(self, trees: list[Tree | CultivatedTree], training: TrainingData) -> None:
        votes = self._votes(trees, training)
        weight = np.ones(len(trees)) if votes is None else votes
        self.forest_ = make_forest(trees, weight, self._combine(), self._prior(training))
        arrays = packed(self.forest_)
        self.predictor_ = None if arrays is None else ForestPredictor(arrays)

    def _value(self, X) -> np.ndarray:
        """Return the forest's predictions, (n_samples, n_outputs): the weighted mean or the sum of its trees'."""
        samples = self._samples(X)
        with self._threads() as pool:
            if self.predictor_ is not None:
                sums = self.predictor_.sums_in_parts(rows_of(samples), pool, self._n_threads())
                return linked(self.forest_, sums)
            votes = pool.map(lambda tree: vote(tree, samples, self.forest_.combine), self.forest_.trees)
            values = (weight * value for weight, value in zip(self.forest_.weight, votes, strict=True))
            return reduce(np.add, values)

    # ---- out of bag

    def _judge(self, training: TrainingData) -> None:
        """Compute the out-of-bag predictions and errors."""
        y, is_classifier = np.asarray(training.y, dtype=np.float64), hasattr(self, "classes_")
        target = WeightedTarget(y, training.weight, is_classifier, self.forest_.prior)
        trees = self.predictor_.packed if self.predictor_ else None
        judgement = judge_any(self.forest_, trees, training.X, self._draw_counts(), target, self._n_threads())
        self.oob_errors_ = judgement.errors
        self.oob_score_ = self._score_of(training.y, judgement.value)
        self._keep_judgement(judgement)

    def _score_of(self, y: np.ndarray, value: np.ndarray) -> float:
        """Return the score of predictions (n_samples, n_outputs), without samples that every tree saw: nan."""
        is_judged = ~np.isnan(value[:, 0])
        if not is_judged.any():
            return np.nan
        y, answers_, score = self._label_scores(y[is_judged], value[is_judged])
        return float((self.oob_score if callable(self.oob_score) else score)(y, answers_))

    def _label_scores(self, y: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, Callable]:
        """Return the targets and predictions as `predict` gives them, and the score by which they are compared."""
        raise NotImplementedError

    def _keep_judgement(self, judged: OutOfBag) -> None:
        raise NotImplementedError

    def _forget_judgement(self) -> None:
        """Delete the out-of-bag estimates of an earlier fit."""
        for name in ("oob_errors_", "oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)

    def _among_all(self, values: np.ndarray, otherwise) -> np.ndarray:
        """Return values of the training samples, (n_used, ...), with `otherwise` for those of weight zero."""
        if self._kept is None:
            return values
        among = np.full((self._n_given, *values.shape[1:]), otherwise, values.dtype)
        among[self._kept] = values
        return among

    # ---- parameters

    def _check_forest(self) -> None:
        check_whole("n_estimators", self.n_estimators, least=1)
        check_jobs(self.n_jobs)

    def _check_bootstrap(self, bootstrap: bool) -> None:
        check_bool("bootstrap", bootstrap)
        if not callable(self.oob_score):
            check_bool("oob_score", self.oob_score)
        if self.oob_score and not bootstrap:
            raise ValueError(
                f"oob_score is {self.oob_score!r}: Out of bag estimation only available if bootstrap=True, since "
                "without it every tree sees every sample"
            )

    def _n_threads(self) -> int:
        return n_threads_of(self.n_jobs)

    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._n_threads())


class ForestOfClasses(TreeForest, Classifier):
    """Base of forests that predict classes."""

    def predict_proba(self, X) -> np.ndarray:
        """Return weighted means of the trees' shares, or shares of their votes, (n_samples, n_classes)."""
        return self._value(X)

    def predict(self, X) -> np.ndarray:
        """Return the class with the greatest share, (n_samples,); of equal ones the most frequent in training."""
        shares = self.predict_proba(X)
        return self.classes_[winners(shares, self.forest_.prior)]

    def _prior(self, training: TrainingData) -> np.ndarray:
        return np.bincount(training.y, training.weight, len(self.classes_)) / training.weight.sum()

    def _label_scores(self, y: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, Callable]:
        return self.classes_[y], self.classes_[winners(value, self.forest_.prior)], accuracy_score

    def _keep_judgement(self, judged: OutOfBag) -> None:
        self.oob_decision_function_ = self._among_all(judged.value, np.nan)


class ForestOfNumbers(TreeForest, Regressor):
    """Base of forests that predict numbers."""

    def predict(self, X) -> np.ndarray:
        """Return the weighted mean of the trees' predictions, (n_samples,)."""
        return self._value(X)[:, 0]

    def _label_scores(self, y: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, Callable]:
        return y, value[:, 0], r2_score

    def _keep_judgement(self, judged: OutOfBag) -> None:
        self.oob_prediction_ = self._among_all(judged.value[:, 0], np.nan)


def judge_any(
    forest: Forest,
    packed: PackedForest | None,
    X: np.ndarray,
    in_bag: np.ndarray,
    target: WeightedTarget,
    n_threads: int = 1,
) -> OutOfBag:
    """Predict each sample of X by the trees, of any kind, that did not see it; see `out_of_bag.judge`."""
    check_votes(forest)
    if packed is not None:
        with ThreadPoolExecutor(n_threads) as pool:
            return judge(packed, rows_of(X), in_bag, target, pool)
    value, votes = np.zeros((len(X), forest.trees[0].value.shape[1])), np.zeros(len(X))
    errors = np.full(forest.n_trees, np.nan)
    for number, tree in enumerate(forest.trees):
        unseen = in_bag[number] == 0
        value[unseen] += forest.weight[number] * vote(tree, X[unseen], forest.combine)
        votes[unseen] += forest.weight[number]
        errors[number] = _mean_error(value, votes, target)
    with np.errstate(invalid="ignore"):
        return OutOfBag(value / votes[:, None], errors)


def _mean_error(value: np.ndarray, votes: np.ndarray, target: WeightedTarget) -> float:
    has_votes = votes > 0
    if not has_votes.any():
        return np.nan
    mean, y = value[has_votes] / votes[has_votes, None], target.y[has_votes]
    loss: Any = winners(mean, target.prior) != y if target.classes else (mean[:, 0] - y) ** 2
    return float(np.average(loss, weights=target.weight[has_votes]))


# ---- quantiles and intervals of regression forests, beside their trees (Meinshausen 2006)

BLOCK = 4096  # rows whose leaves are in memory together


def leaf_samples(forest: Forest, training: TrainingData, in_bag: np.ndarray) -> LeafSamples:
    """Return the samples in every leaf, as often as in_bag (n_trees, n_samples) says that each tree has them.

    Raises ValueError for a forest of cultivated trees: a sample reaches several leaves of those.
    """
    if are_cultivated(forest):
        raise Refusal(
            "the trees of this forest are cultivated: a sample reaches several leaves, so that no leaf has "
            "samples of its own. Take CART trees, or predict_spread of a cultivated forest"
        )
    target, rank = np.unique(training.y, return_inverse=True)
    X, parts = np.asfortranarray(training.X), []
    for tree, times in zip(forest.trees, in_bag, strict=True):
        parts.append(_tree_leaf_rows(leaves(tree, X), tree.n_nodes, rank, training.weight * times))
    sizes, ranks, shares = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    first = np.cumsum([0, *(tree.n_nodes for tree in forest.trees[:-1])])
    start = np.append(0, np.cumsum(sizes))
    return LeafSamples(
        first, start, ranks.astype(np.int32), shares, target, np.asarray(forest.weight, dtype=float)
    )


def _tree_leaf_rows(
    leaf: np.ndarray, n_nodes: int, rank: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many samples each node has as a leaf, and their ranks and shares, leaf after leaf."""
    rows_ = np.flatnonzero(weight > 0)
    rows_ = rows_[np.argsort(leaf[rows_], kind="stable")]
    share = weight[rows_] / np.bincount(leaf[rows_], weight[rows_], n_nodes)[leaf[rows_]]
    return np.bincount(leaf[rows_], minlength=n_nodes), rank[rows_], share


def quantiles_by(
    forest: Forest, samples: LeafSamples, X: np.ndarray, levels: np.ndarray, seen: np.ndarray | None = None
) -> np.ndarray:
    """Return the quantiles of each row of X, (n_rows, n_levels), at levels (n_levels,) from 0 to 1.

    Of `seen` (n_trees, n_rows) only the trees count that have 0 for a row; nan where none has.
    """
    X, order = np.asfortranarray(X, dtype=np.float64), np.argsort(levels, kind="stable")
    out = np.empty((len(X), len(levels)))
    for begin in range(0, len(X), BLOCK):
        rows = slice(begin, min(begin + BLOCK, len(X)))
        row_leaves = np.stack([np.asarray(leaves(tree, X[rows]), dtype=np.int32) for tree in forest.trees])
        bags = np.zeros(row_leaves.shape, np.uint8) if seen is None else np.ascontiguousarray(seen[:, rows])
        quantiles_of_rows(row_leaves, samples, bags, levels[order], out[rows])
    return out[:, np.argsort(order)]


class Quantiles(ForestOfNumbers):
    """Base of regression forests that keep, with `keep_leaves`, the samples of their leaves."""

    keep_leaves: bool
    leaf_samples_: LeafSamples | None

    def predict_quantiles(self, X, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> np.ndarray:
        """Return quantiles of the target for each sample, (n_samples, n_quantiles).

        A training sample counts by its share of the sample's leaf, averaged over the trees; a quantile is the
        least target up to which these shares sum to its level (Meinshausen 2006, equations 4 to 6). Raises
        ValueError for levels outside 0 to 1, and unless ``keep_leaves=True``.
        """
        samples = self._samples(X)
        return quantiles_by(self.forest_, self._kept_leaves(), samples, check_levels(quantiles))

    def predict_interval(self, X, coverage: float = 0.9) -> np.ndarray:
        """Return the least and the greatest value of an interval for each sample, (n_samples, 2).

        Half of the share that is not covered lies on either side. Raises ValueError as `predict_quantiles`.
        """
        return self.predict_quantiles(X, interval_levels(coverage))

    def _kept_leaves(self) -> LeafSamples:
        check_is_fitted(self)
        if self.leaf_samples_ is None:
            raise ValueError(
                "this forest has not kept which samples are in which leaf; fit it with keep_leaves=True for "
                "quantiles and intervals"
            )
        return self.leaf_samples_

    def _assemble(self, trees: list[AnyTree], training: TrainingData) -> None:
        super()._assemble(trees, training)
        self.leaf_samples_ = None
        if self.keep_leaves:
            self.leaf_samples_ = leaf_samples(self.forest_, training, self._draw_counts())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_bool("keep_leaves", self.keep_leaves)


def check_levels(levels: Sequence[float]) -> np.ndarray:
    """Return the levels of quantiles as (n_levels,) float64. Raises ValueError for others than 0 to 1."""
    levels_ = np.atleast_1d(np.asarray(levels, dtype=np.float64))
    if levels_.ndim != 1 or not ((levels_ >= 0) & (levels_ <= 1)).all():
        raise ValueError(f"quantiles are {levels!r}; they must be numbers from 0 to 1, such as [0.05, 0.5, 0.95]")
    return levels_


def interval_levels(coverage: float) -> tuple[float, float]:
    """Return the levels of the quantiles at both ends of an interval of this coverage. Raises ValueError.

    >>> interval_levels(0.5)
    (0.25, 0.75)
    """
    if not (is_number(coverage) and 0 < coverage < 1):
        raise ValueError(f"coverage is {coverage!r}; it must be a number between 0 and 1, such as 0.9")
    return (1 - coverage) / 2, (1 + coverage) / 2
