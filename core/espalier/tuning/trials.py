"""Trials: a model's settings, scored on some folds; and which of several trials to take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from espalier.comparison.cross_validation import answers_of, prediction_of
from espalier.comparison.differences import standard_error
from espalier.comparison.scores import HIGHER_IS_BETTER, one_score
from espalier.data.dataset import Dataset
from espalier.data.rows.folds import Fold, Folds, deal, most_folds
from espalier.fitting import fit
from espalier.learners.catalogue import CommonTerms, Model
from espalier.progress import Progress
from espalier.tree.model_size import size_of

ETA = 3  # one of so many settings goes on to the next rung
MOST_RUNGS = 3
LEAST_ROWS, LEAST_TREES = 200, 10  # on the lowest rung: with fewer, scores say little of all rows


class Rung(NamedTuple):
    """A rung: how many settings stand on it, and how little each is given."""

    n_settings: int
    divisor: int  # each is given one of so many parts of the rows, or of the trees

    @property
    def cost(self) -> float:
        """Work on this rung, in settings that are given everything."""
        return self.n_settings / self.divisor


def rungs(n_settings: int, n_rungs: int) -> tuple[Rung, ...]:
    """Return the rungs that so many settings climb, the lowest first; at least one setting reaches each.

    All rungs cost about the same (Li et al. 2018, Table 1, where a bracket with s = 2 begins with 9 settings).

    >>> rungs(9, 3)
    (Rung(n_settings=9, divisor=9), Rung(n_settings=3, divisor=3), Rung(n_settings=1, divisor=1))
    >>> sum(rung.cost for rung in rungs(27, 3)), sum(rung.cost for rung in rungs(27, 1))
    (9.0, 27.0)
    """
    return tuple(Rung(max(n_settings // ETA**i, 1), ETA ** (n_rungs - 1 - i)) for i in range(n_rungs))


def rungs_for(model: Model, n_rows: int) -> int:
    """Return the number of rungs for a model whose folds train on so many rows: one where there is little to give.

    >>> rungs_for(Model("cart"), 120), rungs_for(Model("cart"), 600), rungs_for(Model("cart"), 1_000_000)
    (1, 2, 3)
    """
    amount, least = (n_rows, LEAST_ROWS) if model.n_trees is None else (model.n_trees, LEAST_TREES)
    return min(max(1 + math.floor(math.log(max(amount / least, 1.0), ETA) + 1e-9), 1), MOST_RUNGS)


def with_fewer_trees(model: Model, divisor: int) -> Model:
    """Return the model with one of so many parts of its trees; one that has no number of trees as it is.

    >>> with_fewer_trees(Model("random"), 9).n_trees
    11
    """
    if model.n_trees is None or divisor == 1:
        return model
    return model.with_settings(trees=max(round(model.n_trees / divisor), 1))


def thinned(dataset: Dataset, fold: Fold, divisor: int, seed: int = 0) -> Fold:
    """Return the fold with one of so many parts of the rows that its model is fitted to, a power of `ETA`.

    The rows of a greater divisor are among those of a smaller one. Classes have their shares, and groups stay
    whole where there are enough of them. All rows of the fold are still scored.

    >>> from espalier.data import samples
    >>> from espalier.data.rows.folds import folds_of
    >>> iris = samples.load("iris")
    >>> fold = folds_of(iris, Folds(5))[0]
    >>> [int(thinned(iris, fold, divisor).fitted_to.sum()) for divisor in (1, 3, 9)]
    [120, 39, 13]
    """
    if divisor == 1:
        return fold
    rows, n_parts = np.flatnonzero(fold.fitted_to), ETA ** (MOST_RUNGS - 1)
    roles = dataset.roles.of(rows)._replace(times=None)  # a part of the past is a part of the past
    if most_folds(len(rows), roles) < n_parts:
        roles = roles._replace(groups=None)
    parts = deal(dataset.strata[rows], Folds(n_parts, seed=seed), roles)
    taken = np.concatenate([part.rows for part in parts[: n_parts // divisor]])
    return fold._replace(fitted_to=_mask(rows[taken], len(fold.fitted_to)))


def folds_within(dataset: Dataset, rows: np.ndarray, plan: Folds) -> list[Fold]:
    """Return folds of some rows (indices, ascending) of the data alone, by their targets and roles.

    They are fewer where there are too few rows, groups or times. Raises ValueError if not even two are possible.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> folds = folds_within(iris, np.arange(0, 150, 2), Folds(3))
    >>> [len(fold.rows) for fold in folds], [int(fold.fitted_to.sum()) for fold in folds]
    ([25, 25, 25], [50, 50, 50])
    """
    roles = dataset.roles.of(rows)
    most = most_folds(len(rows), roles)
    dealt = deal(dataset.strata[rows], plan._replace(n_folds=min(plan.n_folds, most)), roles)
    n = len(dataset.y)
    return [Fold(one.number, rows[one.rows], _mask(rows[one.fitted_to], n)) for one in dealt]


def _mask(rows: np.ndarray, n: int) -> np.ndarray:
    mask = np.zeros(n, dtype=bool)
    mask[rows] = True
    return mask


# ---- trials: a model's settings, scored on some folds; and which of several trials to take

ROUNDING = 1e-12


class Trial(NamedTuple):
    """Settings with their scores on folds.

    >>> Trial(Model("cart"), 1, (0.9, 0.8, 1.0), 4.0).mean
    0.9
    """

    model: Model
    divisor: int  # of the rows or trees that it was given; see `halving.Rung`
    scores: tuple[float, ...]  # by fold; nan where the score is undefined
    leaves: float  # mean over the folds, of all trees
    place: int = -1  # in the space, in which simple settings come first; -1: not there, as those of now may be

    @property
    def mean(self) -> float:
        """Mean score over the folds; nan where it is undefined in all of them."""
        known = self._known()
        return float(round(known.mean(), 12)) if len(known) else float("nan")

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, from the spread over folds (Hastie et al. 2009, section 7.10)."""
        known = self._known()
        return float(standard_error(known.std(ddof=1), len(known), 0.0)) if len(known) > 1 else 0.0

    def _known(self) -> np.ndarray:
        scores = np.array(self.scores)
        return scores[np.isfinite(scores)]


