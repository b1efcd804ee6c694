"""Better-split test at one node: sample, test, discard the worst splits, sample more (the paper, section 2).

The sizes follow equation (5): with a p-value p at n samples, n (Z_alpha / Z_p)^2 are expected to be enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from espalier.data.binarise import midpoint
from espalier.kernels.approximation.better_split_test import (
    Candidates,
    add_up,
    better_than,
    count,
    n_sums,
    scores,
    slots_of,
)
from espalier.learners.approximation.sampling import SampleSource, Stream
from espalier.learners.forced_splits import TreeSplit
from espalier.trees import read_only

RUNNERS = 10  # splits recorded per node


class UndecidedSplits(UserWarning):
    """Warning: no split of an approximation was decided; other pseudo-samples may well give another tree."""


class StoppedGrowing(UserWarning):
    """Warning: growing an approximation exceeded the time limit; the tree is smaller than without it."""


class Runners(NamedTuple):
    """The best splits of every node, node after node: first the chosen one, then its rivals in order of merit."""

    start: np.ndarray  # (n_nodes + 1,) int64: those of node i are ``start[i]:start[i + 1]``, none where untested
    feature: np.ndarray  # (n_runners,) int32
    threshold: np.ndarray  # (n_runners,) float64; nan for categories
    categories: np.ndarray  # (n_runners,) uint64: categories that go left
    missing_left: np.ndarray  # (n_runners,) bool
    decrease: np.ndarray  # (n_runners,) float64: estimated decrease of impurity
    # (n_runners,) float64: probability that other samples prefer it to the best; nan for the best
    p_value: np.ndarray


class Considered(NamedTuple):
    """Record of the search for a split at every node; zeros and nan for nodes without a search."""

    n_prospects: np.ndarray  # (n_nodes,) int64: candidate splits tested against each other
    n_discarded: np.ndarray  # (n_nodes,) int64: candidates discarded on the way as far worse
    n_samples: np.ndarray  # (n_nodes,) int64: pseudo-samples drawn in the node
    n_rounds: np.ndarray  # (n_nodes,) int64: number of tests, each with more samples
    p_value: np.ndarray  # (n_nodes,) float64: summed over the remaining rivals; nan for nodes without a test
    decided: np.ndarray  # (n_nodes,) bool: the test found the best split; False: the limit of samples ended it
    runners: Runners

    def __reduce__(self):
        # Pickle and deepcopy would return writeable arrays.
        return make_considered, (*self[:-1], tuple(self.runners))

    @property
    def n_splits(self) -> int:
        """Number of nodes with candidates that were compared, decided or not."""
        return int(np.count_nonzero(np.diff(self.runners.start)))

    @property
    def n_decided(self) -> int:
        """Number of splits that the test decided; for exact trees, of splits without a tie."""
        return int(np.count_nonzero(self.decided & (np.diff(self.runners.start) > 0)))

    @property
    def gap(self) -> np.ndarray:
        """Return the lead of the chosen split's decrease over its best remaining rival's, (n_nodes,) float64.

        Negative where a default order chose a split that is not the best; nan without a rival.
        """
        start, decrease = self.runners.start, self.runners.decrease
        leads = np.full(len(start) - 1, np.nan)
        rivals = np.flatnonzero(np.diff(start) > 1)
        leads[rivals] = decrease[start[rivals]] - decrease[start[rivals] + 1]
        return leads


def make_considered(
    n_prospects, n_discarded, n_samples, n_rounds, p_value, decided, runners: Sequence
) -> Considered:
    """Return a read-only `Considered` of the given arrays, `runners` in the order of their fields."""
    nodes = (n_prospects, n_discarded, n_samples, n_rounds, p_value, decided)
    pools = zip(runners, ("i8", "i4", "f8", "u8", "?", "f8", "f8"), strict=True)
    counts = zip(nodes, ("i8", "i8", "i8", "i8", "f8", "?"), strict=True)
    arrays: list = [read_only(np.ascontiguousarray(a, dtype=d)) for a, d in counts]
    arrays.append(Runners._make([read_only(np.ascontiguousarray(a, dtype=d)) for a, d in pools]))
    return Considered._make(arrays)


# ---- the candidates

MOST = 65_000  # most thresholds of a column: bins are numbered in 16 bits
N_CODES = 64


# Zhou & Hooker (2016, section 2.5) take the midpoints of adjacent values of the node's original samples.
# Unordered categories are ordered by the model's predictions for these samples (for more than two classes, one
# order for each coordinate of the labels); a split cuts this order between two categories.
class CandidateColumn(NamedTuple):
    """One column of `Candidates`."""

    feature: int
    threshold: np.ndarray  # (n_splits,) float64
    order: np.ndarray  # (64,) int64
    missing_bin: int


def candidates_of(
    X: np.ndarray, sums: np.ndarray, categorical: np.ndarray, allowed: np.ndarray | None = None
) -> Candidates:
    """Return the candidate splits of a node with samples X (n, n_features).

    sums (n, 1 + n_targets) holds each sample's weight, and the weight times the labels that the model predicts.

    In a column with missing values each split is listed twice, with missing values right and left. The threshold
    inf adds the split that separates known values from missing ones. `allowed` are numbers of columns that may be
    asked about; None for all.
    """
    columns: list[CandidateColumn] = []
    for feature in range(X.shape[1]) if allowed is None else allowed.tolist():
        columns += (_category_columns if categorical[feature] else _number_columns)(feature, X[:, feature], sums)
    sizes = [len(column.threshold) for column in columns]
    slots, scale = slots_of([column.threshold[~np.isnan(column.threshold)] for column in columns])
    return Candidates(
        np.array([column.feature for column in columns], np.int64),
        np.append(0, np.cumsum(sizes)).astype(np.int64),
        np.concatenate([np.empty(0), *(column.threshold for column in columns)]),
        np.array([column.order for column in columns], np.int64).reshape(-1, N_CODES),
        np.array([column.missing_bin for column in columns], np.int64),
        slots,
        scale,
    )


def columns_kept(prospects: Candidates, kept: np.ndarray) -> Candidates:
    """Keep only the columns whose numbers are in `kept` (ascending)."""
    sizes = np.diff(prospects.start)[kept]
    return Candidates(
        prospects.feature[kept],
        np.append(0, np.cumsum(sizes)),
        prospects.threshold[np.repeat(np.isin(np.arange(len(prospects.feature)), kept), np.diff(prospects.start))],
        prospects.order[kept],
        prospects.missing_bin[kept],
        prospects.slots[kept],
        prospects.scale[kept],
    )


def mask_of(prospects: Candidates, column: int, split: int) -> int:
    """Return the categories that a split sends left, as bits; 0 for a split on a threshold."""
    if not np.isnan(prospects.threshold[split]):
        return 0
    left = np.flatnonzero(prospects.order[column] <= split - prospects.start[column])
    return sum(1 << int(code) for code in left)


def _number_columns(feature: int, values: np.ndarray, _sums: np.ndarray) -> list[CandidateColumn]:
    distinct = np.unique(values[~np.isnan(values)])
    threshold = _evenly(midpoint(distinct[:-1], distinct[1:])) if len(distinct) > 1 else np.empty(0)
    return _add_missing(feature, threshold, np.full(N_CODES, -1), bool(np.isnan(values).any()), len(distinct) > 0)


def _category_columns(feature: int, values: np.ndarray, sums: np.ndarray) -> list[CandidateColumn]:
    is_known = ~np.isnan(values)
    codes, position = np.unique(values[is_known].astype(np.int64), return_inverse=True)
    sums_of_code = [np.bincount(position, column, len(codes)) for column in sums[is_known].T]
    orders = {}
    for label in sums_of_code[1:]:
        ranks = np.argsort(label / sums_of_code[0], kind="stable")
        orders.setdefault(min(tuple(ranks), tuple(ranks[::-1])), ranks)  # the reversed order allows the same cuts
    columns = []
    for ranks in orders.values():
        order = np.full(N_CODES, max(len(codes) - 1, 0))  # categories without samples in the node go right
        order[codes[ranks]] = np.arange(len(codes))
        threshold = np.full(max(len(codes) - 1, 0), np.nan)
        columns += _add_missing(feature, threshold, order, not is_known.all(), len(codes) > 0)
    return columns


def _add_missing(
    feature: int, threshold: np.ndarray, order: np.ndarray, has_missing: bool, has_known: bool
) -> list[CandidateColumn]:
    if not has_missing:
        return [CandidateColumn(feature, threshold, order, len(threshold))] if len(threshold) else []
    if not has_known:
        return []
    missing_right = CandidateColumn(feature, np.append(threshold, np.inf), order, len(threshold) + 1)
    missing_left = CandidateColumn(feature, threshold, order, 0)
    return [missing_right, missing_left] if len(threshold) else [missing_right]


def _evenly(thresholds: np.ndarray) -> np.ndarray:
    """Return all thresholds, or as many as the bins allow, evenly spaced by rank."""
    if len(thresholds) <= MOST:
        return thresholds
    return thresholds[np.linspace(0, len(thresholds) - 1, MOST).astype(np.int64)]


# ---- the test

LEAST_GROWTH, MOST_GROWTH = 1.1, 10.0  # factor between the samples of two rounds
ALIKE = 1e-12  # scores that differ by less are equal: the first wins
FEWEST = 100  # pseudo-samples of a node, however slow the model
NOTHING = 1e-12  # a smaller decrease of impurity, in units of squared labels, is rounding


class Rule(NamedTuple):
    """Rule by which a split counts as decided."""

    alpha: float
    first: int  # samples before the first test
    most: int  # samples at which testing ends
    fixed: bool  # the variance treats the shares of the sides as known
    discard: float  # level of Benjamini and Hochberg's procedure; 0: no split is given up
    by_order: bool  # at the limit of samples, take the first split in order that is not worse, instead of the best


class TestOutcome(NamedTuple):
    """Outcome of the split test at a node."""

    split: TreeSplit | None  # None: no split lowers the impurity
    sums: np.ndarray  # (3, n_sums) float64: of the samples in the node, left and right of the split
    n_prospects: int
    n_discarded: int
    n_samples: int
    n_rounds: int
    p_value: float
    decided: bool
    runners: list[tuple]  # (*Split, decrease, p-value)


# Draws so many more samples: bins (n_columns, n) uint16 and labels (n, n_targets); fewer if stopped.
Draw = Callable[[int, Candidates], tuple[np.ndarray, np.ndarray]]


class SplitTest:
    """The remaining splits and the sums of all samples drawn so far."""

    def __init__(self, prospects: Candidates, n_targets: int, rule: Rule):
        self.prospects = prospects
        self.rule = rule
        self.n_targets = n_targets
        self.n_prospects = len(prospects.threshold)
        self.alive = np.ones(self.n_prospects, dtype=bool)
        self.rounds: list[tuple[np.ndarray, np.ndarray]] = []
        self.best = -1
        self.n = 0
        self._start_again()

    def add(self, bins: np.ndarray, y: np.ndarray) -> None:
        """Add samples, find the best split, and test all others against it."""
        self.rounds.append((bins, y))
        self.n += len(y)
        self._count(bins, y)
        best = self._find_best()
        if best != self.best:
            self.best = best
            self._start_again()
            for earlier in self.rounds:
                self._count(*earlier)
        self._test()

    def take(self, sums: np.ndarray) -> None:
        """Treat sums (n_bins, 2, n_sums) as exact: only a tie with the best remains uncertain."""
        self.sums = sums
        self.best = self._find_best()
        self.running = add_up(self.prospects.start, sums)
        self.p_values = np.where(self.scores >= self.scores[self.best] - ALIKE, 0.5, 0.0)

    @property
    def p_value(self) -> float:
        """P-value summed over the rivals: the level of the comparison with all of them (section 2.4)."""
        return float(self.p_values[self._rivals()].sum())

    @property
    def is_settled(self) -> bool:
        """Return whether more samples would change nothing: decided, at the limit, or no gain by any split."""
        return self.p_value < self.rule.alpha or self.n >= self.rule.most or self.scores[self.best] <= NOTHING

    def give_up(self) -> None:
        """Discard the splits that are far worse than the best (section 2.5; Benjamini & Hochberg 1995)."""
        rivals = np.flatnonzero(self._rivals())
        order = rivals[np.argsort(self.p_values[rivals], kind="stable")]
        small = self.p_values[order] <= self.rule.discard * np.arange(1, len(order) + 1) / max(len(order), 1)
        if self.rule.discard == 0 or not small.any():
            return
        self.alive[order[: np.flatnonzero(small)[-1] + 1]] = False
        self._forget_columns()

    def next_size(self) -> int:
        """Return the number of samples expected to be enough (equation 5) for all, or the strongest, rivals."""
        p, alpha = self.p_value, self.rule.alpha
        if p >= 0.5:
            strongest = float(self.p_values[self._rivals()].max())
            p, alpha = strongest, alpha * strongest / p
        growth = (ndtri(alpha) / ndtri(p)) ** 2 if 0 < p < 0.5 else MOST_GROWTH
        size = int(np.ceil(self.n * min(max(growth, LEAST_GROWTH), MOST_GROWTH)))
        return min(size, self.rule.most)

    def outcome(self) -> TestOutcome:
        """Return the split that the samples so far favour."""
        is_decided = self.p_value < self.rule.alpha
        winner = self.best if is_decided or not self.rule.by_order else self._first_in_order()
        lowers = self.scores[winner] > NOTHING
        return TestOutcome(
            self._split(winner) if lowers else None,
            self._sums(winner),
            self.n_prospects,
            self.n_prospects - int(self.alive.sum()),
            self.n,
            len(self.rounds),
            self.p_value,
            is_decided,
            self._runners(winner) if lowers else [],
        )

    def _start_again(self) -> None:
        n_bins = len(self.prospects.threshold) + len(self.prospects.feature)
        self.sums = np.zeros((n_bins, 2, n_sums(self.n_targets)))

    def _count(self, bins: np.ndarray, y: np.ndarray) -> None:
        side = np.zeros(len(y), np.uint8)
        if self.best >= 0:
            column = self._column(self.best)
            side[bins[column] > self.best - self.prospects.start[column]] = 1
        count(bins, y, side, self.sums, self.prospects.start)

    def _find_best(self) -> int:
        running = add_up(self.prospects.start, self.sums)
        self.scores = scores(self.prospects.start, running, self.n_targets)
        among = np.where(self.alive, self.scores, -np.inf)
        return int(np.flatnonzero(among >= among.max() - ALIKE)[0])

    def _test(self) -> None:
        self.running = add_up(self.prospects.start, self.sums)
        self.p_values = np.empty(len(self.scores))
        better_than(
            self.prospects.start, self.running, self.scores[self.best], self.rule.fixed, self.scores, self.p_values
        )

    def _rivals(self) -> np.ndarray:
        rivals = self.alive.copy()
        rivals[self.best] = False
        return rivals

    def _column(self, split: int) -> int:
        return int(np.searchsorted(self.prospects.start, split, side="right")) - 1

    def _forget_columns(self) -> None:
        """Drop columns without a remaining split, which need neither sums nor draws."""
        start = self.prospects.start
        columns_ = np.flatnonzero(np.logical_or.reduceat(self.alive, start[:-1]))
        if len(columns_) == len(start) - 1:
            return
        stays = np.repeat(np.isin(np.arange(len(start) - 1), columns_), np.diff(start))
        bins = np.repeat(np.isin(np.arange(len(start) - 1), columns_), np.diff(start) + 1)
        self.sums, self.running = self.sums[bins], self.running[bins]
        self.scores, self.p_values, self.alive = self.scores[stays], self.p_values[stays], self.alive[stays]
        self.best = int(np.count_nonzero(stays[: self.best]))
        self.prospects = columns_kept(self.prospects, columns_)
        self.rounds = [(np.ascontiguousarray(b[columns_]), y) for b, y in self.rounds]

    def _first_in_order(self) -> int:
        """Return the lowest feature and threshold among the splits not found worse (section 2.3)."""
        equal = self._rivals() & (self.p_values > self.rule.alpha)
        equal[self.best] = True
        return int(np.flatnonzero(equal)[0])

    def _split(self, split: int) -> TreeSplit:
        return split_at(self.prospects, split)

    def _sums(self, split: int) -> np.ndarray:
        column = self._column(split)
        totals = self.running[self.prospects.start[column + 1] + column].sum(axis=0)
        left = self.running[split + column].sum(axis=0)
        return np.stack([totals, left, totals - left])

    def _runners(self, taken: int) -> list[tuple]:
        alive = np.flatnonzero(self.alive & (self.scores > -np.inf))
        rivals = alive[alive != taken]
        order_ = [taken, *rivals[np.argsort(-self.scores[rivals], kind="stable")][: RUNNERS - 1]]
        p = np.where(np.arange(len(self.scores)) == self.best, np.nan, self.p_values)
        return [(*self._split(int(i)), float(self.scores[i]), float(p[i])) for i in order_]


def split_at(prospects: Candidates, split: int) -> TreeSplit:
    """Return the candidate of this number as a split of a tree."""
    column = int(np.searchsorted(prospects.start, split, side="right")) - 1
    missing_left = prospects.missing_bin[column] <= split - prospects.start[column]
    threshold = float(prospects.threshold[split])
    return TreeSplit(
        int(prospects.feature[column]), threshold, mask_of(prospects, column, split), bool(missing_left)
    )


def decide(
    prospects: Candidates, n_targets: int, rule: Rule, draw: Draw, is_stopped: Callable[[], bool]
) -> TestOutcome:
    """Sample until the best split is decided, the limit of samples is reached, or the search is stopped."""
    contest, n_wanted = SplitTest(prospects, n_targets, rule), min(rule.first, rule.most)
    while True:
        contest.add(*draw(n_wanted - contest.n, contest.prospects))
        if contest.is_settled or is_stopped():
            return contest.outcome()
        contest.give_up()
        n_wanted = contest.next_size()


def decide_by_test(
    source: SampleSource, rule: Rule, prospects, region, seed, allowance: float = math.inf
) -> TestOutcome:
    """Choose a node's split by the better-split test; without candidates, only draw its samples.

    `allowance` is the most samples that may be drawn, if that is fewer than the rule says.
    """
    most = int(min(rule.most, max(allowance, FEWEST)))
    rule = rule._replace(most=most, first=min(rule.first, most))
    stream, m = Stream(source, region, seed), source.oracle.coding.n_targets
    if len(prospects.threshold):
        return decide(prospects, m, rule, stream.draw, lambda: source.progress.is_stopped)
    return _outcome_of_labels(stream.draw(rule.first, prospects)[1])


def _outcome_of_labels(y: np.ndarray) -> TestOutcome:
    sums = np.zeros((3, n_sums(y.shape[1])))
    sums[:, 0] = len(y)
    sums[:, 1 : 1 + y.shape[1]] = y.sum(axis=0)
    if y.shape[1] == 1:
        sums[:, 2] = (y**2).sum()
    return TestOutcome(None, sums, 0, 0, len(y), 1, np.nan, False, [])
