"""Where cells end and tables begin: delimiters, quotes, titles and lines, guessed by reading, told in notes."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.errors import TableError
from espalier.data.formats import lines
from espalier.data.options import ReadOptions
from espalier.data.reading.table import read_table


def read(text, name="x.csv", options=None):
    return read_table(text.encode() if isinstance(text, str) else text, name, options)


def names(text):
    return list(read(text).frame.columns)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id,name,t\n1,Doe; Jane,x\n2,Roe; Max,y\n3,Poe; Al,x\n", ["id", "name", "t"]),
        ('a,b,c\n"A; B","x; y",x\n"C; D","x; z",y\n', ["a", "b", "c"]),
        ("a;b,c;d\n1,x\n2,y\n", ["a;b", "c;d"]),
        ('"x;y",z\n1,2\n3,4\n', ["x;y", "z"]),
        ("a;b\n1,5;2,5\n3,5;4,25\n", ["a", "b"]),
        ('a|b\n"1,2"|"x;y"\n"3,4"|"z;w"\n', ["a", "b"]),
        ("name\tremark\nDoe, J\tso, so\nRoe, R\tgood, very\n", ["name", "remark"]),
    ],
)
def test_a_delimiter_inside_cells_or_quotes_does_not_win_and_no_header_is_dropped(text, expected):
    table = read(text)
    assert list(table.frame.columns) == expected
    assert table.options.skip == 0
    assert len(table.frame) == text.count("\n") - 1


def test_a_title_with_a_comma_above_a_table_with_decimal_commas_is_skipped_with_a_note():
    rows = "".join(f"{name};1,5;2\n" for name in "ABCDEFGHIJKLMNOPQRSTUVW")
    table = read(f"Report, 2024\nname;x;y\n{rows}")
    assert list(table.frame.columns) == ["name", "x", "y"]
    assert table.options.skip == 1
    assert "Above the table 1 line skipped: “Report, 2024”." in table.notes


def test_a_header_with_a_quoted_line_break_is_a_header():
    table = read('"survey\nquestion 1",age,t\n1,20,a\n2,30,b\n')
    assert list(table.frame.columns) == ["survey question 1", "age", "t"]
    assert table.options.skip == 0
    assert table.frame["survey question 1"].tolist() == [1, 2]


def test_row_names_without_a_name_are_found_below_a_header_with_a_line_break():
    assert names('"a\nb",c\nfirst,1,2\nsecond,3,4\n') == ["row name", "a b", "c"]


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x0b", "\x0c", "\x85"])
def test_other_signs_for_a_break_end_no_line(sign):
    table = read(f"A{sign}title\na,b\n1,x\n2,y{sign}\n")
    assert list(table.frame.columns) == ["a", "b"]
    assert table.options.skip == 1
    with pytest.raises(TableError, match=r"line 4 \(1 cell\)"):
        read(f"A{sign}title\na,b\n1,x\n2\n3,z\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_message_counts_lines_alike_however_they_end(end):
    with pytest.raises(TableError, match=r"line 4 \(1 cell\)"):
        read(end.join(["title", "a,b", "1,x", "2", "3,y"]))
    with pytest.raises(TableError, match="In line 5"):
        read(end.join(["@relation r", "@attribute a real", "@attribute b real", "@data", "1,x"]), "x.arff")
    with pytest.raises(TableError, match="Line 2"):
        read(end.join(['{"a": 1}', '{"a": ']), "x.jsonl")
    with pytest.raises(TableError, match="In line 3 the byte 0xf6"):
        read(end.join(["a,b", "1,x", "2,ö"]).encode("cp1252"), "x.csv", ReadOptions(encoding="utf-8"))
    assert list(read(end.join(["title", "a,b", "1,x", "2,y", ""])).frame.columns) == ["a", "b"]


@given(st.text("ab\n\r\u2028\x0b\x85"))
def test_lines_of_a_text_are_those_that_universal_newlines_give(text):
    unified = lines.unified(text)
    expected = list(io.StringIO(text, newline=None))
    assert [line for _, line, _ in lines.numbered(unified)] == [line.removesuffix("\n") for line in expected]
    for n in range(len(expected) + 1):
        assert lines.without_first(unified, n) == "".join(expected[n:])


CELL = st.text('ab;|\t," \n1', max_size=6)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(CELL, CELL), min_size=3, max_size=8), st.sampled_from(",;\t|"))
def test_a_table_with_every_cell_quoted_is_taken_apart_as_it_was_written(rows, delimiter):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("first", "second", "n"), *((a, b, i + 0.5) for i, (a, b) in enumerate(rows))])
    table = read(out.getvalue())
    assert (table.options.delimiter, table.options.skip) == (delimiter, 0)
    assert list(table.frame["n"]) == [i + 0.5 for i in range(len(rows))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b,c", "The table has no rows. After the names of 3 columns"),
        ("a", "After the names of 1 column nothing follows."),
        ("[]", "no usable column"),
        ("[[1,2]]", "Entry 1 is no record"),
        ('"""', "A quotation mark is opened and never closed. The last one stands in line 1."),
    ],
)
def test_tiny_texts_are_refused_for_what_they_are(text, expected):
    with pytest.raises(TableError) as caught:
        read(text)
    assert expected in str(caught.value)


