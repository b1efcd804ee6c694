"""The model to approximate, evaluated in batches: anything with `predict_proba` or `predict`, or a function."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from espalier.kernels.forest.packed import pack_forest, rows_of
from espalier.kinds import are_boxes
from espalier.language import Refusal
from espalier.learners.approximation.asking import Asking, Present
from espalier.learners.base import check_targets
from espalier.learners.forests.predictor import ForestPredictor
from espalier.learners.imports.scikit_learn import read_sklearn
from espalier.trees import Forest, Tree, make_forest, read_only

Ask: TypeAlias = "Callable[[np.ndarray], Any]"
Reading: TypeAlias = "Callable[[Any], np.ndarray]"  # what a model says → (n, n_outputs): class shares, or numbers
SAME = 1e-6  # labels that differ by less are equal up to rounding
SUMS_TO_ONE = 1e-3  # largest deviation of a model's class shares from a sum of one


class Oracle:
    """Model predictions as points (labels) for the kernels; distances are those between predictions.

    Class shares (n, k) sum to one, so k - 1 coordinates hold them; numbers are centred and scaled.
    """

    def __init__(self, ask: Ask, coding: Coding, reading: Reading = np.asarray):
        self.ask, self.coding, self.reading = ask, coding, reading
        self._predictor: ForestPredictor | None = None
        self.seconds = 0.0
        self.n_asked = 0

    def answer(self, rows: np.ndarray) -> np.ndarray:
        """Return the class shares, or numbers, (n, n_outputs) float64 of rows (n, n_features).

        Raises ValueError for unusable predictions.
        """
        return self.reading(self.ask(rows))

    def labels(self, rows: np.ndarray) -> np.ndarray:
        """Return the labels (n, n_targets) float64 of rows (n, n_features).

        Raises ValueError for unusable predictions.
        """
        began = time.perf_counter()
        labels = self._predictor.sums(rows_of(rows)) if self._predictor else self.coding.coded(self.answer(rows))
        self.seconds += time.perf_counter() - began
        self.n_asked += len(rows)
        return labels

    def labels_of(self, answers: Any, seconds: float) -> np.ndarray:
        """Return the labels of the model's answers, which took so many seconds; their rows count as asked."""
        labels = self.coding.coded(self.reading(answers))
        self.seconds += seconds
        self.n_asked += len(labels)
        return labels

    def shortcut(self, model: Any, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Bypass the estimator's validation if the fast path gives the same labels for X (n_samples, n_features).

        Forests and trees of this project have one, and those of scikit-learn, which become such. Returns the
        labels: its own if it is taken.
        """
        predictor = predictor_of(model)
        if predictor is None:
            return labels
        predictor = predictor.with_values(self.coding.coded(predictor.packed.value))
        if not np.allclose(predictor.sums(rows_of(X)), labels, rtol=0, atol=SAME):
            return labels
        self._predictor, self.seconds, self.n_asked = predictor, 0.0, 0
        return self.labels(X)


class Coding(NamedTuple):
    """Conversion between predictions (n, n_outputs) and labels (n, n_targets)."""

    offset: np.ndarray  # (n_outputs,) float64
    axes: np.ndarray  # (n_outputs, n_targets) float64: coordinates that keep distances up to `scale`
    scale: float

    @property
    def n_targets(self) -> int:
        """Number of coordinates of a label."""
        return self.axes.shape[1]

    def coded(self, predictions: np.ndarray) -> np.ndarray:
        """Return the labels (n, n_targets), C order, of predictions (n, n_outputs)."""
        return np.ascontiguousarray((predictions - self.offset) @ self.axes / self.scale)

    def plain(self, labels: np.ndarray) -> np.ndarray:
        """Return the predictions (n, n_outputs) of labels (n, n_targets)."""
        return labels @ self.axes.T * self.scale + self.offset


def coding_of_classes(n_classes: int) -> Coding:
    """Return the coding of class shares: the Helmert basis of all shares that sum to one."""
    axes = np.zeros((n_classes, n_classes - 1))
    for j in range(1, n_classes):
        axes[:j, j - 1] = -1 / np.sqrt(j * (j + 1))
        axes[j, j - 1] = j / np.sqrt(j * (j + 1))
    return Coding(np.full(n_classes, 1 / n_classes), axes, 1.0)


def coding_of_numbers(numbers: np.ndarray, weight: np.ndarray | None = None) -> Coding:
    """Return the coding that standardises numbers (n, 1) by weighted mean and deviation; weights are (n,)."""
    mean = float(np.average(numbers[:, 0], weights=weight))
    spread = float(np.sqrt(np.average((numbers[:, 0] - mean) ** 2, weights=weight)))
    return Coding(np.array([mean]), np.ones((1, 1)), spread if spread > 0 else 1.0)


def forest_of(model: Any) -> Forest | None:
    """Return the model as a forest of this project, also for one tree; None unless it has boxes to average.

    A boosted sum of numbers becomes a mean. One of classes has no boxes to average: its link bends the sum.
    """
    if getattr(model, "bends", False):  # votes that `predict_proba` makes something else of
        return None
    forest = getattr(model, "forest_", None)
    if isinstance(forest, Forest) and are_boxes(forest):
        if forest.combine != "sum":
            return forest
        return average_forest(forest) if forest.link == "identity" else None
    tree = getattr(model, "tree_", None)
    if isinstance(tree, Tree):
        return make_forest((tree,), [1.0], "mean", [])
    ours = _sklearn_forest(model)
    return None if ours is None else forest_of(ours)


def _sklearn_forest(model: Any) -> Any:
    """Return an ensemble of scikit-learn as a forest of this project, if its columns are numbers or codes."""
    try:
        ours = read_sklearn(model)
    except Refusal:
        return None
    is_coded = ours is not None and all(
        feature.categories == tuple(map(str, range(len(feature.categories)))) for feature in ours.features_
    )
    return ours if is_coded else None


def average_forest(forest: Forest) -> Forest:
    """Return a sum of trees as a mean of trees that predicts the same, up to rounding.

    The sum of n steps from a start is the mean of n trees that each say the start and n times their step. Raises
    ValueError for a sum with a link that is not the identity.

    >>> from espalier.trees import make_sum, make_tree
    >>> leaf = make_tree([-1], [np.nan], [-1], [-1], [0], [False], [4], [4.0], [[1.5]], [0.0])
    >>> mean = average_forest(make_sum([leaf, leaf], [1.0], "identity", []))
    >>> mean.combine, [float(tree.value[0, 0]) for tree in mean.trees]
    ('mean', [4.0, 4.0])
    """
    if forest.link != "identity":
        raise ValueError(f"the link is {forest.link!r}: what it makes of a sum is not a mean over trees")
    n = forest.n_trees
    steps: Any = [tree._replace(value=read_only(forest.start + n * tree.value)) for tree in forest.trees]
    return make_forest(steps, np.ones(n), "mean", forest.prior)


def predictor_of(model: Any) -> ForestPredictor | None:
    """Return the forest predictor of such a model, its own where it has one."""
    forest = forest_of(model)
    if forest is None:
        return None
    own = getattr(model, "predictor_", None) if getattr(model, "forest_", None) is forest else None
    return own or ForestPredictor(pack_forest(forest))


def is_unfitted(model: Any) -> bool:
    """Return whether the model has a `fit` and is not fitted."""
    if not hasattr(model, "fit"):
        return False
    try:
        check_is_fitted(model)
    except NotFittedError:
        return True
    return False


def fit_model(model: Any, X, y, sample_weight) -> Any:
    """Return the model itself, or a copy fitted to X, y and, if supported, weights (n_samples,) or None.

    Raises ValueError for an object that is no model, and for an unfitted model if y is None.
    """
    if not (hasattr(model, "predict_proba") or hasattr(model, "predict") or callable(model)):
        raise ValueError(f"model is {model!r}; it must have predict_proba or predict, or be a function of rows")
    if not is_unfitted(model):
        return model
    if y is None:
        raise ValueError(
            f"the model {type(model).__name__} is not fitted, and to fit it requires y to be passed, but the "
            "target y is None; fit the model before, or pass y"
        )
    weighs = sample_weight is not None and has_fit_parameter(model, "sample_weight")
    copy: Any = clone(model, safe=False)
    return copy.fit(X, y, **({"sample_weight": sample_weight} if weighs else {}))


def class_asking(model: Any, present: Present) -> Asking:
    """Return the function that asks a model for class shares, or else for classes."""
    methods = [name for name in ("predict_proba", "predict") if hasattr(model, name)]
    return Asking(model, methods[0] if methods else None, present)


def number_asking(model: Any, present: Present) -> Asking:
    """Return the function that asks a model for numbers."""
    return Asking(model, "predict" if hasattr(model, "predict") else None, present)


def class_oracle(ask: Asking, answers: Any) -> tuple[Oracle, np.ndarray]:
    """Return the model as an oracle of class shares, and the classes; `answers` are those to some rows.

    A function, or a model without `predict_proba`, may return shares (n, k), the probability of the second of two
    classes (n,), or labels (n,), which count as certain. Raises ValueError for any other output.
    """
    classes = getattr(ask.model, "classes_", None)
    if ask.name == "predict_proba":
        classes = np.arange(np.shape(answers)[-1]) if classes is None else np.asarray(classes)
        return _oracle_of_shares(ask, len(classes)), classes
    answers = np.asarray(answers)
    if answers.ndim == 2:
        return _oracle_of_shares(ask, answers.shape[1]), np.arange(answers.shape[1])
    if answers.dtype.kind == "f" and classes is None:
        return Oracle(ask, coding_of_classes(2), _two_shares), np.arange(2)
    classes = np.unique(answers if classes is None else classes)
    return Oracle(ask, coding_of_classes(len(classes)), partial(_certain, classes)), classes


def number_oracle(ask: Asking, answers: Any, weight: np.ndarray) -> Oracle:
    """Return the model as an oracle of numbers, in units of the spread of its answers to rows of these weights.

    Raises ValueError for other predictions.
    """
    return Oracle(ask, coding_of_numbers(_numbers(answers), weight), _numbers)


def _oracle_of_shares(ask: Asking, n_classes: int) -> Oracle:
    return Oracle(ask, coding_of_classes(n_classes), partial(_shares, n_classes))


def _shares(n_classes: int, answers: Any) -> np.ndarray:
    shares = np.asarray(answers, dtype=np.float64)
    if shares.ndim != 2 or shares.shape[1] != n_classes:
        raise Refusal(
            "the model's class shares have the shape {shape}; expected (rows, {n})",
            shape=str(shares.shape),
            n=n_classes,
        )
    return _check_shares(shares)


def _two_shares(answers: Any) -> np.ndarray:
    second = np.asarray(answers, dtype=np.float64)
    return _check_shares(np.column_stack([1 - second, second]))


def _check_shares(shares: np.ndarray) -> np.ndarray:
    if not (np.abs(shares.sum(axis=1) - 1) <= SUMS_TO_ONE).all() or shares.min() < -SUMS_TO_ONE:
        raise Refusal("the model's class shares are not between 0 and 1, with a sum of 1 in every row")
    return shares


def _certain(classes: np.ndarray, answers: Any) -> np.ndarray:
    labels = np.asarray(answers)
    number = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    if not (classes[number] == labels).all():
        stranger = labels[classes[number] != labels].tolist()[0]
        raise Refusal("the model says {label}, which it did not say of any row of X", label=repr(stranger))
    return np.eye(len(classes))[number]


def _numbers(answers: Any) -> np.ndarray:
    numbers = np.asarray(answers, dtype=np.float64)
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise Refusal("the model must say one finite number for every row")
    check_targets(numbers)
    return numbers[:, None]
