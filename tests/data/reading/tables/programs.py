"""Tables that programs write: R, pandas, SPSS, Stata, SAS, Weka, databases, an API."""

from __future__ import annotations

import json

import pandas as pd

from tests.data.reading.tables.making import N, days, turned, turns
from tests.data.reading.tables.truth import (
    KnownTable,
    date,
    duration,
    known,
    lines,
    number,
    order,
    text,
    unused,
    yes_no,
)
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


def rows_of_r(mark, escape, rows=CELLS):
    """The rows as R writes them: names and words in quotes, then numbers, truths, dates and NA bare."""
    return [
        mark.join(
            [
                f'"{i}"',
                *(
                    f'"{c.replace(chr(34), escape)}"' if j in (0, 2) and c != "NA" else c
                    for j, c in enumerate(row)
                ),
            ]
        )
        for i, row in enumerate(rows, 1)
    ]


HEADER = [f'"{name}"' for name in TRIAL]


@known
def r_write_csv():
    content = lines(",".join(['""', *HEADER]), *rows_of_r(",", '""')).encode()
    return KnownTable("R, write.csv", "trial.csv", content, 4, {"column 1": unused(), **TRIAL}, target="arm")


@known
def r_write_csv2():
    rows = [tuple(c.replace(".", ",") if j in (1, 7) else c for j, c in enumerate(row)) for row in CELLS]
    content = lines(";".join(['""', *HEADER]), *rows_of_r(";", '""', rows)).encode()
    return KnownTable("R, write.csv2", "trial.csv", content, 4, {"column 1": unused(), **TRIAL}, target="arm")


@known
def r_write_table():
    rows = rows_of_r(
        " ", '\\"', [row[:5] + row[6:] for row in CELLS]
    )  # its times are not quoted: they would be two cells
    truth = {name: column for name, column in TRIAL.items() if name != "at"}
    return KnownTable(
        "R, write.table with its defaults",
        "trial.txt",
        lines(" ".join(h for h in HEADER if h != '"at"'), *rows).encode(),
        4,
        {"row name": unused(), **truth},
        target="arm",
    )


@known
def r_write_table_tabs():
    content = lines(
        "\t".join(TRIAL),
        *("\t".join([str(i), *("." if c == "NA" else c for c in row)]) for i, row in enumerate(CELLS, 1)),
    ).encode()
    truth = {"row name": unused(), **TRIAL}
    return KnownTable(
        'R, write.table(quote = FALSE, sep = "\\t", na = ".")', "trial.txt", content, 4, truth, target="arm"
    )


@known
def pandas_csv():
    frame = pd.DataFrame(
        {
            "price": turns((1.5, None, 3.0)),
            "sold": turns((True, False)),
            "n": pd.array(turns((1, None, 3)), "Int64"),
            "when": pd.to_datetime(turns(("2024-01-05 10:00", "2024-07-29 11:30"))).tz_localize("Europe/Berlin"),
            "grade": pd.Categorical(turns(("low", "mid", "high"))),
            "lag": pd.to_timedelta(turns(("26:00:00", "00:30:00"))),
            "seen": turns((True, None, False, True)),
        }
    )
    content = frame.to_csv().encode()
    truth = {
        "column 1": unused(), "price": number(1.5, None, 3), "sold": yes_no("False", "True"),
        "n": number(1, None, 3), "when": date("2024-01-05T09:00:00", "2024-07-29T09:30:00"),
        "grade": order("low", "mid", "high"), "lag": duration(93600, 1800), "seen": yes_no("False", "True"),
    }  # fmt: skip
    return KnownTable("pandas, to_csv with its index", "frame.csv", content, N, truth, target="grade")


@known
def pandas_parquet():
    frame = pd.DataFrame(
        {
            "tweet": [1_700_000_000_000_000_001 + 2 * i for i in range(N)],
            "user": turns((9_007_199_254_740_993, 9_007_199_254_740_992, 17)),
            "likes": turns((3, 0, 12)),
            "kind": pd.Categorical(turns(("reply", "post"))),
            "is_new": turns((True, False)),
            "at": pd.to_datetime(turns(("2024-01-05 10:00", "2024-07-29 11:30"))).tz_localize("UTC"),
        }
    )
    truth = {
        "tweet": text("1700000000000000001", "1700000000000000003"),
        "user": text("9007199254740993", "9007199254740992", "17"), "likes": number(3, 0, 12),
        "kind": text("reply", "post"), "is_new": yes_no("false", "true"), "at": date("2024-01-05T10:00:00"),
    }  # fmt: skip
    return KnownTable("Parquet by pandas, int64 ids", "tweets.parquet", parquet(frame), N, truth, target="kind")


