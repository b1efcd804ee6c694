"""A column of a table as the weights of its rows, and errors that say why it cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from espalier.data.columns import cells
from espalier.data.errors import TableError, count, counted, listed, quoted
from espalier.data.weights import RowWeights, WeightFault, fault_of
from espalier.language import in_style, say, to_say

FAULTS = {  # title, and where the first row with the fault is
    "missing": (to_say("The weight {name} is missing in {rows}."), to_say("The first is row {row}.")),
    "infinite": (
        to_say("The weight {name} is infinite in {rows}."),
        to_say("The first is row {row}, where it is {value}."),
    ),
    "negative": (
        to_say("The weight {name} is negative in {rows}."),
        to_say("The first is row {row}, where it is {value}."),
    ),
}


def weights_of(frame: pd.DataFrame, name: str, target: str, rows: np.ndarray) -> RowWeights:
    """Return the weights in the column `name` of the rows (n_rows,) bool that have a target.

    Raises TableError, with rows counted from 1, for a column that is not there or is the target, and for weights
    that are no numbers, negative, missing or all zero.
    """
    if name == target:
        raise TableError(
            say("The column {name} cannot be both the target and the weight.", name=quoted(name)),
            say("A row would count by the very number that is to be predicted."),
            say("Choose another column for one of them."),
        )
    if name not in frame:
        columns = listed([quoted(column) for column in frame.columns], 6)
        raise TableError(
            say("There is no column {name} to be the weight.", name=quoted(name)),
            say("The columns are {columns}.", columns=columns),
            say("Choose one of them."),
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
            say("The weight {name} is not a number everywhere.", name=quoted(name)),
            say(
                "It is {word} in row {row}; no other row has a word."
                if len(words) == 1
                else "It is {word} in row {row}; {rows} hold words.",
                word=quoted(values.iloc[words[0]]),
                row=count(int(words[0]) + 1),
                rows=counted(len(words), "row"),
            ),
            say("Write numbers of at least 0 there, or choose another column for the weight, or none."),
        )
    return numbers.to_numpy(np.float64)


def _unusable(name: str, fault: WeightFault, values: np.ndarray, used: np.ndarray) -> TableError:
    """Return the error; `used` are the table's rows that the fault counts."""
    if fault.what == "zero":
        return TableError(
            say("The weight {name} is 0 in every row.", name=quoted(name)),
            say("No row would count."),
            say("Give some row more, or choose another column for the weight, or none."),
        )
    if fault.what == "beyond":
        return TableError(
            say("The weight {name} is beyond what can be added up.", name=quoted(name)),
            say("All weights together are {sum}.", sum=in_style(f"{values[used].sum():.3g}")),
            say("Divide all by a number, or choose another column for the weight, or none."),
        )
    first = int(used[fault.rows[0]])
    title, where = FAULTS[fault.what]
    return TableError(
        say(title, name=quoted(name), rows=counted(len(fault.rows), "row")),
        say(where, row=count(first + 1), value=in_style(f"{values[first]:g}")),
        say(
            "Write a number of at least 0 there, 0 for a row that is not to count, or choose another column for "
            "the weight, or none."
        ),
    )
