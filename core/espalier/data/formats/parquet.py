"""Read Parquet files in parts and count the decoded size: a small file may decode to gigabytes."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

from espalier.data.columns.numbers import LARGEST_EXACT
from espalier.data.errors import TableError, quoted
from espalier.data.formats.text import one_chunk
from espalier.data.limits import check_cell, check_decoded, check_shape
from espalier.language import say

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them

ROWS = 65_536  # read at a time


class Parquet(NamedTuple):
    """Names and columns as in the file; None: an unusable column."""

    names: list[str]
    columns: list[pa.Array | pd.Series | None]


def read_parquet(content: bytes) -> Parquet:
    """Return the columns: text as cells, numbers and times as values, nested or binary ones as None.

    Raises TableError for a damaged file, and as soon as a limit is exceeded.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(content), read_dictionary=_texts(content))
        _check(file.metadata)
        table = _read(file)
    except (TableError, MemoryError):  # Arrow's error of memory is one of Arrow's too
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as wrong:
        raise TableError(
            say("The Parquet file is damaged."),
            say("It could not be read to its end."),
            say("Write it again, or save the table as CSV and upload that."),
        ) from wrong
    return Parquet(table.column_names, [_usable(column) for column in table.columns])


def _texts(content: bytes) -> list[str]:
    """Return the columns of text, which are read dictionary-encoded: each text once."""
    schema = pq.read_schema(pa.BufferReader(content))
    return [field.name for field in schema if _is_text(field.type)]


def _check(metadata: Any) -> None:
    check_shape(metadata.num_rows, metadata.num_columns)
    check_decoded(sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups)))


def _read(file: pq.ParquetFile) -> pa.Table:
    batches, n_rows, n_bytes = [], 0, 0
    for batch in file.iter_batches(ROWS, use_threads=False):
        n_rows += batch.num_rows
        check_shape(n_rows, batch.num_columns)
        n_bytes += sum(map(_decoded_bytes, batch.schema.names, batch.columns))
        check_decoded(n_bytes)
        batches.append(batch)
    return pa.Table.from_batches(batches, file.schema_arrow if not batches else batches[0].schema)


def _decoded_bytes(name: str, column: pa.Array) -> int:
    """Return the bytes of the column with every text written out. Raises TableError for too long a text."""
    if not isinstance(column, pa.DictionaryArray) or not _is_text(column.type.value_type):
        return column.nbytes
    sizes = pc.binary_length(column.dictionary)
    check_cell(pc.max(sizes).as_py() or 0, say("It stands in the column {name}.", name=quoted(name)))
    return pc.sum(sizes.take(column.indices)).as_py() or 0


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _usable(column: pa.ChunkedArray) -> pa.Array | pd.Series | None:
    """Return text cells or values; None for nested or binary values, and for text that is not UTF-8."""
    try:
        return _values(column)
    except MemoryError:
        raise
    except (pa.ArrowException, ValueError, OverflowError):
        return None


def _values(column: pa.ChunkedArray) -> pa.Array | pd.Series | None:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_boolean(kind) or _is_text(kind):
        cells = one_chunk(column.cast(pa.string()))
        cells.validate(full=True)
        return cells
    is_exact = pa.types.is_integer(kind) or pa.types.is_decimal(kind)
    if is_exact and _is_beyond_floats(column):
        return one_chunk(column.cast(pa.string()))  # of which `numbers.read` keeps all digits
    if is_exact or pa.types.is_floating(kind):
        return column.cast(pa.float64(), safe=False).to_pandas().astype("float64")
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return pd.Series(column.cast(pa.timestamp("us"), safe=False).to_pandas())
    if pa.types.is_null(kind):
        return pd.Series([float("nan")] * len(column))
    return None


def _is_beyond_floats(column: pa.ChunkedArray) -> bool:
    """Return whether a number is so large that floats do not represent all whole numbers of its size."""
    ends = pc.min_max(column).as_py()
    return any(end is not None and abs(end) >= LARGEST_EXACT for end in ends.values())
