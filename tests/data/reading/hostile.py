"""A corpus of hostile files, made as they are asked for: none is honest, some cost seconds or gigabytes if let."""

from __future__ import annotations

import decimal
import io
import json
import random
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.tools.files import zipped

Make = Callable[[], bytes]


class Outcome(NamedTuple):
    """What became of a file."""

    words: str  # "table", our own error, or "FAULT"
    peak_mb: float


CELLS = {
    "empty": "", "space": " ", "nul": "a\0b", "bell": "\a\b\x1b[31m", "tab": "a\tb", "newline": "a\nb", "cr": "a\rb",
    "quote": '"', "two quotes": '""', "open quote": '"a', "apostrophe": "it's", "backslash": "\\", "brace": "{x}",
    "formula": "=HYPERLINK(1)", "bidi": "\u202eevil\u202c", "zero width": "\u200b\ufeff", "separator": "a\u2028b\u2029c",
    "next line": "a\x85b\x0bc\x0cd", "combining": "e" + "\u0301" * 500, "emoji": "👩‍👩‍👧‍👦", "astral": "\U0010ffff",
    "long": "x" * 100_000, "too long": "y" * 140_000, "digits": "9" * 6_000, "huge": "1e999", "tiny": "1e-999",
    "hex": "0x1F", "underscore": "1_000", "arabic": "٣٤٥", "minus": "−5", "percent": "12 %", "script": "<script>1</script>",
    "infinity": "-inf", "date": "9999-99-99", "far date": "20000-01-01", "null": "NULL", "comment": "# % //",
}  # fmt: skip
NUMBERS = {
    "bigid": ["123456789012345678"] * 4, "neighbours": ["0.3", "0.30000000000000004"] * 2,
    "largest": ["1.7976931348623157e308", "-1.7976931348623157e308"] * 2, "denormal": ["5e-324", "0"] * 2,
    "mixed": ["1e308", "1e-308", "0", "-1e308"], "infinite": ["inf", "-inf", "nan", "1"], "long": ["1" * 400] * 4,
    "signs": ["+1", "-1", "++1", "--1"], "points": ["1.2.3", "1,2,3", "1.2,3", "1,2.3"], "exponent": ["1e", "e1", "1e+", "1e5"],
    "codes": ["007", "08", "0", "00"], "brackets": ["(12)", "(0)", "1", "2"], "money": ["$1,234.50", "€5", "£-3", "¥"],
    "all missing": ["", "?", "NA", "-"], "one left": ["", "5", "", ""], "wide": ["1e16", "10000000000000002"] * 2,
}  # fmt: skip


def csv_of(rows: list[list[str]], delimiter: str = ",") -> bytes:
    """Rows as a program would write them, quoted where need be."""
    import csv

    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


