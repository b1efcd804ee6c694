"""Tables of shops, schools, clubs and web pages, and of old programs of several countries."""

from __future__ import annotations

from tests.data.reading.tables.making import N, days, german, turned, turns
from tests.data.reading.tables.truth import (
    KnownTable,
    asked,
    clock,
    code,
    date,
    known,
    lines,
    number,
    order,
    text,
    unused,
    yes_no,
)


@known
def contacts():
    columns = turned(
        ("Ada", "Bo", "Cy", "Di"), ("01067", "10115", "80331", "04109"), ("12", "7a", "3", "112"),
        [f"p{i}" for i in range(N)],
    )  # fmt: skip
    rows = [
        f"{name};+49 30 {901820 + i};{zip_};{house};{mail}@example.org;{'Ja' if i % 4 else 'Nein'}"
        for i, (name, zip_, house, mail) in enumerate(columns)
    ]
    content = lines("Name;Telefon;PLZ;Hausnr;E-Mail;Newsletter", *rows).encode()
    truth = {
        "Name": text("Ada"), "Telefon": text("+49 30 901820"), "PLZ": text("01067", "10115"),
        "Hausnr": text("12", "7a", "3", "112"), "E-Mail": unused(), "Newsletter": yes_no("Nein", "Ja"),
    }  # fmt: skip
    return KnownTable("contacts: phones, postcodes, house numbers", "kontakte.csv", content, N, truth)


@known
def phones_of_digits_alone():
    rows = [f"{i % 5},+4930{90182000 + 17 * i},{44 + i % 3}" for i in range(N)]
    content = lines("calls,phone,age", *rows).encode()
    truth = {"calls": number(0, 1), "phone": text("+493090182000", "+493090182017"), "age": number(44, 45)}
    return KnownTable("phone numbers of digits with a plus", "calls.csv", content, N, truth)


@known
def orders_with_long_ids():
    rows = [
        f"{1007 * 10**15 + 7 * i},{4000123412341230 + 10 * (i % 3)},{5 + i % 7},{'shipped' if i % 3 else 'open'}"
        for i in range(N)
    ]
    content = lines("order,card,items,state", *rows).encode()
    truth = {
        "order": text("1007000000000000000", "1007000000000000007"),
        "card": code("4000123412341230", "4000123412341240", "4000123412341250"), "items": number(5, 6),
        "state": text("open", "shipped"),
    }  # fmt: skip
    return KnownTable("orders with numbers of 16 and 19 digits", "orders.csv", content, N, truth)


@known
def products_with_sizes():
    columns = turned(
        ("Flour", "Rice", "Salt", "Sugar"), ("500 g", "1.5 kg", "1 kg", "250 g"), ("€1.99", "€0.89", "€12.50"),
        ("1.9", "1.10", "2.0"), [4006381333931 + 3 * i for i in range(N)], ("12", "sold out", "3", "40"),
    )  # fmt: skip
    rows = [
        f"{name}\t{size}\t{price}\t{version}\t{ean:013d}\t{stock}"
        for name, size, price, version, ean, stock in columns
    ]
    content = lines("product\tsize\tprice\tversion\tEAN\tstock", *rows).encode()
    truth = {
        "product": text("Flour"), "size": number(0.5, 1.5, 1, 0.25), "price": number(1.99, 0.89, 12.5),
        "version": code("1.9", "1.10", "2.0"), "EAN": code("4006381333931", "4006381333934"), "stock": asked(),
    }  # fmt: skip
    return KnownTable("products: sizes with units, versions, EAN", "products.tsv", content, N, truth)


