"""Reading well-formed tables: every format, every guess, and every correction of a guess."""

import gzip

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from espalier.data.errors import TableError
from espalier.data.options import MISSING, ReadOptions
from espalier.data.table import guess_format, guess_options, read_table
from tests.data.reading.tables import laboratories, offices, people, programs, surveys
from tests.data.reading.tables.making import lines, table_of
from tests.data.reading.tables.truth import TABLES, KnownTable, differences, number, text
from tests.tools.cases import case
from tests.tools.files import excel, parquet, zipped

FRAME = pd.DataFrame({"age": [31.5, 42.0, 27.25], "town": ["Ulm", "Bonn", "Köln"], "ill": ["yes", "no", "yes"]})


def read(text, **options):
    source = text.encode() if isinstance(text, str) else text
    return read_table(source, "table.csv", ReadOptions(**options) if options else None)


def same(table, expected=FRAME):
    pd.testing.assert_frame_equal(table.frame, expected, check_dtype=False)


ARFF = """% a comment
@RELATION people
@attribute age NUMERIC
@attribute town string
@attribute ill {no, yes}
@data
31.5,Ulm,yes
42,'Bonn',no
27.25,"Köln",yes
"""
FORMATS = {
    "people.csv": FRAME.to_csv(index=False).encode(), "people.tsv": FRAME.to_csv(index=False, sep="\t").encode(),
    "german.csv": FRAME.to_csv(index=False, sep=";", decimal=",").encode("cp1252"),
    "bar.txt": FRAME.to_csv(index=False, sep="|").encode("utf-16"),
    "spaces.dat": b"age   town  ill\n31.5  Ulm   yes\n42    Bonn  no\n27.25 K\xc3\xb6ln  yes\n",
    "people.xlsx": excel(FRAME), "people.parquet": parquet(FRAME), "people.arff": ARFF.encode(),
    "people.jsonl": str(FRAME.to_json(orient="records", lines=True, force_ascii=False)).encode(),
    "people.json": str(FRAME.to_json(orient="records")).encode(),
}  # fmt: skip


def test_every_format_gives_the_same_table_also_compressed_and_from_the_options_that_it_was_read_by():
    for name, content in FORMATS.items():
        packed = {"": content, ".gz": gzip.compress(content), ".zip": zipped({f"folder/{name}": content})}
        for pack, source in packed.items():
            with case((name, pack)):
                table = read_table(source, name + pack)
                same(table)
                assert table.name == name.split(".")[0]
                again = read_table(source, name + pack, table.options)
                same(again)
                assert (again.options, again.digest) == (table.options, table.digest)


def test_what_the_bytes_are_counts_more_than_the_name():
    assert guess_format(FORMATS["people.xlsx"], "data.csv") == "excel"
    assert guess_format(FORMATS["people.parquet"], "data.txt") == "parquet"
    assert guess_format(FORMATS["people.arff"], "data") == "arff"
    assert guess_format(b"a,b\n1,2\n", "data.xlsx") == "text"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_the_encoding_is_guessed(encoding):
    table = read("größe,straße\n1,Allee\n2,Weg – süß\n".encode(encoding))
    assert list(table.frame.columns) == ["größe", "straße"]
    assert table.options.encoding == encoding


def test_bytes_that_windows_does_not_know_are_latin_1_and_another_encoding_can_be_asked_for():
    table = read("a,b\n1,Köln\x81\n2,Düren\n3,Fürth\n".encode("latin-1"))
    assert table.options.encoding == "latin-1"
    source = "name,v\nЖук,1\nКот,2\n".encode()
    assert read(source).frame["name"].tolist()[0] == "Жук"
    assert read(source, encoding="latin-1").frame["name"].tolist()[0] != "Жук"


def test_a_decimal_comma_is_guessed_and_can_be_corrected():
    text = "a;b\n1,25;2\n3,5;4\n"
    assert read(text).frame["a"].tolist() == [1.25, 3.5]
    corrected = read(text, delimiter=";", decimal=".")
    assert corrected.frame["a"].tolist() == ["1,25", "3,5"]


NUMBER_FORMATS = [
    (["1.234,5", "2.000.000,25"], ",", ".", [1234.5, 2000000.25]),
    (["1,234.5", "2,000,000.25"], ".", ",", [1234.5, 2000000.25]), (["1 234,5", "12"], ",", " ", [1234.5, 12]),
    (["1'234.5", "12"], ".", "'", [1234.5, 12]), (["1,234,567", "12"], ".", ",", [1234567, 12]),
    (["1.5", "2.125"], ".", "", [1.5, 2.125]), (["1,5", "2,125"], ",", "", [1.5, 2.125]),
    (["-1e3", "+2.5E-1"], ".", "", [-1000, 0.25]), (["−3", "4"], ".", "", [-3, 4]),
]  # fmt: skip