@known
def spss_labels():
    scale = ("Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree")
    columns = turned(
        ("Female", "Male", "Refused"), (*scale, " "), ("05-Jan-2024", "29-FEB-2024"),
        ("1200.50", " ", "2300.00", "-99.00"),
    )  # fmt: skip
    rows = [
        f"{i:.2f},{sex},{19 + i % 40}.00,{answer},{day},{income}"
        for i, (sex, answer, day, income) in enumerate(columns, 1)
    ]
    content = lines("caseid,sex,age,q1,interview,income", *rows, end="\r\n").encode("utf-8-sig")
    truth = {
        "caseid": unused(), "sex": text("Female", "Male", "Refused"), "age": number(20, 21), "q1": order(*scale),
        "interview": date("2024-01-05", "2024-02-29"), "income": number(1200.5, None, 2300),
    }  # fmt: skip
    return KnownTable(
        "SPSS, CSV with value labels", "survey.csv", content, N, truth, asks=("income",), target="sex"
    )


@known
def stata_csv():
    columns = turned(
        ("01jan1970", "15mar1985", "30dec1999"), ("12.5", ".a", ".", "8.75", ".b"), ("0", "2", ".", "1"),
        ("Rural", "Urban"), ("01jan2020 10:30:00", "02feb2020 23:05:00"),
    )  # fmt: skip
    rows = [
        f"{i},{born},{wage},{kids},{region},{visit}"
        for i, (born, wage, kids, region, visit) in enumerate(columns, 1)
    ]
    content = lines("id,born,wage,kids,region,visit", *rows).encode()
    truth = {
        "id": unused(), "born": date("1970-01-01", "1985-03-15"), "wage": number(12.5, None, None, 8.75, None),
        "kids": number(0, 2, None, 1), "region": text("Rural", "Urban"),
        "visit": date("2020-01-01T10:30:00", "2020-02-02T23:05:00"),
    }  # fmt: skip
    return KnownTable(
        "Stata: missing as . and .a, dates 01jan1970", "panel.csv", content, N, truth, target="region"
    )


@known
def sas_csv():
    columns = turned(
        days("2020-01-01", step=17), ("01JAN20:10:30:00", "15FEB21:08:00:00", "."),
        ("1.25", ".", ".A", "._", "3.5"), ("$1,250.00", "$980.50"), ("Y", "N"),
    )  # fmt: skip
    rows = [
        f'{i:04d},{d:%d%b%Y},{t},{v},"{cost}",{grade}'.replace(f"{d:%b}", f"{d:%b}".upper())
        for i, (d, t, v, cost, grade) in enumerate(columns, 1)
    ]
    content = lines("SUBJID,VISITDT,DTM,LBVALUE,COST,FLAG", *rows, end="\r\n").encode()
    truth = {
        "SUBJID": text("0001", "0002"), "VISITDT": date("2020-01-01", "2020-01-18"),
        "DTM": date("2020-01-01T10:30:00", "2021-02-15T08:00:00", None),
        "LBVALUE": number(1.25, None, None, None, 3.5), "COST": number(1250, 980.5), "FLAG": yes_no("N", "Y"),
    }  # fmt: skip
    return KnownTable(
        "SAS: dates 01JAN2020, date-times 01JAN20:10:30:00, missing .A and ._",
        "visits.csv",
        content,
        N,
        truth,
        target="FLAG",
    )


