"""All checks of a table, one after the other."""

from __future__ import annotations

import numpy as np

from espalier.data.dataset import Dataset, HeldOut, held_out
from espalier.findings.class_columns import class_columns
from espalier.findings.classes import rare_classes
from espalier.findings.finding import KINDS, PARTS, Finding, Inspection
from espalier.findings.near import near_rows
from espalier.findings.number_columns import number_columns
from espalier.findings.order import identifiers, repeated_identifiers, series
from espalier.findings.parts import constant_columns, drift
from espalier.findings.twins import alike_rows, same_rows
from espalier.progress import Progress

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
    progress, found = progress or Progress(), list[Finding]()
    table = Inspection(dataset, held, n_folds, progress)
    for number, look in enumerate(CHECKS, 1):
        if progress.is_stopped:
            break
        found += look(table)
        progress.done = PARTS * number
    return _of_columns(dataset, sorted(found, key=lambda one: KINDS.index(one.kind)))


def _of_columns(dataset: Dataset, found: list[Finding]) -> list[Finding]:
    """Return the findings, of those on parts of one column of dates only the first: it is mended as a whole."""
    columns, first = set[str](), list[Finding]()
    for one in found:
        moment = dataset.features[one.columns[0]].moment if len(one.columns) == 1 else None
        if moment is None or moment.column not in columns:
            first.append(one)
        columns |= set() if moment is None else {moment.column}
    return first
