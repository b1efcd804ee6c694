"""Isolation forests: a sample that few random cuts part from the others is unusual (Liu, Ting & Zhou 2008)."""

from __future__ import annotations

import math
from concurrent.futures import Executor
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from espalier.kernels.forest.bootstrap import TreeBatch
from espalier.kernels.forest.grow_random import grow_random, make_random_workspace
from espalier.kernels.forest.packed import parts_of, rows_of
from espalier.kernels.forest.random_split import RandomTable
from espalier.kernels.route import columns_of
from espalier.kernels.task import GrowthLimits
from espalier.learners.base import (
    NO_LIMIT,
    Learner,
    check_bool,
    check_jobs,
    check_weights,
    check_whole,
    is_number,
    is_whole,
    n_threads_of,
    weights_of,
)
from espalier.learners.cart import task_of_numbers
from espalier.learners.forests.of_any.fit_part import of_table
from espalier.learners.forests.predictor import ForestPredictor
from espalier.learners.forests.threads import GrowthPlan, grow_each, grow_in_tasks, grow_in_threads
from espalier.learners.frames import Choice
from espalier.predict import leaves, packed
from espalier.progress import Progress
from espalier.trees import AnyTree, Forest, Tree, depths, make_forest, make_tree, parents

USUAL_SAMPLES = 256  # drawn for each tree (Liu, Ting & Zhou 2008, section 4.2)
USUAL_OFFSET = -0.5  # score of a sample whose mean path is as long as the paths of random samples on average


def mean_path_length(n: np.ndarray | int) -> np.ndarray:
    """Return c(n), the mean path length of an unsuccessful search among n samples in a random tree, float64.

    ``c(n) = 2 H(n - 1) - 2 (n - 1) / n`` with the harmonic number H(i) = ln i + 0.5772… (Liu, Ting & Zhou 2008,
    equation 1); c(2) = 1, and c(1) = 0.

    >>> mean_path_length(np.array([1, 2, 256])).round(4).tolist()
    [0.0, 1.0, 10.2448]
    """
    n = np.asarray(n, dtype=np.float64)
    many = np.maximum(n, 3.0)
    length = 2.0 * (np.log(many - 1.0) + np.euler_gamma) - 2.0 * (many - 1.0) / many
    return np.where(n > 2, length, np.where(n > 1, 1.0, 0.0))


def score_offset(score: np.ndarray, contamination: float | str) -> float:
    """Return the score that separates unusual samples, which are below it.

    `score` (n_samples,) are those of the training data, `contamination` is that of `IsolationForest`. Raises
    ValueError for a contamination that cannot be used.

    >>> score_offset(np.array([-0.7, -0.5, -0.4, -0.4, -0.4]), 0.25)
    -0.5
    """
    if contamination == "auto":
        return USUAL_OFFSET
    if not (is_number(contamination) and 0 < contamination <= 0.5):  # type: ignore[operator]
        raise ValueError(
            f'contamination is {contamination!r}; it must be "auto" or the share of unusual samples, a float in '
            "the range (0.0, 0.5]"
        )
    return float(np.percentile(score, 100.0 * contamination))  # type: ignore[operator]


