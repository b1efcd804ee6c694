"""In which order an uploaded model has its classes and columns, where its file does not name them.

A tensor has no names: a model of malignant = 1 says of benign = 1 the opposite, and nobody is told. The targets of
the table know better: of the orders that people use the one is taken in which the model is right most often.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment

from espalier.analysis.approximation.fidelity import r2
from espalier.data.dataset import Dataset
from espalier.learners.black_boxes.onnx import OnnxModel

MOST_ROWS = 2_000  # that an order is judged by
MARGIN = 0.02  # by how much another order of the columns must be better than the table's own to be taken
Order: TypeAlias = "tuple[int, ...]"


class Arranged(NamedTuple):
    """The orders that were taken, and how well they suit: which of the table's the model's j-th is."""

    classes: Order
    columns: Order
    may_classes: bool  # whether there is anything to choose: the file names none, and there are two or more
    may_columns: bool
    n_rows: int  # judged by
    right: float  # share of them for which the model is right; of numbers R²
    as_table: float  # the same if classes and columns stood in the table's own order
    baseline: float  # of always saying the most frequent class; of numbers 0: always the mean

    @property
    def is_useless(self) -> bool:
        """Whether the model is no better than always saying the same, by more than chance may do."""
        chance = 2 * (self.baseline * (1 - self.baseline) / self.n_rows) ** 0.5  # two standard errors
        return not self.right > self.baseline + chance


def candidates(names: Sequence[str]) -> dict[str, Order]:
    """Orders of columns or classes that people use, by what they are called; each once."""
    n = len(names)
    known = (
        ("as in the table", tuple(range(n))),
        ("by the alphabet", tuple(sorted(range(n), key=lambda at: names[at]))),
        ("the other way round", tuple(reversed(range(n)))),
    )
    once = {order: name for name, order in reversed(known)}
    return {name: order for name, order in known if once[order] == name}


def arrange(
    model: OnnxModel, data: Dataset, classes: Order | None = None, columns: Order | None = None
) -> tuple[OnnxModel, Arranged]:
    """The model, its classes and columns in the orders given, or where None is, in those that suit best.

    Classes are matched one to one so that the model is right most often, of equals as they stand in the table;
    columns stand in the best of `candidates`. Raises ValueError for orders that are none, and as the model does.
    """
    rows = np.arange(0, len(data.y), len(data.y) // MOST_ROWS + 1)
    X, y = data.X[rows], data.y[rows]
    as_they_are = tuple(range(len(data.features)))
    may_columns = not model.names_columns and len(as_they_are) > 1
    tried = [columns or as_they_are]
    if columns is None and may_columns:
        tried = list(candidates([feature.name for feature in data.features]).values())
    judged = [_judged(model.arranged(columns=order) if may_columns else model, X, y, classes) for order in tried]
    best = max(range(len(tried)), key=lambda at: judged[at][0] - (MARGIN if at else 0.0))
    right, order_of_classes = judged[best]
    as_table = _score(model, X, y)
    may_classes = len(data.classes) > 1 and not model.names_classes  # known once it was asked
    taken = model.arranged(order_of_classes if may_classes else None, tried[best] if may_columns else None)
    facts = (len(rows), right, as_table, _baseline(data, y))
    return taken, Arranged(order_of_classes, tried[best], may_classes, may_columns, *facts)


def _judged(model: OnnxModel, X: np.ndarray, y: np.ndarray, classes: Order | None) -> tuple[float, Order]:
    """How well the model does with its classes in the best order, or in the one given; and that order."""
    if not hasattr(model, "predict_proba"):
        return _score(model, X, y), ()
    n = len(model.classes_)
    if model.names_classes:
        return _score(model, X, y), tuple(range(n))
    counts = np.zeros((n, n))  # [class of the model, class of the table]
    np.add.at(counts, (model.predict(X), y), 1)
    if classes is None:
        _, best = linear_sum_assignment(counts + 1e-6 * np.eye(n), maximize=True)
        classes = tuple(best.tolist())
    return float(counts[np.arange(n), list(classes)].sum() / len(y)), classes


def _score(model: OnnxModel, X: np.ndarray, y: np.ndarray) -> float:
    said = model.predict(X)
    return float(np.mean(said == y)) if hasattr(model, "predict_proba") else r2(y, said)


def _baseline(data: Dataset, y: np.ndarray) -> float:
    return float(np.bincount(y).max() / len(y)) if data.is_classification else 0.0
