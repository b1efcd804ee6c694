"""Columns that know the class: its copies, columns that alone predict it, or that do so only in training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from espalier.findings.finding import ALONE, COPY, ONLY_TRAINING, Finding, Inspection
from espalier.findings.rule import ColumnRule, log_chance, rule_of

NEARLY = 0.02  # share of wrong rows
OF_BASELINE = 0.1  # as much of the errors without any column
HALF = 0.5  # of those errors: a column that takes away as much knows a lot
MOST_SHOWN = 50  # rows


class RuleErrors(NamedTuple):
    """The rows that the rule of one column, made of training rows, answers right; they count by weight."""

    is_right: np.ndarray  # (n_samples,) bool
    is_usual: np.ndarray  # (n_samples,) bool: of the most frequent class of the training rows
    weight: np.ndarray  # (n_samples,)
    held: np.ndarray  # (n_samples,) bool

    def wrong(self, rows: np.ndarray) -> float:
        """Return the share of wrong rows among these (bool); 0 where there are none."""
        return 1 - _mean(self.is_right, self.weight * rows)

    def explained(self, rows: np.ndarray) -> float:
        """Return the share of the errors without a column that the rule takes away."""
        without = 1 - _mean(self.is_usual, self.weight * rows)
        return 1 - self.wrong(rows) / without if without else 0.0


def class_columns(table: Inspection) -> Iterator[Finding]:
    """Yield what columns know of the class, at most one finding for each."""
    if not table.dataset.is_classification:
        return
    for column in table.features():
        rule = _rule(table, column)
        if rule is not None:
            yield from _findings(table, column, rule)


def _rule(table: Inspection, column: int) -> ColumnRule | None:
    data, grown = table.dataset, ~table.held
    is_number = data.features[column].kind in ("number", "ordered")
    x, y, weight = data.X[grown, column], data.y[grown], _weights(table)[grown]
    return rule_of(x, y, len(data.classes), is_number, weight) if len(y) else None


def _findings(table: Inspection, column: int, rule: ColumnRule) -> Iterator[Finding]:
    y = table.dataset.y
    errors, whole = _errors(table, column, rule), np.ones(len(y), dtype=bool)
    sizes, n_wrong = np.bincount(y), int(np.count_nonzero(~errors.is_right))
    grown = ~table.held
    figures = {
        "n": len(y), "n_wrong": n_wrong, "right": 1 - errors.wrong(whole),
        "training": 1 - errors.wrong(grown), "held": 1 - errors.wrong(table.held),
    }  # fmt: skip
    if _is_recoding(table.dataset.X[:, column], y):
        if _is_no_chance(rule, sizes, 0, table):
            yield Finding(COPY, (column,), (), figures)
    elif errors.wrong(whole) <= NEARLY and errors.explained(whole) >= 1 - OF_BASELINE:
        if _is_no_chance(rule, sizes, n_wrong, table):
            rows = tuple(np.flatnonzero(~errors.is_right)[:MOST_SHOWN].tolist())
            yield Finding(ALONE, (column,), rows, figures)
    elif _falls_off(errors, table) and _is_no_chance(
        rule, np.bincount(y[grown]), int(np.count_nonzero(~errors.is_right & grown)), table
    ):
        yield Finding(ONLY_TRAINING, (column,), (), figures)


def _errors(table: Inspection, column: int, rule: ColumnRule) -> RuleErrors:
    data, held, weight = table.dataset, table.held, _weights(table)
    x, grown = data.X[:, column], ~table.held
    is_right = rule.answer(x) == data.y
    is_right[grown] = rule.is_right_without(x[grown], data.y[grown], weight[grown])
    return RuleErrors(is_right, data.y == rule.usual, weight, held)


def _is_recoding(x: np.ndarray, y: np.ndarray) -> bool:
    """Return whether every class has one value, and every value one class."""
    values, place = np.unique(x, return_inverse=True)
    n_classes = len(np.unique(y))
    return len(values) == n_classes == len(np.unique(place * (y.max() + 1) + y)) and n_classes > 1


def _is_no_chance(rule: ColumnRule, sizes: np.ndarray, n_wrong: int, table: Inspection) -> bool:
    return log_chance(rule, sizes, n_wrong) < np.log(table.level)


def _falls_off(errors: RuleErrors, table: Inspection) -> bool:
    """Return whether a column knows a lot in training and much less of the rows held out (Fisher's test)."""
    held = table.held
    known, left = errors.explained(~held), errors.explained(held)
    if known < HALF or left > HALF * known or not held.any():
        return False
    right = [np.count_nonzero(errors.is_right & rows) for rows in (~held, held)]
    wrong = [np.count_nonzero(~errors.is_right & rows) for rows in (~held, held)]
    test: Any = stats.fisher_exact([right, wrong], alternative="greater")
    return bool(test.pvalue < table.level)


def _weights(table: Inspection) -> np.ndarray:
    weights = table.dataset.weights
    return np.ones(len(table.held)) if weights is None else weights


def _mean(is_so: np.ndarray, weight: np.ndarray) -> float:
    total = weight.sum()
    return float(weight[is_so].sum() / total) if total else 1.0
