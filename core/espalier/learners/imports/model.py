"""Models of other libraries as a `Forest` of ours: fitted estimators, also where unfitted ones stand."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

import espalier
from espalier.data.columns.dates import seconds_of
from espalier.data.dataset import Feature
from espalier.data.options import DAY, DURATION
from espalier.kernels.forest.out_of_bag import NO_PRIOR
from espalier.kernels.forest.packed import rows_of
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.forests.predictor import ForestPredictor
from espalier.learners.frames import spaceless_name
from espalier.learners.imports import categories
from espalier.learners.imports.categories import CategoryLists
from espalier.learners.imports.nodes import MOST_CODES
from espalier.predict import linked, packed, winners
from espalier.trees import Forest

NO_MOMENT = to_say(
    "the column {name} holds values of the type {type}, and the model takes dates or times there; make it "
    "datetime64"
)
NO_DURATION = to_say(
    "the column {name} holds values of the type {type}, and the model takes durations there; make it timedelta64"
)
NO_NUMBER = to_say(
    "the column {name} holds values of the type {type}, and the model takes numbers there; give the numbers that "
    "it was fitted to"
)
TIMES = to_say(
    "the column {name} holds times of the day, and the model takes whole days there; leave the times out"
)


def moments_of(values: pd.Series, own: Feature) -> np.ndarray | None:
    """Return a column as the model counts it, (n,) float64, nan where missing; None where neither is of moments.

    Raises Refusal for moments where the model takes others or numbers, and for numbers where it takes moments.
    """
    is_date = pd.api.types.is_datetime64_any_dtype(values.dtype)
    is_duration = pd.api.types.is_timedelta64_dtype(values.dtype)
    part = "" if own.moment is None else own.moment.part
    if not (is_date or is_duration or part):
        return None
    if (is_date, is_duration) != (part == "date", part == DURATION):
        text = {"": NO_NUMBER, DURATION: NO_DURATION}.get(part, NO_MOMENT)
        raise Refusal(text, name=own.name, type=str(values.dtype))
    seconds = seconds_of(values) if is_date else (values / pd.Timedelta(seconds=1)).to_numpy(np.float64)
    unit = own.moment.unit if own.moment else 1
    if is_date and unit == DAY and np.nanmax(seconds % DAY, initial=0) > 0:
        raise Refusal(TIMES, name=own.name)
    return seconds / unit


# ---- models of other libraries as a `Forest` of ours: estimators that are fitted already

ONE_NAME = to_say("the model has {name} as the name of several columns or classes, which no table tells apart")
OUT_OF_BOUNDS = to_say("the column {name} has the category {n}; a split here knows the codes 0 to {last}")


class ModelFacts(NamedTuple):
    """What a file or an object says of its model, beside its trees."""

    library: str  # and its version, where it is known
    features: tuple[Feature, ...]  # columns of X; a category's codes are positions among its categories
    classes: tuple[Any, ...] = ()  # labels; none for a number
    unused: tuple[Phrase, ...] = ()  # what the file has, and the model here does not
    scale: float = 1.0  # scores of the forest for one unit of the library's own raw score
    has_names: bool = True  # whether the features are named in the file
    averages: bool = False  # whether a link's scores are a mean over trees, none of which corrects others
    names_others: bool = False  # whether the first category of a column stands for all that it does not name
    has_values: bool = False  # whether an array has the categories themselves, not their codes
    codes: str = "values"  # of categories without names: the column's own "values", or "unknown"
    refuses_others: bool = False  # whether the library refuses categories that it was not fitted to
    breaks_ties: bool = False  # whether of equal shares the class wins that was the most frequent in training
    lists: CategoryLists | None = None  # of categories, where the file does not say which columns they belong to


def number_features(n: int) -> tuple[Feature, ...]:
    """Return n columns of numbers that a file does not name."""
    return tuple(Feature(f"x{number}") for number in range(n))


def _has_scores(model: Any) -> bool:
    return model.forest_.combine == "sum"


class ImportedForest(BaseEstimator):
    """Base of the models that `read_model` returns. It is fitted, and cannot be fitted again.

    Attributes
    ----------
    forest_ : Forest, with the trees of the file
    features_ : Feature of each column of X, with the categories that the file names
    library_ : the library that made it, with its version where the file says so
    unused_ : what of the file is not used, as phrases
    """

    def __init__(self, forest: Forest, facts: ModelFacts):
        self.forest, self.facts = forest, facts
        self.features_, self.library_, self.unused_ = facts.features, facts.library, facts.unused
        self.n_features_in_ = len(facts.features)
        if facts.has_names:
            self.feature_names_in_ = np.array([feature.name for feature in facts.features], dtype=object)

    @functools.cached_property
    def predictor_(self) -> ForestPredictor:
        """The forest in the arrays by which it predicts fastest: made when it is first asked."""
        return ForestPredictor(packed(self.forest))  # type: ignore[arg-type]

    @functools.cached_property
    def asked_(self) -> set[int]:
        """The columns that splits ask for."""
        return categories.columns_asked(self.forest)

    @property
    def forest_(self) -> Forest:
        """The trees, and how they combine."""
        return self.forest

    def __sklearn_is_fitted__(self) -> bool:
        """Return True: it came so."""
        return True

    def _html_repr(self) -> str:
        """Return what notebooks show: some of its trees."""
        return espalier.picture(self)

    @available_if(_has_scores)
    def decision_function(self, X) -> np.ndarray:
        """Return the library's raw scores: (n_samples,), or (n_samples, n_classes) of several classes."""
        scores = (self._sums(X) + self.forest_.start) / self.facts.scale
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X) -> np.ndarray:
        """Return what the model says of X (n_samples, n_features), (n_samples,)."""
        raise NotImplementedError

    def rows(self, X: Any) -> np.ndarray:
        """Return X (n_samples, n_features) as numbers: a table by the names of its columns, text as codes.

        An array has the codes of categories, or where the library's arrays have them, the categories themselves.
        Raises Refusal for another number of columns, for a table without a column that the model needs, and for
        categories whose codes the file does not say.
        """
        if isinstance(X, pd.DataFrame):
            X = _code_cells(_order_columns(X, self.facts), self)
        elif self.facts.has_values and np.ndim(X) == 2 and np.shape(X)[1] == self.n_features_in_:
            X = _code_cells(pd.DataFrame(X), self)
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise Refusal(
                "the rows have the shape {shape}; the model takes {n} columns",
                shape=str(X.shape),
                n=self.n_features_in_,
            )
        if self.facts.refuses_others:
            _check_bounds(X, self)
        return rows_of(X)

    def _sums(self, X: Any) -> np.ndarray:
        return self.predictor_.sums(self.rows(X))

    def _answers(self, X: Any) -> np.ndarray:
        return linked(self.forest_, self._sums(X))


