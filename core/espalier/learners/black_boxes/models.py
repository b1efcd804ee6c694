"""Models that nobody can read: to hold trees against, and to ask which thresholds matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    GradientBoostingClassifier,
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

from espalier.data.binarise import midpoint

N_TREES = 500

# The ensembles that are only asked for thresholds: their favourites are the same long before they predict well.
ASKED_TREES = 50
ASKED_BOOSTED = 60  # trees of all rounds: with more classes there are fewer rounds
ASKED_SAMPLES = 5_000
FOREST_DEPTH, BOOSTED_DEPTH = 6, 3
CROWDED = 4  # thresholds fewer samples apart than one part in so many of an even share are of a crowd


def random_forest(seed: int, n_trees: int = N_TREES) -> RandomForestClassifier:
    """scikit-learn's random forest with its own defaults but for the number of trees; not yet grown."""
    return RandomForestClassifier(n_trees, random_state=seed)


def forest_thresholds(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, seed: int, max_thresholds: int | None
) -> list[np.ndarray]:
    """For each column of X (n_samples, n_features), nan where missing: the thresholds a random forest relies on.

    The at most `max_thresholds` (None: all it uses) with the greatest decrease of impurity over all its trees,
    ascending; of equals the lower. Its trees are so alike that their favourites crowd around the best split: of
    a crowd only the best is taken, and others where too few are left. y (n_samples,) are class numbers, `weight`
    (n_samples,) or None for ones.
    """
    part = _part(X, y, weight, seed)
    if part.has_one_class:
        return [np.empty(0) for _ in X.T]
    columns = [_ranked(column) for column in part.X.T]
    ranks = np.column_stack([column.ranks for column in columns])
    forest = random_forest(seed, ASKED_TREES).set_params(max_depth=FOREST_DEPTH).fit(ranks, part.y, part.weight)
    favourites = _favourites(forest.estimators_, len(columns))
    if max_thresholds is not None:
        favourites = [_thinned(f, c.below, max_thresholds) for f, c in zip(favourites, columns, strict=True)]
    return [_thresholds(c, f[:max_thresholds]) for f, c in zip(favourites, columns, strict=True)]