def parquet_of(table: pa.Table, **options) -> bytes:
    """A Parquet file."""
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def workbook_of(sheet: str, strings: list[str] | None = None) -> bytes:
    """A workbook with the rows that stand in `sheet` as XML."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {"/xl/workbook.xml": "sheet.main", "/xl/worksheets/sheet1.xml": "worksheet"}
    parts |= {"/xl/sharedStrings.xml": "sharedStrings"} if strings is not None else {}
    types = "".join(f'<Override PartName="{p}" ContentType="{kind}.{t}+xml"/>' for p, t in parts.items())
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" Type="{office}/officeDocument"'
        ' Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="S" sheetId="1" r:id="r1"/>'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>',
    }  # fmt: skip
    if strings is not None:
        inside = "".join(f"<si><t>{s}</t></si>" for s in strings)
        files["xl/sharedStrings.xml"] = f'<sst xmlns="{main}">{inside}</sst>'
    return zipped({name: text.encode("utf-8", "replace") for name, text in files.items()})


def cell_files() -> dict[str, Make]:
    """Each strange cell in each format."""
    found: dict[str, Make] = {}
    for name, cell in CELLS.items():
        plain = "".join(c for c in cell if c >= " " or c in "\t\n")
        escaped = plain.replace("&", "&amp;").replace("<", "&lt;")
        rows = [["a", "b", "c"], [cell, "1", "x"], ["k", "2", "y"], [cell, "3", "x"]]
        records = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
        raw = f"a,b,c\n{cell},1,x\nk,2,y\n{cell},3,x\n"
        arff = f"@relation r\n@attribute a string\n@attribute b real\n@attribute c {{x,y}}\n@data\n{cell},1,x\n'{cell}',2,y\n"
        sheet = "".join(
            f'<row><c t="inlineStr"><is><t>{escaped}</t></is></c><c><v>{i}</v></c></row>' for i in range(4)
        )
        column = [cell, "k", None, cell]
        found |= {
            f"cell {name}.csv": lambda rows=rows: csv_of(rows),
            f"cell {name} raw.csv": lambda raw=raw: raw.encode(),
            f"cell {name} as a name.csv": lambda rows=rows: csv_of([[rows[1][0], "b"], ["1", "2"], ["3", "4"]]),
            f"cell {name}.jsonl": lambda records=records: "\n".join(map(json.dumps, records)).encode(),
            f"cell {name}.arff": lambda arff=arff: arff.encode(),
            f"cell {name}.xlsx": lambda sheet=sheet: workbook_of(sheet),
            f"cell {name}.parquet": lambda column=column: parquet_of(pa.table({"a": column, "b": [1, 2, 3, 4]})),
        }
    return found


def number_files() -> dict[str, Make]:
    """Strange numbers, as a feature and as the target."""
    found: dict[str, Make] = {}
    for name, column in NUMBERS.items():
        rows = [
            ["a", "b", "target"],
            *([x, str(i), y] for i, (x, y) in enumerate(zip(column, column[::-1], strict=True))),
        ]
        found[f"numbers {name}.csv"] = lambda rows=rows: csv_of(rows)
        found[f"numbers {name}.tsv"] = lambda rows=rows: csv_of(rows, "\t")
        found[f"numbers {name}.csv2"] = lambda rows=rows: csv_of(rows, ";")
    return found


def layout_files() -> dict[str, Make]:
    """Texts whose lines, quotes and encodings contradict each other."""
    good = "a,b,c\n" + "".join(f"{i},{'xy'[i % 2]},ä{i}\n" for i in range(50))
    noise = random.Random(0).randbytes(5_000)
    texts = {
        "empty": b"", "blank": b" \n\t\n", "one line": b"a,b,c", "one cell": b"1", "commas": b"," * 5_000, "lines": b"\n" * 5_000,
        "quotes": b'"' * 5_001, "quote in line": b'a,b\n1,"x"y"z\n2,w\n', "open": b'a,b\n1,"x\n' + b"2,y\n" * 999,
        "ragged": b"a,b\n" + b"".join(b"1," * (i % 7) + b"1\n" for i in range(999)), "nul late": good.encode() * 999 + b"1,\0,x\n",
        "noise": noise, "noise lines": b"a,b\n" + noise, "cr": good.replace("\n", "\r").encode(), "mixed ends": b"a,b\r1,2\n3,4\r\n5,6\n\r",
        "same names": b",".join([b"a"] * 3_000) + b"\n" + b",".join([b"1"] * 3_000) + b"\n2" + b",2" * 2_999 + b"\n",
        "names of numbers": b"1,2,3\n4,5,6\n7,8,9\n", "title": b"A report; of 2020\n\n\na,b\n1,2\n3,4\n", "title only": b"x\n" * 30 + b"a,b\n1,2\n",
        "semicolons in cells": b'id,name\n1,"Doe; J"\n2,"Roe; M"\n', "utf-7": "a,b\n1,ä\n2,ü\n".encode("utf-7"), "zeros": bytes(3_000),
        "utf-32": good.encode("utf-32"), "utf-16": good.encode("utf-16"), "utf-16 odd": good.encode("utf-16")[:-1],
        "latin": good.encode("latin-1"), "mixed codes": good.encode() + good.encode("latin-1"), "bom only": b"\xef\xbb\xbf",
        "two boms": b"\xef\xbb\xbf" * 2 + good.encode(), "surrogates": b"a,b\n\xed\xa0\x80,1\nx,2\n", "overlong": b"a,b\n\xc0\xaf,1\nx,2\n",
        "elf": b"\x7fELF" + noise, "pdf": b"%PDF-1.7\n", "html": b"<html><table><tr><td>1</td></tr></table></html>",
        "ole": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + noise, "brace": b"{x},b\n1,2\n3,4\n", "bracket": b"[x],b\n1,2\n3,4\n",
        "long name": b"n" * 200_000 + b",b\n1,2\n3,4\n", "fields": b"\n".join(b",".join([b"%d" % i] * 9) for i in range(4_000)),
        "spaces": b"   a    b\n   1    2\n   3    4\n", "bars": b"|a|b|\n|1|2|\n|3|4|\n", "only header": b"a,b,c\n", "rows of one": b"a,b\n1\n2\n3\n",
    }  # fmt: skip
    return {f"layout {name}.csv": lambda text=text: text for name, text in texts.items()}


def json_files() -> dict[str, Make]:
    """JSON that is broken, deep, or no table."""
    texts = {
        "list": "[]", "object": "{}", "empty objects": "{}\n{}\n", "numbers": "[1,2]", "nested": '{"a":[1],"b":{"c":1}}\n{"a":[2],"b":{}}',
        "deep": '{"a":' * 50_000, "deep list": "[" * 50_000, "half": '{"a":1,"b":"x"}\n{"a":2,', "twice": '{"a":1,"a":2,"b":1}\n{"a":3,"b":2}',
        "surrogate": '{"a":"\\ud800","\\udfff":1}\n{"a":"b"}', "nan": '{"a":NaN,"b":Infinity}\n{"a":1,"b":2}', "big int": '{"a":1' + "0" * 5_000 + "}",
        "long int": '{"a":1' + "0" * 400 + ',"b":1}\n{"a":2,"b":2}', "kinds": '{"a":1,"b":"x"}\n{"a":"y","b":true}\n{"a":null,"b":2.5}',
        "no names": '{"":1," ":2}\n{"":3," ":4}', "string": '"a"', "trailing": '[{"a":1,"b":2}] x', "bom": '\ufeff{"a":1,"b":2}\n{"a":2,"b":3}',
        "separators": '{"a":"x\u2028y","b":1}\n{"a":"z\u0085w","b":2}', "new names": "\n".join(f'{{"n{i}":{i}}}' for i in range(6_000)),
        "many names": "{" + ",".join(f'"n{i}":1' for i in range(30_000)) + "}",
    }  # fmt: skip
    return {f"json {name}.jsonl": lambda text=text: text.encode() for name, text in texts.items()}


def arff_files() -> dict[str, Make]:
    """ARFF that breaks its own declarations."""
    two = "@relation r\n@attribute a {head}\n@attribute b real\n@data\n"
    texts = {
        "twice": two.replace("{head}", "{x,x,y}") + "x,1\ny,2\nx,3\n", "stranger": two.replace("{head}", "{x}") + "y,1\n",
        "no type": "@relation r\n@attribute a\n@data\n1\n", "no data": "@relation r\n@attribute a real\n", "relational": "@attribute a relational\n",
        "same names": "@relation r\n" + "@attribute a real\n" * 500 + "@data\n" + ",".join("1" * 500) + "\n" + ",".join("2" * 500),
        "sparse": two.replace("{head}", "{x,y}") + "{0 y,1 2}\n{}\n{1 5}\n", "sparse wrong": two.replace("{head}", "real") + "{9 1}\n",
        "open": two.replace("{head}", "string") + "'abc,1\n", "escapes": two.replace("{head}", "string") + "'a\\'b',1\n'\\\\',2\n",
        "weights": two.replace("{head}", "{x,y}") + "x,1,{5}\ny,2,{1}\n", "empty set": two.replace("{head}", "{}") + "?,1\n?,2\n",
        "no set": two.replace("{head}", "{x") + "x,1\n", "comments": "% a\n" * 999 + two.replace("{head}", "real") + "%\n1,2\n\n3,4\n",
        "none": "@relation r\n@data\n1,2\n", "date": two.replace("{head}", 'date "yyyy"') + "1999,1\n2000,2\n",
        "levels": two.replace("{head}", "{" + ",".join(f"v{i}" for i in range(20_000)) + "}") + "v7,1\n" * 5_000,
    }  # fmt: skip
    return {f"arff {name}.arff": lambda text=text: text.encode() for name, text in texts.items()}


def parquet_files() -> dict[str, Make]:
    """Every type a column can have, and files cut or bent."""
    import datetime as d

    columns = {
        "uint64": pa.array([2**64 - 1] * 3, pa.uint64()), "decimal": pa.array([decimal.Decimal(10**50)] * 3, pa.decimal256(60, 2)),
        "half": pa.array(np.array([1, 2, 3], np.float16)), "null": pa.nulls(3), "bool": pa.array([True, False, None]),
        "list": pa.array([[1], [], None]), "struct": pa.array([{"x": 1}] * 3), "map": pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int64())),
        "binary": pa.array([b"\xff", b"", None]), "bad text": pa.array([b"\xff", b"\xed\xa0\x80", b"x"]).view(pa.string()),
        "bad dictionary": pa.array([b"\xff", b"x", b"\xff"]).view(pa.string()).dictionary_encode(), "large text": pa.array(["x"] * 3, pa.large_string()),
        "far time": pa.array([2**62, -(2**62), 0], pa.timestamp("us")), "ns": pa.array([2**62, 0, None], pa.timestamp("ns")),
        "zone": pa.array([0, 1, 2], pa.timestamp("s", "Asia/Tokyo")), "seconds": pa.array([2**40, -(2**40), 0], pa.timestamp("s")),
        "date": pa.array([d.date(1, 1, 1), d.date(9999, 12, 31), None]), "time": pa.array([d.time(1), d.time(2), None]),
        "duration": pa.array([1, 2, 3], pa.duration("s")), "numbers as dictionary": pa.array([1, 2, 1]).dictionary_encode(),
        "nan": pa.array([float("nan"), float("inf"), -0.0]), "int64": pa.array([2**63 - 1, -(2**63), 0]), "fixed": pa.array([b"ab"] * 3, pa.binary(2)),
    }  # fmt: skip
    found: dict[str, Make] = {
        f"parquet {name}.parquet": lambda column=column: parquet_of(
            pa.table({"a": column, "b": [1, 2, 3], "c": list("xyx")})
        )
        for name, column in columns.items()
    }
    whole = parquet_of(pa.table({"a": list(range(500)), "b": [f"w{i % 9}" for i in range(500)]}))
    bent = random.Random(1)
    for i in range(12):
        at = bent.randrange(4, len(whole) - 4)
        found[f"parquet bent {i}.parquet"] = lambda at=at: whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :]
    empty = pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())})
    found |= {
        "parquet cut.parquet": lambda: whole[:-30], "parquet head.parquet": lambda: b"PAR1" * 3, "parquet none.parquet": lambda: parquet_of(empty),
        "parquet no columns.parquet": lambda: parquet_of(pa.table({})), "parquet same names.parquet": lambda: parquet_of(pa.table([[1, 2], [3, 4]], names=["a", "a"])),
    }  # fmt: skip
    return found


def small_files() -> dict[str, Make]:
    """The files that are small also when they are read."""
    return {**cell_files(), **number_files(), **layout_files(), **json_files(), **arff_files(), **parquet_files()}


def tried(name: str, source: bytes) -> Outcome:
    """What becomes of the file in a process with limits."""
    from espalier.data.background import PATIENCE, _waiting
    from espalier.data.contents import question
    from espalier.sandbox import keeper
    from espalier.settings import MAX_READ_SECONDS

    reader = _waiting.take()
    try:
        answer = keeper.ask(reader, question(source, name, None), PATIENCE * MAX_READ_SECONDS)
    except keeper.TooLate:
        answer = {"wrong": ["too late"], "peak": 0}
    _waiting.give_back(reader, answer)
    if answer is None:
        return Outcome("refused: its process ended", 0)
    words = "table" if "wrong" not in answer else f"refused: {' '.join(answer['wrong'])}"
    return Outcome(f"FAULT {answer['fault']}" if "fault" in answer else words, answer["peak"] / 1e6)