@known
def shop_times():
    columns = turned(
        ("A", "B"), ("7 am", "2 pm", "10:30 am", "12 pm"), ("2,5 kg", "12 kg", "0,75 kg"),
        ("6 months", "1 year", "2 years"), ("512 MB", "1 GB", "16 GB"),
    )  # fmt: skip
    rows = [f"{shop},{opens},{weight},{age},{disk}" for shop, opens, weight, age, disk in columns]
    tabs = lines("shop,opens,weight,age,disk", *rows).replace(",", "\t")
    content = tabs.replace("\t5 kg", ",5 kg").replace("0\t75", "0,75").encode()
    truth = {
        "shop": text("A", "B"), "opens": clock(25200, 50400, 37800, 43200), "weight": number(2.5, 12, 0.75),
        "age": number(0.5, 1, 2), "disk": number(0.512, 1, 16),
    }  # fmt: skip
    return KnownTable("times such as 2 pm, sizes in two units", "shops.tsv", content, N, truth, target="shop")


@known
def school_grades_german():
    columns = turned(
        [f"Kind {i}" for i in range(N)], ("1+", "2−", "3", "2", "1", "4-", "3+"),
        ("sehr gut", "gut", "befriedigend", "ausreichend", "mangelhaft"), ("7a", "7b", "8a"),
    )  # fmt: skip
    rows = [f"{name};{a};{b};{'ja' if i % 5 else 'nein'};{c}" for i, (name, a, b, c) in enumerate(columns)]
    content = lines("Name;Mathe;Deutsch;versetzt;Klasse", *rows).encode()
    truth = {
        "Name": unused(), "Mathe": order("4-", "3", "3+", "2−", "2", "1", "1+"),
        "Deutsch": order("mangelhaft", "ausreichend", "befriedigend", "gut", "sehr gut"),
        "versetzt": yes_no("nein", "ja"), "Klasse": text("7a", "7b", "8a"),
    }  # fmt: skip
    return KnownTable("a German school's grades (1+, 2−)", "noten.csv", content, N, truth)


@known
def school_grades_english():
    columns = turned(("A", "B+", "A-", "C", "B", "F", "D-"), (3.9, 3.2, 2.75, 2), ("Pass", "Pass", "Fail"))
    rows = [f"{300 + i},{a},{g},{p}" for i, (a, g, p) in enumerate(columns)]
    content = lines("student_id,grade,GPA,result", *rows).encode()
    truth = {
        "student_id": unused(), "grade": order("F", "D-", "C", "B", "B+", "A-", "A"), "GPA": number(3.9, 3.2),
        "result": text("Pass", "Pass", "Fail"),
    }  # fmt: skip
    return KnownTable("grades in letters (A, B+)", "grades.csv", content, N, truth)


@known
def football():
    columns = turned(
        days("2024-03-02", step=7), ("Ajax", "Inter", "Celtic"), ("2-1", "0-0", "1-3"), ("1:0", "0:0", "1:1"),
        [12345 + 987 * i for i in range(N)], ("15:30", "18:00", "20:45"),
    )  # fmt: skip
    rows = [
        f'{d:%a %d %b %Y},{home},{score},{half},"{spectators:,}",{t}'
        for d, home, score, half, spectators, t in columns
    ]
    content = lines("date,home,result,half time,spectators,kick-off", *rows).encode()
    truth = {
        "date": date("2024-03-02", "2024-03-09"), "home": text("Ajax"), "result": text("2-1", "0-0", "1-3"),
        "half time": text("1:0", "0:0", "1:1"), "spectators": number(12345, 13332),
        "kick-off": clock(55800, 64800),
    }  # fmt: skip
    return KnownTable(
        "football: results 2-1 and 1:0, spectators, kick-off", "matches.csv", content, N, truth, target="home"
    )


@known
def marathon():
    columns = turned(
        ("W35", "M40", "M"), ("1:02:33", "59:48", "1:10:05"), ("4:27", "4:15", "4:58"), ("PB", "", "SB"),
    )  # fmt: skip
    rows = [f"{i + 1}.,{101 + 7 * i},{sex},{time},{pace},{pb}" for i, (sex, time, pace, pb) in enumerate(columns)]
    content = lines("place,bib,group,time,pace,note", *rows).encode()
    truth = {
        "place": unused(), "bib": number(101, 108), "group": text("W35"), "time": asked(), "pace": asked(),
        "note": text("PB", None, "SB"),
    }  # fmt: skip
    return KnownTable(
        "a race: places 1., 2., times 1:02:33 and 59:48", "race.csv", content, N, truth, target="group"
    )


