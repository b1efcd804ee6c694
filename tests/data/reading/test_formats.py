"""What each format has of its own: sheets, types, nested values, declared categories."""

import io

import pandas as pd
import pytest

from espalier.data.columns.kinds import guess_kinds
from espalier.data.errors import TableError
from espalier.data.reading.table import read_table
from tests.tools.files import excel, parquet

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
    assert "Left out because a cell holds nested or binary values: 2 columns, “list” and “blob”." in table.notes


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
