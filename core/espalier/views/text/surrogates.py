"""Surrogate splits in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from espalier.analysis.tree.surrogates import deciders, surrogate_tests
from espalier.data.dataset import Feature
from espalier.data.inert import inert
from espalier.trees import Tree
from espalier.views.text.trees import phrase
from espalier.views.theme import count, number, percent

MOST_LINES = 3  # surrogates that a drawing lists at a node


def surrogate_words(tree: Tree, features: Sequence[Feature], node: int) -> list[str]:
    """Return what decides at a node where its value is missing, a line each; empty without surrogates."""
    tests = surrogate_tests(tree, node)
    lines = [f"yes if {phrase(one.bound, features)} (agrees in {percent(one.agreement)})" for one in tests]
    otherwise = "yes" if tree.missing_left[node] else "no"
    return [*lines, f"{otherwise} where all of these are missing"] if lines else []


def surrogate_lines(tree: Tree, features: Sequence[Feature], node: int) -> list[str]:
    """Return what decides at a node where its value is missing in a few short lines; empty without surrogates."""
    tests = surrogate_tests(tree, node)
    lines = [f"else, if {phrase(one.bound, features)}" for one in tests[:MOST_LINES]]
    more = [f"… {len(tests) - MOST_LINES} more"] if len(tests) > MOST_LINES else []
    otherwise = "yes" if tree.missing_left[node] else "no"
    return ["where missing:", *lines, *more, f"else {otherwise}"] if lines else []


def surrogate_table(tree: Tree, features: Sequence[Feature], node: int, X: np.ndarray) -> pd.DataFrame:
    """Return a node's surrogates as a table, with how many of X, the rows in the node, each decides about."""
    tests, n = surrogate_tests(tree, node), deciders(tree, node, X)
    return pd.DataFrame(
        {
            "goes left if": [inert(phrase(one.bound, features)) for one in tests],
            "agrees": [percent(one.agreement) for one in tests],
            "rows decided": n[:-1],
        }
    )


def surrogate_caption(tree: Tree, node: int, left_over: int) -> str:
    """Return what the table says, and where rows go that no surrogate decides about."""
    side = "left" if tree.missing_left[node] else "right"
    none = "1 row has" if left_over == 1 else f"{count(left_over)} rows have"
    go = "goes" if left_over == 1 else "go"
    return (
        "Surrogate splits: where the value is missing, the first of these columns that has one decides. Of the "
        "rows with both values they send so many to the same side as the split does. "
        f"{none} none of these values and {go} to the larger side, {side}."
    )


def fill_words(fills: np.ndarray, features: Sequence[Feature], asked: Sequence[int]) -> str:
    """Return the values that stand in for missing ones in the columns that a tree asks for."""
    texts = [f"{features[f].name}: {_value(features[f], float(fills[f]))}" for f in asked if np.isfinite(fills[f])]
    return "Where a value is missing, this one stands in: " + ", ".join(texts) + "." if texts else ""


def _value(feature: Feature, value: float) -> str:
    return feature.categories[int(value)] if feature.categories and value == int(value) else number(value)
