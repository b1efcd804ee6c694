"""All checks of a table, one after the other, and those on rare classes, constant columns and drift."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import gammaln

from espalier.data.dataset import Dataset, Feature
from espalier.data.folds import HeldOut, held_out
from espalier.findings.columns import class_columns, number_columns
from espalier.findings.finding import (
    ALPHA,
    CONSTANT,
    DRIFT,
    KINDS,
    PARTS,
    PARTS_DIFFER,
    RARE_CLASS,
    Finding,
    Inspection,
    row_keys,
)
from espalier.findings.rows import alike_rows, identifiers, near_rows, repeated_identifiers, same_rows, series
from espalier.learners import CartClassifier
from espalier.progress import Progress


def rare_classes(table: Inspection) -> Iterator[Finding]:
    """Yield each class with fewer rows, or with groups fewer groups, than cross-validation has folds."""
    data = table.dataset
    if not data.is_classification:
        return
    for code in range(len(data.classes)):
        rows = np.flatnonzero(data.y == code)
        n_units = len(np.unique(table.units[rows]))
        if 0 < n_units < table.n_folds:
            figures = {
                "class": code,
                "n": n_units,
                "n_folds": table.n_folds,
                "n_held": int(table.held[rows].sum()),
            }
            yield Finding(RARE_CLASS, (), tuple(rows[:MOST_SHOWN].tolist()), figures)


LARGE = 0.1  # distance of two distributions: less is of no account, however sure
FEW = 20  # independent rows of a part: fewer say nothing
DEPTH, LEAST_LEAF = 4, 20  # of the tree that tells the parts apart
LEAST_AREA = 0.6  # area under its ROC curve: less is of no account
MOST_SHOWN = 50  # rows


def constant_columns(table: Inspection) -> Iterator[Finding]:
    """Yield columns that have one value in all training rows and others among those held out, not by chance.

    The chance is that all rows with another value are held out if these are drawn at random.
    """
    held_out = table.held
    for column in table.features():
        x = table.dataset.X[:, column]
        values = np.unique(x[~held_out])
        if not held_out.any() or len(values) != 1:
            continue
        other = held_out & ~((x == values[0]) | (np.isnan(x) & np.isnan(values[0])))
        n_other = len(np.unique(table.units[other]))
        n, n_held = len(np.unique(table.units)), len(np.unique(table.units[held_out]))
        if n_other and _log_chance(n_other, n_held, n) < np.log(table.level):
            rows = tuple(np.flatnonzero(other)[:MOST_SHOWN].tolist())
            yield Finding(CONSTANT, (column,), rows, {"n": int(other.sum()), "value": float(values[0])})


def _log_chance(n_other: int, n_held: int, n: int) -> float:
    """Return log of the chance that all of n_other among n are among n_held of them."""
    return float(gammaln(n_held + 1) - gammaln(n_held - n_other + 1) - gammaln(n + 1) + gammaln(n - n_other + 1))


def drift(table: Inspection) -> Iterator[Finding]:
    """Yield columns whose values are others in the held-out part, or that only a tree tells the parts apart.

    Of each group one row counts, since rows of a group are not independent. Numbers are compared by the test of
    Kolmogorov and Smirnov, categories and missing values by Pearson's χ².
    """
    rows = table.one_of_each_unit()
    is_held = table.held[rows]
    if min(is_held.sum(), (~is_held).sum()) < FEW:
        return
    columns = []
    for column in table.features():
        feature, x = table.dataset.features[column], table.dataset.X[rows, column]
        apart = distance(x[~is_held], x[is_held], feature, table.level)
        if apart > LARGE:
            columns.append(column)
            yield Finding(DRIFT, (column,), (), {"distance": apart, **_middles(x, is_held, feature)})
    if not columns and not table.progress.is_stopped:
        yield from _parts_told_apart_by_tree(table, rows)


def distance(x: np.ndarray, other: np.ndarray, feature: Feature, level: float) -> float:
    """Return how far the distributions of a feature's values in two parts are apart, 0 to 1; 0 where not surely.

    That is the greatest distance of the distribution functions of a number, and of categories, or of the share of
    missing values, the sum of what one part has more.
    """
    missing = _share_distance(np.isnan(x).astype(float), np.isnan(other).astype(float), level)
    x, other = x[~np.isnan(x)], other[~np.isnan(other)]
    if min(len(x), len(other)) < FEW:
        return missing
    if feature.kind != "number":
        return max(_share_distance(x, other, level), missing)
    test: Any = stats.ks_2samp(x, other, method="asymp")
    return max(float(test.statistic) if test.pvalue < level else 0.0, missing)


def _share_distance(x: np.ndarray, other: np.ndarray, level: float) -> float:
    values = np.unique(np.concatenate([x, other]))
    if len(values) < 2:
        return 0.0
    counts = np.array([[np.count_nonzero(part == v) for v in values] for part in (x, other)])
    apart = 0.5 * np.abs(counts[0] / len(x) - counts[1] / len(other)).sum()
    test: Any = stats.chi2_contingency(counts)
    return float(apart) if test.pvalue < level else 0.0


def _middles(x: np.ndarray, held: np.ndarray, feature: Feature) -> dict[str, float]:
    """Return the median of each part, and of categories the code of the value that differs most."""
    if feature.kind == "number":
        return {"training": _median(x[~held]), "held": _median(x[held])}
    values = np.unique(x[~np.isnan(x)])
    shares = [[float(np.mean(x[part] == v)) for part in (~held, held)] for v in values]
    most = max(range(len(values)), key=lambda i: abs(shares[i][0] - shares[i][1]), default=-1)
    return {} if most < 0 else {"value": float(values[most]), "training": shares[most][0], "held": shares[most][1]}


def _median(x: np.ndarray) -> float:
    finite = x[~np.isnan(x)]
    return float(np.median(finite)) if len(finite) else float("nan")


def _parts_told_apart_by_tree(table: Inspection, rows: np.ndarray) -> Iterator[Finding]:
    """Yield that a small tree of one half of the rows tells held-out rows of the other half from the rest."""
    data = table.dataset
    half = (row_keys(data)[rows] >> np.uint64(32)) % np.uint64(2) == 0  # by content
    is_held = table.held[rows]
    sizes = [np.count_nonzero(part & side) for part in (half, ~half) for side in (is_held, ~is_held)]
    if min(sizes) < FEW:
        return
    limits: dict[str, Any] = {"max_depth": DEPTH, "min_samples_leaf": LEAST_LEAF, "class_weight": "balanced"}
    tree = CartClassifier(**limits, categorical_features=data.categorical)
    tree.fit(data.X[rows[half]], is_held[half].astype(np.int64))
    says = tree.predict_proba(data.X[rows[~half]])[:, 1]
    inside, outside = says[is_held[~half]], says[~is_held[~half]]
    test: Any = stats.mannwhitneyu(inside, outside, alternative="greater")
    area = float(test.statistic) / (len(inside) * len(outside))
    if area > LEAST_AREA and test.pvalue < ALPHA:
        columns = dict.fromkeys(int(f) for f in tree.tree_.feature if f >= 0)
        yield Finding(PARTS_DIFFER, tuple(columns), (), {"area": area})


CHECKS = (
    class_columns, number_columns, same_rows, identifiers, rare_classes, constant_columns, series,
    repeated_identifiers, drift, alike_rows, near_rows,
)  # fmt: skip
TOTAL = PARTS * len(CHECKS)  # final count of ``progress.done``
USUAL = HeldOut(30)


def check_table(
    dataset: Dataset, held: np.ndarray | None = None, n_folds: int = 5, progress: Progress | None = None
) -> list[Finding]:
    """Return what about the table misleads, the most serious first; most tables have nothing of it.

    `held` (n_samples,) bool are the rows that are held out; None for 30 % of them, as the app does. `n_folds` are
    those of cross-validation. `progress` counts up to `TOTAL`; stopped, what was found so far is returned. Each
    check errs with a chance of at most 1 in 1,000 if rows are independent of each other. Raises ValueError if
    `held` is of another length.

    >>> from espalier.data import samples
    >>> check_table(samples.load("iris"))
    []
    """
    held = held_out(dataset, USUAL) if held is None else np.asarray(held, dtype=bool)
    if held.shape != dataset.y.shape:
        raise ValueError(f"{len(held)} rows are said to be held out or not, but there are {len(dataset.y)}")
    progress, findings = progress or Progress(), list[Finding]()
    table = Inspection(dataset, held, n_folds, progress)
    for number, look in enumerate(CHECKS, 1):
        if progress.is_stopped:
            break
        findings += look(table)
        progress.done = PARTS * number
    return _first_of_columns(dataset, sorted(findings, key=lambda finding: KINDS.index(finding.kind)))


def _first_of_columns(dataset: Dataset, findings: list[Finding]) -> list[Finding]:
    """Return the findings, of those on parts of one column of dates only the first: it is mended as a whole."""
    columns, first = set[str](), list[Finding]()
    for finding in findings:
        moment = dataset.features[finding.columns[0]].moment if len(finding.columns) == 1 else None
        if moment is None or moment.column not in columns:
            first.append(finding)
        columns |= set() if moment is None else {moment.column}
    return first
