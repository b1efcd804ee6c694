"""A forest from a file in the terms of a table: its columns, the codes of their categories, and its classes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.data.features import places_by_name
from espalier.kernels.forest.packed import rows_of
from espalier.language import Refusal, to_say
from espalier.learners.forests.predictor import ForestPredictor
from espalier.learners.imports.model import ImportedForest, settled
from espalier.learners.imports.table_columns import TableColumn, table_column, unknown_categories
from espalier.predict import linked, packed
from espalier.trees import LEAF, Forest, Tree, make_forest, make_sum, read_only

OTHER_COLUMNS = to_say(
    "the model takes {n} columns ({names}) that the table does not have by these names, and the table has "
    "{features}; take the table that it was made with"
)
OTHER_CLASSES = to_say("the model knows {n} classes; the table has {classes}: {names}")
TARGET_IS_NUMBER = to_say("the model says classes, and the table's target is a number; choose another target")
TARGET_HAS_CLASSES = to_say("the model says a number, and the table's target has classes; choose another target")


class TableForest:
    """A model that predicts class codes or numbers for rows (n, n_features) in the form of `Dataset.X`.

    Columns that the model's file names as the table's file or the table does are matched by name, and so are
    classes (`names_columns`, `names_classes`), and it may take fewer columns than there are; else both stand in
    the table's order. `notes` say what of the model is not used, and which categories it does not know.
    """

    def __init__(self, model: ImportedForest, features: Sequence[Feature], classes: Sequence[str]):
        self._model, self._features, self._labels = model, tuple(features), tuple(classes)
        own = [_spaceless(feature.name) for feature in model.features_]
        places = places_by_name(features, _spaceless)
        self.names_columns = model.facts.has_names and set(own) <= set(places)
        if not self.names_columns and len(own) != len(features):
            raise Refusal(OTHER_COLUMNS, n=len(own), names=own[:8], features=len(features))
        self._columns = [places[name] for name in own] if self.names_columns else list(range(len(features)))
        self._places = self._matched()
        self._take()

    def _matched(self) -> list[int]:
        """Return the table's class for each of the model's, by name or else in order. Raises Refusal."""
        said = [str(label) for label in getattr(self._model, "classes_", ())]
        if bool(said) != bool(self._labels):
            raise Refusal(TARGET_IS_NUMBER if said else TARGET_HAS_CLASSES)
        if len(said) != len(self._labels):
            raise Refusal(OTHER_CLASSES, n=len(said), classes=len(self._labels), names=list(self._labels))
        self.names_classes = sorted(said) == sorted(self._labels)
        return [self._labels.index(name) for name in said] if self.names_classes else list(range(len(said)))

    def _take(self) -> None:
        features = [self._features[at] for at in self._columns]
        model = settled(self._model, [feature.categories or None for feature in features])
        pairs = {j: (model.features_[j], features[j], model.facts) for j in sorted(model.asked_)}
        columns = {j: table_column(*pair) for j, pair in pairs.items()}
        self.notes = (*model.unused_, *(note for pair in pairs.values() if (note := unknown_categories(*pair))))
        self.forest_ = rearranged(model.forest_, self._columns, columns, self._places)
        self.predictor_ = ForestPredictor(packed(self.forest_))  # type: ignore[arg-type]
        self.averages = model.facts.averages
        self.n_features_in_ = len(self._features)
        if self._labels:
            self.classes_ = np.arange(len(self._labels))

    def arranged(self, classes: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> TableForest:
        """Return the same model with its j-th class as the table's `classes[j]`, and its columns likewise."""
        other = TableForest(self._model, self._features, self._labels)
        if columns is not None:
            other._columns = list(columns)
        if classes is not None:
            other._places = list(classes)
        other._take()
        return other

    def __getattr__(self, name: str) -> Any:
        # Only a classifier has class shares: `hasattr` tells.
        if name == "predict_proba" and self.__dict__.get("_labels"):
            return self._said
        raise AttributeError(name)

    def predict(self, X) -> np.ndarray:
        """Return class codes, or numbers, (n,)."""
        said = self._said(X)
        return said.argmax(axis=1) if self._labels else said[:, 0]

    def _said(self, X) -> np.ndarray:
        return linked(self.forest_, self.predictor_.sums(rows_of(X)))


def _spaceless(name: str) -> str:
    """Return a name as LightGBM writes it."""
    return re.sub(r"\s", "_", name)


def rearranged(
    forest: Forest, columns: Sequence[int], values: Mapping[int, TableColumn], classes: Sequence[int]
) -> Forest:
    """Return the forest whose column j is the table's `columns[j]`, and whose class j is `classes[j]`.

    `values[j]` says how the table's column has the values of column j; None leaves its splits as they are.
    """
    change = TreeChange(np.asarray(columns), values, np.argsort(classes), forest.link == "logistic")
    trees = tuple(change(tree) for tree in forest.trees)  # type: ignore[arg-type]
    prior = forest.prior[change.classes] if len(forest.prior) else forest.prior
    if forest.combine == "sum":
        return make_sum(trees, change.scores(forest.start[None])[0], forest.link, prior)
    return make_forest(trees, forest.weight, forest.combine, prior)


class TreeChange:
    """Puts a tree into a table's terms."""

    def __init__(self, columns: np.ndarray, values: Mapping[int, TableColumn], classes: np.ndarray, is_odds: bool):
        self.columns, self.values, self.classes, self.is_odds = columns, values, classes, is_odds

    def __call__(self, tree: Tree) -> Tree:
        """Return the tree with other columns, codes and classes."""
        is_split = tree.feature != LEAF
        feature = np.where(is_split, self.columns[np.maximum(tree.feature, 0)], LEAF).astype(np.int32)
        threshold, categories = tree.threshold.copy(), tree.categories.copy()
        for j, column in self.values.items():
            if column is None:
                continue
            for node in np.flatnonzero(tree.feature == j).tolist():
                split = float(tree.threshold[node]), int(tree.categories[node]), bool(tree.missing_left[node])
                threshold[node], categories[node] = column.split(*split)
        return tree._replace(
            feature=read_only(feature),
            threshold=read_only(threshold),
            categories=read_only(categories),
            value=read_only(self.scores(tree.value)),
        )

    def scores(self, value: np.ndarray) -> np.ndarray:
        """Return values (n, n_outputs) with classes in the table's order; log odds turn their sign."""
        if self.is_odds:
            return value if self.classes[0] == 0 else -value
        return np.ascontiguousarray(value[:, self.classes]) if len(self.classes) else value
