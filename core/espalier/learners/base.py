"""Base classes of all estimators: validation of data and parameters, and the scikit-learn API."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeGuard

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

import espalier
from espalier.data.roles import MAX_TOTAL
from espalier.language import Refusal
from espalier.learners.conventions import has_one_tree
from espalier.learners.forbidden import Columns, forbidden_numbers, narrow, number_as_table, part_of, widen
from espalier.learners.frames import Choice, FrameColumns, category_mask, check_known, frame_of, is_text
from espalier.predict import classes, means, record_of, shares
from espalier.progress import Progress
from espalier.settings import MAX_NUMBER

NO_LIMIT = 2**31 - 1
UNIT = 1.0  # weight of each sample, where no classes have weights


class TrainingData(NamedTuple):
    """Checked samples that trees grow from."""

    X: np.ndarray  # (n_samples, n_features) float64, categories as codes, missing values as nan
    y: np.ndarray  # (n_samples,) numbers, or class numbers
    weight: np.ndarray  # (n_samples,) float64, with class weights

    def of_positive_weight(self) -> TrainingData:
        """Return the samples that count."""
        counts = self.weight > 0
        return self if counts.all() else TrainingData(self.X[counts], self.y[counts], self.weight[counts])


class Learner(BaseEstimator):
    """Base of all learners, which grow from X (n_samples, n_features), nan where missing, and y (n_samples,).

    Where columns are forbidden, `_grow` sees a table without them.
    """

    random_state: int | np.random.RandomState | None
    categorical_features: Choice
    forbidden_features: Any = None
    is_categorical_: np.ndarray
    categories_: list[np.ndarray | None]
    n_features_in_: int
    feature_names_in_: np.ndarray
    frame_: FrameColumns | None = None

    @property
    def n_outputs_(self) -> int:
        """Number of targets, which is 1 here; scikit-learn has trees of several."""
        check_is_fitted(self)
        return 1

    def prepare(self, X, y, sample_weight=None) -> TrainingData:
        """Check parameters and data, and return all samples; learns columns and classes. Raises ValueError."""
        self._check_parameters()
        X, y = self._check_data(X, check_known(y))
        weight, class_weight = weights_of(sample_weight, X), self._class_weights(y)
        if class_weight is not UNIT:
            weight = weight * class_weight
        if class_weight is not UNIT or sample_weight is not None:
            check_weights(weight)
        # Copies of what is read-only or has gaps, as pandas' memory may: kernels are compiled for arrays that are
        # neither, and would be compiled anew for others, which takes a minute.
        y, weight = (np.require(array, requirements=["C", "W"]) for array in (y, weight))
        return TrainingData(X, y, weight)

    def _samples(self, X: Any) -> Any:
        """Return X as numbers, checked against the columns of `fit`."""
        check_is_fitted(self)
        check_whole_numbers(X)
        if self.frame_ is not None and isinstance(X, pd.DataFrame):
            frame: Any = X
            # checks names and number of the columns
            validate_data(self, frame, reset=False, skip_check_array=True)
            X = self.frame_.coded(X)
        return validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")

    def _record(self) -> Any:
        """Return the tree by which it answers."""
        return record_of(self)

    def _seed(self) -> int:
        try:
            return check_random_state(self.random_state).randint(NO_LIMIT)
        except ValueError as error:
            raise ValueError(f"random_state is {self.random_state!r}; {error}") from None

    def _html_repr(self) -> str:
        """Return what notebooks show: the tree or forest once it is there, before that scikit-learn's diagram."""
        return super()._html_repr() if record_of(self) is None else espalier.picture(self)

    def _declared_categories(self) -> Choice:
        return self.categorical_features

    def _validate(self, X: Any, y, **options) -> Any:
        """Return X as numbers, and y if `validate_data` takes it; records the columns. Raises ValueError."""
        choice = self._declared_categories()
        if is_plain(X, y):
            self.frame_, self.n_features_in_ = None, X.shape[1]
            vars(self).pop("feature_names_in_", None)  # the columns have none
            arrays = np.asfortranarray(X), y
        else:
            check_whole_numbers(X)
            self.frame_ = frame_of(X, choice)
            X = X if self.frame_ is None else self.frame_.coded(X)
            number: Any = {"dtype": np.float64, "ensure_all_finite": "allow-nan", "order": "F"}
            arrays = validate_data(self, X, y, **number, **options)
        n = self.n_features_in_
        self.is_categorical_ = category_mask(choice, n) if self.frame_ is None else self.frame_.is_category
        self.categories_ = [None] * n if self.frame_ is None else self.frame_.categories
        return arrays

    def _check_parameters(self) -> None:
        raise NotImplementedError

    def _check_data(self, X, y) -> tuple[Any, Any]:
        raise NotImplementedError

    def _class_weights(self, y) -> np.ndarray | float:
        return UNIT

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # ---- columns that are forbidden or have directions

    def directions(self) -> np.ndarray:
        """Return the direction of each column, (n_features,) int64, or an empty array if there are none."""
        return np.empty(0, np.int64)

    def _declared_forbidden(self) -> Any:
        return self.forbidden_features

    def _named_columns(self) -> Columns:
        names = getattr(self, "feature_names_in_", None)
        return Columns(None if names is None else names.tolist(), self.is_categorical_, self.frame_)

    def allowed_features(self) -> np.ndarray | None:
        """Return the numbers of all columns but the forbidden ones, ascending; None where none is forbidden."""
        choice = self._declared_forbidden()
        forbidden = None if choice is None else forbidden_numbers(choice, self._named_columns())
        return np.setdiff1d(np.arange(len(self.is_categorical_)), forbidden) if forbidden else None

    def _part_attributes(self, allowed: np.ndarray) -> dict[str, Any]:
        """Return the attributes that are others for a table of the allowed columns alone."""
        is_category = self.is_categorical_[allowed] if len(allowed) else np.zeros(1, bool)
        own: dict[str, Any] = {"is_categorical_": is_category, "forbidden_features": None}
        directions = self.directions()
        return own | {"monotonic_cst": directions[allowed].tolist() or None} if len(directions) else own

    def _number_as_table(self, allowed: np.ndarray, n_features: int) -> None:
        """Number what has grown on the allowed columns as the table is."""
        own = vars(self)
        for name in ("tree_", "models_"):
            if (record := own.get(name)) is not None:
                own[name] = number_as_table(record, allowed, n_features)
        if (fill := own.get("fill_")) is not None:
            own["fill_"] = widen(fill, allowed, n_features)


