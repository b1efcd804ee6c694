"""Pseudo-samples of a node from a smoothed table, in chunks with a seed each, drawn by several threads."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from espalier.kernels.approximation.better_split_test import Candidates, put_in_bins
from espalier.kernels.approximation.density import CATEGORIES, LEVELS, SMOOTH, Region, Smoothing, draw_rows
from espalier.kernels.randomness import child_seed
from espalier.learners.approximation.asking import StoppedAsking
from espalier.learners.approximation.oracle import Oracle
from espalier.learners.base import is_number
from espalier.learners.frames import category_mask
from espalier.progress import Progress

CHUNK = 8192  # rows drawn, labelled and binned at a time
CLEAR = 0.3  # seconds, after which the pace of a model is known
FEW = 64  # rows that a node's value is taken from where growing was stopped before any


class SampleSource(NamedTuple):
    """The model, the density, and how it is drawn from."""

    oracle: Oracle
    smoothing: Smoothing
    map: Callable[..., Iterable[Any]]  # the built-in one, or that of a pool of threads
    progress: Progress  # stopped: no more is drawn
    # Says which progress the model heeds while it is asked, where it heeds any.
    heeding: Callable[[Progress], AbstractContextManager[None]] = lambda _: nullcontext()


class Stream:
    """The pseudo-samples of one node, in any number; the same for any number of threads."""

    def __init__(self, source: SampleSource, region: Region, seed: np.uint64):
        self._source, self._region = source, region
        self._seeds = _seeds(seed)
        self._drawn_any = False

    def draw(self, n: int, prospects: Candidates) -> tuple[np.ndarray, np.ndarray]:
        """Draw n more samples, as described at `split_test.Draw`."""
        sizes = [min(CHUNK, n - first) for first in range(0, n, CHUNK)]
        seeds = [next(self._seeds) for _ in sizes]
        chunks = self._source.map(partial(self._chunk, prospects), sizes, seeds)
        parts = [part for part in chunks if part is not None]
        if not parts:  # even if stopped at once, a few samples give an estimate
            few = min(n, FEW)
            parts = [self._nothing(prospects) if self._drawn_any else self._few(prospects, few, seeds[0])]
        self._drawn_any = True
        return np.concatenate([bins for bins, _ in parts], axis=1), np.concatenate([y for _, y in parts])

    def _chunk(self, prospects: Candidates, size: int, seed: np.uint64) -> tuple[np.ndarray, np.ndarray] | None:
        try:
            return None if self._source.progress.is_stopped else self._ask(prospects, size, seed)
        except StoppedAsking:
            return None

    def _ask(self, prospects: Candidates, size: int, seed: np.uint64) -> tuple[np.ndarray, np.ndarray]:
        """Draw so many samples in one go, and put them in the bins of the prospects."""
        rows = pseudo_samples(self._source.smoothing, self._region, size, seed)
        bins = np.empty((len(prospects.feature), size), np.uint16)
        put_in_bins(prospects, rows, bins)
        return bins, self._source.oracle.labels(rows)

    def _few(self, prospects: Candidates, size: int, seed: np.uint64) -> tuple[np.ndarray, np.ndarray]:
        with self._source.heeding(Progress()):
            return self._ask(prospects, size, seed)

    def _nothing(self, prospects: Candidates) -> tuple[np.ndarray, np.ndarray]:
        shape = (0, self._source.oracle.coding.n_targets)
        return np.empty((len(prospects.feature), 0), np.uint16), np.empty(shape)


def pace(source: SampleSource, region: Region, n_threads: int) -> float:
    """Return the seconds for one pseudo-sample with all threads at work, timed on more and more samples."""
    n = FEW
    while True:
        began = time.perf_counter()
        list(source.map(partial(_answer_samples, source, region, n), range(n_threads)))
        seconds = time.perf_counter() - began
        if seconds >= CLEAR or n >= CHUNK:
            return seconds / (n * n_threads)
        n *= 4


def rounded_down(n: float) -> float:
    """Round down to one digit, so that small differences in time do not change the result."""
    unit = 10.0 ** math.floor(math.log10(max(n, 1.0)))
    return math.floor(max(n, 1.0) / unit) * unit


def _answer_samples(source: SampleSource, region: Region, n: int, seed: int) -> None:
    try:
        source.oracle.labels(pseudo_samples(source.smoothing, region, n, np.uint64(seed)))
    except StoppedAsking:
        return


def pseudo_samples(smoothing: Smoothing, region: Region, n: int, seed: np.uint64) -> np.ndarray:
    """Draw (n, n_features) float64 pseudo-samples of a region, C order."""
    rows = np.empty((n, region.centres.shape[1]))
    draw_rows(smoothing, region, np.array([seed], np.uint64), rows)
    return rows


def _seeds(seed: np.uint64) -> Iterator[np.uint64]:
    """Yield the seeds of chunks, different from those of child nodes."""
    for number in count(2):
        yield np.uint64(child_seed(seed, number))


# ---- smoothing kernels of a table's features, from the data and the user's choices

CENTRAL = 0.9  # share of the values that defines a feature's span, so that a few outliers do not stretch it
MOST_LEVELS = 12  # whole numbers with at most so many values count as discrete levels


class DistinctRows(NamedTuple):
    """Distinct rows, sorted, so that results depend on neither the order nor the repetition of the given rows."""

    X: np.ndarray  # (n_rows, n_features) float64, nan where missing
    weight: np.ndarray  # (n_rows,) float64: summed over the equal rows
    n_equal: np.ndarray  # (n_rows,) int64: number of equal rows


def distinct_rows(X: np.ndarray, weight: np.ndarray) -> DistinctRows:
    """Return the distinct rows of X (n_samples, n_features), sorted by their columns."""
    order = np.lexsort(X.T[::-1])
    X, weight = X[order], weight[order]
    is_new = np.ones(len(X), dtype=bool)
    is_new[1:] = ~((X[1:] == X[:-1]) | (np.isnan(X[1:]) & np.isnan(X[:-1]))).all(axis=1)
    first = np.flatnonzero(is_new)
    return DistinctRows(X[first], np.add.reduceat(weight, first), np.diff(np.append(first, len(X))))


def smoothing_of(
    table: DistinctRows, categorical: np.ndarray, discrete: np.ndarray, bandwidth, jump: float
) -> Smoothing:
    """Return the kernel for a table.

    Columns of the masks (n_features,) jump among the values that occur; others are smoothed by `bandwidth` (see
    `ApproximationClassifier`). Raises ValueError for an unusable bandwidth.
    """
    X = table.X
    kind = np.where(categorical, CATEGORIES, np.where(discrete, LEVELS, SMOOTH)).astype(np.uint8)
    levels = [_drop_missing(column) if k != SMOOTH else np.empty(0) for column, k in zip(X.T, kind, strict=True)]
    start = np.append(0, np.cumsum([len(values) for values in levels])).astype(np.int64)
    width = np.where(kind == SMOOTH, _widths(table, bandwidth), 0.0)
    return Smoothing(kind, width, float(jump), start, np.concatenate([np.empty(0), *levels]))


def discrete_mask(columns, X: np.ndarray, categorical: np.ndarray, names: Sequence | None = None) -> np.ndarray:
    """Return which numbers jump between levels, (n_features,) bool; "auto": whole numbers with few values.

    Raises ValueError for columns that X does not have.
    """
    if not (isinstance(columns, str) and columns == "auto"):
        return category_mask(columns, X.shape[1], names, "discrete_features") & ~categorical
    return np.array([_is_scale(column) for column in X.T], dtype=bool) & ~categorical


def _is_scale(column: np.ndarray) -> bool:
    numbers = _drop_missing(column)
    return 0 < len(numbers) <= MOST_LEVELS and bool((numbers == np.round(numbers)).all())


def _drop_missing(column: np.ndarray) -> np.ndarray:
    return np.unique(column[~np.isnan(column)])


def _widths(table: DistinctRows, bandwidth) -> np.ndarray:
    """Return the standard deviations of the kernels, (n_features,) float64."""
    n, p = table.weight.sum(), table.X.shape[1]
    if isinstance(bandwidth, str):
        if bandwidth != "normal":
            raise ValueError(f'bandwidth is {bandwidth!r}; it must be a share, "normal", or one number a feature')
        # Normal reference rule (Wand & Jones 1994; Silverman 1986, section 4.3.2).
        return (4 / ((p + 2) * n)) ** (1 / (p + 4)) * np.array(
            [_spread(*_weigh_values(table, j)) for j in range(p)]
        )
    if is_number(bandwidth) and bandwidth >= 0:
        return float(bandwidth) * np.array([_span(*_weigh_values(table, j)) for j in range(p)])
    widths = np.asarray(bandwidth, dtype=np.float64)
    if widths.shape != (p,) or not (widths >= 0).all():
        raise ValueError(f"bandwidth is {bandwidth!r}; for {p} features it must have {p} numbers of at least 0")
    return widths


def _weigh_values(table: DistinctRows, feature: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the known values of a column, and their weights."""
    column = table.X[:, feature]
    return column[~np.isnan(column)], table.weight[~np.isnan(column)]


def _spread(known: np.ndarray, weight: np.ndarray) -> float:
    if not len(known):
        return 0.0
    mean = np.average(known, weights=weight)
    return float(np.sqrt(np.average((known - mean) ** 2, weights=weight)))


def _span(known: np.ndarray, weight: np.ndarray) -> float:
    """Return the range of the central part of the values, extrapolated to all of them as if uniform."""
    if not len(known):
        return 0.0
    ends = [(1 - CENTRAL) / 2, (1 + CENTRAL) / 2]
    low, high = np.quantile(known, ends, method="inverted_cdf", weights=weight)
    return float((high - low) / CENTRAL) or float(known.max() - known.min())
