"""How closely a tree follows the model that it approximates, at every depth.

Zhou & Hooker (2016, section 4) use both measures: by class probabilities and by class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment

from espalier.data.dataset import Dataset
from espalier.data.weights import RowWeights, class_sizes, weighted_mean
from espalier.kernels.forest.out_of_bag import NO_PRIOR
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.black_boxes.onnx import OnnxModel
from espalier.learners.imports.in_table import TableForest
from espalier.predict import shares
from espalier.ties import winners
from espalier.trees import Tree, depths, prune_to

ADDS = 0.02  # of the distance of a tree without splits: levels that reduce it by less are not worth reading


class Fidelity(NamedTuple):
    """Fidelity of a tree to a model on some rows."""

    n_samples: int
    # L1: half of the sum over the classes of the differences of class shares (for two classes the difference of
    # either share); of numbers the mean absolute difference. Lower is better, 0 the same.
    distance: float
    # share of rows of the same class; for regression R², nan if the model's predictions do not vary
    agreement: float


class FidelityLevel(NamedTuple):
    """The tree cut off at a depth."""

    depth: int
    n_leaves: int
    fidelity: Fidelity


def fidelity(
    model_says: np.ndarray,
    tree_says: np.ndarray,
    is_classification: bool,
    prior: np.ndarray = NO_PRIOR,
    weight: np.ndarray | None = None,
) -> Fidelity:
    """Return the fidelity for class shares (n, n_classes), or numbers (n, 1); nan without rows.

    The prior breaks the model's ties (`espalier.ties.prior_of`). Rows count by `weight` (n,), or all the same.

    >>> import numpy as np
    >>> model, tree = np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[0.8, 0.2], [0.6, 0.4]])
    >>> fidelity(model, tree, is_classification=True).agreement
    0.5
    """
    n = len(model_says)
    if not n:
        return Fidelity(0, math.nan, math.nan)
    apart = np.abs(model_says - tree_says).sum(axis=1)
    if is_classification:
        same = winners(model_says, prior) == winners(tree_says)
        return Fidelity(n, weighted_mean(apart, weight) / 2, weighted_mean(same, weight))
    return Fidelity(n, weighted_mean(apart, weight), r2(model_says[:, 0], tree_says[:, 0], weight))


def r2(answers: np.ndarray, predicted: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Return the share of the variance of answers (n,) that predictions (n,) explain; nan if they do not vary."""
    weight = np.ones(len(answers)) if weight is None else weight
    spread = float((weight * (answers - weighted_mean(answers, weight)) ** 2).sum())
    return 1 - float((weight * (answers - predicted) ** 2).sum()) / spread if spread > 0 else math.nan


def cut(tree: Tree, depth: int) -> Tree:
    """Cut the tree off at `depth`; nodes there predict as within the whole tree."""
    return prune_to(tree, depths(tree) < depth)


def by_depth(
    tree: Tree,
    X: np.ndarray,
    model_says: np.ndarray,
    is_classification: bool,
    prior: np.ndarray = NO_PRIOR,
    weight: np.ndarray | None = None,
) -> list[FidelityLevel]:
    """`fidelity` on rows X (n, n_features) of the tree cut off at every depth from 0, a lone root, to its own."""
    levels = []
    for depth in range(tree.depth + 1):
        part = cut(tree, depth)
        closeness = fidelity(model_says, shares(part, X), is_classification, prior, weight)
        levels.append(FidelityLevel(depth, part.n_leaves, closeness))
    return levels


def enough(levels: Sequence[FidelityLevel], adds: float = ADDS) -> int:
    """Return the least depth below which all levels together reduce the distance by less than `adds`.

    Measured in parts of the distance at depth 0. The deepest level if none qualifies.
    """
    distance = [level.fidelity.distance for level in levels]
    for depth, here in enumerate(distance):
        if here - min(distance[depth:]) <= adds * distance[0]:
            return depth
    return len(levels) - 1


class OfClass(NamedTuple):
    """Agreement on the rows that the model assigns to one class."""

    n_samples: int
    agreement: float  # share of them that the tree assigns to the same class; nan without rows


def by_class(
    model_says: np.ndarray, tree_says: np.ndarray, prior: np.ndarray = NO_PRIOR, weight: np.ndarray | None = None
) -> list[OfClass]:
    """Return for every class of the shares (n, n_classes) how often the tree agrees with the model, by weight."""
    model, tree = winners(model_says, prior), winners(tree_says)
    classes = []
    for k in range(model_says.shape[1]):
        same = tree[model == k] == k
        classes.append(OfClass(len(same), weighted_mean(same, None if weight is None else weight[model == k])))
    return classes


# ---- find the order of an uploaded model's classes and columns, if its file does not name them

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