class TreeLearner(Learner):
    """Base of learners of one tree, and of forests of such trees."""

    def fit(self, X, y, sample_weight=None, progress: Progress | None = None) -> Self:
        """Grow the tree on X (n_samples, n_features) and y (n_samples,).

        X is an array or a DataFrame (see `categorical_features`); missing values are nan. Samples of weight zero
        count as absent. `progress` is shared with another thread: growing counts the samples (of an optimal tree:
        the work, as a share of their number; of a cultivated one: the weight) that are done, and ends early with
        the tree so far once it is stopped. Raises ValueError for parameters or data that cannot be used, with the
        reason.
        """
        return self._grow_columns(self.prepare(X, y, sample_weight).of_positive_weight(), progress)

    @available_if(has_one_tree)
    def grow(self, training: TrainingData, progress: Progress | None = None) -> Self:
        """Grow the tree on samples of positive weight that `prepare` has checked, or on some of them."""
        return self._grow_columns(training, progress)

    def _grow_columns(self, training: TrainingData, progress: Progress | None) -> Self:
        """Grow on the columns that are not forbidden, with the table's own numbers."""
        progress = progress or Progress()
        features = None if self.forbidden_features is None else self.allowed_features()
        if features is None:
            return self._grow(training, progress)
        with narrow(self, self._part_attributes(features)):
            self._grow(training._replace(X=part_of(training.X, features)), progress)
        self._number_as_table(features, training.X.shape[1])
        return self

    def _grow(self, training: TrainingData, progress: Progress) -> Self:
        raise NotImplementedError


