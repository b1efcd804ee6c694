"""What each format has of its own: a workbook beside its values, Parquet's types, values nested or declared."""

from __future__ import annotations

import io
import zipfile

import openpyxl
import pandas as pd
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.errors import TableError
from espalier.data.formats import workbook as sheets
from espalier.data.formats.workbook import MarkReader, number_as_shown, read_parts
from espalier.data.table import Table, read_table
from espalier.export import from_json, to_json, to_python, to_rules, to_sql
from espalier.learners import CartClassifier
from tests.tools.files import excel, parquet

# Values, their format in Excel, and the texts that Excel saves as CSV.
AS_SAVED = [
    ([0.1, 0.333, 0.07, 1], "0.0%", ["10.0%", "33.3%", "7.0%", "100.0%"]),
    ([0.1, -0.25, 12], "[Red]0%;-0%", ["10%", "-25%", "1200%"]),
    ([12, 7.5, 3], '0.0"%"', ["12.0%", "7.5%", "3.0%"]),
    ([1067, -80331, 0], "00000", ["01067", "-80331", "00000"]),
    ([12345678, 987654321], "000\\-00\\-0000", ["012-34-5678", "987-65-4321"]),
    ([7, 12], '"D-"000', ["D-007", "D-012"]), ([1234.5, 2], "#,##0.00", ["1,234.50", "2.00"]),
    ([7, 12], "0", ["7", "12"]),
]  # fmt: skip


def book(rows, title="a") -> tuple[openpyxl.Workbook, Worksheet]:
    workbook = openpyxl.Workbook()
    page = workbook.active
    assert isinstance(page, Worksheet)
    page.title = title
    for row in rows:
        page.append(row)
    return workbook, page


def read(workbook: openpyxl.Workbook, options=None) -> Table:
    out = io.BytesIO()
    workbook.save(out)
    return read_table(out.getvalue(), "a.xlsx", options)


def frame(rows) -> pd.DataFrame:
    """The table of a plain sheet with these rows, the first of which has the names."""
    return read(book(rows)[0]).frame


def test_a_sheet_and_what_excel_saves_of_it_as_csv_are_the_same_table():
    for values, number_format, texts in AS_SAVED:
        workbook, page = book([["x", "t"], *([x, "ab"[i % 2]] for i, x in enumerate(values))])
        for row in range(2, len(values) + 2):
            page.cell(row, 1).number_format = number_format
        lines = [f'"{text}",{"ab"[i % 2]}' for i, text in enumerate(texts)]
        of_csv = read_table("\n".join(["x,t", *lines]).encode(), "a.csv")
        of_sheet = read(workbook)
        pd.testing.assert_frame_equal(of_sheet.frame, of_csv.frame, check_exact=True)
        assert any("%" in note for note in of_sheet.notes) == ("%" in number_format), number_format


def test_a_format_that_is_no_code_and_no_percent_leaves_the_number_alone():
    formats = "General 0 0.00 000.0 #,##0 0_% yyyy [h]:mm 00/00 0.00E+00 @"
    for number_format in formats.split():
        assert number_as_shown(7.0, number_format) is None
    assert number_as_shown(7.5, "00000") is None  # a code would lose the half


def test_percent_beside_plain_numbers_is_a_remark_in_both_formats():
    workbook, page = book([["p", "t"], [0.1, "a"], [5, "b"], [0.3, "a"]])
    page["A2"].number_format = page["A4"].number_format = "0%"
    for table in (read(workbook), read_table(b"p,t\n10%,a\n5,b\n30%,a\n", "a.csv")):
        assert table.frame["p"].tolist() == ["10%", "5", "30%"]
        assert any("Some cells of “p” are in percent" in note for note in table.notes)


BLOCKS = [["group", "v"], *([f"g{i // 4}" if i % 4 == 0 else None, i] for i in range(12))]
FILLED = [["group", "v"], *([f"g{i // 4}", i] for i in range(12))]


def test_a_value_in_cells_merged_over_rows_is_that_of_each_row_or_of_the_first_one():
    workbook, page = book(BLOCKS)
    for top in (2, 6, 10):
        page.merge_cells(start_row=top, end_row=top + 3, start_column=1, end_column=1)
    table = read(workbook)
    pd.testing.assert_frame_equal(table.frame, frame(FILLED))
    (choice,) = table.choices
    assert (choice.what, choice.used.rows[1][0], choice.other.rows[1][0]) == ("merged", "g0", "")
    other = read(workbook, choice.other.options)
    pd.testing.assert_frame_equal(other.frame, frame(BLOCKS))
    assert other.choices[0].other.options.fill_merged


