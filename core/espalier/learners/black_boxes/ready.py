"""Any fitted model, or a function of rows, as a model that comparison and reliability can ask."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset, Feature
from espalier.data.features import places_by_name
from espalier.language import Refusal, to_say
from espalier.learners.approximation.model_input import NUMBERED, Present
from espalier.learners.approximation.oracle import (
    class_asking,
    class_oracle,
    is_unfitted,
    number_asking,
    number_oracle,
)
from espalier.learners.imports.in_table import TableForest
from espalier.learners.imports.model import ImportedForest
from espalier.learners.imports.ready import ReadyModel

UNFITTED = to_say("the model {name} is not fitted; fit it first, or give it to the comparison as it is")
OTHER_CLASSES = to_say(
    "the model's classes are {own}, and the table's classes are {classes}; say which is which with `classes`: for "
    "each class of the model, the class of the table"
)
LACKING = to_say("the model asks for columns that the table does not have: {names}")
NO_BETTER = (
    "the model is right less often than always saying the most frequent class: are its columns in the table's "
    "order, and its classes those that it means?"
)


def ready_model(model: Any, dataset: Dataset, classes: Sequence[str] | None = None) -> ReadyModel:
    """Return a fitted model or a function for `validate` and `ask`, which leave it as it is.

    Parameters
    ----------
    model : a fitted estimator or pipeline, what `espalier.read_model` returns, or a function of rows, as
        `Dataset.X` has them, (n_samples, n_features). A function returns shares of the classes, the chance of the
        second of two, classes, or numbers. A model that was fitted to a DataFrame gets the columns by name, and
        categories as text
    dataset : the table that it is to be judged on: only rows that the model did not learn from
    classes : the table's class for each of the model's; by default those of the same names, or else, if the
        model's are 0, 1, …, those in the table's order

    Raises
    ------
    Refusal (a ValueError) : for a model that is not fitted, asks for other columns, or whose classes are not known

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from espalier.analysis import Folds, validate
    >>> from espalier.data import make_dataset, samples
    >>> iris = samples.load("iris")
    >>> pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(iris.X[::2], iris.y[::2])
    >>> unseen = make_dataset("Other flowers", iris.X[1::2], iris.features, iris.y[1::2], iris.target)
    >>> validate(ready_model(pipeline, unseen), unseen, Folds(5)).scores("accuracy").round(2).tolist()
    [0.93, 0.93, 1.0, 1.0, 1.0]
    """
    if isinstance(model, ImportedForest):
        found = TableForest(model, dataset.features, dataset.classes)
        return ReadyModel(found if classes is None else found.arranged(_in_table(list(classes), dataset)))
    if is_unfitted(model):
        raise Refusal(UNFITTED, name=type(model).__name__)
    if dataset.is_classification:
        return ReadyModel(ClassesInTable(model, dataset, classes))
    return ReadyModel(NumbersInTable(model, dataset))


class NumbersInTable:
    """A model of numbers that is asked about rows in the form of `Dataset.X`."""

    def __init__(self, model: Any, dataset: Dataset):
        ask = number_asking(model, _presenting(model, dataset))
        weight = np.ones(len(dataset.y)) if dataset.weights is None else dataset.weights
        self._oracle = number_oracle(ask, ask(dataset.X), weight)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the numbers, (n,)."""
        return self._oracle.answer(np.asarray(X, np.float64))[:, 0]


class ClassesInTable:
    """A model of classes that is asked about rows in the form of `Dataset.X`, and says shares of its classes."""

    def __init__(self, model: Any, dataset: Dataset, classes: Sequence[str] | None = None):
        ask = class_asking(model, _presenting(model, dataset))
        self._oracle, own = class_oracle(ask, ask(dataset.X))
        self._places = _places([str(label) for label in own], dataset, classes)
        self.classes_ = np.arange(len(dataset.classes))
        right = float(np.mean(self.predict(dataset.X) == dataset.y))
        if right < np.bincount(dataset.y).max() / len(dataset.y):
            warnings.warn(NO_BETTER, UserWarning, stacklevel=3)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the shares of the table's classes, (n, n_classes)."""
        said = self._oracle.answer(np.asarray(X, np.float64))
        shares = np.zeros((len(said), len(self.classes_)))
        shares[:, self._places] = said
        return shares

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the codes of the classes with the greatest share, (n,)."""
        return self.predict_proba(X).argmax(axis=1)


def _places(own: list[str], dataset: Dataset, classes: Sequence[str] | None) -> list[int]:
    """Return the table's class for each of the model's. Raises Refusal."""
    if classes is not None:
        if len(classes) != len(own):
            raise Refusal(OTHER_CLASSES, own=own[:8], classes=list(dataset.classes)[:8])
        return _in_table(list(classes), dataset)
    if set(own) <= set(dataset.classes):
        return _in_table(own, dataset)
    if own == [str(code) for code in range(len(dataset.classes))]:
        return list(range(len(own)))
    raise Refusal(OTHER_CLASSES, own=own[:8], classes=list(dataset.classes)[:8])


def _in_table(names: list[str], dataset: Dataset) -> list[int]:
    known = list(dataset.classes)
    if len(set(names)) != len(names) or not set(names) <= set(known):
        raise Refusal(OTHER_CLASSES, own=names[:8], classes=known[:8])
    return [known.index(name) for name in names]


def _presenting(model: Any, dataset: Dataset) -> Present:
    """Return the function that gives rows the form that the model was fitted to. Raises Refusal."""
    wanted = getattr(model, "feature_names_in_", None)
    if wanted is None or all(NUMBERED.fullmatch(str(name)) for name in wanted):
        return lambda rows: rows
    at = places_by_name(dataset.features)
    lacking = [str(name) for name in wanted if str(name) not in at]
    if lacking:
        raise Refusal(LACKING, names=lacking[:8])
    order = [at[str(name)] for name in wanted]
    return lambda rows: pd.DataFrame(
        {name: _cells(rows[:, f], dataset.features[f]) for name, f in zip(wanted, order, strict=True)}
    )


def _cells(x: np.ndarray, feature: Feature) -> np.ndarray:
    if not feature.categories:
        return x
    names = np.array([*feature.categories, None], dtype=object)
    return names[np.where(np.isnan(x), len(feature.categories), x).astype(np.int64)]