class Classifier(ClassifierMixin, Learner):
    """Base of classifiers: ``classes_`` are the labels in order, y their numbers."""

    class_weight: dict | str | None
    classes_: np.ndarray

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    def predict(self, X) -> np.ndarray:
        """Return the class with the greatest share, (n_samples,), the first of equals."""
        samples = self._samples(X)
        return self.classes_[classes(self._record(), samples)]

    def predict_proba(self, X) -> np.ndarray:
        """Return the shares of the classes in each sample's leaf or leaves, (n_samples, n_classes)."""
        samples = self._samples(X)
        return shares(self._record(), samples)

    def predict_log_proba(self, X) -> np.ndarray:
        """Return natural logarithms of `predict_proba`, (n_samples, n_classes); -inf for zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _check_data(self, X, y) -> tuple[Any, Any]:
        X, y = self._validate(X, y)
        if y.dtype.kind not in "iub":  # whole numbers are always classes, and the check would sort them all
            check_classification_targets(y)
        self.classes_, codes = _encode(y)
        return X, codes

    def _class_weights(self, y) -> np.ndarray | float:
        if self.class_weight is None:
            return UNIT
        return compute_sample_weight(self.class_weight, self.classes_[y])


class Regressor(RegressorMixin, Learner):
    """Base of regressors."""

    def predict(self, X) -> np.ndarray:
        """Return the number that each sample's leaf or leaves predict, (n_samples,)."""
        samples = self._samples(X)
        return means(self._record(), samples)

    def _check_data(self, X, y) -> tuple[Any, Any]:
        _check_numeric(self, y)
        check_whole_numbers(y, "the target y")
        arrays = self._validate(X, y, y_numeric=True)
        check_targets(arrays[1])
        return arrays


# ---- data


# For tables of a few hundred rows scikit-learn's checks take longer than growing a tree.
def is_plain(X: Any, y: Any) -> bool:
    """Return whether X is an array (n_samples, n_features) float64 and y one of as many numbers, all finite."""
    if type(X) is not np.ndarray or type(y) is not np.ndarray or X.ndim != 2 or y.ndim != 1:
        return False
    if X.dtype != np.float64 or y.dtype.kind not in "biuf" or not X.size or len(X) != len(y):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(X.sum()) and (y.dtype.kind != "f" or math.isfinite(y.sum()))


def _check_numeric(learner: Learner, y) -> None:
    """Raise ValueError if a regressor gets text as target."""
    if type(y) is np.ndarray and y.dtype.kind in "biuf":
        return
    values = y if isinstance(y, pd.Series) else np.asarray(y)
    if values.ndim != 1:
        return
    values = pd.Series(values)
    values = values.astype(object) if isinstance(values.dtype, pd.CategoricalDtype) else values
    if is_text(values):
        name = type(learner).__name__
        raise ValueError(
            f"the target y holds text ({values.dropna().iloc[0]!r}), and {name} predicts numbers; take "
            f"{name.replace('Regressor', 'Classifier')} for classes"
        )


def check_targets(y) -> None:
    """Raise ValueError for targets whose squares, which every regression sums, are infinite or all but zero."""
    largest = float(np.abs(y).max(initial=0))
    if largest > MAX_NUMBER:
        raise Refusal(
            "a target is as large as {largest}; the limit is {limit}. Divide all targets by a number, or leave "
            "out values that stand for missing",
            largest=f"{largest:.3g}",
            limit=f"{MAX_NUMBER:g}",
        )
    if 0 < largest < 1 / MAX_NUMBER:
        raise Refusal(
            "no target is further from 0 than {largest}, and of numbers below {limit} the squares are lost. "
            "Multiply all targets by a number",
            largest=f"{largest:.3g}",
            limit=f"{1 / MAX_NUMBER:g}",
        )


def weights_of(sample_weight, X) -> np.ndarray:
    """Return the weight of each sample, (n_samples,) float64; 1 if none are given. Raises ValueError."""
    if sample_weight is None and type(X) is np.ndarray:
        return np.ones(len(X))
    return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)


def check_weights(weight: np.ndarray) -> None:
    """Raise ValueError for weights (n_samples,) all zero, or so large or small that powers overflow or vanish."""
    if not weight.any():
        raise Refusal("every sample has weight zero; give at least one a positive sample_weight")
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    if not 1 / MAX_TOTAL <= total <= MAX_TOTAL:
        raise Refusal(
            "the weights sum to {sum}; their sum must be between {low} and {high}. Multiply or divide all of "
            "them by a number: that changes no split",
            sum=f"{total:.3g}",
            low=f"{1 / MAX_TOTAL:g}",
            high=f"{MAX_TOTAL:g}",
        )


def check_whole_numbers(values: Any, of: str = "") -> None:
    """Raise ValueError for whole numbers beyond 2**53, which float64 would round."""
    if isinstance(values, pd.DataFrame):
        for name in values.columns[[pd.api.types.is_integer_dtype(dtype) for dtype in values.dtypes]]:
            column: Any = values[name]
            if isinstance(column, pd.Series):
                _check_exact(column.dropna().to_numpy(), f"the column {name!r}")
        return
    if isinstance(values, pd.Series):
        values = values.dropna().to_numpy() if pd.api.types.is_integer_dtype(values.dtype) else np.empty(0)
    elif isinstance(values, (list, tuple)):
        try:
            values = np.asarray(values)
        except ValueError:  # of different lengths: reported elsewhere
            return
    if isinstance(values, np.ndarray):
        _check_exact(values, of)


