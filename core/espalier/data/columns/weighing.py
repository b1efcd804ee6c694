"""A column of a table as the weights of its rows, and errors that say why it cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from espalier.data.columns import cells
from espalier.data.errors import TableError, counted, listed, quoted
from espalier.data.weights import RowWeights, WeightFault, fault_of

OTHERWISE = ", or choose another column for the weight, or none."


def weights_of(frame: pd.DataFrame, name: str, target: str, rows: np.ndarray) -> RowWeights:
    """Return the weights in the column `name` of the rows (n_rows,) bool that have a target.

    Raises TableError, with rows counted from 1, for a column that is not there or is the target, and for weights
    that are no numbers, negative, missing or all zero.
    """
    if name == target:
        raise TableError(
            f"The column {quoted(name)} cannot be both the target and the weight.",
            "A row would count by the very number that is to be predicted.",
            "Choose another column for one of them.",
        )
    if name not in frame:
        columns = listed([quoted(column) for column in frame.columns], 6)
        raise TableError(
            f"There is no column {quoted(name)} to be the weight.", f"The columns are {columns}.", "Choose one."
        )
    values = _numbers(frame[name], name, rows)
    if fault := fault_of(values[rows]):
        raise _unusable(name, fault, values, np.flatnonzero(rows))
    return RowWeights(name, values[rows])


def _numbers(values: Any, name: str, rows: np.ndarray) -> np.ndarray:
    numbers = cells.to_numbers(values)
    words = np.flatnonzero((values.notna() & numbers.isna()).to_numpy() & rows)
    if len(words):
        raise TableError(
            f"The weight {quoted(name)} is not a number everywhere.",
            f"It is {quoted(values.iloc[words[0]])} in row {words[0] + 1:,}; {_many(len(words))}.",
            f"Write numbers of at least 0 there{OTHERWISE}",
        )
    return numbers.to_numpy(np.float64)


def _unusable(name: str, fault: WeightFault, values: np.ndarray, used: np.ndarray) -> TableError:
    """Return the error; `used` are the table's rows that the fault counts."""
    title = f"The weight {quoted(name)}"
    if fault.what == "zero":
        return TableError(f"{title} is 0 in every row.", "No row would count.", f"Give some row more{OTHERWISE}")
    if fault.what == "beyond":
        where = f"All weights together are {values[used].sum():.3g}."
        return TableError(f"{title} is beyond what can be added up.", where, f"Divide all by a number{OTHERWISE}")
    first = int(used[fault.rows[0]])
    where = (
        f"row {first + 1:,}" if fault.what == "missing" else f"row {first + 1:,}, where it is {values[first]:g}"
    )
    return TableError(
        f"{title} is {fault.what} in {counted(len(fault.rows), 'row')}.",
        f"The first is {where}.",
        f"Write a number of at least 0 there, 0 for a row that is not to count{OTHERWISE}",
    )


def _many(n: int) -> str:
    return "no other row has a word" if n == 1 else f"{counted(n, 'row')} hold words"
