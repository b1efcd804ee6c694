"""Finished cells of a benchmark, which a later run need not do again.

    python -m benchmarks.cells FILE.sqlite > cells.csv         what is finished, as text
    python -m benchmarks.cells FILE.sqlite --add cells.csv     go on from such a text

A cell is known by all that its result depends on: the digest of its data, its model with all parameters, and the
version of the program. Each fold is kept as soon as it is done, so that a run may be broken off at any time. A row
of the text is a cell, with the numbers of its folds; `fold=number,number,…`.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sqlite3
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from espalier.kernels.compile_all import mark

SCHEMA = """
CREATE TABLE IF NOT EXISTS fold (data TEXT, model TEXT, version TEXT, fold TEXT, numbers TEXT,
PRIMARY KEY (data, model, version, fold)) WITHOUT ROWID
"""
HEADER = ("data", "model", "version", "folds")


class Cell(NamedTuple):
    """All that a result depends on but the fold."""

    data: str  # name and digest
    model: str
    version: str


class Cells:
    """The folds that are done, in an SQLite file, or only in memory where there is none.

    With `any_version` those of other versions of the program count, too: for what did not change the result.
    """

    def __init__(self, path: Path | None, any_version: bool = False):
        self._file = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._file.close)
        self._file.execute(SCHEMA)
        self._lock, self._versions = threading.Lock(), "*" if any_version else None

    def numbers(self, cell: Cell, fold: str, work: Callable[[], Iterable[float]]) -> list[float]:
        """Return what `work` gives for this fold; it is called only where that is not known."""
        there = self.folds(cell).get(fold)
        return self.keep(cell, fold, work()) if there is None else there

    def keep(self, cell: Cell, fold: str, numbers: Iterable[float]) -> list[float]:
        """Keep the numbers of a fold, and return them."""
        kept = [float(number) for number in numbers]
        self._ask("INSERT OR REPLACE INTO fold VALUES (?, ?, ?, ?, ?)", (*cell, fold, json.dumps(kept)))
        return kept

    def folds(self, cell: Cell) -> dict[str, list[float]]:
        """Return the numbers of a cell's folds that are done, by fold."""
        asked = cell._replace(version=self._versions or cell.version)
        found = self._ask("SELECT fold, numbers FROM fold WHERE data = ? AND model = ? AND version GLOB ?", asked)
        return {fold: json.loads(numbers) for fold, numbers in found}

    def write(self, file: TextIO) -> None:
        """Write all that is done as CSV."""
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        rows = self._ask(
            "SELECT data, model, version, fold, numbers FROM fold ORDER BY data, model, version, fold"
        )
        for cell, folds in groupby(rows, key=lambda row: row[:3]):
            writer.writerow([*cell, " ".join(f"{fold}={_text(numbers)}" for *_, fold, numbers in folds)])

    def read(self, file: TextIO) -> None:
        """Add what such a CSV has."""
        for row in csv.DictReader(file):
            for fold, _, numbers in (part.partition("=") for part in row.pop("folds").split()):
                self.keep(Cell(**row), fold, map(float, numbers.split(",")))

    def _ask(self, question: str, values: Iterable[Any] = ()) -> list[tuple]:
        with self._lock:
            return self._file.execute(question, tuple(values)).fetchall()


def _text(numbers: str) -> str:
    return ",".join(f"{number:.5g}" for number in json.loads(numbers))


def digest(*arrays: np.ndarray) -> str:
    """Return a fingerprint of arrays, their shapes and types included.

    >>> digest(np.zeros(3)) == digest(np.zeros(3)), digest(np.zeros(3)) == digest(np.zeros((3, 1)))
    (True, False)
    """
    found = hashlib.blake2b(digest_size=8)
    for array in arrays:
        found.update(f"{array.dtype}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def model_text(estimator: Any) -> str:
    """Return an estimator with the parameters that are not its defaults, in one line."""
    return " ".join(repr(estimator).split())


def version(stages: Iterable[str], packages: Iterable[str] = ("espalier",)) -> str:
    """Return the versions of packages, and digests of the kernels that these stages call."""
    kernels = [mark(stage).parent.name.rpartition("-")[2] for stage in stages]
    return " ".join([*(f"{name}-{metadata.version(name)}" for name in packages), *kernels])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--add", type=Path, metavar="CSV")
    options = parser.parse_args()
    cells = Cells(options.file)
    if options.add is None:
        cells.write(sys.stdout)
    else:
        with options.add.open(encoding="utf-8", newline="") as file:
            cells.read(file)


if __name__ == "__main__":
    main()
