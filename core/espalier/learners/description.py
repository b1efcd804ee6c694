"""What a fitted estimator knows of its columns and classes, and whether a record and its names fit each other.

Every export and drawing asks `describe_model`, so that all of them take a fitted estimator, or a record with its
features and target, and refuse the same mistakes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from espalier import kinds
from espalier.data.dataset import Feature, Labels
from espalier.data.errors import exact_number, value_text
from espalier.kinds import SomeTree
from espalier.leaf_models import ModelTree
from espalier.learners.frames import OTHER, ColumnCoding, quote_all
from espalier.oblique import ObliqueTree
from espalier.predict import record_of
from espalier.trees import Forest

WITHOUT_NAME = "target"
N_CODES, ALL = 64, kinds.ALL_CATEGORIES  # categories that a split can tell apart, and the set of all
ADVICE = "give the features in the order of the columns of `fit`, or the fitted estimator itself"


class ModelDescription(NamedTuple):
    """A tree or forest with the names of its features and of its target."""

    record: Any  # SomeTree | Forest
    features: tuple[Feature, ...]
    target: Feature


def describe_model(
    model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None
) -> ModelDescription:
    """Return the record of a fitted estimator with the names that it learned; or a record with these names.

    The columns of a DataFrame keep their names, kinds and categories, and classes are those of `fit`; those of an
    array are x0, x1, …. Features and target that are given beside an estimator replace its own. Raises ValueError
    for what has no tree, for a record without names, and where features or target do not fit the record: their
    number, sets of categories that the feature does not have, and the number of classes.

    >>> from espalier.learners import CartClassifier
    >>> people = pd.DataFrame({"age": [23, 61, 35], "town": ["Oslo", "Rome", "Oslo"]})
    >>> _, features, target = describe_model(CartClassifier().fit(people, ["no", "yes", "no"]))
    >>> [(feature.name, feature.kind, feature.categories) for feature in features], target.categories
    ([('age', 'number', ()), ('town', 'category', ('Oslo', 'Rome'))], ('no', 'yes'))
    """
    record = record_in(model)
    is_record = record is model
    if is_record and (features is None or target is None):
        raise ValueError(
            f"a {type(model).__name__} has no names: give features and target, too, or the fitted estimator, "
            "which has them"
        )
    own = None if is_record else features_of(model)
    own_or_other = tuple(features if features is not None else own or ())
    if own is not None:
        _check_same(own, own_or_other)
    description = ModelDescription(record, own_or_other, target if target is not None else target_of(model))
    _check(description)
    return description


def describe_tree(
    model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None
) -> ModelDescription:
    """Return `describe_model`. Raises ValueError for a forest."""
    description = describe_model(model, features, target)
    if isinstance(description.record, Forest):
        raise ValueError(
            f"{type(model).__name__} has a forest of {description.record.n_trees} trees: take forest_to_python, "
            "forest_to_sql, forest_to_json or forest_to_onnx, or give one of the forest's trees"
        )
    return description


def describe_forest(
    model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None
) -> ModelDescription:
    """Return `describe_model`. Raises ValueError for a tree."""
    description = describe_model(model, features, target)
    if not isinstance(description.record, Forest):
        raise ValueError(f"{type(model).__name__} has one tree: take to_python, to_sql or to_json")
    return description


def record_in(model: Any) -> Any:
    """Return the tree or forest of a fitted estimator, or a record itself. Raises ValueError if there is none."""
    record = model if isinstance(model, kinds.KINDS) else record_of(model)
    if record is None:
        raise ValueError(
            f"there is no tree in {type(model).__name__}: give a tree or forest of Espalier, or an estimator of "
            "Espalier after fit; espalier.read_model reads models of other libraries"
        )
    return record


# ---- names


def features_of(model: Any) -> tuple[Feature, ...]:
    """Return the columns that an estimator was fitted to, with their categories in the order of their codes.

    Raises ValueError for a column in which two categories have one text, such as 1 and "1".
    """
    if hasattr(model, "features_"):  # of a model that was read
        return tuple(model.features_)
    frame = getattr(model, "frame_", None)
    if frame is not None:
        return tuple(map(feature_of, frame.columns))
    names = getattr(model, "feature_names_in_", [f"x{number}" for number in range(model.n_features_in_)])
    is_category = getattr(model, "is_categorical_", np.zeros(len(names), bool))
    return tuple(
        Feature(str(name), "category" if is_set else "number")
        for name, is_set in zip(names, is_category, strict=True)
    )


def feature_of(column: ColumnCoding) -> Feature:
    """Return a column of a DataFrame; what it pools is its last category."""
    names, pool = _texts(column.levels), _texts(column.pooled)
    if pool:
        names = (*names[:-1], OTHER)
    _check_texts([*(names[:-1] if pool else names), *pool], f"the column {column.name!r} has", "categories")
    is_whole = (
        column.kind == "number"
        and not names
        and (pd.api.types.is_integer_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype))
    )
    return Feature(str(column.name), column.kind, names, is_whole, pooled=pool)


def target_of(model: Any, classes: Sequence[Any] | None = None) -> Feature:
    """Return the target of a fitted estimator: its classes, or those given, or a number.

    Raises ValueError as `features_of`.
    """
    labels = getattr(model, "classes_", None) if classes is None else classes
    if labels is None:
        return Feature(WITHOUT_NAME)
    labels = list(labels)
    names = _texts(labels)
    _check_texts(names, "the target has", "classes")
    return Feature(WITHOUT_NAME, "category", names, labels=_kind_of(labels, names))


def _kind_of(labels: Sequence[Any], names: Sequence[str]) -> Labels:
    if all(isinstance(label, (bool, np.bool_)) for label in labels):
        return "truth"
    is_text = any(isinstance(label, str) for label in labels)
    return "text" if is_text and None not in map(exact_number, names) else ""


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(map(value_text, values))


def _check_texts(texts: Sequence[str], where: str, what: str) -> None:
    if len(set(texts)) < len(texts):
        twice = next(text for i, text in enumerate(texts) if text in texts[:i])
        raise ValueError(
            f"{where} two {what} that are both written {twice!r}, such as a number and its text; give all of them "
            "as text"
        )


# ---- checks


def _check_same(own: Sequence[Feature], features: Sequence[Feature]) -> None:
    """Raise ValueError for features that are not an estimator's own: their number, or the order of categories."""
    _check_number(len(own), features)
    for feature, other in zip(own, features, strict=True):
        if feature.categories and feature.categories != other.categories:
            raise ValueError(
                f"the feature {other.name!r} has the categories {quote_all(other.categories)}, and `fit` saw in "
                f"this column {quote_all(feature.categories)}, in this order; leave features out: the estimator "
                "has them"
            )