def _check_exact(values: np.ndarray, of: str) -> None:
    if values.dtype.kind not in "iu" or not values.size or values.dtype.itemsize < 8:
        return
    if max(abs(int(values.max())), abs(int(values.min()))) <= 2**53:
        return
    for at in np.argwhere((values > 2**53) | (values < -(2**53))).tolist():
        number = int(values[tuple(at)])
        if int(float(number)) != number:
            where = of or (f"column {at[1]} of X" if len(at) == 2 else "X")
            raise ValueError(
                f"{where} holds {number}; whole numbers beyond 2**53 = {2**53} would be rounded. Subtract a "
                "number from all of them, or give them as text, as the identifiers that they mostly are"
            )


def _encode(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes in order, and the class number of each label; without sorting for small whole numbers."""
    if y.dtype.kind in "iu" and y.min() >= 0 and y.max() < 1000:
        counts = np.bincount(y)
        if np.count_nonzero(counts) == len(counts):  # all numbers from 0 on
            return np.arange(len(counts), dtype=y.dtype), y.astype(np.int64)
        classes = np.flatnonzero(counts).astype(y.dtype)
        return classes, (np.cumsum(counts > 0) - 1)[y]
    return np.unique(y, return_inverse=True)


def centre(y: np.ndarray) -> float:
    """Return a number near the mean of y with few binary digits, so that subtracting and adding it is exact."""
    spread = float(np.std(y))
    unit = 2.0 ** math.floor(math.log2(spread)) if spread > 0 else 0.0
    return float(np.round(np.mean(y) / unit) * unit) if unit else float(y[0])


# ---- parameters


def features_tried(max_features, n_features: int) -> int:
    """Return the number of features tried at a node, at least one. Raises ValueError for an unknown setting."""
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(int(math.sqrt(n_features)), 1)
    if max_features == "log2":
        return max(int(math.log2(n_features)), 1)
    if is_whole(max_features) and max_features >= 1:
        return min(int(max_features), n_features)
    if is_number(max_features) and 0 < max_features <= 1:
        return max(int(max_features * n_features), 1)
    raise ValueError(f'max_features is {max_features!r}; it must be "sqrt", "log2", a count, or a share up to 1.0')


def count_of(samples: float, n: int) -> int:
    """Return how many of n samples a parameter means: a whole number itself, or a share of them, rounded up."""
    return int(samples) if is_whole(samples) else math.ceil(samples * n)


def is_whole(value) -> TypeGuard[int]:
    """Return whether the value is a whole number (not a boolean)."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value) -> TypeGuard[float]:
    """Return whether the value is a number (not a boolean)."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def check_whole(name: str, value, *, least: int, share: bool = False, optional: bool = False) -> None:
    """Raise ValueError unless the value is a whole number from `least` up (or an allowed share or None)."""
    if optional and value is None:
        return
    if is_whole(value) and value >= least:
        return
    if share and is_number(value) and 0 < value <= 1 and not is_whole(value):
        return
    or_share = " or a share between 0.0 and 1.0" if share else ""
    raise ValueError(f"{name} is {value!r}; it must be a whole number of at least {least}{or_share}")


def check_numbers(learner: Learner, names: Sequence[str]) -> None:
    """Raise ValueError for the first of these parameters that is not a number of at least 0."""
    for name in names:
        value = getattr(learner, name)
        if not (is_number(value) and value >= 0):
            raise ValueError(f"{name} is {value!r}; it must be a number of at least 0")


def check_bool(name: str, value: Any) -> None:
    """Raise ValueError unless the value is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {value!r}; it must be True or False")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(choices)}")


def check_jobs(n_jobs: Any) -> None:
    """Raise ValueError unless scikit-learn knows this number of jobs."""
    if n_jobs is not None and not (is_whole(n_jobs) and n_jobs != 0):
        raise ValueError(f"n_jobs is {n_jobs!r}; it must be None, a number of threads, or -1 for all")


def n_threads_of(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` stands for: 1 for None, one for each processor for -1."""
    return effective_n_jobs(1 if n_jobs is None else n_jobs)
