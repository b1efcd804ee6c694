"""Recognise a file's format by its bytes, and name files that are not tables."""

from __future__ import annotations

import json
import re

from espalier.data.errors import TableError
from espalier.data.formats.arff import looks_like_arff
from espalier.data.formats.encodings import BOMS
from espalier.data.formats.unpack import is_excel
from espalier.data.formats.workbook import OLD_EXCEL, old_or_protected
from espalier.language import say, to_say

TEXT_FORMATS = {
    "text": to_say("Text (CSV and the like)"),
    "json": "JSON",
    "arff": "ARFF",
}  # which bytes may not reveal
NOT_TABLES = {
    b"%PDF": to_say("This is a PDF, not a table."),
    b"\x89PNG": to_say("This is a picture, not a table."),
    b"\xff\xd8\xff": to_say("This is a picture, not a table."),
    b"GIF8": to_say("This is a picture, not a table."),
    b"\x7fELF": to_say("This is a program, not a table."),
    b"MZ\x90": to_say("This is a program, not a table."),
    b"\xcf\xfa\xed\xfe": to_say("This is a program, not a table."),
    b"SQLite format 3\0": to_say("This is a database (SQLite), not a table."),
    b"\x89HDF": to_say("This is an HDF5 file, not a table."),
    b"\x93NUMPY": to_say("This is an array of NumPy, not a table."),
    b"\x80\x04\x95": to_say("This is a pickle of Python, not a table."),
    b"\x80\x05\x95": to_say("This is a pickle of Python, not a table."),
    b"RDX": to_say("This is a file of R (.RData), not a table."),
    b"$FL2": to_say("This is a file of SPSS (.sav), not a table."),
    b"<stata_dta": to_say("This is a file of Stata (.dta), not a table."),
    b"ARROW1": to_say("This is a Feather file, not a table."),
    b"7z\xbc\xaf": to_say("This is a 7z archive, not a table."),
    b"Rar!": to_say("This is a RAR archive, not a table."),
    b"BZh": to_say("This is a bzip2 archive, not a table."),
    b"\xfd7zXZ": to_say("This is an xz archive, not a table."),
    b"\x28\xb5\x2f\xfd": to_say("This is a zstd archive, not a table."),
    b"\x1f\x8b": to_say("This is a gzip file inside another, not a table."),
}

HTML = re.compile(r"<(!doctype\shtml|html|head|body|table|meta|style|div)[\s>]|mime-version:", re.IGNORECASE)
OF_EXCEL_2003 = "urn:schemas-microsoft-com:office:spreadsheet"


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
            say("The file is empty."),
            say("There is not a single character in it."),
            say("Check that it was saved, and upload it again."),
        )
    if content.startswith(OLD_EXCEL):
        raise old_or_protected(content)
    if content[:4] == b"PK\x03\x04" and not is_excel(content):
        raise TableError(
            say("Inside the zip is another zip, or an office document, not a table."),
            say("Its first bytes say so, whatever its name is."),
            say("Unpack it on your computer, and upload the table itself."),
        )
    _check_markup(_characters(content[:4_000]).lstrip("\ufeff \t\r\n"))
    for magic, what in NOT_TABLES.items():
        if content.startswith(magic):
            raise TableError(
                say(what),
                say("Its first bytes say so, whatever its name is."),
                say("Upload CSV, TSV, Excel (.xlsx), Parquet, ARFF or JSON lines, also as .gz or .zip."),
            )


def _check_markup(start: str) -> None:
    """Raise TableError for a text in HTML or XML: many programs export such a one under the name .xls."""
    is_xml = start[:5].lower() == "<?xml"
    body = re.sub(r"^(<\?[^>]*>|<!--.*?-->|\s)+", "", start, flags=re.DOTALL)
    if HTML.match(body):
        what = say("This is a web page (HTML), not a table.")
    elif is_xml and OF_EXCEL_2003 in start:
        what = say("This is a workbook in XML, as Excel 2003 saved it.")
    elif is_xml:
        what = say("This is an XML file, not a table.")
    else:
        return
    raise TableError(
        what,
        say("Its first characters say so, whatever its name is: some programs export one as .xls."),
        say("Open it in a spreadsheet program, save it as .xlsx or CSV, and upload that."),
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
