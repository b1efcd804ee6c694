"""A fitted model, a function of rows or an ONNX file as a model that comparison and reliability can ask."""

from __future__ import annotations

import copy
import importlib.util
import json
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset, Feature, places_by_name
from espalier.language import Refusal, to_say
from espalier.learners.approximation.asking import NUMBERED_NAME, Present
from espalier.learners.approximation.oracle import (
    class_asking,
    class_oracle,
    is_unfitted,
    number_asking,
    number_oracle,
)
from espalier.learners.imports.in_table import TableForest, model_values
from espalier.learners.imports.model import ImportedForest, ModelFacts, ReadyModel
from espalier.sandbox.keeper import Keeper
from espalier.settings import MAX_ONNX_MB

UNFITTED = to_say("the model {name} is not fitted; fit it first, or give it to the comparison as it is")
OTHER_CLASSES = to_say(
    "the model's classes are {own}, the table's {classes}; say which is which with `classes`: for each class of "
    "the model, that of the table"
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
        table_model = TableForest(model, dataset.features, dataset.classes)
        return ReadyModel(
            table_model if classes is None else table_model.arranged(_class_places(list(classes), dataset))
        )
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
        return _class_places(list(classes), dataset)
    if set(own) <= set(dataset.classes):
        return _class_places(own, dataset)
    if own == [str(code) for code in range(len(dataset.classes))]:
        return list(range(len(own)))
    raise Refusal(OTHER_CLASSES, own=own[:8], classes=list(dataset.classes)[:8])


def _class_places(names: list[str], dataset: Dataset) -> list[int]:
    names_ = list(dataset.classes)
    if len(set(names)) != len(names) or not set(names) <= set(names_):
        raise Refusal(OTHER_CLASSES, own=names[:8], classes=names_[:8])
    return [names_.index(name) for name in names]


def _presenting(model: Any, dataset: Dataset) -> Present:
    """Return the function that gives rows the form that the model was fitted to. Raises Refusal."""
    names = getattr(model, "feature_names_in_", None)
    if names is None or all(NUMBERED_NAME.fullmatch(str(name)) for name in names):
        return lambda rows: rows
    at = places_by_name(dataset.features)
    lacking = [str(name) for name in names if str(name) not in at]
    if lacking:
        raise Refusal(LACKING, names=lacking[:8])
    order = [at[str(name)] for name in names]
    return lambda rows: pd.DataFrame(
        {name: _cells(rows[:, f], dataset.features[f]) for name, f in zip(names, order, strict=True)}
    )


def _cells(x: np.ndarray, feature: Feature) -> np.ndarray:
    if not feature.categories:
        return x
    names = np.array([*feature.categories, None], dtype=object)
    return names[np.where(np.isnan(x), len(feature.categories), x).astype(np.int64)]


# ---- A model from an ONNX file, with checked columns and outputs in the table's order

ABSENT = to_say(
    "this installation cannot run ONNX models, which takes one more package; where Espalier's files are, run "
    '`pip install ".[onnx]"` instead of `pip install .`'
)
NUMBERS_FOR_TEXT = to_say(
    "the model takes text in the column {name}, and the table has numbers there; give the column the kind category"
)
ABSENT_FILE = to_say("the uploaded file is no longer here; upload it again")
BATCH = 8192  # rows sent at a time
TABLES = ("tensor(float)", "tensor(double)", "tensor(float16)", "tensor(int64)", "tensor(int32)")
TEXT = "tensor(string)"
COLUMNS = (*TABLES, "tensor(bool)", TEXT)
SHARES = ("tensor(float)", "tensor(double)")
NO_FACTS = ModelFacts("ONNX", ())


# ONNX files are data, unlike pickles. A file of unknown origin may still loop endlessly or exhaust memory, so it
# runs in a separate process with limits (`espalier.sandbox.onnx`).
class OnnxModel:
    """Model that predicts class shares or numbers for rows (n, n_features) in the form of `Dataset.X`."""

    def __init__(self, keeper: Keeper, features: Sequence[Feature], classes: Sequence[str]):
        description = keeper.open()
        self._keeper, self._classes, self._features = keeper, tuple(classes), tuple(features)
        self._inputs, self._own = description["inputs"], _own_features(description.get("features", ""))
        self._order, self.names_columns = _order(self._inputs, features, self._own)
        self._values = self._values_of_codes()
        # position of each of the table's classes among the model's; None: unchanged
        self._places: np.ndarray | None = None
        self.names_classes = any(output["type"] == "tensor(string)" for output in description["outputs"])
        self._output = _output(description["outputs"], bool(classes))
        self._columns = _columns(description["outputs"], self._classes)
        self.n_features_in_ = len(features)
        if classes:
            self.classes_ = np.arange(len(classes))

    def arranged(self, classes: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> OnnxModel:
        """Return the same model with its j-th class matched to the table's `classes[j]`, and its columns likewise.

        None keeps the order. A model that names its classes or columns (`names_classes`, `names_columns`) needs no
        choice. Raises ValueError if an argument is not a permutation.
        """
        other = copy.copy(self)
        if columns is not None:
            other._order = _checked_order(columns, len(self._features))
            other._values = other._values_of_codes()
        if classes is not None:
            other._places = np.argsort(_checked_order(classes, len(self._classes)))
        return other

    def __getattr__(self, name: str) -> Any:
        # Only a classifier has class shares: `hasattr` tells.
        if name == "predict_proba" and self.__dict__.get("_classes"):
            return self._shares
        raise AttributeError(name)

    def predict(self, X) -> np.ndarray:
        """Return class codes, or numbers, (n,)."""
        if self._classes:
            return self._shares(X).argmax(axis=1)
        values = self._answers(X)
        if values.size != len(values):
            raise Refusal(
                "the model says numbers of the shape {shape}; expected one for each row", shape=str(values.shape)
            )
        return values.reshape(len(values))

    def _shares(self, X) -> np.ndarray:
        values = self._answers(X)
        if values.size == len(values):
            second = values.reshape(len(values))
            values = np.column_stack([1 - second, second])
        if values.shape[1] != len(self._classes):
            raise Refusal(
                "the model knows {n} classes; the table has {classes}: {names}",
                n=values.shape[1],
                classes=len(self._classes),
                names=", ".join(self._classes),
            )
        return values if self._places is None else values[:, self._places]

    def _answers(self, X) -> np.ndarray:
        rows = np.asarray(X, dtype=np.float64)[:, self._order]
        for j, values in self._values.items():
            is_known = ~np.isnan(rows[:, j])
            rows[is_known, j] = values[rows[is_known, j].astype(np.int64)]
        parts = [self._batch(rows[first : first + BATCH]) for first in range(0, max(len(rows), 1), BATCH)]
        return np.concatenate(parts)

    def _values_of_codes(self) -> dict[int, np.ndarray]:
        """Return what the model takes for the codes of its columns, where it is not these. Raises Refusal."""
        values = {}
        for j, at in enumerate(self._order):
            own = self._own[j] if len(self._own) == len(self._order) else Feature(self._features[at].name)
            kind = self._inputs[j if len(self._inputs) > 1 else 0]["type"]
            if (values_ := _values_of_codes(kind, own, self._features[at])) is not None:
                values[j] = values_
        return values

    def _batch(self, rows: np.ndarray) -> np.ndarray:
        categories = [list(self._features[at].categories) for at in self._order]
        answer = self._keeper.ask({"rows": rows, "categories": categories, "output": self._output["name"]})
        if "keys" in answer:
            self.names_classes = all(str(key) in self._classes for key in answer["keys"])
            return answer["said"][:, np.argsort([self._place(key) for key in answer["keys"]])]
        if "labels" in answer:
            return self._sure(answer["labels"])
        values = answer["said"]
        if self._classes and self._output["type"] not in SHARES:
            return self._sure(values.ravel().tolist())
        return values[:, self._columns] if values.ndim == 2 and values.shape[1] == len(self._columns) else values

    def _place(self, key: Any) -> int:
        """Return the table's class for the model's key: by name, or else by number."""
        if str(key) in self._classes:
            return self._classes.index(str(key))
        if isinstance(key, (int, float)) and 0 <= key < len(self._classes):
            return int(key)
        raise Refusal(
            "the model knows a class “{name}”; the table has {names}",
            name=str(key),
            names=", ".join(self._classes),
        )

    def _sure(self, labels: list) -> np.ndarray:
        return np.eye(len(self._classes))[[self._place(label) for label in labels]]


def can_read() -> bool:
    """Return whether the ONNX runtime is installed."""
    return importlib.util.find_spec("onnxruntime") is not None


def read_onnx(file: bytes, features: Sequence[Feature], classes: Sequence[str] = ()) -> OnnxModel:
    """Return the model of an ONNX file, for a table with these features and, for classification, classes.

    The model may take one table of numbers, with columns in the order of the features, or one input per feature,
    by name or else in order, where categories may be text. Categories are numbers for it only where their names
    are, or where a file that Espalier wrote says which. Of several outputs the
    class shares are used; if another output names the classes, they are in alphabetical order, as in scikit-learn,
    else in the table's order. Raises ValueError, saying what does not fit, for an unusable file or model;
    ImportError if the extra `onnx` is not installed.
    """
    if not can_read():
        raise ImportError(ABSENT)
    if len(file) > MAX_ONNX_MB * 2**20:
        raise Refusal(
            "the file has {size} MB; this server takes ONNX models up to {n} MB",
            size=round(len(file) / 2**20),
            n=MAX_ONNX_MB,
        )
    model = OnnxModel(Keeper(file), features, classes)
    model.predict(np.zeros((2, len(features))))
    return model


def _order(inputs: list[dict], features: Sequence[Feature], own: Sequence[Feature] = ()) -> tuple[list[int], bool]:
    """Return the feature of each input column, and whether the match is by name; `own` are the columns of a table.

    Raises ValueError if they do not fit.
    """
    everyone = list(range(len(features)))
    if len(inputs) == 1 and (inputs[0]["type"] in TABLES or len(features) > 1):
        _check_table(inputs[0], features)
        places = places_by_name(features)
        places_ = [places.get(feature.name, -1) for feature in own]
        return (places_, True) if sorted(places_) == everyone else (everyone, False)
    for feature in inputs:
        if feature["type"] not in COLUMNS:
            raise Refusal(
                "the model's input “{name}” is a {type}; expected numbers or text",
                name=feature["name"],
                type=feature["type"],
            )
    if len(inputs) != len(features):
        raise _other_count(len(inputs), features)
    places, names = places_by_name(features), [feature["name"] for feature in inputs]
    if sorted(places.get(name, -1) for name in names) != everyone:
        return everyone, False
    return [places[name] for name in names], True


def _own_features(about: str) -> tuple[Feature, ...]:
    """Return the columns of a forest that Espalier wrote, as its file describes them; none of other files."""
    try:
        return tuple(
            Feature(feature["name"], feature["kind"], tuple(feature["categories"]))
            for feature in json.loads(about)
        )
    except (ValueError, KeyError, TypeError):
        return ()


def _values_of_codes(kind: str, own: Feature, feature: Feature) -> np.ndarray | None:
    """Return what an input takes for each code of the table's column; None for the code, or the name, itself.

    Raises Refusal for words where the model takes numbers, and for numbers where it takes text.
    """
    if kind == TEXT:
        if not feature.categories:
            raise Refusal(NUMBERS_FOR_TEXT, name=feature.name)
        return None
    if kind == "tensor(bool)" and feature.kind == "yes/no":
        return None
    return model_values(own, feature, NO_FACTS)


def _checked_order(order: Sequence[int], n: int) -> list[int]:
    if sorted(order) != list(range(n)):
        raise ValueError(f"{list(order)} is no order of {n}: each from 0 to {n - 1} must stand in it once")
    return list(order)


def _check_table(one: dict, features: Sequence[Feature]) -> None:
    if one["type"] not in TABLES:
        raise Refusal(
            "the model's input “{name}” is a {type}; expected a table of numbers",
            name=one["name"],
            type=one["type"],
        )
    shape = one["shape"]
    if len(shape) != 2:
        raise Refusal(
            "the model's input “{name}” has {n} dimensions; expected rows and columns",
            name=one["name"],
            n=len(shape),
        )
    if shape[1] is not None and shape[1] != len(features):
        raise _other_count(shape[1], features)


def _other_count(n: int, features: Sequence[Feature]) -> Refusal:
    names = ", ".join(feature.name for feature in features[:8]) + (", …" if len(features) > 8 else "")
    return Refusal(
        "the model takes 1 column; the table has {features} features: {names}. Take the model's columns, in its "
        "order"
        if n == 1
        else "the model takes {n} columns; the table has {features} features: {names}. Take the model's "
        "columns, in its order",
        n=n,
        features=len(features),
        names=names,
    )


def _columns(outputs: list[dict], classes: Sequence[str]) -> list[int]:
    """Return the position of each class's share in the model's output."""
    has_names = any(output["type"] == "tensor(string)" for output in outputs)
    order = sorted(classes) if has_names else list(classes)
    return [order.index(name) for name in classes]


def _has_columns(one: dict) -> bool:
    return one["type"] in SHARES and len(one["shape"]) == 2 and one["shape"][1] != 1


CLASS_OUTPUTS = (
    _has_columns,
    lambda one: one["type"].startswith("seq(map("),
    lambda one: one["type"] in SHARES,
    lambda one: one["type"] in COLUMNS,
)
NUMBER_OUTPUTS = (lambda one: one["type"] in SHARES, lambda one: one["type"] in TABLES)


def _output(outputs: list[dict], is_classification: bool) -> dict:
    """Return the output to use: class shares rather than labels. Raises ValueError if there is no usable one."""
    for suits in CLASS_OUTPUTS if is_classification else NUMBER_OUTPUTS:
        for output in outputs:
            if suits(output):
                return output
    kinds = ", ".join(f"{output['name']} ({output['type']})" for output in outputs)
    raise Refusal(
        "the model's outputs are {kinds}; expected class shares or classes"
        if is_classification
        else "the model's outputs are {kinds}; expected a number for each row",
        kinds=kinds,
    )
