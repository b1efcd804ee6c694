"""Scores of predictions, each beside that of a baseline that uses no features."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
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
    predicted = winners(shares) if prediction is None else prediction
    if weight is not None:
        counts = weight > 0
        y, shares, predicted, weight = y[counts], shares[counts], predicted[counts], weight[counts]
    if not len(y):
        return ClassScores(0, *[NOT_DEFINED] * 5)
    present = np.unique(y)
    recalls = [weighted_mean(predicted[y == k] == k, _part(weight, y == k)) for k in present]
    return ClassScores(
        len(y),
        float(metrics.accuracy_score(y, predicted, sample_weight=weight)),
        float(np.mean(recalls)),
        _auc(y, shares, present, weight),
        _log_loss(y, shares, weight),
        weighted_mean(np.sum((shares - np.eye(shares.shape[1])[y]) ** 2, axis=1), weight),
    )


def _part(weight: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if weight is None else weight[rows]


def _auc(y: np.ndarray, shares: np.ndarray, present: np.ndarray, weight: np.ndarray | None) -> float:
    if len(present) < 2:
        return NOT_DEFINED
    if shares.shape[1] == 2:
        return float(metrics.roc_auc_score(y, shares[:, 1], sample_weight=weight))
    each = [metrics.roc_auc_score(y == k, shares[:, k], sample_weight=weight) for k in present]
    return float(np.mean(each))


def _log_loss(y: np.ndarray, shares: np.ndarray, weight: np.ndarray | None) -> float:
    # A share of 0 would cost infinity: as in scikit-learn it counts as float64's relative precision.
    tiny = np.finfo(np.float64).eps
    loss = -np.log(np.maximum(shares[np.arange(len(y)), y], tiny))
    return weighted_mean(loss, weight) + 0.0  # never −0


def mean_scores(y: np.ndarray, predicted: np.ndarray, weight: np.ndarray | None = None) -> MeanScores:
    """Return the scores of predictions (n_samples,) for targets y (n_samples,), by `weight` as in `class_scores`.

    >>> import numpy as np
    >>> mean_scores(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])).r2
    0.5
    """
    if weight is not None:
        counts = weight > 0
        y, predicted, weight = y[counts], predicted[counts], weight[counts]
    if not len(y):
        return MeanScores(0, *[NOT_DEFINED] * 5)
    varies = len(y) > 1 and y.min() < y.max()
    return MeanScores(
        len(y),
        float(metrics.r2_score(y, predicted, sample_weight=weight)) if varies else NOT_DEFINED,
        float(metrics.root_mean_squared_error(y, predicted, sample_weight=weight)),
        float(metrics.mean_absolute_error(y, predicted, sample_weight=weight)),
        float(metrics.d2_absolute_error_score(y, predicted, sample_weight=weight)) if varies else NOT_DEFINED,
        _d2_poisson(y, predicted, weight) if varies else NOT_DEFINED,
    )


def _d2_poisson(y: np.ndarray, predicted: np.ndarray, weight: np.ndarray | None) -> float:
    if y.min() < 0 or predicted.min() <= 0:
        return NOT_DEFINED
    return float(metrics.d2_tweedie_score(y, predicted, power=1, sample_weight=weight))


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
