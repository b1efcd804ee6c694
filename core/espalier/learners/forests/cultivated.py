"""Small forests of randomised cultivated trees, with abstention of uncertain trees.

Nalenz & Augustin (2021), section 5, suggest such forests as further work. A cultivated tree is an ensemble around
one structure; a few of them, with different features tried in each node, represent several structures.
"""

from __future__ import annotations

from concurrent.futures import Executor
from copy import copy
from functools import partial

import numpy as np

from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cultivated.module import ModuleData
from espalier.kernels.route import columns_of
from espalier.learners.base import NO_LIMIT, TrainingData, check_numbers
from espalier.learners.cultivated import Cultivated, CultivatedClassifier, CultivatedRegressor
from espalier.learners.forests.ensemble import bootstrap
from espalier.learners.forests.forest import ForestOfClasses, ForestOfNumbers, TreeForest
from espalier.learners.forests.growing import GrowthPlan, grow_each, grow_in_tasks, grow_in_threads
from espalier.learners.frames import Choice
from espalier.predict import shares_and_spreads
from espalier.progress import Progress
from espalier.trees import CultivatedTree


class _Forest(TreeForest, Cultivated):
    """Base of the classifier and the regressor; parameters are described in `CultivatedForestClassifier`."""

    bootstrap: bool
    abstain: float | None

    def _grow_all(self, training: TrainingData, progress: Progress, executor: Executor | None) -> None:
        self._seeds = np.random.default_rng(self._seed()).integers(NO_LIMIT, size=self.n_estimators)
        plan = GrowthPlan(len(self._seeds), len(training.y), self._n_threads())
        module_data = self._module_data(training)
        bare = copy(self)  # its own trees are not sent along
        bare._grown = {}
        growth = bare.tree_of, module_data, training
        if executor is not None:
            self._grown.update(grow_in_tasks(executor, grow_each, growth, plan, progress))
        if not self._grown:
            grow_in_threads(partial(*growth), plan, progress, self._grown)

    def tree_of(
        self, module_data: ModuleData, training: TrainingData, number: int, own: Progress
    ) -> CultivatedTree:
        """Grow the tree of this number; as `Grow`, after the data of all trees."""
        if self.bootstrap:
            module_data, training = self._redrawn(module_data, training, number)
        return self._tree_of(module_data, training, int(self._seeds[number]), own)

    def _draw_counts(self) -> np.ndarray:
        return (
            np.stack([self._draw_rows(number) for number in self._numbers])
            if self.bootstrap
            else super()._draw_counts()
        )

    def _draw_rows(self, number: int) -> np.ndarray:
        """Return how often a tree gets each sample, (n_used,) uint8."""
        return bootstrap(int(self._seeds[number]), np.arange(self._n_used), self._unit, self._n_used)

    def predict_spread(self, X) -> np.ndarray:
        """Return the spread of each prediction over the leaves of all trees that do not abstain, (n_samples,).

        Its square is the mean square of the trees' own spreads and the variance of their predictions, summed.
        """
        return self._pool_modules(X)[1]

    def speaking(self, X) -> np.ndarray:
        """Return which trees do not abstain from which sample, (n_trees, n_samples) bool.

        If all would, none does.
        """
        return _speaking(self._answers(X)[1], self.abstain)

    def _value(self, X) -> np.ndarray:
        return self._pool_modules(X)[0]

    def _pool_modules(self, X) -> tuple[np.ndarray, np.ndarray]:
        """Return mean (n_samples, n_outputs) and spread (n_samples,) over the trees that do not abstain."""
        means, spreads = self._answers(X)
        voice = _speaking(spreads, self.abstain) / 1.0
        voice /= voice.sum(axis=0)
        mean = np.einsum("ti,tik->ik", voice, means)
        between = ((means - mean) ** 2).sum(axis=2) / (2 if mean.shape[1] > 1 else 1)
        return mean, np.sqrt((voice * (spreads**2 + between)).sum(axis=0))

    def _answers(self, X) -> tuple[np.ndarray, np.ndarray]:
        """Return the trees' means (n_trees, n_samples, n_outputs) and spreads (n_trees, n_samples)."""
        samples = self._samples(X)
        with self._threads() as pool:
            ask = pool.map(lambda tree: shares_and_spreads(tree, samples), self.forest_.trees)
            means, spreads = zip(*ask, strict=True)
        return np.stack(means), np.stack(spreads)

    def _redrawn(
        self, module_data: ModuleData, training: TrainingData, number: int
    ) -> tuple[ModuleData, TrainingData]:
        """Draw as many samples as there are, with replacement."""
        times = self._draw_rows(number)
        is_drawn = times > 0
        X, weight = training.X[is_drawn], (training.weight * times)[is_drawn]
        columns = make_columns(columns_of(X), self.is_categorical_)
        moments = (module_data.moments * times[:, None])[is_drawn]
        data = TrainingData(X, training.y[is_drawn], weight)
        return module_data._replace(columns=columns, moments=moments), data

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_forest()
        self._check_bootstrap(self.bootstrap)
        if self.abstain is not None:
            check_numbers(self, ("abstain",))


