"""A search for settings by nested cross-validation: the honest score beside the one that the search saw.

The settings that score best among many do so partly by luck, so that their own score is too good (Cawley & Talbot
2010, "On over-fitting in model selection"). Each outer fold therefore repeats the whole search on the other rows
and scores on its own rows what that search chose.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from espalier.comparison.cross_validation import answers_of, prediction_of, standard_error
from espalier.comparison.scores import HIGHER_IS_BETTER, one_score
from espalier.data.dataset import Dataset
from espalier.data.folds import Fold, Folds, deal, most_folds
from espalier.fitting import fit
from espalier.learners.catalogue import CommonTerms, Model
from espalier.learners.catalogue.kinds import Space, combinations, space_of
from espalier.progress import Progress
from espalier.tasks import PARTS, Call, in_order
from espalier.tree.model_size import size_of

ETA = 3  # one of so many settings goes on to the next rung
MOST_RUNGS = 3
LEAST_ROWS, LEAST_TREES = 200, 10  # on the lowest rung: with fewer, scores say little of all rows


def rungs(n_settings: int, n_rungs: int) -> list[tuple[int, int]]:
    """Return how many settings stand on each rung, the lowest first, and of how many parts each is given one.

    The parts are of the rows, or of the trees. At least one setting reaches each rung. All rungs cost about the
    same (Li et al. 2018, Table 1, where a bracket with s = 2 begins with 9 settings).

    >>> rungs(9, 3)
    [(9, 9), (3, 3), (1, 1)]
    """
    return [(max(n_settings // ETA**i, 1), ETA ** (n_rungs - 1 - i)) for i in range(n_rungs)]


def rungs_for(model: Model, n_rows: int) -> int:
    """Return the number of rungs for a model whose folds train on so many rows: one where there is little to give.

    >>> rungs_for(Model("cart"), 120), rungs_for(Model("cart"), 600), rungs_for(Model("cart"), 1_000_000)
    (1, 2, 3)
    """
    amount, least = (n_rows, LEAST_ROWS) if model.n_trees is None else (model.n_trees, LEAST_TREES)
    return min(max(1 + math.floor(math.log(max(amount / least, 1.0), ETA) + 1e-9), 1), MOST_RUNGS)


def drop_trees(model: Model, divisor: int) -> Model:
    """Return the model with one of so many parts of its trees; one that has no number of trees as it is.

    >>> drop_trees(Model("random"), 9).n_trees
    11
    """
    if model.n_trees is None or divisor == 1:
        return model
    return model.with_settings(trees=max(round(model.n_trees / divisor), 1))


def thin_fold(dataset: Dataset, fold: Fold, divisor: int, seed: int = 0) -> Fold:
    """Return the fold with one of so many parts of the rows that its model is fitted to, a power of `ETA`.

    The rows of a greater divisor are among those of a smaller one. Classes have their shares, and groups stay
    whole where there are enough of them. All rows of the fold are still scored.

    >>> from espalier.data import samples
    >>> from espalier.data.folds import folds_of
    >>> iris = samples.load("iris")
    >>> fold = folds_of(iris, Folds(5))[0]
    >>> [int(thin_fold(iris, fold, divisor).fitted_to.sum()) for divisor in (1, 3, 9)]
    [120, 39, 13]
    """
    if divisor == 1:
        return fold
    rows, n_parts = np.flatnonzero(fold.fitted_to), ETA ** (MOST_RUNGS - 1)
    roles = dataset.roles.of(rows)._replace(times=None)  # a part of the past is a part of the past
    if most_folds(len(rows), roles) < n_parts:
        roles = roles._replace(groups=None)
    parts = deal(dataset.strata[rows], Folds(n_parts, seed=seed), roles)
    places = np.concatenate([part.rows for part in parts[: n_parts // divisor]])
    return fold._replace(fitted_to=_mask(rows[places], len(fold.fitted_to)))


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
    parts = deal(dataset.strata[rows], plan._replace(n_folds=min(plan.n_folds, most)), roles)
    n = len(dataset.y)
    return [Fold(part.number, rows[part.rows], _mask(rows[part.fitted_to], n)) for part in parts]


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
    divisor: int  # of the rows or trees that it was given; see `rungs`
    scores: tuple[float, ...]  # by fold; nan where the score is undefined
    leaves: float  # mean over the folds, of all trees
    place: int = -1  # in the space, in which simple settings come first; -1: not there, as those of now may be

    @property
    def mean(self) -> float:
        """Mean score over the folds; nan where it is undefined in all of them."""
        finite = self._finite()
        return float(round(finite.mean(), 12)) if len(finite) else float("nan")

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, from the spread over folds (Hastie et al. 2009, section 7.10)."""
        finite = self._finite()
        return float(standard_error(finite.std(ddof=1), len(finite), 0.0)) if len(finite) > 1 else 0.0

    def _finite(self) -> np.ndarray:
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
        return sorted(trials, key=lambda trial: (-self.worth(trial), trial.leaves, trial.place))

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
        return min(
            trials, key=lambda trial: (self.worth(trial) < least, trial.leaves, -self.worth(trial), trial.place)
        )


