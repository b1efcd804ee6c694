"""Recognise a file's format by its bytes, and name files that are not tables."""

from __future__ import annotations

import json
import re

from espalier.data.errors import TableError
from espalier.data.formats.arff import looks_like_arff
from espalier.data.formats.encodings import BOMS
from espalier.data.formats.unpack import is_excel
from espalier.data.formats.workbook import OLD_EXCEL, old_or_protected

TEXT_FORMATS = {"text": "Text (CSV and the like)", "json": "JSON", "arff": "ARFF"}  # which bytes may not reveal
NOT_TABLES = {
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"\xcf\xfa\xed\xfe": "a program",
    b"SQLite format 3\0": "a database (SQLite)",
    b"\x89HDF": "an HDF5 file",
    b"\x93NUMPY": "an array of NumPy",
    b"\x80\x04\x95": "a pickle of Python",
    b"\x80\x05\x95": "a pickle of Python",
    b"RDX": "a file of R (.RData)",
    b"$FL2": "a file of SPSS (.sav)",
    b"<stata_dta": "a file of Stata (.dta)",
    b"ARROW1": "a Feather file",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"\x1f\x8b": "a gzip file inside another",
}


def guess_format(content: bytes, filename: str) -> str:
    """Return the format of the bytes: the content counts more than the file's extension."""
    if content[:4] == b"PAR1":
        return "parquet"
    if content[:4] == b"PK\x03\x04" or is_excel(content):
        return "excel"
    start = _characters(content[:20_000]).lstrip("\ufeff \t\r\n")
    if looks_like_arff(start):
        return "arff"
    return "json" if re.match(r'(\[\s*)?\{\s*("|\}|$)', start) or _is_list(content, start) else "text"


def check_content(content: bytes) -> None:
    """Raise TableError for bytes that are not a table, whatever the file's name."""
    if not content.strip():
        raise TableError(
            "The file is empty.",
            "There is not a single character in it.",
            "Check that it was saved, and upload it again.",
        )
    if content.startswith(OLD_EXCEL):
        raise old_or_protected(content)
    if content[:4] == b"PK\x03\x04" and not is_excel(content):
        raise TableError(
            "Inside the zip is another zip, or an office document, not a table.",
            "Its first bytes say so, whatever its name is.",
            "Unpack it on your computer, and upload the table itself.",
        )
    for magic, what in NOT_TABLES.items():
        if content.startswith(magic):
            raise TableError(
                f"This is {what}, not a table.",
                "Its first bytes say so, whatever its name is.",
                "Upload CSV, TSV, Excel (.xlsx), Parquet, ARFF or JSON lines, also as .gz or .zip.",
            )


def _characters(start: bytes) -> str:
    encoding = next((encoding for bom, encoding in BOMS if start.startswith(bom)), "utf-8")
    return start.decode(encoding, "ignore")


def _is_list(content: bytes, start: str) -> bool:
    """Return whether a text that begins with "[" is a JSON list, not an interval such as "[0,1)"."""
    if start[:1] != "[" or content.rstrip()[-1:] != b"]":
        return False
    try:
        return isinstance(json.loads(content), list)
    except (ValueError, RecursionError):
        return False