def test_exports_say_that_each_row_needs_the_value_of_its_block():
    rows = [["group", "y"], *([f"g{i // 4}" if i % 4 == 0 else None, "ab"[i > 5]] for i in range(12))]
    workbook, page = book(rows)
    for top in (2, 6, 10):
        page.merge_cells(start_row=top, end_row=top + 3, start_column=1, end_column=1)
    table = read(workbook)
    data, _ = to_dataset(table.frame, guess_kinds(table.frame), "y", table.name, table.origins)
    tree = CartClassifier(max_depth=1, categorical_features=[0]).fit(data.X, data.y).tree_
    for write in (to_python, to_sql, to_rules):
        text = " ".join(write(tree, data.features, data.target).replace("#", " ").replace("--", " ").split())
        assert "here each row needs it" in text
    assert from_json(to_json(tree, data.features, data.target))[1] == data.features


def test_merged_cells_fill_no_other_row():
    rows = [["group", "v"], ["g", 1], [None, 2], [None, 3], ["h", 4], [None, 5]]
    workbook, page = book(rows)
    page.merge_cells("A2:A3")
    table = read(workbook)
    assert table.frame["group"].isna().tolist() == [False, False, True, False, True]


def test_hidden_rows_and_columns_count_until_somebody_says_that_they_do_not():
    rows = [["x", "secret", "t"], *([i, i * i, "ab"[i % 2]] for i in range(20))]
    workbook, page = book(rows)
    for row in range(5, 12):
        page.row_dimensions[row].hidden = True
    page.column_dimensions["B"].hidden = True
    table = read(workbook)
    pd.testing.assert_frame_equal(table.frame, frame(rows))
    of_rows, of_columns = table.choices
    assert "hides 7 rows" in of_rows.question
    assert "“secret”" in of_columns.question
    some = read(workbook, of_rows.other.options)
    left = [row for i, row in enumerate(rows, 1) if not 5 <= i < 12]
    pd.testing.assert_frame_equal(some.frame, frame(left))
    both = read(workbook, some.choices[1].other.options)
    pd.testing.assert_frame_equal(both.frame, frame([[x, t] for x, _, t in left]))
    assert both.origins["t"].position == 2  # as in the file, for exports
    assert [choice.other.options.hidden_rows for choice in both.choices] == [True, False]


def test_marks_are_the_same_wherever_the_parts_of_the_xml_end(monkeypatch):
    workbook, page = book([["a", "b"], *([i, i] for i in range(30))])
    page.row_dimensions[3].hidden = page.row_dimensions[30].hidden = True
    page.column_dimensions["B"].hidden = True
    page.merge_cells("A4:A9")
    page.merge_cells("A12:B12")
    out = io.BytesIO()
    workbook.save(out)
    xml = zipfile.ZipFile(out).read("xl/worksheets/sheet1.xml")
    found = set()
    for size in (1, 7, 64, 1_000, 1 << 20):
        monkeypatch.setattr(sheets, "PART", size)
        reader = MarkReader()
        for part in read_parts(io.BytesIO(xml)):
            reader.read(part)
        found.add(reader.marks)
    (marks,) = found
    assert (marks.hidden_rows, marks.hidden_columns) == ({3, 30}, {2})
    assert [one.name for one in marks.merged] == ["A4:A9", "A12:B12"]


def test_names_in_two_lines_are_joined_where_merged_cells_part_them():
    workbook, page = book(
        [
            ["Results of 2023"],
            ["id", "measured", None, "rated", None],
            [None, "length", "width", "length", "width"],
            *([f"a{i}", i, i + 1, i + 2, i % 2] for i in range(9)),
        ]
    )
    for cells in ("A1:C1", "A2:A3", "B2:C2", "D2:E2"):
        page.merge_cells(cells)
    table = read(workbook)
    assert list(table.frame) == ["id", "measured length", "measured width", "rated length", "rated width"]
    assert table.frame["rated width"].tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 0]
    assert any("Names in two lines" in note and "“measured length”" in note for note in table.notes)
    assert any("“Results of 2023”" in note for note in table.notes)


