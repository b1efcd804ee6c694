"""The bytes of files that a data frame, or other files, are written to."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import pandas as pd

from espalier.data.options import ReadOptions
from espalier.data.table import Table, read_table


def excel(frame: pd.DataFrame, **options) -> bytes:
    out = io.BytesIO()
    frame.to_excel(out, index=False, **options)
    return out.getvalue()


def parquet(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.to_parquet(out)
    return out.getvalue()


def zipped(files: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def read(content: str | bytes, name: str = "x.csv", options: ReadOptions | None = None) -> Table:
    """Return the table in a text, or in the bytes of a file of this name."""
    return read_table(content.encode() if isinstance(content, str) else content, name, options)
