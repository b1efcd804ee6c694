"""Extremely randomised trees: random thresholds on random features (Geurts, Ernst & Wehenkel 2006)."""

from __future__ import annotations

from collections.abc import Callable

from espalier.learners.forests.random import RandomForestClassifier, RandomForestRegressor
from espalier.learners.frames import Choice
from espalier.learners.monotone import Directions


class ExtraTreesClassifier(RandomForestClassifier):
    """Classification by many extremely randomised trees, each grown on all samples.

    At every node one threshold is drawn for each of a few random features, uniformly between the least and the
    greatest value of the node's samples; the best of these splits is made (Geurts, Ernst & Wehenkel 2006, table
    1). Of categories a random set goes left. Growing needs no sorting, and the trees resemble each other less than
    those of a random forest.

    Parameters
    ----------
    bootstrap : whether each tree grows on as many samples as there are, drawn with replacement; else on all

    All others are those of `RandomForestClassifier`, without `splitter`. Under "gain_ratio", and with
    `max_leaf_nodes`, trees grow from sorted columns, which takes longer.

    Missing values (nan) go to the side that gives the better split, as in `CartClassifier`.

    Attributes
    ----------
    As of `RandomForestClassifier`; ``estimators_`` are of `CartClassifier` with ``splitter="random"``.

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = ExtraTreesClassifier(n_estimators=20, random_state=0).fit(iris.X, iris.y)
    >>> model.predict(iris.X[[0, 50, 100]])
    array([0, 1, 2])
    """

    splitter = "random"

    def __init__(
        self, n_estimators=100, *, criterion="gini", max_depth=None, min_samples_split=2, min_samples_leaf=1,
        min_weight_fraction_leaf=0.0, max_features: int | float | str | None = "sqrt", max_leaf_nodes=None,
        min_impurity_decrease=0.0, ccp_alpha=0.0, bootstrap=False, max_samples=None, voting="average",
        oob_score: bool | Callable = False, warm_start=False, class_weight=None, n_jobs=None, random_state=None,
        categorical_features: Choice = "from_dtype", monotonic_cst: Directions = None,
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            n_estimators=n_estimators, criterion=criterion, max_depth=max_depth,
            min_samples_split=min_samples_split, min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf, max_features=max_features,
            max_leaf_nodes=max_leaf_nodes, min_impurity_decrease=min_impurity_decrease, ccp_alpha=ccp_alpha,
            bootstrap=bootstrap, max_samples=max_samples, voting=voting, oob_score=oob_score,
            warm_start=warm_start, class_weight=class_weight, n_jobs=n_jobs, random_state=random_state,
            categorical_features=categorical_features, splitter="random", monotonic_cst=monotonic_cst,
            forbidden_features=forbidden_features,
        )  # fmt: skip


class ExtraTreesRegressor(RandomForestRegressor):
    """Regression by the mean of many extremely randomised trees, each grown on all samples.

    Thresholds are drawn as in `ExtraTreesClassifier`; a threshold is drawn for every feature, as Geurts, Ernst &
    Wehenkel (2006, section 2.2) recommend for numbers.

    Parameters
    ----------
    bootstrap : whether each tree grows on as many samples as there are, drawn with replacement; else on all

    All others are those of `RandomForestRegressor`, without `splitter`. Under "absolute_error" and "poisson", and
    with `max_leaf_nodes`, trees grow from sorted columns, which takes longer.

    Attributes
    ----------
    As of `RandomForestRegressor`; ``estimators_`` are of `CartRegressor` with ``splitter="random"``.

    Examples
    --------
    >>> from espalier.data import samples
    >>> sine = samples.load("sine")
    >>> model = ExtraTreesRegressor(n_estimators=50, min_samples_leaf=5, random_state=0).fit(sine.X, sine.y)
    >>> model.predict([[0.25]]).round(1)
    array([0.3])
    """

    splitter = "random"

    def __init__(
        self, n_estimators=100, *, criterion="squared_error", max_depth=None, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_features: int | float | str | None = 1.0,
        max_leaf_nodes=None, min_impurity_decrease=0.0, ccp_alpha=0.0, bootstrap=False, max_samples=None,
        oob_score: bool | Callable = False, warm_start=False, n_jobs=None, random_state=None,
        categorical_features: Choice = "from_dtype", keep_leaves=False, monotonic_cst: Directions = None,
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            n_estimators=n_estimators, criterion=criterion, max_depth=max_depth,
            min_samples_split=min_samples_split, min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf, max_features=max_features,
            max_leaf_nodes=max_leaf_nodes, min_impurity_decrease=min_impurity_decrease, ccp_alpha=ccp_alpha,
            bootstrap=bootstrap, max_samples=max_samples, oob_score=oob_score, warm_start=warm_start,
            n_jobs=n_jobs, random_state=random_state, categorical_features=categorical_features,
            splitter="random", keep_leaves=keep_leaves, monotonic_cst=monotonic_cst,
            forbidden_features=forbidden_features,
        )  # fmt: skip