def test_a_name_over_two_columns_of_words_takes_no_row_of_the_table_for_names():
    workbook, page = book(
        [["id", "address", None], ["a", "Ulm", "Hill 3"], ["b", "Köln", "Lane 5"], ["c", "Bonn", "Way 7"]]
    )
    page.merge_cells("B1:C1")
    assert read(workbook).frame["address"].tolist() == ["Ulm", "Köln", "Bonn"]


def test_cells_merged_over_columns_inside_the_table_are_told():
    workbook, page = book([["a", "b", "c"], [1, 2, 3], ["no answer", None, None], [4, 5, 6], [7, 8, 9]])
    page.merge_cells("A3:C3")
    assert any("A3:C3" in note for note in read(workbook).notes)


def test_the_first_sheet_that_shows_is_read_before_one_that_is_hidden():
    workbook, page = book([["q", "r"], [1, 2], [3, 4]], "lists")
    page.sheet_state = "hidden"
    shown = workbook.create_sheet("data")
    for row in [["a", "b"], [5, 6], [7, 8]]:
        shown.append(row)
    workbook.active = shown
    assert list(read(workbook).frame) == ["a", "b"]
    assert read(workbook).sheets == ("lists", "data")


def text(column, step=1) -> bytes:
    rows = [f"{cell},{i % 7},{'ab'[i % 2]}" for i, cell in enumerate(column)]
    return "\n".join(["group,v,t", *rows]).encode()


REGULAR = [f"g{i // 5 % 3}" if i % 5 == 0 else "" for i in range(40)]
IRREGULAR = ["Ann", "", "", "Bob", "", "Cy", "", "", "", "Di", ""]


@pytest.mark.parametrize("column", [REGULAR, IRREGULAR])
def test_a_value_that_stands_once_for_a_block_of_rows_is_offered_to_all_of_them(column):
    table = read_table(text(column), "a.csv")
    (choice,) = table.choices
    assert choice.what == "blocks"
    assert table.frame["group"].isna().sum() == column.count("")
    filled = read_table(text(column), "a.csv", choice.other.options)
    by_hand = pd.Series([cell or None for cell in column]).ffill()
    assert filled.frame["group"].tolist() == by_hand.tolist()
    assert filled.choices[0].other.options.fill_down == ()


def test_missing_values_without_blocks_are_no_question():
    for column in (
        ["a", "", "b", "", "", "c", "d", "", "e"],  # blocks of one row
        ["a", "", "a", "", "a", ""],  # the same value again
        ["", "a", "", "b", "", "c"],  # nothing above the first
        ["1", "", "", "2", "", "5", "", "", "", "", "7"],  # numbers here and there
        ["1", "", "2", "", "5", "", ""],  # the last block longer
    ):
        assert not read_table(text(column), "a.csv").choices, column
    blank = b"group,v,t\na,1,x\n,,\nb,2,y\n,,\nc,3,x\n,,\nd,4,y\n,,\n"  # each second line
    assert not [choice for choice in read_table(blank, "a.csv").choices if choice.what == "blocks"]


def test_numbers_that_a_format_stores_as_numbers_are_asked_about_only_where_they_are_texts():
    for numbers, is_asked in (([1.234, 2.345], False), (["1.234", "2.345"], True)):
        rows = pd.DataFrame({"x": numbers, "t": ["a", "b"]})
        kind = "string" if is_asked else "numeric"
        arff = f"@relation r\n@attribute x {kind}\n@attribute t {{a,b}}\n@data\n1.234,a\n2.345,b\n"
        json = str(rows.to_json(orient="records", lines=True))
        tables = [
            read(book([list(rows), *rows.values.tolist()])[0]),
            read_table(json.encode(), "a.jsonl"),
            read_table(arff.encode(), "a.arff"),
        ]
        for table in tables:
            assert [choice.what for choice in table.choices] == ["decimal"] * is_asked
    # What was written for us with a point, 1.234, is that number whatever mark the texts have.
    table = read(book([["x", "y", "t"], [1.234, "1,5 kg", "a"], [2.345, "1,250 kg", "b"]])[0])
    assert (table.frame["x"].tolist(), table.marks["y"], table.choices) == ([1.234, 2.345], ",", ())


# ---- What each format has of its own: sheets, types, nested values, declared categories

FRAME = pd.DataFrame({"age": [31.5, 42.0], "town": ["Ulm", "Köln"]})


