"""Data: read tables, guess the kinds of their columns, and load the bundled samples."""

from typing import TYPE_CHECKING

from espalier.data import samples
from espalier.data.dataset import Dataset, Feature, make_dataset
from espalier.data.filters import Filter, FilterError, filter_of
from espalier.data.folds import HeldOut, held_out
from espalier.data.roles import RowRoles, RowWeights, row_groups, row_times
from espalier.data.subset import subset, with_roles

if TYPE_CHECKING:
    from espalier.data.table import read_table

__all__ = [
    "Dataset",
    "Feature",
    "Filter",
    "FilterError",
    "HeldOut",
    "RowRoles",
    "RowWeights",
    "filter_of",
    "held_out",
    "make_dataset",
    "read_table",
    "row_groups",
    "row_times",
    "samples",
    "subset",
    "with_roles",
]


def __getattr__(name: str):
    # pandas and pyarrow take half a second to import; the first page on a bundled sample needs neither.
    if name == "read_table":
        from espalier.data.table import read_table

        return read_table
    raise AttributeError(name)
