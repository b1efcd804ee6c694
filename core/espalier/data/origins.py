"""Position of a table's columns in its file, and the reading of their cells; needed by exports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from espalier.data.dataset import Origin
from espalier.data.formats.readers import Raw
from espalier.data.options import NumberFormat


def origins(
    raw: Raw,
    columns: Mapping[str, pd.Series],
    formats: Mapping[str, NumberFormat],
    spellings: Mapping[str, Mapping[str, str]],
) -> dict[str, Origin]:
    """Return the origin of every column as read, by its name here; `to_dataset` adds what it pools.

    `spellings` are those of yes and no that were read as others, by column.
    """
    is_arff = raw.options.format == "arff"
    missing = (*raw.options.missing, "?") if is_arff else raw.options.missing
    alike = _alike(raw.names)
    alike |= {name: (name,) for name in _taken(raw.names, alike)}
    return {
        new: Origin(
            raw.names[i],
            i,
            missing=missing if is_arff or isinstance(raw.columns[i], pa.Array) else (),
            format=formats.get(new, NumberFormat()) if values.dtype == np.float64 else None,
            alike=alike.get(raw.names[i], ()),
            spellings=tuple(spellings.get(new, {}).items()),
            is_filled=i in raw.filled,
        )
        for i, (new, values) in enumerate(columns.items())
    }


def _taken(names: list[str], alike: Mapping[str, object]) -> set[str]:
    """Return names such as "column 3" that other columns have, which exports must not give to nameless columns."""
    places = {f"column {i}": i for i in range(1, len(names) + 1)}
    unnamed = [i for i, name in enumerate(names, 1) if not name or name in alike]
    if not unnamed:
        return set()
    return {name for i, name in enumerate(names, 1) if places.get(name.casefold(), i) != i}


def _alike(names: list[str]) -> dict[str, tuple[str, ...]]:
    """Return for repeated names, or names that differ only in case, the names of the other columns."""
    count, spelled = Counter(names), dict[str, list[str]]()
    for name in count:
        spelled.setdefault(name.casefold(), []).append(name)
    groups = (group for group in spelled.values() if len(group) > 1 or count[group[0]] > 1)
    return {one: tuple(n for n in group if n != one or count[one] > 1) for group in groups for one in group}