def test_a_sheet_can_be_chosen_and_titles_above_the_table_are_skipped():
    out = io.BytesIO()
    with pd.ExcelWriter(out) as writer:
        pd.DataFrame({"q": [1, 2], "r": [3, 4]}).to_excel(writer, sheet_name="first", index=False, startrow=3)
        writer.sheets["first"]["A1"] = "Title"
        FRAME.to_excel(writer, sheet_name="second", index=False)
    table = read_table(out.getvalue(), "book.xlsx")
    assert table.sheets == ("first", "second")
    assert list(table.frame.columns) == ["q", "r"]
    second = read_table(out.getvalue(), "book.xlsx", table.options._replace(sheet="second", skip=0))
    pd.testing.assert_frame_equal(second.frame, FRAME)


def test_excel_cells_keep_their_meaning():
    frame = pd.DataFrame(
        {
            "n": [1, 2.5, None],
            "flag": [True, False, True],
            "day": pd.to_datetime(["2024-01-02", "2024-02-03", "2024-03-04"]),
            "error": ["#DIV/0!", 3, 4],
            "year": [2020, 2021, 2022],
        }
    )
    table = read_table(excel(frame), "x.xlsx")
    assert table.frame["n"].tolist()[:2] == [1, 2.5]
    assert table.frame["n"].isna().tolist()[2]
    assert table.frame["flag"].tolist() == ["true", "false", "true"]
    assert table.frame["error"].isna().tolist() == [True, False, False]
    assert {p.name: p.kind for p in guess_kinds(table.frame)}["day"] == "date"


def test_parquet_types_are_used_and_nested_columns_left_out_with_a_note():
    frame = pd.DataFrame(
        {
            "n": [1, 2, 3],
            "ok": [True, False, None],
            "colour": pd.Categorical(["red", "blue", "red"]),
            "day": pd.to_datetime(["2024-01-02", "2024-02-03", None]),
            "list": [[1], [2, 3], []],
            "blob": [b"a", b"b", b"c"],
        }
    )
    table = read_table(parquet(frame), "x.parquet")
    assert list(table.frame.columns) == ["n", "ok", "colour", "day"]
    assert table.frame["ok"].tolist()[:2] == ["true", "false"]
    assert [p.kind for p in guess_kinds(table.frame)] == ["number", "yes/no", "category", "date"]
    assert "Left out for nested or binary values: 2 columns, “list” and “blob”." in table.notes


def test_json_records_may_lack_names_and_hold_nested_values():
    table = read_table(b'{"a": 1, "b": "x"}\n\n{"a": null, "b": "y", "c": {"d": 1}}\n{"b": true}\n', "x.jsonl")
    assert table.frame["a"].isna().tolist() == [False, True, True]
    assert table.frame["b"].tolist() == ["x", "y", "true"]
    assert any("“c”" in note for note in table.notes)


def test_arff_keeps_declared_values_reads_sparse_rows_and_quotes_with_commas_and_quotes_inside():
    source = """@relation 'a b'
@attribute 'blood pressure' {low,normal,'very high'}
@attribute n integer
@attribute when date "yyyy-MM-dd"
@data
normal,1,2024-01-01,{2}
?,?,2024-01-02
{0 'very high', 2 2024-01-03}
{}
"""
    table = read_table(source.encode(), "x.arff")
    assert table.frame["blood pressure"].tolist()[0] == "normal"
    assert table.frame["blood pressure"].isna().tolist()[1]
    assert table.frame["blood pressure"].tolist()[2:] == ["very high", "low"]
    assert table.frame["n"].tolist()[2:] == [0, 0]
    assert table.categories == {"blood pressure": ("low", "normal", "very high")}
    source = "@relation r\n@attribute a string\n@attribute b numeric\n@data\n'it\\'s, so',1\n\"x, y\",2\n"
    table = read_table(source.encode(), "x.arff")
    assert table.frame["a"].tolist() == ["it's, so", "x, y"]


def test_a_path_may_be_text(tmp_path):
    path = tmp_path / "plants.csv"
    path.write_text("height,colour\n1.5,red\n2.5,blue\n")
    assert read_table(str(path)).name == read_table(path).name == "plants"
    for wrong in (str(tmp_path / "no.csv"), "a\0b.csv", "height,colour\n1.5,red\n" * 500):
        with pytest.raises(TableError, match="cannot be opened"):
            read_table(wrong)
