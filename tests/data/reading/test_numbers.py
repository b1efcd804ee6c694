"""Numbers as people write them: marks column by column, money, percent, brackets; columns read many at a time."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.columns import cells
from espalier.data.columns import numbers as number_columns
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import ColumnPlan, guess_kinds
from espalier.data.columns.numbers import may_miss, plain_numbers
from espalier.data.options import MAYBE_MISSING, MISSING, NumberFormat
from espalier.data.table import read_table
from tests.tools.cases import case
from tests.tools.files import excel, parquet, read


def column(*cells):
    """The values that a column of these cells gives beside a column of words."""
    return read("x|t\n" + "".join(f"{cell}|{'ab'[i % 2]}\n" for i, cell in enumerate(cells))).frame["x"].tolist()


def test_money_percent_and_brackets_are_numbers():
    for written, values in [
        (["$1,234.50", "$304.80", "-$5"], [1234.5, 304.8, -5]),
        (["1.234,50 €", "12,00 €", "-3,5 €"], [1234.5, 12, -3.5]),
        (["12 %", "7%", "33.3 %", "-0.07\u00a0%", "(5%)"], [0.12, 0.07, 0.333, -0.0007, -0.05]),
        (["%12", "% 7", "%33.3", "-%0.07", "(%5)"], [0.12, 0.07, 0.333, -0.0007, -0.05]),  # as in Turkish
        (["USD 12", "USD 1,200", "USD 3"], [12, 1200, 3]),
        (["12 EUR", "1 eur", "3 EUR"], [12, 1, 3]),
        (["CHF 1'250.50", "CHF 3.00", "CHF 4.00"], [1250.5, 3, 4]),
        (["£5", "7", "£1,000"], [5, 7, 1000]),
        (["(0)", "1", "2", "(3)", "4"], [0, 1, 2, -3, 4]),
        (["($5.25)", "$1,000.00", "($2,000.50)"], [-5.25, 1000, -2000.5]),
        (["1 234,50 kr", "2,25 kr", "3 kr"], [1234.5, 2.25, 3]),
        (["−$3", "$ -4", "$5"], [-3, -4, 5]),
        (["R$ 1.234,56", "R$ 0,50"], [1234.56, 0.5]),
    ]:
        with case((written, values)):
            assert column(*written) == values


def test_brackets_are_signs_of_numbers_and_a_zero_in_them_has_none():
    assert math.copysign(1, column("(0)", "1", "(2)")[0]) == 1
    plans = guess_kinds(read("neg,t\n(0),a\n1,b\n2,a\n(3),b\n4,a\n").frame)
    assert plans[0].kind == "number"


def test_what_is_not_one_number_in_one_unit_stays_text():
    for written in [
        ["USD 12", "EUR 15", "EUR 3"],  # two currencies are no one number
        ["12 %", "0.5", "3 %"],
        ["(1)", "(2)", "(3)"],  # numbers of footnotes, perhaps
        ["$ 5 USD 3", "$4", "$6"],
        ["(5", "6)", "7"],
        ["--5", "$-(4)", "$3"],
        ["$007", "$008", "$009"],
    ]:
        with case(written):
            assert column(*written) == written


def test_signs_are_told_with_an_example_and_can_be_left_off_where_not_all_cells_have_them():
    table = read("p,t\n12 %,a\n0.5,b\n3 %,a\n")
    assert any("Some cells of “p” are in percent" in note for note in table.notes)
    dataset, _ = to_dataset(table.frame, [ColumnPlan("p", "number"), ColumnPlan("t", "category")], "t", "x")
    assert dataset.X[:, 0].tolist() == [0.12, 0.5, 0.03]
    table = read('price,share,neg,t\n"$1,234.50",12 %,(3),a\n$5.00,3 %,4,b\n')
    assert table.notes == (
        "Read as numbers: “$1,234.50” as 1234.5 in “price”, “12 %” as 0.12 in “share” and “(3)” as -3 in “neg”.",
    )


def test_a_tie_in_a_file_parted_by_semicolons_goes_to_the_comma():
    table = read("Umsatz;Quote;t\n1.234;2,5;a\n")
    assert table.frame["Umsatz"].tolist() == [1234]
    assert table.frame["Quote"].tolist() == [2.5]
    assert (table.options.decimal, table.options.thousands) == (",", ".")
    assert any("“1.234” as 1234 in “Umsatz”" in note for note in table.notes)


def test_every_column_has_its_own_format():
    text = "a;b;c;d\n1.234,5;0.25;$1,000.00;7\n2.000,25;0.125;$3.50;8\n-1,5;2.5;$4.00;9\n"
    table = read(text)
    assert table.frame["a"].tolist() == [1234.5, 2000.25, -1.5]
    assert table.frame["b"].tolist() == [0.25, 0.125, 2.5]
    assert table.frame["c"].tolist() == [1000, 3.5, 4]
    assert table.formats["a"][:2] == (",", ".")
    assert table.formats["b"].decimal == "."
    assert table.formats["c"] == NumberFormat(".", ",", True)
    pd.testing.assert_frame_equal(read(text, options=table.options).frame, table.frame)


def test_a_rare_thousands_mark_is_found_and_a_group_begins_with_no_zero():
    for n in (3_999, 8_999):
        rows = "".join(f"{i % 900};{'vw'[i % 2]}\n" for i in range(n))
        assert read(f"x;t\n{rows}1.000,5;w\n").frame["x"].tolist()[-1] == 1000.5
    assert read("x;t\n0.123;a\n0.456;b\n").choices == ()
    assert column("0,123", "0,456", "1,789") == [0.123, 0.456, 1.789]


def test_an_open_point_is_a_choice_between_two_numbers():
    table = read("x;t\n1.234;a\n2.345;b\n")
    (found,) = table.choices
    assert (found.what, found.question) == ("decimal", "Which number is “1.234”?")
    assert (found.used.rows[0], found.other.rows[0]) == (("1.234", "1.234"), ("1.234", "1234"))
    other = read("x;t\n1.234;a\n2.345;b\n", options=found.other.options)
    assert other.frame["x"].tolist() == [1234, 2345]
    assert other.choices[0].other.options.decimal == "."
    assert read("x;y;t\n1.234;2,5;a\n").choices == ()


def test_a_person_may_declare_money_with_words_in_between_to_be_numbers():
    table = read('x,t\n"$1,234.50",a\nn.b.,b\nsee above,b\n$3.00,a\n')
    dataset, notes = to_dataset(table.frame, [ColumnPlan("x", "number"), ColumnPlan("t", "category")], "t", "x")
    assert dataset.X[0, 0] == 1234.5
    assert any("2 cells that cannot be read" in note for note in notes)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.decimals(-999_999, 999_999, places=2), min_size=2, max_size=9),
    st.sampled_from([(".", ","), (",", "."), (".", "'"), (",", " "), (".", "")]),
    st.sampled_from(["{}", "${}", "{} €", "{} %", "EUR {}"]),
)
def test_numbers_written_with_any_marks_and_signs_are_read_back_exactly(numbers, marks, pattern):
    decimal, thousands = marks
    swap = {",": thousands, ".": decimal}
    cells = [pattern.format("".join(swap.get(c, c) for c in f"{x:,.2f}")) for x in numbers]
    assert column(*cells) == [float(x.scaleb(-2) if "%" in pattern else x) for x in numbers]


def test_text_cells_of_other_formats_are_read_as_those_of_csv():
    frame = pd.DataFrame({"p": ["1,5", "2,25"], "m": ["€1.000", "€2"], "w": ["?", "x"], "n": [1.234, 2.345]})
    json = str(frame.to_json(orient="records", lines=True)).encode()
    sources = {"x.parquet": parquet(frame), "x.jsonl": json, "x.xlsx": excel(frame)}
    for name, source in sources.items():
        table = read_table(source, name)
        assert table.frame["p"].tolist() == [1.5, 2.25]
        assert table.frame["m"].tolist() == [1000, 2]
        assert table.frame["n"].tolist() == [1.234, 2.345]
        assert any("“?” is read as missing in “w” (1)" in note for note in table.notes)
        kept = read_table(source, name, table.options._replace(missing=("",)))
        assert kept.frame["w"].tolist() == ["?", "x"]


def test_words_for_missing_in_arff_are_missing_also_where_they_are_declared():
    source = b"@relation r\n@attribute a {NA,x,y}\n@attribute s string\n@data\nNA,q\nx,N/A\n?,z\ny,q\n"
    table = read_table(source, "x.arff")
    assert table.frame["a"].isna().tolist() == [True, False, True, False]
    assert table.frame["s"].isna().tolist() == [False, True, False, False]
    kept = read_table(source, "x.arff", table.options._replace(missing=("",)))
    assert kept.frame["a"].tolist()[0] == "NA"
    assert kept.frame["a"].isna().tolist() == [False, False, True, False]


def test_two_hundred_words_are_pooled_with_a_note():
    rows = "".join(f"{i % 60},occupation {i % 200},{'yn'[i % 2]}\n" for i in range(2_000))
    table = read(f"age,occupation,t\n{rows}")
    plans = guess_kinds(table.frame)
    assert "63 most frequent of 200 values" in plans[1].reason
    assert any("200 categories" in note for note in to_dataset(table.frame, plans, "t", "x")[1])


def test_columns_looked_at_together_say_in_their_order_what_each_says_by_itself(monkeypatch):
    columns = [
        pa.array(cells, pa.string())
        for cells in (
            ["1.5", " 2.25", "NA", "1.5", None, "-3"], ["1.234", "12.345", ""], ["1.234", "1.5"],
            ["1e-4", "+2", "?"], ["1,5", "2"], ["a", "b", "1"], ["$5", "$6"], ["007", "008"], ["", "NA", None], [],
        )
    ]  # fmt: skip
    together = number_columns._evidence_of_plain(columns)
    alone = [number_columns._evidence(column) for column in columns]
    assert [evidence is not None for evidence in together] == [True] * 4 + [False] * 3 + [True] + [False] * 2
    assert all(a == b for a, b in zip(together, alone, strict=True) if a is not None)
    mostly = [number_columns.mostly_numbers(number_columns.sample(column)) for column in columns]
    for n_cells in (number_columns.CELLS, 5):
        monkeypatch.setattr(number_columns, "CELLS", n_cells)
        assert number_columns.are_mostly_numbers(columns) == mostly


# ---- Columns read many at a time: as each is read alone

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
    old, number_columns.CELLS = number_columns.CELLS, together
    try:
        found = plain_numbers(columns, missing)
    finally:
        number_columns.CELLS = old
    for column, quick in zip(columns, found, strict=True):
        values, markers = cells.read_column(column, missing, PLAIN._replace(thousands=thousands))
        if quick is not None:
            assert values.dtype == np.float64
            assert np.array_equal(quick[0], values.to_numpy(), equal_nan=True)
            assert list(quick[1].items()) == list(markers.items())


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
    long = pa.array(["1"] * (number_columns.SHORT + 1))
    assert may_miss([long, pa.array(["1"])]) == [True, False]