class IsolationForest(OutlierMixin, Learner):
    """Unusual samples, by how few random cuts part each from the others.

    Every tree grows on some of the samples: at a node a random feature is cut at a random threshold between the
    least and the greatest value, until samples are alone or as deep as a balanced tree of them would be. Unusual
    samples are soon alone (Liu, Ting & Zhou 2008).

    Parameters
    ----------
    n_estimators : number of trees
    max_samples : samples drawn for each tree: int, share of all (float), or "auto" for 256, or all if there are
        fewer
    contamination : share of unusual samples in the training data, above 0 and up to 0.5, by which `predict`
        separates; or "auto": samples with a score below -0.5 are unusual
    max_features : features drawn for each tree: int or share (float)
    bootstrap : whether samples are drawn with replacement
    n_jobs : threads; None for one, -1 for as many as there are processors; the result does not depend on it
    random_state : seed
    categorical_features : which columns are categories, of which a random set goes left; as in `CartClassifier`

    A missing value (nan) goes to a random side of a cut. Samples are drawn with chances in proportion to their
    weights.

    Attributes
    ----------
    forest_ : Forest, whose trees' values are path lengths, each with c(n) of the n samples in its leaf
    max_samples_ : samples drawn for each tree
    offset_ : score that separates unusual samples, which are below it

    Examples
    --------
    >>> model = IsolationForest(random_state=0).fit([[0.0], [0.1], [0.3], [0.2], [9.0]])
    >>> model.predict([[0.15], [50.0]])
    array([ 1, -1])
    """

    forest_: Forest
    offset_: float

    def __init__(
        self, *, n_estimators=100, max_samples: int | float | str = "auto",
        contamination: float | str = "auto", max_features: int | float = 1.0, bootstrap=False, n_jobs=None,
        random_state=None, categorical_features: Choice = "from_dtype",
    ):  # fmt: skip
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.contamination = contamination
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features

    def fit(
        self, X, y=None, sample_weight=None, progress: Progress | None = None, executor: Executor | None = None
    ):
        """Grow the trees on X (n_samples, n_features); y does not count.

        `progress` and `executor` as in `RandomForestClassifier.fit`. Raises ValueError for parameters or data that
        cannot be used, with the reason.
        """
        self._check_parameters()
        X = self._validated(X, None)
        weight = weights_of(sample_weight, X)
        check_weights(weight)
        self.max_samples_ = self._n_drawn(int((weight > 0).sum()))
        seeds = np.random.default_rng(self._seed()).integers(NO_LIMIT, size=self.n_estimators)
        trees: dict[int, AnyTree] = {}
        plan = GrowthPlan(len(seeds), self.max_samples_, n_threads_of(self.n_jobs))
        grow = IsolationGrowth(copy(self), X, weight, seeds)
        progress = progress or Progress()
        if executor is not None:
            trees.update(grow_in_tasks(executor, grow_each, grow, plan, progress))
        if not trees:
            grow_in_threads(grow, plan, progress, trees)
        grown = [trees[number] for number in sorted(trees)]
        self.forest_ = make_forest(grown, np.ones(len(grown)), "mean", np.empty(0))
        self.predictor_ = ForestPredictor(packed(self.forest_))  # type: ignore[arg-type]
        score = np.empty(0) if self.contamination == "auto" else self._scores(X)
        self.offset_ = score_offset(score, self.contamination)
        return self

    # ---- predictions

    def score_samples(self, X) -> np.ndarray:
        """Return scores from -1 (unusual) to 0, (n_samples,): -2 to the power of minus mean path length by c(n).

        n is ``max_samples_`` (Liu, Ting & Zhou 2008, equation 2, with the other sign, as scikit-learn has it).
        """
        return self._scores(self._samples(X))

    def decision_function(self, X) -> np.ndarray:
        """Return the scores less ``offset_``, (n_samples,): negative for unusual samples."""
        return self.score_samples(X) - self.offset_

    def predict(self, X) -> np.ndarray:
        """Return -1 for unusual samples and 1 for the others, (n_samples,)."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def path_lengths(self, X) -> np.ndarray:
        """Return the mean path length of each sample over the trees, (n_samples,)."""
        return self._lengths(self._samples(X))

    def cuts_saved(self, X) -> np.ndarray:
        """Return by how many cuts each feature shortens the paths of samples, (n_samples, n_features).

        In a node with n samples of its tree, c(n) more cuts are expected; a cut that leads to m of them has saved
        ``c(n) - c(m) - 1`` of these, which count for the feature that was cut. A feature's number is the sum over
        its cuts on the sample's path, on average over the trees. It is negative where the cuts parted the sample
        from fewer others than expected. The features of a sample sum to c(max_samples_) less its mean path length:
        as Saabas (2014) divides a prediction, they divide the length from which the score follows.

        >>> X = [[0.0, 1.0], [0.1, 1.1], [0.3, 0.9], [0.2, 1.0], [9.0, 1.0]]
        >>> model = IsolationForest(random_state=0).fit(X)
        >>> saved = model.cuts_saved([[9.0, 1.0]])
        >>> bool(saved[0, 0] > 0 > saved[0, 1])
        True
        """
        samples = rows_of(self._samples(X))
        saved = np.zeros(samples.shape)
        for tree in self.forest_.trees:
            _add_cuts_saved(tree, samples, saved)
        return saved / self.forest_.n_trees

    def _lengths(self, samples: np.ndarray) -> np.ndarray:
        check_is_fitted(self)
        rows = rows_of(samples)
        return np.concatenate([self.predictor_.sums(rows[span])[:, 0] for span in parts_of(len(rows), 1)])

    def _scores(self, samples: np.ndarray) -> np.ndarray:
        usual = float(mean_path_length(self.max_samples_))
        lengths = self._lengths(samples)
        return -(2.0 ** -(lengths / usual)) if usual > 0 else np.full(len(lengths), -0.5)

    # ---- growing

    def isolated(self, X: np.ndarray, weight: np.ndarray, seed: int, progress: Progress) -> Tree:
        """Grow the tree of a seed on samples drawn from X."""
        rng = np.random.default_rng(seed)
        features = np.sort(rng.choice(X.shape[1], self._n_features(X.shape[1]), replace=False))
        rows = self._drawn(weight, rng)
        table = RandomTable(columns_of(X[np.ix_(rows, features)]), self.is_categorical_[features])
        task, _ = task_of_numbers(rng.random(len(rows)), np.ones(len(rows)), "squared_error")
        deepest = max(math.ceil(math.log2(max(len(rows), 2))), 1)
        limits = GrowthLimits(deepest, 2, 1, 0.0, 0.0, 0, 1, True)
        work, seeds = make_random_workspace(table, task, spare=0), np.array([seed])
        ((tree, _),) = grow_random(table, task, limits, work, TreeBatch(seeds, 0, progress.array))
        return of_table(_of_lengths(tree), features)

    def _drawn(self, weight: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw the samples of a tree, ascending."""
        there = np.flatnonzero(weight > 0)
        heavy = weight[there]
        chances = None if (heavy == heavy[0]).all() else heavy / heavy.sum()
        return np.sort(there[rng.choice(len(there), self.max_samples_, self.bootstrap, chances, shuffle=False)])

    # ---- parameters

    def _n_drawn(self, n_samples: int) -> int:
        if self.max_samples == "auto":
            return min(USUAL_SAMPLES, n_samples)
        most: Any = self.max_samples
        return min(int(most), n_samples) if is_whole(most) else max(int(most * n_samples), 1)

    def _n_features(self, n_features: int) -> int:
        most = self.max_features
        return min(int(most), n_features) if is_whole(most) else max(int(most * n_features), 1)

    def _check_parameters(self) -> None:
        check_whole("n_estimators", self.n_estimators, least=1)
        check_jobs(self.n_jobs)
        check_bool("bootstrap", self.bootstrap)
        if self.max_samples != "auto":
            check_whole("max_samples", self.max_samples, least=1, share=True)
        check_whole("max_features", self.max_features, least=1, share=True)
        score_offset(np.zeros(1), self.contamination)


