"""Surrogate splits in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from espalier.data.dataset import Feature
from espalier.display.text.moments import written
from espalier.display.text.trees import phrase
from espalier.display.theme import count, percent
from espalier.inert import inert
from espalier.language import say
from espalier.tree.surrogates import deciders, surrogate_tests
from espalier.trees import Tree

MOST_LINES = 3  # surrogates that a drawing lists at a node


def surrogate_words(tree: Tree, features: Sequence[Feature], node: int) -> list[str]:
    """Return what decides at a node where its value is missing, a line each; empty without surrogates."""
    tests = surrogate_tests(tree, node)
    lines = [
        say("yes if {test} (agrees in {share})", test=phrase(one.bound, features), share=percent(one.agreement))
        for one in tests
    ]
    left = tree.missing_left[node]
    rest = say("yes where all of these are missing" if left else "no where all of these are missing")
    return [*lines, rest] if lines else []


def surrogate_lines(tree: Tree, features: Sequence[Feature], node: int) -> list[str]:
    """Return what decides at a node where its value is missing in a few short lines; empty without surrogates."""
    tests = surrogate_tests(tree, node)
    lines = [say("else, if {test}", test=phrase(one.bound, features)) for one in tests[:MOST_LINES]]
    more = [say("… {n} more", n=len(tests) - MOST_LINES)] if len(tests) > MOST_LINES else []
    otherwise = say("else yes" if tree.missing_left[node] else "else no")
    return [say("where missing:"), *lines, *more, otherwise] if lines else []


def surrogate_table(tree: Tree, features: Sequence[Feature], node: int, X: np.ndarray) -> pd.DataFrame:
    """Return a node's surrogates as a table, with how many of X, the rows in the node, each decides about."""
    tests, n = surrogate_tests(tree, node), deciders(tree, node, X)
    return pd.DataFrame(
        {
            say("goes left if"): [inert(phrase(one.bound, features)) for one in tests],
            say("agrees"): [percent(one.agreement) for one in tests],
            say("rows decided"): n[:-1],
        }
    )


def surrogate_caption(tree: Tree, node: int, left_over: int) -> str:
    """Return what the table says, and where rows go that no surrogate decides about."""
    words = say(
        "Surrogate splits: where the value is missing, the first of these columns that has one decides. Of the "
        "rows with both values they send so many to the same side as the split does."
    )
    side = say("left") if tree.missing_left[node] else say("right")
    rest = say(
        "{n} row has none of these values and goes to the larger side, {side}."
        if left_over == 1
        else "{n} rows have none of these values and go to the larger side, {side}.",
        n=count(left_over),
        side=side,
    )
    return f"{words} {rest}"


def fill_words(fills: np.ndarray, features: Sequence[Feature], asked: Sequence[int]) -> str:
    """Return the values that stand in for missing ones in the columns that a tree asks for."""
    texts = [f"{features[f].name}: {_value(features[f], float(fills[f]))}" for f in asked if np.isfinite(fills[f])]
    return say("Where a value is missing, this one stands in: {values}.", values=", ".join(texts)) if texts else ""


def _value(feature: Feature, value: float) -> str:
    return (
        feature.categories[int(value)]
        if feature.categories and value == int(value)
        else written(feature, value, 3)
    )
