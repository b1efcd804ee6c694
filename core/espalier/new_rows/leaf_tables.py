"""The promises of leaves as a table: each leaf's rule, its answer, and what holds the truth of new rows in it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset
from espalier.display.text.trees import in_units, join, says
from espalier.display.theme import count, rounded_to
from espalier.language import say
from espalier.new_rows import conformal
from espalier.new_rows.leaf_promises import LeafPromises
from espalier.new_rows.promise_words import set_words
from espalier.tree.rules import leaf_bounds
from espalier.trees import Tree


def leaves_table(found: LeafPromises, tree: Tree, data: Dataset) -> pd.DataFrame:
    """Return a row for each leaf, the heaviest first; of a tree of sums `data` has these as features."""
    missing = np.asarray(np.isnan(data.X).any(axis=0))
    rules = {
        leaf: join([in_units(one, data.features, missing) for one in bounds], "and")
        for leaf, bounds in leaf_bounds(tree)
    }
    order = np.argsort(-tree.weight[found.node], kind="stable").tolist()
    lines = [
        {
            say("then"): says(tree, data.target, int(found.node[i])),
            say("truth of new rows"): promise_of(found, i, data.classes),
            say("rows held out"): count(int(found.n[i])),
            say("if"): rules[int(found.node[i])] or say("always"),  # last: a phone shows the first columns
        }
        for i in order
    ]
    return pd.DataFrame(lines)


def promise_of(found: LeafPromises, i: int, classes: tuple[str, ...]) -> str:
    """Return what holds the truth of new rows in leaf number i, or that its rows, or their groups, are too few."""
    if not found.is_promised[i]:
        needed = count(conformal.units_needed(found.level))
        return say(
            "too few groups: {n} are needed" if found.in_groups else "too few rows: {n} are needed", n=needed
        )
    if classes:
        return set_words(found.sets[i].tolist(), classes)
    low, high = found.ends[i].tolist()
    written = rounded_to(found.ends.ravel())
    return say("{low} to {high}", low=written(low), high=written(high))
