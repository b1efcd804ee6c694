"""Codes that look like numbers stay as they are written, and numbers that people have stay numbers."""

import io
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.columns import numbers, short_columns
from espalier.data.columns.convert import TargetPlan, to_dataset
from espalier.data.columns.kinds import label
from espalier.data.columns.new_rows import coded
from espalier.data.columns.row_columns import RoleNames
from espalier.data.dataset import Feature
from espalier.data.reading.contents import contents
from espalier.data.reading.table import read_table

FIRST = 1_009_513_310_189_256_287  # an id of 19 digits: its next 64 neighbours are the same float
IDS = [FIRST + i for i in range(40)]


def parquet(**columns) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def excel(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.to_excel(out, index=False)
    return out.getvalue()


def column(cells, other="u", name="x.csv"):
    """The column of these cells as it is read beside one of numbers."""
    lines = [f'"{cell}",{i % 7}.5' for i, cell in enumerate(cells)]
    return read_table("\n".join([f"x,{other}", *lines]).encode(), name)


# Long whole numbers --------------------------------------------------------------------------------

FRAME = pd.DataFrame({"id": IDS, "u": np.arange(40) / 7})
U = FRAME["u"].tolist()
LONG = {
    "a.csv": FRAME.to_csv(index=False).encode(),
    "a.tsv": FRAME.to_csv(index=False, sep="\t").encode(),
    "long.csv": pd.concat([FRAME] * 200).to_csv(index=False).encode(),  # too long to be read with other columns
    "a.arff": "\n".join(
        ["@relation r", "@attribute id numeric", "@attribute u numeric", "@data"]
        + [f"{one},{u}" for one, u in zip(IDS, U, strict=True)]
    ).encode(),
    "a.jsonl": str(FRAME.to_json(orient="records", lines=True)).encode(),
    "a.parquet": parquet(id=IDS, u=U),
    "unsigned.parquet": parquet(id=pa.array(IDS, pa.uint64()), u=U),
    "missing.parquet": parquet(id=pa.array([*IDS[:-1], None], pa.int64()), u=U),
    "decimal.parquet": parquet(id=pa.array(map(Decimal, IDS), pa.decimal128(38, 0)), u=U),
    "text.xlsx": excel(FRAME.astype({"id": str})),
}


@pytest.mark.parametrize("name", LONG)
def test_a_whole_number_that_no_float_holds_is_text_with_all_its_digits(name):
    table = read_table(LONG[name], name)
    texts = table.frame["id"].dropna().tolist()
    assert texts == [str(one) for one in [*IDS] * (len(table.frame) // 40)][: len(texts)]
    assert table.frame["u"].dtype == np.float64
    assert any("digit by digit" in note and f"“{FIRST}” in “id”" in note for note in table.notes)


def test_rows_are_grouped_and_named_by_all_digits_of_their_numbers():
    found = contents(LONG["a.csv"], "a.csv")
    for role in ("group", "label"):
        target = TargetPlan("u", "regression", roles=RoleNames(**{role: "id"}))
        plans = [*found.plans, found.plans[1]._replace(name="v")]
        frame = found.table.frame.assign(v=found.table.frame["u"] ** 2)
        roles = to_dataset(frame, plans, target, "a")[0].roles
        assert roles.labels is None or list(roles.labels.texts) == list(map(str, IDS))
        assert roles.groups is None or roles.groups.n_groups == len(IDS)


@settings(deadline=None, max_examples=80)
@given(st.lists(st.integers(-(2**70), 2**70), min_size=2, max_size=6), st.sampled_from(["{}", "{:,}", "{}.0"]))
def test_a_column_of_whole_numbers_is_numeric_if_floats_hold_each_of_them(integers, form):
    table = column([form.format(one) for one in integers])
    holds_all = all(int(float(one)) == one for one in integers)
    assert (table.frame["x"].dtype == np.float64) == holds_all
    if holds_all:
        assert table.frame["x"].tolist() == list(map(float, integers))
    else:
        assert table.frame["x"].tolist() == [form.format(one) for one in integers]


def test_columns_read_together_are_those_read_one_by_one_also_where_numbers_are_long():
    cells = [["1", "9007199254740992"], ["1", "9007199254740993"], ["6.02e23", "1"], ["9" * 400, "1"]]
    columns = [pa.array(one, pa.string()) for one in cells]
    together = short_columns.plain_numbers(columns, ("",))
    for one, read in zip(columns, together, strict=True):
        alone = numbers.read(one, numbers.PLAIN)
        assert (None if read is None else read.values.tolist()) == (None if alone is None else alone.to_pylist())


def test_measurements_and_round_numbers_of_any_size_stay_numbers():
    assert column(["6.02e23", "1.5", "100000000000000000000"]).frame["x"].tolist() == [6.02e23, 1.5, 1e20]
    assert column(["12345678901234567.25", "1"]).frame["x"].tolist() == [12345678901234567.25, 1]
    cards = [4_111_111_111_111_110 + 10 * i for i in range(30)]
    assert list(map(label, column(cards).frame["x"])) == list(map(str, cards))


def test_a_workbook_that_has_rounded_ids_is_remarked_on_and_one_that_has_not_is_not():
    rounded = [float(f"{one:.14e}") for one in IDS]
    assert any("first 15 digits" in note for note in read_table(excel(FRAME.assign(id=rounded)), "a.xlsx").notes)
    for kept in ([4_111_111_111_111_111 + i for i in range(40)], [6.02e23, 1e20] * 20):
        notes = read_table(excel(FRAME.assign(id=kept)), "a.xlsx").notes
        assert not any("digits" in note for note in notes), kept


def test_a_long_number_of_new_rows_is_the_category_with_all_its_digits():
    feature = Feature("id", "category", tuple(map(str, IDS[:3])))
    new = read_table(f"id,u\n{IDS[2]},1\n{IDS[0]},2\n{IDS[5]},2\n".encode(), "n.csv").frame["id"]
    np.testing.assert_array_equal(coded(new, feature), [2, 0, np.nan])
    np.testing.assert_array_equal(coded(pd.Series(IDS[1:3]), feature), [1, 2])  # whole numbers of pandas
