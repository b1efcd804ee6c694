"""Many split tests between the same candidate splits of one node, with emulated instead of sampled sums.

Only contenders are followed: splits that may be the best, or a relevant rival, at the first test. Bins between
contenders are merged. Pool samples that no contender separates form one cell; its mass is adjusted to the exact
mass of its bins, column after column (iterative proportional fitting, Deming & Stephan 1940).
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from espalier.kernels.approximation.better_split_test import Candidates, add_up, n_sums, scores, variances
from espalier.kernels.approximation.emulation import count_cells, fluctuate
from espalier.kernels.randomness import child_seed
from espalier.learners.approximation.split_record import RUNNERS
from espalier.learners.approximation.split_test import (
    ALIKE,
    LEAST_GROWTH,
    MOST_GROWTH,
    NOTHING,
    Rule,
    TestOutcome,
    TreeSplit,
    split_at,
)

FAR = 7.0  # standard deviations: a split that is so far behind at the first test does not count
FITTING_ROUNDS = 4
DRAWS_AT_A_TIME = 8


class Draws(NamedTuple):
    """Seeds of the split tests, and the executor that draws."""

    seeds: np.ndarray  # (n_tests,) uint64
    pool: Executor


class NodeField(NamedTuple):
    """Sums and bins of one node. Splits are its contenders; bins lie between them, column after column."""

    prospects: Candidates
    split: np.ndarray  # (n_splits,) int64: their numbers among the candidates, ascending
    start: np.ndarray  # (n_columns + 1,) int64, as in `Candidates`, of the columns that have any
    exact: np.ndarray  # (n_bins, 1 + n_targets) float64: mass and labels of each bin
    whole: np.ndarray  # (1 + n_targets,) float64: of the node
    bins: np.ndarray  # (n_columns, n_cells) uint16
    cells: np.ndarray  # (n_cells, n_sums) float64: sums of the cells, of one sample
    factor: np.ndarray  # (n_cells, 1 + n_targets, 1 + n_targets) float64, the input of `fluctuate`

    @property
    def n_targets(self) -> int:
        """Number of coordinates of a label."""
        return len(self.whole) - 1


def field_of(
    prospects: Candidates, whole: np.ndarray, in_bins: np.ndarray, bins: np.ndarray, y: np.ndarray, rule: Rule
) -> NodeField:
    """Build the field of a node from its exact sums, whole and in bins, and the bins and labels of its pool."""
    in_bins, whole = in_bins / whole[0], whole / whole[0]
    rows = _products(y) / len(y)
    split = _contenders(prospects, in_bins, bins, rows, rule) if len(prospects.threshold) else np.empty(0, int)
    of_split = np.searchsorted(prospects.start, split, side="right") - 1
    columns, sizes = np.unique(of_split, return_counts=True)
    start = np.append(0, np.cumsum(sizes)).astype(np.int64)
    merged = np.empty((len(columns), len(y)), np.uint16)
    exact: list[np.ndarray] = [np.empty((0, len(whole)))]
    for i, column in enumerate(columns):
        n_bins = prospects.start[column + 1] - prospects.start[column] + 1
        into = np.searchsorted(split[of_split == column] - prospects.start[column], np.arange(int(n_bins)))
        merged[i] = into[bins[column]]
        of_column = in_bins[prospects.start[column] + column :][:n_bins]
        exact.append(np.stack([np.bincount(into, sums) for sums in of_column.T], axis=1))
    exact_bins = np.concatenate(exact)
    cell_bins, cells = _cells(merged, rows)
    cells *= _fitted(cell_bins, cells[:, 0], start, exact_bins[:, 0])[:, None]
    factor = _factor(cells, len(whole) - 1)
    return NodeField(prospects, split, start, exact_bins, whole, cell_bins, cells, factor)


def _products(y: np.ndarray) -> np.ndarray:
    """Return the sums per sample that `count` adds up, (n, n_sums), of labels y (n, n_targets)."""
    m = y.shape[1]
    pairs = [y[:, j] * y[:, k] for j in range(m) for k in range(j + 1)]
    return np.ascontiguousarray(np.column_stack([np.ones(len(y)), y, *pairs]))


def _contenders(
    prospects: Candidates, in_bins: np.ndarray, bins: np.ndarray, rows: np.ndarray, rule: Rule
) -> np.ndarray:
    """Return the numbers of the splits that are not far behind the best at the first test."""
    m = in_bins.shape[1] - 1
    sums = np.zeros((len(in_bins), 2, n_sums(m)))
    sums[:, 0, : 1 + m] = in_bins
    score = scores(prospects.start, add_up(prospects.start, sums), m)
    best = int(np.flatnonzero(score >= score.max() - ALIKE)[0])
    if score[best] <= NOTHING:
        return np.array([best])
    variance = _against(prospects.start, bins, rows, best, rule.fixed)
    behind = score[best] - score
    return np.flatnonzero(behind <= FAR * np.sqrt(np.maximum(variance, 0.0) / rule.first) + ALIKE)


def _against(start: np.ndarray, bins: np.ndarray, cells: np.ndarray, best: int, fixed: bool) -> np.ndarray:
    """Return for every split the variance of d against the best, for one sample, (n_splits,).

    -1 for splits that separate alike.
    """
    column = int(np.searchsorted(start, best, side="right")) - 1
    side = (bins[column] > best - start[column]).astype(np.uint8)
    sums = np.zeros((start[-1] + len(bins), 2, cells.shape[1]))
    count_cells(bins, cells, side, start, sums)
    variance = np.empty(start[-1])
    variances(start, add_up(start, sums), fixed, variance)
    return variance


def _cells(bins: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge samples with bins (n_columns, n) and sums (n, n_sums) that share all bins."""
    cell = np.zeros(bins.shape[1], np.int64)
    for column in bins:
        cell = np.unique(cell * (int(column.max()) + 1) + column, return_inverse=True)[1]
    _, first = np.unique(cell, return_index=True)
    sums = np.column_stack([np.bincount(cell, column) for column in rows.T])
    return np.ascontiguousarray(bins[:, first]), np.ascontiguousarray(sums)


