"""Files that cannot be read: every one gets what is wrong, where, and what to do, and never a traceback."""

import gzip
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier import paths, settings
from espalier.data import errors
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.errors import TableError, counted, listed, quoted
from espalier.data.formats import readers, workbook
from espalier.data.formats import text as texts
from espalier.data.formats.encodings import MIXTURE, decode, guess_encoding
from espalier.data.options import NumberFormat, ReadOptions
from espalier.data.table import read_table
from tests.tools.cases import case
from tests.tools.files import excel, parquet, zipped

GOOD = b"a,b\n1,x\n2,y\n3,x\n"
SMALL = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
ARFF = b"@relation r\n@attribute a {x,y}\n@attribute b numeric\n@data\n"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500
RUBBISH = np.random.default_rng(0).integers(0, 256, 5000, dtype=np.uint8).tobytes()
BAD = {
    "empty.csv": (b"", "The file is empty."), "blank.csv": (b" \n\n\t\n", "The file is empty."),
    "one_column.csv": (b"a\n1\n2\n", "only one column"), "rubbish.csv": (RUBBISH, "This is no text"),
    "header_only.csv": (b"a,b,c\n", "no rows"),
    "unequal.csv": (b"a,b\n1,2\n3\n4,5,6\n7,8\n", "line 3 (1 cell) and 4 (3 cells)"),
    "open_quote.csv": (b'a,b\n1,"x\n2,y\n3,z\n', "line 2"),
    "all_missing.csv": (b"a,b\n,NA\n?,\n", "Every cell of the table is missing."),
    "wide.csv": (
        b",".join(b"c%d" % i for i in range(20_001)) + b"\n" + b"1," * 20_000 + b"1\n",
        "The limit is 20,000 columns.",
    ),
    "wide.jsonl": (b"{" + b",".join(b'"c%d":1' % i for i in range(20_001)) + b"}", "The limit is 20,000 columns."),
    "wide.arff": (b"@relation r\n" + b"@attribute a real\n" * 20_001, "The limit is 20,000 columns."),
    "page.xls": (
        b"\xef\xbb\xbf\r\n<HTML xmlns:x='urn:schemas-microsoft-com:office:excel'><table><td>1",
        "the kind HTML",
    ),
    "table.xls": ("<table border=1><tr><td>a</td></tr></table>".encode("utf-16"), "the kind HTML"),
    "strict.xls": (
        b'<?xml version="1.0"?>\n<!-- made by us -->\n<!DOCTYPE html><html><body>1',
        "the kind HTML",
    ),
    "saved.xls": (b"MIME-Version: 1.0\nContent-Type: multipart/related\n\n<html>", "the kind HTML"),
    "of_2003.xls": (
        b'<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n'
        b'<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet/></Workbook>',
        "the kind SpreadsheetML",
    ),
    "feed.csv": (b"<?xml version='1.0'?><rss><item>1</item></rss>", "the kind XML"),
    "binary.xlsb": (zipped({"xl/workbook.bin": b"\0"}), "a spreadsheet of another kind (.xlsb)"),
    "open.ods": (zipped({"mimetype": b"application", "content.xml": b"<x/>", "meta.xml": b"<x/>"}), "(.ods)"),
    "apple.numbers": (zipped({"Index/Document.iwa": b"\0", "preview.jpg": b"\0"}), "(.numbers)"),
    "picture.csv": (b"\x89PNG\r\n\x1a\n" + RUBBISH, "the kind PNG"), "paper.csv": (b"%PDF-1.7\n", "the kind PDF"),
    "old.xls": (OLE, "Save it as .xlsx"),
    "secret.xlsx": (OLE + "EncryptedPackage".encode("utf-16-le"), "password"),
    "corrupt.xlsx": (excel(SMALL)[:-400], "Excel file is damaged"),
    "first-half.xlsx": (excel(SMALL)[: len(excel(SMALL)) // 2], "Excel file is damaged"),
    "begun.xlsx": (excel(SMALL)[:200], "Excel file is damaged"),
    "half under another name.csv": (excel(SMALL)[:-400], "Excel file is damaged"),
    "hollow.xlsx": (zipped({"xl/workbook.xml": "<no"}), "Excel file is damaged"),
    "empty.xlsx": (excel(pd.DataFrame()), "no usable column"),
    "corrupt.parquet": (parquet(SMALL)[:-20], "Parquet file is damaged"),
    "nested_only.parquet": (parquet(pd.DataFrame({"a": [[1], [2]]})), "no usable column"),
    "truncated.csv.gz": (gzip.compress(RUBBISH + GOOD)[:-500], "ends in the middle"),
    "corrupt.csv.gz": (gzip.compress(GOOD)[:-8] + b"12345678", "gzip file is damaged"),
    "two.zip": (zipped({"a.csv": GOOD, "b.csv": GOOD}), "“a.csv” and “b.csv”"), "none.zip": (zipped({}), "zip"),
    "corrupt.zip": (zipped({"a.csv": GOOD})[:-30], "zip file is damaged"),
    "broken.json": (b'{"a": 1, "b": 2}\n{"a": 1, \n', "Line 2"),
    "numbers.json": (b'[{"a": 1}, 2, 3]', "Entry 2 is no record"),
    "deep.json": (b'{"a":' * 100_000, "nested too deeply"),
    "type.arff": (b"@relation r\n@attribute a relational\n@data\n", "In line 2"),
    "value.arff": (ARFF + b"z,1\n", "“z” is no declared value"),
    "number.arff": (ARFF + b"x,1\ny,two\n", "In line 6"), "cells.arff": (ARFF + b"x\n", "1 cell for 2 attributes"),
    "sparse.arff": (ARFF + b"{2 1}\n", "an attribute's number"), "no_rows.arff": (ARFF, "no rows"),
}  # fmt: skip


def test_a_bad_file_gets_a_message_that_names_the_fault():
    for name in BAD:
        with case(name):
            source, expected = BAD[name]
            with pytest.raises(TableError) as caught:
                read_table(source, name)
            error = caught.value
            assert expected in str(error)
            parts = [error.what, *([error.where] if error.where else []), error.todo]
            assert str(error) == " ".join(parts)
            assert all(part[0].isupper() and part.endswith(".") for part in parts)
            assert "Traceback" not in str(error)


def test_a_text_is_read_as_text_under_the_name_of_a_workbook():
    for content in (b"a\tb\n1\tx\n2\ty\n3\tx\n", "a\tb\r\n1\tx\r\n2\ty\r\n3\tx\r\n".encode("utf-16"), GOOD):
        for name in ("export.xls", "export.xlsx"):
            assert read_table(content, name).frame.equals(read_table(GOOD, "a.csv").frame)


def test_an_encoding_or_a_sheet_that_does_not_fit_is_refused_with_those_that_do():
    source = "a,b\n1,x\n2,größer\n".encode("cp1252")
    with pytest.raises(TableError, match=r"In line 3 the byte 0xf6 .* Western European \(Windows-1252\) fits"):
        read_table(source, "x.csv", ReadOptions(encoding="utf-8"))
    with pytest.raises(TableError, match="Choose another encoding"):
        read_table(GOOD, "x.csv", ReadOptions(encoding="klingon"))
    with pytest.raises(TableError, match=r"no sheet “Budget”\. Its sheets are “Sheet1”"):
        read_table(excel(SMALL), "x.xlsx", ReadOptions(format="excel", sheet="Budget"))


@pytest.mark.parametrize(
    "wrong",
    [ReadOptions(thousands="0"), ReadOptions(decimal=";"), ReadOptions(formats=((0, NumberFormat(".", "0")),))],
)
def test_marks_that_no_number_has_are_refused_with_those_there_are(wrong):
    with pytest.raises(TableError, match=r"No number has the marks .* Choose point or comma as decimal mark"):
        read_table(b"a,b\n1,2\n3,4\n", "x.csv", wrong)


def test_lines_are_counted_with_those_skipped_and_those_inside_cells():
    with pytest.raises(TableError, match=r"line 6 \(1 cell\)"):
        read_table(b'title\na,b\n1,"x\ny"\n2,z\n3\n4,w\n', "x.csv")


@pytest.fixture
def small_limits(monkeypatch):
    for module in (errors, readers, workbook):
        monkeypatch.setattr(module, "MAX_UNPACKED_MB", 1)
    monkeypatch.setattr(readers, "MAX_UPLOAD_MB", 0.5)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("pack", [gzip.compress, lambda content: zipped({"a.csv": content})])
def test_a_bomb_is_refused_at_the_limit_and_not_unpacked_beyond_it(pack):
    bomb = pack(b"0" * 60_000_000)
    assert len(bomb) < 100_000
    tracemalloc.start()
    with pytest.raises(TableError, match=r"too large once unpacked\. The limit is 1 MB"):
        read_table(bomb, "bomb.csv.gz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.usefixtures("small_limits")
def test_a_workbook_that_swells_and_an_upload_beyond_the_limit_are_refused():
    bomb = zipped({"xl/workbook.xml": b"<x/>", "xl/worksheets/sheet1.xml": b" " * 3_000_000})
    with pytest.raises(TableError, match="The limit is 1 MB"):
        read_table(bomb, "bomb.xlsx")
    with pytest.raises(TableError, match=r"has 1 MB\. The limit is 0\.5 MB"):
        read_table(b"a,b\n" * 200_000, "x.csv")


def test_cells_are_counted_before_any_is_kept(monkeypatch):
    monkeypatch.setattr(workbook, "MAX_CELLS", 6)
    assert read_table(excel(SMALL), "x.xlsx").frame["a"].tolist() == [1, 2]
    monkeypatch.setattr(workbook, "MAX_CELLS", 5)
    with pytest.raises(TableError, match="too many cells: 6 or more"):
        read_table(excel(SMALL), "x.xlsx")
    monkeypatch.setattr(texts, "MAX_CELLS", 50)
    monkeypatch.setattr(texts, "_first_row", lambda *_: pytest.fail("a row was taken apart"))
    with pytest.raises(TableError, match=r"too many cells: 51 or more\. The limit is"):
        read_table(b"a" + b"," * 51, "x.csv")
    with pytest.raises(TableError, match="too many cells: 101 or more"):  # some may stand in quotation marks
        read_table(b'""' + b"," * 101, "x.csv")


@pytest.mark.parametrize("line", [2, 3])
def test_a_line_too_long_for_its_cells_is_refused_before_it_is_copied(line, monkeypatch):
    monkeypatch.setattr(texts, "MAX_CELL_CHARACTERS", 100)
    monkeypatch.setattr(texts.pyarrow.csv, "read_csv", lambda *_: pytest.fail("the table was split"))
    lines = ["a,b", "1,2", "3,4"]
    lines[line - 1] = "1," + "x" * 500
    with pytest.raises(TableError, match=rf"more than .* characters.* line {line}, which has 502 characters"):
        read_table("\n".join([*lines, "5,6"]).encode(), "x.csv")


def test_a_long_line_of_many_short_cells_is_told_as_what_it_is(monkeypatch):
    monkeypatch.setattr(texts, "MAX_CELL_CHARACTERS", 100)
    with pytest.raises(TableError, match=r"line 3 \(600 cells\)"):
        read_table(("a,b\n1,2\n" + ",".join(["7"] * 600) + "\n3,4\n").encode(), "x.csv")


def test_too_many_rows_are_refused_in_every_format(monkeypatch):
    for module in (errors, texts, workbook):
        monkeypatch.setattr(module, "MAX_ROWS", 50)
    many = pd.DataFrame({"a": range(200), "b": range(200)})
    sources = {
        "x.csv": many.to_csv(index=False).encode(),
        "x.xlsx": excel(many),
        "x.parquet": parquet(many),
        "x.jsonl": str(many.to_json(orient="records", lines=True)).encode(),
    }
    for name, source in sources.items():
        with pytest.raises(TableError, match="The limit is 50 rows"):
            read_table(source, name)


def test_the_limits_of_upload_and_server_agree():
    config = (paths.APP / ".streamlit" / "config.toml").read_text("utf-8")
    assert f"maxUploadSize = {settings.MAX_UPLOAD_MB}" in config


def use(text, target, **changes):
    frame = read_table(text.encode(), "x.csv").frame
    plans = [plan._replace(**changes.get(plan.name, {})) for plan in guess_kinds(frame)]
    return to_dataset(frame, plans, target, "x")


UNUSABLE = {
    "one class": ("a,b\n1,x\n2,x\n3,x\n", "b", "one value only"),
    "all missing": ("a,b,c\n1,,x\n2,,y\n", "b", "missing in every row"),
    "no such column": ("a,b\n1,x\n2,y\n", "z", "no column “z”"),
    "too many classes": (
        "a,b\n" + "".join(f"{i},name {i}\n" for i in range(80)),
        "b",
        "too many classes: 80. The limit is 64",
    ),
    "constant number": ("a,b\n1,5\n2,5\n3,5\n", "b", "one value only"),
    "no feature": ("a,b\n7,x\n7,y\n7,x\n", "b", "No column is left"),
    "one date": ("a,b\n2024-01-01,x\n2024-01-01,y\n", "b", "No column is left"),
}  # fmt: skip


def test_a_table_without_a_usable_target_or_feature_is_refused():
    for text, target, expected in UNUSABLE.values():
        with case(expected):
            with pytest.raises(TableError) as caught:
                use(text, target)
            assert expected in str(caught.value)
            assert all(part.endswith(".") for part in (caught.value.what, caught.value.todo))


def test_kinds_that_do_not_fit_are_refused():
    text = "a,c\nx,1\ny,2\nz,3\n"
    with pytest.raises(TableError, match="cannot be yes/no"):
        use(text, "c", a={"kind": "yes/no"})
    with pytest.raises(TableError, match="holds no numbers"):
        use(text, "c", a={"kind": "number"})
    with pytest.raises(TableError, match=r"order of “a” lacks values.*“z”"):
        use(text, "c", a={"kind": "ordered", "categories": ("y", "x")})


def test_a_message_shortens_what_a_file_may_hold():
    assert quoted("x" * 100) == "“" + "x" * 39 + "…”"
    assert quoted("a\n  b") == "“a b”"
    assert listed([1, 2, 3]) == "1, 2 and 3"
    assert listed(["a"]) == "a"
    assert listed([]) == ""
    assert listed(list(range(9)), 2) == "0, 1 and 7 more"
    assert counted(1, "row") == "1 row"
    assert counted(2000, "row") == "2,000 rows"


def test_an_error_survives_pickling():
    error = TableError("What.", "Where.", "Do.")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.what, copy.where, copy.todo, str(copy)) == ("What.", "Where.", "Do.", "What. Where. Do.")


@pytest.mark.parametrize(
    ("name", "source", "advice"),
    [
        ("one.csv", b"a\n1\n2\n", "Choose another delimiter"),
        ("one.json", b'[{"a": 1}, {"a": 2}]', "Give every row a value for each column"),
        ("one.arff", b"@relation r\n@attribute a numeric\n@data\n1\n2\n", "A tree needs at least two"),
    ],
)
def test_the_advice_for_a_table_of_one_column_fits_its_format(name, source, advice):
    with pytest.raises(TableError) as raised:
        read_table(source, name)
    assert advice in str(raised.value)
    assert ("delimiter" in str(raised.value)) == name.endswith("csv")


def test_lines_in_another_encoding_are_read_and_named():
    source = "name,n\nKöln,1\n".encode() + "Düren,2\nUlm,3\nFürth,4\n".encode("cp1252")
    table = read_table(source, "x.csv")
    assert table.options.encoding == MIXTURE
    assert table.frame["name"].tolist() == ["Köln", "Düren", "Ulm", "Fürth"]
    assert any("not UTF-8: line 3 and 5" in note for note in table.notes)
    assert read_table(source, "x.csv", table.options).frame["name"].tolist() == ["Köln", "Düren", "Ulm", "Fürth"]


GERMAN = ("Köln", "Düren", "Straße", "Maß", "Füße", "café", "Ulm", "grün", "Äpfel", "hört", "7 °C", "über")


@given(st.lists(st.sampled_from(GERMAN), min_size=1, max_size=9))
def test_a_text_of_umlauts_is_never_taken_for_a_mixture(words):
    text = "\n".join(words)
    for encoding in ("utf-8", "cp1252"):
        source = text.encode(encoding)
        assert decode(source, guess_encoding(source)) == text


def test_a_zero_byte_late_in_a_file_is_refused_with_its_place():
    with pytest.raises(TableError, match="Line 60,002 has a zero byte"):
        read_table(b"a,b\n" + b"1,x\n" * 60_000 + b"1,\0\n", "x.csv")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"\x7fELF\x02\x01\x01" + b"\0" * 300, "the kind ELF"),
        (b"SQLite format 3\0" + b"\0" * 300, "the kind SQLite"),
        (zipped({"in.zip": zipped({"a.csv": b"a,b\n1,2\n"})}), "The zip holds no table"),
        (b"\x01\x00\x02\x00" * 2000 + b"\xd8\xdc\x00", "This is no text"),
    ],
    ids=["program", "database", "zip in a zip", "numbers"],  # a zip has the time, and each process its own
)
def test_what_is_no_table_is_called_by_its_name(source, expected):
    with pytest.raises(TableError) as caught:
        read_table(source, "x.csv")
    assert expected in str(caught.value)
    assert "utf-16" not in str(caught.value)