def test_number_formats_are_guessed():
    for cells, decimal, thousands, values in NUMBER_FORMATS:
        with case((cells, decimal, thousands, values)):
            table = read("x;y\n" + "".join(f"{cell};w\n" for cell in cells))
            assert (table.options.decimal, table.options.thousands) == (decimal, thousands)
            assert table.frame["x"].tolist() == values


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,2\n3,4\n", True),
        ("1,2\n3,4\n5,6\n", False),
        ("p,x\nq,x\np,y\nq,y\n", False),  # letters that come again are values, as in the mushroom data
        ("city,state\nUlm,BW\nBonn,NW\n", True),
        ("1,a\n2,b\n", False),
        ("1,2,3,4,5\n7,7,8,9,9\n3,1,4,1,5\n", True),  # columns that are numbered through
    ],
)
def test_the_header_is_guessed(text, header):
    table = read(text)
    assert table.options.header is header
    if not header:
        assert table.frame.columns[0] == "column 1"


def test_lines_above_the_table_are_skipped_and_shown():
    table = read("Survey of 2024\n\n# by us\nx,y\n1,a\n2,b\n3,c\n")
    assert table.options.skip == 3
    assert list(table.frame.columns) == ["x", "y"]
    assert len(read("x,y\n1,a\n2,b\n", skip=1).frame) == 1


def test_a_quoted_cell_may_hold_anything_line_breaks_of_every_system_and_pasted_cells_of_a_spreadsheet_are_read():
    for newline in ("\n", "\r\n", "\r"):
        same(read(newline.join(["a,b", "1,x", "2,y", ""])), pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    assert read('a,b\n1,"x, ""y""\nz"\n2,w\n').frame["b"].tolist()[0] == 'x, "y"\nz'
    same(read("a\tb\r\n1,5\tx\r\n2,5\ty\r\n"), pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]}))


def test_missing_markers_are_read_and_told_and_a_category_none_is_kept():
    table = read("age,town\nNA,Ulm\n3,?\n4,Bonn\n,Rom\n")
    assert table.frame["age"].isna().tolist() == [True, False, False, True]
    assert table.frame["town"].isna().tolist() == [False, True, False, False]
    assert table.markers == {"NA": 1, "": 1, "?": 1}
    assert any("“NA” is read as missing in “age” (1)" in note for note in table.notes)
    table = read("alley,x\nNone,1\ngravel,2\nNone,3\n")
    assert table.frame["alley"].tolist() == ["None", "gravel", "None"]
    assert any("“alley”" in note and "“None” (2)" in note for note in table.notes)
    table = read("x,y\n1,a\n-,b\n3,c\n")
    assert table.frame["x"].isna().tolist() == [False, True, False]
    assert "-" in table.options.missing
    assert any("“-” is read as missing" in note for note in table.notes)
    text = "region,x\nNA,1\nEU,2\nNA,-999\n"
    table = read(text, missing=("", "-999"))
    assert table.frame["region"].tolist() == ["NA", "EU", "NA"]
    assert table.frame["x"].isna().tolist() == [False, False, True]


def test_a_code_far_off_the_rest_is_pointed_out_but_not_taken_for_missing():
    table = read("x,y\n-999,a\n3,b\n4,c\n")
    assert table.frame["x"].tolist() == [-999, 3, 4]
    assert any("-999" in note and "“x”" in note for note in table.notes)
    assert not read("x,y\n-1000,a\n-999,b\n-990,c\n").notes


def test_infinite_values_are_missing_and_blank_rows_left_out_with_a_note():
    table = read("x,y\n1,2\ninf,3\n4,5\n-Infinity,6\n")
    assert table.frame["x"].isna().tolist() == [False, True, False, True]
    assert "Infinite values in “x” count as missing: rows 2 and 4." in table.notes
    table = read("a,b\n1,2\n,\n3,4\n")
    assert table.frame["a"].tolist() == [1, 3]
    assert any("1 blank row left out: row 2" in note for note in table.notes)


def test_names_that_come_twice_are_told_apart():
    table = read("x,x,x (2),x\n1,2,3,4\n5,6,7,8\n")
    assert list(table.frame.columns) == ["x", "x (3)", "x (2)", "x (4)"]
    assert any("same name" in note for note in table.notes)
    origins = read("x,X,y,y,z\n1,2,3,4,5\n6,7,8,9,0\n").origins
    assert [origin.alike for origin in origins.values()] == [("X",), ("x",), ("y",), ("y",), ()]


def test_leading_zeros_make_a_code_and_a_word_among_numbers_of_any_mark_is_pointed_out_with_its_row():
    table = read("zip,x\n01067,1\n89073,2\n")
    assert table.frame["zip"].tolist() == ["01067", "89073"]
    for form in ("{}", "{},5"):
        rows = "".join(f"{form.format(i)};a\n" for i in range(20))
        table = read(f"x;y\n{rows}about 5;b\n")
        assert table.frame["x"].tolist()[-1] == "about 5"
        assert any("“about 5” (row 21)" in note for note in table.notes)


def test_row_names_without_a_header_cell_are_a_column_and_a_delimiter_at_the_end_of_rows_is_none():
    table = read("a,b\nfirst,1,2\nsecond,3,4\n")
    assert list(table.frame.columns) == ["row name", "a", "b"]
    for source in ("a,b\n1,2,\n3,4,\n", "a,b,\n1,2,\n3,4,\n"):
        assert list(read(source).frame.columns) == ["a", "b"]


