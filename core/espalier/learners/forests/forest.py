"""What all forests share: how their trees answer together, and what the samples say that a tree did not see."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.metaestimators import available_if

from espalier.kernels.forest.out_of_bag import OutOfBag, WeightedTarget, judge
from espalier.kernels.forest.packed import PackedForest, pack_forest, parts_of, rows_of
from espalier.kernels.gate import predict
from espalier.kernels.route import leaf_of
from espalier.learners.base import Classifier, Learner, Regressor, check_whole, is_whole
from espalier.learners.conventions import ManyTrees, has_leaves
from espalier.learners.forests.predictor import ForestPredictor
from espalier.learners.ties import winners
from espalier.trees import CultivatedTree, Forest, Tree, make_forest


class Used(NamedTuple):
    """The samples that a forest grows on: those of any weight."""

    X: np.ndarray  # (n_samples, n_features) float64
    y: np.ndarray  # (n_samples,) numbers, or class numbers
    weight: np.ndarray  # (n_samples,) float64, positive


class TreeForest(ManyTrees, Learner):
    """A learner that keeps ``forest_``. Kinds of forests say how trees grow, in `_grow_all`."""

    n_estimators: int | None
    n_jobs: int | None
    oob_score: bool = False
    forest_: Forest
    n_features_in_: int

    def fit(self, X, y, sample_weight=None, signals: np.ndarray | None = None):
        """Grow the trees on X (n_samples, n_features) and y (n_samples,).

        `signals` is int64 (2,), shared with another thread: the number of samples whose leaf is decided, summed
        over the trees, is written into [0]; once [1] is not zero, growing stops. Trees that are not complete by
        then are left out, unless none is: then the first stays, as far as it has grown.
        Raises ValueError for parameters or data that cannot be used, saying which and why.
        """
        used = self._used(X, y, sample_weight)
        self._grown: dict[int, Tree | CultivatedTree] = {}
        self._grow_all(used, np.zeros(2, np.int64) if signals is None else signals)
        self._numbers = sorted(self._grown)
        self._assemble([self._grown[number] for number in self._numbers], used)
        self._forget_judgement()
        if self.oob_score:
            self._judge(used)
        return self

    def trees_so_far(self) -> dict[int, Tree | CultivatedTree]:
        """The complete trees by number, in order; also while `fit` runs in another thread."""
        grown = dict(getattr(self, "_grown", {}))
        return {number: grown[number] for number in sorted(grown)}

    def in_bag(self) -> np.ndarray:
        """(n_trees, n_samples) uint8: how often each tree saw each sample given to `fit`."""
        seen = self._seen()
        return seen if self._kept is None else self._among_all(seen.T, np.uint8(0)).T

    def in_bag_so_far(self, numbers: list[int]) -> np.ndarray:
        """(n, n_samples) uint8: as `in_bag`, of these trees of `trees_so_far`; also while `fit` is at work."""
        so_far = copy(self)
        so_far._numbers = numbers
        return so_far.in_bag()

    @available_if(has_leaves)
    def apply(self, X) -> np.ndarray:
        """(n_samples, n_trees) int32: the leaf of each tree that each sample falls into.

        Forests of cultivated trees have no such method: there a sample falls into several leaves.
        """
        samples = np.asfortranarray(self._samples(X))
        with self._threads() as pool:
            return np.stack(list(pool.map(lambda tree: leaf_of(tree, samples), self.forest_.trees)), axis=1)

    # ---- growing: what kinds of forests say

    def _grow_all(self, used: Used, signals: np.ndarray) -> None:
        """Write each tree into ``self._grown[number]`` as soon as it is complete."""
        raise NotImplementedError

    def _seen(self) -> np.ndarray:
        """(n_trees, n_used) uint8: how often each tree of ``forest_`` saw each sample grown on."""
        return np.ones((len(self._numbers), self._n_used), np.uint8)

    def _votes(self, trees: list[Tree | CultivatedTree], used: Used) -> np.ndarray | None:
        """(n_trees,) how much each tree's vote counts; None where all count alike."""
        return None

    def _is_majority(self) -> bool:
        """Whether a tree votes for one class, instead of for all by their shares."""
        return False

    def _prior(self, used: Used) -> np.ndarray:
        """(n_classes,) share of each class; empty for numbers."""
        return np.empty(0)

    # ---- gathering

    def _used(self, X, y, sample_weight) -> Used:
        X, y, weight = self._weighed(X, y, sample_weight)
        kept = weight > 0
        self._kept = None if kept.all() else np.flatnonzero(kept)
        self._n_given, self._n_used = len(X), int(np.count_nonzero(kept))
        return Used(X, y, weight) if self._kept is None else Used(X[kept], y[kept], weight[kept])

    def _assemble(self, trees: list[Tree | CultivatedTree], used: Used) -> None:
        votes = self._votes(trees, used)
        weight = np.ones(len(trees)) if votes is None else votes
        self.forest_ = make_forest(trees, weight, self._is_majority(), self._prior(used))
        self._panel: ForestPredictor | None = None
        if all(isinstance(tree, Tree) for tree in trees):
            self._panel = ForestPredictor(pack_forest(self.forest_))

    def _value(self, X) -> np.ndarray:
        """(n_samples, n_outputs): the weighted mean of what the trees say."""
        samples = self._samples(X)
        with self._threads() as pool:
            if self._panel is not None:
                rows, spans = rows_of(samples), parts_of(len(samples), self._n_threads())
                return np.concatenate(list(pool.map(self._panel.said, [rows[span] for span in spans])))
            said = pool.map(lambda tree: said_by(tree, samples, self.forest_.majority), self.forest_.trees)
            weighted = (weight * value for weight, value in zip(self.forest_.weight, said, strict=True))
            return reduce(np.add, weighted)

    # ---- out of bag

    def _judge(self, used: Used) -> None:
        """Let the samples speak that a tree did not see."""
        y, is_classifier = np.asarray(used.y, dtype=np.float64), hasattr(self, "classes_")
        target = WeightedTarget(y, used.weight, is_classifier, self.forest_.prior)
        grove = self._panel.grove if self._panel else None
        judged = judge_any(self.forest_, grove, used.X, self._seen(), target, self._n_threads())
        self.oob_errors_ = judged.errors
        self._keep_judgement(judged)

    def _keep_judgement(self, judged: OutOfBag) -> None:
        raise NotImplementedError

    def _forget_judgement(self) -> None:
        """An earlier fit's out-of-bag estimates are not this one's."""
        for name in ("oob_errors_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)

    def _among_all(self, values: np.ndarray, otherwise) -> np.ndarray:
        """What is known of the samples grown on, (n_used, ...), with `otherwise` for those of weight zero."""
        if self._kept is None:
            return values
        among = np.full((self._n_given, *values.shape[1:]), otherwise, values.dtype)
        among[self._kept] = values
        return among

    # ---- parameters

    def _check_forest(self) -> None:
        check_whole("n_estimators", self.n_estimators, least=1)
        self._check_jobs()

    def _check_jobs(self) -> None:
        if self.n_jobs is not None and not (is_whole(self.n_jobs) and self.n_jobs != 0):
            raise ValueError(f"n_jobs is {self.n_jobs!r}; it must be None, a number of threads, or -1 for all")

    def _n_threads(self) -> int:
        return effective_n_jobs(1 if self.n_jobs is None else self.n_jobs)

    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._n_threads())