def _of_lengths(tree: Tree) -> Tree:
    """Return the tree with the path length of every node as its value: depth and c of the samples there."""
    length = depths(tree) + mean_path_length(tree.n_samples)
    return make_tree(*tree._replace(value=length[:, None]))


def _add_cuts_saved(tree: Any, samples: np.ndarray, saved: np.ndarray) -> None:
    """Add to `saved` (n_samples, n_features) the cuts that each feature of a tree saves each sample."""
    parent, step, rows = parents(tree), np.zeros(tree.n_nodes), np.arange(len(samples))
    step[1:] = (tree.value[parent, 0] - tree.value[:, 0])[1:]
    node = leaves(tree, samples)
    while len(rows := rows[node > 0]):
        node = node[node > 0]
        saved[rows, tree.feature[parent[node]]] += step[node]
        node = parent[node]


class IsolationGrowth(NamedTuple):
    """Grows the trees of a forest by their numbers."""

    forest: IsolationForest
    X: np.ndarray  # (n_samples, n_features)
    weight: np.ndarray  # (n_samples,)
    seeds: np.ndarray  # (n_trees,)

    def __call__(self, number: int, own: Progress) -> Tree:
        """Return a tree; as `Grow`."""
        return self.forest.isolated(self.X, self.weight, int(self.seeds[number]), own)
