"""Scores of predictions, each beside that of a baseline that uses no features."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn import metrics

from espalier.data.weights import class_sizes, weighted_mean
from espalier.ties import winners

NOT_DEFINED = math.nan  # written as "–"


class ClassScores(NamedTuple):
    """Scores of a classifier; nan if undefined for these rows (say, the AUC of a single class)."""

    n_samples: int
    accuracy: float
    balanced_accuracy: float  # mean recall of the classes that occur
    auc: float  # area under the ROC curve; of more classes the mean over one class against the rest
    log_loss: float  # natural logarithm
    brier: float  # mean over samples of sum_k (share_k - [class is k])^2


class MeanScores(NamedTuple):
    """Scores of a regression; R² and D² are nan where the target does not vary.

    D² is the part of a constant's deviance that the predictions explain, as R² is for the squared error. That of
    Poisson is nan, too, where a target is below 0 or a prediction not above 0: its deviance does not exist.
    """

    n_samples: int
    r2: float
    rmse: float  # in the target's unit
    mae: float  # in the target's unit
    d2_absolute: float  # absolute error; the constant is the median
    d2_poisson: float  # Poisson deviance; the constant is the mean


LABELS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
    "log_loss": "log loss",
    "brier": "Brier score",
    "r2": "R²",
    "rmse": "RMSE",
    "mae": "MAE",
    "d2_absolute": "D², absolute error",
    "d2_poisson": "D², Poisson",
}
OF_LOSS = {"d2_absolute": "absolute", "d2_poisson": "poisson"}  # scores that belong to one loss, a `Model.loss`
EXPLAINED = ("r2", *OF_LOSS)  # parts of something: 1 is perfect, and there is no least one
HIGHER_IS_BETTER = frozenset({"accuracy", "balanced_accuracy", "auc", *EXPLAINED})


def for_losses(names: Sequence[str], losses: Collection[str]) -> tuple[str, ...]:
    """Return the names of scores without those that belong to other losses than these.

    >>> for_losses(("r2", "d2_absolute", "d2_poisson"), {"squared", "poisson"})
    ('r2', 'd2_poisson')
    """
    return tuple(name for name in names if name not in OF_LOSS or OF_LOSS[name] in losses)


def class_scores(
    y: np.ndarray, shares: np.ndarray, prediction: np.ndarray | None = None, weight: np.ndarray | None = None
) -> ClassScores:
    """Scores of predicted class shares (n_samples, n_classes) for class codes y (n_samples,).

    `prediction` (n_samples,) are the predicted classes; None: the greatest shares, the first of equals. Samples
    count by their `weight` (n_samples,); those of weight 0 are as if they were absent.

    >>> import numpy as np
    >>> shares = np.array([[0.8, 0.2], [0.6, 0.4], [0.3, 0.7]])
    >>> round(class_scores(np.array([0, 1, 1]), shares).accuracy, 2)
    0.67
    """
    told = _told(y, shares, winners(shares) if prediction is None else prediction, weight)
    if not len(told.y):
        return ClassScores(0, *[NOT_DEFINED] * 5)
    return ClassScores(len(told.y), *(of(told) for of in SCORES_OF_CLASSES.values()))


def one_score(
    name: str, y: np.ndarray, answers: np.ndarray, prediction: np.ndarray, weight: np.ndarray | None = None
) -> float:
    """Return one of the scores, by its name, without the others, which take much longer together.

    The answers are class shares (n_samples, n_classes), or numbers (n_samples, 1); else as in `class_scores`.
    Raises ValueError for an unknown name.

    >>> import numpy as np
    >>> one_score("accuracy", np.array([0, 1]), np.eye(2), np.array([0, 0]))
    0.5
    >>> one_score("mae", np.array([1.0, 2.0]), np.array([[1.0], [4.0]]), np.array([1.0, 4.0]))
    1.0
    """
    told = _told(y, answers, prediction, weight)
    if name not in LABELS:
        raise ValueError(f"there is no score {name!r}; choose one of {', '.join(LABELS)}")
    return {**SCORES_OF_CLASSES, **SCORES_OF_NUMBERS}[name](told) if len(told.y) else NOT_DEFINED


class Told(NamedTuple):
    """Answers to samples that count, beside the truth."""

    y: np.ndarray  # (n_samples,)
    shares: np.ndarray  # (n_samples, n_classes); where the target is a number (n_samples, 1)
    prediction: np.ndarray  # (n_samples,)
    weight: np.ndarray | None  # (n_samples,), none of them 0


def _told(y: np.ndarray, shares: np.ndarray, prediction: np.ndarray, weight: np.ndarray | None) -> Told:
    if weight is None:
        return Told(y, shares, prediction, None)
    counts = weight > 0
    return Told(y[counts], shares[counts], prediction[counts], weight[counts])


def _accuracy(told: Told) -> float:
    return weighted_mean(told.prediction == told.y, told.weight)


def _balanced(told: Told) -> float:
    y, right, weight = told.y, told.prediction == told.y, told.weight
    return float(np.mean([weighted_mean(right[y == k], _part(weight, y == k)) for k in np.unique(y)]))


def _part(weight: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if weight is None else weight[rows]


def _auc(told: Told) -> float:
    y, shares, present = told.y, told.shares, np.unique(told.y)
    if len(present) < 2:
        return NOT_DEFINED
    if shares.shape[1] == 2:
        return _area(y == 1, shares[:, 1], told.weight)
    return float(np.mean([_area(y == k, shares[:, k], told.weight) for k in present]))


def _area(is_one: np.ndarray, share: np.ndarray, weight: np.ndarray | None) -> float:
    """Return the area under the ROC curve: how often one has a greater share than another, ties half (Hanley &
    McNeil 1982)."""
    level = np.unique(share, return_inverse=True)[1]
    counts = np.ones(len(share)) if weight is None else weight
    ones, others = (np.bincount(level, counts * rows) for rows in (is_one, ~is_one))
    below = np.cumsum(others) - others / 2
    return float(ones @ below / (ones.sum() * others.sum()))


def _log_loss(told: Told) -> float:
    # A share of 0 would cost infinity: as in scikit-learn it counts as float64's relative precision.
    tiny = np.finfo(np.float64).eps
    loss = -np.log(np.maximum(told.shares[np.arange(len(told.y)), told.y], tiny))
    return weighted_mean(loss, told.weight) + 0.0  # never −0


def _brier(told: Told) -> float:
    gaps = told.shares - np.eye(told.shares.shape[1])[told.y]
    return weighted_mean(np.sum(gaps**2, axis=1), told.weight)


def mean_scores(y: np.ndarray, predicted: np.ndarray, weight: np.ndarray | None = None) -> MeanScores:
    """Return the scores of predictions (n_samples,) for targets y (n_samples,), by `weight` as in `class_scores`.

    >>> import numpy as np
    >>> mean_scores(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])).r2
    0.5
    """
    told = _told(y, predicted[:, None], predicted, weight)
    if not len(told.y):
        return MeanScores(0, *[NOT_DEFINED] * 5)
    return MeanScores(len(told.y), *(of(told) for of in SCORES_OF_NUMBERS.values()))


def _of_numbers(metric: Callable[..., float], told: Told, **options: float) -> float:
    return float(metric(told.y, told.prediction, sample_weight=told.weight, **options))


def _explained(metric: Callable[..., float], told: Told, **options: float) -> float:
    varies = len(told.y) > 1 and told.y.min() < told.y.max()
    return _of_numbers(metric, told, **options) if varies else NOT_DEFINED


def _d2_poisson(told: Told) -> float:
    if told.y.min() < 0 or told.prediction.min() <= 0:
        return NOT_DEFINED
    return _explained(metrics.d2_tweedie_score, told, power=1)


SCORES_OF_CLASSES: Mapping[str, Callable[[Told], float]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced,
    "auc": _auc,
    "log_loss": _log_loss,
    "brier": _brier,
}
SCORES_OF_NUMBERS: Mapping[str, Callable[[Told], float]] = {
    "r2": partial(_explained, metrics.r2_score),
    "rmse": partial(_of_numbers, metrics.root_mean_squared_error),
    "mae": partial(_of_numbers, metrics.mean_absolute_error),
    "d2_absolute": partial(_explained, metrics.d2_absolute_error_score),
    "d2_poisson": _d2_poisson,
}


def baseline_shares(
    y_grown_on: np.ndarray, n_classes: int, n_samples: int, weight: np.ndarray | None = None
) -> np.ndarray:
    """Return the class shares of the training rows for every sample, (n_samples, n_classes).

    Training rows count by `weight`, as many as there are.
    """
    counts = class_sizes(y_grown_on, n_classes, weight)
    return np.tile(counts / (counts.sum() or 1), (n_samples, 1))


class Scored(NamedTuple):
    """Scores of a tree and of the baseline: the training rows' class shares, or their mean."""

    tree: ClassScores | MeanScores
    baseline: ClassScores | MeanScores


