"""Scores of models on part of each fold's rows, where a fitted model meets others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from espalier.comparison.cross_validation import Tried, Validated, scored
from espalier.data.dataset import Dataset
from espalier.data.rows.folds import folds_of


def rescored(validated: Validated, dataset: Dataset, among: np.ndarray) -> Validated:
    """Return the same model with its scores on those rows of each fold that are among (n_samples,) bool.

    Of the first repeat, whose predictions are at hand; a fold without such a row is left out. Of a fitted model
    that was asked about all rows at once, it makes a score for each fold.

    >>> import numpy as np
    >>> from espalier.comparison.cross_validation import validate
    >>> from espalier.data import samples
    >>> from espalier.data.rows.folds import Folds
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> found = validate(CartClassifier(max_depth=2), iris, Folds(n_folds=3))
    >>> rescored(found, iris, np.arange(150) < 100).scores("accuracy").round(2).tolist()
    [1.0, 1.0, 0.85]
    """
    return validated._replace(tried=tuple(_tried(validated, dataset, among)))


def _tried(validated: Validated, dataset: Dataset, among: np.ndarray) -> Iterator[Tried]:
    asked = among & np.isfinite(validated.predicted).all(axis=1)
    first = validated.tried[0]
    for fold in folds_of(dataset, validated.plan)[: validated.plan.n_folds]:
        rows = fold.rows[asked[fold.rows]]
        if len(rows):
            scores = scored(dataset, rows, validated.predicted[rows], _prediction(validated, rows))
            yield first._replace(number=fold.number, scores=scores)


def _prediction(validated: Validated, rows: np.ndarray) -> np.ndarray:
    return validated.predicted[rows].argmax(axis=1) if validated.prediction is None else validated.prediction[rows]
