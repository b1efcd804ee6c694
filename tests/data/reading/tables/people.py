"""Tables of shops, schools, clubs and web pages, and of old programs of several countries."""

from tests.data.reading.tables.making import N, Text, days, file, german, lines, series
from tests.data.reading.tables.truth import asked, clock, code, date, number, order, text, unused, yes_no


@file("a table copied from a web page (nbsp, −, footnote marks)", "nordic.tsv", 6, target="Growth")
def web_page():
    rows = (
        "Norway[a]\t5,488,984\t148,729 km²\t−0.3 %\t14.4*",
        "Iceland\t393,600[2]\t102,775 km²\t1.9 %\t3.8",
        "Denmark\t5,932,654\t42,952 km²\tn/a\t138†",
        "Åland\t30,541\t1,553 km²\t0.5 %\t—",
        "Faroe Islands\t54,676\t1,393 km²\t0.9 %\t39.3",
        "Finland\t5,603,851\t338,455 km²\t0.1 %\t16.6",
    )
    truth = {
        "Country": text("Norway[a]", "Iceland"),
        "Population": asked(),
        "Area": number(148729, 102775),
        "Growth": number(-0.003, 0.019, None, 0.005),
        "Density": asked(),
    }
    return lines("\t".join(truth), *rows).replace(" ", "\u00a0").encode(), truth


CARDS = ("4000123412341230", "4000123412341240", "4000123412341250")
WORDS = ("sehr gut", "gut", "befriedigend", "ausreichend", "mangelhaft")

