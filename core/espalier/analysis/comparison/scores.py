"""Scores of predictions, each beside that of a baseline that uses no features."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from sklearn import metrics

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
    """Scores of a regression; R² is nan where the target does not vary."""

    n_samples: int
    r2: float
    rmse: float  # in the target's unit
    mae: float  # in the target's unit


LABELS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
    "log_loss": "log loss",
    "brier": "Brier score",
    "r2": "R²",
    "rmse": "RMSE",
    "mae": "MAE",
}
HIGHER_IS_BETTER = frozenset({"accuracy", "balanced_accuracy", "auc", "r2"})


def class_scores(y: np.ndarray, shares: np.ndarray, prediction: np.ndarray | None = None) -> ClassScores:
    """Scores of predicted class shares (n_samples, n_classes) for class codes y (n_samples,).

    `prediction` (n_samples,) are the predicted classes; None: the greatest shares, the first of equals.

    >>> import numpy as np
    >>> shares = np.array([[0.8, 0.2], [0.6, 0.4], [0.3, 0.7]])
    >>> round(class_scores(np.array([0, 1, 1]), shares).accuracy, 2)
    0.67
    """
    if not len(y):
        return ClassScores(0, *[NOT_DEFINED] * 5)
    predicted = winners(shares) if prediction is None else prediction
    present = np.unique(y)
    recalls = [float(np.mean(predicted[y == k] == k)) for k in present]
    return ClassScores(
        len(y),
        float(metrics.accuracy_score(y, predicted)),
        float(np.mean(recalls)),
        _auc(y, shares, present),
        _log_loss(y, shares),
        float(np.mean(np.sum((shares - np.eye(shares.shape[1])[y]) ** 2, axis=1))),
    )


def _auc(y: np.ndarray, shares: np.ndarray, present: np.ndarray) -> float:
    if len(present) < 2:
        return NOT_DEFINED
    if shares.shape[1] == 2:
        return float(metrics.roc_auc_score(y, shares[:, 1]))
    return float(np.mean([metrics.roc_auc_score(y == k, shares[:, k]) for k in present]))


def _log_loss(y: np.ndarray, shares: np.ndarray) -> float:
    # A share of 0 would cost infinity: as in scikit-learn it counts as float64's relative precision.
    tiny = np.finfo(np.float64).eps
    return float(np.mean(-np.log(np.maximum(shares[np.arange(len(y)), y], tiny)))) + 0.0  # never −0


def mean_scores(y: np.ndarray, predicted: np.ndarray) -> MeanScores:
    """Return the scores of predictions (n_samples,) for targets y (n_samples,).

    >>> import numpy as np
    >>> mean_scores(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])).r2
    0.5
    """
    if not len(y):
        return MeanScores(0, *[NOT_DEFINED] * 3)
    varies = len(y) > 1 and y.min() < y.max()
    return MeanScores(
        len(y),
        float(metrics.r2_score(y, predicted)) if varies else NOT_DEFINED,
        float(metrics.root_mean_squared_error(y, predicted)),
        float(metrics.mean_absolute_error(y, predicted)),
    )


def baseline_shares(y_grown_on: np.ndarray, n_classes: int, n_samples: int) -> np.ndarray:
    """Return the class shares of the training rows for every sample, (n_samples, n_classes)."""
    counts = np.bincount(y_grown_on, minlength=n_classes)
    return np.tile(counts / max(counts.sum(), 1), (n_samples, 1))


class Scored(NamedTuple):
    """Scores of a tree and of the baseline: the training rows' class shares, or their mean."""

    tree: ClassScores | MeanScores
    baseline: ClassScores | MeanScores


def scored(y: np.ndarray, predicted: np.ndarray, y_grown_on: np.ndarray) -> Scored:
    """Scores of `predicted` (n_samples, n_outputs; from `espalier.predict.shares`) for targets y.

    Integer y are class codes. The baseline predicts from `y_grown_on`, the targets of the training rows.
    """
    if np.issubdtype(y.dtype, np.integer):
        guess = baseline_shares(y_grown_on, predicted.shape[1], len(y))
        return Scored(class_scores(y, predicted), class_scores(y, guess))
    mean = np.full(len(y), y_grown_on.mean())
    return Scored(mean_scores(y, predicted[:, 0]), mean_scores(y, mean))


def confusion(y: np.ndarray, predicted: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the confusion matrix, (n_classes, n_classes) int64: [true, predicted]."""
    cells = np.bincount(y * n_classes + predicted, minlength=n_classes * n_classes)
    return cells.reshape(n_classes, n_classes)
