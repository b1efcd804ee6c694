"""Laws of the checks: names do not matter, and the order of the rows only to what is about the order."""

import numpy as np
import pytest

from espalier.analysis.data import finding as kinds
from espalier.analysis.data.check import check_table
from espalier.data import HeldOut, held_out, make_dataset
from tests.analysis.data.planted import noise, table

OF_ORDER = {kinds.ORDER, kinds.SERIES, kinds.IDENTIFIER}


def everything(seed):
    """A table with a copy of the class, a number for each row, a drift, copies of rows, and a series."""
    one = noise(seed)
    X = np.column_stack([np.cumsum(one.X, axis=0), one.y, np.arange(300)])
    data = table(np.vstack([X, X[40:60]]), np.r_[one.y, one.y[40:60]])
    held = held_out(data, HeldOut(30, seed))
    return data, held


def without_rows(findings):
    """All but which rows are shown, and the order of equal kinds."""
    return {(one.kind, one.columns, tuple(sorted(one.figures.items()))) for one in findings}


@pytest.mark.parametrize("seed", range(3))
def test_permuting_the_rows_changes_only_what_is_said_of_their_order(seed):
    data, held = everything(seed)
    order = np.random.default_rng(seed).permutation(len(held))
    other = make_dataset("T", data.X[order], data.features, data.y[order], data.target)
    before, after = check_table(data, held), check_table(other, held[order])
    assert {one.kind for one in before} >= {kinds.COPY, kinds.SAME_ROWS, kinds.SERIES}
    of_order = {one.kind for one in after} - {one.kind for one in before}
    assert of_order <= OF_ORDER
    assert without_rows(one for one in before if one.kind not in OF_ORDER) == without_rows(
        one for one in after if one.kind not in OF_ORDER
    )


def test_renaming_columns_and_classes_changes_nothing_that_is_found():
    data, held = everything(0)
    features = [feature._replace(name=f"column {i}") for i, feature in enumerate(data.features)]
    other = make_dataset("T", data.X, features, data.y, data.target._replace(name="y", categories=("a", "b")))
    assert check_table(data, held) == check_table(other, held)
