"""Scores of predictions: each score beside that of a baseline, calibration, rates by class, and groups of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from sklearn import metrics

from espalier.data.dataset import Dataset, columns_of
from espalier.data.filters import Column, Condition, Filter
from espalier.data.roles import class_sizes, effective_size, weighted_mean
from espalier.predict import winners

NOT_DEFINED = math.nan  # written as "–"
Group = TypeVar("Group")


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
LOSS_OF_SCORE = {
    "d2_absolute": "absolute",
    "d2_poisson": "poisson",
}  # scores that belong to one loss, a `Model.loss`
PARTS_EXPLAINED = ("r2", *LOSS_OF_SCORE)  # parts of something: 1 is perfect, and there is no least one
HIGHER_IS_BETTER = frozenset({"accuracy", "balanced_accuracy", "auc", *PARTS_EXPLAINED})


def for_losses(names: Sequence[str], losses: Collection[str]) -> tuple[str, ...]:
    """Return the names of scores without those that belong to other losses than these.

    >>> for_losses(("r2", "d2_absolute", "d2_poisson"), {"squared", "poisson"})
    ('r2', 'd2_poisson')
    """
    return tuple(name for name in names if name not in LOSS_OF_SCORE or LOSS_OF_SCORE[name] in losses)


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
    rows = _counting_rows(y, shares, winners(shares) if prediction is None else prediction, weight)
    return ClassScores(len(rows.y), *_each(SCORES_OF_CLASSES, rows))


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
    rows = _counting_rows(y, answers, prediction, weight)
    if name not in LABELS:
        raise ValueError(f"there is no score {name!r}; choose one of {', '.join(LABELS)}")
    return {**SCORES_OF_CLASSES, **SCORES_OF_NUMBERS}[name](rows) if len(rows.y) else NOT_DEFINED


class CountingRows(NamedTuple):
    """Answers to samples that count, beside the truth."""

    y: np.ndarray  # (n_samples,)
    shares: np.ndarray  # (n_samples, n_classes); where the target is a number (n_samples, 1)
    prediction: np.ndarray  # (n_samples,)
    weight: np.ndarray | None  # (n_samples,), none of them 0


def _counting_rows(
    y: np.ndarray, shares: np.ndarray, prediction: np.ndarray, weight: np.ndarray | None
) -> CountingRows:
    if weight is None:
        return CountingRows(y, shares, prediction, None)
    counts = weight > 0
    return CountingRows(y[counts], shares[counts], prediction[counts], weight[counts])


def _each(measures: Mapping[str, Callable[[CountingRows], float]], rows: CountingRows) -> list[float]:
    return [of(rows) if len(rows.y) else NOT_DEFINED for of in measures.values()]


def _accuracy(rows: CountingRows) -> float:
    return weighted_mean(rows.prediction == rows.y, rows.weight)


def _balanced_accuracy(rows: CountingRows) -> float:
    y, right, weight = rows.y, rows.prediction == rows.y, rows.weight
    return float(np.mean([weighted_mean(right[y == k], _part(weight, y == k)) for k in np.unique(y)]))


def _part(weight: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if weight is None else weight[rows]


def _auc(rows: CountingRows) -> float:
    y, shares, present = rows.y, rows.shares, np.unique(rows.y)
    if len(present) < 2:
        return NOT_DEFINED
    if shares.shape[1] == 2:
        return _area(y == 1, shares[:, 1], rows.weight)
    return float(np.mean([_area(y == k, shares[:, k], rows.weight) for k in present]))


def _area(is_one: np.ndarray, share: np.ndarray, weight: np.ndarray | None) -> float:
    """Return the area under the ROC curve: how often one has a greater share than another, ties half (Hanley &
    McNeil 1982)."""
    level = np.unique(share, return_inverse=True)[1]
    counts = np.ones(len(share)) if weight is None else weight
    ones, rest = (np.bincount(level, counts * rows) for rows in (is_one, ~is_one))
    below = np.cumsum(rest) - rest / 2
    return float(ones @ below / (ones.sum() * rest.sum()))


def _log_loss(rows: CountingRows) -> float:
    # A share of 0 would cost infinity: as in scikit-learn it counts as float64's relative precision.
    tiny = np.finfo(np.float64).eps
    loss = -np.log(np.maximum(rows.shares[np.arange(len(rows.y)), rows.y], tiny))
    return weighted_mean(loss, rows.weight) + 0.0  # never −0


def _brier(rows: CountingRows) -> float:
    gaps = rows.shares - np.eye(rows.shares.shape[1])[rows.y]
    return weighted_mean(np.sum(gaps**2, axis=1), rows.weight)


def mean_scores(y: np.ndarray, predicted: np.ndarray, weight: np.ndarray | None = None) -> MeanScores:
    """Return the scores of predictions (n_samples,) for targets y (n_samples,), by `weight` as in `class_scores`.

    >>> import numpy as np
    >>> mean_scores(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])).r2
    0.5
    """
    rows = _counting_rows(y, predicted[:, None], predicted, weight)
    return MeanScores(len(rows.y), *_each(SCORES_OF_NUMBERS, rows))


def _number_metric(metric: Callable[..., float], rows: CountingRows, **options: float) -> float:
    return float(metric(rows.y, rows.prediction, sample_weight=rows.weight, **options))


def _explained_part(metric: Callable[..., float], rows: CountingRows, **options: float) -> float:
    varies = len(rows.y) > 1 and rows.y.min() < rows.y.max()
    return _number_metric(metric, rows, **options) if varies else NOT_DEFINED


def _d2_poisson(rows: CountingRows) -> float:
    if rows.y.min() < 0 or rows.prediction.min() <= 0:
        return NOT_DEFINED
    return _explained_part(metrics.d2_tweedie_score, rows, power=1)


SCORES_OF_CLASSES: Mapping[str, Callable[[CountingRows], float]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "auc": _auc,
    "log_loss": _log_loss,
    "brier": _brier,
}
SCORES_OF_NUMBERS: Mapping[str, Callable[[CountingRows], float]] = {
    "r2": partial(_explained_part, metrics.r2_score),
    "rmse": partial(_number_metric, metrics.root_mean_squared_error),
    "mae": partial(_number_metric, metrics.mean_absolute_error),
    "d2_absolute": partial(_explained_part, metrics.d2_absolute_error_score),
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


def paired_scores(
    y: np.ndarray,
    predicted: np.ndarray,
    y_grown_on: np.ndarray,
    weight: np.ndarray | None = None,
    weight_grown_on: np.ndarray | None = None,
) -> tuple[ClassScores | MeanScores, ClassScores | MeanScores]:
    """Return scores of `predicted` (n_samples, n_outputs; from `espalier.predict.shares`), and of the baseline.

    Integer targets y are class codes. The baseline predicts the class shares of `y_grown_on`, the targets of the
    training rows, or their mean. Both count by their weights, where there are some.
    """
    if np.issubdtype(y.dtype, np.integer):
        guess = baseline_shares(y_grown_on, predicted.shape[1], len(y), weight_grown_on)
        return class_scores(y, predicted, weight=weight), class_scores(y, guess, weight=weight)
    mean = np.full(len(y), weighted_mean(y_grown_on, weight_grown_on))
    return mean_scores(y, predicted[:, 0], weight), mean_scores(y, mean, weight)


def confusion(
    y: np.ndarray, predicted: np.ndarray, n_classes: int, weight: np.ndarray | None = None
) -> np.ndarray:
    """Return the confusion matrix, (n_classes, n_classes): [true, predicted]; counts of rows, or their weight."""
    cells = class_sizes(y * n_classes + predicted, n_classes * n_classes, weight)
    return cells.reshape(n_classes, n_classes)


# ---- calibration: of the rows that a model gives 80 %, are 80 % of that class?

Z = 1.959963984540054  # of a 95 % interval


def wilson(share: np.ndarray, n: np.ndarray, z: float = Z) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the interval of a share of n rows, from 0 to 1; arrays of any shape.

    It is that of 95 %, or of the level whose normal quantile is `z`.

    >>> low, high = wilson(np.array([0.3]), np.array([20]))
    >>> low.round(2), high.round(2)
    (array([0.15]), array([0.52]))
    """
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


