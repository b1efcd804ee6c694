"""A corpus of hostile files, made as they are asked for: none is honest, some cost seconds or gigabytes if let."""

from __future__ import annotations

import decimal
import gzip
import io
import json
import random
import zipfile
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


def large_files() -> dict[str, Callable[[], bytes]]:
    """Small files that swell."""
    return {
        "large wide.csv.gz": lambda: packed(b",".join(b"c%d" % i for i in range(2_500)) + b"\n", b"1," * 2_499 + b"1\n", 70_000),
        "large rows.csv.gz": lambda: packed(b"a,b,c\n", b"1,2,3\n", 3_000_000),
        "large 399 MB.csv.gz": lambda: packed(b"a,b,c,d,e\n", b"1.5,some words here," + b"x" * 370 + b",2,y\n", 990_000),
        "large 200 MB.csv.gz": lambda: packed(b"a,b,c,d,e\n", b"1.5,some words here," + b"x" * 170 + b",2,y\n", 990_000),
        "large cells.csv.gz": lambda: packed(b"a,b" * 10 + b"\n", b"1.5,x" + b",2.25,y" * 4 + b",0.125\n", 990_000),
        "large numbers.csv.gz": lambda: numbers(1_000_000),
        "large quotes.csv.gz": lambda: gzip.compress(b"a,b\n" + b'"' * 100_000_000, 1),
        "large quoted.csv.gz": lambda: packed(b"a,b\n", b'"x\ny",1\n', 990_000),
        "large cell.csv": lambda: b"a,b\n1," + b"x" * 30_000_000 + b"\n2,y\n",
        "large line.csv": lambda: b"x" * 30_000_000,
        "large commas.csv.gz": lambda: gzip.compress(b"," * 100_000_000, 1),
        "large commas after a quotation.csv.gz": lambda: gzip.compress(b'""' + b"," * 49_000_000, 1),
        "large commas below names.csv.gz": lambda: gzip.compress(b"a,b\n" + b"," * 24_900_000, 1),
        "large newlines.csv.gz": lambda: gzip.compress(b"\n" * 100_000_000, 1),
        "large ragged.csv.gz": lambda: packed(b"a,b\n1\n", b"1,2\n", 990_000),
        "large bomb.csv.gz": lambda: gzip.compress(bytes(10**9), 1),
        "large bomb of bombs.csv.gz": lambda: gzip.compress(gzip.compress(bytes(10**8), 1)),
        "large spaces.csv.gz": lambda: gzip.compress(b"a b\n" + b" " * 100_000_000 + b"\n1 2\n", 1),
        "large texts.csv.gz": lambda: gzip.compress(b"a,b\n" + b"".join(b"word %d,%d\n" % (i, i % 7) for i in range(900_000)), 1),
        "large utf-16.csv.gz": lambda: gzip.compress(("a,b\n" + "1,ä\n" * 900_000).encode("utf-16"), 1),
        "large same names.csv": lambda: b",".join([b"a"] * 20_000) + b"\n" + (b",".join([b"1"] * 20_000) + b"\n") * 20,
        "large genes.csv.gz": lambda: packed(b",".join(b"g%d" % i for i in range(7_130)) + b"\n", b"1.25," * 7_129 + b"x\n", 100),
        "large names.csv": lambda: b",".join(b"c%d" % i for i in range(20_000)) + b"\n" + b"1," * 19_999 + b"2\n" + b"x," * 19_999 + b"3\n",
        "large last column.xlsx": lambda: workbook_of("".join(f'<row r="{i}"><c r="XFD{i}"><v>1</v></c></row>' for i in range(1, 20_001))),
        "large empty cells.xlsx": lambda: workbook_of("".join(["<row>" + "<c/>" * 5_000 + "</row>"] * 10_000)),
        "large empty cells with names.xlsx": lambda: workbook_of("".join(["<row>" + '<c r="A1"/>' * 1_000 + "</row>"] * 10_000)),
        "large row number.xlsx": lambda: workbook_of('<row r="1"><c><v>1</v></c></row><row r="2000000000"><c><v>1</v></c></row>'),
        "large one row.xlsx": lambda: workbook_of("<row>" + "<c><v>1</v></c>" * 2_000_000 + "</row>"),
        "large rows.xlsx": lambda: workbook_of("<row><c><v>1.5</v></c><c><v>2</v></c></row>" * 900_000),
        "large strings.xlsx": lambda: workbook_of("<row><c><v>1</v></c></row>", ["s" * 50] * 3_000_000),
        "large string.xlsx": lambda: workbook_of('<row><c t="s"><v>0</v></c></row>' * 99, ["s" * 30_000_000]),
        "large spaces.xlsx": lambda: workbook_of(" " * 300_000_000),
        "large laughs.xlsx": laughs,
        "large zip.zip": lambda: zipped({"a.csv": bytes(10**9)}),
        "large files.zip": lambda: zipped({f"{i}.csv": b"a" for i in range(60_000)}, zipfile.ZIP_STORED),
        "large zip in zip.zip": lambda: zipped({"a.zip": zipped({"b.csv": b"a,b\n1,2\n"})}),
        "large dictionary.parquet": lambda: dictionary(20_000, 300_000),
        "large dictionary of 900.parquet": lambda: dictionary(900, 1_000_000),
        "large constants.parquet": lambda: parquet_of(pa.table({f"c{i}": pa.array([1.0] * 10_000) for i in range(3_000)})),
        "large rows.parquet": lambda: parquet_of(pa.table({"a": pa.nulls(50_000_000, pa.int8()), "b": pa.nulls(50_000_000, pa.int8())})),
        "large numbers.parquet": lambda: parquet_of(pa.table({f"c{i}": pa.array(range(1_000_000)) for i in range(24)})),
        "large attributes.arff": lambda: b"@relation r\n" + b"@attribute a real\n" * 100_000 + b"@data\n",
        "large sparse.arff": lambda: b"@relation r\n" + b"@attribute a real\n" * 9_000 + b"@data\n" + b"{}\n" * 1_000_000,
        "large rows.arff.gz": lambda: packed(b"@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n", b"1.5,x\n2.5,y\n", 450_000),
        "large quoted.arff.gz": lambda: packed(b"@relation r\n@attribute a string\n@attribute b real\n@data\n", b"'x\\'y',1\n", 900_000),
        "large lines.jsonl.gz": lambda: packed(b"", b'{"a":1.5,"b":"some words","c":true}\n', 990_000),
        "large list.json.gz": lambda: gzip.compress(b"[" + b'{"a":1.5,"b":"some words"},' * 2_000_000 + b'{"a":1}]', 1),
        "large new names.jsonl": lambda: b"".join(b'{"n%d":1}\n' % i for i in range(100_000)),
        "large objects.jsonl.gz": lambda: gzip.compress(b"{}\n" * 5_000_000, 1),
        "large nested.jsonl.gz": lambda: packed(b"", b'{"a":' + b"[" * 500 + b"]" * 500 + b',"b":1}\n', 90_000),
        "large number.jsonl": lambda: b'{"a":' + b"1" * 10_000_000 + b"}",
    }  # fmt: skip