TEXTS = {
    Text("contacts: phones, postcodes, house numbers", "kontakte.csv", ";"): {
        "Name": (("Ada", "Bo", "Cy", "Di"), text("Ada")),
        "Telefon": (series("+49 30 {}", 901820), text("+49 30 901820")),
        "PLZ": (("01067", "10115", "80331", "04109"), text("01067", "10115")),
        "Hausnr": (("12", "7a", "3", "112"), text("12", "7a", "3", "112")),
        "E-Mail": (series("p{}@example.org", 0), unused()),
        "Newsletter": (("Nein", "Ja", "Ja", "Ja"), yes_no("Nein", "Ja")),
    },
    Text("phone numbers of digits with a plus", "calls.csv"): {
        "calls": (range(5), number(0, 1)),
        "phone": (series("+4930{}", 90182000, 17), text("+493090182000", "+493090182017")),
        "age": ((44, 45, 46), number(44, 45)),
    },
    Text("orders with numbers of 16 and 19 digits", "orders.csv"): {
        "order": (series("{}", 1007 * 10**15, 7), text("1007000000000000000", "1007000000000000007")),
        "card": (CARDS, code(*CARDS)),
        "items": (range(5, 12), number(5, 6)),
        "state": (("open", "shipped", "shipped"), text("open", "shipped")),
    },
    Text("products: sizes with units, versions, EAN", "products.tsv", "\t"): {
        "product": (("Flour", "Rice", "Salt", "Sugar"), text("Flour")),
        "size": (("500 g", "1.5 kg", "1 kg", "250 g"), number(0.5, 1.5, 1, 0.25)),
        "price": (("€1.99", "€0.89", "€12.50"), number(1.99, 0.89, 12.5)),
        "version": (("1.9", "1.10", "2.0"), code("1.9", "1.10", "2.0")),
        "EAN": (series("{:013d}", 4006381333931, 3), code("4006381333931", "4006381333934")),
        "stock": (("12", "sold out", "3", "40"), asked()),
    },
    Text("times such as 2 pm, sizes in two units", "shops.tsv", "\t", target="shop"): {
        "shop": (("A", "B"), text("A", "B")),
        "opens": (("7 am", "2 pm", "10:30 am", "12 pm"), clock(25200, 50400, 37800, 43200)),
        "weight": (("2,5 kg", "12 kg", "0,75 kg"), number(2.5, 12, 0.75)),
        "age": (("6 months", "1 year", "2 years"), number(0.5, 1, 2)),
        "disk": (("512 MB", "1 GB", "16 GB"), number(0.512, 1, 16)),
    },
    Text("a German school's grades (1+, 2−)", "noten.csv", ";"): {
        "Name": (series("Kind {}", 0), unused()),
        "Mathe": (("1+", "2−", "3", "2", "1", "4-", "3+"), order("4-", "3", "3+", "2−", "2", "1", "1+")),
        "Deutsch": (WORDS, order(*WORDS[::-1])),
        "versetzt": (("nein", "ja", "ja", "ja", "ja"), yes_no("nein", "ja")),
        "Klasse": (("7a", "7b", "8a"), text("7a", "7b", "8a")),
    },
    Text("grades in letters (A, B+)", "grades.csv"): {
        "student_id": (series("{}", 300), unused()),
        "grade": (("A", "B+", "A-", "C", "B", "F", "D-"), order("F", "D-", "C", "B", "B+", "A-", "A")),
        "GPA": ((3.9, 3.2, 2.75, 2), number(3.9, 3.2)),
        "result": (("Pass", "Pass", "Fail"), text("Pass", "Pass", "Fail")),
    },
    Text("football: results 2-1 and 1:0, spectators, kick-off", "matches.csv", target="home"): {
        "date": (days("2024-03-02", "%a %d %b %Y", step=7), date("2024-03-02", "2024-03-09")),
        "home": (("Ajax", "Inter", "Celtic"), text("Ajax")),
        "result": (("2-1", "0-0", "1-3"), text("2-1", "0-0", "1-3")),
        "half time": (("1:0", "0:0", "1:1"), text("1:0", "0:0", "1:1")),
        "spectators": (series('"{:,}"', 12345, 987), number(12345, 13332)),
        "kick-off": (("15:30", "18:00", "20:45"), clock(55800, 64800)),
    },
    Text("a race: places 1., 2., times 1:02:33 and 59:48", "race.csv", target="group"): {
        "place": (series("{}.", 1), unused()),
        "bib": (series("{}", 101, 7), number(101, 108)),
        "group": (("W35", "M40", "M"), text("W35")),
        "time": (("1:02:33", "59:48", "1:10:05"), asked()),
        "pace": (("4:27", "4:15", "4:58"), asked()),
        "note": (("PB", "", "SB"), text("PB", None, "SB")),
    },
    Text("an old Japanese file (Shift-JIS)", "tenki.csv", end="\r\n", encoding="shift_jis"): {
        "番号": (series("{}", 1), unused()),
        "都市": (("東京", "大阪", "札幌"), text("東京", "大阪")),
        "気温": ([20 + i % 9 for i in range(1, N + 1)], number(21, 22)),
        "雨": (("はい", "いいえ"), yes_no("いいえ", "はい")),
    },
    Text("a Polish file (Windows-1250)", "miasta.csv", ";", end="\r\n", encoding="cp1250"): {
        "miejscowość": (("Łódź", "Kraków", "Gdańsk", "Wałbrzych"), text("Łódź", "Kraków")),
        "średnia": (series(german, 1.5), number(1.5, 2.5)),
        "większe": (("tak", "nie"), yes_no("nie", "tak")),
    },
    Text("cells in single quotes", "people.csv", header="'name',n,'level'"): {
        "name": (("'Doe, Jane'", "'Roe, Max'", "'Li'"), text("Doe, Jane", "Roe, Max", "Li")),
        "n": (range(7), number(0, 1)),
        "level": (("'low'", "'high'", "'medium'"), order("low", "medium", "high")),
    },
    Text("a list of channels: 12K, 3.4M, +5", "channels.csv"): {
        "channel": (series("@channel{}", 0), unused()),
        "followers": (("12K", "3.4M", "980"), asked()),
        "change": (("+5", "-3", "+12", "0"), number(5, -3, 12, 0)),
        "revenue": (("$1.2M", "$340K", "$2.5B"), asked()),
        "stars": (("★★★", "★★", "★★★★★"), text("★★★", "★★")),
    },
}
