"""How a file became a data set: what a script needs to make the same one of it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from espalier.data.columns.convert import TargetPlan, to_dataset
from espalier.data.columns.kinds import ColumnPlan
from espalier.data.dataset import Dataset
from espalier.data.options import ReadOptions


class TableRecipe(NamedTuple):
    """The file's name, the options of reading it, and the plans of its columns."""

    filename: str
    options: ReadOptions
    plans: tuple[ColumnPlan, ...]
    target: TargetPlan

    def dataset(self, folder: Path) -> Dataset:
        """Return the data set of the file in this folder. Raises TableError for a file that does not fit."""
        from espalier.data.reading.table import read_table  # pandas and pyarrow take half a second to import

        table = read_table(folder / self.filename, options=self.options)
        return to_dataset(table.frame, self.plans, self.target, table.name, table.origins)[0]
