"""Decisions by what errors cost: the share from which a class is the answer, for as many of it as there will be.

Where missing a class costs so many times as much as any other error, the answer of least expected cost is that
class wherever its share, times this number, is not below another's; of two classes, from a share of 1 / (1 +
times) on (Elkan 2001, "The foundations of cost-sensitive learning", equation 2 and theorem 2). Where the class
will be rarer or more frequent than in the table, shares are corrected first (Saerens, Latinne & Decaestecker
2002), and rows of the class count as much less or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from espalier.comparison.cross_validation import Validated
from espalier.comparison.scores import Subgroups, Z, subgroups, wilson
from espalier.data.dataset import Dataset
from espalier.data.folds import Folds, folds_of
from espalier.data.roles import effective_size, weighted_mean
from espalier.predict import winners
from espalier.reliability.reliability import FoldModels, answered, ratio_of_rows

ROUNDING = 1e-12  # by which shares, as sums of floats, may fall short


class Decision(NamedTuple):
    """A class against the others: what missing it costs, from which share it is the answer, how frequent it is.

    >>> Decision(1, times=4.0).cut
    0.2
    """

    code: int | None = None  # of the class; None: all errors are alike, and the likeliest class is the answer
    times: float = 1.0  # as much as any other error costs an answer that misses the class
    threshold: float | None = None  # share of the class from which it is the answer; None: as the costs ask for
    prevalence: float | None = None  # share of the class among rows to come; None: as in the table

    @property
    def cut(self) -> float:
        """Share of the class from which it is the answer; of more than two classes, from there at the latest."""
        return 1 / (1 + self.times) if self.threshold is None else self.threshold

    @property
    def is_plain(self) -> bool:
        """Whether the likeliest class is the answer, and each error costs the same."""
        return self.code is None or (self.times == 1 and self.threshold is None and self.prevalence is None)


def check(decision: Decision) -> None:
    """Raise ValueError for numbers that no decision can have."""
    if not decision.times > 0:
        raise ValueError(f"an error cannot cost {decision.times:g} times as much; give a number above 0")
    for name, share in (("threshold", decision.threshold), ("prevalence", decision.prevalence)):
        if share is not None and not 0 < share < 1:
            raise ValueError(f"a {name} of {share:g} is no share; it must lie between 0 and 1")


def costs(decision: Decision, n_classes: int) -> np.ndarray:
    """Return the costs of errors, (n_classes, n_classes) float64, [true, predicted].

    >>> costs(Decision(1, times=4.0), 2).tolist()
    [[0.0, 1.0], [4.0, 0.0]]
    """
    table = 1.0 - np.eye(n_classes)
    if decision.code is not None:
        table[decision.code] *= decision.times
    return table


def correct_shares(shares: np.ndarray, code: int, here: float, there: float) -> np.ndarray:
    """Return shares (n, n_classes) as they would be if a part `there` of all rows were of class `code`.

    `here` is the part in the table that the shares come from.

    >>> correct_shares(np.array([[0.5, 0.5]]), 1, here=0.5, there=0.1).round(3).tolist()
    [[0.9, 0.1]]
    """
    factor = np.full(shares.shape[1], (1 - there) / (1 - here))
    factor[code] = there / here
    odds = shares * factor
    return odds / np.maximum(odds.sum(axis=1, keepdims=True), 1e-300)


def unweight_shares(shares: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Return shares (n, n_classes) as they would be if the rows of all classes had counted the same.

    `weight` (n_classes,) is how much a row of each class counted for the model that gives the shares; None: the
    same. Costs are then met once, by the decision, and not a second time.

    >>> unweight_shares(np.array([[0.2, 0.8]]), np.array([1.0, 4.0])).tolist()
    [[0.5, 0.5]]
    """
    if weight is None:
        return shares
    odds = shares / weight
    return odds / np.maximum(odds.sum(axis=1, keepdims=True), 1e-300)


def decide(shares: np.ndarray, said: np.ndarray, decision: Decision, here: float | None = None) -> np.ndarray:
    """Return the class decided on for each row, (n,) int64.

    `said` (n,) are the model's own answers, which stay where every error is alike; `here` is the part of the
    table's rows that are of the class, for a prevalence. Raises ValueError as `check` does.

    >>> shares = np.array([[0.7, 0.3], [0.9, 0.1]])
    >>> decide(shares, np.array([0, 0]), Decision(1, times=4.0))
    array([1, 0])
    """
    check(decision)
    if decision.code is None or decision.is_plain:
        return said
    if decision.prevalence is not None and here is not None and 0 < here < 1:
        shares = correct_shares(shares, decision.code, here, decision.prevalence)
    rest = np.delete(shares, decision.code, axis=1)
    best = rest.argmax(axis=1)
    odds = (1 - decision.cut) / decision.cut
    is_it = odds * shares[:, decision.code] >= rest.max(axis=1) * (1 - ROUNDING)
    return np.where(is_it, decision.code, best + (best >= decision.code))