def numbers(rows: int) -> bytes:
    """So many rows of 24 numbers."""
    return packed(b",".join(b"c%d" % i for i in range(24)) + b"\n", b"1.25," * 23 + b"7\n", rows)


def packed(head: bytes, row: bytes, n: int) -> bytes:
    """A gzip of the row, many times over."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1, mtime=0) as file:
        file.write(head)
        block = row * 1_000
        for _ in range(n // 1_000):
            file.write(block)
        file.write(row * (n % 1_000))
    return out.getvalue()


def dictionary(length: int, n_rows: int) -> bytes:
    """A Parquet file of one long text that stands in every row."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * n_rows, pa.int32()), pa.array(["x" * length]))
    return parquet_of(pa.table({"a": column, "b": pa.array(range(n_rows))}))


def laughs() -> bytes:
    """A workbook whose text names itself ten times over, ten times over."""
    entities = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    sheet = workbook_of("<row><c><v>1</v></c></row>")
    files = {
        info.filename: zipfile.ZipFile(io.BytesIO(sheet)).read(info)
        for info in zipfile.ZipFile(io.BytesIO(sheet)).infolist()
    }
    head = f"<?xml version='1.0'?><!DOCTYPE w [{entities}]>".encode()
    body = files["xl/worksheets/sheet1.xml"].replace(b"<v>1</v>", b"<v>&a9;</v>")
    return zipped({**files, "xl/worksheets/sheet1.xml": head + body})
