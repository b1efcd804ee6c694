"""A forest from a file in the terms of a table: its columns, codes of categories and units, and its classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from espalier.data.dataset import Feature, places_by_name
from espalier.data.options import CLOCK, DATE_PARTS, DAY, DURATION, Moment
from espalier.kernels.forest.packed import rows_of
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.forests.predictor import ForestPredictor
from espalier.learners.frames import number_of, places_of, spaceless_name
from espalier.learners.imports.categories import check_codes
from espalier.learners.imports.model import ImportedForest, ModelFacts, settle_columns
from espalier.learners.imports.nodes import CATEGORIES, MOST_CODES
from espalier.predict import linked, packed
from espalier.trees import LEAF, Forest, Tree, make_forest, make_sum, read_only

TRUTH = ("false", "true")  # 0 and 1 for every library
MOST_SHOWN = 4  # categories in a message
WORDS = to_say(
    "the model takes numbers in the column {name}, and the table has words there: {names}; nobody knows how "
    "these were coded. Save a model that was fitted to the words, or take a table that has the numbers"
)
NUMBERS = to_say(
    "the model takes categories in the column {name} ({names}), and the table has numbers there; give the "
    "column the kind category"
)
NONE_THE_SAME = to_say(
    "none of the table's categories in the column {name} ({names}) is one that the model knows there ({own}); "
    "take the table that it was made with"
)
NO_MOMENT = to_say(
    "the model takes dates, times or durations in the column {name}, and the table has something else there; "
    "give the column the kind that it has in the model"
)
MOMENT = to_say(
    "the model takes numbers in the column {name}, and the table has dates or times there: nobody knows what the "
    "numbers count. Take a table that has the numbers; of a model from R, write the file with the present trees.R"
)
TIMES = to_say(
    "the model takes whole days in the column {name}, and the table has times of the day there, too; leave "
    "them out"
)
MISSING = to_say("{name}: categories that the model does not know count as missing: {names}.")
FIRST = to_say("{name}: categories that the model does not know count as {first}: {names}.")
# Returns threshold and set of codes for those, and the way of missing values, of the model's;
# raises Refusal. None: the column is the same in both.
TableColumn: TypeAlias = "Callable[[float, int, bool], tuple[float, int]] | None"


# Codes are never guessed: a category is one of the model's by its name, or by the number that it writes, and a
# moment by what both count. Where neither says it, the column is refused.
def table_column(own: Feature, feature: Feature, facts: ModelFacts) -> TableColumn:
    """Return how a column of the table has the splits of one of the model's; None where it is the same.

    Raises Refusal where values of one kind meet another, and nothing says which is which.
    """
    if own.moment is not None:
        return _moments(own.name, own.moment, feature.moment)
    values = model_values(own, feature, facts)
    return None if values is None else partial(split_codes, values, feature.kind == "category")


def split_codes(
    values: np.ndarray, is_set: bool, threshold: float, categories: int, missing_left: bool
) -> tuple[float, int]:
    """Return the threshold and the set of codes of a table for those of the model's split. Raises Refusal.

    `values` are those of `model_values`; `is_set` says whether the table's column is split by sets.
    """
    left = np.array([_passes(value, threshold, categories, missing_left) for value in values.tolist()])
    n = int(left.sum())
    if not is_set and left[:n].all():
        return n - 0.5, 0
    if len(left) > MOST_CODES:
        raise Refusal(CATEGORIES, n=MOST_CODES)
    return math.nan, sum(1 << code for code in np.flatnonzero(left).tolist())


def split_units(
    own: int, unit: int, since: int, threshold: float, categories: int, _missing_left: bool
) -> tuple[float, int]:
    """Return the greatest threshold that the table's moments or durations pass just where the model's do; no set.

    So many seconds are 1 in the model (`own`) and in the table (`unit`), and are the model's 0 at the table's 0
    (`since`).
    """
    if not math.isfinite(threshold):
        return threshold, categories
    exact = (Fraction(threshold) * own - since) / unit
    nearest = float(exact)
    return (nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)), 0


def model_values(own: Feature, feature: Feature, facts: ModelFacts) -> np.ndarray | None:
    """Return the model's number or code for each code of the table's column, nan for missing; None for the same.

    Neither column is of moments for the model. Raises Refusal as `table_column`.
    """
    if not own.categories:
        is_text = not all(number_of(name) is not None for name in feature.categories)
        check_codes(own, is_text, facts.codes == "values")
        return _numbers(own, feature)
    if not feature.categories:
        if feature.moment is None and own.categories == tuple(map(str, range(len(own.categories)))):
            return None  # the numbers are the codes
        raise Refusal(NUMBERS, name=own.name, names=list(own.categories[:MOST_SHOWN]))
    if own.categories == feature.categories and own.kind == feature.kind:
        return None
    places = places_of(own.categories, feature.categories)
    if (places < 0).all():
        first = {"names": list(feature.categories[:MOST_SHOWN]), "own": list(own.categories[:MOST_SHOWN])}
        raise Refusal(NONE_THE_SAME, name=own.name, **first)
    unknown = 0.0 if facts.names_others else math.nan
    return np.where(places < 0, unknown, places)


def unknown_categories(own: Feature, feature: Feature, facts: ModelFacts) -> Phrase | None:
    """Return a note on categories of the table that the model does not know; None if there are none."""
    if not own.categories or not feature.categories or own.categories == feature.categories:
        return None
    places = places_of(own.categories, feature.categories)
    names = [name for name, place in zip(feature.categories, places.tolist(), strict=True) if place < 0]
    values = {"name": feature.name, "names": names[:MOST_SHOWN] + ["…"] * (len(names) > MOST_SHOWN)}
    if not names:
        return None
    return Phrase(FIRST, values | {"first": own.categories[0]}) if facts.names_others else Phrase(MISSING, values)


def _numbers(own: Feature, feature: Feature) -> np.ndarray | None:
    """Return the numbers that the model takes for the codes of a column of the table; None for the codes."""
    counts = feature.moment is not None and feature.moment.part in (DATE_PARTS[0], CLOCK, DURATION)
    if counts:
        raise Refusal(MOMENT, name=own.name)
    if not feature.categories:
        return None
    values = _numbers_of(feature.categories)
    if values is None:
        raise Refusal(WORDS, name=own.name, names=list(feature.categories[:MOST_SHOWN]))
    is_same = feature.kind != "category" and values == [float(code) for code in range(len(values))]
    return None if is_same else np.array(values)


def _numbers_of(names: Sequence[str]) -> list[float] | None:
    """Return the numbers that all names write, or 0 and 1 for false and true; None for other names."""
    if all(name.casefold() in TRUTH for name in names):
        return [float(TRUTH.index(name.casefold())) for name in names]
    numbers = [number_of(name) for name in names]
    return [float(number) for number in numbers if number is not None] if None not in numbers else None


def _moments(name: str, own: Moment, moment: Moment | None) -> TableColumn:
    counts = (CLOCK, DURATION) if own.part == DURATION else (own.part,)
    if moment is None or moment.part not in counts:
        raise Refusal(NO_MOMENT, name=name)
    if own.part != DURATION and own.unit == DAY != moment.unit:
        raise Refusal(TIMES, name=name)
    is_same = own.unit == moment.unit and not moment.since  # a model's moments count from 1970
    return None if is_same else partial(split_units, own.unit, moment.unit, moment.since * DAY)


def _passes(value: float, threshold: float, categories: int, missing_left: bool) -> bool:
    """Return whether a value goes left, as `kernels.route.passes` says."""
    if math.isnan(value):
        return missing_left
    if not math.isnan(threshold):
        return value <= threshold
    return bool(categories >> int(value) & 1) if 0 <= value < MOST_CODES else missing_left


# ---- A forest from a file in the terms of a table: its columns, the codes of their categories, and its classes

OTHER_COLUMNS = to_say(
    "the model takes {n} columns ({names}) that the table does not have by these names, but {features}; take "
    "the table that it was made with"
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
        own = [spaceless_name(feature.name) for feature in model.features_]
        places = places_by_name(features, spaceless_name)
        self.names_columns = model.facts.has_names and set(own) <= set(places)
        if not self.names_columns and len(own) != len(features):
            raise Refusal(OTHER_COLUMNS, n=len(own), names=own[:8], features=len(features))
        self._columns = [places[name] for name in own] if self.names_columns else list(range(len(features)))
        self._places = self._match_columns()
        self._take()

    def _match_columns(self) -> list[int]:
        """Return the table's class for each of the model's, by name or else in order. Raises Refusal."""
        labels = [str(label) for label in getattr(self._model, "classes_", ())]
        if bool(labels) != bool(self._labels):
            raise Refusal(TARGET_IS_NUMBER if labels else TARGET_HAS_CLASSES)
        if len(labels) != len(self._labels):
            raise Refusal(OTHER_CLASSES, n=len(labels), classes=len(self._labels), names=list(self._labels))
        self.names_classes = sorted(labels) == sorted(self._labels)
        return [self._labels.index(name) for name in labels] if self.names_classes else list(range(len(labels)))

    def _take(self) -> None:
        features = [self._features[at] for at in self._columns]
        model = settle_columns(self._model, [feature.categories or None for feature in features])
        pairs = {j: (model.features_[j], features[j], model.facts) for j in sorted(model.asked_)}
        columns = {j: table_column(*pair) for j, pair in pairs.items()}
        self.notes = (*model.unused_, *(note for pair in pairs.values() if (note := unknown_categories(*pair))))
        self.forest_ = rearrange(model.forest_, self._columns, columns, self._places)
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
            return self._answers
        raise AttributeError(name)

    def predict(self, X) -> np.ndarray:
        """Return class codes, or numbers, (n,)."""
        values = self._answers(X)
        return values.argmax(axis=1) if self._labels else values[:, 0]

    def _answers(self, X) -> np.ndarray:
        return linked(self.forest_, self.predictor_.sums(rows_of(X)))


def rearrange(
    forest: Forest, columns: Sequence[int], values: Mapping[int, TableColumn], classes: Sequence[int]
) -> Forest:
    """Return the forest whose column j is the table's `columns[j]`, and whose class j is `classes[j]`.

    `values[j]` says how the table's column has the values of column j; None leaves its splits as they are.
    """
    order, is_odds = np.argsort(classes), forest.link == "logistic"

    def scores(value: np.ndarray) -> np.ndarray:
        """Return values (n, n_outputs) with classes in the table's order; log odds turn their sign."""
        if is_odds:
            return value if order[0] == 0 else -value
        return np.ascontiguousarray(value[:, order]) if len(order) else value

    every: Any = forest.trees
    trees = tuple(
        _change_splits(tree, np.asarray(columns), values)._replace(value=read_only(scores(tree.value)))
        for tree in every
    )
    prior = forest.prior[order] if len(forest.prior) else forest.prior
    if forest.combine == "sum":
        return make_sum(trees, scores(forest.start[None])[0], forest.link, prior)
    return make_forest(trees, forest.weight, forest.combine, prior)


def _change_splits(tree: Tree, columns: np.ndarray, values: Mapping[int, TableColumn]) -> Tree:
    """Return the tree with other columns and codes."""
    is_split = tree.feature != LEAF
    feature = np.where(is_split, columns[np.maximum(tree.feature, 0)], LEAF).astype(np.int32)
    threshold, categories = tree.threshold.copy(), tree.categories.copy()
    for j, column in values.items():
        if column is None:
            continue
        for node in np.flatnonzero(tree.feature == j).tolist():
            split = float(tree.threshold[node]), int(tree.categories[node]), bool(tree.missing_left[node])
            threshold[node], categories[node] = column(*split)
    return tree._replace(
        feature=read_only(feature), threshold=read_only(threshold), categories=read_only(categories)
    )