def row_weights(y: np.ndarray, weight: np.ndarray, decision: Decision) -> np.ndarray:
    """Return how much each row counts, (n,), if its class is as frequent as the decision says; y (n,) int64.

    >>> row_weights(np.array([1, 0, 0, 0]), np.ones(4), Decision(1, prevalence=0.5)).round(2).tolist()
    [2.0, 0.67, 0.67, 0.67]
    """
    here = part_of(y, weight, decision.code)
    if decision.prevalence is None or not 0 < here < 1:
        return weight
    there = decision.prevalence
    return weight * np.where(y == decision.code, there / here, (1 - there) / (1 - here))


def part_of(y: np.ndarray, weight: np.ndarray, code: int | None) -> float:
    """Return the part of the rows, by weight, that are of the class; nan without rows."""
    total = float(weight.sum())
    return float(weight[y == code].sum()) / total if total else float("nan")


# ---- how often decisions are right, and what their errors cost, on rows that their models have not seen

FEWEST = 10  # rows, as many as their weights are worth: of fewer a rate says too little
THRESHOLDS = np.arange(1, 100) / 100  # of cost curves


class JudgedRows(NamedTuple):
    """Rows with their class, and a model's answer to each that has not seen it; in each repeat once."""

    row: np.ndarray  # (n,) int64 of the data
    y: np.ndarray  # (n,) int64
    shares: np.ndarray  # (n, n_classes)
    said: np.ndarray  # (n,) int64: the class that the model itself says
    fold: np.ndarray  # (n,) int64; all 0 for rows that were held out once
    weight: np.ndarray  # (n,) float64
    plan: Folds | None  # None: rows held out once


class Rate(NamedTuple):
    """A share of rows, or a mean over them, with its 95 % interval."""

    value: float  # nan if there is nothing to count
    low: float
    high: float
    n: float  # rows that it is of, as many as their weights are worth

    @property
    def is_known(self) -> bool:
        """Whether there are enough rows to say something."""
        return self.n >= FEWEST


class ClassRates(NamedTuple):
    """The rates of one class."""

    recall: Rate  # of its rows, those decided to be it (sensitivity)
    precision: Rate  # of the rows decided to be it, those that are
    alarm: Rate  # of the other rows, those decided to be it (1 − specificity)


class Decided(NamedTuple):
    """What comes of a decision."""

    answer: np.ndarray  # (n,) int64
    accuracy: Rate
    by_class: tuple[ClassRates, ...]
    cost: Rate  # of a row, where any error that is not of the class costs 1


class CostCurve(NamedTuple):
    """Cost of a row by the share from which the class is the answer."""

    threshold: np.ndarray  # (n_points,)
    cost: np.ndarray  # (n_points,)
    low: np.ndarray
    high: np.ndarray
    always: float  # if the class is always the answer
    never: float  # if it never is


def rows_of_folds(models: FoldModels) -> JudgedRows:
    """Return the rows of all folds and repeats that were tried. Raises ValueError if none was.

    >>> from espalier.analysis import Folds, ask
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> rows_of_folds(ask(CartClassifier(max_depth=2), samples.load("iris"), Folds(n_folds=5))).shares.shape
    (150, 3)
    """
    answers, data = answered(models), models.dataset
    shares = np.concatenate([model.answers for model in models.tried])
    weight = _weights(data, answers.row)
    return JudgedRows(answers.row, data.y[answers.row], shares, answers.answer, answers.fold, weight, models.plan)


def rows_validated(validated: Validated, dataset: Dataset) -> JudgedRows:
    """Return the rows of the first repeat of a cross-validation, those of folds that were tried."""
    fold = np.full(len(dataset.y), -1)
    for contestant in folds_of(dataset, validated.plan)[: validated.plan.n_folds]:
        fold[contestant.rows] = contestant.number
    rows = np.flatnonzero(np.isfinite(validated.predicted).all(axis=1) & (fold >= 0))
    prediction, weight = validated.prediction[rows], _weights(dataset, rows)
    return JudgedRows(
        rows, dataset.y[rows], validated.predicted[rows], prediction, fold[rows], weight, validated.plan
    )


def rows_held_out(dataset: Dataset, rows: np.ndarray, shares: np.ndarray) -> JudgedRows:
    """Return rows (indices) that were held out once, with the shares (n, n_classes) that a model gives them."""
    fold, weight = np.zeros(len(rows), np.int64), _weights(dataset, rows)
    return JudgedRows(rows, dataset.y[rows], shares, winners(shares), fold, weight, None)


