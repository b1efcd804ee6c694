"""Models to compare trees with, and to approximate by a tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

from espalier import learners

N_TREES = 500


def random_forest(seed: int, n_trees: int = N_TREES) -> RandomForestClassifier:
    """Return scikit-learn's random forest, not yet fitted, with its own defaults except the number of trees."""
    return RandomForestClassifier(n_trees, random_state=seed)


class Setup(NamedTuple):
    """Facts about the data that a black box needs."""

    is_classification: bool
    categorical: np.ndarray  # (n_features,) bool: columns of category codes
    seed: int = 0
    n_jobs: int = 1

    @property
    def categorical_features(self) -> np.ndarray | None:
        """The columns of category codes, if there are any."""
        return self.categorical if self.categorical.any() else None


class BlackBox(NamedTuple):
    """A kind of model that a page may offer: `make` returns the estimator, not yet fitted."""

    name: str  # in addresses
    title: str
    words: str  # description in one line
    make: Callable[[Setup], Any]


def _our_forest(setup: Setup) -> Any:
    make: Any = learners.RandomForestClassifier if setup.is_classification else learners.RandomForestRegressor
    return make(n_jobs=setup.n_jobs, random_state=setup.seed, categorical_features=setup.categorical_features)


def _boosting(setup: Setup) -> Any:
    make: Any = HistGradientBoostingClassifier if setup.is_classification else HistGradientBoostingRegressor
    return make(categorical_features=setup.categorical_features, random_state=setup.seed)


def _support_vectors(setup: Setup) -> Any:
    if not setup.is_classification:
        return _on_scaled(setup, SVR())
    shares: Any = {"cv": 3, "ensemble": False}  # turns distances to the boundary into class probabilities
    return _on_scaled(setup, CalibratedClassifierCV(SVC(), **shares))


def _network(setup: Setup) -> Any:
    make: Any = MLPClassifier if setup.is_classification else MLPRegressor
    return _on_scaled(setup, make(hidden_layer_sizes=(64, 32), max_iter=1_000, tol=1e-3, random_state=setup.seed))


def _neighbours(setup: Setup) -> Any:
    return _on_scaled(setup, KNeighborsClassifier(7) if setup.is_classification else KNeighborsRegressor(7))


def _linear(setup: Setup) -> Any:
    return _on_scaled(setup, LogisticRegression(max_iter=1_000) if setup.is_classification else Ridge())


def _cultivated_forest(setup: Setup) -> Any:
    make: Any = learners.CultivatedClassifier if setup.is_classification else learners.CultivatedRegressor
    return make(random_state=setup.seed, categorical_features=setup.categorical_features)


def _on_scaled(setup: Setup, model: Any) -> Any:
    """Return the model on standardised columns: gaps filled with medians, categories one-hot encoded."""
    numbers, codes = np.flatnonzero(~setup.categorical), np.flatnonzero(setup.categorical)
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = ColumnTransformer(
        [
            ("numbers", SimpleImputer(strategy="median", keep_empty_features=True), numbers),
            (
                "codes",
                make_pipeline(SimpleImputer(strategy="most_frequent", keep_empty_features=True), one_hot),
                codes,
            ),
        ]
    )
    pipeline = make_pipeline(columns, StandardScaler(), model)
    if setup.is_classification:
        return pipeline
    return TransformedTargetRegressor(pipeline, transformer=StandardScaler())


BLACK_BOXES = (
    BlackBox("forest", "Random forest", "A hundred trees of redrawn rows vote.", _our_forest),
    BlackBox("boosting", "Gradient boosting", "Small trees, each for what the earlier ones missed.", _boosting),
    BlackBox("svm", "Support vector machine", "A smooth border as far from the rows as can be.", _support_vectors),
    BlackBox("network", "Neural network", "A multi-layer perceptron with layers of 64 and 32.", _network),
    BlackBox("neighbours", "Nearest neighbours", "What the seven most similar rows say.", _neighbours),
    BlackBox("linear", "Logistic regression", "A weighted sum of the columns; ridge, for numbers.", _linear),
    BlackBox("cultivated", "Cultivated tree", "One tree whose splits may hesitate.", _cultivated_forest),
)


def black_box(name: str) -> BlackBox:
    """Return the black box of this name. Raises KeyError for an unknown one."""
    return {box.name: box for box in BLACK_BOXES}[name]
