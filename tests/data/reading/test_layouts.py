"""Where cells end and tables begin: delimiters, quotes, titles and lines, guessed by reading, told in notes."""

import csv
import io
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.errors import TableError
from espalier.data.formats import encodings
from espalier.data.options import ReadOptions
from tests.tools.cases import case
from tests.tools.files import read


def names(text):
    return list(read(text).frame.columns)


def test_a_delimiter_inside_cells_or_quotes_does_not_win_and_no_header_is_dropped():
    for text, expected in [
        ("id,name,t\n1,Doe; Jane,x\n2,Roe; Max,y\n3,Poe; Al,x\n", ["id", "name", "t"]),
        ('a,b,c\n"A; B","x; y",x\n"C; D","x; z",y\n', ["a", "b", "c"]),
        ("a;b,c;d\n1,x\n2,y\n", ["a;b", "c;d"]),
        ('"x;y",z\n1,2\n3,4\n', ["x;y", "z"]),
        ("a;b\n1,5;2,5\n3,5;4,25\n", ["a", "b"]),
        ('a|b\n"1,2"|"x;y"\n"3,4"|"z;w"\n', ["a", "b"]),
        ("name\tremark\nDoe, J\tso, so\nRoe, R\tgood, very\n", ["name", "remark"]),
    ]:
        with case((text, expected)):
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


def test_a_header_may_have_a_quoted_line_break_also_beside_row_names_without_a_name():
    table = read('"survey\nquestion 1",age,t\n1,20,a\n2,30,b\n')
    assert list(table.frame.columns) == ["survey question 1", "age", "t"]
    assert table.options.skip == 0
    assert table.frame["survey question 1"].tolist() == [1, 2]
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
    unified = encodings.unify_lines(text)
    expected = list(io.StringIO(text, newline=None))
    assert [line for _, line, _ in encodings.number_lines(unified)] == [
        line.removesuffix("\n") for line in expected
    ]
    for n in range(len(expected) + 1):
        assert encodings.without_first(unified, n) == "".join(expected[n:])


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
        ("a,b,c", "Nothing follows the names of 3 columns"),
        ("a", "Nothing follows the names of 1 column."),
        ("[]", "no usable column"),
        ("[[1,2]]", "Entry 1 is no record"),
        ('"""', "A quotation mark is never closed. The last is in line 1."),
    ],
)
def test_tiny_texts_are_refused_for_what_they_are(text, expected):
    with pytest.raises(TableError) as caught:
        read(text)
    assert expected in str(caught.value)


def test_a_first_cell_without_end_and_skipping_too_many_lines_are_refused_as_such():
    with pytest.raises(TableError, match=r"more than 131,072 characters.*line 1"):
        read('"' + "x" * 131_100 + '",b\n1,2\n')
    with pytest.raises(TableError, match=r"the 9 lines skipped.*Skip fewer"):
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


def choice(table, what) -> Any:
    return next((choice for choice in table.choices if choice.what == what), None)


def test_a_delimiter_that_nothing_decides_is_a_choice_with_both_readings():
    table = read("1,Doe; Jane\n2,Roe; Max\n")
    found = choice(table, "delimiter")
    assert found.used.rows == (("1", "Doe; Jane"), ("2", "Roe; Max"))
    other = read("1,Doe; Jane\n2,Roe; Max\n", "x.csv", found.other.options)
    assert other.options.delimiter == ";"
    back = choice(other, "delimiter")
    assert back.other.options.delimiter == ","
    assert choice(read("a;b\n1,5;2\n3,5;4\n"), "delimiter") is None


def test_a_first_row_of_words_over_words_or_of_years_is_a_choice():
    words = choice(read("p,x\nq,x\np,y\nq,y\n"), "header")
    assert (words.used.options.header, words.other.options.header) == (False, True)
    assert words.other.names == ("p", "x")
    years = choice(read("country,2019,2020\nA,1,2\nB,3,4\n"), "header")
    table = read(b"country,2019,2020\nA,1,2\nB,3,4\n", "x.csv", years.other.options)
    assert list(table.frame.columns) == ["country", "2019", "2020"]
    assert choice(read("a,b\n1,2\n3,4\n"), "header") is None
    assert choice(read("1,2\n3,4\n5,6\n"), "header") is None
    for cells in (
        ("12 kg", "500 g", "3 kg"),
        ("7 am", "2 pm", "11 am"),
        ("2024-01-05", "2024-02-05", "2024-02-07"),
    ):
        rows = "".join(f"{cell},{word}\n" for cell, word in zip(cells, "pqp", strict=True))
        assert choice(read("weight,y\n" + rows), "header") is None
        assert read("weight,y\n" + rows).options.header
        for first in ("<5 kg", "", "unknown"):  # which may stand in a row of the table
            assert choice(read(f"{first},q\n" + rows), "header") is not None, first


