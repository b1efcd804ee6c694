"""The hostile files that cost seconds or gigabytes where they are let: each is small as it is sent."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable

import pyarrow as pa

from tests.data.reading.hostile import parquet_of, workbook_of
from tests.tools.files import zipped


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
