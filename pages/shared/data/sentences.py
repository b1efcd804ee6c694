"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.display.theme import count
from espalier.language import say, to_say

NO_UPLOADS = to_say("This server takes no tables: choose one of the samples.")


def limits(megabytes: int, n_rows: int, n_columns: int, n_cells: int) -> str:
    """Formats that can be uploaded, and the most of each size."""
    return say(
        "CSV, TSV, Excel (.xlsx), Parquet, ARFF or JSON lines, also as .gz or .zip; up to {megabytes} MB, "
        "{n_rows} rows, {n_columns} columns and {n_cells} million cells. It stays on this server.",
        megabytes=megabytes,
        n_rows=count(n_rows),
        n_columns=count(n_columns),
        n_cells=n_cells // 1000000,
    )


def progress_text(step: str) -> str:
    """Text beside the bar while a file is read."""
    return say("**Reading the file**: {step} …", step=step.lower(), step_2=step)
