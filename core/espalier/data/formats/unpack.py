"""Unpack a compressed upload within limits; content that exceeds them is refused on the way."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib

from espalier.data.errors import TableError, listed, quoted
from espalier.language import say
from espalier.settings import MAX_UNPACKED_MB, MAX_UPLOAD_MB

MB = 1_000_000
OF_WORKBOOK = re.compile(rb"PK\x03\x04.{26}xl/", re.DOTALL)  # the head of a packed file in the folder xl


def unpack(source: bytes, filename: str) -> tuple[bytes, str]:
    """Return content and name of the one file inside a .gz or .zip; any other file unchanged.

    Raises TableError if its content is too large, damaged, protected, or holds several files.
    """
    if source[:2] == b"\x1f\x8b":
        return _gunzip(source), _inner_name(filename)
    if source[:4] in (b"PK\x03\x04", b"PK\x05\x06") and not is_excel(source):
        return _unzip(source, filename)
    return source, filename


def check_upload(source: bytes) -> None:
    """Raise TableError if an upload is too large."""
    if len(source) > MAX_UPLOAD_MB * MB:
        raise TableError(
            say("The file is too large: {n} MB.", n=round(len(source) / MB)),
            say("The limit for an upload is {n} MB.", n=MAX_UPLOAD_MB),
            say("Compress it with gzip, leave columns out, or take a random part of its rows."),
        )


def is_excel(source: bytes) -> bool:
    """Return whether a zip is an Excel workbook (.xlsx)."""
    try:
        with zipfile.ZipFile(io.BytesIO(source)) as archive:
            return any(name.startswith("xl/") for name in archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return OF_WORKBOOK.search(source) is not None  # damaged, but once a workbook


def check_unpacked_size(archive: zipfile.ZipFile) -> None:
    """Refuse a zip whose files claim more than the limit. A zip cannot give more bytes than it claims."""
    if sum(info.file_size for info in archive.infolist()) > MAX_UNPACKED_MB * MB:
        raise _too_large()


def _gunzip(source: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(source)) as file:
            content = file.read(MAX_UNPACKED_MB * MB + 1)  # never more than this in memory
    except EOFError as wrong:
        raise _damaged(
            "gzip", say("It ends in the middle, as after an upload or download that broke off.")
        ) from wrong
    except (OSError, zlib.error) as wrong:
        raise _damaged("gzip", say("The packed bytes contradict each other.")) from wrong
    if len(content) > MAX_UNPACKED_MB * MB:
        raise _too_large()
    return content


def _unzip(source: bytes, filename: str) -> tuple[bytes, str]:
    try:
        with zipfile.ZipFile(io.BytesIO(source)) as archive:
            return _only_file(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as wrong:
        if isinstance(wrong, TableError):
            raise
        if filename.lower().endswith((".xlsx", ".xlsm")):
            raise damaged_workbook(say("It ends before any of its sheets.")) from wrong
        raise _damaged("zip", say("Its list of files or the file inside contradicts itself.")) from wrong


def check_kind(archive: zipfile.ZipFile) -> None:
    """Raise TableError for spreadsheets that are zips as .xlsx is, but with other files inside."""
    names = {info.filename for info in archive.infolist()}
    if "xl/workbook.bin" in names:
        kind = ".xlsb"
    elif "Index/Document.iwa" in names:
        kind = ".numbers"
    elif {"mimetype", "content.xml"} <= names:
        kind = ".ods"
    else:
        return
    raise TableError(
        say("This is a spreadsheet of another kind ({kind}).", kind=kind),
        say("Its format cannot be read here."),
        say("Save it as .xlsx or as CSV and upload that."),
    )


def _only_file(archive: zipfile.ZipFile) -> tuple[bytes, str]:
    check_kind(archive)
    infos = [i for i in archive.infolist() if not i.is_dir() and not i.filename.startswith("__MACOSX/")]
    if len(infos) != 1:
        names = listed([quoted(i.filename) for i in infos], 4) or say("nothing")
        raise TableError(
            say("The zip holds {n} files, but a table is one file.", n=len(infos)),
            say("Inside are {names}.", names=names),
            say("Upload the one file you want, as it is or in a zip of its own."),
        )
    check_unpacked_size(archive)
    if infos[0].flag_bits & 1:
        raise TableError(
            say("The zip is protected by a password."),
            say("The file {name} inside cannot be opened.", name=quoted(infos[0].filename)),
            say("Unpack it on your computer and upload the file itself."),
        )
    with archive.open(infos[0]) as file:
        return file.read(MAX_UNPACKED_MB * MB), infos[0].filename.rsplit("/", 1)[-1]


def _inner_name(filename: str) -> str:
    return filename[:-3] if filename.lower().endswith(".gz") else filename


def _too_large() -> TableError:
    return TableError(
        say("The compressed file is too large once unpacked."),
        say("The limit is {n} MB of content; unpacking stopped there.", n=MAX_UNPACKED_MB),
        say("Take a random part of its rows, or leave columns out."),
    )


def damaged_workbook(where: str) -> TableError:
    """Return the error for an Excel workbook that cannot be read."""
    return TableError(
        say("The Excel file is damaged."),
        where,
        say("Open it in a spreadsheet program, save it again as .xlsx or as CSV, and upload that."),
    )


def _damaged(kind: str, where: str) -> TableError:
    return TableError(
        say("The {kind} file is damaged and cannot be unpacked.", kind=kind),
        where,
        say("Download or compress it again, or upload the file that was inside."),
    )