ROWS = "".join(f"{i % 7},{i % 5 / 2},{'pq'[i % 2]}\n" for i in range(40))
PLAIN = "a,b,y\n" + ROWS
MARGINS = [  # what stands above, between and below a table, by the delimiter of its lines
    ("sep=;\n", ";", "", ""),
    ('"sep=,"\n', ",", "", ""),
    ("sep=\\t\n", "\t", "", ""),
    ("\ufeffsep=;\n", ";", "", ""),
    ("sep=;\nReport, of 2024\n", ";", "", "\nSource: ours\n"),
    ("# made by x\n# 2024-01-01, version 3\n", ",", "", ""),
    ("# made by x\n", ",", "# a lamp\n# b, new, lamp\n", "# the end\n"),
    ("% a, b, c, d\n\n", ",", "% c\n", ""),
    ("// a, b\n", ";", "", ""),
    (";; made by x\n", ";", "", ""),
    ("!series\t3\n!begin\n", "\t", "", "!end\n"),
    ("Station,Oslo\nOperator,AB\n\n", ",", "", ""),
    ("Station,Oslo\nOperator,AB\n", ",", "", ""),
    ("".join(f"key {i}\t{i}\n" for i in range(48)) + "\n", "\t", "", ""),
    ("Report;;\n", ";", "", ""),
    ("Station;Oslo;\nOperator;AB;\n;;\n", ";", "", ";;\nSource: ours;;\n"),
    ("", ",", "", "\nTotal,60\n\nSource: ours, and others'\n\n"),
]


def test_lines_around_a_table_leave_the_table_as_it_is_and_are_told():
    first, second = "".join(PLAIN.splitlines(True)[:20]), "".join(PLAIN.splitlines(True)[20:])
    for above, delimiter, between, below in MARGINS:
        source = above + (first + between.replace(delimiter, ",") + second).replace(",", delimiter) + below
        table = read(source)
        assert table.frame.equals(read(PLAIN).frame), source[:60]
        assert (table.options.delimiter, choice(table, "start")) == (delimiter, None)
        outside = [line for line in (above + between + below).split("\n") if line.strip(" \t;,")]
        told = re.findall(r"(?:Above|Comments|Below)[^:]* (\d+) lines?\b", " ".join(table.notes))
        assert sum(map(int, told)) == len(outside), table.notes
        assert read(source, "x.csv", table.options).frame.equals(table.frame)
    assert len(read("# x\na,b\n1,p\n2,q\n# c; d\n").frame) == 2  # of four lines one may be a comment


def test_cells_that_begin_as_comments_do_are_cells():
    colours = "".join(f"#ff{i:04},{i},{'pq'[i % 2]}\n" for i in range(20))
    for header in ("colour,n,y\n", "# a palette\ncolour,n,y\n", "#,n,y\n", "# fat,% water,y\n"):
        table = read(header + colours)
        assert table.frame.iloc[:, 0].tolist() == [f"#ff{i:04}" for i in range(20)], header
    for header, first in (("# a,b,y\n", "# a"), ("#,b,y\n", "#"), ("##x,1\n#CHROM,POS,REF\n", "#CHROM")):
        table = read(header + ROWS)
        assert table.frame.columns[0] == first
        assert table.frame.set_axis(["a", "b", "y"], axis=1).equals(read(PLAIN).frame)
    table = read('a,b\n"x\n# y",1\n' + "z,2\n" * 5 + "# no comment,3\n")
    assert table.frame["a"].tolist()[::6] == ["x\n# y", "# no comment"]


def test_lines_of_another_width_inside_or_right_below_a_table_are_refused_with_their_number():
    with pytest.raises(TableError, match=r"line 42 \(1 cell\)"):
        read(f"{PLAIN}Source: ours\n")
    with pytest.raises(TableError, match=r"line 2 \(1 cell\)"):
        read(f"a,b,y\n# no comment above\n{ROWS}")
    with pytest.raises(TableError, match=r"line 43 \(4 cells\)"):
        read(f"{PLAIN}\nanother,table,of,four\n")
    with pytest.raises(TableError, match=r"line 44 .* 45 "):
        read(f"# one\n# two\n{PLAIN}1\n2,3\n")


def test_a_table_that_may_begin_in_two_lines_is_a_choice_with_both_readings():
    words = "".join(f"k{i},{'uv'[i % 2]},{'pq'[i % 3 == 0]}\n" for i in range(30))
    for above, first in (
        ("# one, two, three", ["# one", " two", " three"]),
        ("Operator,AB", ["row name", "Operator", "AB"]),
    ):
        source = f"{above}\na,b,y\n{words}".encode()
        table = read(source)
        found = choice(table, "start")
        other = read(source, "x.csv", found.other.options)
        both = {tuple(one.frame.columns): len(one.frame) for one in (table, other)}
        assert both == {("a", "b", "y"): 30, tuple(map(str.strip, first)): 31}
        back = choice(other, "start")
        assert back.other.options.skip == table.options.skip