def _weights(dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    weight = dataset.weights_of(rows)
    return np.ones(len(rows)) if weight is None else weight


def decided(rows: JudgedRows, decision: Decision) -> Decided:
    """Return the decisions on the rows, how often they are right, and what their errors cost.

    With a prevalence, rows of the class count as if it were as frequent as that: it moves precision and cost, not
    recall. Raises ValueError as `decision.check` does.

    >>> from espalier.analysis import Folds, ask
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> cancer = samples.load("breast-cancer")
    >>> rows = rows_of_folds(ask(CartClassifier(max_depth=3), cancer, Folds(n_folds=5)))
    >>> plain, careful = decided(rows, Decision()), decided(rows, Decision(cancer.target.positive, times=20.0))
    >>> k = cancer.target.positive
    >>> careful.by_class[k].recall.value > plain.by_class[k].recall.value
    True
    """
    answer = decide(rows.shares, rows.said, decision, part_of(rows.y, rows.weight, decision.code))
    cost, rows = decided_cost(rows, decision), rows._replace(weight=row_weights(rows.y, rows.weight, decision))
    accuracy = share_of(*_rate_rows(RIGHT, rows, answer, None), rows)
    class_rates = tuple(
        ClassRates(*(share_of(*_rate_rows(name, rows, answer, k), rows) for name in (RECALL, PRECISION, ALARM)))
        for k in range(rows.shares.shape[1])
    )
    return Decided(answer, accuracy, class_rates, cost)


def share_of(holds: np.ndarray, among: np.ndarray, rows: JudgedRows) -> Rate:
    """Return the share of the rows in `among` (n,) bool that hold, (n,) bool.

    The interval is the wider of two: Wilson's, and of several folds the one of `reliability.ratio`, which knows
    that models of folds share rows.

    >>> rows = JudgedRows(*[np.zeros(20, int)] * 2, np.ones((20, 1)), *[np.zeros(20, int)] * 2, np.ones(20), None)
    >>> [round(end, 2) for end in share_of(np.arange(20) < 6, np.ones(20, bool), rows)]
    [0.3, 0.15, 0.52, 20.0]
    """
    rate = mean_of(holds.astype(float), among, rows)
    if not rate.n:
        return rate
    low, high = (float(end) for end in wilson(np.array(rate.value), np.array(rate.n)))
    if rows.plan is not None:
        low, high = float(np.fmin(low, rate.low)), float(np.fmax(high, rate.high))
    return Rate(rate.value, max(low, 0.0), min(high, 1.0), rate.n)


def mean_of(values: np.ndarray, among: np.ndarray, rows: JudgedRows) -> Rate:
    """Return the mean of values (n,) of the rows in `among` (n,) bool, none below 0, with its interval."""
    weight = np.where(among, rows.weight, 0.0)
    if not weight.any():
        return Rate(np.nan, np.nan, np.nan, 0.0)
    n = effective_size(weight) / (1 if rows.plan is None else rows.plan.n_repeats)
    value = weighted_mean(values, weight)
    if rows.plan is None or len(np.unique(rows.fold)) < 2:
        error = np.sqrt(weighted_mean((values - value) ** 2, weight) / n)
        return Rate(value, max(value - Z * error, 0.0), value + Z * error, n)
    _, low, high = ratio_of_rows(rows.fold, weight * values, weight, rows.plan, False)
    return Rate(value, low, high, n)


def cost_curve(rows: JudgedRows, decision: Decision, thresholds: np.ndarray = THRESHOLDS) -> CostCurve:
    """Return what errors cost by the threshold, with the other numbers of the decision as they are.

    Raises ValueError for a decision without a class.

    >>> rows = JudgedRows(*[np.array([0, 1])] * 2, np.eye(2), *[np.array([0, 1])] * 2, np.ones(2), None)
    >>> cost_curve(rows, Decision(1, times=4.0), np.array([0.2, 0.5])).cost
    array([0., 0.])
    """
    if decision.code is None:
        raise ValueError("a cost curve is of one class; give the decision its code")
    rates = [decided_cost(rows, decision._replace(threshold=float(t))) for t in thresholds]
    value, low, high = (np.array([getattr(rate, name) for rate in rates]) for name in ("value", "low", "high"))
    weight = row_weights(rows.y, rows.weight, decision)
    here = part_of(rows.y, weight, decision.code)
    rest = np.delete(rows.shares, decision.code, axis=1).argmax(axis=1)
    never = rest + (rest >= decision.code)
    row_costs = costs(decision, rows.shares.shape[1])[rows.y, never]
    return CostCurve(thresholds, value, low, high, 1 - here, weighted_mean(row_costs, weight))


def decided_cost(rows: JudgedRows, decision: Decision) -> Rate:
    """Return only the cost of a row, of what `decided` does."""
    answer = decide(rows.shares, rows.said, decision, part_of(rows.y, rows.weight, decision.code))
    row_costs = costs(decision, rows.shares.shape[1])[rows.y, answer]
    rows = rows._replace(weight=row_weights(rows.y, rows.weight, decision))
    return mean_of(row_costs, np.ones(len(rows.y), bool), rows)


# ---- rates of decisions in each group of a column: is a model as good for one group as for the others?

ALPHA = 0.05  # of the intervals
N_RANGES = 4  # of a column of numbers: quartiles
RIGHT, SAYS, RECALL, ALARM, PRECISION = "right", "said", "recall", "alarm", "precision"
RATES_OF_ALL, RATES_OF_CLASS = (
    (RIGHT,),
    (RIGHT, SAYS, RECALL, ALARM, PRECISION),
)  # rates without a class, and of one


class GroupRate(NamedTuple):
    """A rate in a group, and how it differs from that of all other rows."""

    rate: Rate
    gap: float  # to the other rows; nan if one of both has no rows
    low: float  # the interval of the gap, as wide as all comparisons together ask for
    high: float

    @property
    def verdict(self) -> str:
        """Return "few", where it cannot be said; else "lower" or "higher" beyond chance, or "alike"."""
        if not self.rate.is_known or np.isnan(self.gap):
            return "few"
        return "lower" if self.high < 0 else "higher" if self.low > 0 else "alike"


class GroupRates(NamedTuple):
    """The rates of one group."""

    words: str  # its condition, such as "sex is female"
    n: int  # rows of it that were judged
    rates: dict[str, GroupRate]  # by RIGHT and so on


def rates_by_group(
    rows: JudgedRows,
    answer: np.ndarray,
    dataset: Dataset,
    column: str,
    code: int | None = None,
    cuts: Sequence[float] = (),
) -> Subgroups[GroupRates]:
    """Return the rates of the decisions `answer` (n,) in each group of a column, of class `code` if there is one.

    The groups are those of `subgroups`, a column of numbers cut at its quartiles or at `cuts`; rows without a
    value are one. Raises FilterError for a column that
    there is not.

    >>> from espalier.analysis import Folds, ask
    >>> from espalier.decisions.decision import rows_of_folds
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> monks = samples.load("monks-1")
    >>> rows = rows_of_folds(ask(CartClassifier(max_depth=3), monks, Folds(n_folds=5)))
    >>> found = rates_by_group(rows, rows.said, monks, "jacket", code=1)
    >>> [(group.words, group.rates["said"].verdict) for group in found.groups][0]
    ('jacket is red', 'higher')
    """
    there = subgroups(dataset, column, N_RANGES, cuts)
    names = RATES_OF_ALL if code is None else RATES_OF_CLASS
    masks = [group.taken[rows.row] for group in there.groups]
    n_compared = max(len(masks), 1) * len(names)
    groups = tuple(
        GroupRates(
            group.rows.words,
            len(np.unique(rows.row[inside])),
            {name: _group_rate(name, rows, answer, inside, code, n_compared) for name in names},
        )
        for group, inside in zip(there.groups, masks, strict=True)
    )
    return Subgroups(groups, there.n_others)


def _group_rate(
    name: str, rows: JudgedRows, answer: np.ndarray, inside: np.ndarray, code: int | None, n_compared: int
) -> GroupRate:
    holds, among = _rate_rows(name, rows, answer, code)
    here, there = (share_of(holds, among & part, rows) for part in (inside, ~inside))
    if not (here.n and there.n):
        return GroupRate(here, np.nan, np.nan, np.nan)
    return GroupRate(here, here.value - there.value, *_newcombe(here, there, ALPHA / n_compared))


def _rate_rows(name: str, rows: JudgedRows, answer: np.ndarray, code: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows hold, and among which, (n,) bool each, for a rate."""
    every, is_class, is_answer = np.ones(len(rows.y), bool), rows.y == code, answer == code
    return {
        RIGHT: (answer == rows.y, every),
        SAYS: (is_answer, every),
        RECALL: (is_answer, is_class),
        ALARM: (is_answer, ~is_class),
        PRECISION: (is_class, is_answer),
    }[name]


def _newcombe(one: Rate, other: Rate, alpha: float) -> tuple[float, float]:
    """Return the interval of the difference of two shares, at the level 1 − alpha."""
    z = float(stats.norm.ppf(1 - alpha / 2))
    (low, high), (low_other, high_other) = (
        (float(end) for end in wilson(np.array(rate.value), np.array(rate.n), z)) for rate in (one, other)
    )
    gap = one.value - other.value
    below = np.hypot(one.value - low, high_other - other.value)
    above = np.hypot(high - one.value, other.value - low_other)
    return float(gap - below), float(gap + above)
