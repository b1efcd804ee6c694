"""From bytes to characters: what fits, what is mixed, what is open, and what is no text."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data.errors import TableError
from espalier.data.formats.encodings import MIXED, decode, guess_encoding
from espalier.data.reading.table import read_table


def test_lines_in_another_encoding_are_read_and_named():
    source = "name,n\nKöln,1\n".encode() + "Düren,2\nUlm,3\nFürth,4\n".encode("cp1252")
    table = read_table(source, "x.csv")
    assert table.options.encoding == MIXED
    assert table.frame["name"].tolist() == ["Köln", "Düren", "Ulm", "Fürth"]
    assert any("Lines 3 and 5 are not written in UTF-8" in note for note in table.notes)
    assert read_table(source, "x.csv", table.options).frame["name"].tolist() == ["Köln", "Düren", "Ulm", "Fürth"]


@given(st.text("aäöüß é,\n", max_size=30))
def test_a_text_of_umlauts_is_never_taken_for_a_mixture(text):
    for encoding in ("utf-8", "cp1252"):
        source = text.encode(encoding)
        assert decode(source, guess_encoding(source)) == text


@pytest.mark.parametrize("encoding", ["utf-32", "utf-16", "utf-8-sig"])
def test_a_byte_order_mark_says_the_encoding(encoding):
    assert read_table("a,b\n1,ö\n2,y\n".encode(encoding), "x.csv").frame["b"].tolist() == ["ö", "y"]


def test_a_zero_byte_late_in_a_file_is_refused_with_its_place():
    with pytest.raises(TableError, match="a zero byte, stands in line 60,002"):
        read_table(b"a,b\n" + b"1,x\n" * 60_000 + b"1,\0\n", "x.csv")


def zipped(content, name):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"\x7fELF\x02\x01\x01" + b"\0" * 300, "This is a program"),
        (b"SQLite format 3\0" + b"\0" * 300, "a database (SQLite)"),
        (zipped(zipped(b"a,b\n1,2\n", "a.csv"), "in.zip"), "Inside the zip is another zip"),
        (b"\x01\x00\x02\x00" * 2000 + b"\xd8\xdc\x00", "bytes that no text has"),
    ],
)
def test_what_is_no_table_is_called_by_its_name(source, expected):
    with pytest.raises(TableError) as caught:
        read_table(source, "x.csv")
    assert expected in str(caught.value)
    assert "utf-16" not in str(caught.value)


@pytest.mark.parametrize(("encoding", "word"), [("cp850", "München"), ("mac_roman", "Köln"), ("cp1251", "Москва")])
def test_bytes_that_fit_two_encodings_are_a_choice_with_both_spellings(encoding, word):
    source = f"n,city\n1,{word}\n2,Ulm\n".encode(encoding)
    found = next(choice for choice in read_table(source, "x.csv").choices if choice.what == "encoding")
    assert found.other.label == encoding
    assert found.other.rows[0][-1] == word
    assert read_table(source, "x.csv", found.other.options).frame["city"][0] == word


def test_german_and_spanish_in_the_usual_encoding_leave_nothing_open():
    assert read_table("n,city\n1,München\n2,España\n".encode("cp1252"), "x.csv").choices == ()


def test_a_table_without_any_column_to_predict_says_so():
    from espalier.data.columns.convert import to_dataset
    from espalier.data.columns.kinds import guess_kinds

    frame = read_table(b"a,b\n1,x\n", "x.csv").frame
    with pytest.raises(TableError, match="No column can be the target") as caught:
        to_dataset(frame, guess_kinds(frame), "", "x")
    assert "“”" not in str(caught.value)