def scored(
    y: np.ndarray,
    predicted: np.ndarray,
    y_grown_on: np.ndarray,
    weight: np.ndarray | None = None,
    weight_grown_on: np.ndarray | None = None,
) -> Scored:
    """Scores of `predicted` (n_samples, n_outputs; from `espalier.predict.shares`) for targets y.

    Integer y are class codes. The baseline predicts from `y_grown_on`, the targets of the training rows. Both
    count by their weights, where there are some.
    """
    if np.issubdtype(y.dtype, np.integer):
        guess = baseline_shares(y_grown_on, predicted.shape[1], len(y), weight_grown_on)
        return Scored(class_scores(y, predicted, weight=weight), class_scores(y, guess, weight=weight))
    mean = np.full(len(y), weighted_mean(y_grown_on, weight_grown_on))
    return Scored(mean_scores(y, predicted[:, 0], weight), mean_scores(y, mean, weight))


def confusion(
    y: np.ndarray, predicted: np.ndarray, n_classes: int, weight: np.ndarray | None = None
) -> np.ndarray:
    """Return the confusion matrix, (n_classes, n_classes): [true, predicted]; counts of rows, or their weight."""
    cells = class_sizes(y * n_classes + predicted, n_classes * n_classes, weight)
    return cells.reshape(n_classes, n_classes)