def _fitted(bins: np.ndarray, mass: np.ndarray, start: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Return the factors (n_cells,) that bring the mass of each bin to its exact value, or nearly."""
    times = np.ones(len(mass))
    for _ in range(FITTING_ROUNDS):
        for column, cell_bins in enumerate(bins):
            wanted = exact[start[column] + column : start[column + 1] + column + 1]
            has = np.bincount(cell_bins, mass * times, len(wanted))
            times *= np.divide(wanted, has, out=np.ones(len(wanted)), where=has > 0)[cell_bins]
    return times


def _factor(cells: np.ndarray, m: int) -> np.ndarray:
    """Return `NodeField.factor` from the second moments of the counts and labels of cells."""
    factor, left, at = np.zeros((len(cells), m + 1, m + 1)), np.zeros((len(cells), m, m)), 1 + m
    root = np.sqrt(cells[:, 0])
    factor[:, 0, 0] = root
    for j in range(m):
        factor[:, 1 + j, 0] = np.divide(cells[:, 1 + j], root, where=root > 0, out=np.zeros(len(cells)))
        for k in range(j + 1):
            left[:, j, k] = left[:, k, j] = cells[:, at] - factor[:, 1 + j, 0] * factor[:, 1 + k, 0]
            at += 1
    value, vector = np.linalg.eigh(left)
    factor[:, 1:, 1:] = vector * np.sqrt(np.maximum(value, 0.0))[:, None, :]
    return factor


class SplitTests:
    """State of many split tests of one node, run side by side; the vectorised form of `split_test.SplitTest`."""

    def __init__(self, field: NodeField, rule: Rule, draws: Draws):
        n, n_splits = len(draws.seeds), len(field.split)
        self.field, self.rule, self.draws = field, rule, draws
        self.n, self.n_rounds = np.zeros(n), np.zeros(n, np.int64)
        self.sums = np.zeros((n, *field.exact.shape))
        self.alive = np.ones((n, n_splits), dtype=bool)
        self.n_far = np.full(n, len(field.prospects.threshold) - n_splits)  # rivals that are not contenders
        self.score, self.p_values = np.zeros((n, n_splits)), np.zeros((n, n_splits))
        self.best, self.p_value = np.zeros(n, np.int64), np.zeros(n)
        self._known: dict[int, np.ndarray] = {}
        column = np.searchsorted(field.start, np.arange(n_splits), side="right") - 1
        self._end, self._begin = np.arange(n_splits) + column + 1, field.start[column] + column

    def add(self, those: np.ndarray, wanted: np.ndarray) -> None:
        """Extend these tests to the wanted numbers of samples, and test their best splits against all others."""
        self._sample(those, wanted - self.n[those])
        self.n[those] = wanted
        self.n_rounds[those] += 1
        self.score[those] = self._scores(those)
        among = np.where(self.alive[those], self.score[those], -np.inf)
        self.best[those] = (among >= among.max(axis=1, keepdims=True) - ALIKE).argmax(axis=1)
        for best in np.unique(self.best[those]):
            self._test(those[self.best[those] == best], int(best))
        self.p_value[those] = np.where(self._rivals(those), self.p_values[those], 0.0).sum(axis=1)

    def settled(self, those: np.ndarray) -> np.ndarray:
        """Vectorised `SplitTest.is_settled`."""
        nothing = self.score[those, self.best[those]] <= NOTHING
        return (self.p_value[those] < self.rule.alpha) | (self.n[those] >= self.rule.most) | nothing

    def give_up(self, those: np.ndarray) -> None:
        """Vectorised `SplitTest.give_up`; splits that are not contenders go first."""
        if self.rule.discard == 0:
            return
        rivals, p = self._rivals(those), self.p_values[those]
        order = np.argsort(np.where(rivals, p, np.inf), axis=1, kind="stable")
        far, n_rivals = self.n_far[those, None], rivals.sum(axis=1, keepdims=True)
        rank = far + 1 + np.arange(p.shape[1])
        level = self.rule.discard * rank / np.maximum(far + n_rivals, 1)
        small = (np.take_along_axis(p, order, axis=1) <= level) & (rank - far <= n_rivals)
        n_given_up = np.where(small.any(axis=1), p.shape[1] - small[:, ::-1].argmax(axis=1), 0)
        place = np.argsort(order, axis=1)
        self.alive[those] &= ~(place < n_given_up[:, None])
        self.n_far[those] = 0

    def next_sizes(self, those: np.ndarray) -> np.ndarray:
        """Vectorised `SplitTest.next_size`."""
        p = self.p_value[those]
        strongest = np.where(self._rivals(those), self.p_values[those], 0.0).max(axis=1, initial=0.0)
        alpha = np.where(p >= 0.5, self.rule.alpha * strongest / p, self.rule.alpha)
        p = np.where(p >= 0.5, strongest, p)
        usual = (p > 0) & (p < 0.5)
        growth = np.full(len(p), MOST_GROWTH)
        growth[usual] = (ndtri(alpha[usual]) / ndtri(p[usual])) ** 2
        return np.minimum(np.ceil(self.n[those] * np.clip(growth, LEAST_GROWTH, MOST_GROWTH)), self.rule.most)

    def outcome(self, number: int) -> TestOutcome:
        """Return the outcome of one test, as `SplitTest.outcome`."""
        decided = bool(self.p_value[number] < self.rule.alpha)
        best = int(self.best[number])
        taken = best if decided or not self.rule.by_order else self._first_in_order(number)
        lowers = self.score[number, taken] > NOTHING
        n_left = int(self.alive[number].sum() + self.n_far[number])
        n_prospects = len(self.field.prospects.threshold)
        return TestOutcome(
            self._split(taken) if lowers else None,
            self._sums_of(number, taken),
            n_prospects,
            n_prospects - n_left,
            int(self.n[number]),
            int(self.n_rounds[number]),
            float(self.p_value[number]),
            decided,
            self._runners(number, taken) if lowers else [],
        )

    def _sample(self, those: np.ndarray, n_more: np.ndarray) -> None:
        field, fresh = self.field, np.zeros((len(those), *self.field.exact.shape))
        numbers = self.n_rounds[those] + 2
        seeds = [child_seed(self.draws.seeds[i], number) for i, number in zip(those, numbers, strict=True)]
        seeds = np.array(seeds, np.uint64)
        spans = [slice(i, i + DRAWS_AT_A_TIME) for i in range(0, len(those), DRAWS_AT_A_TIME)]
        list(
            self.draws.pool.map(
                lambda span: fluctuate(field.bins, field.factor, field.start, seeds[span], fresh[span]), spans
            )
        )
        total = fresh[:, : field.start[1] + 1, 0].sum(axis=1)  # equals the number of samples
        fresh -= total[:, None, None] * field.exact
        self.sums[those] += n_more[:, None, None] * field.exact + np.sqrt(n_more)[:, None, None] * fresh

    def _scores(self, those: np.ndarray) -> np.ndarray:
        left, whole = self._left(those), self._whole(those)
        right, n = whole[:, None] - left, whole[:, 0, None]
        lowered = _squares(left) + _squares(right) - _squares(whole)[:, None]
        return np.where((left[..., 0] > 0) & (right[..., 0] > 0), lowered / n, -np.inf)

    def _left(self, those: np.ndarray) -> np.ndarray:
        """Return the sums left of each split, (n, n_splits, 1 + n_targets)."""
        n_bins, n_kept = self.field.exact.shape
        running = np.zeros((len(those), n_bins + 1, n_kept))
        np.cumsum(self.sums[those], axis=1, out=running[:, 1:])
        return running[:, self._end] - running[:, self._begin]

    def _whole(self, those: np.ndarray) -> np.ndarray:
        return self.sums[those, : self.field.start[1] + 1].sum(axis=1)

    def _test(self, those: np.ndarray, best: int) -> None:
        if best not in self._known:
            field = self.field
            self._known[best] = _against(field.start, field.bins, field.cells, best, self.rule.fixed)
        variance = self._known[best]
        difference = np.minimum(self.score[those] - self.score[those, best][:, None], 0.0)
        spread = np.sqrt(2 * np.maximum(variance, 0.0) / self.n[those, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            p = ndtr(difference / spread)
        p = np.where(spread > 0, p, np.where(difference < 0, 0.0, 0.5))
        self.p_values[those] = np.where(variance < 0, 0.5, p)

    def _rivals(self, those: np.ndarray) -> np.ndarray:
        rivals = self.alive[those]
        rivals[np.arange(len(those)), self.best[those]] = False
        return rivals

    def _first_in_order(self, number: int) -> int:
        equal = self._rivals(np.array([number]))[0] & (self.p_values[number] > self.rule.alpha)
        equal[self.best[number]] = True
        return int(np.flatnonzero(equal)[0])

    def _split(self, split: int) -> TreeSplit:
        return split_at(self.field.prospects, int(self.field.split[split]))

    def _sums_of(self, number: int, split: int) -> np.ndarray:
        """Return the sums of the node, left and right, (3, n_sums), without products of labels (not emulated)."""
        one, m = np.array([number]), self.field.n_targets
        sums = np.zeros((3, n_sums(m)))
        sums[0, : 1 + m], sums[1, : 1 + m] = self._whole(one)[0], self._left(one)[0, split]
        sums[2] = sums[0] - sums[1]
        return sums

    def _runners(self, number: int, taken: int) -> list[tuple]:
        score = self.score[number]
        alive = np.flatnonzero(self.alive[number] & (score > -np.inf))
        others = alive[alive != taken]
        ranked = [taken, *others[np.argsort(-score[others], kind="stable")][: RUNNERS - 1]]
        p = np.where(np.arange(len(score)) == self.best[number], np.nan, self.p_values[number])
        return [(*self._split(int(i)), float(score[i]), float(p[i])) for i in ranked]


def split_tests(field: NodeField, rule: Rule, draws: Draws) -> list[TestOutcome]:
    """Run the tests with these seeds; each is an emulated `learners.approximation.split_test.decide`."""
    if not len(field.split):
        return [_value_alone(field, rule)] * len(draws.seeds)
    held = SplitTests(field, rule, draws)
    those, wanted = np.arange(len(draws.seeds)), np.full(len(draws.seeds), float(min(rule.first, rule.most)))
    while len(those):
        held.add(those, wanted)
        those = those[~held.settled(those)]
        if len(those):
            held.give_up(those)
            wanted = held.next_sizes(those)
    return [held.outcome(number) for number in range(len(draws.seeds))]


def _value_alone(field: NodeField, rule: Rule) -> TestOutcome:
    sums = np.zeros((3, n_sums(field.n_targets)))
    sums[:, : 1 + field.n_targets] = field.whole * rule.first
    return TestOutcome(None, sums, 0, 0, rule.first, 1, np.nan, False, [])


def _squares(sums: np.ndarray) -> np.ndarray:
    """Return one side's reduction of the Gini index, times n_samples, from sums (..., 1 + n_targets)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[..., 0] > 0, (sums[..., 1:] ** 2).sum(axis=-1) / sums[..., 0], 0.0)
