"""Models of other libraries as a `Forest` of ours: estimators that are fitted already."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

import espalier
from espalier.data.dataset import Feature
from espalier.kernels.forest.packed import rows_of
from espalier.language import Phrase, Refusal
from espalier.learners.forests.isolation import mean_path_length
from espalier.learners.forests.predictor import ForestPredictor
from espalier.predict import linked, packed
from espalier.trees import Forest


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


def unnamed(n: int) -> tuple[Feature, ...]:
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

        Raises Refusal for another number of columns, or for a table without a column that the model needs.
        """
        if isinstance(X, pd.DataFrame):
            X = _coded(X, self.facts)
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise Refusal(
                "the rows have the shape {shape}; the model takes {n} columns",
                shape=str(X.shape),
                n=self.n_features_in_,
            )
        return rows_of(X)

    def _sums(self, X: Any) -> np.ndarray:
        return self.predictor_.sums(self.rows(X))

    def _said(self, X: Any) -> np.ndarray:
        return linked(self.forest_, self._sums(X))


class ImportedClassifier(ClassifierMixin, ImportedForest):
    """Classifier of another library; attributes as `ImportedForest`, and ``classes_``, the labels in its order."""

    bends = False  # whether `predict_proba` is another function of the votes than their shares

    def __init__(self, forest: Forest, facts: ModelFacts):
        super().__init__(forest, facts)
        self.classes_ = np.array(facts.classes)

    def predict_proba(self, X) -> np.ndarray:
        """Return the shares of the classes, (n_samples, n_classes)."""
        return self._said(X)

    def predict(self, X) -> np.ndarray:
        """Return the class with the greatest share, (n_samples,), the first of equals."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class ImportedVotes(ImportedClassifier):
    """AdaBoost of scikit-learn: its trees vote, and a softmax of the votes says the shares.

    Zhu, Zou, Rosset & Hastie 2009, "Multi-class AdaBoost" (SAMME), equation 4.
    """

    bends = True

    def decision_function(self, X) -> np.ndarray:  # type: ignore[override]
        """Return the weighted votes for each class less the mean of those against it; of two classes (n,)."""
        votes = self._said(X)
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
        return self._said(X)[:, 0]


class ImportedOutliers(OutlierMixin, ImportedForest):
    """Isolation forest of scikit-learn, whose trees' values are path lengths."""

    def __init__(self, forest: Forest, facts: ModelFacts, max_samples: int = 256, offset: float = -0.5):
        super().__init__(forest, facts)
        self.max_samples = max_samples
        self.offset = offset

    def score_samples(self, X) -> np.ndarray:
        """Return scores from -1 (unusual) to 0, (n_samples,) (Liu, Ting & Zhou 2008, equation 2, negative)."""
        return -(2.0 ** -(self._said(X)[:, 0] / float(mean_path_length(self.max_samples))))

    def decision_function(self, X) -> np.ndarray:  # type: ignore[override]
        """Return the scores less the offset, (n_samples,): negative for unusual samples."""
        return self.score_samples(X) - self.offset

    def predict(self, X) -> np.ndarray:
        """Return -1 for unusual samples and 1 for the others, (n_samples,)."""
        return np.where(self.decision_function(X) < 0, -1, 1)


def model_of(forest: Forest, facts: ModelFacts) -> ImportedForest:
    """Return the estimator of a forest: of classes if there are any, else of a number."""
    return (ImportedClassifier if facts.classes else ImportedRegressor)(forest, facts)


def _coded(X: pd.DataFrame, facts: ModelFacts) -> np.ndarray:
    features = facts.features
    if facts.has_names:
        lacking = [feature.name for feature in features if feature.name not in X.columns]
        if lacking:
            raise Refusal("the table lacks columns that the model takes: {names}", names=lacking[:8])
        X = X.loc[:, [feature.name for feature in features]]
    if X.shape[1] != len(features):
        return np.empty(X.shape)
    numbers = _numbers_or_other if facts.names_others else _numbers
    return np.column_stack([numbers(X.iloc[:, j], feature) for j, feature in enumerate(features)])


def _numbers_or_other(values: pd.Series, feature: Feature) -> np.ndarray:
    """Return a column as numbers; of categories as positions, 0 for others, nan for missing or empty ones."""
    if not feature.categories:
        return _numbers(values, feature)
    names = values.astype(object)
    codes = pd.Index(feature.categories).get_indexer(pd.Index(names.astype(str)))
    return np.where((names.isna() | (names == "")).to_numpy(bool), np.nan, np.maximum(codes, 0).astype(np.float64))


def _numbers(values: pd.Series, feature: Feature) -> np.ndarray:
    """Return a column as numbers; of categories as positions among the model's, nan for others."""
    if feature.categories and not pd.api.types.is_numeric_dtype(values.dtype):
        codes = pd.Index(feature.categories).get_indexer(pd.Index(values.astype(object).astype(str)))
        return np.where(codes < 0, np.nan, codes.astype(np.float64))
    try:
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise Refusal(
            "the column {name} holds text, and the model takes numbers there", name=feature.name
        ) from None
