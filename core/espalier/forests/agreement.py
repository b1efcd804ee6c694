"""Similarity of a forest's trees, their joint accuracy, and the differences between two forests.

A forest is as good as its trees are strong, and better to the extent that they err on different samples. Ho (1998)
counts how often two trees vote alike; Breiman (2001) bounds the forest's error by strength and correlation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np
from joblib import effective_n_jobs
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import pdist, squareform
from threadpoolctl import threadpool_limits

from espalier import predict
from espalier.language import Refusal
from espalier.predict import ALIKE
from espalier.trees import AnyTree, Forest


# The error of a forest falls as the variance of the mean of B identically distributed numbers with variance
# sigma^2 and pairwise correlation rho (Breiman 2001; Hastie, Tibshirani & Friedman 2009, equation 15.1). More
# trees remove the second term; only less similar trees reduce the first.
class Fall(NamedTuple):
    """Variance of a mean of trees as their number grows."""

    variance: float  # sigma^2: of one tree
    correlation: float  # rho: of two trees

    @property
    def floor(self) -> float:
        """Limit for many trees: rho sigma^2."""
        return self.correlation * self.variance

    def of(self, n_trees: np.ndarray | int) -> np.ndarray:
        """rho sigma^2 + (1 - rho) sigma^2 / B for each number B of trees (m,)."""
        return self.floor + (self.variance - self.floor) / np.asarray(n_trees, dtype=np.float64)


# ---- similarity of a forest's trees, their joint accuracy, and the differences between two forests

CHUNK = 20_000  # samples whose products are summed together: counts up to it are exact in float32
T = TypeVar("T")


class Strength(NamedTuple):
    """Strength and correlation of a classification forest (Breiman 2001, section 2)."""

    margin: np.ndarray  # (n_samples,): share of votes for the right class minus the next best; nan: no tree votes
    strength: float  # s, the mean margin
    correlation: float  # rho: of the trees' raw margins
    bound: float  # rho (1 - s^2) / s^2: upper bound of the forest's error; nan for s <= 0
    error: float  # share of misclassified samples: margin below 0
    fall: Fall  # the variance of the margin over the samples, by the number of trees


class Residuals(NamedTuple):
    """Errors and correlation of a regression forest (Breiman 2001, section 11); less of both is better."""

    tree_error: float  # mean squared error of a tree, on average
    error: float  # mean squared error of the forest
    correlation: float  # rho: of two trees' residuals, weighted by how large they are
    bound: float  # rho times the trees' error: limit of the error of a forest of many trees
    fall: Fall  # the mean squared error, by the number of trees

    #                       numbers: how far apart, in units of the trees' summed standard deviations


# ---- Ho: votes


def votes(forest: Forest, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """Return each tree's class for each row of X (n_samples, n_features), (n_trees, n_samples) int64.

    The vote is the greatest share, the first of equals. Raises ValueError for a regression forest.
    """
    if not len(forest.prior):
        raise ValueError("the trees of this forest predict numbers and have no votes; see residual_correlation")
    X = np.asfortranarray(X, dtype=np.float64)
    cast = np.empty((forest.n_trees, len(X)), np.int64)
    for number, vote in enumerate(_ask_trees(forest, lambda tree: predict.classes(tree, X), n_jobs)):
        cast[number] = vote
    return cast


def agreement(forest: Forest, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """Return the share of rows of X (n_samples, n_features) on which two trees vote alike, (n_trees, n_trees).

    Ho (1998), as in Molhoek (2021, equations 4 and 5). Raises ValueError for a regression forest, or no rows.

    >>> from espalier.data import samples
    >>> from espalier.learners import RandomForestClassifier
    >>> iris = samples.load("iris")
    >>> forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(iris.X, iris.y).forest_
    >>> agreement(forest, iris.X).shape
    (5, 5)
    """
    return agreement_of(votes(forest, X, n_jobs))


def agreement_of(cast: np.ndarray) -> np.ndarray:
    """Return shares of equal votes, (n_trees, n_trees), from votes (n_trees, n_samples)."""
    n_trees, n_samples = cast.shape
    if n_samples == 0:
        raise Refusal("there are no rows to compare the trees on; give at least one")
    alike = np.zeros((n_trees, n_trees))
    with _one_thread():
        for chunk in _chunks(n_samples):
            part = cast[:, chunk]
            for k in range(int(cast.max()) + 1):
                votes_k = (part == k).astype(np.float32)
                alike += votes_k @ votes_k.T
    return alike / n_samples


def mean_agreement(matrix: np.ndarray) -> float:
    """Return the mean over all pairs of different trees of an agreement matrix (n_trees, n_trees).

    1 for a single tree.

    Ho's estimate of a forest's correlation (Molhoek 2021, section 3.4.5).

    >>> import numpy as np
    >>> mean_agreement(np.array([[1.0, 0.8], [0.8, 1.0]]))
    0.8
    """
    return _mean_of_pairs(matrix) if len(matrix) > 1 else 1.0


def likeness(forest: Forest, X: np.ndarray) -> np.ndarray:
    """Return how alike two trees answer rows of X (n_samples, n_features), from 0 to 1, (n_trees, n_trees).

    Of classes as `agreement` has it; of numbers 1 less the distance of their answers, relative to the greatest.
    """
    if len(forest.prior):
        return agreement(forest, X)
    apart = squareform(pdist(predict.shares_by_tree(forest, X)[:, :, 0], "cityblock"))
    return 1 - apart / (float(apart.max()) or 1.0)


def likeness_order(matrix: np.ndarray) -> np.ndarray:
    """Return an order of the trees, (n_trees,) int64, in which similar trees are neighbours.

    The leaves of a hierarchy by average linkage, turned so that neighbours agree most (Bar-Joseph et al. 2001).
    """
    if len(matrix) < 3:
        return np.arange(len(matrix))
    apart = squareform(1 - (matrix + matrix.T) / 2, checks=False)
    return leaves_list(linkage(apart, "average", optimal_ordering=True)).astype(np.int64)


# ---- Breiman: strength and correlation


def strength_and_correlation(
    forest: Forest, X: np.ndarray, y: np.ndarray, in_bag: np.ndarray | None = None, n_jobs: int | None = None
) -> Strength:
    """Return strength and correlation of a classification forest on X (n_samples, n_features), y (n_samples,).

    y are class numbers. With in_bag (n_trees, n_samples), how often each tree saw each sample, only trees that did
    not see a sample vote on it, as in Breiman (2001, appendix II); his formula of sd has a plus in place of a
    minus, and his sums run while the forest grows, ours over the whole. Votes are weighted by ``forest.weight``.
    Raises ValueError for a regression forest, or if no tree may vote on any sample.

    >>> from espalier.data import samples
    >>> from espalier.learners import RandomForestClassifier
    >>> iris = samples.load("iris")
    >>> model = RandomForestClassifier(n_estimators=20, random_state=0).fit(iris.X, iris.y)
    >>> round(strength_and_correlation(model.forest_, iris.X, iris.y, model.in_bag()).strength, 2)
    0.88
    """
    cast, unseen = votes(forest, X, n_jobs), _unseen(in_bag)
    margin, rival = _margins(cast, y, forest, unseen)
    has_votes = ~np.isnan(margin)
    if not has_votes.any():
        raise Refusal("every tree saw every sample; take other samples, or a forest of bootstrap samples")
    raw = (cast == y).astype(np.int8) - (cast == rival)
    product, mean = _moments(raw, unseen)
    covariance = product - mean * mean.T
    variance = np.diag(covariance)
    can_vote = ~np.isnan(variance)
    sd = np.sqrt(np.maximum(variance[can_vote], 0.0))
    s, spread = float(margin[has_votes].mean()), float(np.average(sd, weights=forest.weight[can_vote]))
    rho = float(margin[has_votes].var()) / spread**2 if spread > 0 else np.nan
    bound = rho * (1 - s * s) / (s * s) if s > 0 else np.nan
    error = float((margin[has_votes] < -ALIKE).mean())
    return Strength(margin, s, rho, bound, error, _fall(covariance))


def residual_correlation(
    forest: Forest, X: np.ndarray, y: np.ndarray, in_bag: np.ndarray | None = None, n_jobs: int | None = None
) -> Residuals:
    """Return errors of a regression forest on X (n_samples, n_features), y (n_samples,), and their correlation.

    Breiman (2001, section 11, theorem 11.2), with residuals not centred: the theorem then needs no assumption that
    trees are unbiased. `in_bag` as in `strength_and_correlation`. Raises ValueError for a classification forest,
    or if no tree may predict any sample.
    """
    if len(forest.prior):
        raise ValueError("the trees of this forest vote for classes; see strength_and_correlation")
    X, unseen = np.asfortranarray(X, dtype=np.float64), _unseen(in_bag)
    off = np.stack([y - value[:, 0] for value in _ask_trees(forest, lambda tree: predict.shares(tree, X), n_jobs)])
    error = _mean_squared_error(off, unseen, forest.weight)
    product, _ = _moments(off, unseen)
    fall, size = _fall(product), np.sqrt(np.diag(product))
    pairs = _mean_of_pairs(np.outer(size, size)) if len(size) > 1 else float(size[0] ** 2)
    rho = fall.correlation * fall.variance / pairs if pairs > 0 else np.nan
    return Residuals(fall.variance, error, rho, rho * fall.variance, fall)


# ---- tools


def _ask_trees(forest: Forest, ask: Callable[[AnyTree], T], n_jobs: int | None) -> Iterator[T]:
    """Yield the result of `ask` for each tree, in order. Raises ValueError where trees have no votes."""
    predict.check_votes(forest)
    with ThreadPoolExecutor(effective_n_jobs(n_jobs or 1)) as pool:
        yield from pool.map(ask, forest.trees)


def _unseen(in_bag: np.ndarray | None) -> np.ndarray | None:
    return None if in_bag is None else np.asarray(in_bag) == 0


def _chunks(n: int) -> list[slice]:
    return [slice(start, start + CHUNK) for start in range(0, n, CHUNK)]


def _one_thread() -> threadpool_limits:
    """Limit matrix products to one thread: on a busy machine several threads wait for each other."""
    return threadpool_limits(1, "blas")


def _margins(
    cast: np.ndarray, y: np.ndarray, forest: Forest, unseen: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return each sample's margin, nan without votes, and its strongest wrong class, (n_samples,) each."""
    n = cast.shape[1]
    shares, at = np.zeros((n, len(forest.prior) + 1)), np.arange(n)  # the last class has no votes
    for number, weight in enumerate(forest.weight):
        shares[at, cast[number]] += weight if unseen is None else weight * unseen[number]
    n_votes, right = shares.sum(axis=1), shares[at, y]
    shares[at, y] = -1.0
    rival = shares.argmax(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n_votes > 0, (right - shares[at, rival]) / n_votes, np.nan), rival


