"""What each feature adds to one prediction, in the units in which the parts add up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.explanation.scores import can_explain
from espalier.explanation.shapley import shapley_values
from espalier.trees import Forest

LOG_ODDS = ("logistic", "softmax")  # links of scores that are log odds


class PredictionParts(NamedTuple):
    """A prediction of one class, or of a number, taken apart: `base` plus the sum of `added`."""

    base: float
    added: np.ndarray  # (n_features,)
    link: (
        str  # "identity" if the parts are of a share, or of the number itself; else of the score before this link
    )


def prediction_parts(model: Any, x: np.ndarray, output: int) -> PredictionParts | None:
    """Return the Shapley values of one output of a model's prediction for x (n_features,); None if it has none.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=1).fit(iris.X, iris.y).tree_
    >>> parts = prediction_parts(tree, iris.X[0], 0)
    >>> round(parts.base, 3), parts.added.round(3).tolist(), parts.link
    (0.333, [0.0, 0.0, 0.667, 0.0], 'identity')
    """
    if model is None or not can_explain(model):
        return None
    found = shapley_values(model, x[np.newaxis])
    link = model.link if isinstance(model, Forest) else "identity"
    sign, column = (1.0, output)
    if link == "logistic":  # one score, that of class 1
        sign, column = (1.0 if output == 1 else -1.0), 0
    return PredictionParts(sign * float(found.base[column]), sign * found.added[0, :, column], link)