def try_settings(
    model: Model, bench: Bench, folds: tuple[Fold, ...], divisor: int = 1, progress: Progress | None = None
) -> Trial:
    """Return the trial of these settings: a model fitted and scored on each fold.

    The trees of a forest are fewer by the `divisor`; rows are thinned before, in the folds. Raises the errors of
    fitting. Once `progress` is stopped no fold begins, and what is returned is a part.

    >>> from espalier.data import samples
    >>> from espalier.data.folds import Folds, folds_of
    >>> iris = samples.load("iris")
    >>> folds = tuple(folds_of(iris, Folds(5)))
    >>> trial = try_settings(Model("cart", (("depth", 2),)), Bench(iris, "accuracy", 0, None), folds)
    >>> [round(score, 2) for score in trial.scores], trial.leaves
    ([0.93, 0.9, 0.9, 0.97, 0.93], 3.0)
    """
    own, limit = model.value("seconds"), bench.seconds  # of a search, which takes no longer than the bench allows
    brief = model if own is None or limit is None else model.with_settings(seconds=min(own, limit))
    smaller = drop_trees(brief, divisor)
    results = [
        _try(smaller, bench, fold, progress) for fold in folds if progress is None or not progress.is_stopped
    ]
    leaves = float(np.mean([n for _, n in results])) if results else 0.0
    return Trial(model, divisor, tuple(score for score, _ in results), leaves)


def _try(model: Model, bench: Bench, fold: Fold, progress: Progress | None) -> tuple[float, float]:
    """Return the score of a model on one fold, and its leaves."""
    dataset, terms = bench.dataset, CommonTerms.of(bench.dataset, seed=bench.seed, seconds=bench.seconds)
    estimator = model.make(terms)
    fit(estimator, dataset, fold.fitted_to, progress if has_fit_parameter(estimator, "progress") else None)
    answers = answers_of(estimator, dataset, dataset.X[fold.rows])
    answer_parts = answers, prediction_of(estimator, dataset, answers), dataset.weights_of(fold.rows)
    return one_score(bench.score, dataset.y[fold.rows], *answer_parts), size_of(estimator).leaves


# ---- A search for settings by nested cross-validation: the honest score beside the one that the search saw

ALL_ROWS = -1  # number of the search on all rows; those of outer folds have the fold's
FIRST_ROUND, LATER_ROUNDS = ETA**2, ETA**3  # settings: a first answer comes soon
FITS_IN_TIME = 30  # fits that the time has room for, at least, where each is a search of its own
NOW, BEST, SIMPLEST = "now", "best", "simplest"  # rules by which settings are chosen


class TuningPlan(NamedTuple):
    """How to search."""

    seconds: float | None = None  # after the first trial, until no more begins; None: until all are tried
    score: str = "accuracy"  # to choose by, as in `espalier.comparison.scores`
    n_inner: int = 5  # folds that settings are scored on
    n_outer: int = 5  # folds that the search itself is scored on; 0: it is not
    seed: int = 0  # of folds, and of the order in which settings are tried
    most_settings: int | None = None  # None: all of the space, if there is time