N_BINS = 10


class Calibration(NamedTuple):
    """Bins of equal width over the shares, without the empty ones."""

    predicted_share: np.ndarray  # (n_bins,) mean predicted share
    observed_share: np.ndarray  # (n_bins,) observed share
    low: np.ndarray  # (n_bins,) Wilson's interval of the observed share
    high: np.ndarray  # (n_bins,)
    n: np.ndarray  # (n_bins,) int64 rows
    weight: np.ndarray  # (n_bins,) float64: of these rows; their number, if all count the same

    @property
    def error(self) -> float:
        """Mean gap between predicted and observed share, over rows (expected calibration error)."""
        if not len(self.n):
            return math.nan
        return float(np.average(np.abs(self.predicted_share - self.observed_share), weights=self.weight))


def calibration(
    y: np.ndarray,
    shares: np.ndarray,
    which: int | None = None,
    prediction: np.ndarray | None = None,
    weight: np.ndarray | None = None,
) -> Calibration:
    """Return the calibration of shares (n_samples, n_classes) for class codes y (n_samples,).

    Rows with nan are left out, and those of `weight` (n_samples,) 0. Intervals take as many rows as the weights
    are worth (Kish 1965).

    `which` is the class in question; None: the predicted class of each row, from `prediction` (n_samples,) if
    given, else the one with the greatest share, the first of equals.

    >>> import numpy as np
    >>> shares = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]])
    >>> calibration(np.array([0, 0, 1]), shares, which=1).observed_share
    array([0., 1.])
    """
    weight = np.ones(len(y)) if weight is None else weight
    shares = np.where(weight[:, None] > 0, shares, np.nan)
    share, is_so = class_shares(y, shares, which, prediction)
    weight = weight[~np.isnan(shares).any(axis=1)]
    place = np.minimum((share * N_BINS).astype(np.int64), N_BINS - 1)
    count = np.bincount(place, minlength=N_BINS)
    bins = np.flatnonzero(count)
    total = np.bincount(place, weight, N_BINS)[bins]
    predicted_share = np.bincount(place, share * weight, N_BINS)[bins] / total
    observed_share = np.bincount(place, is_so * weight, N_BINS)[bins] / total
    worth = np.array([effective_size(weight[place == bin_]) for bin_ in bins])
    low, high = wilson(observed_share, worth)
    return Calibration(predicted_share, observed_share, low, high, count[bins], total)


