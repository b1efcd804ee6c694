"""Surrogate splits in words."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.analysis.tree.surrogates import surrogate_tests
from espalier.data.dataset import Feature
from espalier.trees import Tree
from espalier.views.text.trees import phrase
from espalier.views.theme import percent


def surrogate_words(tree: Tree, features: Sequence[Feature], node: int) -> list[str]:
    """Return what decides at a node where its value is missing, a line each; empty without surrogates."""
    tests = surrogate_tests(tree, node)
    lines = [f"yes if {phrase(one.bound, features)} (agrees in {percent(one.agreement)})" for one in tests]
    otherwise = "yes" if tree.missing_left[node] else "no"
    return [*lines, f"{otherwise} where all of these are missing"] if lines else []