# By encodings: words of cities, of products, of a survey.
WORDS = {
    "gb18030 gbk":
        "北京 上海 广州 重庆 成都, 苹果 牛奶 鸡蛋 大米 绿茶, 非常满意 满意 一般 不满意, 男 女, 已婚 未婚",
    "big5":
        "臺北 高雄 臺中 新竹 花蓮, 蘋果 牛奶 雞蛋 豆漿 綠茶, 非常滿意 滿意 普通 不滿意, 國小 國中 高中, 已婚 未婚",
    "cp932 shift_jis euc_jp":
        "東京 大阪 名古屋 札幌 福岡, りんご 牛乳 たまご パン, とても満足 満足 ふつう, はい いいえ, 男性 女性",
    "cp949 euc_kr":
        "서울 부산 대구 인천 광주, 사과 우유 달걀 빵 녹차, 매우만족 만족 보통 불만족, 남자 여자, 예 아니오",
    "cp1250 iso8859_2 cp852":
        "Łódź Gdańsk Kraków Poznań Wrocław, ser śmietana masło chleb jabłko, często rzadko nigdy, "
        "Třebíč Brno Plzeň Český_Krumlov Děčín, mléko sýr rohlík čaj, Győr Pécs Debrecen Kőszeg, "
        "Čačak Zagreb Šibenik Požega",
    "cp1251 koi8_r cp866":
        "Москва Омск Казань Пермь Тула, молоко хлеб сыр яблоко, часто редко никогда, да нет, муж жен",
    "cp1253":
        "Αθήνα Πάτρα Βόλος Λάρισα Χανιά, γάλα ψωμί τυρί μήλο τσάι, συχνά σπάνια ποτέ, ναι όχι, άνδρας γυναίκα",
    "cp1254": "İzmir Muğla İstanbul Eskişehir Diyarbakır, süt ekmek peynir çay yoğurt balık, "
        "bazen hiç nadiren ağır, kadın erkek",
    "cp1255": "חיפה אילת ירושלים נתניה אשדוד, חלב לחם גבינה תפוח תה, תמיד לפעמים אף_פעם, כן לא, זכר נקבה",
    "cp1256": "دبي حلب القاهرة الرياض بغداد, حليب خبز جبن تفاح شاي, دائما أحيانا نادرا أبدا, نعم لا, ذكر أنثى",
    "cp1257": "Šiauliai Panevėžys Vilnius Kaunas Klaipėda, sūris duona obuolys žuvis, "
        "Rīga Jūrmala Liepāja Rēzekne, jā nē dažreiz",
    "cp874": "กรุงเทพ เชียงใหม่ ภูเก็ต ขอนแก่น อยุธยา, นม ขนมปัง ชา ปลา ไข่, ชาย หญิง",
    "mac_roman cp850": "München Köln Düren Fürth, Käse Brötchen Äpfel Öl, Orléans Besançon Angoulême, "
        "Málaga Cádiz Logroño, Malmö Umeå Örebro",
}  # fmt: skip
WESTERN = (
    "München Köln Düren Fürth, Käse Brötchen Äpfel Öl, häufig nie täglich, "
    "Orléans Besançon Angoulême, Forlì Cefalù caffè, Málaga Cádiz Logroño, Malmö Umeå Örebro, "
    "São_Paulo Goiânia Maceió, Ålborg Køge Næstved, España Perú, Boston Montréal, Zürich Bern, "
    "21_°C 30_m² 5_µg, ½ £3 10_€, café façade, Curaçao Réunion, Tórshavn Tromsø Bodø, "
    "“yes” – don’t, ©"
)


