"""Gradient boosting (Friedman 2001): each tree is a step down the gradient of the loss."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from espalier.data import folds
from espalier.kernels.boosting.bins import MOST_BINS
from espalier.language import Refusal
from espalier.learners.base import NO_LIMIT, TrainingData, check_numbers, check_whole, is_number, is_whole
from espalier.learners.boosting.rounds import (
    NUMBER_LOSSES,
    BoostingLimits,
    JudgeScores,
    Loss,
    Rounds,
    drawn_rows,
    is_over,
    log_loss,
    rounds_of,
)
from espalier.learners.cart import check_counts
from espalier.learners.conventions import gains_of
from espalier.learners.forests.forest import ForestOfClasses, ForestOfNumbers, TreeForest
from espalier.learners.forests.predictor import ForestPredictor
from espalier.learners.frames import Choice
from espalier.learners.monotone import Directed, Directions
from espalier.predict import packed, staged, winners
from espalier.progress import Progress
from espalier.trees import AnyTree, make_sum


class GradientBoosting(Directed, TreeForest):
    """Base of the classifier and the regressor; parameters are described in `GradientBoostingClassifier`."""

    _losses: tuple[str, ...]

    def __init__(
        self, *, loss="squared_error", learning_rate=0.1, n_estimators=100, max_depth: int | None = None,
        max_leaf_nodes: int | None = 31, min_samples_leaf=20, subsample=1.0, l2_regularization=0.0, max_bins=255,
        n_iter_no_change: int | None = None,
        validation_fraction=0.1, tol=1e-7, n_jobs=None, random_state=None,
        categorical_features: Choice = "from_dtype", monotonic_cst: Directions = None,
        forbidden_features=None,
    ):  # fmt: skip
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.subsample = subsample
        self.l2_regularization = l2_regularization
        self.max_bins = max_bins
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.forbidden_features = forbidden_features

    @property
    def n_trees_per_iteration_(self) -> int:
        """Trees that a round grows: one, or with three classes or more one for each."""
        return len(self.forest_.start)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importances (n_features,) float64: decrease of the squared residuals by splits, normalised to sum 1.

        Of all splits on a feature, in all trees (Friedman 2001, section 8.1).
        """
        gains = np.sum([gains_of(tree, self.n_features_in_) for tree in self.forest_.trees], axis=0)
        gains = np.maximum(gains, 0.0)
        return gains / gains.sum() if gains.sum() > 0 else gains

    # ---- growing

    @property
    def grows_in_order(self) -> bool:
        """Whether a tree depends on the earlier ones: always."""
        return True

    def _grow_all(self, training: TrainingData, progress: Progress, executor: Executor | None) -> None:
        train, judge = self._parts(training)
        samples = self._samples_of(training, train)
        self._loss = self._loss_of(samples)
        self._n_scores = self._loss.n_scores
        n_rounds = int(self.n_estimators or 1)
        self.n_planned_ = n_rounds * self._loss.n_scores
        limits = self._boosting_limits(len(train))
        self._seeds = np.random.default_rng(self._seed()).integers(NO_LIMIT, size=n_rounds)
        self._drawn, self._train = limits.n_drawn, train
        unit = None if self._unit is None else self._unit[train]
        rounds = Rounds(samples, self.is_categorical_, self._loss, limits, self._n_threads(), unit)
        judge_scores = JudgeScores(self._samples_of(training, judge), self._loss) if len(judge) else None
        self._go_through(rounds, judge_scores, progress)

    def _go_through(self, rounds: Rounds, judge: JudgeScores | None, progress: Progress) -> None:
        """Grow round after round, and write down trees and losses."""
        losses, judged_losses = [rounds.loss], [] if judge is None else [judge.mean_loss()]
        for number, (trees, loss, judged_loss) in enumerate(rounds_of(rounds, judge, self._seeds, progress)):
            self._grown |= dict(enumerate(trees, number * len(trees)))
            progress.advance(self._n_used)
            losses.append(loss)
            if judged_loss is not None:
                judged_losses.append(judged_loss)
                if is_over(judged_losses, self.n_iter_no_change or 0, self.tol):
                    break
        self.train_score_ = -np.array(losses)
        self.validation_score_ = -np.array(judged_losses)
        self.n_iter_ = max(int(np.argmin(judged_losses)), 1) if judged_losses else len(losses) - 1
        for number in range(self.n_iter_ * self._n_scores, len(self._grown)):
            del self._grown[number]
        if not progress.is_stopped:
            progress.done = len(self._seeds) * self._n_used

    def _assemble(self, trees: list[AnyTree], training: TrainingData) -> None:
        steps: Any = trees
        self.forest_ = make_sum(steps, self._loss.start, self._loss.link, self._prior(training))
        arrays = packed(self.forest_)
        self.predictor_ = None if arrays is None else ForestPredictor(arrays)
        del self._loss

    def _parts(self, training: TrainingData) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples to grow on, and those to judge by: none unless boosting stops early."""
        everyone = np.arange(len(training.y))
        if self.n_iter_no_change is None:
            return everyone, everyone[:0]
        share, seed = self.validation_fraction, self._seed()
        if not 0 < round(share * len(training.y)) < len(training.y):
            raise Refusal(
                "validation_fraction is {share}, which of {n} samples leaves none to grow on or none to judge "
                "by; give more samples, or n_iter_no_change=None",
                share=share,
                n=len(training.y),
            )
        if self._unit is not None:
            strata = folds.strata_of(np.asarray(training.y))
            part = folds.group_parts(self._unit, strata, (1 - share, share), np.random.default_rng(seed))
            return np.flatnonzero(part == 0), np.flatnonzero(part == 1)
        train, judge = train_test_split(
            everyone, test_size=share, random_state=seed, stratify=self._strata(training.y)
        )
        return np.sort(train), np.sort(judge)

    def _strata(self, y: np.ndarray) -> np.ndarray | None:
        """Return what the parts are to have equally of; None: nothing."""
        return None

    def _draw_counts(self) -> np.ndarray:
        is_drawn = np.zeros((len(self._numbers), self._n_used), np.uint8)
        for at, number in enumerate(self._numbers):
            unit = None if self._unit is None else self._unit[self._train]
            rows = drawn_rows(int(self._seeds[number // self._n_scores]), len(self._train), self._drawn, unit)
            is_drawn[at, self._train[rows]] = 1
        return is_drawn

    def _samples_of(self, training: TrainingData, rows: np.ndarray) -> TrainingData:
        X, y, weight = training if len(rows) == len(training.y) else (of[rows] for of in training)
        return TrainingData(np.asfortranarray(X), np.asarray(y, np.float64), weight)

    def _loss_of(self, samples: TrainingData) -> Loss:
        raise NotImplementedError

    # ---- staged predictions

    def _stages(self, X) -> Iterator[np.ndarray]:
        """Yield the predictions of the first 1, 2, ... rounds, (n_samples, n_outputs)."""
        yield from staged(self.forest_, self._samples(X), self.n_trees_per_iteration_)

    # ---- parameters

    def _boosting_limits(self, n: int) -> BoostingLimits:
        return BoostingLimits(
            float(self.learning_rate),
            self.max_leaf_nodes or 0,
            self.max_depth or NO_LIMIT,
            self.min_samples_leaf,
            float(self.l2_regularization),
            self.max_bins,
            max(math.floor(self.subsample * n), 1),
            self.directions(),
        )

    def _check_parameters(self) -> None:
        self._check_forest()
        if self.loss not in self._losses:
            raise ValueError(f"loss is {self.loss!r}; it must be {' or '.join(self._losses)}")
        check_whole("max_depth", self.max_depth, least=1, optional=True)
        check_whole("max_leaf_nodes", self.max_leaf_nodes, least=2, optional=True)
        check_whole("min_samples_leaf", self.min_samples_leaf, least=1)
        check_whole("n_iter_no_change", self.n_iter_no_change, least=1, optional=True)
        check_numbers(self, ("l2_regularization", "tol"))
        _check_between("learning_rate", self.learning_rate, math.inf)
        _check_between("subsample", self.subsample, 1.0)
        _check_between("validation_fraction", self.validation_fraction, 1.0)
        if not (is_whole(self.max_bins) and 2 <= self.max_bins <= MOST_BINS):
            raise ValueError(f"max_bins is {self.max_bins!r}; it must be a whole number from 2 to {MOST_BINS}")


def _check_between(name: str, value: Any, most: float) -> None:
    """Raise ValueError unless the value is a number above 0, up to `most`."""
    if not (is_number(value) and 0 < value <= most and math.isfinite(value)):
        limit = "" if math.isinf(most) else f" and at most {most:g}"
        raise ValueError(f"{name} is {value!r}; it must be a number above 0{limit}")


class GradientBoostingClassifier(GradientBoosting, ForestOfClasses):
    """Classification by the sum of regression trees, each grown on the gradient of the log loss at the sum so far.

    Parameters
    ----------
    loss : "log_loss"
    learning_rate : part of its full step that each tree takes (shrinkage; Friedman 2001, section 5)
    n_estimators : number of rounds, at most. A round grows one tree, or with three classes or more one for each
    max_depth : most splits on the way to a leaf; None for no limit
    max_leaf_nodes : most leaves of a tree, which grows best first (largest gain); None for no limit
    min_samples_leaf : least samples in a leaf
    subsample : share of the samples, drawn without replacement, that a round grows on (Friedman 2002)
    l2_regularization : added to the sum of second derivatives in every leaf: shortens the steps of small leaves
    max_bins : most bins of a column of numbers, up to 255; with no more different values than that, splits are
        exact
    n_iter_no_change : with a number, boosting stops early: once the loss on a validation part, which no tree sees,
        has not improved in so many rounds; None for all rounds
    validation_fraction : share of the samples in that part, drawn with as equal shares of the classes as possible
    tol : least improvement that counts
    class_weight : dict, "balanced" or None
    n_jobs : threads; None for one, -1 for as many as there are processors; the result does not depend on it. The
        trees of a round grow side by side, so that only three classes or more gain from it, and predictions
    random_state : seed of subsamples and of the validation part
    categorical_features : which columns are categories, split as sets; as in `CartClassifier`
    monotonic_cst : directions of the columns, a list with an entry for each or a dict by name: 1 where the
        prediction may only rise with the column, -1 where it may only fall, 0 for either. Of two classes it is the
        share of the second; with three or more there are none. A missing value has no place in the order, as in
        `CartClassifier`. None: no directions
    forbidden_features : columns, by name or number from 0 on, that no split asks about; None for no such column

    Splits gain most of the loss's second-order approximation, and a leaf's step is Newton's, ``-learning_rate *
    sum(gradients) / (sum(second derivatives) + l2_regularization)``, as in scikit-learn's
    `HistGradientBoostingClassifier` (Chen & Guestrin 2016, section 2.2). Missing values (nan) go to the side that
    gives the better split, or to the larger one if the node saw none.

    Attributes
    ----------
    forest_ : Forest that sums up: its trees' values are steps of the log odds, or of one score for each class, and
        their impurities are variances of the residuals
    classes_ : (n_classes,) the labels, in order
    n_iter_ : rounds in ``forest_``; after early stopping those up to the least validation loss
    train_score_ : (n_rounds + 1,) minus the mean loss on the samples grown on, before the first round and after
        each
    validation_score_ : (n_rounds + 1,) the same on the validation part; empty without one

    References
    ----------
    Friedman (2001), Greedy function approximation: a gradient boosting machine, Annals of Statistics 29,
    algorithms 5 and 6; Hastie, Tibshirani & Friedman (ESL), section 10.10, algorithm 10.4; James et al. (ISLP),
    section 8.2.3.

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = GradientBoostingClassifier(n_estimators=20).fit(iris.X, iris.y)
    >>> model.forest_.n_trees, round(model.score(iris.X, iris.y), 2)
    (60, 0.98)
    """

    _losses = ("log_loss",)

    def __init__(
        self, *, loss="log_loss", learning_rate=0.1, n_estimators=100, max_depth: int | None = None,
        max_leaf_nodes: int | None = 31, min_samples_leaf=20, subsample=1.0, l2_regularization=0.0, max_bins=255,
        n_iter_no_change: int | None = None,
        validation_fraction=0.1, tol=1e-7, class_weight=None, n_jobs=None, random_state=None,
        categorical_features: Choice = "from_dtype", monotonic_cst: Directions = None,
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            loss=loss, learning_rate=learning_rate, n_estimators=n_estimators, max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes, min_samples_leaf=min_samples_leaf, subsample=subsample,
            l2_regularization=l2_regularization, max_bins=max_bins, n_iter_no_change=n_iter_no_change,
            validation_fraction=validation_fraction, tol=tol, n_jobs=n_jobs, random_state=random_state,
            categorical_features=categorical_features, monotonic_cst=monotonic_cst,
            forbidden_features=forbidden_features,
        )  # fmt: skip
        self.class_weight = class_weight

    def staged_predict_proba(self, X) -> Iterator[np.ndarray]:
        """Yield `predict_proba` of the first 1, 2, ... rounds."""
        return self._stages(X)

    def staged_predict(self, X) -> Iterator[np.ndarray]:
        """Yield `predict` of the first 1, 2, ... rounds."""
        for shares in self._stages(X):
            yield self.classes_[winners(shares, self.forest_.prior)]

    def _loss_of(self, samples: TrainingData) -> Loss:
        return log_loss(samples.y, samples.weight, len(self.classes_))

    def _strata(self, y: np.ndarray) -> np.ndarray | None:
        counts = np.bincount(y)
        fits = min(self.validation_fraction, 1 - self.validation_fraction) * len(y) >= len(counts)
        return y if counts.min() >= 2 and fits else None


class GradientBoostingRegressor(GradientBoosting, ForestOfNumbers):
    """Regression by the sum of trees, each grown on the residuals of the sum so far.

    Parameters as in `GradientBoostingClassifier`, without ``class_weight``, and with other losses:

    - "squared_error": the sum starts from the mean of the targets.
    - "absolute_error": it starts from their median. Trees are grown on the signs of the residuals, and a leaf
      steps by the median of its residuals, whatever `l2_regularization` is.
    - "poisson": half the Poisson deviance, for counts, and other targets of at least 0. The sum is the logarithm
      of the prediction, from that of the mean on, so that predictions are above 0. A leaf's full step is not past
      the best one, log(sum of targets / sum of predictions), where that is above 0. The step by derivatives, which
      scikit-learn's `HistGradientBoostingRegressor` takes, may be orders of magnitude too long there.

    Raises ValueError under "poisson" for targets below 0, or all 0.

    Attributes
    ----------
    forest_ : Forest that sums up; its trees' values are steps, their impurities variances of the residuals (of
        "absolute_error" of their signs, of "poisson" of targets minus predictions)
    n_iter_, train_score_, validation_score_ : as in `GradientBoostingClassifier`, of the loss chosen

    References
    ----------
    Friedman (2001), Greedy function approximation: a gradient boosting machine, Annals of Statistics 29,
    algorithms 2 and 3; Hastie, Tibshirani & Friedman (ESL), algorithm 10.3; James et al. (ISLP), algorithm 8.2.

    Examples
    --------
    >>> from espalier.data import samples
    >>> sine = samples.load("sine")
    >>> model = GradientBoostingRegressor(max_leaf_nodes=4, min_samples_leaf=5).fit(sine.X, sine.y)
    >>> model.predict([[0.25]]).round(1)
    array([0.4])
    """

    _losses = tuple(NUMBER_LOSSES)

    def staged_predict(self, X) -> Iterator[np.ndarray]:
        """Yield `predict` of the first 1, 2, ... rounds."""
        for numbers in self._stages(X):
            yield numbers[:, 0]

    def _loss_of(self, samples: TrainingData) -> Loss:
        return NUMBER_LOSSES[self.loss](samples.y, samples.weight)

    def _training_data(self, X, y, sample_weight) -> TrainingData:
        training = super()._training_data(X, y, sample_weight)
        if self.loss == "poisson":
            check_counts(training.y, "loss")
        return training
