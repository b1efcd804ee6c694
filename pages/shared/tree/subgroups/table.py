"""Subgroups as a table for other programs, in English."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pages.shared.tree.subgroups.growing import GroupTree, GroupTrees
from pages.shared.words.tree import subgroups as words


def table(found: GroupTrees, held: np.ndarray) -> pd.DataFrame:
    """The groups: rows, scores with their intervals, and what each tree asks first; `held` (n_samples,) bool."""
    return pd.DataFrame([_line(one, held) for one in found.groups])


def _line(one: GroupTree, held: np.ndarray) -> dict[str, object]:
    taken = one.group.taken
    line: dict[str, object] = {
        words.GROUP: one.group.rows.words,
        words.GROWN_ON: int((taken & ~held).sum()),
        words.HELD_OUT: int((taken & held).sum()),
    }
    if one.tree is not None:
        first = int(one.tree.tree.feature[0])
        line[words.LEAVES] = one.tree.tree.n_leaves
        line[words.FIRST] = one.tree.dataset.features[first].name if first >= 0 else ""
    for field, title in words.SCORES.items() if one.judged else ():
        score = getattr(one.judged, field)
        line |= {title: score.mean, words.low(title): score.low, words.high(title): score.high}
    return line