@known
def shift_jis():
    rows = [
        f"{i},{name},{20 + i % 9},{yn}"
        for i, (name, yn) in enumerate(
            zip(turns(("東京", "大阪", "札幌")), turns(("はい", "いいえ")), strict=True), 1
        )
    ]
    content = lines("番号,都市,気温,雨", *rows, end="\r\n").encode("shift_jis")
    truth = {
        "番号": unused(), "都市": text("東京", "大阪"), "気温": number(21, 22), "雨": yes_no("いいえ", "はい"),
    }  # fmt: skip
    return KnownTable("an old Japanese file (Shift-JIS)", "tenki.csv", content, N, truth)


@known
def windows_1250():
    rows = [
        f"{name};{german(1.5 + i)};{yn}"
        for i, (name, yn) in enumerate(
            zip(turns(("Łódź", "Kraków", "Gdańsk", "Wałbrzych")), turns(("tak", "nie")), strict=True)
        )
    ]
    content = lines("miejscowość;średnia;większe", *rows, end="\r\n").encode("cp1250")
    truth = {"miejscowość": text("Łódź", "Kraków"), "średnia": number(1.5, 2.5), "większe": yes_no("nie", "tak")}
    return KnownTable("a Polish file (Windows-1250)", "miasta.csv", content, N, truth)


@known
def single_quotes():
    rows = [
        f"'{name}',{i % 7},'{word}'"
        for i, (name, word) in enumerate(
            zip(turns(("Doe, Jane", "Roe, Max", "Li")), turns(("low", "high", "medium")), strict=True)
        )
    ]
    content = lines("'name',n,'level'", *rows).encode()
    truth = {
        "name": text("Doe, Jane", "Roe, Max", "Li"), "n": number(0, 1), "level": order("low", "medium", "high"),
    }  # fmt: skip
    return KnownTable("cells in single quotes", "people.csv", content, N, truth)


@known
def web_page():
    rows = [
        "Norway[a]\t5,488,984\t148,729 km²\t−0.3 %\t14.4*",
        "Iceland\t393,600[2]\t102,775 km²\t1.9 %\t3.8",
        "Denmark\t5,932,654\t42,952 km²\tn/a\t138†",
        "Åland\t30,541\t1,553 km²\t0.5 %\t—",
        "Faroe Islands\t54,676\t1,393 km²\t0.9 %\t39.3",
        "Finland\t5,603,851\t338,455 km²\t0.1 %\t16.6",
    ]
    content = lines(
        "Country\tPopulation\tArea\tGrowth\tDensity", *(row.replace(" ", "\u00a0") for row in rows)
    ).encode()
    truth = {
        "Country": text("Norway[a]", "Iceland"), "Population": asked(), "Area": number(148729, 102775),
        "Growth": number(-0.003, 0.019, None, 0.005), "Density": asked(),
    }  # fmt: skip
    return KnownTable(
        "a table copied from a web page (nbsp, −, footnote marks)",
        "nordic.tsv",
        content,
        6,
        truth,
        target="Growth",
    )


@known
def channels():
    columns = turned(
        ("12K", "3.4M", "980"), ("+5", "-3", "+12", "0"), ("$1.2M", "$340K", "$2.5B"), ("★★★", "★★", "★★★★★"),
    )  # fmt: skip
    rows = [
        f"@channel{i},{followers},{growth},{revenue},{rating}"
        for i, (followers, growth, revenue, rating) in enumerate(columns)
    ]
    content = lines("channel,followers,change,revenue,stars", *rows).encode()
    truth = {
        "channel": unused(), "followers": asked(), "change": number(5, -3, 12, 0), "revenue": asked(),
        "stars": text("★★★", "★★"),
    }  # fmt: skip
    return KnownTable("a list of channels: 12K, 3.4M, +5", "channels.csv", content, N, truth)
