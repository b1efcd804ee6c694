"""Pseudo-samples of a node, in chunks with a seed each, drawn and labelled by several threads."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np

from espalier.kernels.approximation.better_split_test import Candidates, put_in_bins
from espalier.kernels.approximation.density import Region, Smoothing, draw_rows
from espalier.kernels.randomness import child_seed
from espalier.learners.approximation.asking import StoppedAsking
from espalier.learners.approximation.oracle import Oracle
from espalier.progress import Progress

CHUNK = 8192  # rows drawn, labelled and binned at a time
CLEAR = 0.3  # seconds, after which the pace of a model is known
FEW = 64  # rows that a node's value is taken from where growing was stopped before any


class SampleSource(NamedTuple):
    """The model, the density and the threads that draw."""

    oracle: Oracle
    smoothing: Smoothing
    pool: ThreadPoolExecutor
    progress: Progress  # stopped: no more is drawn
    # Says which progress the model heeds while it is asked, where it heeds any.
    heeding: Callable[[Progress], AbstractContextManager[None]] = lambda _: nullcontext()


class SampleChunk(NamedTuple):
    """Pseudo-samples to draw in one go."""

    size: int  # number of them
    seed: np.uint64
    prospects: Candidates  # whose bins they are put in


class Stream:
    """The pseudo-samples of one node, in any number; the same for any number of threads."""

    def __init__(self, source: SampleSource, region: Region, seed: np.uint64):
        self._source, self._region = source, region
        self._seeds = _seeds(seed)
        self._drawn_any = False

    def draw(self, n: int, prospects: Candidates) -> tuple[np.ndarray, np.ndarray]:
        """Draw n more samples, as described at `split_test.Draw`."""
        sizes = [min(CHUNK, n - first) for first in range(0, n, CHUNK)]
        jobs = [SampleChunk(size, next(self._seeds), prospects) for size in sizes]
        parts = [part for part in self._source.pool.map(self._chunk, jobs) if part is not None]
        if not parts:  # even if stopped at once, a few samples give an estimate
            parts = [self._few(jobs[0])] if not self._drawn_any else [self._nothing(prospects)]
        self._drawn_any = True
        return np.concatenate([bins for bins, _ in parts], axis=1), np.concatenate([y for _, y in parts])

    def _chunk(self, job: SampleChunk) -> tuple[np.ndarray, np.ndarray] | None:
        try:
            return None if self._source.progress.is_stopped else self._asked(job)
        except StoppedAsking:
            return None

    def _asked(self, job: SampleChunk) -> tuple[np.ndarray, np.ndarray]:
        rows = pseudo_samples(self._source.smoothing, self._region, job.size, job.seed)
        bins = np.empty((len(job.prospects.feature), job.size), np.uint16)
        put_in_bins(job.prospects, rows, bins)
        return bins, self._source.oracle.labels(rows)

    def _few(self, job: SampleChunk) -> tuple[np.ndarray, np.ndarray]:
        with self._source.heeding(Progress()):
            return self._asked(job._replace(size=min(job.size, FEW)))

    def _nothing(self, prospects: Candidates) -> tuple[np.ndarray, np.ndarray]:
        shape = (0, self._source.oracle.coding.n_targets)
        return np.empty((len(prospects.feature), 0), np.uint16), np.empty(shape)


def pace(source: SampleSource, region: Region, n_threads: int) -> float:
    """Return the seconds for one pseudo-sample with all threads at work, timed on more and more samples."""
    n = FEW
    while True:
        began = time.perf_counter()
        list(source.pool.map(partial(_answered, source, region, n), range(n_threads)))
        seconds = time.perf_counter() - began
        if seconds >= CLEAR or n >= CHUNK:
            return seconds / (n * n_threads)
        n *= 4


def rounded_down(n: float) -> float:
    """Round down to one digit, so that small differences in time do not change the result."""
    unit = 10.0 ** math.floor(math.log10(max(n, 1.0)))
    return math.floor(max(n, 1.0) / unit) * unit


def _answered(source: SampleSource, region: Region, n: int, seed: int) -> None:
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
