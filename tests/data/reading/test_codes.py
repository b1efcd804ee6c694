"""Codes that look like numbers stay as they are written, and numbers that people have stay numbers."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.background import FileReading
from espalier.data.columns import numbers
from espalier.data.columns.convert import TargetPlan, to_dataset
from espalier.data.columns.kinds import RoleNames, guess_kinds, label
from espalier.data.columns.new_rows import code_column, columns_of_words, new_rows
from espalier.data.contents import contents
from espalier.data.dataset import Feature
from espalier.data.table import read_table
from tests.data.reading.hostile import parquet_of
from tests.tools.cases import case
from tests.tools.files import excel

FIRST = 1_009_513_310_189_256_287  # an id of 19 digits: its next 64 neighbours are the same float
IDS = [FIRST + i for i in range(40)]


def parquet(**columns) -> bytes:
    return parquet_of(pa.table(columns))


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


def test_a_whole_number_that_no_float_holds_is_text_with_all_its_digits():
    for name in LONG:
        with case(name):
            table = read_table(LONG[name], name)
            texts = table.frame["id"].dropna().tolist()
            assert texts == [str(one) for one in [*IDS] * (len(table.frame) // 40)][: len(texts)]
            assert table.frame["u"].dtype == np.float64
            assert any("more than 15 digits" in note and f"“{FIRST}” in “id”" in note for note in table.notes)
    found = contents(f"id,u\n{FIRST},1\n12345678901234567890,2\n7,3\n".encode(), "a.csv")
    for target in "u", "id":  # of both a person makes numbers
        plans = [plan._replace(kind="number") for plan in found.plans]
        notes = to_dataset(found.table.frame, plans, TargetPlan(target, "regression"), "a")[1]
        assert any("“id”: 2 values with too many digits" in note and f"“{FIRST}” to" in note for note in notes)


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
    together = numbers.plain_numbers(columns, ("",))
    for one, read in zip(columns, together, strict=True):
        alone = numbers.read(one, numbers.PLAIN)
        assert (None if read is None else read[0].tolist()) == (None if alone is None else alone.to_pylist())


def test_measurements_and_round_numbers_of_any_size_stay_numbers():
    assert column(["6.02e23", "1.5", "100000000000000000000"]).frame["x"].tolist() == [6.02e23, 1.5, 1e20]
    assert column(["12345678901234567.25", "1"]).frame["x"].tolist() == [12345678901234567.25, 1]
    cards = [4_111_111_111_111_110 + 10 * i for i in range(30)]
    assert list(map(label, column(cards).frame["x"])) == list(map(str, cards))


def test_a_workbook_that_has_rounded_ids_is_remarked_on_and_one_that_has_not_is_not():
    rounded = [float(f"{one:.14e}") for one in IDS]
    assert any("keep 15 digits" in note for note in read_table(excel(FRAME.assign(id=rounded)), "a.xlsx").notes)
    for kept in ([4_111_111_111_111_111 + i for i in range(40)], [6.02e23, 1e20] * 20):
        notes = read_table(excel(FRAME.assign(id=kept)), "a.xlsx").notes
        assert not any("digits" in note for note in notes), kept


def test_a_long_number_of_new_rows_is_the_category_with_all_its_digits():
    feature = Feature("id", "category", tuple(map(str, IDS[:3])))
    new = read_table(f"id,u\n{IDS[2]},1\n{IDS[0]},2\n{IDS[5]},2\n".encode(), "n.csv").frame["id"]
    np.testing.assert_array_equal(code_column(new, feature), [2, 0, np.nan])
    np.testing.assert_array_equal(code_column(pd.Series(IDS[1:3]), feature), [1, 2])  # whole numbers of pandas


# Codes that look like numbers ----------------------------------------------------------------------

TEXT, NUMBER = "text", "number"


def read_beside(cells, other, delimiter):
    lines = [delimiter.join([f'"{cell}"', other, "pq"[i % 2]]) for i, cell in enumerate(cells * 3)]
    return read_table("\n".join([delimiter.join("xuy"), *lines]).encode(), "x.csv")


def test_what_the_other_cells_and_columns_say_of_a_cell_that_may_be_a_number_or_a_code():
    for cells, other, delimiter, kind, is_asked in [
        (["1E1", "2E10", "3E5"], "1.5", ",", TEXT, True),  # wells of plates 1, 2 and 3
        (["1E1", "12", "7"], "1.5", ",", TEXT, True),
        (["1E01", "1E02", "1E12"], "1.5", ",", TEXT, False),  # nobody writes ten so
        (["10E1", "1E2"], "1.5", ",", TEXT, False),  # one number would be written in two ways
        (["123E456", "17E3"], "1.5", ",", TEXT, False),  # the first is larger than any number
        (["1e5", "1e6", "1000"], "1.5", ",", NUMBER, True),
        (["1e-05", "1e+05", "12"], "1.5", ",", NUMBER, False),  # R, Python
        (["1.00E+05", "2.5E+03", "12"], "1.5", ",", NUMBER, False),  # spreadsheets
        (["2.5E3", "1E3", "12"], "1.5", ",", NUMBER, False),  # Java
        (["1E3", "12"], "2.5E3", ",", NUMBER, False),  # so does this file, in another column
        (["-1E3", "12"], "1.5", ",", NUMBER, False),
        (["+49301234567", "+4417123"], "1.5", ",", TEXT, False),
        (["+49301234567", "301234567"], "1.5", ",", TEXT, False),
        (["+49 301 234", "+44 171 231"], "1.5", ",", TEXT, False),
        (["+1234567", "-1234567"], "1.5", ",", NUMBER, False),
        (["+0.3", "-0.5"], "1.5", ",", NUMBER, False),
        (["+3", "+12"], "1.5", ",", NUMBER, False),
        (["1.8", "1.9", "1.10", "1.11"], "1.5", ",", TEXT, True),  # versions
        (["1.10", "1.1", "1.9", "2.0"], "1.5", ",", TEXT, True),
        (["1", "1.1", "1.10", "2"], "1.5", ",", TEXT, True),  # sections
        (["1.10", "2.00", "3.25"], "1.5", ",", NUMBER, False),  # prices
        (["1.10", "2", "3.25"], "1.5", ",", NUMBER, False),
        (["1.5", "2.50", "1.05"], "1.5", ",", NUMBER, False),  # measured with more and more care
        (["0.5", "0.50", "0.9"], "1.5", ",", NUMBER, False),
        (["1.10", "12.5", "1.23"], "1.5", ",", NUMBER, False),  # three digits each
        (["1.234", "2.50", "1.5"], "1.5", ",", NUMBER, False),
        (["3", "3.0", "3.00"], "1.5", ",", NUMBER, False),
        (["12,14", "9,10", "12,9"], "1.5", ",", TEXT, True),  # alleles
        (["12,14", "9,10", "12,9"], "1.5", "\t", TEXT, True),
        (["12,14", "9,10", "12,9"], "x", ",", NUMBER, False),  # of a German who does not use semicolons
        (["12,14", "9,10", "-12,9"], "1.5", ",", NUMBER, False),
        (["0,25", "0,5", "12,9"], "1.5", ",", NUMBER, False),
        (["1,23456", "2,5"], "1.5", ",", NUMBER, False),
        (["12,14", "9,10", "12,9"], "1,5", ";", NUMBER, False),
        (["1,23,4", "1,2,3,4", "2", "3"], "1.5", ",", TEXT, False),
        (["007", "112"], "1.5", ",", TEXT, False),
    ]:
        with case((cells, other, delimiter, kind, is_asked)):
            table = read_beside(cells, other, delimiter)
            read = table.frame["x"].tolist()
            assert (read == cells * 3) == (kind == TEXT) == (table.frame["x"].dtype != np.float64)
            asked = [choice for choice in table.choices if choice.what.startswith("codes")]
            assert bool(asked) == is_asked
            has_note = any(note.startswith("Read as text") and "in “x”" in note for note in table.notes)
            assert has_note == (kind == TEXT and cells[0] != "1,23,4")


@pytest.mark.parametrize(
    "cells", [["1E1", "2E10", "3E5"], ["1.10", "1.1", "1.9"], ["12,14", "9,10"], ["1e5", "1e6"]]
)
def test_a_question_on_codes_shows_both_readings_and_the_other_one_can_be_taken_and_given_back(cells):
    table = read_beside(cells, "1.5", ",")
    source = "\n".join(["x,u,y", *(f'"{c}",1.5,{"pq"[i % 2]}' for i, c in enumerate(cells * 3))]).encode()
    (asked,) = table.choices
    assert asked.used.options == table.options
    other = read_table(source, "x.csv", asked.other.options)
    is_number = table.frame["x"].dtype == np.float64
    assert is_number == (other.frame["x"].dtype != np.float64)
    (back,) = other.choices
    assert (back.used, back.other, back.question) == (asked.other, asked.used, asked.question)
    pd.testing.assert_frame_equal(read_table(source, "x.csv", back.other.options).frame, table.frame)
    as_numbers, numeric = (asked.used, table) if is_number else (asked.other, other)
    value_of = dict(zip(cells, numeric.frame["x"], strict=False))
    assert [float(value) for _, value in as_numbers.rows] == [value_of[cell] for cell, _ in as_numbers.rows]


def test_many_columns_in_one_doubt_are_one_question():
    loci = [f"locus {i}" for i in range(12)]
    lines = [",".join([*[f'"{10 + i},{9 + i}"'] * 12, "1.5"]) for i in range(9)]
    source = "\n".join([",".join([*loci, "u"]), *lines]).encode()
    table = read_table(source, "x.csv")
    (asked,) = table.choices
    assert "“locus 0”, “locus 1”" in asked.question
    assert not any(table.frame[name].dtype == np.float64 for name in loci)
    other = read_table(source, "x.csv", asked.other.options).frame
    assert all(other[name].dtype == np.float64 for name in loci)


def test_codes_say_nothing_of_the_marks_of_the_other_columns():
    rows = "".join(f"1.{i + 7};{i}.234;w\n" for i in range(1, 5))
    table = read_table(f"version;n;t\n1.10;1.234;a\n{rows}".encode(), "x.csv")
    assert [choice.what for choice in table.choices] == ["decimal", "codes-0"]
    other = table.choices[0].other.options
    again = read_table(f"version;n;t\n1.10;1.234;a\n{rows}".encode(), "x.csv", other)
    assert (again.frame["version"].iloc[0], again.frame["n"].iloc[0]) == ("1.10", 1234)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.floats(-1e9, 1e9).map(lambda x: round(x, 3)), min_size=2, max_size=30),
    st.sampled_from([repr, "{:.2f}".format, "{:.15g}".format, "{:.6e}".format, "{:.3g}".format, "{:+.1f}".format]),
    st.sampled_from([(",", "."), (";", ","), ("\t", "."), (";", ".")]),
)
def test_numbers_that_a_program_writes_are_numbers_and_no_question(floats, write, marks):
    delimiter, decimal = marks
    lines = [f"{write(x).replace('.', decimal)}{delimiter}w" for x in floats]
    table = read_table("\n".join([f"x{delimiter}t", *lines]).encode(), "x.csv")
    assert table.frame["x"].tolist() == [float(write(x)) for x in floats]
    assert not [choice for choice in table.choices if choice.what.startswith("codes")]


def test_codes_without_a_size_are_no_scale():
    for cells in (["1.8", "1.9", "1.10"], ["12,14", "9,10", "10,9"], ["1E1", "2E10", "3E5"]):
        found = contents("\n".join(["x,u", *(f'"{c}",{i}.5' for i, c in enumerate(cells * 9))]).encode(), "x.csv")
        assert found.plans[0].kind == "category"


@pytest.mark.parametrize("is_apart", [False, True])
def test_new_rows_are_read_as_text_where_the_table_has_text(is_apart):
    """The file of new rows alone says nothing of versions: its cells are numbers with two decimals."""
    table = read_beside(["1.10", "1.1", "1.9", "2.0"], "1.5", ",")
    plans = guess_kinds(table.frame)
    data, _ = to_dataset(table.frame.assign(u=np.arange(12) % 5), plans, "u", "x", table.origins)
    (version, *_) = data.features
    new, texts = b"X,w\n1.10,3.5\n2.00,4.5\n", columns_of_words(data)
    found = (
        FileReading(new, "n.csv", None, texts).future.result() if is_apart else contents(new, "n.csv", texts=texts)
    )
    assert found.table.frame["X"].tolist() == ["1.10", "2.00"]
    assert found.table.frame["w"].tolist() == [3.5, 4.5]
    np.testing.assert_array_equal(
        new_rows(found.table.frame, data).X[:, 0], [version.categories.index("1.10"), np.nan]
    )


def notes(columns, n=30):
    """The notes on a table of these columns, each with its cells again and again, as tabs part them."""
    rows = zip(*([cells[i % len(cells)] for i in range(n)] for cells in columns.values()), strict=True)
    text = "\n".join(["\t".join(columns), *("\t".join(map(str, row)) for row in rows)])
    return read_table(text.encode(), "x.tsv").notes


def asked(name, cells, **others):
    """The notes that name this column."""
    return [note for note in notes({name: cells, "other": "ab", **others}) if f"“{name}”" in note]


def test_cells_that_keep_a_column_from_being_numbers_are_named():
    for cells, told in [
        (("<0.5", "12.3", "0.8", ">200"), "<0.5"),  # limits of a method
        (("1,012.50 CR", "1,104.25 DR", "80.00 DR"), "CR"),  # of a bank
        (("1.012,50-", "1.104,25", "80,00-"), "80,00-"),  # a minus behind the number
        (("12.3 p", "11.8", "10.4 e"), "12.3 p"),  # provisional, estimated
        (("393,600[2]", "5,488,984", "54,676"), "393,600[2]"),
        (("14.4*", "3.8", "138†"), "138†"),
        (("12", "3", "40", "sold out"), "sold out"),
        (("0.9", "OVRFLW", "12.4", "1.1"), "OVRFLW"),
        (("12K", "3.4M", "980"), "3.4M"),
        (("$1.2M", "$340K", "$2.5B"), "$340K"),
        (("1,2 Mio.", "340 Tsd.", "2,5 Mrd."), "Mio."),
    ]:
        with case((cells, told)):
            (note,) = asked("conc", cells)
            assert told in note
            assert "holds numbers, but also" in note


def test_codes_steps_times_and_addresses_are_not_taken_for_numbers_with_marks():
    for cells in [
        ("12", "7a", "3b", "112c"),  # house numbers
        ("001", "002 B", "003"),  # codes
        ("1", "2", "3", "4+"),  # steps
        ("<1", "1-5", "6-10", ">10"),
        ("4711 Main St", "12 High St", "5 Rue de la Paix"),
        ("A1", "A2", "H12"),
        ("3 days", "4 days 02:00", "1 day"),
        ("1:02:33", "0:59:48"),
        ("05 Jan 2024", "06 Feb 2024", "07 Mar 2024"),
    ]:
        with case(cells):
            assert not [note for note in asked("x", cells) if "holds numbers, but also" in note]


@pytest.mark.parametrize("mark", [";", ", ", " | "])
def test_several_answers_in_a_cell_are_told_with_the_answers(mark):
    cells = [
        mark.join(answers) for answers in (["R", "Excel"], ["R"], ["SPSS", "R"], ["Excel"], ["Excel", "SPSS"])
    ]
    (note,) = asked("tools", cells)
    assert all(f"“{answer}”" in note for answer in ("R", "Excel", "SPSS"))


@pytest.mark.parametrize("cells", [
    ("Doe, Jane", "Roe, Max", "Li, Bo", "Li, An"), ("Köln, DE", "Bonn, DE", "Lyon, FR", "Paris, FR"),
    ("so, so", "good", "bad", "very bad"), ("A/G", "A/A", "G/G"),
])  # fmt: skip
def test_names_and_places_with_commas_are_no_several_answers(cells):
    assert not [note for note in asked("x", cells) if "several answers" in note]


def test_several_numbers_in_a_cell_are_told():
    for cells in [
        ("120/80", "135/85", "118/79", "142/95", "110/70"),  # blood pressure
        ("1920x1080", "1366 x 768", "2560×1440", "1280x720", "800x600"),
        ("52.52, 13.40", "48.14, 11.58", "-33.87, 151.21", "50.94, 6.96", "51.05, 13.74"),
        ("2-1", "0-0", "3-1", "1-1", "4-2"),
        ("5'11\"", "6'2\"", "5'9\"", "5'7\"", "6'0\""),
        ("52°31'N", "48°8'N", "53°33'N", "50°56'N", "51°3'N"),
        ("10x20x5", "12x20x5", "10x15x3", "8x8x8", "20x20x10"),
    ]:
        with case(cells):
            (note,) = asked("x", cells)
            assert "several numbers" in note


@pytest.mark.parametrize(
    "cells",
    [
        ("030-901820", "030-901821", "0221-4711", "089-1234", "089-1235"),  # phones
        ("2019/20", "2020/21", "2021/22", "2022/23", "2023/24"),
        ("18-24", "25-34", "35-44", "45-54", "55-64"),
        ("1/2/2024", "3/4/2024", "5/6/2024", "7/8/2024", "9/1/2024"),
        ("12:30", "14:15", "9:05", "10:45", "23:59"),
        ("0/0", "0/1", "1/1"),
    ],
)
def test_phones_periods_ranges_and_dates_are_not_several_numbers(cells):
    assert not [note for note in asked("x", cells) if "several numbers" in note]


def test_numbers_of_which_some_have_a_point_and_others_a_comma_are_told():
    (note,) = asked("x", ("1.5", "2,5", "3.25", "7"))
    assert "“2,5”" in note


def test_a_box_that_is_checked_or_empty_is_told_and_one_that_is_always_checked_is_not():
    (note,) = [note for note in asked("Q3_1", ("selected", "", "")) if "empty" in note]
    assert "“selected”" in note
    assert not [note for note in asked("Q3_1", ("selected",)) if "empty" in note]


def test_where_many_columns_raise_a_question_the_others_are_only_named():
    columns = {f"box {i}": ("x", "") for i in range(12)}
    told = [note for note in notes({**columns, "y": "ab"}) if "box" in note and "empty" in note]
    assert len(told) == 3
    (last,) = [note for note in notes({**columns, "y": "ab"}) if note.startswith("The same goes")]
    assert all(f"“box {i}”" in last for i in range(3, 12))


def test_a_lone_code_below_zero_among_numbers_of_at_least_zero_is_asked_about():
    (note,) = asked("income", (1200.5, 0, 2300, -99))
    assert "−99" in note or "-99" in note
    assert not asked("change", (150, -99, -3, 88))
    assert not asked("label", (-1, 1, 0))


def test_dates_written_as_numbers_are_asked_about_and_other_numbers_of_that_size_are_not():
    days = [int(day.strftime("%Y%m%d")) for day in pd.date_range("2024-01-05", periods=30)]
    assert "2024-01-05" in asked("day", days)[0]
    assert not asked("price", [20_240_100 + 977 * i for i in range(30)])
    seconds = [1_704_448_800 + 600 * i for i in range(30)]
    assert "2024-01-05" in asked("epoch", seconds)[0]
    assert "2024-01-05" in asked("created_time", [1000 * x for x in seconds])[0]
    assert not asked("population", seconds)


def test_hours_that_may_be_minutes_are_asked_about_and_times_of_day_are_not():
    (note,) = asked("time", ("1:02:33", "59:48", "1:10:05"))
    assert "“59:48”" in note
    assert "“0:59:48”" in note
    assert "“0:04:27”" in asked("pace", ("4:27", "4:15", "4:58"))[0]
    assert not asked("start", ("4:27", "4:15", "4:58"))
    assert not asked("time", ("1:02:33", "0:59:48"))


def test_a_column_of_signs_beside_amounts_without_a_minus_is_asked_about():
    (note,) = asked("S/H", "SHS", Betrag=(12.5, 80, 3))
    assert "“Betrag”" in note
    assert not asked("S/H", "SHS", Betrag=(12.5, -80, 3))
    assert not asked("sex", "mwm", Betrag=(12.5, 80, 3))


@pytest.mark.parametrize("word", ["Total", "Grand total", "Summe", "Gesamtsumme", "Total:"])
def test_a_last_row_of_totals_is_asked_about_wherever_it_comes_from(word):
    rows = [("north", 3), ("south", 4), ("east", 5), (word, 12)]
    text = "".join(f"{name},{n}\n" for name, n in (("region", "n"), *rows))
    assert [note for note in read_table(text.encode(), "x.csv").notes if f"“{word}”" in note]
    frame = pd.DataFrame({"region": [name for name, _ in rows], "n": np.array([n for _, n in rows], float)})
    lines = frame.to_json(orient="records", lines=True) or ""
    assert [note for note in read_table(lines.encode(), "x.jsonl").notes if f"“{word}”" in note]
