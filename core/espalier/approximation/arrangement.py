"""Find the order of an uploaded model's classes and columns, if its file does not name them.

A tensor has no names: a model with malignant = 1 predicts the opposite of one with benign = 1, without notice. The
targets of the table decide: of the usual orders, the one with the most correct predictions is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment

from espalier.approximation.fidelity import r2
from espalier.data.dataset import Dataset
from espalier.data.weights import RowWeights, class_sizes, weighted_mean
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.black_boxes.onnx import OnnxModel
from espalier.learners.imports.in_table import TableForest

MOST_ROWS = 2_000  # that judge an order
MARGIN = 0.02  # an order of the columns is taken if it is better than the table's own by this much
Order: TypeAlias = "tuple[int, ...]"
OwnModel: TypeAlias = "OnnxModel | TableForest"


class Arranged(NamedTuple):
    """The chosen orders (entry j: the table's number of the model's j-th) and their accuracy."""

    classes: Order
    columns: Order
    may_classes: bool  # whether there is a choice: the file names none, and there are two or more
    may_columns: bool
    n_rows: int  # rows that judged the order
    right: float  # share of correct predictions; R² for regression
    as_table: float  # the same with classes and columns in the table's own order
    baseline: float  # of the most frequent class; 0 for regression, whose baseline is the mean
    notes: tuple[Phrase, ...] = ()  # on what of the file is not used, and on unknown categories

    @property
    def is_useless(self) -> bool:
        """Whether the model is no better than a constant prediction, beyond chance."""
        chance = 2 * (self.baseline * (1 - self.baseline) / self.n_rows) ** 0.5  # two standard errors
        return not self.right > self.baseline + chance


def candidates(names: Sequence[str]) -> dict[str, Order]:
    """Return the usual orders of columns or classes, each once, with their names."""
    n = len(names)
    known = (
        (to_say("as in the table"), tuple(range(n))),
        (to_say("by the alphabet"), tuple(sorted(range(n), key=lambda at: names[at]))),
        (to_say("the other way round"), tuple(reversed(range(n)))),
    )
    once = {order: name for name, order in reversed(known)}
    return {name: order for name, order in known if once[order] == name}


def arrange(
    model: OwnModel, data: Dataset, classes: Order | None = None, columns: Order | None = None
) -> tuple[OwnModel, Arranged]:
    """Return the model with classes and columns in the given orders, or in the best ones (None).

    Classes are matched one to one so that most predictions are correct, of equals in the table's order; columns
    are in the best of `candidates`. Raises ValueError for invalid orders, and as the model does.
    """
    rows = np.arange(0, len(data.y), len(data.y) // MOST_ROWS + 1)
    judges = data._replace(X=data.X[rows], y=data.y[rows], row_weights=_some_weights(data, rows))
    as_they_are = tuple(range(len(data.features)))
    may_columns = not model.names_columns and len(as_they_are) > 1
    tried = [columns or as_they_are]
    if columns is None and may_columns:
        names = [feature.name for feature in data.features]
        tried = [order for order in candidates(names).values() if _may_be(model, order)]
    judged = [_judged(model.arranged(columns=order) if may_columns else model, judges, classes) for order in tried]
    best = max(range(len(tried)), key=lambda at: judged[at][0] - (MARGIN if at else 0.0))
    right, order_of_classes = judged[best]
    as_table = _score(model, judges)
    may_classes = len(data.classes) > 1 and not model.names_classes  # known after the first prediction
    taken = model.arranged(order_of_classes if may_classes else None, tried[best] if may_columns else None)
    facts = (len(rows), right, as_table, _baseline(judges), getattr(taken, "notes", ()))
    return taken, Arranged(order_of_classes, tried[best], may_classes, may_columns, *facts)


def _may_be(model: OwnModel, columns: Order) -> bool:
    """Return whether the model can take the columns in this order: not where its words would meet numbers."""
    try:
        model.arranged(columns=columns)
    except Refusal:
        return False
    return True


def _some_weights(data: Dataset, rows: np.ndarray) -> RowWeights | None:
    return None if data.row_weights is None else data.row_weights._replace(values=data.row_weights.values[rows])


def _judged(model: OwnModel, judges: Dataset, classes: Order | None) -> tuple[float, Order]:
    """Return the model's accuracy with its classes in the best order, or in the given one; and that order."""
    if not hasattr(model, "predict_proba"):
        return _score(model, judges), ()
    n = len(model.classes_)
    if model.names_classes:
        return _score(model, judges), tuple(range(n))
    counts = np.zeros((n, n))  # [class of the model, class of the table]
    weight = np.ones(len(judges.y)) if judges.weights is None else judges.weights
    np.add.at(counts, (model.predict(judges.X), judges.y), weight)
    if classes is None:
        _, best = linear_sum_assignment(counts + 1e-6 * np.eye(n), maximize=True)
        classes = tuple(best.tolist())
    return float(counts[np.arange(n), list(classes)].sum() / weight.sum()), classes


def _score(model: OwnModel, judges: Dataset) -> float:
    predicted, (y, weight) = model.predict(judges.X), (judges.y, judges.weights)
    return weighted_mean(predicted == y, weight) if hasattr(model, "predict_proba") else r2(y, predicted, weight)


def _baseline(judges: Dataset) -> float:
    if not judges.is_classification:
        return 0.0
    sizes = class_sizes(judges.y, 1, judges.weights)
    return float(sizes.max() / sizes.sum())
