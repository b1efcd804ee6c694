"""Why a model cannot learn the target of some data, in a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from espalier.data.dataset import Dataset
from espalier.learners.catalogue import Model
from espalier.views.theme import number
from pages.shared.app.frame import plain
from pages.shared.words import everywhere as words


def why_not(model: Model, dataset: Dataset, used: Callable[[], np.ndarray] | None = None) -> str:
    """Return why the model is not for the target, Markdown; "" where it is.

    `used`, (n_samples,) bool, says which rows it learns from, and is asked only where that matters; None: all.
    """
    target, is_classification = plain(dataset.target.name), dataset.is_classification
    if is_classification not in model.kind.serves:
        return words.not_for(is_classification, target)
    if is_classification or model.loss != "poisson":
        return ""
    if (dataset.y < 0).any():
        row = int(np.argmax(dataset.y < 0))
        return words.poisson_of_negative(target, plain(dataset.roles.name_of(row)), number(float(dataset.y[row])))
    y = dataset.y if used is None else dataset.y[used()]
    return "" if y.any() else words.poisson_of_nothing(target)
