"""Tables that programs write: R, pandas, SPSS, Stata, SAS, Weka, databases, an API."""

import json
from typing import Any

import pandas as pd

from tests.data.reading.tables.making import MARKED, N, Text, cells_and_truth, days, file, lines, series, turns
from tests.data.reading.tables.truth import date, duration, number, order, text, unused, yes_no
from tests.tools.files import parquet

TRIAL = {  # what R wrote of a data frame, with row names
    "name": text("Ann Lee", 'Bo "B" Ek', "Cy", "Dee, jr."),
    "dose": number(0.5, 1, None, 2.25),
    "arm": text("treated", "control", "treated", None),
    "ok": yes_no("FALSE", "TRUE"),
    "day": date("2024-01-05", "2024-02-29", None, "2024-12-31"),
    "at": date("2024-01-05T10:00:00", "2024-02-29T11:30:00", None, "2024-12-31T23:59:59"),
    "n": number(1, 2, 3, 100_000),
    "big": number(1e5, 123456, 1e-5, 1e10),
}
CELLS = [
    ("Ann Lee", "0.5", "treated", "TRUE", "2024-01-05", "2024-01-05 10:00:00", "1", "1e+05"),
    ('Bo "B" Ek', "1", "control", "FALSE", "2024-02-29", "2024-02-29 11:30:00", "2", "123456"),
    ("Cy", "NA", "treated", "NA", "NA", "NA", "3", "1e-05"),
    ("Dee, jr.", "2.25", "NA", "TRUE", "2024-12-31", "2024-12-31 23:59:59", "100000", "1e+10"),
]


def text_of_r(mark, header, escape='""', rows=CELLS):
    """What R writes: names and words in quotes, then numbers, truths, dates and NA bare."""
    written = [
        [f'"{c.replace(chr(34), escape)}"' if j in (0, 2) and c != "NA" else c for j, c in enumerate(row)]
        for row in rows
    ]
    body = [mark.join([f'"{i}"', *row]) for i, row in enumerate(written, 1)]
    return lines(mark.join(f'"{name}"' for name in header), *body).encode()


@file("R, write.csv", "trial.csv", 4, target="arm")
def r_write_csv():
    return text_of_r(",", ["", *TRIAL]), {"column 1": unused(), **TRIAL}


@file("R, write.csv2", "trial.csv", 4, target="arm")
def r_write_csv2():
    rows = [[c.replace(".", ",") if j in (1, 7) else c for j, c in enumerate(row)] for row in CELLS]
    return text_of_r(";", ["", *TRIAL], rows=rows), {"column 1": unused(), **TRIAL}


@file("R, write.table with its defaults", "trial.txt", 4, target="arm")
def r_write_table():
    rows = [row[:5] + row[6:] for row in CELLS]  # its times are not quoted: they would be two cells
    truth = {name: column for name, column in TRIAL.items() if name != "at"}
    return text_of_r(" ", truth, '\\"', rows), {"row name": unused(), **truth}


@file('R, write.table(quote = FALSE, sep = "\\t", na = ".")', "trial.txt", 4, target="arm")
def r_write_table_tabs():
    rows = ["\t".join([str(i), *("." if c == "NA" else c for c in row)]) for i, row in enumerate(CELLS, 1)]
    return lines("\t".join(TRIAL), *rows).encode(), {"row name": unused(), **TRIAL}


MOMENTS = pd.to_datetime(turns(("2024-01-05 10:00", "2024-07-29 11:30")))


@file("pandas, to_csv with its index", "frame.csv", target="grade")
def pandas_csv():
    columns = {
        "price": ((1.5, None, 3.0), number(1.5, None, 3)),
        "sold": ((True, False), yes_no("False", "True")),
        "n": (pd.array(turns((1, None, 3)), "Int64"), number(1, None, 3)),
        "when": (MOMENTS.tz_localize("Europe/Berlin"), date("2024-01-05T09:00:00", "2024-07-29T09:30:00")),
        "grade": (turns(("low", "mid", "high")), order("low", "mid", "high")),
        "lag": (pd.to_timedelta(turns(("26:00:00", "00:30:00"))), duration(93600, 1800)),
        "seen": ((True, None, False, True), yes_no("False", "True")),
    }
    cells, truth = cells_and_truth(columns)
    return pd.DataFrame(cells).to_csv().encode(), {"column 1": unused(), **truth}


@file("Parquet by pandas, int64 ids", "tweets.parquet", target="kind")
def pandas_parquet():
    users = (9_007_199_254_740_993, 9_007_199_254_740_992, 17)
    tweets = [1_700_000_000_000_000_001 + 2 * i for i in range(N)]
    columns = {
        "tweet": (tweets, text("1700000000000000001", "1700000000000000003")),
        "user": (users, text(*map(str, users))),
        "likes": ((3, 0, 12), number(3, 0, 12)),
        "kind": (("reply", "post"), text("reply", "post")),
        "is_new": ((True, False), yes_no("false", "true")),
        "at": (MOMENTS.tz_localize("UTC"), date("2024-01-05T10:00:00")),
    }
    cells, truth = cells_and_truth(columns)
    return parquet(pd.DataFrame(cells | {"kind": pd.Categorical(cells["kind"])})), truth


GOLF = """% made by hand
@RELATION 'golf'
@ATTRIBUTE temperature NUMERIC
@ATTRIBUTE 'the outlook' {'very sunny', rainy}
@ATTRIBUTE day DATE "yyyy-MM-dd"
@ATTRIBUTE wind {weak, strong}
@ATTRIBUTE play {yes, no}
@DATA"""


