"""Where a node's pseudo-samples come from: chunks, each with its own seed, drawn and asked by several threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import NamedTuple

import numpy as np

from espalier.kernels.approximation.better_split_test import Candidates, put_in_bins
from espalier.kernels.approximation.density import Region, Smoothing, draw_rows
from espalier.kernels.randomness import child_seed
from espalier.learners.approximation.oracle import Oracle

CHUNK = 8192  # rows that are drawn, asked and put into bins at a time


class SampleSource(NamedTuple):
    """What draws, and what is asked."""

    oracle: Oracle
    smoothing: Smoothing
    pool: ThreadPoolExecutor
    signals: np.ndarray  # (2,) int64: [1] not zero: draw no more


class Stream:
    """The pseudo-samples of one node, as many as wanted, the same whatever the number of threads."""

    def __init__(self, source: SampleSource, region: Region, seed: np.uint64):
        self._source, self._region = source, region
        self._seeds = _seeds(seed)
        self._drawn_any = False

    def draw(self, n: int, prospects: Candidates) -> tuple[np.ndarray, np.ndarray]:
        """As `contest.Draw` says."""
        sizes = [min(CHUNK, n - first) for first in range(0, n, CHUNK)]
        jobs = [(size, next(self._seeds), prospects) for size in sizes]
        parts = [part for part in self._source.pool.map(self._chunk, jobs) if part is not None]
        if not parts:  # stopped at once: of few samples at least something can be said
            parts = [self._asked(jobs[0])] if not self._drawn_any else [self._nothing(prospects)]
        self._drawn_any = True
        return np.concatenate([bins for bins, _ in parts], axis=1), np.concatenate([y for _, y in parts])

    def _chunk(self, job: tuple) -> tuple[np.ndarray, np.ndarray] | None:
        return None if self._source.signals[1] else self._asked(job)

    def _asked(self, job: tuple[int, np.uint64, Candidates]) -> tuple[np.ndarray, np.ndarray]:
        size, seed, prospects = job
        rows = pseudo_samples(self._source.smoothing, self._region, size, seed)
        bins = np.empty((len(prospects.feature), size), np.uint16)
        put_in_bins(prospects, rows, bins)
        return bins, self._source.oracle.labels(rows)

    def _nothing(self, prospects: Candidates) -> tuple[np.ndarray, np.ndarray]:
        shape = (0, self._source.oracle.coding.n_targets)
        return np.empty((len(prospects.feature), 0), np.uint16), np.empty(shape)


def pseudo_samples(smoothing: Smoothing, region: Region, n: int, seed: np.uint64) -> np.ndarray:
    """(n, n_features) float64 pseudo-samples of a region, C order."""
    rows = np.empty((n, region.centres.shape[1]))
    draw_rows(smoothing, region, np.array([seed], np.uint64), rows)
    return rows


def _seeds(seed: np.uint64) -> Iterator[np.uint64]:
    """One after the other, unlike those of child nodes."""
    for number in count(2):
        yield np.uint64(child_seed(seed, number))