def tables(words):
    for part in words.split(","):
        cells = [word.replace("_", " ") for word in part.split()]
        yield cells, "id,word,n,y\n" + "".join(f"{i},{cells[i % len(cells)]},{i % 7},{i % 2}\n" for i in range(12))


@pytest.mark.parametrize("parts", [slice(2), pytest.param(slice(None), marks=pytest.mark.slow)])
def test_old_encodings_are_read_by_their_letters_or_are_a_choice_with_the_right_one(parts):
    n_asked = n_tables = 0
    for encodings, words in WORDS.items():
        for encoding in encodings.split():
            for cells, text in [*tables(words)][parts]:
                source = text.encode(encoding)
                table = read_table(source, "x.csv")
                readings = [table]
                if found := next((choice for choice in table.choices if choice.what == "encoding"), None):
                    readings.append(read_table(source, "x.csv", found.other.options))
                    assert found.used.rows != found.other.rows
                    back = next(choice for choice in readings[1].choices if choice.what == "encoding")
                    assert back.other.options.encoding == table.options.encoding
                right = [list(reading.frame["word"][: len(cells)]) == cells for reading in readings]
                assert any(right), (encoding, cells, table.options.encoding)
                assert right[0] or sum(not cell.isascii() for cell in cells) < 4, (encoding, cells)
                n_tables, n_asked = n_tables + 1, n_asked + len(right) - 1
    assert n_asked < n_tables / 4


