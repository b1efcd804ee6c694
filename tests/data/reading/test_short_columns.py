"""Columns read many at a time: as each is read alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from espalier.data.columns import alike, cells, short_columns
from espalier.data.columns.short_columns import may_miss, plain_numbers
from espalier.data.options import MAYBE_MISSING, MISSING, NumberFormat
from espalier.data.reading.table import read_table

STRANGE = (
    "1|-2.5| 3 |1e5|+7|1e999|0|00|007|-0.0|1.|.5|1,234|−4|inf|nan|x||NA|?|-|-999|12 %|123456789012345678901234"
)
CELL = st.sampled_from(STRANGE.split("|"))
CELLS = st.lists(st.lists(st.one_of(CELL, st.none()), min_size=4, max_size=4), min_size=1, max_size=6)
MARKERS = st.sampled_from([MISSING, (*MISSING, "-", "?"), ("-999",), ()])
PLAIN = NumberFormat()


@given(CELLS, MARKERS, st.sampled_from([1, 5, 10**6]), st.sampled_from(["", ",", "'"]))
def test_a_column_read_beside_others_is_what_it_is_alone_or_is_left_to_be_asked(
    rows, missing, together, thousands
):
    columns = [pa.array(column, pa.string()) for column in rows]
    old, alike.CELLS = alike.CELLS, together
    try:
        found = plain_numbers(columns, missing)
    finally:
        alike.CELLS = old
    for column, quick in zip(columns, found, strict=True):
        alone = cells.read_column(column, missing, PLAIN._replace(thousands=thousands))
        if quick is not None:
            assert alone.values.dtype == np.float64
            assert np.array_equal(quick.values, alone.values.to_numpy(), equal_nan=True)
            assert list(quick.missing.items()) == list(alone.missing.items())


@given(CELLS)
def test_what_may_mean_missing_is_found_in_the_columns_that_have_it(rows):
    found = may_miss([pa.array(column, pa.string()) for column in rows])
    assert found == [any((cell or "").strip() in MAYBE_MISSING for cell in column if cell) for column in rows]


def test_plain_numbers_are_read_together_and_only_other_columns_by_themselves(monkeypatch):
    asked, read_column = [], cells.read_column
    monkeypatch.setattr(cells, "read_column", lambda *args: asked.append(args) or read_column(*args))
    rows = [[f"{i * j % 7 - 3.5}" for j in range(1, 1_500)] for i in range(20)]
    rows[3][4] = "NA"
    text = "\n".join(",".join([*row, "ab"[i % 2]]) for i, row in enumerate(rows))
    header = ",".join([*(f"g{j}" for j in range(1, 1_500)), "kind"])
    table = read_table(f"{header}\n{text}\n".encode(), "genes.csv")
    assert (table.frame.dtypes == np.float64).sum() == 1_499
    assert table.frame["g5"].isna().tolist() == [i == 3 for i in range(20)]
    assert len(asked) <= 2


def test_long_columns_are_left_to_themselves():
    long = pa.array(["1"] * (short_columns.SHORT + 1))
    assert may_miss([long, pa.array(["1"])]) == [True, False]
