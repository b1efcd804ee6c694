"""Process the cells of many columns together: for 7,000 short columns, one by one costs more than the cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute

pc: Any = pyarrow.compute  # makes most of its functions at import, where type checkers cannot see them

CELLS = 500_000  # of the columns processed together


class DistinctCells(NamedTuple):
    """Trimmed cells of some columns, every distinct text once."""

    texts: pa.Array  # distinct, none missing
    codes: np.ndarray  # of all cells that are not missing, into `texts`
    columns: np.ndarray  # of the same cells: position of their column
    n_columns: int

    def counted(self, texts_too: np.ndarray) -> np.ndarray:
        """Return the number of cells in each column whose text is marked."""
        return np.bincount(self.columns[texts_too[self.codes]], minlength=self.n_columns)

    def distinct(self) -> DistinctCells:
        """Return the same with every text once per column."""
        keys = np.unique(self.columns * np.int64(max(len(self.texts), 1)) + self.codes)
        return self._replace(codes=keys % max(len(self.texts), 1), columns=keys // max(len(self.texts), 1))


def together(columns: list[pa.Array], sample: Callable[[pa.Array], pa.Array]) -> Iterator[DistinctCells]:
    """Yield samples of the columns, in their order and in parts of limited size."""
    part: list[pa.Array] = []
    n_cells = 0
    for column in columns:
        part.append(sample(column))
        n_cells += len(part[-1])
        if n_cells >= CELLS:
            yield _cells(part)
            part, n_cells = [], 0
    if part:
        yield _cells(part)


def _cells(part: list[pa.Array]) -> DistinctCells:
    sizes = [len(column) for column in part]
    encoded = pc.utf8_trim_whitespace(pa.concat_arrays(part)).dictionary_encode()
    columns = np.repeat(np.arange(len(part)), sizes)
    known = encoded.is_valid().to_numpy(zero_copy_only=False)
    codes = encoded.indices.drop_null().to_numpy(zero_copy_only=False).astype(np.int64)
    return DistinctCells(encoded.dictionary, codes, columns[known], len(part))