class ImportedClassifier(ClassifierMixin, ImportedForest):
    """Classifier of another library; attributes as `ImportedForest`, and ``classes_``, the labels in its order."""

    bends = False  # whether `predict_proba` is another function of the votes than their shares

    def __init__(self, forest: Forest, facts: ModelFacts):
        super().__init__(forest, facts)
        self.classes_ = np.array(facts.classes)

    def predict_proba(self, X) -> np.ndarray:
        """Return the shares of the classes, (n_samples, n_classes)."""
        return self._answers(X)

    def predict(self, X) -> np.ndarray:
        """Return the class with the greatest share, (n_samples,); of equals the first, or by `breaks_ties`."""
        prior = self.forest_.prior if self.facts.breaks_ties else NO_PRIOR
        return self.classes_[winners(self.predict_proba(X), prior)]


class ImportedVotes(ImportedClassifier):
    """AdaBoost of scikit-learn: its trees vote, and a softmax of the votes says the shares.

    Zhu, Zou, Rosset & Hastie 2009, "Multi-class AdaBoost" (SAMME), equation 4.
    """

    bends = True

    def decision_function(self, X) -> np.ndarray:  # type: ignore[override]
        """Return the weighted votes for each class less the mean of those against it; of two classes (n,)."""
        votes = self._answers(X)
        if votes.shape[1] == 2:
            return 2 * (votes[:, 1] - votes[:, 0])
        return votes - (1 - votes) / (votes.shape[1] - 1)

    def predict_proba(self, X) -> np.ndarray:
        """Return the softmax of the scores, (n_samples, n_classes)."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return softmax(np.column_stack([-scores, scores]) / 2, axis=1)
        return softmax(scores / (scores.shape[1] - 1), axis=1)


class ImportedRegressor(RegressorMixin, ImportedForest):
    """Model of numbers of another library; attributes as `ImportedForest`."""

    def predict(self, X) -> np.ndarray:
        """Return the predicted numbers, (n_samples,)."""
        return self._answers(X)[:, 0]


def model_of(forest: Forest, facts: ModelFacts) -> ImportedForest:
    """Return the estimator of a forest: of classes if there are any, else of a number.

    Raises Refusal for columns, or classes, of the same name.
    """
    columns = [feature.name for feature in facts.features] if facts.has_names else []
    for names in (columns, list(facts.classes)):
        if len(set(names)) < len(names):
            raise Refusal(ONE_NAME, name=str(next(name for name in names if names.count(name) > 1)))
    return (ImportedClassifier if facts.classes else ImportedRegressor)(forest, facts)


def settle_columns(
    model: ImportedForest, texts: Sequence[Sequence[str] | None], are_typed: Sequence[bool] = ()
) -> ImportedForest:
    """Return the model with the names of its categories, which for some files only the table settles.

    `texts` are the names of a table's categories, or its numbers as `category_name`, in the column of each of the
    model's features, None for numbers of which nothing is known; `are_typed` says which of them have pandas' type
    of categories. Raises Refusal where nobody knows whether a column that a split asks for has such a list.
    """
    lists = model.facts.lists
    if lists is None:
        return model
    features, unsure = categories.name_categories(model.features_, lists, model.asked_, texts, are_typed)
    if unsure:
        raise Refusal(categories.WHICH_LIST, name=model.features_[min(unsure)].name)
    new = {j for j, feature in enumerate(features) if feature.categories and model.features_[j].kind == "number"}
    forest = categories.with_sets(model.forest_, features, new)
    return type(model)(forest, model.facts._replace(features=features, lists=None))


def _order_columns(X: pd.DataFrame, facts: ModelFacts) -> pd.DataFrame:
    """Return the columns that the model takes, by their names if the file has them. Raises Refusal."""
    if not facts.has_names:
        return X
    names = [str(name) for name in X.columns]
    place = {spaceless_name(name): j for j, name in enumerate(names)} | {name: j for j, name in enumerate(names)}
    lacking = [feature.name for feature in facts.features if feature.name not in place]
    if lacking:
        raise Refusal("the table lacks columns that the model takes: {names}", names=lacking[:8])
    return X.iloc[:, [place[feature.name] for feature in facts.features]]


def _code_cells(X: pd.DataFrame, model: ImportedForest) -> np.ndarray:
    """Return a table in the model's order as numbers; columns that no split asks for may be nan."""
    if X.shape[1] != len(model.features_):
        return np.empty(X.shape)
    if model.facts.lists is not None:
        model = settle_columns(
            model, categories.texts_of(X), [isinstance(kind, pd.CategoricalDtype) for kind in X.dtypes]
        )
    return np.column_stack([_numbers(X.iloc[:, j], model, j) for j in range(X.shape[1])])


