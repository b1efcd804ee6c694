"""Where the columns of a table stand in its file, and how their cells are read: what exports need to know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from espalier.data.dataset import Origin
from espalier.data.formats.readers import Raw
from espalier.data.options import NumberFormat


def origins(raw: Raw, columns: Mapping[str, pd.Series], formats: Mapping[str, NumberFormat]) -> dict[str, Origin]:
    """Of every column as it was read (by the name it has here); what `to_dataset` pools it adds itself."""
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
        )
        for i, (new, values) in enumerate(columns.items())
    }


def _taken(names: list[str], alike: Mapping[str, object]) -> set[str]:
    """Names such as "column 3" of other columns than that one, where exports need them for nameless columns."""
    places = {f"column {i}": i for i in range(1, len(names) + 1)}
    unnamed = [i for i, name in enumerate(names, 1) if not name.strip() or name in alike]
    if not unnamed:
        return set()
    return {name for i, name in enumerate(names, 1) if places.get(name.casefold(), i) != i}


def _alike(names: list[str]) -> dict[str, tuple[str, ...]]:
    """For names that stand twice, or differ from another in case only: the names of the other columns."""
    count, spelled = Counter(names), dict[str, list[str]]()
    for name in count:
        spelled.setdefault(name.casefold(), []).append(name)
    groups = (group for group in spelled.values() if len(group) > 1 or count[group[0]] > 1)
    return {one: tuple(n for n in group if n != one or count[one] > 1) for group in groups for one in group}