@known
def weka_arff():
    columns = turned(
        (85, "?", 64.5), ("very sunny", "rainy"), days("2024-01-05"), ("strong", "weak"), ("no", "yes"),
    )  # fmt: skip
    rows = [f"{t},'{o}',\"{d}\",{w},{p}" for t, o, d, w, p in columns]
    head = (
        "% made by hand", "@RELATION 'golf'", "@ATTRIBUTE temperature NUMERIC",
        "@ATTRIBUTE 'the outlook' {'very sunny', rainy}", '@ATTRIBUTE day DATE "yyyy-MM-dd"',
        "@ATTRIBUTE wind {weak, strong}", "@ATTRIBUTE play {yes, no}", "@DATA",
    )  # fmt: skip
    content = lines(*head, *rows).encode()
    truth = {
        "temperature": number(85, None, 64.5), "the outlook": text("very sunny", "rainy"),
        "day": date("2024-01-05", "2024-01-14"), "wind": text("strong", "weak"), "play": yes_no("no", "yes"),
    }  # fmt: skip
    return KnownTable("Weka, ARFF with a date", "golf.arff", content, N, truth)


@known
def api_json_lines():
    columns = turned((1, 2.5, None), (True, False, None), ("02139", "10001"), ("free", "pro"))
    rows = [
        json.dumps(
            {
                "id": 1_234_567_890_123_456_789 + i,
                "user": {"name": "x"},
                "score": s,
                "is_paid": p,
                "created": f"2024-01-{5 + i:02d}T10:00:00+02:00",
                "zip": z,
                "plan": plan,
            }
        )
        for i, (s, p, z, plan) in enumerate(columns)
    ]
    content = lines(*rows).encode()
    truth = {
        "id": text("1234567890123456789", "1234567890123456790"), "score": number(1, 2.5, None),
        "is_paid": yes_no("false", "true"), "created": date("2024-01-05T10:00:00+02:00"),
        "zip": text("02139", "10001"), "plan": text("free", "pro"),
    }  # fmt: skip
    return KnownTable(
        "JSON lines of an API: ids of 19 digits, records inside", "users.jsonl", content, N, truth, asks=("user",)
    )


@known
def psql_output():
    rows = [
        f" {i:3d} | {name:8s} | {v:5.2f} | {'t' if i % 3 else 'f'}"
        for i, (name, v) in enumerate(
            zip(turns(("anna", "bob", "cy")), [1.5 + i / 4 for i in range(N)], strict=True), 1
        )
    ]
    head = ("  id |   name   | value | ok", "-----+----------+-------+----")
    content = lines(*head, *rows, f"({N} rows)").encode()
    truth = {"id": unused(), "name": text("anna", "bob"), "value": number(1.5, 1.75), "ok": yes_no("f", "t")}
    return KnownTable(
        "what psql prints: a rule below the names, a count at the end", "query.txt", content, N, truth
    )


@known
def markdown_table():
    rows = [
        f"| {name} | {v} | {c} |"
        for name, v, c in zip(
            turns(("anna", "bob", "cy")), [1.5 + i for i in range(N)], turns(("a", "b")), strict=True
        )
    ]
    content = lines("| name | value | class |", "|---|--:|:-:|", *rows).encode()
    truth = {"name": text("anna", "bob"), "value": number(1.5, 2.5), "class": text("a", "b")}
    return KnownTable("a table in Markdown", "notes.md", content, N, truth)


@known
def database_dump():
    columns = turned(("anna", "\\N", "cy"), days("2024-01-05"), ("1.5", "\\N", "2.25"), ("t", "f", "\\N"))
    rows = [f"{i}\t{n}\t{d} 00:00:00\t{v}\t{b}" for i, (n, d, v, b) in enumerate(columns, 1)]
    content = lines("id\tname\tday\tvalue\tok", *rows).encode()
    truth = {
        "id": unused(), "name": text("anna", None, "cy"), "day": date("2024-01-05"),
        "value": number(1.5, None, 2.25), "ok": yes_no("f", "t"),
    }  # fmt: skip
    return KnownTable("a database's dump: missing as \\N", "dump.tsv", content, N, truth, target="name")


@known
def pandas_crosstab():
    frame = pd.DataFrame({"region": turns(("north", "south", "east")), "item": turns(("a", "b"))})
    counts = pd.crosstab(frame["region"], frame["item"], margins=True)
    content = counts.to_csv().encode()
    truth = {
        "region": text("east", "north"), "a": number(4, 4, 4, 12), "b": number(4, 4, 4, 12),
        "All": number(8, 8, 8, 24),
    }  # fmt: skip
    return KnownTable(
        "pandas, crosstab with its totals", "counts.csv", content, 4, truth, asks=("All",), target="region"
    )