class TuningRun(NamedTuple):
    """What is searched for: settings of this model for these rows. Settings outside of the space stay."""

    model: Model
    dataset: Dataset
    plan: TuningPlan = TuningPlan()
    rows: np.ndarray | None = None  # indices, ascending; None: all. Others are never looked at
    space: Space | None = None  # values by the key of the setting, the simplest first; None: the catalogue's


class SearchPart(NamedTuple):
    """A search: of all rows, or of those that an outer fold's model may be fitted to."""

    number: int  # WHOLE, or that of the outer fold
    inner: list[Fold]
    outer: Fold | None  # None: of the search on all rows


class Ledger:
    """All trials so far. A search that is given one goes on from it; others may look at it meanwhile."""

    def __init__(self):
        self.inner: dict[tuple[int, Model, int], Trial] = {}  # by part, settings and divisor
        self.outer: dict[tuple[int, Model], Trial] = {}  # by outer fold and settings
        self.judged: dict[tuple[int, str], Model] = {}  # by outer fold and rule: what was chosen there last
        self.n_outer, self.n_settings, self.is_complete = 0, 0, False


class Tuning(NamedTuple):
    """The trials of a search so far, and what follows from them."""

    bench: Bench
    now: Model  # with the settings that the search began with
    inner: dict[tuple[int, Model, int], Trial]
    outer: dict[tuple[int, Model], Trial]
    judged: dict[tuple[int, str], Model]
    n_outer: int  # outer folds
    n_settings: int  # of the space
    is_complete: bool  # whether all that were to be tried are tried, in every outer fold

    @property
    def trials(self) -> list[Trial]:
        """Trials on all rows, of all rungs."""
        return [trial for (part, *_), trial in self.inner.items() if part == ALL_ROWS]

    @property
    def n_tried(self) -> int:
        """Settings of the space that were tried, on whatever rung."""
        return len({trial.model for trial in self.trials if trial.place >= 0})

    @property
    def n_whole(self) -> int:
        """Settings of the space that reached the highest rung."""
        return sum(trial.divisor == 1 and trial.place >= 0 for trial in self.trials)

    def best(self, part: int = ALL_ROWS) -> Trial:
        """Return the trial with the best score; of equals the one with the fewest leaves."""
        return self.bench.ranked(self._highest(part))[0]

    def simplest(self, part: int = ALL_ROWS) -> Trial:
        """Return the trial with the fewest leaves within one standard error of the best."""
        return self.bench.simplest(self._highest(part))

    def chosen(self, rule: str, part: int = ALL_ROWS) -> Trial:
        """Return the trial that a rule chooses: NOW, BEST or SIMPLEST. Raises KeyError if NOW was not tried."""
        if rule == NOW:
            return self.inner[part, self.now, 1]
        return self.best(part) if rule == BEST else self.simplest(part)

    def honest(self, rule: str) -> Trial | None:
        """Return the scores of outer folds, for what the rule chose without them; None while there are none."""
        trials = [self.outer[part, model] for (part, of), model in self.judged.items() if of == rule]
        if not trials:
            return None
        scores = tuple(score for trial in trials for score in trial.scores)
        return Trial(self.chosen(rule).model, 1, scores, float(np.mean([trial.leaves for trial in trials])))

    def _highest(self, part: int) -> list[Trial]:
        """Return the trials of a part on the highest rung that there is: scores of others are of less data."""
        trials = [trial for (number, *_), trial in self.inner.items() if number == part]
        highest = min(trial.divisor for trial in trials)
        return [trial for trial in trials if trial.divisor == highest]


class Deadline(Progress):
    """The progress of work that stops when the whole is stopped, or so many seconds after its time began."""

    def __init__(self, whole: Progress | None, seconds: float | None):
        super().__init__()
        self._whole, self._seconds, self._until = whole or Progress(), seconds, float("inf")

    def begin(self) -> None:
        """Let the time begin."""
        if self._seconds is not None:
            self._until = time.monotonic() + self._seconds

    @property
    def is_stopped(self) -> bool:
        """Whether it is to stop."""
        return self._whole.is_stopped or time.monotonic() >= self._until


