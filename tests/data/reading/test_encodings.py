"""From bytes to characters: what fits, what is mixed, what is open, and what is no text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data.errors import TableError
from espalier.data.formats.encodings import MIXTURE, decode, guess_encoding
from espalier.data.table import read_table
from tests.tools.files import zipped


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


@pytest.mark.parametrize("encoding", ["utf-32", "utf-16", "utf-8-sig"])
def test_a_byte_order_mark_says_the_encoding(encoding):
    assert read_table("a,b\n1,ö\n2,y\n".encode(encoding), "x.csv").frame["b"].tolist() == ["ö", "y"]


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
    from espalier.data.columns.convert import to_dataset
    from espalier.data.columns.kinds import guess_kinds

    frame = read_table(b"a,b\n1,x\n", "x.csv").frame
    with pytest.raises(TableError, match="No column can be the target") as caught:
        to_dataset(frame, guess_kinds(frame), "", "x")
    assert "“”" not in str(caught.value)