def _check_number(n: int, features: Sequence[Feature]) -> None:
    if len(features) != n:
        raise ValueError(f"there are {len(features)} features, and the model was fitted to {n}; {ADVICE}")


def _check(description: ModelDescription) -> None:
    record, features, target = description
    n_outputs, n_classes = kinds.n_outputs(record), len(target.categories)
    if n_outputs != max(n_classes, 1):
        raise ValueError(
            f"the model tells {n_outputs} classes apart, and the target {target.name!r} has {n_classes or 'none'}"
            if n_outputs > 1
            else f"the model predicts a number, and the target {target.name!r} has {n_classes} classes"
        )
    for tree in kinds.trees_of(record):
        if (n := _n_features(tree)) is not None:
            _check_number(n, features)
        numbers, splits = kinds.asked_by(tree), kinds.set_splits(tree)
        if len(numbers) and numbers.max() >= len(features):
            raise ValueError(
                f"the model asks about feature {numbers.max()}, counted from 0, and there are {len(features)} "
                f"features; {ADVICE}"
            )
        for feature in np.unique(splits[0]).tolist():
            if not features[feature].categories and features[feature].kind != "category":
                raise ValueError(
                    f"the model splits {features[feature].name!r} by sets of categories, and the feature is a "
                    f"number; {ADVICE}"
                )
        _check_codes(*splits, features)


def _check_codes(in_sets: np.ndarray, categories: np.ndarray, features: Sequence[Feature]) -> None:
    """Raise ValueError for a set that parts none of its feature's categories, but codes past the last of them.

    Codes past the last may go either way besides: random splits draw a way for each that they could meet.
    """
    names = np.array([len(feature.categories) or N_CODES for feature in features], dtype=np.uint64)
    n = names[in_sets]
    own = np.where(n < N_CODES, np.left_shift(np.uint64(1), np.minimum(n, N_CODES - 1)) - np.uint64(1), ALL)
    parts_none = ((categories & own) == 0) | ((categories & own) == own)
    parts_past = ((categories & ~own) != 0) & ((categories | own) != ALL)
    wrong = np.flatnonzero(parts_none & parts_past)
    if len(wrong):
        feature = features[int(in_sets[wrong[0]])]
        raise ValueError(
            f"the model splits {feature.name!r} by categories past the {len(feature.categories)} that the feature "
            f"has; {ADVICE}"
        )


def _n_features(tree: SomeTree) -> int | None:
    """Return the number of features that a tree was grown on; None where its record does not have it."""
    if isinstance(tree, ModelTree):
        return len(tree.models.fill)
    return len(tree.fill) if isinstance(tree, ObliqueTree) else None