def test_texts_in_the_usual_encodings_ask_nothing_of_letters(monkeypatch):
    for cells, text in tables(WESTERN):
        for source in (text.encode("cp1252"), text.encode()):
            table = read_table(source, "x.csv")
            assert list(table.frame["word"][: len(cells)]) == cells
            assert not [choice for choice in table.choices if choice.what == "encoding"], cells
    assert read_table("n,city\n1,München\n2,España\n".encode("cp1252"), "x.csv").choices == ()
    monkeypatch.setattr("espalier.data.formats.encodings.rank_readings", None)
    for source in (b"a,b\n1,x\n2,y\n", "a,b\n1,ö\n2,y\n".encode(), "\ufeffa,b\n1,ö\n2,y\n".encode()):
        assert not read_table(source, "x.csv").choices


def test_the_choice_shows_rows_that_differ_however_late_they_come():
    plain = "".join(f"{i},Ulm,{i % 2}\n" for i in range(20_000))
    source = f"n,city,y\n{plain}1,kadın,1\n2,kadın,0\n".encode("cp1254")
    found = next(choice for choice in read_table(source, "x.csv").choices if choice.what == "encoding")
    assert {found.used.rows, found.other.rows} == {(("kadın",),), (("kadýn",),)}
    records = '{"n": 1, "sex": "kadın"}\n{"n": 2, "sex": "erkek"}\n'.encode("cp1254")
    found = next(choice for choice in read_table(records, "x.jsonl").choices if choice.what == "encoding")
    assert len({found.used.rows, found.other.rows}) == 2
    arff = "@relation r\n@attribute sex {kadın,erkek}\n@attribute n real\n@data\nkadın,1\nerkek,2\n"
    assert [choice.what for choice in read_table(arff.encode("cp1254"), "x.arff").choices] == ["encoding"]


def test_a_table_without_any_column_to_predict_says_so():
    frame = read_table(b"a,b\n1,x\n", "x.csv").frame
    with pytest.raises(TableError, match="No column can be the target") as caught:
        to_dataset(frame, guess_kinds(frame), "", "x")
    assert "“”" not in str(caught.value)