def boosted_thresholds(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, seed: int, max_thresholds: int | None
) -> list[np.ndarray]:
    """As `forest_thresholds`, of gradient boosting.

    Its trees look for what earlier ones left unexplained, so that crowds need no thinning.
    """
    part = _part(X, y, weight, seed)
    if part.has_one_class:
        return [np.empty(0) for _ in X.T]
    columns = [_ranked(column) for column in part.X.T]
    ranks = np.nan_to_num(np.column_stack([column.ranks for column in columns]), nan=-1.0)  # it takes no nan
    n_classes = len(np.unique(part.y))
    rounds = max(ASKED_BOOSTED // (n_classes if n_classes > 2 else 1), 3)
    model = GradientBoostingClassifier(
        n_estimators=rounds, max_depth=BOOSTED_DEPTH, learning_rate=0.3, random_state=seed
    )
    model.fit(ranks, part.y, part.weight)
    favourites = _favourites(model.estimators_.ravel(), len(columns))
    return [_thresholds(c, f[:max_thresholds]) for f, c in zip(favourites, columns, strict=True)]


class _Part(NamedTuple):
    """The samples that an ensemble is grown on."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None

    @property
    def has_one_class(self) -> bool:
        return bool((self.y == self.y[0]).all())


class _Ranked(NamedTuple):
    """A column by the ranks of its values, which single precision holds exactly, and infinities have them too."""

    ranks: np.ndarray  # (n_samples,) float64: 0, 1, ... of the distinct values; nan where missing
    values: np.ndarray  # (n_values,): what the ranks stand for
    below: np.ndarray  # (n_values,) int64: samples with at most this value


def _part(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, seed: int) -> _Part:
    """At most about `ASKED_SAMPLES`, drawn with the classes in their proportions and at least one of each."""
    if len(y) <= ASKED_SAMPLES:
        return _Part(X, y, weight)
    rng = np.random.default_rng(seed)
    rows = []
    for label in np.unique(y):
        of_class = np.flatnonzero(y == label)
        rows.append(rng.choice(of_class, -(-len(of_class) * ASKED_SAMPLES // len(y)), replace=False))
    rows = np.sort(np.concatenate(rows))
    return _Part(X[rows], y[rows], None if weight is None else weight[rows])


def _ranked(column: np.ndarray) -> _Ranked:
    known = ~np.isnan(column)
    values, position, counts = np.unique(column[known], return_inverse=True, return_counts=True)
    ranks = np.full(len(column), np.nan)
    ranks[known] = position
    return _Ranked(ranks, values, np.cumsum(counts))


def _favourites(trees: Iterable, n_features: int) -> list[np.ndarray]:
    """For each feature: after which ranks the trees cut it, the greatest decrease of impurity first."""
    found = [_cuts_of_tree(tree.tree_) for tree in trees]
    feature, at, decrease = (np.concatenate(parts) for parts in zip(*found, strict=True))
    parting = np.isfinite(at) & (at >= 0)  # others part known values from missing ones
    feature, rank, decrease = feature[parting], np.floor(at[parting]).astype(np.int64), decrease[parting]
    favourites = []
    for of_feature in (feature == f for f in range(n_features)):
        ranks, position = np.unique(rank[of_feature], return_inverse=True)
        sums = np.bincount(position, decrease[of_feature], len(ranks))
        favourites.append(ranks[np.argsort(-sums, kind="stable")])
    return favourites


def _cuts_of_tree(tree) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each split: its feature, its threshold, and the decrease of impurity times the weight in the node."""
    node = np.flatnonzero(tree.feature >= 0)
    left, right = tree.children_left[node], tree.children_right[node]
    amount = tree.weighted_n_node_samples * tree.impurity
    return tree.feature[node], tree.threshold[node], amount[node] - amount[left] - amount[right]


def _thinned(favourites: np.ndarray, below: np.ndarray, most: int) -> np.ndarray:
    """The ranks with those at the end that are too close to a better one, as long as `most` stand before them."""
    first, later = [], []
    for rank in favourites.tolist():
        apart = np.abs(below[first] - below[rank]) * (CROWDED * most)
        (first if len(first) < most and (apart > below[-1]).all() else later).append(rank)
    return np.array([*first, *later], dtype=np.int64)


def _thresholds(column: _Ranked, ranks: np.ndarray) -> np.ndarray:
    """The thresholds after these ranks, ascending."""
    after = np.sort(ranks)
    return midpoint(column.values[after], column.values[after + 1])


# ---- models to be approximated


class Setup(NamedTuple):
    """What a black box is told of the data."""

    is_classification: bool
    categorical: np.ndarray  # (n_features,) bool: columns of category codes
    seed: int = 0
    n_jobs: int = 1


class BlackBox(NamedTuple):
    """A kind of model that a page may offer: `make` gives the estimator, not yet fitted."""

    name: str  # in addresses
    title: str
    words: str  # what it is, in a line
    make: Callable[[Setup], Any]


def _our_forest(setup: Setup) -> Any:
    from espalier import learners  # not above: trees of forests ask this file for thresholds

    make: Any = learners.RandomForestClassifier if setup.is_classification else learners.RandomForestRegressor
    categorical = setup.categorical if setup.categorical.any() else None
    return make(n_jobs=setup.n_jobs, random_state=setup.seed, categorical_features=categorical)


def _boosting(setup: Setup) -> Any:
    make: Any = HistGradientBoostingClassifier if setup.is_classification else HistGradientBoostingRegressor
    categorical = setup.categorical if setup.categorical.any() else None
    return make(categorical_features=categorical, random_state=setup.seed)


def _support_vectors(setup: Setup) -> Any:
    if not setup.is_classification:
        return _on_scaled(setup, SVR())
    shares: Any = {"cv": 3, "ensemble": False}  # distances to the border become chances of the classes
    return _on_scaled(setup, CalibratedClassifierCV(SVC(), **shares))


def _network(setup: Setup) -> Any:
    make: Any = MLPClassifier if setup.is_classification else MLPRegressor
    return _on_scaled(setup, make(hidden_layer_sizes=(64, 32), max_iter=1_000, tol=1e-3, random_state=setup.seed))


def _neighbours(setup: Setup) -> Any:
    return _on_scaled(setup, KNeighborsClassifier(7) if setup.is_classification else KNeighborsRegressor(7))


def _linear(setup: Setup) -> Any:
    return _on_scaled(setup, LogisticRegression(max_iter=1_000) if setup.is_classification else Ridge())


def _cultivated(setup: Setup) -> Any:
    from espalier import learners  # as in `_our_forest`

    make: Any = learners.CultivatedClassifier if setup.is_classification else learners.CultivatedRegressor
    categorical = setup.categorical if setup.categorical.any() else None
    return make(random_state=setup.seed, categorical_features=categorical)


def _on_scaled(setup: Setup, model: Any) -> Any:
    """The model on columns of mean 0 and deviation 1: gaps filled with medians, categories as zeros and ones."""
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
    BlackBox("cultivated", "Cultivated tree", "One tree whose splits may hesitate.", _cultivated),
)


def black_box(name: str) -> BlackBox:
    """The black box of this name. Raises KeyError for an unknown one."""
    return {box.name: box for box in BLACK_BOXES}[name]