class _Over(Exception):
    """The search was stopped, or its time is over."""


def tune(
    run: TuningRun,
    executor: Executor | None = None,
    progress: Progress | None = None,
    ledger: Ledger | None = None,
) -> Tuning | None:
    """Search for settings on the executor (None: one thread); None if it was stopped before its first trial.

    First the settings of now are tried, however long that takes; then, round by round, new ones in random order:
    all climb the `rungs` of successive halving, on all rows and on those of each outer fold. Once `progress` is
    stopped, or the plan's time is over, no trial begins, those under way are given up, and all before them count.
    The same seed gives the same trials in the same order; the time says only how many. With the `ledger` of an
    earlier search of the same run it goes on from there. Raises ValueError where not even two inner folds are
    possible, for an unknown score, and the errors of fitting.

    >>> from espalier.data import samples
    >>> found = tune(TuningRun(Model("cart"), samples.load("iris"), TuningPlan(most_settings=9)))
    >>> found.n_tried, found.n_outer
    (9, 5)
    >>> found.simplest().leaves <= found.best().leaves
    True
    """
    ledger = Ledger() if ledger is None else ledger
    search = _NestedSearch(run, ledger, Deadline(progress, run.plan.seconds))
    with contextlib.ExitStack() as stack, contextlib.suppress(_Over):
        search.work(stack.enter_context(ThreadPoolExecutor(1)) if executor is None else executor)
        ledger.is_complete = True
    return so_far(run, ledger)


def so_far(run: TuningRun, ledger: Ledger) -> Tuning | None:
    """Return what a search has found by now, also while it goes on; None before its first trial."""
    choices, outer, inner = (
        dict(ledger.judged),
        dict(ledger.outer),
        dict(ledger.inner),
    )  # in this order
    if not inner:
        return None
    n_outer, n_settings, is_complete = ledger.n_outer, ledger.n_settings, ledger.is_complete
    return Tuning(_bench(run), run.model, inner, outer, choices, n_outer, n_settings, is_complete)


def _bench(run: TuningRun) -> Bench:
    seconds = None if run.plan.seconds is None else run.plan.seconds / FITS_IN_TIME
    return Bench(run.dataset, run.plan.score, run.plan.seed, seconds)


def _space(run: TuningRun) -> Space:
    if run.space is not None:
        return run.space
    y = run.dataset.y if run.rows is None else run.dataset.y[run.rows]
    return space_of(run.model, None if run.dataset.is_classification else float(y.var()))


def parts_of(run: TuningRun) -> list[SearchPart]:
    """Return the searches of a run: on all its rows, then for each outer fold on the rows it may be told from.

    Outer folds that leave too few groups or times for inner ones are left out.

    >>> from espalier.data import samples
    >>> whole, *others = parts_of(TuningRun(Model("cart"), samples.load("iris"), TuningPlan(n_outer=3)))
    >>> len(whole.inner), [len(part.outer.rows) for part in others]
    (5, [50, 50, 50])
    """
    dataset, plan = run.dataset, run.plan
    rows = np.arange(len(dataset.y)) if run.rows is None else run.rows
    inner = Folds(plan.n_inner, seed=plan.seed)
    parts = [SearchPart(ALL_ROWS, folds_within(dataset, rows, inner), None)]
    if plan.n_outer < 2:
        return parts
    for fold in folds_within(dataset, rows, Folds(plan.n_outer, seed=plan.seed + 1)):
        with contextlib.suppress(ValueError):
            folds = folds_within(dataset, np.flatnonzero(fold.fitted_to), inner)
            parts.append(SearchPart(len(parts) - 1, folds, fold))
    return parts