class Bench(NamedTuple):
    """What all trials of a search have in common."""

    dataset: Dataset
    score: str  # name, as in `espalier.comparison.scores`
    seed: int
    seconds: float | None  # that a search of each fit may take

    def ranked(self, trials: Sequence[Trial]) -> list[Trial]:
        """Return the trials, the best first; of equals the one with fewer leaves, then with simpler settings."""
        return sorted(trials, key=lambda one: (-self.worth(one), one.leaves, one.place))

    def worth(self, trial: Trial) -> float:
        """Return the mean score, as a number that is the higher the better."""
        sign = 1.0 if self.score in HIGHER_IS_BETTER else -1.0
        return sign * trial.mean if trial.scores and np.isfinite(trial.mean) else -np.inf

    def simplest(self, trials: Sequence[Trial]) -> Trial:
        """Return the one with the fewest leaves within one standard error of the best.

        This is the rule of Breiman et al. (1984, section 3.4.3), with settings in place of subtrees.
        """
        best = self.ranked(trials)[0]
        least = self.worth(best) - best.standard_error - ROUNDING
        return min(trials, key=lambda one: (self.worth(one) < least, one.leaves, -self.worth(one), one.place))


def try_settings(
    model: Model, bench: Bench, folds: tuple[Fold, ...], divisor: int = 1, progress: Progress | None = None
) -> Trial:
    """Return the trial of these settings: a model fitted and scored on each fold.

    The trees of a forest are fewer by the `divisor`; rows are thinned before, in the folds. Raises the errors of
    fitting. Once `progress` is stopped no fold begins, and what is returned is a part.

    >>> from espalier.data import samples
    >>> from espalier.data.rows.folds import Folds, folds_of
    >>> iris = samples.load("iris")
    >>> folds = tuple(folds_of(iris, Folds(5)))
    >>> trial = try_settings(Model("cart", (("depth", 2),)), Bench(iris, "accuracy", 0, None), folds)
    >>> [round(score, 2) for score in trial.scores], trial.leaves
    ([0.93, 0.9, 0.9, 0.97, 0.93], 3.0)
    """
    given = with_fewer_trees(_in_time(model, bench.seconds), divisor)
    tried = [_try(given, bench, fold, progress) for fold in folds if progress is None or not progress.is_stopped]
    leaves = float(np.mean([one.leaves for one in tried])) if tried else 0.0
    return Trial(model, divisor, tuple(one.score for one in tried), leaves)


class _Fitted(NamedTuple):
    """A model on one fold."""

    score: float
    leaves: float


def _try(model: Model, bench: Bench, fold: Fold, progress: Progress | None) -> _Fitted:
    dataset, terms = bench.dataset, CommonTerms.of(bench.dataset, seed=bench.seed, seconds=bench.seconds)
    estimator = model.make(terms)
    fit(estimator, dataset, fold.fitted_to, progress if has_fit_parameter(estimator, "progress") else None)
    answers = answers_of(estimator, dataset, dataset.X[fold.rows])
    said = answers, prediction_of(estimator, dataset, answers), dataset.weights_of(fold.rows)
    return _Fitted(one_score(bench.score, dataset.y[fold.rows], *said), size_of(estimator).leaves)


def _in_time(model: Model, seconds: float | None) -> Model:
    """Return the model with a search that takes no longer than so many seconds."""
    own = model.value("seconds")
    return model if own is None or seconds is None else model.with_settings(seconds=min(own, seconds))