def _numbers(values: pd.Series, model: ImportedForest, j: int) -> np.ndarray:
    own, facts = model.features_[j], model.facts
    if own.kind == "category" and j not in model.asked_:
        return np.full(len(values), np.nan)
    if (moments := moments_of(values, own)) is not None:
        return moments
    if own.categories:
        return categories.codes_of(values, own, facts.names_others, facts.refuses_others)
    categories.check_codes(own, not categories.is_numeric(values), facts.codes == "values")
    return categories.numbers_of(values, own.name)


def _check_bounds(X: np.ndarray, model: ImportedForest) -> None:
    for j in model.asked_:
        if model.features_[j].kind == "category":
            wrong = X[(X[:, j] < 0) | (X[:, j] >= MOST_CODES), j]
            if len(wrong):
                raise Refusal(OUT_OF_BOUNDS, name=model.features_[j].name, n=float(wrong[0]), last=MOST_CODES - 1)


# ---- A model that is fitted already, where estimators stand that are to be fitted


class ReadyModel(BaseEstimator):
    """A fitted model in a table's terms (`TableForest`, `OnnxModel`), which `fit` leaves as it is.

    It has ``predict_proba`` and ``classes_`` if the model has, and ``forest_`` if the model is one.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.base import clone
    >>> ready = ReadyModel(DummyClassifier().fit([[0.0], [1.0], [2.0]], [1, 1, 0]))
    >>> clone(ready).fit([[0.0]], [0]).predict([[5.0]]).tolist()
    [1]
    """

    def __init__(self, model: Any):
        self.model = model

    def fit(self, X, y, sample_weight=None) -> ReadyModel:
        """Return the model as it is."""
        return self

    def predict(self, X) -> np.ndarray:
        """Return what the model says of X (n_samples, n_features), (n_samples,)."""
        return self.model.predict(X)

    def __getattr__(self, name: str) -> Any:
        # Only a classifier has classes and their shares, and only some models are forests: `hasattr` tells.
        if name in ("predict_proba", "classes_", "forest_", "averages") and "model" in self.__dict__:
            return getattr(self.__dict__["model"], name)
        raise AttributeError(name)

    def __sklearn_clone__(self) -> ReadyModel:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @cached_property
    def n_trees_per_iteration_(self) -> int:
        """Trees of a round: of scores of several classes as many, where each tree adds to the next one's."""
        forest: Forest = self.forest_
        k = len(forest.start) if forest.combine == "sum" else 1
        if k < 2 or forest.n_trees % k:
            return 1
        trees: Any = forest.trees
        takes_turns = all(not np.delete(tree.value, i % k, axis=1).any() for i, tree in enumerate(trees))
        return k if takes_turns else 1