def rounds_of(models: Sequence[Model], plan: TuningPlan) -> Iterator[list[Model]]:
    """Yield the settings of each round, in the random order of the plan's seed: a few, then more at a time.

    >>> models = [Model("cart", (("leaf", n),)) for n in range(1, 51)]
    >>> [len(one) for one in rounds_of(models, TuningPlan())]
    [9, 27, 14]
    """
    order = np.random.default_rng(plan.seed).permutation(len(models))[: plan.most_settings]
    start, size = 0, FIRST_ROUND
    while start < len(order):
        yield [models[i] for i in order[start : start + size]]
        start, size = start + size, LATER_ROUNDS


class _NestedSearch:
    """A search under way."""

    def __init__(self, run: TuningRun, ledger: Ledger, progress: Deadline):
        self.run, self.ledger, self.progress, self.bench = run, ledger, progress, _bench(run)
        self.parts = parts_of(run)
        self.n_rungs = rungs_for(run.model, min(int(fold.fitted_to.sum()) for fold in self.parts[0].inner))
        self._thin: dict[tuple[int, int], tuple[Fold, ...]] = {}  # folds by part and divisor

    def work(self, executor: Executor) -> None:
        """Search until all settings are tried; raises `_Over` if it is stopped before."""
        self.executor, run, ledger = executor, self.run, self.ledger
        models = combinations(run.model, _space(run))
        self.places = {run.model: -1} | {model: i for i, model in enumerate(models)}
        ledger.n_outer, ledger.n_settings = len(self.parts) - 1, len(models)
        self._try(self.parts[0], [run.model], 1)
        self.progress.begin()
        for models_of_round in rounds_of(models, run.plan):
            for part in self.parts:
                self._try(part, [run.model], 1)
                self._climb(part, models_of_round, rungs(len(models_of_round), self.n_rungs))
                self._judge(part)

    def _climb(self, part: SearchPart, models: list[Model], steps: list[tuple[int, int]]) -> None:
        """Try the settings on each rung, of which the best go on to the next."""
        for n_settings, divisor in steps:
            models = models[:n_settings]
            trials = self._try(part, models, divisor)
            models = [trial.model for trial in self.bench.ranked(trials)]

    def _judge(self, part: SearchPart) -> None:
        """Score on the rows of the outer fold what was chosen without them, and the settings of now."""
        now = so_far(self.run, self.ledger)
        if part.outer is None or now is None:
            return
        choices = {(part.number, rule): now.chosen(rule, part.number).model for rule in (NOW, BEST, SIMPLEST)}
        left = [
            model for model in dict.fromkeys(choices.values()) if (part.number, model) not in self.ledger.outer
        ]
        for trial in self._trials([(model, (part.outer,), 1) for model in left]):
            self.ledger.outer[part.number, trial.model] = trial
        self.ledger.judged |= choices

    def _try(self, part: SearchPart, models: list[Model], divisor: int) -> list[Trial]:
        """Return the trials of the settings, which the ledger has or now gets."""
        folds, trials = self._folds(part, divisor), self.ledger.inner
        left = [model for model in models if (part.number, model, divisor) not in trials]
        for trial in self._trials([(model, folds, divisor) for model in left]):
            trials[part.number, trial.model, divisor] = trial
        return [trials[part.number, model, divisor] for model in models]

    def _trials(self, asked: list[tuple[Model, tuple[Fold, ...], int]]) -> Iterator[Trial]:
        """Yield the trials; raises `_Over` after the last one if it was stopped before all were there."""
        tasks = [
            Call(try_settings, (model, self.bench, folds, divisor), PARTS * len(folds))
            for model, folds, divisor in asked
        ]
        n_ended = 0
        for _, trial in in_order(tasks, self.executor, self.progress):
            n_ended += 1
            yield trial._replace(place=self.places[trial.model])
        if n_ended < len(tasks):
            raise _Over

    def _folds(self, part: SearchPart, divisor: int) -> tuple[Fold, ...]:
        key, dataset, seed = (part.number, divisor), self.run.dataset, self.run.plan.seed
        if key not in self._thin:
            is_of_rows = self.run.model.n_trees is None
            divide = divisor if is_of_rows else 1
            self._thin[key] = tuple(thin_fold(dataset, fold, divide, seed) for fold in part.inner)
        return self._thin[key]