def test_single_quotes_around_cells_are_quotation_marks_and_apostrophes_are_none():
    body = [("it's, x", "p"), ("y; z", "q"), ("don't", "p"), ("O'Brien", "q"), ("5' 3\"", "p")] * 6
    for quoting in (csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC):
        for delimiter in ",;\t":
            out = io.StringIO()
            writer = csv.writer(out, delimiter=delimiter, quotechar="'", quoting=quoting, lineterminator="\n")
            writer.writerows([("n", "b", "y"), *((i, *row) for i, row in enumerate(body))])
            table = read(out.getvalue())
            assert table.options.quote == "'"
            assert [tuple(row) for row in table.frame[["b", "y"]].itertuples(index=False)] == body
    for cell in ("'tis so", "the dogs'", "'90s", "rock'n'roll", "5' 3\"", "'", "''", "O'Brien"):
        rows = "".join(f"{i},{cell if i % 3 else 'x'},{'pq'[i % 2]}\n" for i in range(30))
        table = read(f"n,b,y\n{rows}")
        assert table.options.quote == '"'
        assert set(table.frame["b"]) == {cell, "x"}


def written(names, row_names, rows, delimiter, decimal):
    """As `write.table` of R does by default: texts quoted, quotation marks escaped, row names without a name."""

    def quote(text):
        return '"' + text.replace('"', '\\"') + '"'

    body = [
        (quote(name), row[0].replace(".", decimal), *map(quote, row[1:]))
        for name, row in zip(row_names, rows, strict=True)
    ]
    return "".join(delimiter.join(row) + "\n" for row in [map(quote, names), *body])


def test_tables_as_r_writes_them_have_their_row_names_by_signs_of_their_own():
    body = [
        (f"{i / 4}", cell, "pq"[i % 2]) for i, cell in enumerate(["New York", "a, b", 'say "hi"', "O'Brien"] * 5)
    ]
    header = ["width", "city", "kind"]
    for delimiter in " \t;,":
        for row_names in (
            [str(i) for i in range(1, 21)],
            [str(3 * i) for i in range(20)],
            [f"car {i}" for i in range(20)],
        ):
            for decimal in ".," if delimiter != "," else ".":
                table = read(written(header, row_names, body, delimiter, decimal), "x.txt")
                assert list(table.frame.columns) == ["row name", *header]
                assert table.frame["width"].tolist() == [i / 4 for i in range(20)]
                assert table.frame["city"].tolist() == [row[1] for row in body]
                assert table.frame["row name"].astype(str).str.removesuffix(".0").tolist() == row_names
                assert sum("called “row name”" in note for note in table.notes) == 1


def test_rows_of_one_cell_too_many_are_no_row_names_without_signs_of_them():
    for text in (
        "a,b,y\n" + "".join(f"{i % 7},x, z,{'pq'[i % 2]}\n" for i in range(20)),
        "a,y\n" + "".join(f"{i}.{i % 5},x,p\n".replace(".", ",") for i in range(3, 20)),
        "city,n\n" + "".join(f"City {i}, NY,{i}\n" for i in range(20)),
        "a,y\nu,v,w\nu,x,z\n",
    ):
        with pytest.raises(TableError, match="differ in their number of cells"):
            read(text)


PERSONS = "".join(
    f"{name};{n};{x}\n" for name, n, x in [("Ann", 3, 1.5), ("Bo", 5, 2.5), ("Cy", 4, 0.5), ("Di", 9, 7.25)]
)


@pytest.mark.parametrize(
    "below",
    [
        ["[UTC];[°C];[hPa]"],  # units
        [
            "name of the person;how many are there?;how much?",
            '"{""ImportId"":""QID1""}";"{""ImportId"":""QID2""}";x',
        ],
        ["---;--:;:-:"],
        ["(text);(m);"],
    ],
)
def test_rows_below_the_names_that_explain_them_are_left_out_with_a_note(below):
    table = read("\n".join(["who;n;x", *below, PERSONS]))
    assert list(table.frame["n"]) == [3, 5, 4, 9]
    assert list(table.frame["x"]) == [1.5, 2.5, 0.5, 7.25]
    (note,) = [note for note in table.notes if note.startswith("Below the names")]
    assert below[0].split(";")[0] in note


@pytest.mark.parametrize(
    "first",
    ["Eva;unknown;3", "Eva;many;", "Bo;few;little", "Eva;;", "Eva;?;-"],  # cells of a row that is one of the table
)
def test_a_first_row_that_may_be_one_of_the_table_stays(first):
    assert len(read(f"who;n;x\n{first}\n{PERSONS}").frame) == 5


def test_tables_as_databases_and_markdown_draw_them_are_read():
    cells = [row.split(";") for row in PERSONS.splitlines()]
    drawn = {
        "psql": [" who | n | x ", "-----+---+----", *(" " + " | ".join(row) for row in cells), "(4 rows)"],
        "mysql": [
            "+---+---+---+",
            "| who | n | x |",
            "+---+---+---+",
            *(f"| {' | '.join(row)} |" for row in cells),
        ],
        "markdown": ["| who | n | x |", "|---|--:|:-:|", *(f"| {' | '.join(row)} |" for row in cells)],
    }
    drawn["mysql"] += ["+---+---+---+", "4 rows in set (0.00 sec)"]
    for rows in drawn.values():
        frame = read("\n".join(rows) + "\n").frame
        assert list(frame.columns) == ["who", "n", "x"]
        assert frame["x"].tolist() == [1.5, 2.5, 0.5, 7.25]