def test_the_digest_follows_the_content_and_the_options():
    digests = {
        read("a,b\n1,2\n3,4\n").digest,
        read("a,b\n1,2\n3,5\n").digest,
        read("a,b\n1,2\n3,4\n", header=False).digest,
    }
    assert len(digests) == 3
    assert read_table(b"a,b\n1,2\n3,4\n", "other.csv").digest in digests


def test_the_options_of_an_unreadable_text_can_be_shown():
    options = guess_options(b"a;b\n1;2\n3\n", "x.csv")
    assert options is not None
    assert options.delimiter == ";"
    assert guess_options(FORMATS["people.parquet"], "x.parquet") is None


WORDS = (
    st.text("abcdefgh äß,;\"'|x-", min_size=1, max_size=8)
    .map(str.strip)
    .filter(lambda word: word and word not in ("-", *MISSING))
)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), WORDS), min_size=2, max_size=20), st.sampled_from([",", ";", "\t"])
)
def test_what_is_written_by_pandas_is_read_back_exactly(rows, delimiter):
    frame = pd.DataFrame(rows, columns=["number", "word"])
    source = frame.to_csv(index=False, sep=delimiter).encode()
    table = read_table(source, "x.csv", ReadOptions(delimiter=delimiter))
    assert table.frame["number"].tolist() == frame["number"].tolist()
    assert table.frame["word"].tolist() == frame["word"].tolist()


@settings(deadline=None)
@given(
    st.binary(max_size=300), st.sampled_from(["x.csv", "x.gz", "x.xlsx", "x.parquet", "x.arff", "x.json", "x.zip"])
)
@example(b"\x9a", "x.csv")  # a letter in one encoding, a blank in its rival
def test_any_bytes_give_a_table_or_a_full_message(source, name):
    try:
        table = read_table(source, name)
    except TableError as error:
        complete = all(part.endswith(".") for part in (error.what, error.todo))
    else:
        complete = len(table.frame) > 0 and table.frame.shape[1] > 1
    assert complete


def remark_on_dates(cells) -> str:
    notes = read("c,t\n" + "".join(f"{cell},{'ab'[i % 2]}\n" for i, cell in enumerate(cells))).notes
    return " ".join(note for note in notes if "dates among texts" in note)


def test_dates_that_a_spreadsheet_may_have_made_of_codes_are_pointed_out():
    for second, third in (
        ("2-Sep", "1-Mar"),
        ("2. Sep", "1. Mrz"),
        ("Sep-02", "Mar-01"),
        ("2020-09-02", "1.3.2020"),
    ):
        remark = remark_on_dates(["TP53", second, third, "SOX2", "BRCA1", "DEC1"])
        assert f"“{second}” and “{third}” (rows 2 and 3)" in remark
    assert "“2020-05-02” (row 3)" in remark_on_dates(["1.5", "2.25", "2020-05-02", "4.75", "3.25", "8.5"])  # 2.5
    assert "“2020-01-16” (row 2)" in remark_on_dates(["1-2a", "2020-01-16", "3-4b", "5-6c"])


def test_dates_of_several_forms_and_other_words_are_no_codes():
    assert not remark_on_dates(["2020-01-16", "31 Mar 2021 14:35", "2021-04-05", "30 Apr 2021"])
    assert not remark_on_dates(["2020-01-16", "2020-02-16", "still running", "2020-03-16"])
    assert not remark_on_dates(["may", "june", "july", "march"])
    assert not remark_on_dates(["1-2", "3-4", "2-1", "5-9"])


MODULES = (offices, people, programs, surveys, laboratories)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_every_table_is_read_as_its_truth_says_or_what_must_be_asked_is_asked(module):
    tables = [table() for table in TABLES[module.__name__]] + [table_of(*text) for text in module.TEXTS.items()]
    wrong = [(table.what, difference) for table in tables for difference in differences(table)]
    assert len(tables) >= 8
    assert wrong == []


def test_a_difference_from_the_truth_is_found():
    """The comparison itself: kinds, cells, names, numbers of rows, and questions that are not asked."""
    content = lines("size,colour", *(f"{i + 0.5},{'red' if i % 2 else 'blue'}" for i in range(8))).encode()
    right = KnownTable("", "x.csv", content, {"size": number(0.5, 1.5), "colour": text("blue", "red")}, 8)
    assert differences(right) == []
    other = {
        "kind": right._replace(columns={"size": text("0.5"), "colour": text("blue")}),
        "cells": right._replace(columns={"size": number(0.5, 2.5), "colour": text("blue")}),
        "names": right._replace(columns={"size": number(0.5)}),
        "rows": right._replace(n_rows=9),
        "question": right._replace(asks=("decimal",)),
        "refusal": right._replace(asks=("refusal",)),
    }
    assert {name: len(differences(table)) for name, table in other.items()} == dict.fromkeys(other, 1)
