"""The tree or forest that a notebook shows, with the names of its features and classes, and its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset, Feature, are_whole, make_dataset
from espalier.display.boundaries.plane import best_plane
from espalier.export.columns import asked_features
from espalier.forests.growth import gains
from espalier.kinds import SomeTree, n_outputs
from espalier.learners.description import WITHOUT_NAME, feature_of, features_of, record_in, target_of
from espalier.learners.frames import FrameColumns, frame_of
from espalier.tree.nodes import most_used
from espalier.trees import Forest, Tree


class ShownModel(NamedTuple):
    """A tree or forest with the names that a person knows."""

    title: str  # how the estimator is written; empty for a record
    record: SomeTree | Forest
    features: tuple[Feature, ...]
    target: Feature
    data: Dataset | None  # its rows; None: they are not known

    @property
    def name(self) -> str:
        """How it is called where it is no picture."""
        return self.title or type(self.record).__name__


def model_to_show(model: Any, X: Any = None, y: Any = None) -> ShownModel:
    """Return the model to show: a fitted estimator, or a tree or forest alone, with rows if they are given.

    X is (n_samples, n_features), an array or a DataFrame, and y (n_samples,); or X is a `Dataset` and y None.
    Raises ValueError for a model without trees or not fitted, and for rows that do not fit it.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> one = model_to_show(CartClassifier(max_depth=2).fit(iris.X, iris.y), iris)
    >>> one.title, one.target.name
    ('CartClassifier(max_depth=2)', 'species')
    """
    record = record_in(model)
    title = "" if record is model or not hasattr(model, "get_params") else _title(model)
    if isinstance(X, Dataset):
        return ShownModel(title, record, X.features, X.target, _check(record, X))
    features, labels = _features(model, record, X), _labels(model, record, y)
    name = getattr(y, "name", None)
    target = target_of(model, labels) if len(labels) else Feature(WITHOUT_NAME)
    target = target._replace(name=WITHOUT_NAME if name is None else str(name))
    data = None if X is None else _dataset(model, X, y, features, labels, target)
    if data is not None:
        features = data.features
    return ShownModel(title, record, features, target, None if data is None else _check(record, data))


def _title(model: Any) -> str:
    return " ".join(repr(model).split()) if hasattr(type(model), "fit") else type(model).__name__


# Names -----------------------------------------------------------------------------------------------


def _features(model: Any, record: SomeTree | Forest, X: Any) -> tuple[Feature, ...]:
    if hasattr(model, "features_"):  # of a model that was read
        return features_of(model)
    frame = _frame(model, X)
    if frame is not None:
        return tuple(map(feature_of, frame.columns))
    if hasattr(model, "n_features_in_"):
        return features_of(model)
    n = 1 + max(asked_features(record), default=0)
    return tuple(Feature(f"x{number}") for number in range(n))


def _frame(model: Any, X: Any) -> FrameColumns | None:
    """Return how the columns of a table are coded: as the model learned it, else as a learner would."""
    own = getattr(model, "frame_", None)
    return own if own is not None or not isinstance(X, pd.DataFrame) else frame_of(X, "from_dtype")


def _labels(model: Any, record: SomeTree | Forest, y: Any) -> Any:
    """Return the classes in the order of the model's shares; none for a number."""
    n = n_outputs(record)
    if n == 1:
        return ()
    labels = getattr(model, "classes_", None)
    if labels is None:
        labels = np.arange(n) if y is None else np.unique(np.asarray(y))
    if len(labels) != n:
        raise ValueError(f"y has {len(labels)} classes, and the tree tells {n} apart: give the y it was grown on")
    return labels


# Rows ------------------------------------------------------------------------------------------------


def _dataset(
    model: Any, X: Any, y: Any, features: tuple[Feature, ...], labels: Sequence[Any], target: Feature
) -> Dataset:
    if y is None:
        raise ValueError("X has no targets: give y, (n_samples,), too")
    frame = _frame(model, X) if isinstance(X, pd.DataFrame) else None
    numbers = np.asarray(X if frame is None else frame.coded(X), dtype=np.float64)
    if numbers.ndim != 2 or numbers.shape[1] != len(features):
        raise ValueError(f"X has the shape {numbers.shape}, and the model asks about {len(features)} features")
    own_features = [
        feature if feature.categories else feature._replace(is_whole=are_whole(values))
        for feature, values in zip(features, numbers.T, strict=True)
    ]
    return make_dataset("rows", numbers, own_features, _targets(y, labels), target)


def _targets(y: Any, labels: Sequence[Any]) -> np.ndarray:
    """Return class numbers, or numbers, (n_samples,)."""
    if not len(labels):
        return np.asarray(y, dtype=np.float64)
    codes = pd.Index(np.asarray(labels, dtype=object)).get_indexer(pd.Index(np.asarray(y, dtype=object)))
    if (codes < 0).any():
        strange, names = np.asarray(y)[codes < 0][0], ", ".join(map(str, labels))
        raise ValueError(f"y has {strange}, which is none of the model's classes: {names}")
    return codes.astype(np.int64)


def _check(record: SomeTree | Forest, data: Dataset) -> Dataset:
    """Return the rows. Raises ValueError if the model asks about features, or tells classes, that they lack."""
    last = max(asked_features(record), default=-1)
    if last >= len(data.features):
        raise ValueError(f"the model asks about feature {last}, and the rows have {len(data.features)} features")
    if n_outputs(record) != max(len(data.classes), 1):
        raise ValueError(
            f"the model has {n_outputs(record)} outputs, and the target {data.target.name!r} {len(data.classes)} "
            "classes"
        )
    return data


# Plane -----------------------------------------------------------------------------------------------


def axes_of(
    record: SomeTree | Forest, data: Dataset, wanted: Sequence[int | str] | None = None
) -> tuple[int, ...]:
    """Return the numbers of one or two features.

    `wanted` are numbers or names. Raises ValueError for a name that the rows do not have.
    """
    if wanted is not None:
        return tuple(_number(name, data) for name in wanted)
    n = len(data.features)
    if isinstance(record, Forest):
        best = np.argsort(-gains(record, n), kind="stable").tolist()
    else:
        best = most_used(record, n)
    features = set(asked_features(record))
    best = [f for f in best if f in features] or best
    if isinstance(record, Tree):
        return best_plane(record, data.X, best)[:2]
    return tuple(sorted(best[:2]))


def _number(name: int | str, data: Dataset) -> int:
    names = [feature.name for feature in data.features]
    if isinstance(name, str) and name not in names:
        raise ValueError(f"no feature is named {name!r}: axes are some of {', '.join(names[:20])}")
    return names.index(name) if isinstance(name, str) else int(name)