def _speaking(spreads: np.ndarray, most: float | None) -> np.ndarray:
    """Return which trees have a spread of at most `most`, (n_trees, n_samples) bool; all where none has."""
    if most is None:
        return np.ones(spreads.shape, dtype=bool)
    speaks = spreads <= most
    return speaks | ~speaks.any(axis=0)


class CultivatedForestClassifier(ForestOfClasses, _Forest, CultivatedClassifier):
    """Classification by the mean of several randomised cultivated trees.

    Parameters
    ----------
    n_estimators : number of trees
    bootstrap : whether each tree grows on samples drawn with replacement, each as likely as any other whatever it
        weighs; its weight counts in the tree
    oob_score : whether `fit` predicts every sample by the trees that did not see it, without abstention
    abstain : spread above which a tree abstains from a prediction, unless all would; None: no tree abstains
    n_jobs : threads; None for one, -1 for as many as there are processors; the result does not depend on it

    All others are those of `CultivatedClassifier`, and of every tree. By default the trees are deeper than the
    paper's, since their mean overfits less, and each node sees half of the features. Few trees are enough: each
    is an ensemble already.

    Attributes
    ----------
    forest_ : Forest of CultivatedTree, whose values are class shares
    classes_ : (n_classes,) the labels, in order
    oob_decision_function_, oob_errors_ : as in `RandomForestClassifier`

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = CultivatedForestClassifier(n_estimators=5, random_state=0).fit(iris.X, iris.y)
    >>> model.score(iris.X, iris.y)
    0.98
    """

    def __init__(
        self, n_estimators=10, *, bootstrap=False, oob_score=False, abstain=None, n_jobs=None, max_depth=30,
        min_node_weight=2, eta=0.3, k="sqrt", robust_splits=True, options=True, min_fraction=0.0, share_power=0.0,
        max_features: int | float | str | None = 0.5, neighbourhoods=1, thresholds="midpoint",
        min_weight_fraction_leaf=0.0, ccp_alpha=0.0, class_weight=None, random_state=None,
        categorical_features: Choice = "from_dtype",
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            max_depth=max_depth, min_node_weight=min_node_weight, eta=eta, k=k, robust_splits=robust_splits,
            options=options, min_fraction=min_fraction, share_power=share_power, max_features=max_features,
            neighbourhoods=neighbourhoods, thresholds=thresholds,
            min_weight_fraction_leaf=min_weight_fraction_leaf, ccp_alpha=ccp_alpha, class_weight=class_weight,
            random_state=random_state, categorical_features=categorical_features,
            forbidden_features=forbidden_features,
        )  # fmt: skip
        self.n_estimators = n_estimators
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.abstain = abstain
        self.n_jobs = n_jobs


class CultivatedForestRegressor(ForestOfNumbers, _Forest, CultivatedRegressor):
    """Regression by the mean of several randomised cultivated trees.

    Parameters as in `CultivatedForestClassifier`, without `class_weight`; `abstain` is in the target's units.

    Attributes
    ----------
    forest_ : Forest of CultivatedTree, whose values are means
    oob_prediction_, oob_errors_ : as in `RandomForestRegressor`

    Examples
    --------
    >>> from espalier.data import samples
    >>> sine = samples.load("sine")
    >>> forest = CultivatedForestRegressor(n_estimators=5, random_state=0).fit(sine.X, sine.y)
    >>> forest.predict([[0.25]]).round(1)
    array([0.4])
    """

    def __init__(
        self, n_estimators=10, *, bootstrap=False, oob_score=False, abstain=None, n_jobs=None, max_depth=30,
        min_node_weight=2, eta=0.3, k="sqrt", robust_splits=True, options=True, min_fraction=0.0, share_power=0.0,
        max_features: int | float | str | None = 0.5, neighbourhoods=1, thresholds="midpoint",
        min_weight_fraction_leaf=0.0, ccp_alpha=0.0, random_state=None,
        categorical_features: Choice = "from_dtype",
        forbidden_features=None,
    ):  # fmt: skip
        super().__init__(
            max_depth=max_depth, min_node_weight=min_node_weight, eta=eta, k=k, robust_splits=robust_splits,
            options=options, min_fraction=min_fraction, share_power=share_power, max_features=max_features,
            neighbourhoods=neighbourhoods, thresholds=thresholds,
            min_weight_fraction_leaf=min_weight_fraction_leaf, ccp_alpha=ccp_alpha, random_state=random_state,
            categorical_features=categorical_features,
            forbidden_features=forbidden_features,
        )  # fmt: skip
        self.n_estimators = n_estimators
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.abstain = abstain
        self.n_jobs = n_jobs
