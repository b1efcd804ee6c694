"""Stability as tables, for the page and for files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.display.theme import number, percent
from espalier.language import say
from espalier.stability.bars import Chart
from espalier.stability.stability import StructureLevel
from espalier.stability.thresholds import Shown


class StructureTable(NamedTuple):
    """One learner's structures over one set of draws."""

    learner: str
    draws: int  # 1: the first set of draws; greater: a repetition
    chart: Chart
    levels: Sequence[StructureLevel]


def by_depth(tables: Sequence[StructureTable]) -> pd.DataFrame:
    """Return a line for every learner, set of draws and number of levels, with formatted numbers."""
    return pd.DataFrame(
        [
            {
                say("learner"): one.learner,
                say("draws"): one.draws,
                say("trees"): one.chart.n_trees,
                say("levels"): level.depth,
                say("structures"): level.n_structures,
                say("most frequent"): percent(level.top_share),
                say("95 % interval"): say(
                    "{low} to {high}", low=percent(level.interval[0]), high=percent(level.interval[1])
                ),
                say("entropy, bits"): number(level.entropy),
                say("chance of a new one"): percent(level.unseen),
            }
            for one in tables
            for level in one.levels
        ]
    )


def by_structure(tables: Sequence[StructureTable]) -> pd.DataFrame:
    """Return a line for every structure: how many trees have it, and the number of one of them."""
    return pd.DataFrame(
        [
            {
                "learner": one.learner,
                "draws": one.draws,
                "levels": depth,
                "structure": rank,
                "trees": bar.n_trees,
                "share": bar.n_trees / one.chart.n_trees,
                "most frequent of the first draws": bar.is_top,
                "a tree": bar.tree,
            }
            for one in tables
            for depth, column in enumerate(one.chart.columns, start=1)
            for rank, bar in enumerate(column, start=1)
        ]
    )


def features(learners: Sequence[str], shares: Sequence[np.ndarray], names: Sequence[str]) -> pd.DataFrame:
    """Return a line for every learner, depth and feature that a tree uses there.

    Shares (n_depths, n_features) each.
    """
    return pd.DataFrame(
        [
            {"learner": learner, "depth": depth, "column": names[f], "share of trees": float(row[f])}
            for learner, share in zip(learners, shares, strict=True)
            for depth, row in enumerate(share)
            for f in np.flatnonzero(row).tolist()
        ],
        columns=["learner", "depth", "column", "share of trees"],
    )


def thresholds(learners: Sequence[str], shown: Sequence[Shown]) -> pd.DataFrame:
    """Return a line for every threshold."""
    pairs = list(zip(learners, shown, strict=True))
    return pd.DataFrame(
        {
            "learner": [learner for learner, one in pairs for _ in one.thresholds],
            "threshold": np.concatenate([np.empty(0), *(one.thresholds for one in shown)]),
        }
    )