def test_a_first_cell_without_end_is_too_long_and_the_table_not_empty():
    with pytest.raises(TableError, match=r"more than 131,072 characters.*line 1"):
        read('"' + "x" * 131_100 + '",b\n1,2\n')


def test_skipping_too_many_lines_says_so():
    with pytest.raises(TableError, match=r"after the 9 lines that are skipped.*skip fewer"):
        read("a,b\n1,2\n", "x.csv", ReadOptions(skip=9))


def test_a_csv_whose_first_name_has_braces_is_text_and_the_format_can_be_corrected():
    table = read("{x},y\n1,a\n2,b\n")
    assert (table.options.format, list(table.frame.columns)) == ("text", ["{x}", "y"])
    assert names("[0,1),y\n1,2,a\n3,4,b\n")[:1] == ["[0"]
    twisted = '{"a",b}\n1,2\n3,4\n'
    with pytest.raises(TableError, match="JSON"):
        read(twisted)
    as_text = read(twisted, "x.csv", ReadOptions("text", encoding="", delimiter="", decimal=""))
    assert list(as_text.frame.columns) == ['{"a"', "b}"]


def choice(table, what):
    return next((choice for choice in table.choices if choice.what == what), None)


def test_a_delimiter_that_nothing_decides_is_a_choice_with_both_readings():
    table = read("1,Doe; Jane\n2,Roe; Max\n")
    found = choice(table, "delimiter")
    assert found is not None
    assert found.used.rows == (("1", "Doe; Jane"), ("2", "Roe; Max"))
    other = read_table(b"1,Doe; Jane\n2,Roe; Max\n", "x.csv", found.other.options)
    assert other.options.delimiter == ";"
    back = choice(other, "delimiter")
    assert back is not None
    assert back.other.options.delimiter == ","
    assert choice(read("a;b\n1,5;2\n3,5;4\n"), "delimiter") is None


def test_a_first_row_of_words_over_words_or_of_years_is_a_choice():
    words = choice(read("p,x\nq,x\np,y\nq,y\n"), "header")
    assert words is not None
    assert (words.used.options.header, words.other.options.header) == (False, True)
    assert words.other.names == ("p", "x")
    years = choice(read("country,2019,2020\nA,1,2\nB,3,4\n"), "header")
    assert years is not None
    table = read_table(b"country,2019,2020\nA,1,2\nB,3,4\n", "x.csv", years.other.options)
    assert list(table.frame.columns) == ["country", "2019", "2020"]
    assert choice(read("a,b\n1,2\n3,4\n"), "header") is None
    assert choice(read("1,2\n3,4\n5,6\n"), "header") is None