class ForestOfClasses(TreeForest, Classifier):
    """A forest that predicts classes."""

    def predict_proba(self, X) -> np.ndarray:
        """(n_samples, n_classes): the weighted mean of the trees' class shares, or the shares of their votes."""
        return self._value(X)

    def predict(self, X) -> np.ndarray:
        """(n_samples,): the class with the greatest share; of equal ones the most frequent in training."""
        shares = self.predict_proba(X)
        return self.classes_[winners(shares, self.forest_.prior)]

    def _prior(self, used: Used) -> np.ndarray:
        return np.bincount(used.y, used.weight, len(self.classes_)) / used.weight.sum()

    def _keep_judgement(self, judged: OutOfBag) -> None:
        self.oob_decision_function_ = self._among_all(judged.value, np.nan)


class ForestOfNumbers(TreeForest, Regressor):
    """A forest that predicts numbers."""

    def predict(self, X) -> np.ndarray:
        """(n_samples,): the weighted mean of the values that the trees predict."""
        return self._value(X)[:, 0]

    def _keep_judgement(self, judged: OutOfBag) -> None:
        self.oob_prediction_ = self._among_all(judged.value[:, 0], np.nan)


def said_by(tree: Tree | CultivatedTree, X: np.ndarray, majority: bool) -> np.ndarray:
    """(n_samples, n_outputs): what one tree says; with `majority` one vote, for the first greatest share."""
    value = predict(tree, X)[0] if isinstance(tree, CultivatedTree) else tree.value[leaf_of(tree, X)]
    return np.eye(value.shape[1])[value.argmax(axis=1)] if majority else value


def judge_any(
    forest: Forest,
    grove: PackedForest | None,
    X: np.ndarray,
    in_bag: np.ndarray,
    target: WeightedTarget,
    n_threads: int = 1,
) -> OutOfBag:
    """Predict each sample of X by the trees that did not see it, trees of any kind; see `unseen.judge`."""
    if grove is not None:
        with ThreadPoolExecutor(n_threads) as pool:
            return judge(grove, rows_of(X), in_bag, target, pool)
    value, votes = np.zeros((len(X), forest.trees[0].value.shape[1])), np.zeros(len(X))
    errors = np.full(forest.n_trees, np.nan)
    for number, tree in enumerate(forest.trees):
        unseen = in_bag[number] == 0
        value[unseen] += forest.weight[number] * said_by(tree, X[unseen], forest.majority)
        votes[unseen] += forest.weight[number]
        errors[number] = _mean_error(value, votes, target)
    with np.errstate(invalid="ignore"):
        return OutOfBag(value / votes[:, None], errors)


def _mean_error(value: np.ndarray, votes: np.ndarray, target: WeightedTarget) -> float:
    asked = votes > 0
    if not asked.any():
        return np.nan
    mean, y = value[asked] / votes[asked, None], target.y[asked]
    loss: Any = winners(mean, target.prior) != y if target.classes else (mean[:, 0] - y) ** 2
    return float(np.average(loss, weights=target.weight[asked]))
