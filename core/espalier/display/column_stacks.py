"""The columns of a data set as the page Data shows them: stacks of rows by class, and what each column is for.

`stacks_card` returns JSON for the component `columns`:

    {"classes": [{"name", "light", "dark"}, …],   none for a number, whose groups are fifths of its range
     "columns": [{"key", "name", "kind", "role", "roles": [[role, word], …],
                  "counts": [[rows of each group], …],   a list for each bin
                  "foot": [str, …], "alt": str}, …]}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.column_changes import GROUP, OUT, TARGET, TIME, WEIGHT, RoleColumn, role_columns
from espalier.data.dataset import Dataset
from espalier.display.text.values import all_written
from espalier.display.theme import count
from espalier.display.tree.cards import class_colours_card
from espalier.display.tree.drawings import bin_of, scale_of
from espalier.inert import inert
from espalier.language import Texts, say

MOST = 60  # columns that are sent to a browser
BINS, FIFTHS = 20, 5
NAMES, MOST_LEVELS = 4, 24  # categories whose names have room below; that have a stack of their own
KINDS = Texts(
    {"number": "numbers", "category": "category", "ordered": "ordered", "yes/no": "yes/no", "date": "date"}
)
ROLES = Texts(
    {
        "feature": "predicts", "target": "target", "out": "left out", "weight": "weight", "group": "group",
        "time": "time",
    }
)  # fmt: skip


def stacks_card(dataset: Dataset, cast: Dataset, table: Dataset) -> dict[str, Any]:
    """Return the columns of a data set, and those of the table that are left out.

    `cast` is the table with the roles chosen, and the data set that with words for its columns or fewer rows: keys
    are the names of the columns in the table.
    """
    pairs = zip(role_columns(cast), role_columns(dataset).values(), strict=True)
    there = {key: column._replace(name=key) for key, column in pairs}
    holders = {WEIGHT: cast.row_weights, GROUP: cast.roles.groups, TIME: cast.roles.times}
    elsewhere = {holder.name: role for role, holder in holders.items() if holder is not None}
    groups, n_groups = dataset.y, len(dataset.classes)
    if not dataset.is_classification:
        fifth = (dataset.y - dataset.y.min()) / (np.ptp(dataset.y) or 1.0) * FIFTHS
        groups, n_groups = np.minimum(fifth.astype(np.int64), FIFTHS - 1), FIFTHS
    alike, cards = np.zeros(len(table.y), np.int64), []
    for key, column in list(role_columns(table).items())[:MOST]:
        if key in there:
            cards.append(_column_card(there[key], column.possible, groups, n_groups))
        else:
            cards.append(_column_card(column._replace(role=elsewhere.get(key, OUT)), column.possible, alike, 1))
    return {"classes": class_colours_card(dataset.target) if dataset.is_classification else [], "columns": cards}


def _column_card(column: RoleColumn, possible: Sequence[str], groups: np.ndarray, n_groups: int) -> dict[str, Any]:
    feature, x = column.feature, column.values
    counts, foot = _stacks(column, groups, n_groups)
    missing = int(np.isnan(x).sum())
    gaps = [say("{n} missing", n=count(missing))] if missing else []
    return {
        "key": column.name,
        "name": inert(feature.name),
        "kind": " · ".join([KINDS["date" if feature.moment else feature.kind], *gaps]),
        "role": column.role,
        "roles": [[role, ROLES[role]] for role in ((TARGET,) if column.role == TARGET else possible)],
        "counts": counts.tolist(),
        "foot": foot,
        "alt": say("{name}: {values}", name=inert(feature.name), values=", ".join(foot + gaps)),
    }


def _stacks(column: RoleColumn, groups: np.ndarray, n_groups: int) -> tuple[np.ndarray, list[str]]:
    """Return the rows of each group in each bin, (bins, n_groups), and the words below them."""
    feature, x = column.feature, column.values
    values, groups = x[np.isfinite(x)], groups[np.isfinite(x)]
    scale = scale_of(feature, x, BINS)
    place = bin_of(values, *map(np.asarray, scale))
    counts = np.bincount(place * n_groups + groups, minlength=scale.bins * n_groups).reshape(-1, n_groups)
    if not feature.categories:
        ends = (float(values.min()), float(values.max())) if len(values) else ()
        return counts, all_written(feature, ends)
    if len(counts) <= NAMES:
        return counts, [inert(name) for name in feature.categories]
    largest = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_LEVELS])
    return counts[largest], [say("{n} categories", n=count(len(counts)))]