@file("JSON lines of an API: ids of 19 digits, records inside", "users.jsonl", asks=("user",))
def api_json_lines():
    columns = {
        "id": (
            [1_234_567_890_123_456_789 + i for i in range(N)],
            text("1234567890123456789", "1234567890123456790"),
        ),
        "user": (({"name": "x"},), None),
        "score": ((1, 2.5, None), number(1, 2.5, None)),
        "is_paid": ((True, False, None), yes_no("false", "true")),
        "created": (series("2024-01-{:02d}T10:00:00+02:00", 5), date("2024-01-05T10:00:00+02:00")),
        "zip": (("02139", "10001"), text("02139", "10001")),
        "plan": (("free", "pro"), text("free", "pro")),
    }
    cells, truth = cells_and_truth(columns)
    records = (dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True))
    return lines(*map(json.dumps, records)).encode(), {name: column for name, column in truth.items() if column}


@file("pandas, crosstab with its totals", "counts.csv", 4, asks=("All",), target="region")
def pandas_crosstab():
    frame = pd.DataFrame({"region": turns(("north", "south", "east")), "item": turns(("a", "b"))})
    truth = {
        "region": text("east", "north"),
        "a": number(4, 4, 4, 12),
        "b": number(4, 4, 4, 12),
        "All": number(8, 8, 8, 24),
    }
    return pd.crosstab(frame["region"], frame["item"], margins=True).to_csv().encode(), truth


PSQL: dict[str, Any] = {
    "header": "  id |   name   | value | ok",
    "under": ("-----+----------+-------+----",),
    "below": (f"({N} rows)",),
}
SCALE = ("Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree")
VISITS = ("01jan2020 10:30:00", "02feb2020 23:05:00")
DATES = [day.upper() for day in days("2020-01-01", "%d%b%Y", step=17)]
MOMENTS_OF_SAS = ("01JAN20:10:30:00", "15FEB21:08:00:00", ".")

TEXTS = {
    Text("SPSS, CSV with value labels", "survey.csv", asks=("income",), target="sex", **MARKED): {
        "caseid": (series("{:.2f}", 1), unused()),
        "sex": (("Female", "Male", "Refused"), text("Female", "Male", "Refused")),
        "age": (series("{}.00", 20), number(20, 21)),
        "q1": ((*SCALE, " "), order(*SCALE)),
        "interview": (("05-Jan-2024", "29-FEB-2024"), date("2024-01-05", "2024-02-29")),
        "income": (("1200.50", " ", "2300.00", "-99.00"), number(1200.5, None, 2300)),
    },
    Text("Stata: missing as . and .a, dates 01jan1970", "panel.csv", target="region"): {
        "id": (series("{}", 1), unused()),
        "born": (("01jan1970", "15mar1985", "30dec1999"), date("1970-01-01", "1985-03-15")),
        "wage": (("12.5", ".a", ".", "8.75", ".b"), number(12.5, None, None, 8.75, None)),
        "kids": (("0", "2", ".", "1"), number(0, 2, None, 1)),
        "region": (("Rural", "Urban"), text("Rural", "Urban")),
        "visit": (VISITS, date("2020-01-01T10:30:00", "2020-02-02T23:05:00")),
    },
    Text("SAS: dates 01JAN2020 and 01JAN20:10:30:00, missing .A, ._", "visits.csv", target="FLAG", end="\r\n"): {
        "SUBJID": (series("{:04d}", 1), text("0001", "0002")),
        "VISITDT": (DATES, date("2020-01-01", "2020-01-18")),
        "DTM": (MOMENTS_OF_SAS, date("2020-01-01T10:30:00", "2021-02-15T08:00:00", None)),
        "LBVALUE": (("1.25", ".", ".A", "._", "3.5"), number(1.25, None, None, None, 3.5)),
        "COST": (('"$1,250.00"', '"$980.50"'), number(1250, 980.5)),
        "FLAG": (("Y", "N"), yes_no("N", "Y")),
    },
    Text("Weka, ARFF with a date", "golf.arff", header=GOLF): {
        "temperature": ((85, "?", 64.5), number(85, None, 64.5)),
        "the outlook": (("'very sunny'", "'rainy'"), text("very sunny", "rainy")),
        "day": (days("2024-01-05", '"%Y-%m-%d"'), date("2024-01-05", "2024-01-14")),
        "wind": (("strong", "weak"), text("strong", "weak")),
        "play": (("no", "yes"), yes_no("no", "yes")),
    },
    Text("what psql prints: a rule below the names, a count at the end", "query.txt", " | ", **PSQL): {
        "id": (series(" {:3d}", 1), unused()),
        "name": (("anna    ", "bob     ", "cy      "), text("anna", "bob")),
        "value": (series("{:5.2f}", 1.5, 0.25), number(1.5, 1.75)),
        "ok": (("t", "t", "f"), yes_no("f", "t")),
    },
    Text("a table in Markdown", "notes.md", " | ", header="| name | value | class |", under=("|---|--:|:-:|",)): {
        "name": (("| anna", "| bob", "| cy"), text("anna", "bob")),
        "value": (series("{}", 1.5), number(1.5, 2.5)),
        "class": (("a |", "b |"), text("a", "b")),
    },
    Text("a database's dump: missing as \\N", "dump.tsv", "\t", target="name"): {
        "id": (series("{}", 1), unused()),
        "name": (("anna", "\\N", "cy"), text("anna", None, "cy")),
        "day": (days("2024-01-05", "%Y-%m-%d 00:00:00"), date("2024-01-05")),
        "value": (("1.5", "\\N", "2.25"), number(1.5, None, 2.25)),
        "ok": (("t", "f", "\\N"), yes_no("f", "t")),
    },
}
