"""Pseudo-samples of a node, in chunks with a seed each, drawn and labelled by several threads."""

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

CHUNK = 8192  # rows drawn, labelled and binned at a time


class SampleSource(NamedTuple):
    """The model, the density and the threads that draw."""

    oracle: Oracle
    smoothing: Smoothing
    pool: ThreadPoolExecutor
    signals: np.ndarray  # (2,) int64: drawing stops once [1] is not zero


class Stream:
    """The pseudo-samples of one node, in any number; the same for any number of threads."""

    def __init__(self, source: SampleSource, region: Region, seed: np.uint64):
        self._source, self._region = source, region
        self._seeds = _seeds(seed)
        self._drawn_any = False

    def draw(self, n: int, prospects: Candidates) -> tuple[np.ndarray, np.ndarray]:
        """Draw n more samples, as described at `split_test.Draw`."""
        sizes = [min(CHUNK, n - first) for first in range(0, n, CHUNK)]
        jobs = [(size, next(self._seeds), prospects) for size in sizes]
        parts = [part for part in self._source.pool.map(self._chunk, jobs) if part is not None]
        if not parts:  # even if stopped at once, a few samples give an estimate
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
    """Draw (n, n_features) float64 pseudo-samples of a region, C order."""
    rows = np.empty((n, region.centres.shape[1]))
    draw_rows(smoothing, region, np.array([seed], np.uint64), rows)
    return rows


def _seeds(seed: np.uint64) -> Iterator[np.uint64]:
    """Yield the seeds of chunks, different from those of child nodes."""
    for number in count(2):
        yield np.uint64(child_seed(seed, number))
