"""A boosted sum round by round: its scores, the residuals that the next trees learn from, and its loss.

Friedman (2001), algorithms 2, 5 and 6; Hastie, Tibshirani & Friedman (ESL), algorithms 10.3 and 10.4.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from espalier.predict import check_sum, linked, shares, through_link
from espalier.trees import Forest

LEAST_SHARE = 1e-15  # of a class, so that its logarithm is finite


def stages(forest: Forest, X: np.ndarray, trees_a_round: int) -> np.ndarray:
    """Return the scores before the first round and after each, (n_rounds + 1, n_samples, n_scores) float64.

    X is (n_samples, n_features). Raises ValueError for a forest that is no sum.

    >>> from espalier.data import samples
    >>> from espalier.learners import GradientBoostingRegressor
    >>> sine = samples.load("sine")
    >>> model = GradientBoostingRegressor(n_estimators=3).fit(sine.X, sine.y)
    >>> stages(model.forest_, sine.X, 1).shape == (4, len(sine.y), 1)
    True
    """
    check_sum(forest)
    X = np.asfortranarray(X, dtype=np.float64)
    n_rounds = forest.n_trees // trees_a_round
    score = np.empty((n_rounds + 1, len(X), len(forest.start)))
    score[0] = forest.start
    for number in range(n_rounds):
        score[number + 1] = score[number]
        for tree in forest.trees[number * trees_a_round : (number + 1) * trees_a_round]:
            score[number + 1] += shares(tree, X)
    return score


def predicted(forest: Forest, score: np.ndarray) -> np.ndarray:
    """Return the class shares or numbers, (n_samples, n_outputs), that scores (n_samples, n_scores) predict."""
    return linked(forest._replace(start=np.zeros(len(forest.start))), score)


def residuals(forest: Forest, score: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the parts of the targets y that scores (n_samples, n_scores) leave over, in their shape.

    For numbers these are the target minus the prediction, for classes 1 for the class of the sample and 0 for
    others, minus the predicted share; the log odds of two classes have those of the second. They are the negative
    gradients of the loss, but for the absolute error, whose gradients are their signs.

    >>> from espalier.trees import make_sum, make_tree
    >>> leaf = make_tree([-1], [np.nan], [-1], [-1], [0], [False], [4], [4.0], [[0.0]], [0.0])
    >>> even = make_sum([leaf], [0.0], "logistic", [0.5, 0.5])
    >>> residuals(even, np.zeros((2, 1)), np.array([0, 1])).tolist()
    [[-0.5], [0.5]]
    """
    prediction = predicted(forest, score)
    if forest.link in ("identity", "log"):
        return y[:, None] - prediction
    if forest.link == "logistic":
        return y[:, None] - prediction[:, 1:]
    return np.eye(prediction.shape[1])[y.astype(np.int64)] - prediction


def losses(
    forest: Forest, score: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None, loss: str = "squared_error"
) -> np.ndarray:
    """Return the mean loss at scores (n_rounds + 1, n_samples, n_scores), (n_rounds + 1,).

    Of numbers the squared or absolute error or half the Poisson deviance, as `loss` says, which is that of a
    `GradientBoostingRegressor`; of classes the log loss (natural logarithm). A mean by `weight` (n_samples,) where
    samples do not count the same.
    """
    if forest.link in ("identity", "log"):
        each = _of_numbers(y, through_link(score[:, :, 0], forest.link), loss)
        return np.average(each, axis=1, weights=weight)
    rows, right = np.arange(len(y)), y.astype(np.int64)
    of_right = [predicted(forest, stage)[rows, right] for stage in score]
    return np.average(-np.log(np.maximum(of_right, LEAST_SHARE)), axis=1, weights=weight)


def _of_numbers(y: np.ndarray, predicted: np.ndarray, loss: str) -> np.ndarray:
    """Return the loss of each prediction, (n_rounds + 1, n_samples)."""
    if loss == "poisson":
        return xlogy(y, y / predicted) - y + predicted
    off = np.abs(predicted - y)
    return off if loss == "absolute_error" else off**2
