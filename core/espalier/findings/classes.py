"""Classes that are too rare to be told from others and tested."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from espalier.findings.finding import RARE_CLASS, Finding, Inspection

MOST_SHOWN = 50  # rows


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