def class_shares(
    y: np.ndarray, shares: np.ndarray, which: int | None, prediction: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of the class in question, (n,), and whether it is the row's class, (n,) bool."""
    rows = np.flatnonzero(~np.isnan(shares).any(axis=1))
    shares, y = shares[rows], y[rows]
    which_class = winners(shares) if prediction is None else prediction[rows]
    which_class = which_class if which is None else np.full(len(rows), which)
    return shares[np.arange(len(rows)), which_class], y == which_class


def roc(
    y: np.ndarray, shares: np.ndarray, which: int, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Return the ROC curve of one class against the rest, and the area under it; None if all rows are alike.

    The curve is the share of the other rows that are false alarms, ascending from 0 to 1, and that of the rows of
    the class that are caught, (n,) each, as the threshold decreases. Rows count by `weight`.
    """
    if weight is not None:
        shares = np.where(weight[:, None] > 0, shares, np.nan)
        weight = weight[~np.isnan(shares).any(axis=1)]
    share, is_so = class_shares(y, shares, which)
    if is_so.all() or not is_so.any():
        return None
    false_alarms, hits, _ = metrics.roc_curve(is_so, share, sample_weight=weight)
    return false_alarms, hits, float(metrics.roc_auc_score(is_so, share, sample_weight=weight))


# ---- the groups of the rows by a column: its categories, or ranges of its numbers

MOST_GROUPS = 8  # the largest ones of a column
N_RANGES = 3  # of a column of numbers


class Subgroup(NamedTuple):
    """Rows of one group of a column."""

    rows: Filter
    taken: np.ndarray  # (n_samples,) bool: rows of the group


class Subgroups(NamedTuple, Generic[Group]):
    """The groups of a column, or what is known of each, without those beyond `MOST_GROUPS`."""

    groups: tuple[Group, ...]  # in the order of the column's values; rows without a value last
    n_others: int  # smaller groups that are left out


def subgroups(
    dataset: Dataset, column: str, n_ranges: int = N_RANGES, cuts: Sequence[float] = ()
) -> Subgroups[Subgroup]:
    """Return the groups of the rows by a column (`espalier.data.dataset.columns_of`).

    Each category is a group, and each value of a number that has no more than `n_ranges`; other numbers are cut
    into so many ranges of about as many rows each (quantiles), or at `cuts`, ascending: up to the first, above it
    up to the next, and so on. Rows without a value are a group, too. Of more than `MOST_GROUPS` the largest stay.
    Raises FilterError for a column that there is not.

    >>> from espalier.data import samples
    >>> [one.rows.words for one in subgroups(samples.load("iris"), "petal length").groups]
    ['petal length ≤ 1.9', '1.9 < petal length ≤ 4.9', 'petal length > 4.9']
    >>> [one.rows.words for one in subgroups(samples.load("iris"), "petal length", cuts=(2.5,)).groups]
    ['petal length ≤ 2.5', 'petal length > 2.5']
    """
    columns = columns_of(dataset)
    if column not in columns:
        Condition(column, "in", missing=True).mask(columns)  # raises
    there = columns[column]
    conditions = _categories(column, there) if there.categories else _numbers(column, there, n_ranges, cuts)
    conditions.append((Condition(column, "in", missing=True),))
    every = [Subgroup(rule, rule.mask(columns, len(dataset.y))) for rule in (Filter((c,)) for c in conditions)]
    every = [group for group in every if group.taken.any()]
    sizes = np.array([group.taken.sum() for group in every])
    largest = np.sort(np.argsort(-sizes, kind="stable")[:MOST_GROUPS])
    return Subgroups(tuple(every[i] for i in largest), len(every) - len(largest))


def _categories(name: str, column: Column) -> list[tuple[Condition, ...]]:
    return [(Condition(name, "in", (category,)),) for category in column.categories if category]


def _numbers(name: str, column: Column, n_ranges: int, cuts: Sequence[float]) -> list[tuple[Condition, ...]]:
    finite = column.values[~np.isnan(column.values)]
    values = np.unique(finite)
    if len(values) <= n_ranges and not len(cuts):
        return [(Condition(name, "in", (column.text(float(value)),)),) for value in values]
    quantiles = (
        np.quantile(finite, np.arange(1, n_ranges) / n_ranges, method="inverted_cdf") if len(finite) else []
    )
    ends = np.unique(cuts if len(cuts) else quantiles)
    texts = [column.text(float(end)) for end in ends if len(cuts) or end < values[-1]]
    above = [(), *((Condition(name, "gt", (text,)),) for text in texts)]
    at_most = [*((Condition(name, "le", (text,)),) for text in texts), ()]
    return [low + high for low, high in zip(above, at_most, strict=True)]