def _mean_squared_error(off: np.ndarray, unseen: np.ndarray | None, weight: np.ndarray) -> float:
    """Return the mean squared error of the weighted mean of trees.

    `off` (n_trees, n_samples) are their residuals.
    """
    if unseen is None:
        return float(((weight @ off) ** 2).mean())
    n_answers = weight @ unseen
    if not n_answers.any():
        raise Refusal("every tree saw every sample; take other samples, or a forest of bootstrap samples")
    total = weight @ np.where(unseen, off, 0.0)
    return float(((total[n_answers > 0] / n_answers[n_answers > 0]) ** 2).mean())


def _moments(values: np.ndarray, unseen: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return two matrices (n_trees, n_trees) over the samples that both trees of a pair may predict.

    The mean product of their values (n_trees, n_samples), and the mean of the first tree's; nan without samples.
    """
    n_trees, n_samples = values.shape
    product, total, n_common = (np.zeros((n_trees, n_trees)) for _ in range(3))
    dtype = np.float32 if values.dtype == np.int8 else np.float64  # margins are whole numbers
    with _one_thread():
        for chunk in _chunks(n_samples):
            part = values[:, chunk].astype(dtype)
            if unseen is None:
                product += part @ part.T
                total += part.sum(axis=1, keepdims=True)
                n_common += part.shape[1]
                continue
            free = unseen[:, chunk].astype(dtype)
            part *= free
            product += part @ part.T
            total += part @ free.T
            n_common += free @ free.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return product / n_common, total / n_common


def _fall(product: np.ndarray) -> Fall:
    """Return the second moment of a mean by the number of trees, from those of all pairs (n_trees, n_trees)."""
    own = float(np.nanmean(np.diag(product)))
    if len(product) == 1 or own <= 0:
        return Fall(own, 1.0)
    return Fall(own, _mean_of_pairs(product) / own)


def _mean_of_pairs(matrix: np.ndarray) -> float:
    """Return the mean of the known off-diagonal entries of a matrix (n, n); nan if there are none."""
    pairs = matrix[~np.eye(len(matrix), dtype=bool)]
    pairs = pairs[~np.isnan(pairs)]
    return float(pairs.mean()) if len(pairs) else np.nan
