"""Conditions of oblique trees in words: "petal length + 2.1 petal width ≤ 7.3"."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.data.dataset import Feature
from espalier.display.text.trees import phrase
from espalier.display.theme import threshold
from espalier.oblique import ObliqueTree
from espalier.tree.rules import Bound, Demands, Slant, oblique_step


def slant_words(slant: Slant, features: Sequence[Feature], exact: bool = False) -> str:
    """Return the condition of a slanted split; `exact` writes every digit of its numbers.

    >>> slant_words(Slant((0, 1), (1.0, -2.0), 7.3, True), (Feature("length"), Feature("width")))
    'length − 2 width ≤ 7.3'
    """
    total = sum_words(slant.feature, slant.coefficient, features, exact)
    return f"{total} {'≤' if slant.left else '>'} {threshold(slant.threshold, exact)}"


def sum_words(
    feature: Sequence[int], coefficient: Sequence[float], features: Sequence[Feature], exact: bool = False
) -> str:
    """Return a weighted sum of features.

    >>> sum_words((0, 1), (1.0, -2.0), (Feature("length"), Feature("width")))
    'length − 2 width'
    """
    words = ""
    for f, c in zip(feature, coefficient, strict=True):
        sign = " − " if c < 0 else " + "
        size = "" if abs(c) == 1 else f"{threshold(abs(c), exact)} "
        words += (sign if words or c < 0 else "") + size + features[f].name
    return words.strip()


def oblique_condition(tree: ObliqueTree, features: Sequence[Feature], node: int, left: bool = True) -> str:
    """Return the condition under which a sample goes left (or right) at a split of an oblique tree."""
    return demand_words(oblique_step(tree, node, left), features)


def demand_words(demand: Bound | Slant, features: Sequence[Feature], exact: bool = False) -> str:
    """Return a bound or a slant in words."""
    if isinstance(demand, Slant):
        return slant_words(demand, features, exact)
    return phrase(demand, features, exact=exact)


def demands_words(demands: Demands, features: Sequence[Feature], exact: bool = False) -> list[str]:
    """Return all conditions of a path in words, those on single features first."""
    return [demand_words(one, features, exact) for one in (*demands.bounds, *demands.slants)]
