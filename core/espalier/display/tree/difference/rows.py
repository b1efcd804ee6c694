"""The rows that two trees answer differently, as a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset, Feature
from espalier.display.tables import listed, named
from espalier.display.tree.difference.words import ComparedTrees, place_words
from espalier.language import say
from espalier.tree.difference.alignment import NONE
from espalier.tree.difference.differences import TreeDifference

FIRST = 1  # column after which the answers stand: the number of the row comes first


def changed_rows(found: TreeDifference) -> np.ndarray:
    """Return the rows that change their answer, (n,) int64: those of numbers by how much, the most first."""
    rows = np.flatnonzero(found.answers.differ)
    if found.answers.a.dtype.kind == "i":
        return rows
    return rows[np.argsort(-np.abs(found.answers.b - found.answers.a)[rows], kind="stable")]


def rows_table(
    data: Dataset,
    found: TreeDifference,
    target: Feature,
    both: ComparedTrees | None,
    rows: np.ndarray,
    held: np.ndarray | None = None,
    features: Sequence[int] | None = None,
) -> pd.DataFrame:
    """Return the table of these rows (indices): the answers of A and B, the place where ways part, and the values.

    `target` has the names of all classes; `both` is None where the answers alone are compared.
    """
    table = listed(data, rows, held, features=features)
    answers = {
        say("A says"): named(target, found.answers.a[rows].astype(float)),
        say("B says"): named(target, found.answers.b[rows].astype(float)),
    }
    if both is not None:
        texts = {at: place_words(both, at) for at in set(found.answers.place[rows].tolist()) | {NONE}}
        answers[say("because of")] = np.array([texts[at] for at in found.answers.place[rows].tolist()], object)
    for place, (name, values) in enumerate(answers.items(), start=FIRST):
        table.insert(place, name, values, allow_duplicates=True)
    return table
